"""Sheets of Excel and OpenDocument workbooks, read by python-calamine.

Columns of a sheet have no types: each cell is a number, a text, a truth value or a date. The schema
decides how a column is read, as with CSV.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, final

from noisewright.errors import DataError, InputError, MissingPartError, ParameterError
from noisewright.files import require_path
from noisewright.given import brief
from noisewright.public import public_methods
from noisewright.spaces import Categories, Dates, Subsets
from noisewright.tables.cell_types import is_list
from noisewright.tables.field import Field
from noisewright.tables.files.csv_layout import read_header, require_as_many_names
from noisewright.tables.files.frames import open_frame
from noisewright.tables.files.list_texts import split_text
from noisewright.tables.files.table_reader import TableReader
from noisewright.tables.plain_cells import number_in
from noisewright.tables.schema import Schema

WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
"""What the name of a workbook ends in."""


@public_methods
@final
@dataclass(frozen=True, init=False)
class Excel(os.PathLike[str]):
    """A sheet of a workbook; pass it wherever you can pass the path of a table.

    Requires: `sheet` is its name, and may be left out of a workbook with one sheet. `header` and
    `names` are as for `CSV`: the first row holds names unless header=False.
    """

    path: str
    sheet: str | None
    header: bool | None
    names: tuple[str, ...] | None

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        sheet: str | None = None,
        header: bool | None = None,
        names: Iterable[str] | None = None,
    ) -> None:
        require_path(path)
        if sheet is not None and not isinstance(sheet, str):
            raise ParameterError(f"sheet is {brief(sheet)}; it must be the name of a sheet.")
        object.__setattr__(self, "path", os.fspath(path))
        object.__setattr__(self, "sheet", sheet)
        object.__setattr__(self, "header", header)
        object.__setattr__(self, "names", read_header(header, names))

    def __fspath__(self) -> str:
        """Return the path of the workbook."""
        return self.path


def as_excel(data: Any) -> Excel | None:
    """Return what is a workbook, by what it is or by its name; None for anything else."""
    if isinstance(data, Excel):
        return data
    if isinstance(data, (str, os.PathLike)):
        name = os.fspath(data)
        if isinstance(name, str) and name.lower().endswith(WORKBOOKS) and not os.path.isdir(name):
            return Excel(name)
    return None


def sheet_names(file: Excel, *, declared: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names of the columns of a sheet; `declared` are those of one without a header."""
    return _split_header(file, _rows(file), declared)[0]


def open_sheet(file: Excel, schema: Schema | None) -> TableReader:
    """Open a sheet for reading; it is held in memory."""
    names, rows = _split_header(file, _rows(file), () if schema is None else schema.names)
    fields = {} if schema is None else schema.fields
    columns = {
        name: _column([_plain(row[place]) for row in rows], fields.get(name))
        for place, name in enumerate(names)
    }
    if len(columns) < len(names):
        raise DataError(f"two columns of {file.path} have the same name. Rename one of them.")
    reader = open_frame(columns, schema)
    reader.name = file.path
    return reader


def _rows(file: Excel) -> list[list[Any]]:
    try:
        import python_calamine as calamine
    except ImportError:
        raise MissingPartError(
            "workbooks are read with python-calamine, which is not installed. Install it with "
            "pip install 'noisewright[excel]', or save the sheet as CSV."
        ) from None
    with open(file.path, "rb"):
        pass  # the operating system says best what is wrong with a path
    try:
        workbook: Any = calamine.CalamineWorkbook.from_path(file.path)
        known: list[str] = workbook.sheet_names
        sheet = file.sheet if file.sheet is not None or len(known) != 1 else known[0]
        rows = workbook.get_sheet_by_name(sheet).to_python() if sheet in known else None
    except (calamine.CalamineError, OSError, ValueError):
        raise DataError(
            f"cannot read {file.path}: it is not a workbook of Excel or OpenDocument, or it is "
            "damaged or has a password. Check that it opens, or save the sheet as CSV."
        ) from None
    if sheet is None:
        raise InputError(
            f"{file.path} has {len(known)} sheets; name one with --sheet (nw.Excel(path, "
            'sheet="…") in Python).'
        )
    if rows is None:
        raise InputError(f"{file.path} has no sheet called {sheet!r}; it has {len(known)} others.")
    while rows and all(cell == "" for cell in rows[-1]):
        rows.pop()
    if not rows:
        raise DataError(f"the sheet of {file.path} is empty; its first row must hold names.")
    return rows


def _split_header(
    file: Excel, rows: list[list[Any]], declared: Sequence[str]
) -> tuple[tuple[str, ...], list[list[Any]]]:
    if file.header is False:
        return require_as_many_names(file, declared, len(rows[0])), rows
    return tuple(_text(cell) for cell in rows[0]), rows[1:]


def _plain(cell: Any) -> Any:
    """Return a cell; an empty one is None, and whole numbers, which sheets lack, are such."""
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    return None if isinstance(cell, str) and not cell.strip() else cell


def _text(cell: Any) -> str:
    whole = _plain(cell)
    return "" if whole is None else whole.isoformat() if _is_date(whole) else str(whole)


def _is_date(cell: Any) -> bool:
    return isinstance(cell, (datetime.date, datetime.time))


def _column(cells: list[Any], field: Field | None) -> list[Any]:
    """Return cells as what the field takes: texts of numbers where labels are texts, and so on."""
    if field is None:
        kinds = {type(cell) for cell in cells if cell is not None}
        mixed = len(kinds) > 1 and not kinds <= {int, float}
        return [None if cell is None else _text(cell) for cell in cells] if mixed else cells
    space = field.space
    if isinstance(space, Categories) and all(isinstance(label, str) for label in space.labels):
        return [None if cell is None else _text(cell) for cell in cells]
    if is_list(field.cells.type):
        items = space.items if isinstance(space, Subsets) else (0,)
        numbers = not any(isinstance(item, str) for item in items)
        texts = [None if cell is None else _text(cell) for cell in cells]
        return [split_text(text, field.separator, numbers=numbers) for text in texts]
    if isinstance(space, (Categories, Dates)):
        return cells
    return [_number(cell) if isinstance(cell, str) else cell for cell in cells]


def _number(text: str) -> Any:
    number = number_in(text)
    return text if number is None else number
