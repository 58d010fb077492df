"""The uniform mechanism (UM): the same distribution for every input, hence ε = 0."""

from __future__ import annotations

import numpy as np

from noisewright.mechanisms.guarantee import Guarantee
from noisewright.mechanisms.mechanism import require_tabulable
from noisewright.mechanisms.table import Table
from noisewright.public import public
from noisewright.spaces import Space, require_space


@public
def uniform(space: Space) -> Table:
    """Return the mechanism that ignores its input.

    Ensures: 0-private, and every output is exactly as likely as any other.
    Source: the mechanism UM of Cormode–Kulkarni–Srivastava 2018.
    """
    require_space(space)
    require_tabulable(space, space, instead="Use fewer points.")
    weights = np.ones((space.size, space.size), dtype=object)
    return Table(space, weights, total=space.size, claim=Guarantee(0), name="uniform mechanism")
