"""Geng and Viswanath 2016: the staircase is ε-private and no noise that is added to a number errs
less; on integers, against linear programs over all noise.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog

import noisewright as nw
from noisewright.exact import Epsilon
from noisewright.mechanisms import Staircase
from noisewright.mechanisms.noise.staircase_curve import Stairs

GRID = nw.Interval(0, 1, step="1/6")


def masses(stairs: Stairs, farthest: int) -> list[Fraction]:
    """P(Z = z) for z = 0..farthest and a rational b, from the definition."""
    ratio = stairs.epsilon.ratio
    assert ratio is not None
    weights = [ratio ** -stairs.level(m) for m in range(farthest + 1)]
    top = stairs.top(8)
    assert top.low == top.high
    return [top.low * w for w in weights]


@given(
    st.fractions(Fraction(1, 20), Fraction(9, 10), max_denominator=20),
    st.integers(1, 6),
    st.data(),
)
@settings(max_examples=80)
def test_masses_tails_and_privacy_from_the_definition(
    alpha: Fraction, width: int, data: st.DataObject
) -> None:
    stairs = Stairs(Epsilon.of(alpha=alpha), width, data.draw(st.integers(1, width)))
    far = 4 * width
    p = masses(stairs, far)
    # The mass from z on is what is missing below it.
    for z in range(1, far):
        tail = stairs.tail(z, 8)
        assert tail.low == tail.high == (1 - p[0]) / 2 - sum(p[1:z], Fraction(0))
    law = {z: p[abs(z)] for z in range(-far, far + 1)}
    for apart in range(1, width + 1):
        pairs = [(law[z], law[z - apart]) for z in range(-far + apart, far + 1)]
        assert all(x * alpha <= y and y * alpha <= x for x, y in pairs)
        # δ at e^ε' = 1: the mass that the first input has more, both tails left out alike.
        more = sum((max(Fraction(0), x - y) for x, y in pairs), Fraction(0))
        beyond = stairs.tail(far - apart + 1, 8).low * (1 - alpha)
        if apart == width:
            told = Fraction(1, 2) + p[0] / 2 + stairs.half_line * p[0]
            assert more <= told * (1 - alpha) <= more + beyond
        else:
            full = (Fraction(1, 2) + p[0] / 2 + stairs.half_line * p[0]) * (1 - alpha)
            assert more <= full


def least_error(width: int, epsilon: float, power: int, far: int) -> float:
    """Minimize E|Z|^power over symmetric ε-private noise on −far..far with a geometric end."""
    count = far + 1
    ratio = math.exp(epsilon)
    cost = np.array([2.0 * m**power for m in range(count)])
    rows: list[Any] = []
    for z in range(-far, far + 1):
        for apart in range(1, width + 1):
            if z + apart > far:
                continue
            for a, b in ((abs(z), abs(z + apart)), (abs(z + apart), abs(z))):
                row = np.zeros(count)
                row[a] += 1
                row[b] -= ratio
                rows.append(row)
    total = np.array([1.0] + [2.0] * far)
    found = linprog(cost, np.array(rows), np.zeros(len(rows)), total[None], [1.0], method="highs")
    return float(found.fun)


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize(("width", "epsilon"), [(1, 1.0), (3, 2.0), (6, 1.5), (6, 4.0)])
def test_no_noise_errs_less(width: int, epsilon: float, power: int) -> None:
    space = nw.Interval(0, width, step=1)
    mechanism = nw.staircase(space, epsilon=epsilon, loss="L1" if power == 1 else "L2")
    error = mechanism.mean_error if power == 1 else mechanism.variance
    # Cutting noise off can only lower the error, by less and less.
    least = least_error(width, epsilon, power, far=round(width * 24 / epsilon))
    assert least <= error * (1 + 1e-9)
    assert error == pytest.approx(least, rel=2e-3)


@pytest.mark.parametrize("loss", ["L1", "L2"])
@pytest.mark.parametrize("epsilon", [0.2, 1, 3, 6])
def test_it_beats_laplace_and_is_as_private(epsilon: float, loss: Any) -> None:
    stairs = nw.staircase(GRID, epsilon=epsilon, loss=loss)
    noise = nw.laplace(GRID, epsilon=epsilon)
    assert nw.tight_epsilon(stairs) == epsilon
    assert nw.verify(stairs, epsilon=epsilon)
    assert not nw.verify(stairs, epsilon=math.nextafter(epsilon, 0))
    if loss == "L1":
        assert stairs.mean_error < noise.mean_error
    else:
        assert stairs.variance < noise.variance


@pytest.mark.parametrize("neighbors", ["replace", "adjacent", 0.5])
@pytest.mark.parametrize("epsilon", [0.3, 2])
def test_the_formula_and_its_table_agree(neighbors: Any, epsilon: float) -> None:
    space = nw.Interval(0, 1, step="1/6", neighbors=neighbors)
    formula = nw.staircase(space, epsilon=epsilon, form="truncated")
    table = formula.table()
    assert nw.tight_epsilon(table) == pytest.approx(epsilon, rel=1e-14)
    assert nw.check(nw.certify(table))
    for smaller in (0, epsilon / 3, epsilon * 0.99, epsilon * 2):
        assert nw.tight_delta(formula, epsilon=smaller) == pytest.approx(
            nw.tight_delta(table, epsilon=smaller), abs=1e-14
        )
    for delta in (0.01, 0.2, 0.9):
        assert nw.tight_epsilon(formula, delta=delta) == pytest.approx(
            nw.tight_epsilon(table, delta=delta), abs=1e-13
        )
    for power, name in ((1, "L1"), (2, "L2")):
        for code in range(7):
            steps = formula.error_enclosure(code, power, 128)
            expected = nw.loss(table, name, prior=[int(code == j) for j in range(7)])
            assert float(steps.high / 6**power) == pytest.approx(expected, rel=1e-12)
            assert steps.high - steps.low < Fraction(1, 1 << 100)
    twice, again = nw.compose(formula, times=2), nw.compose(table, times=2)
    assert twice.delta(epsilon) == pytest.approx(again.delta(epsilon), abs=1e-9)
    assert twice.epsilon() == pytest.approx(2 * epsilon)


def test_one_step_is_the_geometric_mechanism() -> None:
    counts = nw.geometric(nw.Counts(5), epsilon=1)
    space = nw.Interval(0, 5, step=1, neighbors="adjacent")
    table = nw.staircase(space, epsilon=1, form="truncated").table()
    assert np.abs(table.matrix - counts.matrix).max() < 1e-15


def test_what_is_refused() -> None:
    with pytest.raises(nw.errors.ParameterError, match="best noise for delta=0"):
        nw.staircase(GRID, epsilon=1, delta=0.1)
    with pytest.raises(nw.errors.ParameterError, match="epsilon is 0"):
        nw.staircase(GRID, epsilon=0)
    with pytest.raises(nw.errors.ParameterError, match="loss is 'L0'"):
        nw.staircase(GRID, epsilon=1, loss="L0")  # pyright: ignore[reportArgumentType]
    with pytest.raises(nw.errors.ParameterError, match="upper"):
        Staircase(GRID, Epsilon.of(1), 7)
    with pytest.raises(nw.errors.InputError, match="no table"):
        nw.staircase(GRID, epsilon=1).table()
    with pytest.raises(nw.errors.SpaceError, match="for numbers"):
        nw.staircase(nw.Counts(3), epsilon=1)  # pyright: ignore[reportArgumentType]
    with pytest.raises(nw.errors.ParameterError, match="form is 'bounded'"):
        nw.staircase(GRID, epsilon=1, form="bounded")  # pyright: ignore[reportArgumentType]


def test_the_best_first_stair_for_very_fine_grids() -> None:
    """The continuous optimum for the mean error is 1/(1 + e^(ε/2)) of a stair."""
    mechanism = nw.staircase(nw.Interval(0, 1, step="1e-9"), epsilon=1)
    assert mechanism.upper / 1e9 == pytest.approx(1 / (1 + math.exp(0.5)), rel=1e-6)
    ratio = nw.staircase(nw.Interval(0, 1, step="1/4"), alpha="1/3")
    assert ratio.claim == nw.accounting.Guarantee(alpha="1/3")
    assert nw.combine.product(
        x=nw.staircase(GRID, epsilon=1, sensitivity="1/2")
    ).claim == nw.accounting.Guarantee(2)
