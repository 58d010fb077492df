"""Noisy max: add geometric noise to the quality of each candidate and take the largest.

    step   qualities are whole numbers of steps
    λ      ε · step / (2Δ), without the 2 if the quality is monotonic; a = e^-λ
    G      the noise, in steps: P(G = g) = (1 − a) a^g for g = 0, 1, 2, …

Fix the noise of all others: then y wins if and only if its own noise reaches a threshold. Between
neighbors the threshold moves by at most 2Δ (Δ if the quality is monotonic, since then both sides
move the same way), and P(G ≥ t + s) ≥ a^s P(G ≥ t). Ties go to the candidate listed first, which
changes each threshold by a constant, so the argument holds for them too. One-sided noise is
enough: what matters is how the upper tail falls (Ding et al. 2021). With x = a^j for the best sum
j steps above the best quality, and p_z = a^(best − q_z):

    P(y) = (1 − a) p_y Σ_(j≥0) x Π_(z<y) (1 − x p_z) Π_(z>y) (1 − x a p_z)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import InputError, ParameterError, TooLargeError
from noisewright.exact import Doubles, Epsilon, Number, as_text, exactly, exp_bounds
from noisewright.mechanisms import Masses, Quality, bits_below_one, by_level, powers
from noisewright.public import public
from noisewright.selection.one_dataset import Drawer, Law, Selection, select
from noisewright.selection.permute_and_flip import times_factor
from noisewright.spaces import Space

_AT_ONCE = 1 << 22
_MOST_TERMS = 1 << 16


@final
@dataclass(frozen=True)
class NoisyMaxLaw(Law):
    """The largest of qualities with geometric noise in whole steps."""

    step: Fraction

    @property
    def last_of_ties(self) -> Fraction:
        """One step: it wins only if it is above the first."""
        return self.step

    def describe(self) -> Mapping[str, str]:
        """Say that it is this, and in which steps."""
        return {"by": "noisy max", "step": as_text(self.step)}

    def check(self, qualities: Sequence[Sequence[Fraction]]) -> None:
        """Refuse qualities between the steps."""
        for row in qualities:
            place = self._first_between(row)
            if place is not None:
                raise InputError(
                    f"the quality of candidate {place + 1:,} is not a whole number of steps of "
                    f"{as_text(self.step)}. Give a step= that divides all possible qualities, or "
                    "round the quality; numbers such as '3.1' are exact as text, and not as floats."
                )

    def _first_between(self, qualities: Sequence[Fraction]) -> int | None:
        """Return the place of the first quality between the steps, or None."""
        if isinstance(qualities, Doubles) and (even := self._among_doubles()) is not None:
            # Doubles only say where to look: what they find is looked at exactly.
            found = np.flatnonzero(np.fmod(qualities.array, even))
            if found.size and (qualities[int(found[0])] / self.step) % 1:
                return int(found[0])
        levels, which = by_level(qualities)
        between = np.array([bool((level / self.step) % 1) for level in levels])
        return int(np.flatnonzero(between[which])[0]) if between.any() else None

    def _among_doubles(self) -> float | None:
        """Return the step between those doubles that are whole numbers of steps, if it is one.

        An odd divisor of the step's denominator divides no double: with a step of 3/10 every
        third half is on it.
        """
        below = self.step.denominator & -self.step.denominator
        step = Fraction(self.step.numerator, below)
        near = float(step) if 2.0**-500 < step < 2.0**500 else 0.0
        return near if near == step else None

    def drawer(self, qualities: Sequence[Fraction], factor: Fraction, epsilon: Fraction) -> Drawer:
        """Draw exact geometric noise: nothing is rounded."""
        levels, which = by_level(qualities)
        steps = [int(level / self.step) for level in levels]
        values = [steps[level] for level in which.tolist()]
        decay = Epsilon(rational=factor * self.step)
        return lambda source: sampling.geometric_argmax(values, decay, source)

    def masses(self, factor: Fraction) -> Masses:
        """Return the sums of a row, by the coefficients of their polynomials in x."""
        decay = factor * self.step
        return lambda exponents, precision: _sums(exponents, precision, decay)

    def logs(self, qualities: NDArray[np.float64], factor: float) -> NDArray[np.float64]:
        """Return logarithms of probabilities in doubles, by summing over the best sum."""
        decay = factor * float(self.step)
        if decay * _MOST_TERMS < 46:
            raise TooLargeError(
                f"adding up noise of so many steps takes more than {_MOST_TERMS:,} terms. Use a "
                "larger step, or permute_and_flip.",
                size=_MOST_TERMS,
            )
        terms = ceil(45 / decay) + 1
        rows, columns = qualities.shape
        a, x = np.exp(-decay), np.exp(-decay * np.arange(terms))
        exponents = factor * (qualities - qualities.max(axis=1, keepdims=True))
        found = np.empty_like(exponents)
        step = max(1, _AT_ONCE // (columns * terms))
        some = max(1, _AT_ONCE // columns)
        for start in range(0, rows, step):
            part = exponents[start : start + step]
            sums = np.zeros_like(part)
            for first in range(0, terms, some):
                reached = x[first : first + some]
                above = reached[None, :, None] * np.exp(part)[:, None, :]
                edge = np.ones((*above.shape[:2], 1))
                before = np.concatenate([edge, np.cumprod(1 - above, axis=2)[..., :-1]], axis=2)
                behind = np.cumprod(1 - a * above[..., :0:-1], axis=2)[..., ::-1]
                others = before * np.concatenate([behind, edge], axis=2)
                sums += np.einsum("j,rjy->ry", reached, others)
            with np.errstate(divide="ignore"):
                # A sum below the least double counts as 0, and its logarithm as −∞.
                found[start : start + step] = part + np.log(-np.expm1(-decay) * sums)
        return found

    def depths(self, qualities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how much noise each needs to win, if others have none; ties go to the first."""
        top = qualities.max(axis=1, keepdims=True)
        is_best = qualities == top
        is_late = np.cumsum(is_best, axis=1) - is_best > 0
        return top - qualities + float(self.step) * is_late


