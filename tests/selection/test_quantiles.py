"""Quantiles by selection: the law against a table over all databases, its claim, and batches."""

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import (
    InputError,
    OutsideSpaceError,
    ParameterError,
    SpaceError,
    TooLargeError,
)

GRID = nw.Counts(4, neighbors="replace")


def misses(values: tuple[int, ...], y: int, at: Fraction) -> Fraction:
    """How many values would have to change sides, found by trying every number of them."""
    rank = at * len(values)
    below, upto = sum(x < y for x in values), sum(x <= y for x in values)
    return max(Fraction(0), below - rank, rank - upto)


@pytest.mark.parametrize("at", ["0", "1/4", "1/2", "2/3", "1"])
def test_it_is_the_exponential_mechanism_on_all_databases(at: str) -> None:
    place = Fraction(at)
    databases = GRID**3
    table = nw.select.choice_table(
        databases, lambda values, y: -misses(values, y, place), candidates=nw.Counts(4), epsilon=1
    )
    found = [
        nw.select.private_quantile(list(values), GRID, at=at, epsilon=1) for values in databases
    ]
    rows = [[one.probability(y) for y in range(5)] for one in found]
    assert all(sum(row) == 1 for row in rows)
    assert np.allclose(table.matrix, np.array(rows, dtype=float), rtol=1e-12)
    ratios = [
        max(p / q, q / p)
        for a, b in databases.neighbor_codes().tolist()
        for p, q in zip(rows[a], rows[b], strict=True)
    ]
    # The integers that are sampled, not the ideal law: every two neighbors, every output.
    assert nw.accounting.Epsilon.of(1).sign(*max(ratios).as_integer_ratio()) <= 0


def test_batches_are_counted_as_they_come() -> None:
    ages = np.random.default_rng(5).integers(0, 101, 4000)
    space = nw.Counts(100)
    whole = nw.select.private_median(ages, space, epsilon=0.1)
    forms: list[Any] = [
        (batch for batch in np.array_split(ages, 7)),
        pa.array(ages),
        ages.tolist(),
        ages[::-1],
    ]
    for form in forms:
        other = nw.select.private_median(form, space, epsilon=0.1)
        assert np.array_equal(other.starts, whole.starts)
        assert np.array_equal(other.sizes, whole.sizes)
        assert [other.probability(age) for age in (0, 50, 51)] == [
            whole.probability(age) for age in (0, 50, 51)
        ]


def test_a_grid_of_millions_costs_nothing() -> None:
    incomes = nw.Interval(0, 10_000_000, step="0.01").reading(off_grid="round")
    values = np.linspace(20_000, 60_000, 1001)
    middle = nw.select.private_median(values, incomes, epsilon=1)
    drawn = [middle.sample(source=nw.randomness.SeededSource(seed)) for seed in range(20)]
    assert all(39_000 < value < 41_000 for value in drawn)
    assert all(round(value * 100) == pytest.approx(value * 100) for value in drawn)


def test_the_minimum_and_the_maximum_need_no_factor_of_two() -> None:
    assert [nw.select.private_quantile([1], GRID, at=at, epsilon=5).factor for at in (0, 1)] == [
        5,
        5,
    ]
    assert nw.select.private_quantile([1], GRID, at="1/3", epsilon=5).factor == Fraction(5, 2)


BAD: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"at": 2}, ParameterError, "at is 2"),
    ({"epsilon": 0}, ParameterError, "epsilon is 0"),
    ({"values": []}, InputError, "there are no values"),
    ({"values": [1, 99]}, OutsideSpaceError, "at row 2 is outside of 0 to 4"),
    ({"values": iter([[1, 2, 3], [4, 99]])}, OutsideSpaceError, "at row 5 is outside of 0 to 4"),
    ({"space": nw.Categories(["a", "b"])}, SpaceError, "points with an order"),
    ({"space": nw.Counts(2**62)}, TooLargeError, "fewer than 2.62. Declare a coarser grid"),
    ({"values": [1, None]}, OutsideSpaceError, "at row 2 is empty"),
    ({"values": [1.0, float("nan")]}, OutsideSpaceError, "at row 2 is empty"),
]


@pytest.mark.parametrize(("changes", "error", "message"), BAD)
def test_bad_input(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    given: dict[str, Any] = {"values": [1, 2], "space": GRID, "at": 0.5, "epsilon": 1, **changes}
    with pytest.raises(error, match=message):
        nw.select.private_quantile(given.pop("values"), given.pop("space"), **given)


def test_the_largest_grid() -> None:
    wide = nw.select.private_median([5, 2**61], nw.Counts(2**62 - 2), epsilon="1e-30")
    assert 0 <= wide.sample() <= 2**62 - 2
    assert float(wide.probability(7) * 2**62) == pytest.approx(1)


def test_it_does_not_show_the_data() -> None:
    assert "77" not in repr(nw.select.private_median([77, 77], nw.Counts(100), epsilon=1))


def test_what_is_too_far_weighs_the_floor_and_no_more() -> None:
    """At epsilon 9 a hundred thousand misses are cut off: every point still has its chance."""
    far = nw.select.private_median([0] * 200_000, nw.Counts(10), epsilon=9)
    chances = [far.probability(y) for y in range(11)]
    assert sum(chances) == 1
    assert 0 < chances[10] == chances[1] < Fraction(1, 2**120)
    assert min(far.levels) > -1000


def test_many_distinct_values() -> None:
    values = np.random.default_rng(6).permutation(100_000)
    middle = nw.select.private_median(values, nw.Counts(10**6), epsilon="1/10")
    assert 49_000 < middle.sample(source=nw.randomness.SeededSource(2)) < 51_000
    slope = middle.probability(50_100) / middle.probability(50_200)
    assert float(slope) == pytest.approx(np.exp(100 * 0.1 / 2), rel=1e-9)
