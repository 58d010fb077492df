"""A workload: all the counting queries that a release should answer well."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import prod
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, ParameterError, SpaceError, TooLargeError
from noisewright.spaces import Records, whole_number
from noisewright.synthetic.answers import Answers
from noisewright.synthetic.coded import coded_batches
from noisewright.synthetic.queries import (
    Conjunction,
    Marginal,
    Predicate,
    Queries,
    Ranges,
    column,
)

_MOST_CELLS = 1 << 24
"""Cells of one group-by; more are not counted at once."""

_MOST_MATRIX = 1 << 26


@final
@dataclass(frozen=True)
class Workload:
    """Counting queries over a declared domain; workloads on one domain add up with `+`.

    Build one with `Workload.marginals`, `.prefixes`, `.ranges`, `.conjunctions` or `.predicates`.
    """

    domain: Records
    parts: tuple[Queries, ...]

    @classmethod
    def marginals(
        cls, domain: Records, *, ways: int = 1, columns: Sequence[str] | None = None
    ) -> Workload:
        """Return every cell of every `ways` columns (of these columns, or of all)."""
        names = _names(domain, columns)
        wanted = whole_number(ways, name="ways", least=1)
        if wanted > len(names):
            raise ParameterError(f"ways is {wanted}, but there are only {len(names)} columns.")
        return cls(domain, tuple(Marginal(some) for some in combinations(names, wanted)))

    @classmethod
    def prefixes(cls, domain: Records, name: str) -> Workload:
        """Return 'at most v' for every point v of a column with an order, but the last."""
        space = _ordered(domain, name)
        return cls(domain, (Ranges((name,), tuple((0, code) for code in range(space.size - 1))),))

    @classmethod
    def ranges(
        cls, domain: Records, name: str, ends: Iterable[tuple[Any, Any]] | None = None
    ) -> Workload:
        """Return 'from a to b', both included, for these pairs of points, or for all pairs."""
        space = _ordered(domain, name)
        if ends is None:
            size = space.size
            if size * size > _MOST_MATRIX:
                raise TooLargeError(
                    f"all ranges of {space!r} are {size * (size + 1) // 2:,} queries. List some.",
                    size=size * size,
                )
            pairs = [(a, b) for a in range(size) for b in range(a, size)]
        else:
            pairs = [(space.code(a), space.code(b)) for a, b in ends]
        for a, b in pairs:
            if a > b:
                raise InputError(f"a range of {name!r} ends before it begins.")
        return cls(domain, (Ranges((name,), tuple(pairs)),))

    @classmethod
    def conjunctions(cls, domain: Records, conditions: Iterable[Mapping[str, Any]]) -> Workload:
        """Return one query per mapping: each named column has this value, or one of this set.

        Several values are a set, a frozenset or a list.
        """
        found: list[Queries] = []
        for condition in conditions:
            names = _names(domain, list(condition))
            if not names:
                raise InputError("a conjunction needs one condition at least.")
            codes = [
                tuple(
                    sorted(
                        {
                            column(domain, name).code(value)
                            for value in (
                                given if isinstance(given, (set, frozenset, list)) else [given]
                            )
                        }
                    )
                )
                for name, given in condition.items()
            ]
            found.append(Conjunction(names, tuple(codes)))
        return cls(domain, tuple(found))

    @classmethod
    def predicates(
        cls,
        domain: Records,
        conditions: Mapping[str, Callable[..., bool]],
        *,
        columns: Sequence[str],
    ) -> Workload:
        """Return one query per function: it is given the values of `columns`, in their order.

        Each function is asked once for every cell of the columns, never for a row of a table.
        """
        names = _names(domain, columns)
        _require_cells(domain, names)
        cells = list(product(*(column(domain, name).points for name in names)))
        parts = tuple(
            Predicate(names, tuple(c for c, cell in enumerate(cells) if true_for(*cell)), label)
            for label, true_for in conditions.items()
        )
        return cls(domain, parts)

    def __add__(self, other: Workload) -> Workload:
        if not isinstance(other, Workload):
            return NotImplemented
        if other.domain != self.domain:
            raise SpaceError("workloads add up only on one domain; these have different columns.")
        return Workload(self.domain, self.parts + other.parts)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many queries each part has."""
        return tuple(part.count(self.domain) for part in self.parts)

    @property
    def queries(self) -> int:
        """How many counting queries there are (k)."""
        return sum(self.sizes)

    @property
    def groupings(self) -> tuple[tuple[str, ...], ...]:
        """The sets of columns by which a table is grouped, each once."""
        return tuple(dict.fromkeys(part.columns for part in self.parts))

    def labels(self) -> list[str]:
        """Return what each query counts, in words, in the order of the answers."""
        return [label for part in self.parts for label in part.labels(self.domain)]

    def answers(self, table: Any) -> Answers:
        """Return the true answers on a table: one group-by for each set of columns.

        Requires: a mapping of columns, an Arrow table, a pandas or Polars frame, a list of records,
        or an iterator over batches of such; every value declared in the domain.
        Ensures: exact counts. They are about the raw data: they must not leave unless it is
        public or already private.
        """
        groupings = self.groupings
        needed = list(dict.fromkeys(name for names in groupings for name in names))
        shapes = {names: self._shape(names) for names in groupings}
        sums = {names: np.zeros(prod(shape), dtype=np.int64) for names, shape in shapes.items()}
        rows = 0
        for codes in coded_batches(table, self.domain, needed):
            rows += len(next(iter(codes.values()), ()))
            for names, shape in shapes.items():
                cell = codes[names[0]]
                for name, size in zip(names[1:], shape[1:], strict=True):
                    cell = cell * size + codes[name]
                sums[names] += np.bincount(cell, minlength=sums[names].size)
        found = [
            part.answers(sums[part.columns].reshape(shapes[part.columns])) for part in self.parts
        ]
        counts = np.concatenate([*found, np.empty(0, dtype=np.int64)]).astype(np.int64)
        return Answers(counts, rows, self.sizes)

    def answers_of_counts(self, counts: NDArray[np.int64]) -> Answers:
        """Return the answers on a table that has this many copies of each point of the domain."""
        values = np.asarray(counts)
        if values.shape != (self.domain.size,):
            raise InputError(
                f"there are {values.shape} counts; the domain has {self.domain.size:,} points."
            )
        return Answers(self.matrix() @ values, int(values.sum()), self.sizes)

    def matrix(self) -> NDArray[np.int64]:
        """Return the queries as zeros and ones: one row per query, one column per point."""
        return self._matrix

    @cached_property
    def _matrix(self) -> NDArray[np.int64]:
        size = self.domain.size
        if size * max(1, self.queries) > _MOST_MATRIX:
            raise TooLargeError(
                f"{self.queries:,} queries on {size:,} points do not fit into a matrix.",
                size=size * self.queries,
            )
        names = [name for name, _ in self.domain.columns]
        sizes = [space.size for _, space in self.domain.columns]
        places = dict(zip(names, np.unravel_index(np.arange(size), sizes), strict=True))
        blocks: list[NDArray[np.int64]] = [np.empty((0, size), dtype=np.int64)]
        for part in self.parts:
            shape = self._shape(part.columns)
            cells = prod(shape)
            one_hot = np.eye(cells, dtype=np.int64)
            block = np.stack([part.answers(row.reshape(shape)) for row in one_hot], axis=1)
            cell = np.ravel_multi_index([places[name] for name in part.columns], shape)
            blocks.append(block[:, cell])
        whole = np.concatenate(blocks)
        whole.setflags(write=False)
        return whole

    def _shape(self, names: tuple[str, ...]) -> tuple[int, ...]:
        _require_cells(self.domain, names)
        return tuple(column(self.domain, name).size for name in names)

    def __repr__(self) -> str:
        kinds = ", ".join(sorted({type(part).__name__.lower() for part in self.parts})) or "nothing"
        return f"<workload of {self.queries:,} queries ({kinds}) on {self.domain!r}>"


def _names(domain: Records, columns: Sequence[str] | None) -> tuple[str, ...]:
    if not isinstance(domain, Records):
        raise SpaceError(
            f"a workload needs a domain of named columns, Records(…); got {type(domain).__name__}."
        )
    known = [name for name, _ in domain.columns]
    names = tuple(known if columns is None else columns)
    for name in names:
        if name not in known:
            raise InputError(f"the domain has no column {name!r}; it has {', '.join(known)}.")
    if len(set(names)) < len(names):
        raise InputError("a column is named twice.")
    return names


def _ordered(domain: Records, name: str) -> Any:
    _names(domain, [name])
    space = column(domain, name)
    if not space.ordered:
        raise SpaceError(
            f"column {name!r} has no order, so it has no ranges. Use conjunctions with a set."
        )
    return space


def _require_cells(domain: Records, names: tuple[str, ...]) -> None:
    cells = prod(column(domain, name).size for name in names)
    if cells > _MOST_CELLS:
        raise TooLargeError(
            f"the columns {', '.join(names)} have {cells:,} cells together (at most "
            f"{_MOST_CELLS:,}). Use fewer columns, or coarser ones.",
            size=cells,
        )
