"""How often each cell of some marginals occurs in a table: all that a synthesizer reads of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import TooLargeError
from noisewright.estimation import MOST_CELLS, TableCounter
from noisewright.spaces import Records
from noisewright.synthetic.workloads.workload_answers import Answers

if TYPE_CHECKING:
    from noisewright.synthetic.workloads.workload import Workload

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
        for names in groupings:
            require_cells(domain, names)
        order = list(dict.fromkeys(name for names in groupings for name in names))
        wanted = [tuple(order.index(name) for name in names) for names in groupings]
        counter = TableCounter(shape_of(domain, order), wanted)
        rows = 0
        for batch in batches:
            codes = [np.asarray(batch[name]) for name in order]
            rows += len(codes[0])
            counter.add(codes)
        return cls(domain, rows, dict(zip(groupings, counter.tables(), strict=True)))

    def answers(self, workload: Workload) -> Answers:
        """Return the answers of a workload whose groupings were counted."""
        found = [part.answers(self.counts[part.columns]) for part in workload.parts]
        counts = np.concatenate([*found, np.empty(0, dtype=np.int64)]).astype(np.int64)
        return Answers(workload, counts, self.rows)

    def __repr__(self) -> str:
        # Counts may be about raw data, so they are not shown.
        return f"<tallies of {self.rows:,} rows by {len(self.counts):,} sets of columns>"


def shape_of(domain: Records, names: Sequence[str]) -> tuple[int, ...]:
    """Return how many points each of these columns has."""
    spaces = domain.by_name
    return tuple(spaces[name].size for name in names)


def require_cells(domain: Records, names: Names) -> None:
    """Raise when these columns have too many cells to be counted together."""
    cells = prod(shape_of(domain, names))
    if cells > MOST_CELLS:
        raise TooLargeError(
            f"the columns {', '.join(names)} have {cells:,} cells together (at most "
            f"{MOST_CELLS:,}). Use fewer columns, or coarser ones.",
            size=cells,
        )


def varying(domain: Records, columns: Names) -> Names:
    """Return those of the columns that can hold more than one value, by what is declared.

    The counts of the others are the public number of rows, and need no noise.
    """
    spaces = domain.by_name
    return tuple(name for name in columns if spaces[name].size > 1)
