"""Laplace noise for curves in a certificate: how it is written and read, what can be proven.

A certificate holds the matrix A, how C = A v is rounded, and what one whole number of noise
costs. The checker finds the reach of A again: over all patterns of signs for few coordinates,
else from the sum of its entries or, with the weights z_j, from Gershgorin's bound (see
`sensitivity.py`). It does not look longer than is decent; what would take it longer has no form.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from noisewright.curves.coordinates import from_matrix, in_basis
from noisewright.curves.sensitivity import BY_ROOT, MOST_PATTERNS, inverse_weights
from noisewright.errors import CertificateError
from noisewright.exact import Epsilon, as_text
from noisewright.mechanisms import Guarantee, describe_number
from noisewright.spaces import Curves

if TYPE_CHECKING:
    from noisewright.curves.noise import CurveNoise

_MOST_ENTRIES = 1 << 22
_MOST_SUMS = 1 << 26
_MOST_PRODUCTS = 1 << 25
_MOST_BITS = 1 << 18
"""What the checker looks through: entries, sums over patterns, products of entries, weights."""


def without_form(noise: CurveNoise) -> str | None:
    """Say why the checker could not prove this noise; None if it can."""
    if noise.noise == "gaussian":
        return "normal noise, which delta > 0 gives. Use delta=0"
    if noise.bound is not None:
        return "coordinates that are pulled to a bound. Leave bound= out"
    if noise.coordinates.is_identity:
        return None
    count, positions = noise.coordinates.matrix.shape
    fewer, more = min(count, positions), max(count, positions)
    if count * positions > _MOST_ENTRIES:
        return "so many positions. Use fewer coefficients"
    if fewer <= MOST_PATTERNS:
        long = more << (fewer - 1) > _MOST_SUMS
    else:
        bits = sum(z.bit_length() for z in {*inverse_weights(noise.space.weights)})
        long = count * count * positions > _MOST_PRODUCTS or bits > _MOST_BITS
        long = long and noise.reach.how == BY_ROOT
    return "so many coefficients for so many positions. Use fewer" if long else None


def description(noise: CurveNoise) -> dict[str, Any]:
    """Return the noise as a certificate writes it."""
    why = without_form(noise)
    if why is not None:
        raise CertificateError(f"certificates have no form for curves with {why}.")
    space, coordinates = noise.space, noise.coordinates
    matrix: Any = "identity"
    if not coordinates.is_identity:
        matrix = [[str(entry) for entry in row] for row in coordinates.matrix.tolist()]
    by_root = not coordinates.is_identity and noise.reach.how == BY_ROOT
    return {
        "form": "curve",
        "inputs": {
            "kind": "curves",
            "grid": [as_text(position) for position in space.grid],
            "low": as_text(space.low),
            "high": as_text(space.high),
            "step": as_text(space.step),
        },
        "basis": coordinates.name.split(",")[0],
        "matrix": matrix,
        "log2_scale": coordinates.log2_scale,
        "shift": noise.shift,
        "decay": describe_number(Epsilon(rational=noise.decay)),
        "weights": [str(z) for z in inverse_weights(space.weights)] if by_root else [],
    }


def certified_noise(section: dict[str, Any], claim: Guarantee) -> CurveNoise:
    """Return the noise that a certificate describes; its whole numbers are taken as they are."""
    from noisewright.curves.noise import CurveNoise

    inputs = section["inputs"]
    space = Curves(
        [Fraction(position) for position in inputs["grid"]],
        low=Fraction(inputs["low"]),
        high=Fraction(inputs["high"]),
        step=Fraction(inputs["step"]),
    )
    coordinates = in_basis(space, "values", None)
    if section["matrix"] != "identity":
        rows = [[int(entry) for entry in row] for row in section["matrix"]]
        whole = np.array(rows, dtype=object)
        coordinates = from_matrix(space, section["basis"], whole, section["log2_scale"])
    unit = Fraction(1 << section["shift"]) * space.step / (1 << coordinates.log2_scale)
    noise = CurveNoise(
        space=space,
        coordinates=coordinates,
        noise="laplace",
        claim=claim,
        sensitivity=unit,
        sensitivity_is_exact=False,
        scale=unit / Fraction(section["decay"]["value"]),
        unit=unit,
        shift=section["shift"],
    )
    return noise.measure()
