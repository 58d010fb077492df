"""A workload: all the counting queries that a release should answer well."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb, prod
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, ParameterError, SpaceError, TooLargeError
from noisewright.files import read_text, save_whole
from noisewright.given import amount
from noisewright.public import public_methods
from noisewright.spaces import Categories, Records, Space, whole_number
from noisewright.synthetic.tables_in_databases import TableInDatabase
from noisewright.synthetic.tallies import Answers, Tallies, require_cells, shape_of
from noisewright.synthetic.workloads.conditions import (
    ask_cells,
    code_of,
    read_condition,
    require_order,
)
from noisewright.synthetic.workloads.counting_queries import (
    Conjunction,
    Ends,
    Marginal,
    Predicate,
    Prefixes,
    Queries,
    Ranges,
)
from noisewright.tables import Field, table_codes

_MOST_QUERIES = 1 << 24
_MOST_MATRIX = 1 << 26
_MOST_PARTS = 1 << 18

Domain = Records | Mapping[str, Space | Iterable[Any]]


@public_methods
@final
@dataclass(frozen=True)
class Workload:
    """Counting queries over a declared domain; workloads on one domain add up with `+`.

    Build one with `Workload.marginals`, `.prefixes`, `.ranges`, `.conjunctions` or `.predicates`,
    or read one with `Workload.read`. They take the domain as `Records`, or as a mapping from
    columns to spaces or lists of labels.
    """

    domain: Records
    parts: tuple[Queries, ...]

    def __post_init__(self) -> None:
        _names(self.domain, None)
        known = {name for name, _ in self.domain.columns}
        for part in self.parts:
            if len(known.intersection(part.columns)) != len(part.columns):
                # Says what is wrong.
                _names(self.domain, part.columns)

    @classmethod
    def marginals(
        cls,
        domain: Domain,
        *,
        ways: int | Iterable[int] = 1,
        columns: Sequence[str] | None = None,
    ) -> Workload:
        """Return every cell of every `ways` columns (of these columns, or of all).

        Every conjunction that gives `ways` columns one value each is such a cell. `ways` may be
        several numbers, as in `ways=[1, 2]`.
        """
        domain = read_domain(domain)
        names = _names(domain, columns)
        listed = ways if isinstance(ways, Iterable) else [ways]
        parts: list[Queries] = []
        for one in listed:
            wanted = whole_number(one, name="ways", least=1)
            if wanted > len(names):
                raise ParameterError(
                    f"ways is {wanted}, more than there are columns: {len(names)}."
                )
            _require_parts(len(parts) + comb(len(names), wanted), wanted)
            parts += [Marginal(some) for some in combinations(names, wanted)]
        return cls(domain, _some(parts, "ways"))

    @classmethod
    def prefixes(cls, domain: Domain, columns: str | Sequence[str]) -> Workload:
        """Return 'at most v' for every point v of a column with an order, but the last.

        With several columns: at most v in the first, at most w in the second …, for all v, w.
        """
        domain = read_domain(domain)
        names = _ordered_columns(domain, columns)
        _require_queries(prod(shape_of(domain, names)), f"all prefixes of {', '.join(names)}")
        return cls(domain, (Prefixes(names),))

    @classmethod
    def ranges(
        cls,
        domain: Domain,
        columns: str | Sequence[str],
        ends: Iterable[Any] | None = None,
    ) -> Workload:
        """Return 'from a to b', both included, for these pairs of points, or for all pairs.

        With a list of columns each query has a pair for each of them, and counts a box:
        `ranges(domain, ["age", "income"], [[(20, 29), (0, 100)]])`.
        """
        domain = read_domain(domain)
        names = _ordered_columns(domain, columns)
        if ends is None:
            every = Ranges(names)
            _require_queries(every.count(domain), f"all ranges of {', '.join(names)}")
            return cls(domain, (every,))
        boxes = [[pair] if isinstance(columns, str) else pair for pair in ends]
        listed = tuple(_box(domain, names, box) for box in _some(boxes, "ends"))
        return cls(domain, (Ranges(names, listed),))

    @classmethod
    def conjunctions(
        cls,
        domain: Domain,
        conditions: Iterable[Mapping[str, Any]] | Mapping[str, Mapping[str, Any]],
    ) -> Workload:
        """Return one query per mapping from columns to what they must be, all at once.

        That is a value, a list or set of values, `{"at_least": a, "at_most": b}` (or one of the
        two) for a column with an order, or `{"not": …}`. A mapping from names to such mappings
        gives the queries names.
        """
        domain = read_domain(domain)
        if isinstance(conditions, Mapping):
            named: list[tuple[str, Any]] = [(str(name), c) for name, c in conditions.items()]
        else:
            named = [("", condition) for condition in conditions]
        found: list[Queries] = []
        for label, condition in named:
            if not isinstance(condition, Mapping):
                raise InputError(
                    f"a conjunction is a {type(condition).__name__}; it must be a mapping from "
                    "columns to values, as in conjunctions(domain, [{'job': 'cook'}])."
                )
            names = _names(domain, list(condition))
            if not names:
                raise InputError("a conjunction needs at least one condition.")
            allowed = tuple(read_condition(domain, name, condition[name]) for name in names)
            found.append(Conjunction(names, allowed, label))
        return cls(domain, _some(found, "conditions"))

    @classmethod
    def predicates(
        cls,
        domain: Domain,
        conditions: Mapping[str, Callable[..., Any]],
        *,
        columns: Sequence[str],
        vectorized: bool = False,
    ) -> Workload:
        """Return one query per function: it is given the values of `columns`, in their order.

        Each function is asked once for every cell of the columns, never for a row of a table. With
        `vectorized` it is called once, with an array of values for each column that has an entry
        for each cell, and returns as many truth values.
        """
        domain = read_domain(domain)
        names = _some(_names(domain, columns), "columns")
        require_cells(domain, names)
        if not all(isinstance(label, str) and label for label in conditions):
            raise InputError("every condition needs a name, such as {'young': lambda age: …}.")
        spaces = [domain.by_name[name] for name in names]
        parts = [
            Predicate.of(names, ask_cells(spaces, true_for, label, vectorized), label)
            for label, true_for in conditions.items()
        ]
        return cls(domain, _some(parts, "conditions"))

    @classmethod
    def from_toml(cls, text: str, domain: Domain) -> Workload:
        """Read a workload on this domain from TOML."""
        from noisewright.synthetic.workloads.workload_toml import read_workload

        return read_workload(text, read_domain(domain))

    @classmethod
    def read(cls, path: str | os.PathLike[str], domain: Domain) -> Workload:
        """Read a workload on this domain from a TOML file."""
        return cls.from_toml(read_text(path, what="the workload"), domain)

    def to_toml(self) -> str:
        """Return the workload as the text of a TOML file; functions cannot be written."""
        from noisewright.synthetic.workloads.workload_toml import workload_text

        return workload_text(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the workload to a TOML file, whole or not at all."""
        return save_whole(path, self.to_toml().encode(), what="the workload")

    def __add__(self, other: Workload) -> Workload:
        if not isinstance(other, Workload):
            return NotImplemented
        if other.domain != self.domain:
            raise SpaceError("workloads add up only on one domain; these have different columns.")
        return Workload(self.domain, self.parts + other.parts)

    def __radd__(self, other: Any) -> Workload:
        # So that sum() works, which starts with 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

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
        """Return the true answers on a table: it is grouped once for each set of columns.

        Requires: a mapping of columns, an Arrow table, a pandas or Polars frame, a list of records,
        or an iterator over batches of such; or a table of DuckDB, PostgreSQL or Spark, which is
        counted where it is. Every value is declared in the domain.
        Ensures: exact counts. They are about the raw data: they must not leave unless it is
        public or already private.
        """
        _some(self.parts, "the workload")
        groupings = self.groupings
        needed = list(dict.fromkeys(name for names in groupings for name in names))
        fields = {name: Field.of(space) for name, space in self.domain.columns}
        known = TableInDatabase.of(table, {name: fields[name] for name in needed})
        if known is not None:
            return known.tallies(self.domain, groupings).answers(self)
        batches = table_codes(table, fields, needed)
        return Tallies.of(batches, self.domain, groupings).answers(self)

    def answers_of_counts(self, counts: NDArray[np.int64]) -> Answers:
        """Return the answers on a table that has this many copies of each point of the domain."""
        values = np.asarray(counts)
        if values.shape != (self.domain.size,):
            raise InputError(
                f"there are {values.shape} counts; the domain has {self.domain.size:,} points."
            )
        return Answers(self, self.matrix() @ values, int(values.sum()))

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
            shape = shape_of(self.domain, part.columns)
            cell = np.ravel_multi_index([places[name] for name in part.columns], shape)
            blocks.append(part.masks(shape)[:, cell].astype(np.int64))
        whole = np.concatenate(blocks)
        whole.setflags(write=False)
        return whole

    def __repr__(self) -> str:
        kinds = ", ".join(sorted({type(part).__name__.lower() for part in self.parts})) or "nothing"
        return f"<workload of {self.queries:,} queries ({kinds}) on {self.domain!r}>"


