"""Distances are metrics; diameter and separation are what brute force finds."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from noisewright.errors import InputError, SpaceError
from noisewright.spaces import Categories, Counts, DistanceMatrix, Interval, Records, Space, Subsets
from tests.spaces.samples import CYCLE, SMALL


@pytest.mark.parametrize("space", SMALL.values(), ids=SMALL)
def test_diameter_and_separation_are_what_brute_force_finds(space: Space) -> None:
    points = list(space.points)
    apart = [space.distance(a, b) for a, b in product(points, points)]
    assert space.diameter == max(apart)
    assert space.separation == min((d for d in apart if d), default=0)
    matrix = space.distances()
    assert matrix.tolist() == np.reshape([float(d) for d in apart], matrix.shape).tolist()


@given(st.sampled_from(list(SMALL.values())), st.data())
def test_a_distance_is_a_metric(space: Space, data: st.DataObject) -> None:
    codes = st.integers(0, space.size - 1)
    a, b, c = (space.point(data.draw(codes)) for _ in range(3))
    assert space.distance(a, b) == space.distance(b, a) >= 0
    assert (space.distance(a, b) == 0) == (space.code(a) == space.code(b))
    assert space.distance(a, c) <= space.distance(a, b) + space.distance(b, c)


def test_distances_are_exact() -> None:
    assert Interval(0, 1, step=0.1).distance(0.1, 0.3) == Fraction(1, 5)
    assert Interval(0, 1, step=0.1).diameter == 1
    assert Subsets(list("abcd")).distance(list("ab"), list("bcd")) == 3
    assert Categories(list("vwxyz"), metric=CYCLE).distance("v", "z") == 1
    both = Records(n=Counts(5), x=Interval(0, 1, step="1/4"), metric="sum")
    assert both.distance((1, 0.25), (4, 0.75)) == Fraction(7, 2)
    assert (Counts(5) ** 3).distance((0, 1, 2), (5, 1, 0)) == 2


SUPPLIED: list[Any] = [
    CYCLE,
    np.array(CYCLE),
    [[Fraction(d, 3) for d in row] for row in CYCLE],
    lambda a, b: min(abs(a - b), 5 - abs(a - b)),
    DistanceMatrix(tuple(map(tuple, CYCLE))),
]


@pytest.mark.parametrize("metric", SUPPLIED)
def test_any_metric_can_be_supplied(metric: Any) -> None:
    space = Counts(4, metric=metric)
    assert space.distance(0, 4) * 2 == space.diameter
    assert space.distance(0, 4) == space.separation
    assert hash(space) == hash(Counts(4, metric=metric))


NOT_METRICS: list[tuple[Any, str]] = [
    ("euclid", "metric is 'euclid'; this space knows 'absolute', 'discrete'"),
    ([[0, 1], [1, 0]], "must have 3 rows and columns"),
    ([[0, 1, 2], [1, 0], [2, 1, 0]], "must have 3 rows and columns"),
    ([[0, 1, 1], [2, 0, 1], [1, 1, 0]], r"distances \(0, 1\) and \(1, 0\) differ"),
    ([[0, -1, 1], [-1, 0, 1], [1, 1, 0]], r"points 0 and 1 is -1; distances are positive"),
    ([[0, 0, 1], [0, 0, 1], [1, 1, 0]], r"points 0 and 1 is 0; distances are positive"),
    ([[1, 1, 1], [1, 0, 1], [1, 1, 0]], r"points 0 and 0 is 1; .* 0 from a point to itself"),
    ([[0, 9, 1], [9, 0, 1], [1, 1, 0]], "not a metric: from point 0 to point 1 is 9, but by way"),
    ([[0, float("nan"), 1], [1, 0, 1], [1, 1, 0]], "a distance is nan; it must be finite"),
    ([[0, None, 1], [1, 0, 1], [1, 1, 0]], "a distance is of type NoneType"),
    (7, "metric must be a name, a square matrix of distances or a function"),
    (None, "metric must be a name, a square matrix of distances or a function"),
    (DistanceMatrix(((0,),)), "must have 3 rows and columns"),
]


@pytest.mark.parametrize(("metric", "message"), NOT_METRICS)
def test_what_is_not_a_metric_is_refused(metric: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Counts(2, metric=metric)


def test_rounding_does_not_make_a_metric_fail() -> None:
    third = Fraction(1, 3)
    Counts(2, metric=[[0, third, 2 * third], [third, 0, third], [2 * third, third, 0]])
    short = 2 * third - Fraction(1, 10**30)
    with pytest.raises(SpaceError, match="not a metric"):
        Counts(
            2,
            metric=[
                [0, third, 2 * third],
                [third, 0, short - third],
                [2 * third, short - third, 0],
            ],
        )
