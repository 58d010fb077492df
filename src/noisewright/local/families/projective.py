"""The block of a value is a hyperplane of a projective space: projective response PG(q, t).

Values and outputs are the K = (q^t − 1) / (q − 1) points of the projective space of dimension
t − 1 over the field with q elements. A point is a vector of t coordinates, of which the last that
is not 0 is 1. S_x holds the points y with ⟨x, y⟩ = Σ x_i y_i = 0: s = (q^(t−1) − 1) / (q − 1) of
them, and two different hyperplanes share λ = (q^(t−2) − 1) / (q − 1). t = 2 is k-ary response on
q + 1 values, each of which has one output; q = 2 is Hadamard response.
(Feldman, Nelson, Nguyen and Talwar 2022, "Private frequency estimation via projective geometry".)

**The point with code c.** The points whose last nonzero coordinate is the j-th have the codes from
(q^j − 1) / (q − 1) on; what is left of the code are the coordinates before it, as digits of a
number to the base q, the first coordinate least significant. A vector is written as such a number.

**Drawing.** Let i be the first nonzero coordinate of x. All other coordinates of y are free, and
y_i = (⟨x, y⟩ − Σ_{j≠i} x_j y_j) / x_i. Inside, the free coordinates are a uniform point of the
space with one dimension less. If its last nonzero coordinate comes after i, then y is written as a
point already; and if it comes before, then the sum and y_i are 0, so that it is too. Outside there
are q^(t−1) points: q^i of them have nothing after coordinate i, which is 1, and anything before it;
the others have a free point whose last nonzero coordinate comes after i, and any of the q − 1 other
products ⟨x, y⟩. So one uniform integer is enough for each, and no point has to be rescaled.

**Counting.** Σ over the multiples a y, a ≠ 0, of a character of ⟨x, a y⟩ is q − 1 where ⟨x, y⟩ = 0,
and −1 elsewhere. So one transform of the counts, spread over the multiples, gives the number of
reports inside all hyperplanes: a Walsh–Hadamard transform of size q^t for powers of two (in whole
numbers), and a discrete Fourier transform for primes (rounded to the nearest whole number, from
which it is less than 1/4 away; the upper digits of large counts are transformed apart). Where the
hyperplanes of all values have fewer points than that, as in planes over large fields, their counts
are summed one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import ParameterError
from noisewright.local.families.family import (
    MOST_TALLIED,
    Array,
    BlockFamily,
    ByteStream,
    smallest_unsigned,
)
from noisewright.local.families.fields import FiniteField

LARGEST_TRANSFORM = 1 << 26
"""q^t at most: half a gigabyte of counts."""
MOST_SUMMED = 1 << 27
"""Or so many points in the hyperplanes of all values: some seconds."""

_MOST_LISTED = 1 << 19
"""So many points of lines are listed: more would leave the cache."""

_CHUNK = 1 << 15
_MOST_COORDINATES = 64
_DIGITS = 30
"""Bits of counts that one Fourier transform takes."""


@dataclass(frozen=True)
class Projective(BlockFamily):
    """Hyperplanes of the projective space with t coordinates over the field with q elements."""

    values: int
    q: int
    t: int
    outputs: int = field(init=False, repr=False)
    inside: int = field(init=False, repr=False)
    shared: int | None = field(init=False, repr=False)
    dtype: np.dtype[Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        field_size = FiniteField(self.q).q
        outputs = points_in(field_size, self.t) if 2 <= self.t <= _MOST_COORDINATES else 0
        small = field_size**self.t <= LARGEST_TRANSFORM or self._summed <= MOST_SUMMED
        if not 0 < outputs <= MOST_TALLIED or not small:
            raise ParameterError(
                f"t is {self.t}; it must be at least 2, and q^t at most {LARGEST_TRANSFORM:,}."
            )
        if not 2 <= self.values <= outputs:
            raise ParameterError(
                f"PG({self.q}, {self.t}) has {outputs:,} points; it cannot hold {self.values:,} "
                "values. Take a larger t."
            )
        object.__setattr__(self, "outputs", outputs)
        object.__setattr__(self, "inside", points_in(self.q, self.t - 1))
        object.__setattr__(self, "shared", points_in(self.q, self.t - 2))
        object.__setattr__(self, "dtype", smallest_unsigned(outputs))

    @property
    def _summed(self) -> int:
        return self.values * points_in(self.q, self.t - 1)

    @property
    def work(self) -> int:
        """How much counting costs, in terms of sums: of the transform, or of each hyperplane."""
        return min(self.q**self.t, 2 * self._summed)

    @cached_property
    def field(self) -> FiniteField:
        """The numbers that coordinates are."""
        return FiniteField(self.q)

    @cached_property
    def _starts(self) -> Array:
        """Return the code of the first point whose last nonzero coordinate is the j-th."""
        return np.array([points_in(self.q, j) for j in range(self.t)], dtype=np.int64)

    @cached_property
    def _powers(self) -> Array:
        return self.q ** np.arange(self.t, dtype=np.int64)

    def _vectors(self, codes: Array) -> Array:
        """Return the vectors of points, as numbers."""
        last = np.searchsorted(self._starts, codes, side="right") - 1
        return codes - self._starts[last] + self._powers[last]

    def _codes(self, vectors: Array) -> Array:
        """Return the codes of points, given as numbers."""
        shifts = self._starts - self._powers
        found = vectors + shifts[0]
        for j in range(1, self.t):
            found += (vectors >= self._powers[j]) * (shifts[j] - shifts[j - 1])
        return found

    @cached_property
    def _of_values(self) -> tuple[Array, Array, Array]:
        """Return each value's vector, the place q^i of its first coordinate, and 1 / x_i."""
        vectors = self._vectors(np.arange(self.values, dtype=np.int64))
        places, rest = np.ones_like(vectors), vectors.copy()
        while (more := rest % self.q == 0).any():
            rest[more] //= self.q
            places[more] *= self.q
        inverses = np.array([0, *map(self.field.inverse, range(1, self.q))], dtype=np.int64)
        return vectors, places, inverses[rest % self.q]

    def _dot(self, left: Array, right: Array) -> Array:
        """Return the products of vectors."""
        q = self.q
        if not self.field.is_binary:
            found = np.zeros_like(left)
            for _ in range(self.t):
                left, x = np.divmod(left, q)
                right, y = np.divmod(right, q)
                found += x * y
            return found % q
        bits, table = self.field.bits, self.field.products.reshape(-1)
        found = np.zeros(left.shape, dtype=table.dtype)
        for j in range(self.t):
            x = (left >> (bits * j)) & (q - 1)
            y = (right >> (bits * j)) & (q - 1)
            x <<= bits
            x |= y
            found ^= table.take(x)
        return found.astype(np.int64)

    def _solve(self, codes: Array, free: Array, product: Array | int) -> Array:
        """Return the outputs with these free coordinates and this product with the value."""
        vectors, places, inverses = (column[codes] for column in self._of_values)
        high, low = np.divmod(free, places)
        found = high * (places * self.q) + low
        left = self._dot(vectors, found)
        if self.field.is_binary:
            left ^= product
            own = self.field.products.reshape(-1).take(left * self.q + inverses).astype(np.int64)
        else:
            own = (product - left) * inverses % self.q
        return self._codes(found + own * places).astype(self.dtype)

    def draw_inside(self, codes: Array, source: sampling.Source) -> Array:
        """Return uniform points of the hyperplanes."""
        return self._by_chunks(self._some_inside, codes, source)

    def _some_inside(self, codes: Array, source: sampling.Source) -> Array:
        drawn = sampling.uniform_below(self.inside, codes.size, source)
        return self._solve(codes, self._vectors(drawn), 0)

    def draw_outside(self, codes: Array, source: sampling.Source) -> Array:
        """Return uniform points outside of the hyperplanes."""
        return self._by_chunks(self._some_outside, codes, source)

    def _some_outside(self, codes: Array, source: sampling.Source) -> Array:
        drawn = sampling.uniform_below(self.outputs - self.inside, codes.size, source)
        _, places, _ = self._of_values
        place = places[codes]
        first = drawn < place
        point, product = np.divmod(np.where(first, 0, drawn - place), self.q - 1)
        point += (place - 1) // (self.q - 1)
        free = np.where(first, drawn, self._vectors(point))
        found = self._solve(codes, free, product + 1)
        alone = self._codes(drawn[first] + place[first])
        found[first] = alone.astype(self.dtype)
        return found

    def _by_chunks(self, draw: Any, codes: Array, source: sampling.Source) -> Array:
        out = np.empty(codes.size, dtype=self.dtype)
        for start in range(0, codes.size, _CHUNK):
            out[start : start + _CHUNK] = draw(codes[start : start + _CHUNK], source)
        return out

    def draw_one(self, code: int, inside: bool, stream: ByteStream) -> bytes:
        """Return one point, inside the hyperplane or not."""
        if inside:
            drawn = stream.below(self.inside)
            free, product = self._vectors(np.array([drawn]))[0], 0
        else:
            drawn = stream.below(self.outputs - self.inside)
            place = int(self._of_values[1][code])
            if drawn < place:
                found = int(self._codes(np.array([drawn + place]))[0])
                return found.to_bytes(self.dtype.itemsize, "little")
            point, product = divmod(drawn - place, self.q - 1)
            free = self._vectors(np.array([point + (place - 1) // (self.q - 1)]))[0]
            product += 1
        found = self._solve(np.array([code]), np.array([free]), np.array([product]))
        return found.tobytes()

    def describe(self) -> dict[str, Any]:
        """Return q, t and the number of values."""
        return {"kind": "projective", "values": self.values, "q": self.q, "t": self.t}

    def describe_for_clients(self) -> dict[str, Any]:
        """Return also the polynomial of the field, as bits, where there is one."""
        modulus = {"modulus": self.field.modulus} if self.field.is_binary else {}
        return {**self.describe(), **modulus}

    def is_output(self, payload: Array) -> NDArray[np.bool_]:
        """Tell which are points."""
        return payload < self.outputs

    def supports(self, tally: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each value how many reports lie in its hyperplane."""
        listed = self.values * self.inside <= _MOST_LISTED
        if listed and (self.t == 3 or self.work < self.q**self.t):
            return tally[self._planes].sum(axis=1)
        if self.work < self.q**self.t:
            return self._sums(tally)
        people = int(tally.sum())
        vectors = self._vectors(np.arange(self.outputs, dtype=np.int64))
        wanted = vectors[: self.values]
        spread = np.zeros(self.q**self.t, dtype=np.int64)
        sums = self._characters(spread, vectors, tally, wanted)
        return (people + sums) // self.q

    @cached_property
    def _planes(self) -> Array:
        """The points of all hyperplanes, for counts that are added up again and again."""
        return self._planes_of(np.arange(self.values))

    def _planes_of(self, codes: Array) -> Array:
        """Return the points of the hyperplanes of some values, a row for each."""
        free = self._vectors(np.arange(self.inside, dtype=np.int64))
        points = self._solve(np.repeat(codes, self.inside), np.tile(free, codes.size), 0)
        return points.astype(np.int64).reshape(codes.size, self.inside)

    def _sums(self, tally: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add up the counts of all points of each hyperplane."""
        step = max(1, _CHUNK // self.inside)
        pieces = np.split(np.arange(self.values), range(step, self.values, step))
        return np.concatenate([tally[self._planes_of(codes)].sum(axis=1) for codes in pieces])

    def _characters(self, spread: Array, vectors: Array, tally: Array, wanted: Array) -> Array:
        """Return Σ over all reports y and a ≠ 0 of a character of ⟨x, a y⟩, for each wanted x."""
        if not self.field.is_binary:
            for a in range(1, self.q):
                spread[self._scale(vectors, a)] = tally
            shape = (self.q,) * self.t
            found = np.zeros(wanted.shape, dtype=np.int64)
            for digit in range(-(-int(tally.sum()).bit_length() // _DIGITS)):
                part = (spread >> (_DIGITS * digit)) & ((1 << _DIGITS) - 1)
                # Axis 0 of the shape is the last coordinate; the sum over ±a is real.
                sums = np.rint(np.fft.fftn(part.reshape(shape)).real).reshape(-1)[wanted]
                found += sums.astype(np.int64) << (_DIGITS * digit)
            return found
        bits, duals = self.field.bits, self.field.duals
        for a in range(1, self.q):
            spread[self._scale(vectors, a)] = tally
        walsh_hadamard(spread)
        places = np.zeros_like(wanted)
        for j in range(self.t):
            places |= duals[(wanted >> (bits * j)) & (self.q - 1)] << (bits * j)
        return spread[places]

    def _scale(self, vectors: Array, a: int) -> Array:
        """Return a times each vector."""
        row = self.field.products[a].astype(np.int64)
        found = np.zeros_like(vectors)
        for j in range(self.t):
            found += row[vectors // self._powers[j] % self.q] * self._powers[j]
        return found

    def contains(self, code: int, output: int) -> bool:
        """Tell whether the product of the two points is 0."""
        x, y = self._vectors(np.array([code, output]))
        return int(self._dot(np.array([x]), np.array([y]))[0]) == 0


def points_in(q: int, t: int) -> int:
    """Return how many points the projective space with t coordinates has."""
    return (q**t - 1) // (q - 1)


def walsh_hadamard(counts: NDArray[np.int64]) -> None:
    """Replace counts[x] by Σ_y (−1)^parity(x & y) counts[y], in place, for 2^m of them."""
    half = 1
    while half < counts.size:
        pairs = counts.reshape(-1, 2, half)
        left = pairs[:, 0, :].copy()
        pairs[:, 0, :] += pairs[:, 1, :]
        np.subtract(left, pairs[:, 1, :], out=pairs[:, 1, :])
        half *= 2
