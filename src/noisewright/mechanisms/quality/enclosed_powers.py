"""Running sums of the weights of `mixed_weights`, in doubles, with a bound on their errors.

    m    a power e^-x, x = f' (best − q), f' as in `mixed_weights`; Z = Σ m is at least 1
    d    the double that stands for x: off by a relative 2^-51 (`Doubles.depths`)
    g    the double that stands for e^-d: off by a relative 2^-49, or 0 for d > 256

g is off by m (x 2^-50 + 2^-49), or by less than e^-255. The sum of m x / Z over all candidates is
at most ln N: it is H(m/Z) − ln Z, with an entropy H ≤ ln N. For N < 2^32 all sums of g / Z are
therefore within 2^-45 of those of m / Z. Adding up in rows of ⌈√N⌉, and then the rows, takes at
most 2 ⌈√N⌉ additions on the way to a sum, each with a relative rounding of 2^-53. So running sums
of g / Z are within

    η = 2^-44 + (2 ⌈√N⌉ + 4) 2^-53

of those of m / Z. The last one is, too, so dividing by it leaves 2η / (1 − η), and 2^-53 for the
division. The weights w = F + R p ± 2 have running sums within 2^-126 of those of p = m / Z,
relative to their total, since 2 N (F + 2) / R is less. All of it is less than 3η.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from noisewright.exact import Doubles, falling_powers
from noisewright.mechanisms.quality.powers import SHRINK

_MOST = 1 << 32


def enclosed_shares(
    qualities: Doubles, factor: Fraction
) -> tuple[NDArray[np.float64], float] | None:
    """Return running sums of P(candidate) and how far off they can be; None for extreme factors.

    Requires: factor > 0, as for `mixed_weights`.
    Ensures: each is within the error of the exact one, of `mixed_weights` in this order.
    """
    depths = qualities.depths(factor * SHRINK)
    count = len(qualities)
    if depths is None or count >= _MOST:
        return None
    length = isqrt(count - 1) + 1
    rows = np.zeros((length, length))
    rows.reshape(-1)[:count] = falling_powers(depths)
    within = np.cumsum(rows, axis=1)
    before = np.cumsum(within[:, -1])
    within[1:] += before[:-1, None]
    sums = within.reshape(-1)[:count]
    error = 2.0**-44 + (2 * length + 4) * 2.0**-53
    return np.minimum(sums / sums[-1], 1.0), 3 * error
