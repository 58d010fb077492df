"""What steps cost: parts add up exactly, noise and choices cost what is said."""

import math
from fractions import Fraction
from itertools import product
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, strategies as st

from noisewright.errors import ParameterError
from noisewright.exact import exp_bounds
from noisewright.mechanisms.quality.powers import mixed_weights
from noisewright.sampling import SeededSource
from noisewright.synthetic.steps.balanced_law import MOST_CELLS
from noisewright.synthetic.steps.measurement import add_noise
from noisewright.synthetic.steps.noise import MARGINAL, QUERY, Noise
from noisewright.synthetic.steps.run_budget import RunBudget
from noisewright.synthetic.steps.schedule import Schedule, counting


@given(
    epsilon=st.fractions(min_value=Fraction(1, 10**6), max_value=20),
    weights=st.lists(st.integers(1, 50), min_size=1, max_size=30),
)
def test_parts_add_up_to_the_last_bit(epsilon: Fraction, weights: list[int]) -> None:
    whole = RunBudget.of(epsilon)
    parts = whole.divide(weights)
    assert sum(parts) == whole.total == epsilon
    steps = [counting(whole, "a step", part) for part in parts]
    assert Schedule(whole, tuple(steps)).certificate.guarantee == whole.guarantee
    steps[0] = counting(whole, "a step", parts[0] - Fraction(1, 10**30))
    with pytest.raises(ParameterError, match="divided wrongly"):
        Schedule(whole, tuple(steps))


def delta_of(rho: float, epsilon: float) -> float:
    """Canonne–Kamath–Steinke 2020, Prop 12, minimized on a fine grid of orders."""
    orders = 1 + np.geomspace(1e-3, 1e4, 200_001)
    logs = (orders - 1) * (orders * rho - epsilon + np.log1p(-1 / orders)) - np.log(orders)
    return float(np.exp(logs.min()))


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 1e-9), (0.1, 1e-6), (5, 1e-12)])
def test_rho_is_the_largest_from_which_epsilon_and_delta_follow(
    epsilon: float, delta: float
) -> None:
    whole = RunBudget.of(epsilon, delta)
    assert whole.unit == "rho"
    assert whole.guarantee.epsilon.rational == Fraction(epsilon)
    rho = float(whole.total)
    assert delta_of(rho, epsilon) <= delta * (1 + 1e-6)
    assert delta_of(rho * (1 + 1e-6), epsilon) > delta


@pytest.mark.parametrize("delta", ["0", "1e-9"])
def test_an_epsilon_beyond_all_sense_is_refused_and_the_largest_is_not(delta: str) -> None:
    assert RunBudget.of("1e100", delta).total > 10**90
    for epsilon in ("1.01e100", "1e309", "1e400"):
        with pytest.raises(ParameterError, match="at most 1e100"):
            RunBudget.of(epsilon, delta)


@pytest.mark.parametrize(("epsilon", "delta"), [("1e-99", "1e-300"), ("1", "1e-400")])
def test_what_no_rho_is_found_for_is_refused_at_once(epsilon: str, delta: str) -> None:
    with pytest.raises(ParameterError, match="geometric noise"):
        RunBudget.of(epsilon, delta)


@pytest.mark.parametrize("change", [MARGINAL, QUERY])
@pytest.mark.parametrize("amount", [Fraction(1, 3), Fraction(7, 1000), Fraction(5)])
def test_noise_costs_no_more_than_its_part(amount: Fraction, change: int) -> None:
    normal = Noise(amount, "rho", change).scale
    assert amount * (1 - Fraction(1, 10**9)) < Fraction(change) / (2 * normal**2) <= amount
    decay = Noise(amount, "epsilon", change).scale
    assert decay * change == amount


@pytest.mark.parametrize("unit", ["epsilon", "rho"])
def test_what_is_said_about_the_noise_is_what_is_drawn(unit: str) -> None:
    """100,000 draws of a fixed seed: one percent is four standard errors and more."""
    noise = Noise(Fraction(1, 10), "epsilon" if unit == "epsilon" else "rho", MARGINAL)
    drawn = noise.draw(100_000, SeededSource("noise"))
    assert drawn.dtype == np.int64
    assert np.std(drawn) == pytest.approx(noise.deviation, rel=0.012)
    assert np.mean(np.abs(drawn)) == pytest.approx(noise.mean_size, rel=0.012)
    inside = np.mean(np.abs(drawn) <= noise.half_width)
    narrower = np.mean(np.abs(drawn) <= noise.half_width - 1)
    assert inside > 0.947
    assert narrower < 0.955


