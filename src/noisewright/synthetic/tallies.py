"""How often each cell of some marginals occurs in a table, and the answers that follow from it.

This is all that a synthesizer reads of a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, TooLargeError
from noisewright.estimation import MOST_CELLS, TableCounter
from noisewright.on_use import pa
from noisewright.public import public_methods
from noisewright.spaces import Records

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


@public_methods
@final
@dataclass(frozen=True, eq=False)
class Answers:
    """Counts of one table of so many rows, one for each query of a workload."""

    workload: Workload
    counts: NDArray[np.int64]
    rows: int

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many queries belong to each part: the cells of one marginal, for example."""
        return self.workload.sizes

    @property
    def shares(self) -> NDArray[np.float64]:
        """The share of the rows that each query counts."""
        return self.counts / max(self.rows, 1)

    def columns(self) -> dict[str, list[Any]]:
        """Return the answers as columns, one row per query: query, count, share."""
        return {
            "query": self.workload.labels(),
            "count": self.counts.tolist(),
            "share": self.shares.tolist(),
        }

    def table(self) -> Any:
        """Return the answers as an Arrow table, one row per query."""
        return pa.table(self.columns())

    def to_pandas(self) -> Any:
        """Return the answers as a pandas data frame, if pandas is installed."""
        return self.table().to_pandas()

    def distance(self, other: Answers) -> WorkloadDistance:
        """Return how far the shares of two tables are apart; they may have different sizes."""
        if self.workload.parts != other.workload.parts or self.sizes != other.sizes:
            raise InputError("these answers belong to different workloads.")
        gaps = np.abs(self.shares - other.shares)
        starts = np.cumsum([0, *self.sizes])[:-1]
        sums = np.add.reduceat(gaps, starts) if gaps.size else np.zeros(1)
        return WorkloadDistance(
            largest=float(gaps.max(initial=0.0)),
            mean=float(gaps.mean()) if gaps.size else 0.0,
            l1=float(sums.mean()),
        )

    def __repr__(self) -> str:
        # Counts may be about raw data, so they are not shown.
        return f"<answers to {len(self.counts):,} queries on {self.rows:,} rows>"


@final
@dataclass(frozen=True)
class WorkloadDistance:
    """How far two sets of answers are apart, in shares.

    `largest` over all queries, `mean` of all queries, and `l1`: the differences of each part added
    up (over the cells of a marginal), then the mean over the parts.
    """

    largest: float
    mean: float
    l1: float

    def __str__(self) -> str:
        return f"max {self.largest:.4g}, mean {self.mean:.4g}, L1 {self.l1:.4g}"
