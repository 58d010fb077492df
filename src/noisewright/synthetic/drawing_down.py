"""Rows from distributions of one column given others: rounded at random, not drawn one by one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.sampling import Source, source_or_default
from noisewright.synthetic.dealing import deal_values

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Given:
    """How one column is distributed given others: `shares` has their axes, and its own last."""

    column: str
    parents: tuple[str, ...]
    shares: Array


def draw_rows(
    steps: Iterable[Given], rows: int, source: Source | None = None
) -> dict[str, NDArray[Any]]:
    """Return codes of so many rows, in random order.

    Requires: the parents of a column before it.
    Ensures: among the rows that agree in the parents, each value of a column occurs within one of
    its share, and on average exactly in its share.
    """
    bits = source_or_default(source)
    drawn: dict[str, NDArray[Any]] = {}
    for step in steps:
        *sizes, own = step.shares.shape
        group = np.zeros(rows, dtype=np.int64)
        for name, size in zip(step.parents, sizes, strict=True):
            group = group * size + drawn[name]
        totals = np.bincount(group, minlength=math.prod(sizes))
        (seen,) = np.nonzero(totals)
        times = _round_each(step.shares.reshape(-1, own)[seen], totals[seen], bits)
        drawn[step.column] = deal_values(
            np.tile(np.arange(own), seen.size),
            times.reshape(-1),
            bits,
            owners=np.repeat(seen, own) if step.parents else None,
            groups=group if step.parents else None,
        )
    return drawn


def round_at_random(shares: Array, total: int, source: Source) -> NDArray[np.int64]:
    """Return whole numbers that add up to the total, each within one of its share of it.

    Ensures: on average each is exactly its share (one random offset for all of them).
    """
    if not total:
        return np.zeros(shares.size, dtype=np.int64)
    return _round_each(shares[None, :], np.array([total]), source)[0]


def _round_each(shares: Array, totals: NDArray[np.int64], source: Source) -> NDArray[np.int64]:
    """Round each row of shares of its total, each row with an offset of its own."""
    ends = np.cumsum(shares, axis=1)
    ends *= totals[:, None] / ends[:, -1:]
    offsets = (source.words(len(totals)) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    marks = np.floor(ends + offsets[:, None]).astype(np.int64)
    marks[:, -1] = totals
    return np.diff(np.minimum(marks, totals[:, None]), prepend=0)
