"""Finite fields with a prime number of elements, or with a power of two of them.

Elements are the integers 0 … q − 1. Those of F_p are residues. Those of F_2^m are polynomials over
F_2, written as bits, modulo the irreducible polynomial that is the least as a number; so every
implementation finds the same one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError

LARGEST = 1 << 10
"""A table of all products is made: larger fields would leave the cache."""


@dataclass(frozen=True)
class FiniteField:
    """The field with q elements, for q prime or a power of two."""

    q: int

    def __post_init__(self) -> None:
        if not 2 <= self.q <= LARGEST or not (is_prime(self.q) or self.is_binary):
            raise ParameterError(
                f"q is {self.q}; it must be a prime or a power of two, up to {LARGEST:,}."
            )

    @property
    def is_binary(self) -> bool:
        """Whether elements are polynomials over F_2."""
        return self.q & (self.q - 1) == 0

    @property
    def bits(self) -> int:
        """How many bits an element of a binary field has."""
        return self.q.bit_length() - 1

    @cached_property
    def modulus(self) -> int:
        """The polynomial of a binary field, as bits; q itself for the residues of a prime."""
        return _least_irreducible(self.bits) if self.is_binary else self.q

    def times(self, a: int, b: int) -> int:
        """Return the product of two elements."""
        return _polynomial_product(a, b, self.modulus, self.q) if self.is_binary else a * b % self.q

    def plus(self, a: int, b: int) -> int:
        """Return the sum of two elements."""
        return a ^ b if self.is_binary else (a + b) % self.q

    def minus(self, a: int, b: int) -> int:
        """Return the difference of two elements."""
        return a ^ b if self.is_binary else (a - b) % self.q

    def inverse(self, a: int) -> int:
        """Return 1 / a, for a ≠ 0."""
        return int(np.flatnonzero(self.products[a] == 1)[0])

    @cached_property
    def products(self) -> NDArray[Any]:
        """All products, as a table."""
        elements = np.arange(self.q, dtype=np.int64)
        if not self.is_binary:
            return (np.multiply.outer(elements, elements) % self.q).astype(np.uint16)
        found = np.zeros((self.q, self.q), dtype=np.int64)
        shifted = elements.copy()
        for bit in range(self.bits):
            found ^= np.where((elements[None, :] >> bit) & 1, shifted[:, None], 0)
            shifted <<= 1
            shifted = np.where(shifted & self.q, shifted ^ self.modulus, shifted)
        return found.astype(np.uint16)

    @cached_property
    def duals(self) -> NDArray[Any]:
        """Of a binary field: d with Tr(a b) = parity(d[a] & b) for all b."""
        traces = _traces(self)
        found = np.zeros(self.q, dtype=np.int64)
        for bit in range(self.bits):
            found |= traces[self.products[:, 1 << bit]] << bit
        return found


def _traces(field: FiniteField) -> NDArray[np.int64]:
    """Return a + a² + a⁴ + …, which is 0 or 1, of each element."""
    power = np.arange(field.q, dtype=np.int64)
    found = np.zeros(field.q, dtype=np.int64)
    for _ in range(field.bits):
        found ^= power
        power = field.products[power, power].astype(np.int64)
    return found


def is_prime(number: int) -> bool:
    """Tell whether a small number is prime."""
    return number > 1 and all(number % d for d in range(2, int(number**0.5) + 1))


def _polynomial_product(a: int, b: int, modulus: int, q: int) -> int:
    found = 0
    while b:
        if b & 1:
            found ^= a
        a <<= 1
        if a & q:
            a ^= modulus
        b >>= 1
    return found


@cache
def _least_irreducible(degree: int) -> int:
    """Return the least polynomial of this degree that no smaller one divides, by trial."""
    for candidate in range(1 << degree, 2 << degree):
        if all(_remainder(candidate, d) for d in range(2, 1 << (degree // 2 + 1))):
            return candidate
    raise AssertionError("there is one of every degree")


def _remainder(a: int, b: int) -> int:
    while a.bit_length() >= b.bit_length():
        a ^= b << (a.bit_length() - b.bit_length())
    return a
