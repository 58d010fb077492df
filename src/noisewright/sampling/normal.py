"""The normal distribution, rounded to whole numbers, exactly: N = round(s · Z).

    s     the deviation, any positive rational
    Z     standard normal, |Z| = k + x with k = 0, 1, 2, … and x in [0, 1)

k has P(k) ∝ e^(−k²/2): a geometric number with ratio e^(−1/2), kept with probability
e^(−k(k−1)/2). x is uniform and kept, together with k, with probability e^(−x(2k + x)/2)
(Karney 2016, Algorithm N). x is known by its first 53 bits; whatever depends on the others is
settled by drawing more of them, so that N is the rounded value of a real number that is
normal without error. Nothing here is a double-precision normal: doubles only filter.

The filter. X are the first 53 bits of x, so x = X · 2^-53 + less than 2^-53. With u = 2^-53,
g = x(2k + x)/2 is known within (k + 1)u for the missing bits and 4u·g for rounding; so e^-g
is known within u·e^-g·(k + 1 + 4g) + 4u (see `exp_minus`) < 2^-44 for all k < 256, and larger
k are settled exactly. s · (k + x) is known within 2^-46 · s for the missing bits and the
rounding of k + x (k < 2^6), and 2^-50 of itself for the other roundings; `_UNSURE` covers it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.exact import Exp, Number, exactly, exp_bounds
from noisewright.sampling.arguments import CHUNK, checked_size
from noisewright.sampling.bernoulli import Coin
from noisewright.sampling.entropy import Source, redone_after_fork, source_or_default
from noisewright.sampling.gaussian import exp_minus

MARGIN = 2.0**-44
"""The filter's e^-g is within this of the truth."""

_BITS = 53
_MORE = 64
_WORD = 32
_LARGEST_EXPONENT = 44.0
_UNSURE = 2.0**-44
_FILTERED_K = 64
_FILTERED_SCALE = 1 << 36
"""Above it, s · x needs more than the first bits: each draw is settled exactly."""


@redone_after_fork
def rounded_normal(
    deviation: Number, size: SupportsIndex, source: Source | None = None
) -> NDArray[Any]:
    """Return `size` independent whole numbers, each a normal number rounded to the nearest.

    P(N = i) = Φ((i + 1/2)/s) − Φ((i − 1/2)/s) with s = `deviation`.

    Requires: deviation > 0, taken exactly as given; size ≥ 0.
    Ensures: the probabilities are exact. The type is int64, or Python integers in an object
    array for deviations above 2^36.
    Source: Karney 2016, "Sampling exactly from the normal distribution".
    """
    value = exactly(deviation, name="deviation")
    if value <= 0:
        raise ParameterError(f"deviation is {deviation}; it must be positive.")
    return _draw(value, checked_size(size), source_or_default(source))


@redone_after_fork
def rounded_normals(deviations: NDArray[np.float64], source: Source | None = None) -> NDArray[Any]:
    """Return one `rounded_normal` for each deviation; a double means exactly that number.

    Requires: 0 < deviation ≤ 2^36, all of them.
    Ensures: independent, and the probabilities are exact. The type is int64, the shape the same.
    """
    scales = np.asarray(deviations, dtype=np.float64)
    if not np.all((scales > 0) & (scales <= _FILTERED_SCALE)):
        raise ParameterError("deviations must be positive, and at most 2^36.")
    return _draw(scales.ravel(), scales.size, source_or_default(source)).reshape(scales.shape)


