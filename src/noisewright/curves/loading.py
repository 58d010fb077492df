"""From a certificate back to its mechanism, also where columns are curves.

The room of curves is the lowest that knows every form a certificate can have.
"""

from __future__ import annotations

import os
from fractions import Fraction
from typing import Any

import numpy as np

from noisewright.curves.coordinates import from_matrix, in_basis
from noisewright.curves.noise import CurveNoise
from noisewright.mechanisms import Guarantee, Mechanism
from noisewright.privacy.loading import load as load_other_forms
from noisewright.public import public
from noisewright.spaces import Curves


@public
def load(path: str | os.PathLike[str]) -> Mechanism:
    """Read a certificate, prove it again, and return its mechanism with the proven claim.

    A certificate names points, not how they came about: counts, grids and curves come back as
    such, all others as Categories (a subset or a record as its JSON text), with the discrete
    metric.
    Ensures: a file that does not prove its claims raises, and nothing is returned.
    """
    return load_other_forms(path, also={"curve": certified_noise})


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
    return noise.measured()