def _sums(exponents: Sequence[Fraction], precision: int, decay: Fraction) -> list[int]:
    """Return the probabilities · 2^precision up to their common factor 1 − a."""
    coins = powers(exponents, precision)
    work = precision + 2 * len(coins) + 2 * bits_below_one(decay) + 16
    shift = work - precision
    coins = [coin << shift for coin in coins]
    a = exp_bounds(-decay, work)[0]
    sums, power = list[int](), 1 << work
    for _ in coins:
        power = (power * a) >> work
        sums.append((1 << (2 * work)) // ((1 << work) - power))
    polynomial = [1 << work]
    for coin in coins[1:]:
        polynomial = times_factor(polynomial, (a * coin) >> work, work)
    found: list[int] = []
    for place, coin in enumerate(coins):
        total = sum((c * s) >> work for c, s in zip(polynomial, sums, strict=True))
        found.append(((coin * total) >> work) >> shift)
        if place + 1 < len(coins):
            polynomial = times_factor(polynomial, coin, work)
            polynomial = _divide(polynomial, (a * coins[place + 1]) >> work, work)
    return found


def _divide(polynomial: list[int], p: int, precision: int) -> list[int]:
    quotient = 0
    found: list[int] = []
    for coefficient in polynomial[:-1]:
        quotient = coefficient + ((p * quotient) >> precision)
        found.append(quotient)
    return found


@public
def noisy_max(
    candidates: Space | Sequence[Any] | Any,
    quality: Quality,
    *,
    sensitivity: Number | None = None,
    epsilon: Number | Epsilon | None = None,
    alpha: Number | None = None,
    monotonic: bool = False,
    step: Number = 1,
) -> Selection:
    """Return noisy max with geometric noise for one dataset, ready to `sample()`.

    Requires: as `exponential`: the candidates do not depend on the data; all qualities are
    whole numbers of `step`.
    Ensures: ε-private. It is drawn with exact geometric noise in whole steps; nothing is rounded.
    Ties go to the candidate that is listed first. As the step gets smaller this becomes
    `permute_and_flip` (Ding et al. 2021). As a table over all possible inputs it is
    `nw.select.choice_table(…, method="noisy_max")`.
    """
    return select(
        noisy_max_law(step),
        candidates,
        quality,
        sensitivity=sensitivity,
        epsilon=epsilon,
        alpha=alpha,
        monotonic=monotonic,
    )


def noisy_max_law(step: Number) -> NoisyMaxLaw:
    """Read the step, in whole numbers of which all qualities are."""
    size = exactly(step, name="step")
    if size <= 0:
        raise ParameterError(f"step is {step}; it must be positive.")
    return NoisyMaxLaw(size)
