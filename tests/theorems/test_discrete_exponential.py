"""Holohan–Leith–Mason 2016, Definition 4 and Theorems 4, 5, 7, 8, 9, as the library offers them.

`discrete_exponential` and `response_bounds` against every event of databases written out in
rationals, with no code of ours in between.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from tests.theorems.databases import (
    databases,
    discrete_exponential,
    hamming,
    needed,
    neighbors,
)
from tests.theorems.strategies import DELTAS, RATIOS


def worst(rows: Any, points: Any, ratio: Fraction) -> Fraction:
    return max(needed(rows[a], rows[b], ratio) for a, b in neighbors(points))


def exact(mechanism: nw.Mechanism) -> list[list[Fraction]]:
    table = mechanism.table()
    return [[Fraction(w, table.total) for w in row] for row in table.weights.tolist()]


@pytest.mark.parametrize(("m", "rows"), [(1, 1), (1, 3), (2, 2), (4, 1)])
def test_hamming_is_a_product_of_responses(m: int, rows: int) -> None:
    """Theorem 7: the product form has the probabilities of the definition."""
    power = Fraction(7, 2)
    space = nw.Categories(range(m + 1))
    mechanism = nw.discrete_exponential(space, k=nw.accounting.Epsilon.log(power), rows=rows)
    ideal = discrete_exponential(databases(m + 1, rows), 1 / power)
    for row, wanted in zip(exact(mechanism), ideal, strict=True):
        assert all(abs(p - q) < Fraction(1, 10**15) for p, q in zip(row, wanted, strict=True))
    assert nw.tight_epsilon(mechanism) == nw.accounting.Epsilon.log(power).ceiling()
    by_table = nw.discrete_exponential(
        space, lambda d, e: -hamming(d, e), k=nw.accounting.Epsilon.log(power), rows=rows
    )
    for row, wanted in zip(exact(by_table), ideal, strict=True):
        assert all(abs(p - q) < Fraction(1, 10**15) for p, q in zip(row, wanted, strict=True))


def test_a_million_rows_are_not_enumerated() -> None:
    space = nw.Categories(["red", "green", "blue"])
    mechanism = nw.discrete_exponential(space, epsilon=1, delta="1/100", rows=10**6)
    assert nw.tight_delta(mechanism, epsilon=1) == pytest.approx(0.01, rel=1e-12)
    assert nw.verify(mechanism, epsilon=1, delta="1/100")
    assert len(mechanism.sample([0] * 10**6)) == 10**6


@settings(max_examples=40)
@given(st.integers(1, 6), st.fractions(1, 20, max_denominator=30), RATIOS, DELTAS)
def test_theorems_4_5_8_and_9_as_numbers(
    m: int, power: Fraction, ratio: Fraction, delta: Fraction
) -> None:
    points = databases(m + 1, 1)
    rows = discrete_exponential(points, 1 / power)
    bounds = nw.analysis.response_bounds(
        m + 1, epsilon=nw.accounting.Epsilon.log(ratio), delta=delta, rows=3
    )
    k = nw.accounting.Epsilon.log(power)
    truth = worst(rows, points, ratio)
    assert bounds.delta(k=k).low == bounds.delta(k=k).high == truth
    assert bounds.allows(k=k) == (truth <= delta)
    assert bounds.allows(p=rows[0][1]) == (truth <= delta)
    error = 3 * sum(rows[0][1:])
    assert bounds.error(k=k).low == bounds.error(k=k).high == error
    assert error <= Fraction(bounds.largest_error)
    if truth <= delta:
        assert Fraction(bounds.least_error) <= error
        assert Fraction(bounds.least_p) <= rows[0][1] * (1 + Fraction(1, 10**15))
        assert bounds.largest_k >= k.floor() - 1e-15
    assert bounds.allows(p=min(Fraction(bounds.least_p), Fraction(1, m + 1)))
    if delta < 1:
        assert bounds.allows(k=bounds.largest_k)
        assert not bounds.allows(k=bounds.largest_k * (1 + 1e-12) + 1e-12)


@pytest.mark.parametrize("epsilon", [0, 0.5, 3])
@pytest.mark.parametrize("delta", [0, 0.1])
def test_the_thresholds_are_where_the_theorems_put_them(epsilon: float, delta: float) -> None:
    """With an irrational e^ε, from both sides."""
    bounds = nw.analysis.response_bounds(4, epsilon=epsilon, delta=delta)
    assert bounds.allows(k=bounds.largest_k)
    assert not bounds.allows(k=bounds.largest_k + 1e-12)
    least = min(bounds.least_p, 0.25)
    assert bounds.allows(p=least)
    assert not bounds.allows(p=least * (1 - 1e-12))


def l1(d: tuple[int, ...], e: tuple[int, ...]) -> int:
    return sum(abs(x - y) for x, y in zip(d, e, strict=True))


def lopsided(d: tuple[int, ...], e: tuple[int, ...]) -> Fraction:
    return -Fraction(sum((x - y) ** 2 for x, y in zip(d, e, strict=True)), 3) + max(e)


@pytest.mark.parametrize("utility", [lambda d, e: -l1(d, e), lopsided], ids=["l1", "lopsided"])
@pytest.mark.parametrize(("epsilon", "delta"), [(1, 0), ("1/2", "1/20"), (0, "1/10")])
def test_any_utility_is_calibrated_to_the_promise(
    utility: Callable[..., Any], epsilon: Any, delta: Any
) -> None:
    space = nw.Counts(2, neighbors="replace")
    found = nw.discrete_exponential(space, utility, epsilon=epsilon, delta=delta, rows=2)
    assert nw.verify(found, epsilon=epsilon, delta=delta)
    # No larger scale would do: a thousandth more breaks the promise.
    k = Fraction(found.table().name.partition("k=")[2])
    more = nw.discrete_exponential(space, utility, k=k * Fraction(1001, 1000), rows=2)
    assert not nw.verify(more, epsilon=epsilon, delta=delta)
    assert more.claim is not None
    assert more.claim.epsilon.ceiling() == nw.tight_epsilon(more)
    less = nw.discrete_exponential(space, utility, k=k * Fraction(999, 1000), rows=2)
    assert nw.verify(less, epsilon=epsilon, delta=delta)


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({}, "give k="),
        ({"k": 1, "epsilon": 1}, "not both"),
        ({"k": 1, "delta": 0.1}, "delta= goes with epsilon="),
        ({"k": -1, "utility": l1}, "at least 0"),
        ({"epsilon": 0, "utility": l1}, "both 0"),
        ({"epsilon": 1, "utility": lambda d, e: 0}, "nothing to protect"),
        ({"epsilon": 1, "utility": l1, "rows": 9}, "at most"),
    ],
)
def test_what_cannot_be_built(keywords: dict[str, Any], says: str) -> None:
    options: dict[str, Any] = {"rows": 1, **keywords}
    with pytest.raises(nw.errors.NoisewrightError, match=says):
        nw.discrete_exponential(nw.Counts(2, neighbors="replace"), **options)


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"space": 1}, "at least two points"),
        ({"space": nw.Categories(["a"])}, "at least two points"),
        ({"rows": 0}, "rows is 0"),
        ({"delta": 2}, "between 0 and 1"),
    ],
)
def test_bounds_of_nothing(keywords: dict[str, Any], says: str) -> None:
    options: dict[str, Any] = {"space": 3, "epsilon": 1, **keywords}
    with pytest.raises(nw.errors.InputError, match=says):
        nw.analysis.response_bounds(options.pop("space"), **options)
    bounds = nw.analysis.response_bounds(3, epsilon=1)
    with pytest.raises(nw.errors.ParameterError, match="give k= or p="):
        bounds.allows()
    with pytest.raises(nw.errors.ParameterError, match="between 0 and 1/3"):
        bounds.allows(p=0.4)
