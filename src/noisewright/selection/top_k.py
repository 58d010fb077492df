"""The k best candidates, by peeling: choose one, set it aside, choose again.

Every round is private by itself, also given the rounds before. With δ = 0 the rounds add up, so
each gets ε/k. With δ > 0 they cost less together: k rounds of ε₀ are (ε, δ)-private with

    δ = Σ_i C(k, i) max(0, e^((k−i) ε₀) − e^(ε + i ε₀)) / (1 + e^ε₀)^k

(Kairouz–Oh–Viswanath 2015, Theorem 3.3, for rounds chosen after seeing those before), and the
largest ε₀ for the given (ε, δ) is used. Peeling by the exponential mechanism is the one-shot top k
of Gumbel noise (Durfee–Rogers 2019, Lemma 4.2), so there is nothing to gain from that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any, final

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon, Number, exactly, exp_bounds
from noisewright.mechanisms import Guarantee
from noisewright.mechanisms.qualities import read_candidates, read_values
from noisewright.selection.chosen import Law, Selection, rational_below
from noisewright.selection.exponential import Powers
from noisewright.selection.permute_and_flip import Coins
from noisewright.spaces import Space, whole_number

if TYPE_CHECKING:
    from noisewright.sampling import Source

_BITS = 256
_HALVINGS = 64
_LAWS: dict[str, Law] = {"exponential": Powers(), "permute_and_flip": Coins()}


@final
@dataclass(frozen=True, eq=False, repr=False)
class TopK:
    """One dataset's candidates, ready for one private choice of several of them.

    `sample()` draws them; the qualities are about the private data and must not leave. `claim`
    is what all rounds promise together, `each` what one round does.
    """

    candidates: tuple[Any, ...]
    qualities: tuple[Fraction, ...]
    k: int
    factor: Fraction
    law: Law
    each: Guarantee
    claim: Guarantee

    def sample(self, *, source: Source | None = None) -> tuple[Any, ...]:
        """Return k different candidates, in the order in which they were chosen."""
        left = list(range(len(self.candidates)))
        epsilon = rational_below(self.each)
        chosen: list[Any] = []
        for _ in range(self.k):
            qualities = [self.qualities[place] for place in left]
            winner = self.law.drawer(qualities, self.factor, epsilon)(source)
            chosen.append(self.candidates[left.pop(winner)])
        return tuple(chosen)

    def first(self) -> Selection:
        """Return the first round as a choice of its own, for looking at."""
        return Selection(self.candidates, self.qualities, self.factor, self.law, self.each)

    def __repr__(self) -> str:
        count = f"{self.k} of {len(self.candidates):,} candidates"
        return f"<top {count} by {self.law.name}, {self.claim}>"


def top_k(
    candidates: Space | Sequence[Any],
    quality: Any,
    *,
    k: int,
    sensitivity: Number,
    epsilon: Number | Epsilon | None = None,
    delta: Number = 0,
    alpha: Number | None = None,
    monotonic: bool = False,
    method: str = "permute_and_flip",
) -> TopK:
    """Return the private choice of the k best candidates of one dataset, ready to `sample()`.

    Requires: one quality per candidate; `sensitivity`, by how much one person can change any of
    them; 1 ≤ k ≤ number of candidates; `method`, "permute_and_flip" or "exponential".
    Ensures: (ε, δ)-private, k different candidates, the better the likelier, in order. With
    delta=0 each of the k rounds gets ε/k; otherwise the most that optimal composition allows.
    """
    law = _LAWS.get(method)
    if law is None:
        raise ParameterError(f"method is {method!r}; it must be one of {', '.join(_LAWS)}.")
    listed = read_candidates(candidates)
    rounds = whole_number(k, name="k", least=1)
    if rounds > len(listed):
        raise ParameterError(f"k is {rounds}, but there are only {len(listed)} candidates.")
    change = exactly(sensitivity, name="sensitivity")
    if change <= 0:
        raise ParameterError(f"sensitivity is {sensitivity}; it must be positive.")
    claim = Guarantee(epsilon, delta, alpha=alpha)
    if claim.epsilon.is_zero:
        raise ParameterError(
            "epsilon is 0, so nothing may be chosen by quality; give a larger one."
        )
    each = _each_round(claim, rounds)
    factor = each / (change if monotonic else 2 * change)
    values = read_values(quality, listed)
    return TopK(listed, values, rounds, factor, law, Guarantee(each), claim)


def _each_round(claim: Guarantee, rounds: int) -> Fraction:
    """Return the largest ε₀ of each round, to a relative 2^-64, never above the truth."""
    low = rational_below(claim) / rounds
    if rounds == 1 or claim.delta == 0:
        return low
    high = rational_below(claim)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if composed_delta(middle, rounds, claim.epsilon) <= claim.delta:
            low = middle
        else:
            high = middle
    # A short number, so that exponents stay short.
    return Fraction(int(low * (1 << 96)), 1 << 96)


def composed_delta(each: Fraction, rounds: int, epsilon: Epsilon) -> Fraction:
    """Return at least the δ at ε of this many rounds of each ε₀, within 2^-200 of it."""
    one = 1 << _BITS
    ratio = [exp_bounds(i * each, _BITS) for i in range(rounds + 1)]
    whole = epsilon.ratio_bounds(_BITS)[0]
    gained = 0
    for i in range(rounds + 1):
        gain = ratio[rounds - i][1] - whole * ratio[i][0] // one
        gained += comb(rounds, i) * max(0, gain + 1)
    least = Fraction(one + ratio[1][0], one) ** rounds
    return Fraction(gained, one) / least
