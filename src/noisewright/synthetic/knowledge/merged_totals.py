"""Tables of totals merged one after the other, where no cell of theirs is impossible.

Two tables that agree on the columns they share are always met at once: rows of the same shared cell
are matched. First each cell gets the whole part of what is wanted, then those with the largest
fractions one row more while both totals allow it, then what is left is matched in order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from noisewright.synthetic.by_mwem.mwem import marginal_of

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Names = tuple[str, ...]


def merge_totals(
    columns: Names, bounds: Sequence[tuple[Names, Counts, Counts]], wanted: Array, rows: int
) -> Counts | None:
    """Return whole numbers for all cells that meet each table; None where this way finds none.

    Requires: of each table the least and the largest counts, which differ by one at most; of
    equals, that tables agree where they share columns.
    """
    names: Names = ()
    found = np.array(rows)
    for own, low, high in bounds:
        shared = tuple(name for name in names if name in own)
        added = tuple(name for name in own if name not in names)
        margin = marginal_of(found, names, shared)
        order = (*shared, *added)
        least, most = _arrange(low, own, order), _arrange(high, own, order)
        counts = _between(least, most, margin, marginal_of(wanted, columns, order))
        if counts is None:
            return None
        kept = tuple(name for name in names if name not in shared)
        first = _arrange(found, names, (*shared, *kept))
        wide = marginal_of(wanted, columns, (*shared, *kept, *added))
        found = _match(first, counts, wide, len(shared), len(kept))
        names = (*shared, *kept, *added)
    return _arrange(found, names, columns)


def _arrange(table: NDArray[np.int64], names: Names, wanted: Names) -> NDArray[np.int64]:
    return table.transpose([names.index(name) for name in wanted])


def _between(low: Counts, high: Counts, margin: Counts, wanted: Array) -> Counts | None:
    """Return counts between two bounds with these sums over the axes after the margin's."""
    flat, most = low.reshape(margin.size, -1).copy(), high.reshape(margin.size, -1)
    near = wanted.reshape(margin.size, -1)
    left = margin.reshape(-1) - flat.sum(axis=1)
    is_open = most > flat
    if (left < 0).any() or (left > is_open.sum(axis=1)).any():
        return None
    gaps = np.where(is_open, near - flat, -np.inf)
    ranks = np.argsort(np.argsort(-gaps, axis=1, kind="stable"), axis=1)
    flat += ranks < left[:, None]
    return flat.reshape(low.shape)


def _match(first: Counts, second: Counts, wanted: Array, shared: int, kept: int) -> Counts:
    """Return counts over shared, kept and added axes with the sums of both tables."""
    groups = int(np.prod(first.shape[:shared]))
    one, two = first.reshape(groups, -1), second.reshape(groups, -1)
    near = wanted.reshape(groups, one.shape[1], two.shape[1])
    found = np.floor(np.maximum(near, 0.0))
    for sums, axis in ((one, 2), (two, 1)):
        # Where the whole parts are too many already, all of them are made smaller.
        own = found.sum(axis=axis)
        found *= np.expand_dims(np.minimum(1.0, sums / np.maximum(own, 1.0)), axis)
        found = np.floor(found)
    whole = found.astype(np.int64)
    rest_one, rest_two = one - whole.sum(axis=2), two - whole.sum(axis=1)
    order = np.argsort(-(near - found).reshape(-1), kind="stable")
    places = np.unravel_index(order, near.shape)
    left_one, left_two = rest_one.tolist(), rest_two.tolist()
    for group, a, b in zip(*(place.tolist() for place in places), strict=True):
        if left_one[group][a] and left_two[group][b]:
            left_one[group][a] -= 1
            left_two[group][b] -= 1
            whole[group, a, b] += 1
    # In both lists as many are left of each group, in the order of groups.
    ends = [np.repeat(np.arange(np.size(left)), np.ravel(left)) for left in (left_one, left_two)]
    np.add.at(whole, (ends[0] // one.shape[1], ends[0] % one.shape[1], ends[1] % two.shape[1]), 1)
    return whole.reshape(*first.shape, *second.shape[shared:])
