"""The k best candidates, by peeling: choose one, set it aside, choose again.

Every round is private by itself, also given the rounds before. With δ = 0 the rounds add up, so
each gets ε/k. With δ > 0 they cost less together: k rounds of ε₀ are (ε, δ)-private with

    δ = Σ_i C(k, i) max(0, e^((k−i) ε₀) − e^(ε + i ε₀)) / (1 + e^ε₀)^k

(Kairouz–Oh–Viswanath 2015, Theorem 3.3, for rounds chosen after seeing those before). Rounds of the
exponential mechanism cost less still, since their privacy loss Z = ln P(y|x)/P(y|x') lies in an
interval of length ε₀, not 2ε₀ (bounded range; Durfee–Rogers 2019). By Hoeffding's lemma
0 = ln E[e^-Z] ≤ −E[Z] + ε₀²/8, so E[Z] ≤ ε₀²/8, and ln E[e^((a−1)Z)] ≤ (a−1) E[Z] + (a−1)² ε₀²/8:
the Rényi divergence of order a is at most a ε₀²/8, which is zCDP with ρ = ε₀²/8 (Cesar–Rogers
2021), and ρ adds up over rounds. The largest ε₀ of either way is used. Peeling by the exponential
mechanism is the one-shot top k of Gumbel noise (Durfee–Rogers 2019, Lemma 4.2), so there is nothing
to gain from that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright import certificates, sampling
from noisewright.errors import ParameterError
from noisewright.exact import Doubles, Epsilon, Number, exp_bounds, halve
from noisewright.given import flag, quantity
from noisewright.mechanisms import Guarantee, read_candidates, read_values
from noisewright.privacy import ZeroConcentrated
from noisewright.public import public, public_methods
from noisewright.selection.choice_job import (
    LARGEST,
    MOST_ALIKE,
    PrivateChoice,
    QualitySensitivity,
    Step,
    certify_choice,
    rational_below,
)
from noisewright.selection.exponential import ExponentialLaw
from noisewright.selection.one_dataset import Drawer, Law, Selection, read_change
from noisewright.selection.permute_and_flip import PermuteAndFlipLaw
from noisewright.spaces import Space, whole_number

_BITS = 256
_HALVINGS = 64
_LAWS: dict[str, Law] = {"exponential": ExponentialLaw(), "permute_and_flip": PermuteAndFlipLaw()}


@public_methods
@final
@dataclass(frozen=True, eq=False, repr=False)
class TopK(PrivateChoice[tuple[Any, ...]]):
    """One dataset's candidates, ready for one private choice of several of them.

    `sample()` draws them; the qualities are about the private data and must not leave. `claim`
    is what all rounds promise together, `each` what one round does.
    """

    candidates: tuple[Any, ...]
    qualities: Sequence[Fraction]
    k: int
    factor: Fraction
    law: Law
    each: Guarantee
    claim: Guarantee
    sensitivity: QualitySensitivity

    def _certify(self) -> certificates.Certificate:
        words = f"one of the top {self.k} by {self.law.name}"
        step = Step(words, self.law.describe(), self.factor, self.sensitivity)
        each = rational_below(self.each)
        if _adds_up(each, self.k, self.claim):
            return certify_choice(step, each, self.claim, rounds=self.k)
        return certify_choice(step, each**2 / 8, self.claim, rounds=self.k, unit="rho")

    @property
    def _words(self) -> str:
        return f"the top {self.k} by {self.law.name}"

    def _prepare(self) -> Callable[[sampling.Source | None], tuple[Any, ...]]:
        """Return what draws k different candidates, in the order in which they are chosen."""
        # Whatever could fail fails here: the rounds after the first have fewer of the same.
        first = self._drawer(np.arange(len(self.candidates)))

        def draw_all(source: sampling.Source | None) -> tuple[Any, ...]:
            left, draw = np.arange(len(self.candidates)), first
            chosen: list[Any] = []
            for rounds_left in reversed(range(self.k)):
                place = draw(source)
                chosen.append(self.candidates[left[place]])
                left = np.delete(left, place)
                if rounds_left:
                    draw = self._drawer(left)
            return tuple(chosen)

        return draw_all

    def _drawer(self, left: NDArray[np.intp]) -> Drawer:
        """Return what draws one of the candidates that are left."""
        if isinstance(self.qualities, Doubles):
            qualities = Doubles(self.qualities.array[left])
        else:
            qualities = [self.qualities[place] for place in left.tolist()]
        return self.law.drawer(qualities, self.factor, rational_below(self.each))

    def first(self) -> Selection:
        """Return the first round as a choice of its own, for looking at."""
        fields = (self.candidates, self.qualities, self.factor, self.law, self.each)
        return Selection(*fields, self.sensitivity)

    def __repr__(self) -> str:
        count = f"{self.k} of {quantity(len(self.candidates), 'candidate')}"
        return f"<top {count} by {self.law.name}, {self.claim}>"


@public
def top_k(
    candidates: Space | Collection[Any],
    quality: Any,
    *,
    k: int,
    sensitivity: Number | None = None,
    epsilon: Number | Epsilon | None = None,
    delta: Number = 0,
    alpha: Number | None = None,
    monotonic: bool = False,
    method: str | None = None,
) -> TopK:
    """Return the private choice of the k best candidates of one dataset, ready to `sample()`.

    Requires: 1 ≤ k ≤ number of candidates, which do not depend on the data; one quality per
    candidate; `sensitivity`, by how much one person can change any of them; monotonic=True
    promises that replacing one person moves all qualities in one direction (counts of items, of
    which each person has one, do not: one falls and another rises). `method`,
    "permute_and_flip" (by default if delta is 0) or "exponential" (otherwise).
    Ensures: (ε, δ)-private, k different candidates, the better the likelier, in order. With
    delta=0 each of the k rounds gets ε/k; otherwise the most that composition allows: optimal
    composition, of up to 4,096 rounds, as far as the certificate's checker goes, or zCDP with
    ρ = ε²/8 for each round of the exponential mechanism. As a table over all possible inputs it is
    `nw.select.choice_table(…, k=k)`.
    """
    claim = Guarantee(epsilon, delta, alpha=alpha)
    name = method or ("exponential" if claim.delta else "permute_and_flip")
    law = _LAWS.get(name)
    if law is None:
        raise ParameterError(f"method is {method!r}; it must be one of {', '.join(_LAWS)}.")
    listed = read_candidates(candidates, quality)
    rounds, each = read_rounds(k, len(listed), claim, name)
    known = QualitySensitivity(read_change(sensitivity), flag(monotonic, name="monotonic"))
    values = read_values(quality, listed)
    return TopK(listed, values, rounds, each / known.spread, law, Guarantee(each), claim, known)


def read_rounds(k: int, candidates: int, claim: Guarantee, method: str) -> tuple[int, Fraction]:
    """Return how many rounds there are, and the most ε that each of them may have."""
    if claim.epsilon.is_zero:
        raise ParameterError(
            "epsilon is 0, so nothing may be chosen by quality. Give a larger one, or take any k "
            "candidates without looking at the data."
        )
    rounds = whole_number(k, name="k", least=1)
    if rounds > candidates:
        raise ParameterError(f"k is {rounds}, more than there are candidates: {candidates}.")
    each = _each_round(claim, rounds)
    if method == "exponential" and claim.delta and rounds > 1:
        each = max(each, _each_in_range(claim, rounds))
    return rounds, each


def _each_round(claim: Guarantee, rounds: int) -> Fraction:
    """Return the largest ε₀ of each round, to a relative 2^-64, never above the truth."""
    sure = low = rational_below(claim) / rounds
    # The checker of certificates goes no further.
    high = min(rational_below(claim), Fraction(LARGEST, rounds))
    if rounds == 1 or claim.delta == 0 or rounds > MOST_ALIKE or high <= sure:
        return sure

    def within(each: Fraction) -> bool:
        return composed_delta(each, rounds, claim.epsilon) <= claim.delta

    low, _ = halve(low, high, within, times=_HALVINGS)
    # A short number, so that exponents stay short.
    return max(sure, Fraction(int(low * (1 << 96)), 1 << 96))


def _each_in_range(claim: Guarantee, rounds: int) -> Fraction:
    """Return the largest ε₀ for which rounds of a bounded range ε₀ are (ε, δ)-private by zCDP."""

    def within(each: Fraction) -> bool:
        concentrated = ZeroConcentrated(rounds * each * each / 8)
        return Fraction(concentrated.delta(claim.epsilon)) <= claim.delta

    low, high = Fraction(0), rational_below(claim)
    for _ in range(_HALVINGS):
        middle = Fraction(int((low + high) / 2 * (1 << 96)), 1 << 96)
        low, high = (middle, high) if within(middle) else (low, middle)
    # The range of the rounded weights may be longer by a relative 2^-59.
    return low * (1 - Fraction(1, 1 << 40))


def _adds_up(each: Fraction, rounds: int, claim: Guarantee) -> bool:
    """Tell whether rounds of ε₀ imply the claim as such, without a bounded range."""
    if each * rounds <= rational_below(claim):
        return True
    return rounds <= MOST_ALIKE and composed_delta(each, rounds, claim.epsilon) <= claim.delta


def composed_delta(each: Fraction, rounds: int, epsilon: Epsilon) -> Fraction:
    """Return at least the δ at ε of this many rounds of each ε₀, within 2^-200 of it."""
    one = 1 << _BITS
    low, high = exp_bounds(each, _BITS)
    lows, highs, chances = [one], [one], [1]
    for i in range(rounds):
        lows.append((lows[-1] * low) >> _BITS)
        highs.append(-((-highs[-1] * high) >> _BITS))
        chances.append(chances[-1] * (rounds - i) // (i + 1))
    whole = epsilon.ratio_bounds(_BITS)[0]
    gained = 0
    for i, chance in enumerate(chances):
        gained += chance * max(0, highs[rounds - i] - (whole * lows[i] >> _BITS))
    return Fraction(gained, one) / Fraction(one + low, one) ** rounds
