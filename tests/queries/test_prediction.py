"""What is predicted is what comes out: errors and widths against answers with noise of the law."""

from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.queries.answers.bin_tree import bins_for
from noisewright.queries.answers.moments import answer_moments
from noisewright.queries.answers.quantiles import answer_quantiles
from noisewright.queries.answers.tree_law import tree_for
from tests.queries.simulated import noise_of, noisy, sums_of

COLUMNS = {
    "sex": nw.Column(["f", "m"]),
    "hours": nw.Column(nw.Interval(0, 100, step=1)),
    "works": nw.Column(["no", "yes"]),
}


def table() -> Any:
    rows = [{"sex": "f", "hours": 40, "works": "yes"}]
    return nw.Private(rows, columns=COLUMNS, change="add or remove", ledger=None)


def spread(people: int) -> Any:
    """Values spread evenly over 0 … 100."""
    return np.round((np.arange(people) + 0.5) / people * 100).astype(np.int64)


@pytest.mark.parametrize("people", [2, 5, 30, 200, 5_000])
def test_errors_of_means_and_variances(people: int) -> None:
    """Within a tenth of what 4,000 answers have; a fifth where the group is smaller than noise."""
    hours = nw.col("hours")
    question = table().group_by("sex").agg(mean=hours.mean(), var=hours.var(), std=hours.std())
    found = question.predict(epsilon=1, people=2 * people)
    noise = noise_of(1, 100**2)
    k = spread(people)
    numbers = noisy(sums_of(k, 0, 100, 2), noise, 4_000, f"spread {people}")
    for what, truth in (("mean", k.mean()), ("var", k.var()), ("std", k.std())):
        name: Any = what
        answers = answer_moments(numbers, noise, low=0, high=100, unit=1, what=name)
        off = answers.values[~np.isnan(answers.values)] - truth
        error = float(np.sqrt((off**2).mean()))
        half = float((answers.highs - answers.lows).mean()) / 2
        place = found.names.index(what)
        near = 0.1 if people >= 30 else 0.2
        assert found.standard_errors[place] == pytest.approx(error, rel=near)
        assert found.half_widths[place] == pytest.approx(half, rel=near)


def test_errors_of_quantiles_fall_with_more_people_and_more_epsilon() -> None:
    question = table().agg(middle=nw.col("hours").median())

    def predicted(epsilon: float, people: int) -> float:
        return question.predict(epsilon=epsilon, people=people)["middle"]

    assert predicted(1, 5) > 2 * predicted(1, 1_000) > 2 * predicted(4, 1_000) > 0
    assert predicted(1, 5) < 50
    # With a heap of people the answer is right to the grid.
    assert predicted(10, 1_000_000) < 0.5


def test_errors_of_quantiles_are_those_of_answers() -> None:
    """Of 2,000 groups that are spread evenly, each from another start; within a fifth."""
    people, at = 300, [0.25, 0.5]
    question = table().agg(q=nw.col("hours").quantiles(at))
    found = question.predict(epsilon=1, people=people)
    tree, binning = tree_for(101), bins_for(0, 100)
    starts = np.random.default_rng(4).random((2_000, 1))
    rows = np.floor((np.arange(people) + starts) / people * 101).astype(np.int64)
    counts = np.array([np.bincount(row, minlength=101) for row in rows])
    noise = noise_of(1, len(tree.widths))
    numbers = tree.tally(counts) + noisy(np.zeros(sum(tree.sizes), int), noise, 2_000, "starts")
    answers = answer_quantiles(numbers, noise, tree=tree, binning=binning, unit=1, at=at)
    truth = np.quantile(rows, at, axis=1, method="inverted_cdf").T
    errors = np.sqrt(((answers.values - truth) ** 2).mean(axis=0))
    assert found.standard_errors == pytest.approx(errors, rel=0.2)
    halves = (answers.highs - answers.lows).mean(axis=0) / 2
    assert found.half_widths == pytest.approx(halves, rel=0.2)


def test_a_group_of_nobody_is_predicted_as_well() -> None:
    question = table().agg(mean=nw.col("hours").mean(), n=nw.count())
    found = question.predict(epsilon="0.01", people=0.001)
    assert 10 < found["mean"] <= 100
    assert found.half_widths[0] == pytest.approx(50, rel=0.1)