def read_domain(domain: Domain) -> Records:
    """Return the domain as records, also if it is a mapping to spaces or lists of labels."""
    if not isinstance(domain, Mapping):
        return domain
    columns: dict[str, Any] = {
        name: Categories(given) if isinstance(given, list | tuple) else given
        for name, given in domain.items()
    }
    return Records(columns)


def _names(domain: Records, columns: Sequence[str] | None) -> tuple[str, ...]:
    if not isinstance(domain, Records):
        raise SpaceError(
            f"a workload needs a domain of named columns, Records(…); got {type(domain).__name__}."
        )
    if isinstance(columns, str):
        raise InputError(f"columns is the text {columns!r}; give a list of columns.")
    known = [name for name, _ in domain.columns]
    names = tuple(known if columns is None else columns)
    for name in names:
        if name not in known:
            raise InputError(f"the domain has no column {name!r}; it has {', '.join(known)}.")
    if len(set(names)) < len(names):
        raise InputError("a column is named twice.")
    return names


def _ordered_columns(domain: Records, columns: str | Sequence[str]) -> tuple[str, ...]:
    names = _names(domain, [columns] if isinstance(columns, str) else columns)
    for name in _some(names, "columns"):
        require_order(domain.by_name[name], name)
    return names


def _box(domain: Records, names: tuple[str, ...], box: Any) -> Ends:
    """Read the two ends for each column."""
    pairs: list[Any] = list(box) if isinstance(box, (list, tuple)) else []
    if len(pairs) != len(names) or not all(
        isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in pairs
    ):
        raise InputError(
            f"a range of {', '.join(names)} needs two ends for each column, as in "
            + ("[(20, 29), (30, 39)]." if len(names) == 1 else "[[(20, 29), (0, 100)]].")
        )
    spaces = [domain.by_name[name] for name in names]
    found = tuple(
        (code_of(space, name, a), code_of(space, name, b))
        for name, space, (a, b) in zip(names, spaces, pairs, strict=True)
    )
    for name, (low, high) in zip(names, found, strict=True):
        if low > high:
            raise InputError(f"a range of {name!r} ends before it begins.")
    return found


def _some(listed: Any, what: str) -> Any:
    """Return what is listed as a tuple; nothing at all is almost always a mistake."""
    found = tuple(listed)
    if not found:
        raise InputError(f"{what} is empty, so there is nothing to count.")
    return found


def _require_parts(parts: int, ways: int) -> None:
    if parts > _MOST_PARTS:
        raise TooLargeError(
            f"these are {amount(parts)} tables of up to {ways} columns (at most {_MOST_PARTS:,}). "
            "Name the columns that matter (columns=), take fewer of them at once (ways=2), or "
            "list the tables that you need.",
            size=parts,
        )


def _require_queries(queries: int, what: str) -> None:
    if queries > _MOST_QUERIES:
        raise TooLargeError(
            f"{what} are {queries:,} queries (at most {_MOST_QUERIES:,}). List some.", size=queries
        )
