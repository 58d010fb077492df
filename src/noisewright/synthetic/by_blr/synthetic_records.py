"""Synthetic records: how many of each point of a domain, and the table that they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.public import public_methods
from noisewright.spaces import Records
from noisewright.synthetic.workloads.workload import Workload
from noisewright.synthetic.workloads.workload_answers import Answers


@public_methods
@final
@dataclass(frozen=True, eq=False)
class SyntheticRecords:
    """A synthetic database: `counts` copies of each point of the domain.

    Its records are listed in the order of the domain's points, which says nothing about the data.
    """

    domain: Records
    counts: NDArray[np.int64]

    @property
    def rows(self) -> int:
        """How many records there are."""
        return int(self.counts.sum())

    @property
    def records(self) -> list[tuple[Any, ...]]:
        """The records as tuples."""
        places = np.flatnonzero(self.counts).tolist()
        return [self.domain.point(p) for p in places for _ in range(int(self.counts[p]))]

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The records as one array for each column."""
        places = np.repeat(np.arange(self.counts.size), self.counts)
        sizes = [space.size for _, space in self.domain.columns]
        codes = np.unravel_index(places, sizes)
        named = zip(self.domain.columns, codes, strict=True)
        return {name: space.decode(code) for (name, space), code in named}

    def answers(self, workload: Workload) -> Answers:
        """Return the answers of a workload on these records."""
        return workload.answers_of_counts(self.counts)

    def __repr__(self) -> str:
        return f"<{self.rows:,} synthetic records of {self.domain!r}>"
