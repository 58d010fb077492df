"""From a certificate back to the noise for curves that it describes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from noisewright.curves.coordinates import from_matrix, in_basis
from noisewright.curves.noise import CurveNoise
from noisewright.mechanisms import Guarantee
from noisewright.spaces import Curves


def certified_noise(section: dict[str, Any], claim: Guarantee) -> CurveNoise:
    """Return the noise that a certificate describes; its whole numbers are taken as they are."""
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
