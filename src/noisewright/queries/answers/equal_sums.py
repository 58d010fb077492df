"""The law of z_1 + … + z_J, a sum of a few independent draws of the same noise.

**Narrow noise**: the law of a draw, folded with itself. **Wide noise**, of a small decay λ, is as
good as Laplace noise, and the sum of J such draws is the difference of two gamma variables, with

    P(sum > t) = e^(−λt) / ((J−1)! 2^J) Σ_{k<J} (J−1+k)! / (k! 2^k) Σ_{i≤J−1−k} (λt)^i / i!

(integrate the density, which is a Bessel function of half-integer order). Sums of rounded normal
noise are normal, with the variance of the rounding.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from noisewright.queries.noise import CellNoise

_NARROW = 1 << 12
"""Laws of more values are those of Laplace noise, to a part in a million."""


def half_width_of_sum(noise: CellNoise, draws: int, confidence: float) -> float:
    """Return the least t with P(|sum| ≤ t) ≥ confidence, of independent noise."""
    beyond = (1 - confidence) / 2
    if draws == 1:
        return noise.half_width(confidence)
    if noise.half_width(1 - 1e-12) <= _NARROW:
        law = noise.chances
        for _ in range(draws - 1):
            law = np.convolve(law, noise.chances)
        above = np.cumsum(law[::-1])[::-1]  # P(sum ≥ place − middle)
        return float(max(0, int(np.argmax(above <= beyond)) - len(law) // 2 - 1))
    if noise.unit == "rho":
        return -NormalDist().inv_cdf(beyond) * noise.deviation * math.sqrt(draws)
    low, high = 0.0, noise.deviation * math.sqrt(draws / beyond)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _tail(noise.decay * middle, draws) > beyond else (low, middle)
    return high


def _tail(t: float, draws: int) -> float:
    """Return P(sum > t) of so many Laplace variables of scale 1."""
    total = 0.0
    for k in range(draws):
        powers = sum(t**i / math.factorial(i) for i in range(draws - k))
        ways = math.factorial(draws - 1 + k) / (math.factorial(k) * 2.0**k)
        total += ways * powers
    return math.exp(-t) * total / (math.factorial(draws - 1) * 2.0**draws)
