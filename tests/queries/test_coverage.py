"""Intervals hold 95% of the time, up to chance, for every aggregate; half as wide they do not."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from benchmarks.coverage_of_answers import CASES, MAY_HOLD_MORE, cover
from noisewright.exact import Epsilon
from noisewright.queries.answers.counts import answer_counts
from noisewright.queries.noise import CellNoise
from noisewright.sampling import SeededSource, balanced_geometric
from tests.queries.simulated import misses, noise_of, noisy

RUNS = 1_000
CHANCE = 6 * (0.05 * 0.95 / RUNS) ** 0.5
"""Six standard errors: one false alarm in 1e9."""


@pytest.mark.parametrize("people", [5, 50])
@pytest.mark.parametrize("case", CASES)
def test_intervals_hold_as_often_as_they_say(case: str, people: int) -> None:
    found = cover(case, people, "1", "add or remove", RUNS)
    assert found.least > 0.95 - CHANCE
    assert found.most < (1.01 if case in MAY_HOLD_MORE else 0.97 + CHANCE / 2)
    narrow = cover(case, people, "1", "add or remove", RUNS, factor=0.5)
    if case not in ("quantiles", "median", "min", "max"):
        assert narrow.least < 0.95 - CHANCE


@pytest.mark.parametrize("unit", ["epsilon", "rho"])
@pytest.mark.parametrize("scale", ["1/5", "1/2", "1", "5/2", "3", "7", "30"])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_the_shortest_run_is_the_shortest(unit: str, scale: str, level: float) -> None:
    """By all runs of the law itself, of independent noise."""
    noise = CellNoise(unit, Fraction(scale))  # pyright: ignore[reportArgumentType]
    below, above = noise.shortest_run(level)
    chances = noise.chances
    middle = len(chances) // 2
    assert chances[middle - above : middle + below + 1].sum() >= level - 1e-9
    if below + above:
        shorter = np.convolve(chances, np.ones(below + above), mode="valid")
        assert shorter.max() < level


@pytest.mark.parametrize("cells", [2, 5, 40])
@pytest.mark.parametrize("decay", ["1/100", "1/2", "2"])
def test_the_shortest_run_of_noise_that_adds_up_to_0(cells: int, decay: str) -> None:
    """By 4,000 tables of it; and one number fewer would not do, where noise is narrow."""
    noise = CellNoise("epsilon", Fraction(decay), cells)
    below, above = noise.shortest_run(0.95)
    law = Epsilon(rational=Fraction(decay))
    drawn = balanced_geometric(law, cells, 4_000)[:, 0]
    assert ((-above <= drawn) & (drawn <= below)).mean() > 0.95 - 0.021
    if decay != "1/100" and below + above:
        less = (-above + 1 <= drawn) & (drawn <= below)
        assert less.mean() < 0.95 + 0.021
    # One table at a time, as questions draw them, is a row of these.
    (row,) = balanced_geometric(law, cells, 1, SeededSource(decay))
    assert noise.draw(cells, SeededSource(decay)).tolist() == row.tolist()


@pytest.mark.parametrize("true", [0, 1, 3, 9, 10])
@pytest.mark.parametrize("epsilon", ["1/5", "1"])
def test_an_end_of_what_is_possible_is_covered_no_more_than_the_rest(
    true: int, epsilon: str
) -> None:
    """0 and the largest count can be missed on one side only, which has all that may be missed."""
    noise = noise_of(epsilon, 1)
    counts = noisy([true], noise, RUNS, f"ends {true} {epsilon}")[:, 0]
    found = answer_counts(counts, noise, most=10)
    missed = sum(misses(found, true))
    assert missed < 0.05 + CHANCE
    assert missed > 0.03 - CHANCE / 2
    assert (found.lows <= found.highs).all()
    assert ((found.lows >= 0) & (found.highs <= 10)).all()


def test_runs_of_all_confidences_are_nested() -> None:
    noise = noise_of(1, 1)
    runs = [noise.shortest_run(level / 1000) for level in range(1, 1000)]
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in itertools.pairwise(runs))
