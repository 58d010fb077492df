"""Answers to a workload, and how far two sets of them are apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError
from noisewright.public import public_methods

if TYPE_CHECKING:
    from noisewright.synthetic.workloads.workload import Workload


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
        import pyarrow as pa

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
