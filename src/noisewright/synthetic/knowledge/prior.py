"""A public table as the starting distribution: its different rows, and how often each occurs.

It must be public or already released: what is made may show every row of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError
from noisewright.spaces import Records
from noisewright.tables import Codes


@final
@dataclass(frozen=True, eq=False)
class Prior:
    """Different rows of a public table in codes of the domain, each with how often it occurs."""

    codes: Codes
    times: NDArray[np.int64]

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return int(self.times.sum())

    @classmethod
    def of(cls, batches: Iterable[Codes], domain: Records) -> Prior:
        """Read batches of codes; at least one row is required."""
        names = [name for name, _ in domain.columns]
        parts = [{name: np.asarray(batch[name], np.int64) for name in names} for batch in batches]
        if not sum(part[names[0]].size for part in parts):
            raise InputError("it has no rows. Give a public table with rows, or leave it out.")
        codes = {name: np.concatenate([part[name] for part in parts]) for name in names}
        return cls(*distinct(codes, np.ones(codes[names[0]].size, dtype=np.int64)))


def distinct(codes: Codes, weights: NDArray[Any]) -> tuple[dict[str, NDArray[Any]], NDArray[Any]]:
    """Return the different points among these, in order, each with the sum of its weights."""
    names = list(codes)
    order = np.lexsort([codes[name] for name in reversed(names)])
    placed = {name: codes[name][order] for name in names}
    is_new = np.zeros(order.size, dtype=np.bool_)
    is_new[:1] = True
    for name in names:
        is_new[1:] |= placed[name][1:] != placed[name][:-1]
    (starts,) = np.nonzero(is_new)
    sums = np.add.reduceat(weights[order], starts) if starts.size else weights[:0]
    return {name: values[starts] for name, values in placed.items()}, sums
