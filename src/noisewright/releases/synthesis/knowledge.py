"""What is public about a table, as it was given: zeros, a starting table and totals, read once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, NoisewrightError, OutsideSpaceError
from noisewright.files import read_text
from noisewright.given import brief
from noisewright.plans import locate
from noisewright.relations import sql_table
from noisewright.releases.synthesis.declared import Columns, Declared
from noisewright.releases.synthesis.result import Synthesis
from noisewright.spaces import Categories, Records, Space, Subsets
from noisewright.synthetic import (
    Bins,
    Conjunction,
    Prior,
    PublicKnowledge,
    Totals,
    Workload,
    Zeros,
    shape_of,
)
from noisewright.tables import Field, TableReader, open_table, repeatable, table_codes

TotalsTable = tuple[tuple[str, ...], NDArray[np.int64]]

COUNT = "count"
"""The column of a table of totals that has them."""

_MOST_TOTAL = 1 << 48
_MOST_LISTED = 10


@final
@dataclass(frozen=True, eq=False)
class GivenKnowledge:
    """Zeros, a starting table and totals as they were given, on declared columns."""

    zeros: tuple[Conjunction, ...] = ()
    totals: tuple[TotalsTable, ...] = ()
    prior: Any = None
    columns: Columns | None = None
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(cls, columns: Columns, *, zeros: Any, prior: Any, totals: Any) -> GivenKnowledge:
        """Read what is small; the starting table is read when its bins are known."""
        tables, remarks = read_totals(totals, columns)
        made = cls(read_zeros(zeros, columns.domain), tables, prior, columns, remarks)
        named = [name for one in made.zeros for name in one.columns]
        _require_unlimited(columns, {*named, *made.columns_with_totals})
        return made

    @property
    def is_some(self) -> bool:
        """Whether anything was given."""
        return bool(self.zeros or self.totals) or self.prior is not None

    @property
    def columns_with_totals(self) -> set[str]:
        """The columns that totals are about: they are kept point by point, not in bins."""
        return {name for names, _ in self.totals for name in names}

    def on(self, grid: Bins) -> PublicKnowledge:
        """Return it on a grid; zeros that leave no row possible are refused."""
        if grid.widths not in self._read:
            self._read[grid.widths] = self._on(grid)
        return self._read[grid.widths]

    @cached_property
    def _read(self) -> dict[Any, PublicKnowledge]:
        """What was read: tasks that differ in their noise alone share it."""
        return {}

    def _on(self, grid: Bins) -> PublicKnowledge:
        zeros = Zeros(grid, self.zeros) if self.zeros else None
        totals = Totals(grid.domain, self.totals, zeros) if self.totals else None
        prior = None if self.columns is None else read_prior(self.prior, self.columns, grid)
        if zeros is not None and prior is not None:
            _require_some_possible(prior, zeros)
        return PublicKnowledge(zeros, prior, totals)


def _require_unlimited(columns: Columns, named: set[str]) -> None:
    """Refuse zeros and totals of items of sets of limited size: items move between such sets."""
    for name, part in columns.split.parts.items():
        space = columns.schema.fields[name].space
        if isinstance(space, Subsets) and space.largest is not None:
            both = sorted(named.intersection(part.columns))
            if both:
                raise InputError(
                    f"zeros and totals name {both[0]!r}, an item of the sets in {name!r}, which "
                    f"have at most {space.largest} items. Items of larger sets are moved to other "
                    "rows, so that neither could be kept. Declare the sets without largest=…, or "
                    "leave these zeros and totals out."
                )


def read_zeros(given: Any, domain: Records) -> tuple[Conjunction, ...]:
    """Return conditions that no row meets: as conjunctions of a workload are given, or its file."""
    if given is None or (isinstance(given, list | tuple | Mapping) and not given):
        return ()
    if isinstance(given, str | os.PathLike):
        text = read_text(given, what="the zeros")
        found = locate(f"the zeros in {given}", lambda: Workload.from_toml(text, domain))
    elif isinstance(given, Workload):
        # Codes are those of its own domain.
        if given.domain != domain:
            raise InputError(
                "the zeros are a workload on other columns than those that are declared. Make it "
                "on the same domain, or give zeros as conditions, such as [{'sex': 'male', "
                "'pregnant': 'yes'}]."
            )
        found = given
    elif isinstance(given, Iterable):
        if isinstance(given, Mapping) and not all(
            isinstance(one, Mapping) for one in given.values()
        ):
            raise InputError(
                "zeros is one condition; give a list of them, as in zeros=[{'sex': 'male', "
                "'pregnant': 'yes'}], or a mapping from names to conditions."
            )
        found = Workload.conjunctions(domain, given)
    else:
        raise InputError(
            f"zeros is {brief(given)}; give conditions that no row meets, such as [{{'sex': "
            "'male', 'pregnant': 'yes'}], or the path of a workload of conjunctions."
        )
    others = [part for part in found.parts if not isinstance(part, Conjunction)]
    if others:
        raise InputError(
            f"zeros has {type(others[0]).__name__.lower()}; each zero must be a conjunction: a "
            'condition on each of some columns (in a file, kind = "conjunction").'
        )
    return tuple(part for part in found.parts if isinstance(part, Conjunction))


def read_prior(given: Any, columns: Columns, grid: Bins) -> Prior | None:
    """Return a public table as the different rows that it has, in codes of the grid."""
    if given is None:
        return None
    if sql_table(given) is not None:
        raise InputError(
            "the prior is a table of a database. Read it first: give a file, an Arrow table or a "
            "data frame."
        )
    if isinstance(given, Synthesis):
        given = given.table
    # Rows of a public table are nobody's, and what else it has is not read.
    schema = replace(columns.schema, person=None, others="drop")
    try:
        read = Declared.of(repeatable(given), Columns(schema, columns.budget))
        batches = ({n: codes[n] for n in columns.names} for codes in read.batches(None))
        return Prior.of(grid.batches(batches), grid.domain)
    except NoisewrightError as problem:
        problem.args = (f"the prior: {problem}",)
        raise


def _require_some_possible(prior: Prior, zeros: Zeros) -> None:
    if not zeros.are_possible(prior.codes, prior.times.size).any():
        raise InputError(
            "every row of the prior meets one of the zeros, so there is nothing to start from. "
            "Correct the zeros or the prior, or leave one out."
        )


def read_totals(given: Any, columns: Columns) -> tuple[tuple[TotalsTable, ...], tuple[str, ...]]:
    """Return tables of public totals, and what is to be said about them.

    There may be one, several in a list, or {column: {value: count}}.
    """
    if given is None:
        return (), ()
    if isinstance(given, Mapping) and all(isinstance(one, Mapping) for one in given.values()):
        listed = [_from_mapping(str(name), one) for name, one in given.items()]
    elif isinstance(given, list | tuple) and not _are_records(given):
        listed = [one for each in given for one in _each(each)]
    else:
        listed = [given]
    if not listed:
        raise InputError("totals is empty. Leave it out, or give {'region': {'north': 120, …}}.")
    read = [_table(one, columns, number) for number, one in enumerate(listed, start=1)]
    found = [table for table, _ in read]
    twice = [
        names
        for place, (names, _) in enumerate(found)
        for other, _ in found[:place]
        if set(names) == set(other)
    ]
    if twice:
        raise InputError(f"there are two tables of totals by {' × '.join(twice[0])}; give one.")
    return tuple(found), tuple(remark for _, remarks in read for remark in remarks)


def _each(given: Any) -> list[Any]:
    if isinstance(given, Mapping) and all(isinstance(one, Mapping) for one in given.values()):
        return [_from_mapping(str(name), one) for name, one in given.items()]
    return [given]


def _are_records(given: Sequence[Any]) -> bool:
    """Tell whether these are the rows of one table; a table of columns has a count for each row."""
    return bool(given) and all(
        isinstance(one, Mapping)
        and COUNT in one
        and (isinstance(one[COUNT], str) or not hasattr(one[COUNT], "__len__"))
        for one in given
    )


def _from_mapping(name: str, counts: Mapping[Any, Any]) -> dict[str, list[Any]]:
    return {name: list(counts), COUNT: list(counts.values())}


def _table(given: Any, columns: Columns, number: int) -> tuple[TotalsTable, list[str]]:
    where = f"totals {number}"
    if isinstance(given, Mapping) and given and all(isinstance(one, int) for one in given.values()):
        raise InputError(
            f"{where} has counts, and not the column that they are of: name the column, as in "
            "totals={'region': {'north': 120, 'south': 80}}."
        )
    if COUNT in columns.names:
        raise InputError(
            f"a declared column is called {COUNT!r}, as the column of a table of totals is. Rename "
            "the declared one."
        )
    try:
        table = _read(given)
    except NoisewrightError as problem:
        problem.args = (f"{where}: {problem}",)
        raise
    if COUNT not in table.column_names:
        raise InputError(
            f"{where} has no column {COUNT!r}; it has {', '.join(map(repr, table.column_names))}. "
            "A table of totals has some declared columns, and the number of rows of each cell as "
            f"{COUNT!r}."
        )
    names = tuple(name for name in table.column_names if name != COUNT)
    unknown = [name for name in names if name not in columns.names]
    if unknown or not names:
        raise InputError(
            f"{where} is about {', '.join(map(repr, unknown)) or 'no column'}; it must have "
            f"declared columns: {', '.join(map(repr, columns.names))}."
        )
    spaces, declared = columns.domain.by_name, columns.schema.fields
    fields = {name: declared.get(name, Field.of(spaces[name])) for name in names}
    counts = _whole_numbers(table.column(COUNT).to_pylist(), where)
    codes = {name: _codes(table, name, fields[name], where) for name in names}
    shape = shape_of(columns.domain, names)
    places = np.ravel_multi_index([codes[name].astype(np.int64) for name in names], shape)
    if np.unique(places).size < places.size:
        raise InputError(f"{where} has a cell twice. Give each combination of values once.")
    found = np.zeros(shape, dtype=np.int64)
    found.reshape(-1)[places] = counts
    left_out = [
        f"The totals by {' × '.join(names)} leave out {_list_values(spaces[name], missing)} of "
        f"{name!r}: no synthetic row has any of these."
        for name in names
        if (missing := np.setdiff1d(np.arange(spaces[name].size), codes[name]).tolist())
    ]
    return (names, found), left_out


def _codes(table: Any, name: str, field: Field, where: str) -> NDArray[Any]:
    """Return the codes of a column of totals, which are public: an error shows the value."""
    try:
        pieces = [piece[name] for piece in table_codes(table, {name: field}, (name,))]
        return np.concatenate(pieces)
    except OutsideSpaceError as problem:
        if problem.row is None:
            problem.args = (f"{where}: {problem}",)
            raise
        cell, row, why = table.column(name)[problem.row].as_py(), problem.row, problem.why
        space = field.space
        labels = (
            f": {_list_values(space, range(space.size))}" if isinstance(space, Categories) else ""
        )
        raise OutsideSpaceError(
            f"{where}: the column {name!r} has {brief(cell)} at row {row + 1:,}, which {why}"
            f"{labels}. Totals are of declared values: correct this one, or leave it out if no row "
            "has it.",
            row=row,
            why=why,
        ) from None
    except NoisewrightError as problem:
        problem.args = (f"{where}: {problem}",)
        raise


def _list_values(space: Space, codes: Sequence[int]) -> str:
    """Return some of the values of a space, and how many more there are."""
    shown = ", ".join(brief(space.point(code)) for code in codes[:_MOST_LISTED])
    more = len(codes) - _MOST_LISTED
    return f"{shown} and {more:,} more" if more > 0 else shown


def _read(given: Any) -> Any:
    from noisewright.on_use import pa

    if isinstance(given, pa.Table):
        return given
    reader = open_table(repeatable(given))
    assert isinstance(reader, TableReader)
    batches = list(reader.batches(list(reader.schema.names)))
    return pa.Table.from_batches(batches, schema=batches[0].schema if batches else reader.schema)


def _whole_numbers(given: list[Any], where: str) -> list[int]:
    found: list[int] = []
    for value in given:
        try:
            number = int(value)
            same = isinstance(value, str) or number == value
        except (TypeError, ValueError, OverflowError):
            number, same = -1, False
        if not same or not 0 <= number <= _MOST_TOTAL:
            raise InputError(
                f"{where}: a {COUNT} is {brief(value)}; it must be a whole number from 0 to "
                f"{_MOST_TOTAL:,}."
            )
        found.append(number)
    if not found:
        raise InputError(f"{where} has no rows. Give the number of rows of each cell.")
    return found