def _draw(deviation: Fraction | NDArray[np.float64], count: int, bits: Source) -> NDArray[Any]:
    is_wide = isinstance(deviation, Fraction) and deviation > _FILTERED_SCALE
    parts: list[NDArray[Any]] = [np.empty(0, dtype=object if is_wide else np.int64)]
    done = 0
    while done < count:
        missing = count - done
        # A little less than half of the proposals are kept.
        halves = _half_normals(min(CHUNK, 2 * missing + missing // 8 + 16), bits).first(missing)
        scale = deviation if isinstance(deviation, Fraction) else deviation[done:][: halves.k.size]
        whole = halves.round_scaled(scale, bits)
        signs = np.unpackbits(bits.u8(-(-whole.size // 8)), count=whole.size).view(np.bool_)
        parts.append(np.where(signs, -whole, whole))
        done += whole.size
    return np.concatenate(parts)


@dataclass(frozen=True)
class HalfNormals:
    """|Z| = k + x, with the first 53 bits of x; `longer` has more of them where they were drawn."""

    k: NDArray[np.int64]
    bits: NDArray[np.int64]
    longer: dict[int, tuple[int, int]]

    def first(self, count: int) -> HalfNormals:
        """Return the first ones, at most so many."""
        longer = {place: drawn for place, drawn in self.longer.items() if place < count}
        return HalfNormals(self.k[:count], self.bits[:count], longer)

    def round_scaled(
        self, deviation: Fraction | NDArray[np.float64], source: Source
    ) -> NDArray[Any]:
        """Return floor(deviation · |Z| + 1/2), drawing more bits of x where they matter.

        There is one deviation, or one of at most 2^36 for each |Z|.
        """
        if isinstance(deviation, Fraction) and deviation > _FILTERED_SCALE:
            out = np.empty(self.k.size, dtype=object)
            unsure = np.arange(self.k.size)
        else:
            scale = float(deviation) if isinstance(deviation, Fraction) else deviation
            near = scale * (self.k + self.bits * 2.0**-_BITS) + 0.5
            margin = _UNSURE * scale + _UNSURE * near
            floor = np.floor(near)
            rest = near - floor
            wide = (rest <= margin) | (rest >= 1 - margin) | (self.k >= _FILTERED_K)
            wide[list(self.longer)] = True
            out = floor.astype(np.int64)
            unsure = np.flatnonzero(wide)
        for place in unsure.tolist():
            x, bits = self.longer.get(place, (int(self.bits[place]), _BITS))
            own = deviation if isinstance(deviation, Fraction) else Fraction(deviation[place])
            out[place] = settled_floor(own, int(self.k[place]), x, bits, source)
        return out


def settled_floor(deviation: Fraction, k: int, x: int, bits: int, source: Source) -> int:
    """Return floor(deviation · (k + x) + 1/2) for an x whose first `bits` bits are known."""
    while True:
        low = deviation * (k + Fraction(x, 1 << bits)) + Fraction(1, 2)
        high = deviation * (k + Fraction(x + 1, 1 << bits)) + Fraction(1, 2)
        floor = low.numerator // low.denominator
        # The end itself has probability 0 and may count as either side.
        if high <= floor + 1:
            return floor
        x, bits = x << _MORE | int(source.words(1)[0]), bits + _MORE


def _half_normals(count: int, source: Source) -> HalfNormals:
    """Propose `count` values of |Z| and return those that are kept."""
    k = _whole_parts(count, source)
    first = (source.words(k.size) >> np.uint64(64 - _BITS)).astype(np.int64)
    words = source.u32(k.size)
    x = first * 2.0**-_BITS
    near = exp_minus(np.minimum(x * (2 * k + x) / 2, _LARGEST_EXPONENT))
    uniform = words * 2.0**-_WORD
    # U lies in [uniform, uniform + 2^-32).
    accepted = uniform + 2.0**-_WORD <= near - MARGIN
    undecided = ~accepted & (uniform < near + MARGIN) | (k >= _FILTERED_K)
    longer: dict[int, tuple[int, int]] = {}
    for place in np.flatnonzero(undecided).tolist():
        kept, drawn, bits = settled_coin(
            int(k[place]), int(first[place]), int(words[place]), source
        )
        accepted[place] = kept
        if kept and bits > _BITS:
            longer[place] = drawn, bits
    places = np.flatnonzero(accepted)
    new_place = {old: new for new, old in enumerate(places.tolist()) if old in longer}
    return HalfNormals(
        k[places], first[places], {new_place[old]: bits for old, bits in longer.items()}
    )


def settled_coin(k: int, x: int, word: int, source: Source) -> tuple[bool, int, int]:
    """Decide U < e^(−x(2k + x)/2) with U and x known by their first bits, drawing more of both.

    Returns the decision, and the bits of x that it took.
    """
    x_bits, u_bits = _BITS, _WORD
    while True:
        low_x, high_x = Fraction(x, 1 << x_bits), Fraction(x + 1, 1 << x_bits)
        # e^-g falls as x rises.
        least = exp_bounds(-high_x * (2 * k + high_x) / 2, u_bits)[0]
        most = exp_bounds(-low_x * (2 * k + low_x) / 2, u_bits)[1]
        if word + 1 <= least:
            return True, x, x_bits
        if word >= most:
            return False, x, x_bits
        x, x_bits = x << _MORE | int(source.words(1)[0]), x_bits + _MORE
        word, u_bits = word << _MORE | int(source.words(1)[0]), u_bits + _MORE


def _whole_parts(count: int, source: Source) -> NDArray[np.int64]:
    """Propose `count` whole parts and return those kept: independent, P(k) ∝ e^(−k²/2)."""
    step = _step_coin()
    k = np.zeros(count, dtype=np.int64)
    alive = np.arange(count)
    while alive.size:
        alive = alive[step.flip(alive.size, source)]
        k[alive] += 1
    kept = np.ones(count, dtype=np.bool_)
    for value in range(2, int(k.max(initial=0)) + 1):
        places = np.flatnonzero(k == value)
        kept[places] = _kept_coin(value).flip(places.size, source)
    return k[kept]


@lru_cache(maxsize=1)
def _step_coin() -> Coin:
    return Coin(Exp(Fraction(-1, 2)))


@lru_cache(maxsize=128)
def _kept_coin(k: int) -> Coin:
    return Coin(Exp(Fraction(-k * (k - 1), 2)))
