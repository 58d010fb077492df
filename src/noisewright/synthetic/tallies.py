"""How often each cell of some marginals occurs in a table: all that a synthesizer reads of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.spaces import Records
from noisewright.synthetic.answers import Answers
from noisewright.synthetic.workload import Workload

Names = tuple[str, ...]


@final
@dataclass(frozen=True, eq=False, repr=False)
class Tallies:
    """Counts of a table by some sets of columns, each as an array with one axis for a column."""

    domain: Records
    rows: int
    counts: Mapping[Names, NDArray[np.int64]]

    @classmethod
    def of(
        cls, batches: Iterable[Mapping[str, Any]], domain: Records, groupings: Sequence[Names]
    ) -> Tallies:
        """Count batches of codes, one array for each column; each batch is seen once."""
        shapes = {names: shape_of(domain, names) for names in groupings}
        sums = {names: np.zeros(prod(shape), dtype=np.int64) for names, shape in shapes.items()}
        rows = 0
        for batch in batches:
            codes = {name: np.asarray(values, dtype=np.int64) for name, values in batch.items()}
            rows += len(next(iter(codes.values())))
            for names, shape in shapes.items():
                cell = codes[names[0]]
                for name, size in zip(names[1:], shape[1:], strict=True):
                    cell = cell * size + codes[name]
                sums[names] += np.bincount(cell, minlength=sums[names].size)
        return cls(domain, rows, {n: sums[n].reshape(shape) for n, shape in shapes.items()})

    def answers(self, workload: Workload) -> Answers:
        """Return the answers of a workload whose groupings were counted."""
        found = [part.answers(self.counts[part.columns]) for part in workload.parts]
        counts = np.concatenate([*found, np.empty(0, dtype=np.int64)]).astype(np.int64)
        return Answers(counts, self.rows, workload.sizes)

    def __repr__(self) -> str:
        # Counts may be about raw data, so they are not shown.
        return f"<tallies of {self.rows:,} rows by {len(self.counts):,} sets of columns>"


def shape_of(domain: Records, names: Sequence[str]) -> tuple[int, ...]:
    """Return how many points each of these columns has."""
    spaces = dict(domain.columns)
    return tuple(spaces[name].size for name in names)