def test_quantiles_of_geometric_noise_are_exact() -> None:
    for amount in (Fraction(1, 7), Fraction(3), Fraction(40)):
        noise = Noise(amount, "epsilon", MARGINAL)
        a = math.exp(-float(amount) / 2)
        chance = [(1 - a) / (1 + a) * a ** abs(z) for z in range(-2000, 2001)]
        k = noise.half_width
        assert sum(chance[2000 - k : 2001 + k]) >= 0.95
        assert k == 0 or sum(chance[2001 - k : 2000 + k]) < 0.95
        assert sum(p * abs(z - 2000) for z, p in enumerate(chance)) == pytest.approx(
            noise.mean_size
        )


def exact_weights(scores: tuple[int, ...], epsilon: Fraction) -> list[Fraction]:
    """The probabilities from which a choice is drawn, one candidate on each level."""
    weights = mixed_weights(
        [Fraction(s) for s in scores], [1] * len(scores), factor=epsilon / 4, epsilon=epsilon
    )
    return [Fraction(w, sum(weights)) for w in weights]


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3)])
def test_a_choice_costs_an_eighth_of_its_epsilon_squared(epsilon: Fraction) -> None:
    """All changes by at most 2 of three scores: ratios span e^ε at most, so ρ = ε²/8 holds."""
    base = (10, 13, 7)
    widest = Fraction(exp_bounds(epsilon, 200)[0], 1 << 200)
    p = exact_weights(base, epsilon)
    largest = 0.0
    for steps in product((-2, -1, 0, 1, 2), repeat=3):
        q = exact_weights((base[0] + steps[0], base[1] + steps[1], base[2] + steps[2]), epsilon)
        ratios = [a / b for a, b in zip(p, q, strict=True)]
        assert max(ratios) / min(ratios) <= widest
        for order in (1.001, 2.0, 8.0):
            moments = [
                float(a) ** order * float(b) ** (1 - order) for a, b in zip(p, q, strict=True)
            ]
            spent = math.log(sum(moments)) / (order - 1) / order
            largest = max(largest, spent)
    assert largest <= float(epsilon) ** 2 / 8 * (1 + 1e-9)
    assert largest > float(epsilon) ** 2 / 40
    whole = RunBudget.of(1, 1e-9)
    used = whole.choice_epsilon(epsilon**2 / 8)
    assert epsilon * (1 - Fraction(1, 10**15)) < used <= epsilon
    assert whole.choice_epsilon(Fraction(1, 10**60)) > 0


@pytest.mark.parametrize(
    ("unit", "amount"), [("epsilon", Fraction(1, 10**22)), ("rho", Fraction(1, 10**44))]
)
def test_sums_beyond_64_bits_show_nothing_of_the_counts(
    unit: Literal["epsilon", "rho"], amount: Fraction
) -> None:
    found = add_noise(np.arange(3, 83, 10), Noise(amount, unit, 2), None)
    # An end with a count on top of it would be another number near the end. Of sums this far
    # out, one in 10^16 is that near by chance.
    near_the_end = np.abs(np.abs(found) - (1 << 62)) < 1000
    assert near_the_end.sum() >= 6
    assert set(np.abs(found[near_the_end]).tolist()) == {1 << 62}


@pytest.mark.parametrize("change", [MARGINAL, QUERY])
def test_noise_on_cells_is_that_of_these_cells_whatever_was_asked_before(change: int) -> None:
    noise = Noise(Fraction(1, 3), "epsilon", change)
    for cells in (9, 4, MOST_CELLS + 1, 9, MOST_CELLS, 4):
        balanced = cells if change == MARGINAL and cells <= MOST_CELLS else None
        alone = Noise(Fraction(1, 3), "epsilon", change, balanced_cells=balanced)
        assert noise.on(cells) == alone
        assert noise.mean_sum(cells) == cells * alone.mean_size
        # Also from what is made for other cells.
        assert noise.on(4).on(cells) == alone
    assert noise == Noise(Fraction(1, 3), "epsilon", change)
