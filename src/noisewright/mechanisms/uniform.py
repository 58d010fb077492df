"""The uniform mechanism (UM): the same distribution for every input, hence ε = 0."""

from __future__ import annotations

import numpy as np

from noisewright.mechanisms.guarantee import Guarantee
from noisewright.mechanisms.mechanism import require_tabulable
from noisewright.mechanisms.table import Table
from noisewright.spaces import Space, require_space

_BITS = 64


def uniform(space: Space) -> Table:
    """Return the mechanism that ignores its input.

    Ensures: 0-private, exactly: all rows are equal. A total of 2^k can't be split evenly
    unless the number of points is a power of two, so the middle points get the few units that
    are left, in every row alike: probabilities are uniform to within 2^-64. By that hair the
    table misses F, WH, CH and CM, which the ideal uniform mechanism has.
    """
    require_space(space)
    require_tabulable(space, space, instead="Use fewer points.")
    bits = _BITS + space.size.bit_length()
    share, left = divmod(1 << bits, space.size)
    row = [share] * space.size
    middle = [space.size // 2] if space.size % 2 else [space.size // 2 - 1, space.size // 2]
    for code in middle:
        row[code] += left // len(middle)
    weights = np.empty((space.size, space.size), dtype=object)
    weights[:] = row
    return Table(space, weights, total=1 << bits, claim=Guarantee(0), name="uniform mechanism")
