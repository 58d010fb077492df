"""From a certificate of any form back to its mechanism: the rooms of all forms are below."""

from __future__ import annotations

import os

from noisewright.curves import certified_noise
from noisewright.mechanisms import Mechanism
from noisewright.privacy import load as load_other_forms
from noisewright.public import public


@public
def load(path: str | os.PathLike[str]) -> Mechanism:
    """Read a certificate, prove it again, and return its mechanism with the proven claim.

    A certificate names points, not how they came about: counts, grids and curves come back as
    such, all others as Categories (a subset or a record as its JSON text), with the discrete
    metric.
    Ensures: a file that does not prove its claims raises, and nothing is returned.
    """
    return load_other_forms(path, also={"curve": certified_noise})
