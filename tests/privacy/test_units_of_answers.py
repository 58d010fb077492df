"""Answers, copies and compositions say ε for a change of the data, never per unit of distance."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import NotPrivateError
from noisewright.mechanisms import Mechanism, Table
from noisewright.privacy import OutputPerturbation, SanitizedResponse
from noisewright.privacy.composition import sources
from noisewright.spaces import Unit

PER_DISTANCE = nw.geometric(nw.Counts(5, neighbors="metric"), epsilon=1).table()
ADJACENT = nw.geometric(nw.Counts(5), epsilon=1)
PEOPLE = nw.Categories(["no", "yes"]) ** 5


def least(table: Table, pairs: Any) -> float:
    """The largest ln of a ratio over these pairs of inputs, both ways."""
    weights = table.weights.tolist()
    ways = [way for a, b in pairs for way in ((a, b), (b, a))]
    both = ((p, q) for a, b in ways for p, q in zip(weights[a], weights[b], strict=True))
    return max(math.log(Fraction(p, q)) for p, q in both)


def least_delta(table: Table, pairs: Any, epsilon: float) -> float:
    matrix = table.matrix
    ways = [way for a, b in pairs for way in ((a, b), (b, a))]
    return max(
        float(np.maximum(0, matrix[a] - math.exp(epsilon) * matrix[b]).sum()) for a, b in ways
    )


EVERY_TWO = list(itertools.combinations(range(6), 2))


def test_one_query_through_noise_per_distance_costs_the_distance_between_answers() -> None:
    """It said 1.0; a query that may move from 0 to 5 costs 5."""
    blind = OutputPerturbation(lambda count: count, PER_DISTANCE)
    assert blind.epsilon() == pytest.approx(5) == least(PER_DISTANCE, EVERY_TWO)
    assert str(blind.unit) == "for replacing the input by any other"
    own = nw.Counts(5, neighbors="replace")
    assert OutputPerturbation(int, PER_DISTANCE, database=own).epsilon() == pytest.approx(5)
    for epsilon in (0.5, 1, 3):
        expected = least_delta(PER_DISTANCE, EVERY_TWO, epsilon)
        assert blind.delta(epsilon) == pytest.approx(expected)
    assert blind.epsilon(queries=2) == pytest.approx(10)
    assert blind.affordable(epsilon=10) == 2


@pytest.mark.parametrize(
    ("query", "apart"),
    [
        (lambda rows: rows.count("yes"), 1),
        (lambda rows: min(5, 2 * rows.count("yes")), 2),
        (lambda rows: 5 * ("yes" in rows), 5),
        (lambda rows: 3, 0),
    ],
)
def test_with_databases_it_is_what_their_answers_need(query: Any, apart: int) -> None:
    asked = OutputPerturbation(query, PER_DISTANCE, database=PEOPLE)
    answers = [query(point) for point in PEOPLE.points]
    pairs = {(answers[a], answers[b]) for a, b in PEOPLE.neighbor_codes().tolist()}
    pairs = {pair for pair in pairs if pair[0] != pair[1]}
    assert max((abs(a - b) for a, b in pairs), default=0) == apart
    truth = least(PER_DISTANCE, pairs) if pairs else 0.0
    assert asked.epsilon() == pytest.approx(truth) == pytest.approx(apart)
    assert asked.epsilon(queries=3) == pytest.approx(3 * truth)
    expected = least_delta(PER_DISTANCE, pairs, 0.5) if pairs else 0.0
    assert asked.delta(0.5) == pytest.approx(expected)
    assert str(asked.unit) == "for replacing one row by any other"


def test_answers_that_are_not_neighbors_are_refused_and_adjacent_ones_cost_a_step() -> None:
    count = OutputPerturbation(lambda rows: rows.count("yes"), ADJACENT, database=PEOPLE)
    assert count.epsilon() == pytest.approx(1)
    with pytest.raises(NotPrivateError, match="not neighbors"):
        OutputPerturbation(lambda rows: 5 * ("yes" in rows), ADJACENT, database=PEOPLE)
    blind = OutputPerturbation(int, ADJACENT)
    assert "by one step" in str(blind.unit)


def test_a_private_copy_per_distance_costs_what_any_change_costs() -> None:
    assert SanitizedResponse(PER_DISTANCE).epsilon() == pytest.approx(5)
    assert str(SanitizedResponse(PER_DISTANCE).unit) == "for replacing the input by any other"
    rows = SanitizedResponse(PER_DISTANCE**3)
    assert rows.epsilon() == pytest.approx(5)
    assert str(rows.unit) == "for replacing one row by any other"
    small = nw.geometric(nw.Counts(2, neighbors="metric"), epsilon=1) ** 2
    whole = SanitizedResponse(small.table())
    assert whole.epsilon() == pytest.approx(2)
    assert whole.unit == Unit("row")
    steps = SanitizedResponse(ADJACENT**3)
    assert steps.epsilon() == pytest.approx(1)
    assert "moving one row by one step" in str(steps.unit)


def test_a_composition_says_what_it_is_counted_for() -> None:
    assert "for moving the input by one step" in repr(nw.compose(ADJACENT, times=2))
    color = nw.randomized_response(nw.Categories(["a", "b"]), epsilon=1)
    both = nw.compose([ADJACENT, color])
    assert both.counted.startswith("for a change that is each of these: for moving the input by")
    assert both.counted.endswith("; for replacing the input by any other")
    assert nw.compose(color**9).counted == "for replacing one row by any other"
    assert "its parts" in nw.compose(nw.accounting.Guarantee(1)).counted


def false_tables() -> list[Mechanism]:
    """Tables that keep the truth with 15/16 and claim ε = 1/100."""
    size = 8
    weights = np.full((size, size), 1, dtype=object)
    np.fill_diagonal(weights, 16 * 7 + 9)
    claim = nw.accounting.Guarantee("1/100")
    spaces = [nw.Counts(7), nw.Counts(7, neighbors="replace"), nw.Categories(range(size))]
    tables = [Table(space, weights, total=128, claim=claim) for space in spaces]
    return [*tables, tables[0] ** 3, nw.combine.product(a=tables[1], b=tables[2])]


@pytest.mark.parametrize("place", range(5))
def test_a_table_too_large_to_compare_is_composed_by_what_is_proven(
    place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a table claims is its maker's word: composing proves it, or refuses."""
    monkeypatch.setattr(sources, "MOST_MASSES", 10)
    monkeypatch.setattr(sources, "_SMALL_TABLE", 10)
    with pytest.raises(NotPrivateError, match=r"0\.01"):
        nw.compose(false_tables()[place], times=2)
    honest = nw.randomized_response(nw.Categories(range(8)), epsilon="1/2")
    assert nw.compose(honest, times=2).epsilon() == pytest.approx(1)
    assert nw.compose(nw.combine.product(a=honest, b=honest)).epsilon() == pytest.approx(1)
