"""Curves through predictions: those of scipy, monotone, and none across gaps or from failures."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

from noisewright.advice.knots import BUDGETS, Knot, curve_through, errors_between, in_halves


def test_curves_are_those_of_scipy() -> None:
    random = np.random.default_rng(1)
    for number in (3, 5, 9):
        for _ in range(40):
            x = np.sort(random.normal(size=number))
            values = random.normal(size=(number, 3))
            values[:, 0] = np.sort(values[:, 0])
            values[1, 1] = values[0, 1]
            at = float(random.uniform(x[0], x[-1]))
            expected = PchipInterpolator(x, values)(at)
            assert curve_through(x, values, at) == pytest.approx(expected)


def test_errors_fall_between_their_neighbors_and_keep_gaps() -> None:
    knots = {Fraction(at): Knot((2.0 / at, None, 0.0 if at == 4 else 1.0)) for at in (1, 2, 4)}
    found = errors_between(knots, 3.0)
    assert found is not None
    assert found.values is not None
    assert found.values[0] == pytest.approx(2 / 3)
    assert found.values[1] is None
    assert found.values[2] == pytest.approx(1 - np.log(1.5) / np.log(2))


def test_nothing_is_said_outside_across_a_gap_or_after_a_failure() -> None:
    far = {Fraction(1): Knot((1.0,)), Fraction(100): Knot((0.1,))}
    for at in (0.5, 10.0, 1000.0):
        assert errors_between(far, at) is None
    assert errors_between({}, 1.0) is None
    failed = errors_between({Fraction(1): Knot(None, ("why",))}, 5.0)
    assert failed is not None
    assert failed.notes == ("why",)


def test_the_ends_come_first_and_nothing_twice() -> None:
    order = in_halves(BUDGETS)
    assert order[:3] == [BUDGETS[0], BUDGETS[-1], BUDGETS[len(BUDGETS) // 2]]
    assert sorted(order) == list(BUDGETS)


def test_knots_survive_json() -> None:
    one = Knot((1.5, None), ("a note",), 0.25)
    assert Knot.read(one.plain()) == one
