"""Composition of mechanisms known only by (ε, δ), by published formulas.

`compose` is never worse than any of them; they are here because people know them, quote
them and want to compare. Each rounds towards less privacy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from noisewright.errors import ParameterError, TooLargeError
from noisewright.exact import (
    Epsilon,
    Number,
    exactly,
    exp_bounds,
    fixed_point,
    fixed_powers,
    log_bounds,
    sqrt_bounds,
)
from noisewright.given import several, whole_number
from noisewright.mechanisms import Guarantee, epsilon_sum, require_guarantee
from noisewright.public import public

_BITS = 160
_LONGEST = 1 << 15

_MOST_TIMES = 10**9
"""Nobody composes more; most formulas give up far earlier."""


@public
def basic_composition(guarantees: Sequence[Guarantee]) -> Guarantee:
    """Add up ε and δ of mechanisms run on the same data.

    Ensures: holds for any mechanisms with these guarantees, also when each is chosen after
    seeing the outputs before (Dwork–Kenthapadi–McSherry–Mironov–Naor 2006, Thm 1).
    """
    parts = several(
        guarantees, name="guarantees", of="guarantees such as nw.accounting.Guarantee(1)"
    )
    for part in parts:
        require_guarantee(part, name="one of the guarantees")
    delta = sum((part.delta for part in parts), Fraction(0))
    return Guarantee(epsilon_sum([part.epsilon for part in parts]), min(delta, Fraction(1)))


@public
def advanced_composition(guarantee: Guarantee, *, times: int, slack: Number) -> Guarantee:
    """Compose k equal guarantees, giving up a further δ' = slack.

    Requires: 0 < slack < 1.
    Ensures: ε' ≥ ε √(2k ln(1/δ')) + k ε (e^ε − 1), within 2^-128 of it, and kδ + δ'
    (Dwork–Rothblum–Vadhan 2010, Thm III.3). Loose: see `optimal_composition`.
    """
    require_guarantee(guarantee)
    k = _read_times(times)
    extra = exactly(slack, name="slack")
    if not 0 < extra < 1:
        raise ParameterError(
            f"slack is {slack}; it is the additional delta to spend and must lie in (0, 1), for "
            "example 1e-6."
        )
    one = 1 << _BITS
    epsilon = Fraction(guarantee.epsilon.bounds(_BITS)[1], one)
    log = Fraction(log_bounds(1 / extra, _BITS)[1], one)
    growth = Fraction(exp_bounds(epsilon, _BITS)[1], one) - 1
    root = Fraction(sqrt_bounds(2 * k * log, _BITS)[1], one)
    above = Fraction(fixed_point(epsilon * (root + k * growth), _BITS)[1], one)
    return Guarantee(above, min(k * guarantee.delta + extra, Fraction(1)))


@public
def optimal_composition(guarantee: Guarantee, *, times: int) -> tuple[Guarantee, ...]:
    """List the best guarantees of k mechanisms of which only (ε, δ) is known.

    Ensures: for i = 0 … ⌊k/2⌋ the guarantee ((k − 2i)ε, 1 − (1−δ)^k (1 − δ_i)) with
        δ_i = Σ_{l<i} C(k,l) (e^((k−l)ε) − e^((k−2i+l)ε)) / (1 + e^ε)^k
    (Kairouz–Oh–Viswanath 2015, Thm 3.3); no smaller δ holds for all such mechanisms. δ is
    rounded up by at most 2^-100. Between these ε, `compose(guarantee, times=k)` is exact.
    """
    require_guarantee(guarantee)
    k = _read_times(times)
    epsilon = guarantee.epsilon
    # The smallest term is (1 + e^ε)^-k; with this many bits it is still known to 2^-128.
    bits = 192 + k.bit_length() + math.ceil(k * (1 + epsilon.ceiling() * 1.4427))
    if bits > _LONGEST:
        raise TooLargeError(
            f"the optimal composition of {k:,} times {guarantee} needs {bits:,} bits (at most "
            f"{_LONGEST:,}). Use compose(guarantee, times={k}) instead.",
            size=bits,
        )
    (more_low, more_high), (less_low, less_high) = _two_outcomes(epsilon, bits)
    more_up, less_up = (fixed_powers(p, k, bits, up=True) for p in (more_high, less_high))
    more_down, less_down = (fixed_powers(p, k, bits, up=False) for p in (more_low, less_low))
    one = 1 << bits
    kept = (1 - guarantee.delta) ** k
    above = below = 0
    rows: list[Guarantee] = []
    for i in range(k // 2 + 1):
        multiple = _times(epsilon, k - 2 * i)
        missed = above - ((multiple.ratio_bounds(bits)[0] * below) >> bits)
        delta = 1 - kept * (1 - min(Fraction(max(missed, 0), one), Fraction(1)))
        rows.append(Guarantee(multiple, _shorten(delta)))
        # C(k,l) e^((k−l)ε)/(1+e^ε)^k is a binomial probability f(l), and the second term of
        # the sum is e^((k−2i)ε) f(k − l): two running sums are enough for all rows.
        ways = math.comb(k, i)
        above += -(-ways * more_up[k - i] * less_up[i] >> bits)
        below += (ways * more_down[i] * less_down[k - i]) >> bits
    return tuple(rows)


def _two_outcomes(epsilon: Epsilon, bits: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Bound e^ε/(1+e^ε) and 1/(1+e^ε)."""
    low, high = epsilon.ratio_bounds(bits)
    one = 1 << bits
    less_low, less_high = (one << bits) // (one + high), -((-one << bits) // (one + low))
    return (one - less_high, one - less_low), (less_low, less_high)


def _times(epsilon: Epsilon, count: int) -> Epsilon:
    if epsilon.ratio is None:
        return Epsilon(rational=epsilon.rational * count)
    return Epsilon.log(epsilon.ratio**count)


def _shorten(delta: Fraction) -> Fraction:
    """Round up to a multiple of 2^-128, when that is shorter."""
    if delta.denominator.bit_length() <= 128:
        return delta
    return Fraction(fixed_point(delta, 128)[1], 1 << 128)


def _read_times(times: int) -> int:
    return whole_number(times, name="times", least=0, most=_MOST_TIMES)
