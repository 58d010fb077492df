"""Which columns the counts of a run can be of: what is read back may be no run at all.

The list of steps follows from the method, the declared columns and the workload, all of which are
public. Where a private choice, or noisy numbers, decided what was counted, it must be something
that they could decide on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import final

import numpy as np
from numpy.typing import NDArray

from noisewright.certificates import Certificate
from noisewright.errors import ReleaseError
from noisewright.releases.synthesis.certified_counts import (
    certified_counts,
    require_certified_noise,
)
from noisewright.synthetic import (
    Bins,
    Decider,
    Marginal,
    Measurement,
    ModelDistance,
    Spend,
    Workload,
    counts_with_most_linked,
    deciders,
    is_decided_so,
    shape_of,
    varying,
)

Names = tuple[str, ...]

_MOST_MATRIX = 1 << 24
"""Cells of all queries of a part together; those of a larger one are never counted one by one."""


@final
@dataclass(frozen=True, eq=False)
class CountedRun:
    """All that a file says of what was counted, and of what it follows from.

    `workload` is in bins, and None where it is not known: it has conditions of somebody's own.
    Requires: each measurement has a step of the same name, in their order.
    """

    method: str
    inference: str
    bins: Bins
    workload: Workload | None
    spends: tuple[Spend, ...]
    measurements: tuple[Measurement, ...]
    comparisons: tuple[ModelDistance, ...] = ()

    def require_possible(self) -> None:
        """Refuse counts that no run of the method has, in this order."""
        for one in self.measurements:
            if not one.columns or len({*one.columns}) < len(one.columns):
                raise ReleaseError(f"its counts of {one.name} are of no columns, or of one twice")
        if self.method == "blr" and (len(self.spends) > 1 or self.measurements):
            raise ReleaseError("method is 'blr', which makes one choice and counts nothing")
        if self.comparisons and (self.method, self.inference) != ("mst", "points"):
            raise ReleaseError(
                "distances from a model are measured by method='mst' with inference='points' alone"
            )
        first, rest = self.measurements[: len(self._first)], self._rest
        is_listed = all(decider == "list" for decider in self._deciders[: len(first)])
        if [(*one.columns, one.query) for one in first] != self._first or not is_listed:
            raise ReleaseError(
                f"method {self.method!r} first counts each column that it counts by itself, in "
                f"their order, which are {len(self._first):,} here; these are others"
            )
        is_possible = self._fits_mst if self.method == "mst" else self._fits_mwem
        for one, decider in rest:
            if not is_possible(one, decider):
                raise ReleaseError(
                    f"its counts of {one.name} are not what method {self.method!r} with inference "
                    f"{self.inference!r} counts in that place, for these columns and this workload"
                )

    def require_certified(self, proof: Certificate) -> None:
        """Refuse counts of other columns, or with other noise, than the certificate has steps for.

        Requires: as many of them, with the same parts.
        """
        steps = certified_counts(proof)
        for one, decider, step in zip(self.measurements, self._deciders, steps, strict=True):
            what = step["what"]
            if decider != "list":
                same = is_decided_so(what, decider, method=self.method, inference=self.inference)
            elif self._is_partnered(one):
                same = what == counts_with_most_linked(one.columns[0])
            else:
                same = what == f"counts of {one.name}"
            if not same:
                raise ReleaseError(
                    f"its counts of {one.name} are in the place of {what!r}, according to its "
                    "certificate"
                )
            require_certified_noise(one, step)

    @cached_property
    def _deciders(self) -> list[Decider]:
        return deciders(self.spends)

    @cached_property
    def _names(self) -> Names:
        return tuple(name for name, _ in self.bins.domain.columns)

    @cached_property
    def _first(self) -> list[Names]:
        """What is counted first: columns by themselves, none of them as a query."""
        names = self._names
        singles = varying(self.bins.domain, names) or names[:1]
        counted = {"mst": (*singles, *self.bins.counted), "mwem": self.bins.counted}
        return [(name, "") for name in counted.get(self.method, ())]

    @property
    def _rest(self) -> Iterator[tuple[Measurement, Decider]]:
        start = len(self._first)
        return zip(self.measurements[start:], self._deciders[start:], strict=True)

    def _is_partnered(self, one: Measurement) -> bool:
        """Tell whether a column is counted point by point once more, with another one."""
        return len(one.columns) > 1 and one.columns[0] in self.bins.counted

    @cached_property
    def _counts_pairs_first(self) -> bool:
        """Whether all pairs are counted without a choice: then what is chosen are larger ones."""
        return any(
            decider == "list"
            and len(one.columns) == 2
            and not (one.query or self._is_partnered(one))
            for one, decider in self._rest
        )

    def _fits_mst(self, one: Measurement, decider: Decider) -> bool:
        if self.inference != "points":
            return not one.query and len(one.columns) == 2 and self._is_asked(one.columns)
        if one.query:
            return decider == "list" and self._is_condition(one)
        if decider == "list" and self._is_partnered(one):
            name, other = one.columns[0], one.columns[1:]
            return other in [pair[1:] for pair in self.bins.partners.get(name, ())]
        if decider == "distances":
            return one.columns in {each.columns for each in self.comparisons}
        if decider == "choice" and (len(one.columns) > 2) != self._counts_pairs_first:
            return False
        return len(one.columns) > 1 and self._is_asked(one.columns)

    def _fits_mwem(self, one: Measurement, decider: Decider) -> bool:
        if self.workload is None:
            return set(one.columns) <= {*self._names}
        if one.query:
            return self._is_condition(one)
        parts = [part.columns for part in self.workload.parts if isinstance(part, Marginal)]
        return one.columns in self._drop_constants(parts) or one.columns in parts

    def _is_asked(self, columns: Names) -> bool:
        """Tell whether some part of the workload has these columns: pairs may be among others."""
        in_order = tuple(name for name in self._names if name in columns)
        if varying(self.bins.domain, in_order) != columns:
            return False
        if self.workload is None:
            return True
        parts = [part.columns for part in self.workload.parts]
        if len(columns) == 2:
            return any(set(columns) <= set(names) for names in parts)
        return set(columns) in [set(names) for names in self._drop_constants(parts)]

    def _drop_constants(self, parts: Iterable[Names]) -> list[Names]:
        return [varying(self.bins.domain, names) for names in parts]

    def _is_condition(self, one: Measurement) -> bool:
        """Tell whether the workload has a query of this name about these cells."""
        if self.workload is None:
            return set(one.columns) <= {*self._names}
        assert one.cells is not None
        return (one.columns, one.query, _pack(one.cells)) in self._conditions

    @cached_property
    def _conditions(self) -> frozenset[tuple[Names, str, bytes]]:
        """The queries of the workload about columns that some query is counted of."""
        domain, about = self.bins.domain, {one.columns for one in self.measurements if one.query}
        parts = () if self.workload is None else self.workload.parts
        found: set[tuple[Names, str, bytes]] = set()
        for part in parts:
            shape = shape_of(domain, part.columns)
            is_small = prod(shape) * part.count(domain) <= _MOST_MATRIX
            if part.columns in about and is_small and not isinstance(part, Marginal):
                rows = zip(part.labels(domain), part.masks(shape), strict=True)
                found |= {(part.columns, label, _pack(cells)) for label, cells in rows}
        return frozenset(found)


def _pack(cells: NDArray[np.bool_]) -> bytes:
    return np.packbits(cells.reshape(-1)).tobytes()
