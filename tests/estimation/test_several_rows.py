"""Several rows of one person: noise is independent, people are not."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import ParameterError
from noisewright.releases.released import estimates_of

ROWS = 4
COLUMNS: dict[str, Any] = {
    "sick": nw.Column(["yes", "no"]),
    "visits": nw.Column(nw.Counts(3)),
    "ward": "public",
}
PLAN = nw.Plan(COLUMNS, epsilon=40, person=nw.Person("patient", rows=ROWS))
SINGLE = nw.Plan(COLUMNS, epsilon=10)


def draw(
    random: np.random.Generator, patients: int, source: nw.randomness.SeededSource
) -> pa.Table:
    """Draw patients whose rows all say the same, and release them."""
    sick = np.repeat(random.random(patients) < 0.3, ROWS)
    visits = np.repeat(random.integers(0, 4, patients), ROWS)
    parts = {part.name: part.mechanism for part in PLAN.parts}
    labels = np.where(sick, "yes", "no")
    return pa.table(
        {
            "sick": parts["sick"].sample(labels, source=source),
            "visits": parts["visits"].sample(visits, source=source),
            "ward": np.repeat(random.choice(["a", "b"], patients), ROWS),
        }
    )


def test_the_sampling_error_counts_as_often_as_a_person_has_rows() -> None:
    table = draw(np.random.default_rng(1), 500, nw.randomness.SeededSource(1))
    for of, question in (("sick", None), ("visits", "mean"), (("ward", "sick"), None)):
        noise = estimates_of(PLAN, table, of, question=question, about="people")
        naive = estimates_of(SINGLE, table, of, question=question)
        found = estimates_of(PLAN, table, of, question=question)
        sampling = naive.standard_errors**2 - noise.standard_errors**2
        expected = noise.standard_errors**2 + ROWS * sampling
        assert found.standard_errors == pytest.approx(expected**0.5)
        assert (found.values == naive.values).all()
        assert any("up to 4 are of one person" in note for note in found.notes)
        assert any("up to 4 are of one person" in note for note in noise.notes)


def test_intervals_about_the_population_hold_when_rows_agree() -> None:
    """95% intervals; of 200 seeded tables at least 183 hold, where the naive ones fail."""
    random, source = np.random.default_rng(7), nw.randomness.SeededSource(7)
    held = naive_held = 0
    for _ in range(200):
        table = draw(random, 300, source)
        low, high = estimates_of(PLAN, table, "sick")["yes"].interval
        held += low <= 0.3 <= high
        low, high = estimates_of(SINGLE, table, "sick")["yes"].interval
        naive_held += low <= 0.3 <= high
    assert held >= 183
    assert naive_held < 165


def test_quantiles_of_a_population_are_refused_and_left_out() -> None:
    table = draw(np.random.default_rng(1), 500, nw.randomness.SeededSource(1))
    with pytest.raises(ParameterError, match="quantiles of a population are not estimated from"):
        estimates_of(PLAN, table, "visits", question="quantiles")
    usual = estimates_of(PLAN, table)
    assert "quantiles of visits" not in usual
    assert usual.notes[0].startswith("quantiles of visits is left out: ")
    assert "quantiles of visits" in estimates_of(PLAN, table, about="people")
