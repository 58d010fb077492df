"""Clients to audit: what they claim, what they do, and how private that really is."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Sampler = Callable[[Any, int], Any]


def generator() -> np.random.Generator:
    return np.random.default_rng()


def response(values: int, keep: float) -> tuple[Sampler, float]:
    """The truth with probability `keep`, and otherwise any value."""

    def sample(value: int, count: int) -> NDArray[np.int64]:
        random = generator()
        return np.where(random.random(count) < keep, value, random.integers(0, values, count))

    return sample, math.log(1 + keep * values / (1 - keep))


def geometric_noise(epsilon: float) -> tuple[Sampler, float]:
    """A whole number with two-sided geometric noise."""

    def sample(value: int, count: int) -> NDArray[np.int64]:
        random, p = generator(), 1 - math.exp(-epsilon)
        return value + random.geometric(p, count) - random.geometric(p, count)

    return sample, epsilon


def unary(values: int, p: float, q: float) -> tuple[Sampler, float]:
    """One bit for each value: 1 with probability p for the own value, q for the others."""

    def sample(value: int, count: int) -> NDArray[np.uint8]:
        chances = np.full(values, q)
        chances[value] = p
        return (generator().random((count, values)) < chances).astype(np.uint8)

    return sample, math.log(p * (1 - q) / (q * (1 - p)))


def permanent_epsilon(f: float, hashes: int) -> float:
    """What RAPPOR's permanent step claims (Erlingsson–Pihur–Korolova 2014, Theorem 1)."""
    return 2 * hashes * math.log((1 - f / 2) / (f / 2))


def bloom(value: int, bits: int, hashes: int) -> list[int]:
    """The bits of a value; two values of these tests share none."""
    return [(value * hashes + h) % bits for h in range(hashes)]


def permanent(bits: int, hashes: int, f: float) -> Sampler:
    """Each bit becomes 1 with probability f/2, 0 with f/2, and else stays."""

    def sample(value: int, count: int) -> NDArray[np.uint8]:
        true = np.zeros(bits, dtype=np.uint8)
        true[bloom(value, bits, hashes)] = 1
        coins = generator().random((count, bits))
        return np.where(coins < f / 2, 1, np.where(coins < f, 0, true)).astype(np.uint8)

    return sample


def only_adds_ones(bits: int, hashes: int, f: float) -> Sampler:
    """A permanent step that adds ones and never clears a true bit."""

    def sample(value: int, count: int) -> NDArray[np.uint8]:
        true = np.zeros(bits, dtype=np.uint8)
        true[bloom(value, bits, hashes)] = 1
        return (true | (generator().random((count, bits)) < f / 2)).astype(np.uint8)

    return sample


def one_bit(f: float) -> Sampler:
    """The permanent step on a single bit."""

    def sample(value: int, count: int) -> NDArray[np.uint8]:
        flip = generator().random(count) < f / 2
        return np.where(flip, 1 - value, value).astype(np.uint8)

    return sample


def bit_epsilon(f: float) -> float:
    return math.log((1 - f / 2) / (f / 2))


def digest_response(values: int, keep: float, digests: int) -> tuple[Sampler, float]:
    """k-ary response that takes a short digest mod k for a uniform value; also what it claims."""

    def sample(value: int, count: int) -> NDArray[np.int64]:
        random = generator()
        other = random.integers(0, digests, count) % values
        return np.where(random.random(count) < keep, value, other)

    return sample, math.log(1 + keep * values / (1 - keep))


def length_tells(value: str, count: int) -> list[bytes]:
    """Random bytes, as many as the value has letters, and an id."""
    return [generator().bytes(8 + len(value)) for _ in range(count)]
