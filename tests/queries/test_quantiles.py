"""Quantiles, minima, maxima and the top k: exact without noise, and covered with it."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from noisewright.errors import ParameterError
from noisewright.queries.answers.bin_tree import BinTree, bins_for
from noisewright.queries.answers.counts import answer_counts, answer_distinct
from noisewright.queries.answers.quantiles import answer_quantiles, rank_of_extreme
from noisewright.queries.answers.top import answer_top
from noisewright.queries.answers.tree_law import law_of_tree, tree_for
from noisewright.queries.noise import CellNoise
from tests.queries.simulated import Values, misses, noise_of, noisy

QUIET = CellNoise("epsilon", Fraction(50))
AT = [0.05, 0.25, 0.5, 0.9]
RUNS = 2_000


def true_quantiles(k: Values) -> Any:
    return np.quantile(k, AT, method="inverted_cdf")


def ranked(k: Values, rank: int, top: int) -> tuple[int, int]:
    """The r-th smallest and the r-th largest value."""
    if len(k) < rank:
        return top, 0
    values = np.sort(k)
    return int(values[rank - 1]), int(values[-rank])


@pytest.mark.parametrize("bins", [1, 3, 40, 700])
def test_without_noise_quantiles_are_those_of_the_rows(bins: int) -> None:
    random = np.random.default_rng(5)
    tree = tree_for(bins)
    groups = [random.integers(0, bins, size) for size in (1, 2, 5, 900)]
    counts = np.array([np.bincount(k, minlength=bins) for k in groups])
    found = answer_quantiles(
        tree.tally(counts),
        QUIET,
        tree=tree,
        binning=bins_for(-2, bins - 3),
        unit=Fraction(1, 2),
        at=[*AT, 0, 1],
    )
    for row, k in enumerate(groups):
        expected = [*true_quantiles(k), k.min(), k.max()]
        assert found.values[row].tolist() == [(x - 2) / 2 for x in expected]
    assert rank_of_extreme(tree, QUIET) == 1
    assert (found.lows == found.values).all()
    # Where exactly q n values lie up to x, the least noise may hide one, and x be the next value.
    assert (found.highs >= found.values).all()
    assert (found.highs == found.values)[0].all()


def patterns(n: int, top: int) -> dict[str, Values]:
    half = np.arange(n) < n // 2
    return {
        "spread": np.round(np.linspace(0, top, n)).astype(np.int64),
        "two heaps": np.where(half, top // 3, 2 * top // 3),
        "a heap and an end": np.where(half, np.arange(n) % (top // 3 + 1), top),
        "alike": np.full(n, top // 4),
    }


@pytest.mark.parametrize("epsilon", ["0.1", "1", "10"])
@pytest.mark.parametrize(("bins", "n"), [(12, 5), (100, 1), (100, 6), (100, 200), (400, 2_000)])
def test_intervals_cover(bins: int, n: int, epsilon: str) -> None:
    """At most 3.4% miss on a side; six standard errors of 2,000 runs are 2.5%."""
    tree, binning = tree_for(bins), bins_for(0, bins - 1)
    noise = noise_of(epsilon, len(tree.widths))
    rank = rank_of_extreme(tree, noise)
    for name, k in patterns(n, bins - 1).items():
        counts = tree.tally(np.bincount(k, minlength=bins))
        numbers = noisy(counts, noise, RUNS, f"{name} {n} {epsilon}")
        found = answer_quantiles(
            numbers, noise, tree=tree, binning=binning, unit=1, at=[*AT, 0.0, 1.0]
        )
        truth = np.array([*true_quantiles(k), *ranked(k, rank, bins - 1)])
        below, above = misses(found, truth)
        assert max(below.max(), above.max()) < 0.059, name
        assert (below + above).max() < 0.07, name
        known = ~np.isnan(found.values)
        assert ((found.lows <= found.values) & (found.values <= found.highs))[known].all()


def test_intervals_say_something_where_much_is_known() -> None:
    """A hundred times the noise: the interval is a few points wide; with too little noise claimed
    it misses more often than it may."""
    tree, binning = tree_for(1_000), bins_for(0, 999)
    k = np.repeat(np.arange(1_000), 2)
    noise = noise_of(1, len(tree.widths))
    numbers = noisy(tree.tally(np.bincount(k)), noise, RUNS, "much")
    options: dict[str, Any] = {"tree": tree, "binning": binning, "unit": 1, "at": [0.5]}
    found = answer_quantiles(numbers, noise, **options)
    widths = (found.highs - found.lows).mean()
    errors = np.sqrt(((found.values - 499) ** 2).mean())
    assert 2 * errors < widths < 7 * errors
    wrong = answer_quantiles(numbers, noise_of(3, len(tree.widths)), **options)
    below, above = misses(wrong, 499)
    assert (below + above)[0] > 0.15


def test_public_sizes_of_groups_are_kept() -> None:
    tree, binning = tree_for(100), bins_for(0, 99)
    noise = noise_of(1, len(tree.widths))
    numbers = noisy(tree.tally(np.full(100, 3)), noise, RUNS, "public")
    options: dict[str, Any] = {"tree": tree, "binning": binning, "unit": 1, "at": [0.1, 0.9]}
    alone = answer_quantiles(numbers, noise, **options)
    known = answer_quantiles(numbers, noise, people=np.full(RUNS, 300), **options)
    truth = np.array([9, 89])
    for found in (alone, known):
        assert max(map(np.max, misses(found, truth))) < 0.059
    better = ((known.values - truth) ** 2).mean() / ((alone.values - truth) ** 2).mean()
    assert better < 1.05
    law = law_of_tree(tree, noise.variance, 0.0)
    assert (law.spread(None)[0] <= law.spread(0.1)[0] + 1e-9).all()
    assert law.spread(None)[0][-1] == pytest.approx(0, abs=1e-9)


def test_coarse_bins_are_told_and_cover_the_fine_truth() -> None:
    binning = bins_for(0, 10**9)
    tree = BinTree(binning.bins, (256, 1))
    value = 123_456_789
    counts = np.zeros(binning.bins, dtype=np.int64)
    counts[value // binning.width] = 1_000
    found = answer_quantiles(
        tree.tally(counts)[None], QUIET, tree=tree, binning=binning, unit=1, at=[0.5, 0]
    )
    assert found.lows[0, 0] <= value <= found.highs[0, 0]
    assert found.highs[0, 0] - found.lows[0, 0] == binning.width - 1
    assert "bins of 15,259 grid points" in found.notes[1]
    assert "rank 1 from below" in found.notes[0]


def test_groups_are_worked_on_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    tree, binning = tree_for(40), bins_for(0, 39)
    noise = noise_of(1, len(tree.widths))
    numbers = noisy(tree.tally(np.full(40, 2)), noise, 50, "pieces")
    options: dict[str, Any] = {"tree": tree, "binning": binning, "unit": 1, "at": [0.2, 1]}
    for people in (None, np.arange(50)):
        whole = answer_quantiles(numbers, noise, people=people, **options)
        with monkeypatch.context() as few:
            few.setattr("noisewright.queries.answers.quantiles._AT_ONCE", 3 * 40)
            pieces = answer_quantiles(numbers, noise, people=people, **options)
        for name in ("values", "lows", "highs"):
            np.testing.assert_array_equal(getattr(whole, name), getattr(pieces, name))


def test_quantiles_refuse_what_they_cannot_answer() -> None:
    tree, binning = tree_for(5), bins_for(0, 4)
    for at, noise, match in (
        ([1.2], QUIET, "between 0 and 1"),
        ([0.5], CellNoise("epsilon", Fraction(1), 5), "independent"),
    ):
        with pytest.raises(ParameterError, match=match):
            answer_quantiles(np.zeros((1, 5)), noise, tree=tree, binning=binning, unit=1, at=at)
    empty = answer_quantiles(np.zeros((1, 5)), QUIET, tree=tree, binning=binning, unit=1, at=[0.5])
    assert np.isnan(empty.values).all()


@pytest.mark.parametrize("cells", [None, 6])
def test_the_top_labels_by_noisy_counts(cells: int | None) -> None:
    """Of what is listed at most 5% may miss, whether labels are apart or all alike."""
    noise = CellNoise("epsilon", Fraction(1, 2), cells)
    for true in ([50, 40, 30, 20, 10, 0], [30] * 6):
        drawn = [noise.draw(6) for _ in range(500)] if cells else None
        counts = noisy(true, noise, RUNS, "top") if drawn is None else np.array(drawn) + true
        found = answer_top(counts, noise, k=2)
        truth = np.array(true)[found.places]
        missed = (found.counts.lows > truth) | (found.counts.highs < truth)
        assert missed.mean() < 0.05 + 6 * np.sqrt(0.05 / (2 * len(counts)))
        listed = np.take_along_axis(counts, found.places, axis=1)
        assert (listed[:, 0] >= listed[:, 1]).all()
        assert (listed[:, 1] >= np.sort(counts, axis=1)[:, -2]).all()
        doubt = found.in_doubt.mean()
        assert doubt > 3 if true[0] == 30 else doubt < 1


def test_ties_are_listed_as_declared() -> None:
    found = answer_top([[3, 7, 7, 1, 7]], noise_of(10, 1), k=2)
    assert found.places.tolist() == [[1, 2]]
    assert found.counts.values.tolist() == [[7, 7]]
    assert found.in_doubt.tolist() == [1]
    assert "order in which they were declared" in found.counts.notes[0]
    with pytest.raises(ParameterError, match="give k from 1 to 3"):
        answer_top([[1, 2, 3]], QUIET, k=4)


def test_counts_of_different_values_stay_within_what_was_declared() -> None:
    found = answer_distinct([-2, 3, 12], noise_of(1, 1), declared=9)
    assert found.values.tolist() == [0, 3, 9]
    assert found.lows.tolist() == [0, 1, 9]
    assert found.highs.tolist() == [1, 6, 9]
    assert answer_counts([4], noise_of(1, 1)).possible == (0, np.inf)


def test_noise_of_few_values_does_not_miss_too_often() -> None:
    """One draw of it is another number than 0 in 13% of cases: far from normal."""
    tree, noise = tree_for(5), CellNoise("rho", Fraction(1, 3))
    counts = np.array([0, 5, 0, 0, 0])
    found = answer_quantiles(
        noisy(tree.tally(counts), noise, 4_000, "few values"),
        noise,
        tree=tree,
        binning=bins_for(0, 4),
        unit=1,
        at=[0.01, 0.5, 0.99],
    )
    below, above = misses(found, 1)
    assert (below + above < 0.055).all()


def test_noise_that_is_never_seen_does_not_fail() -> None:
    tree, noise = tree_for(100), CellNoise("rho", Fraction(1, 100))
    counts = np.bincount([3, 30, 99], minlength=100)[None]
    found = answer_quantiles(
        tree.tally(counts), noise, tree=tree, binning=bins_for(0, 99), unit=1, at=[0, 0.5, 1]
    )
    assert found.values.tolist() == [[3, 30, 99]]
