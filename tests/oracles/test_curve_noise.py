"""Noise for curves against brute force: the probabilities of every output, for every two curves."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats

import noisewright as nw
from noisewright.curves import CurveNoise
from noisewright.curves.noise import _sum_rows, rounded_off

SPACE = nw.Curves([0, 1], low=0, high=2, step=1)
REACH = np.arange(-250, 251)


def masses(mechanism: CurveNoise) -> np.ndarray:
    """P(N = z) for the noise number z, on a range that holds nearly all of it."""
    scale = float(mechanism.scale / mechanism.unit)
    if mechanism.noise == "gaussian":
        return stats.norm.cdf((REACH + 0.5) / scale) - stats.norm.cdf((REACH - 0.5) / scale)
    decay = math.exp(-1 / scale)
    return (1 - decay) / (1 + decay) * decay ** np.abs(REACH)


def least_delta(mechanism: CurveNoise) -> float:
    """Σ max(0, P − e^ε Q) over all outputs, for the two curves for which it is largest."""
    noise = masses(mechanism)
    steps = np.array(list(product(range(3), repeat=2)))
    numbers = rounded_off(mechanism.exact(steps), mechanism.shift)
    ratio = math.exp(float(mechanism.claim.epsilon))
    worst = 0.0
    for apart in {tuple(a - b) for a, b in product(numbers, repeat=2)}:
        # Only the difference matters: noise does not depend on the curve.
        p = np.multiply.outer(*(np.roll(noise, shift) for shift in apart))
        q = np.multiply.outer(noise, noise)
        worst = max(worst, float(np.maximum(p - ratio * q, 0).sum()))
    return worst


@pytest.mark.parametrize("epsilon", [0.5, 2])
@pytest.mark.parametrize("delta", [0, 0.02, 0.2])
def test_the_claim_holds_for_all_outputs_and_is_nearly_used_up(
    epsilon: float, delta: float
) -> None:
    mechanism = nw.curves.curve_noise(SPACE, epsilon=epsilon, delta=delta)
    found = least_delta(mechanism)
    assert found <= delta + 1e-9
    # Rounding normal noise to whole numbers only hides: some of δ is not used.
    assert found >= 0.8 * delta
    if not delta:
        less = nw.curves.curve_noise(SPACE, epsilon=epsilon * 1.001)
        stretched = replace(less, claim=mechanism.claim)
        assert least_delta(stretched) > 1e-6


def test_sums_are_exact_however_large() -> None:
    rows = np.array([[2**61, -(2**61)], [2**61 - 1, -5], [2**61, 7], [2**61, -(2**60)]])
    wanted = [sum(row) for row in zip(*rows.tolist(), strict=True)]
    assert _sum_rows(rows).tolist() == [wanted]
    assert _sum_rows(rows.astype(object)).tolist() == [wanted]
    assert max(wanted) > 2**62


@pytest.mark.parametrize("basis", ["values", "fourier", "bspline"])
def test_replacing_a_curve_moves_the_sum_as_far_as_it_moves_itself(basis: str) -> None:
    space = nw.Curves(range(8), low=0, high=1, step="1/10")
    mechanism = nw.curves.curve_noise(space, epsilon=1, delta=1e-6, basis=basis)
    steps = np.arange(80).reshape(10, 8) * 7 % 11
    changed = steps.copy()
    changed[4] = 10 - changed[4]
    whole = [_sum_rows(mechanism.exact(rows)) for rows in (steps, changed)]
    numbers = [rounded_off(rows, mechanism.shift).astype(object)[0] for rows in whole]
    moved = math.sqrt(sum((a - b) ** 2 for a, b in zip(*numbers, strict=True)))
    assert 0 < moved * float(mechanism.unit) <= float(mechanism.sensitivity)
