"""Geometric noise on the cells of a table, given that it adds up to 0.

    a     e^-decay
    K     cells
    P(z)  ∝ a^(|z_1| + … + |z_K|) over whole numbers with z_1 + … + z_K = 0

Draw z_1 … z_(K−1) independently, two-sided geometric, and let z_K = −s, where s is their sum. Keep
them with probability a^|s|, else draw anew. What is kept has the law above, exactly: each z with
sum 0 comes up in one way, with probability ∝ a^(|z_1| + … + |z_(K−1)|), and is then kept with
probability a^|z_K|; the product is a^|z|, and the constants are the same for all z.

The coin is a wait: a geometric w ≥ 1 with P(w > g) = a^g, so that w > |s| with probability a^|s|.
About one table in √(πK) is kept, whatever the decay: s is nearly normal with variance 2K / decay²,
and the coin falls off within 1 / decay of 0. Whether a table is kept depends on noise alone, never
on what it is added to.
"""

from __future__ import annotations

import math
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon
from noisewright.sampling.arguments import CHUNK, checked_size, whole
from noisewright.sampling.entropy import Source, redone_after_fork, source_or_default
from noisewright.sampling.geometric import two_sided_geometric, waits

_ROOM = 1 << 40
"""Sums of up to 2^22 numbers below this are far from the ends of 64 bits."""


@redone_after_fork
def balanced_geometric(
    decay: Epsilon,
    cells: SupportsIndex,
    size: SupportsIndex = 1,
    source: Source | None = None,
) -> NDArray[Any]:
    """Return `size` independent rows of `cells` integers, each adding up to 0.

    Requires: decay > 0, of any size; cells ≥ 1; size ≥ 0.
    Ensures: P(z) ∝ e^(−decay |z|₁) over all rows of integers that add up to 0, exactly; proven at
    the top of the file. The type is that of `two_sided_geometric`.
    """
    if decay.is_zero:
        raise ParameterError(
            "the decay is 0; it must be positive, since no integer noise is uniform over all "
            "integers. Give a larger epsilon."
        )
    width, count = whole(cells, name="cells", least=1), checked_size(size)
    bits = source_or_default(source)
    found: list[NDArray[Any]] = []
    missing = count
    while missing:
        # Some more tries than one row needs, as long as they fit into a chunk.
        tries = math.ceil(missing * 2 * math.sqrt(width))
        kept = _keep(decay, width, max(1, min(tries, CHUNK // width)), bits)[:missing]
        found.append(kept)
        missing -= len(kept)
    return np.concatenate(found) if found else np.empty((0, width), dtype=np.int64)


def _keep(decay: Epsilon, cells: int, tries: int, bits: Source) -> NDArray[Any]:
    """Return those of so many tries that are kept, in their order."""
    free = two_sided_geometric(decay, tries * (cells - 1), bits).reshape(tries, cells - 1)
    if free.dtype != object and free.size and np.abs(free).max() >= _ROOM:
        free = free.astype(object)
    sums = free.sum(axis=1)
    keep = waits(decay, tries, bits) > np.abs(sums)
    return np.concatenate([free[keep], -sums[keep, None]], axis=1)
