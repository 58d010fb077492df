"""CSV files: cells are text, and become numbers only where the plan says so.

Nothing is guessed from the cells: "007" stays a text, and a column has one type whatever
comes later in the file. An empty cell without quotes is null.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from typing import Any, final

import numpy as np

from noisewright.errors import DataError
from noisewright.on_use import pa, pc
from noisewright.tables.cell_types import ArrowField, RecordBatch, is_list, is_temporal
from noisewright.tables.cells import BadCellError, read_or_refuse, refusal
from noisewright.tables.files.csv_layout import CSV, CsvLayout
from noisewright.tables.files.list_texts import SEPARATOR, split_lists, split_text
from noisewright.tables.files.table_reader import (
    BATCH,
    TableReader,
    arrow,
    attempt,
    plain_schema,
    unreadable,
)
from noisewright.tables.label_cells import LabelCells
from noisewright.tables.plain_cells import number_in
from noisewright.tables.schema import Schema

_WHAT = "a CSV file"
_SAVE = "Save the file as UTF-8, or give its encoding (--encoding, nw.CSV in Python)."
_EXACT = 1 << 53
"""Whole numbers below this are doubles to the last digit."""

_BLOCK = 1 << 23
"""Bytes read at once; a record must fit into them."""


@final
class CsvFile(TableReader):
    """A delimited text; the schema names its columns if it has no header."""

    def __init__(self, file: CSV, schema: Schema, *, released: bool) -> None:
        pa = arrow()
        self._cells = {} if released else schema.cells
        self.name = file.path
        self.rows = None
        self._layout = attempt(
            lambda: CsvLayout.of(file, declared=schema.names), name=self.name, what=_WHAT
        )
        types = {name: one.type for name, one in schema.cells.items()}
        # What was released has the usual separator, whatever the original had.
        between = {name: field.separator for name, field in schema.fields.items()}
        self._separators = {} if released else between
        given = pa.schema([(name, types.get(name, pa.string())) for name in self._layout.names])
        self.schema = plain_schema(given, name=self.name)

    def _batches(self, names: list[str], encoded: Sequence[str]) -> Iterator[RecordBatch]:
        """Yield the rows block by block, in the declared types."""
        schema = pa.schema([self.schema.field(name) for name in names])
        row = 0
        for batch in self._texts(names or self.schema.names[:1]):
            for start in range(0, batch.num_rows, BATCH):
                part = batch.slice(start, BATCH).select(names)
                arrays = [
                    self._convert(part.column(place), field, row + start)
                    for place, field in enumerate(schema)
                ]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema) if names else part
            row += batch.num_rows

    def _texts(self, names: list[str]) -> Iterator[Any]:
        """Yield blocks of text cells; say where the file is no CSV."""
        from pyarrow import csv as arrow_csv

        layout, spaced = self._layout, self._layout.spaced
        read = arrow_csv.ReadOptions(
            use_threads=False,
            block_size=_BLOCK,
            encoding="utf8" if layout.encoding == "utf-8" else layout.encoding,
            column_names=list(layout.names) if spaced or not layout.has_header else None,
            skip_rows=int(spaced and layout.has_header),
        )
        parse = arrow_csv.ParseOptions(
            delimiter=layout.delimiter,
            newlines_in_values=True,
            # In a file of one column an empty line is an empty cell.
            ignore_empty_lines=len(self.schema.names) > 1,
        )
        convert = arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(self.schema.names, pa.string()),
            include_columns=names,
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            null_values=[""],
        )
        rows, reader = 0, None
        while True:
            try:
                # Opening reads the first block, and each next one the block after it.
                reader = reader or arrow_csv.open_csv(
                    self.name, read_options=read, parse_options=parse, convert_options=convert
                )
                batch = reader.read_next_batch()
            except StopIteration:
                self._require_closed()
                return
            except (pa.ArrowException, OSError, UnicodeError) as problem:
                failed = self._fault(problem, rows)
            else:
                rows += batch.num_rows
                yield _without_spaces(batch) if spaced else batch
                continue
            # Outside of the handler: the message of pyarrow quotes the row.
            raise failed

    def _require_closed(self) -> None:
        """Refuse a quote that nobody closed: the rest of the file is one cell, and rows are lost.

        Quotes come in pairs, but for those inside of cells without quotes. Where their number is
        odd, the file is read once more, by a parser that tells.
        """
        with self._layout.open_text() as file:
            quotes = sum(block.count('"') for block in iter(lambda: file.read(_BLOCK), ""))
        if quotes % 2 == 0:
            return
        begun = 0
        with self._layout.open_text() as file:
            usual = csv.field_size_limit(2 * _BLOCK)
            rows = csv.reader(file, delimiter=self._layout.delimiter, strict=True)
            try:
                for _ in rows:
                    begun = rows.line_num
                return
            except csv.Error as problem:
                if "unexpected end" not in str(problem):
                    return
            finally:
                csv.field_size_limit(usual)
        raise DataError(
            f"a quote in line {begun + 1:,} of {self.name} is never closed, so everything after "
            "it is one cell. Close the quote, or double it inside a quoted cell.",
            row=max(begun - self._layout.has_header, 0),
        )

    def _fault(self, problem: Exception, after: int) -> DataError:
        # Not by a handler of rows: pyarrow decodes a row for it, and shows on the terminal where
        # that fails.
        above = int(self._layout.has_header)
        ragged = re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+)", str(problem))
        if ragged is not None:
            number, expected, found = map(int, ragged.groups())
            return DataError(
                f"row {number - above:,} of {self.name} has {found} cells and the header "
                f"{expected}. Correct the row, or quote cells that hold the delimiter.",
                row=number - above - 1,
            )
        place = re.match(r"In CSV column #(\d+): (?:Row #(\d+): )?.*UTF8", str(problem))
        if place is not None:
            row = int(place[2]) - above if place[2] else None
            where = f" after row {after:,}" if row is None else f" in row {row:,}"
            return DataError(
                f"column {int(place[1]) + 1} of {self.name} is not UTF-8 text{where}. {_SAVE}",
                row=None if row is None else row - 1,
            )
        if isinstance(problem, UnicodeError):
            return DataError(
                f"{self.name} is not {self._layout.encoding.upper()} text after row {after:,}. "
                f"{_SAVE}",
                row=after,
            )
        return unreadable(self.name, problem, what=_WHAT, after=after)

    def _convert(self, cells: Any, field: ArrowField, first_row: int) -> Any:
        """Return text cells in the declared type, or raise with the row."""
        if pa.types.is_string(field.type):
            return cells
        if is_list(field.type):
            return self._lists(cells, field, first_row)
        found = cast_texts(cells, field.type)
        if found is None and field.name in self._cells:
            found = self._one_by_one(cells, field, first_row)
        if found is not None:
            return found
        raise self._not_of_its_type(field, first_row + first_bad(cells, field.type) + 1)

    def _lists(self, cells: Any, field: ArrowField, first_row: int) -> Any:
        """Return texts as lists; an empty text is an empty list, and an empty cell is null."""
        separator = self._separators.get(field.name, SEPARATOR)
        found = split_lists(cells, separator, field.type)
        if found is not None:
            return found
        texts = cells.to_pylist()
        lists = [split_text(text, separator, numbers=True) for text in texts]
        if field.name not in self._cells:
            wrong = next(place for place, one in enumerate(lists) if isinstance(one, str))
            raise self._not_of_its_type(field, first_row + wrong + 1)
        # Where the plan says so, what holds no numbers counts as an empty cell.
        plain = self._cells[field.name].plain
        found = read_or_refuse(lambda: plain(lists), name=field.name, first_row=first_row)
        return found.cast(field.type)

    def _one_by_one(self, cells: Any, field: ArrowField, first_row: int) -> Any:
        """Return cells some of which are not of the declared type as what they count as."""
        encoded = cells.dictionary_encode()
        texts = encoded.dictionary.to_pylist()
        values = [_value(text, field.type) for text in texts]
        try:
            known = self._cells[field.name].plain(values).cast(field.type)
            return known.take(encoded.indices)
        except BadCellError as problem:
            indices = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
            place = int(np.argmax(indices == problem.row))
            typed = cast_texts(pa.array([texts[problem.row]]), field.type) is not None
            problem.row = place
            failed = refusal(field.name, problem, first_row)
        raise failed if typed else self._not_of_its_type(field, first_row + place + 1)

    def _not_of_its_type(self, field: ArrowField, row: int) -> DataError:
        kind = {"int64": "a whole number", "bool": "true or false"}.get(str(field.type), "a number")
        form = ""
        if is_temporal(field.type):
            with_time = pa.types.is_timestamp(field.type)
            kind = "a date"
            form = f" Dates are written as in 2026-07-31{'T08:30' * with_time}."
        advice = (
            "Correct the cell, or declare null = … for the column in the plan: what such cells, "
            "and empty ones, count as."
        )
        if isinstance(self._cells.get(field.name), LabelCells):
            advice = (
                "Correct the cell, or declare other = … for the column in the plan: what "
                "undeclared labels count as."
            )
        elif kind == "a whole number":
            advice += (
                ' Numbers with decimals are declared by space = "interval", with low, high and '
                'step; off_grid = "round" rounds them.'
            )
        return DataError(
            f"the column {field.name!r} of {self.name} is not {kind} in row {row:,}, as the plan "
            f"says it is.{form} {advice}",
            row=row - 1,
        )


def _without_spaces(batch: Any) -> Any:
    """Return texts without spaces at their beginning; what is empty then is null."""
    columns: list[Any] = []
    for cells in batch.columns:
        text = pc.call_function("utf8_ltrim", [cells], pc.TrimOptions(" "))
        blank = pc.call_function("and", [pc.equal(text, ""), pc.not_equal(cells, "")])
        columns.append(pc.call_function("if_else", [blank, pa.scalar(None, pa.string()), text]))
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def cast_texts(cells: Any, kind: Any) -> Any:
    """Return texts as numbers or booleans; None if one of them is neither."""
    text = pc.call_function("utf8_trim_whitespace", [cells])
    if pa.types.is_boolean(kind):
        text = pc.call_function("utf8_lower", [text])
    try:
        return pc.cast(text, kind)
    except pa.ArrowInvalid:
        if not pa.types.is_integer(kind):
            return None
    try:
        # Programs that know no missing whole numbers write 5.0 for 5.
        doubles = pc.cast(text, pa.float64())
        exact = pc.call_function("min_max", [pc.call_function("abs", [doubles])])["max"].as_py()
        return pc.cast(doubles, kind) if exact is None or exact < _EXACT else None
    except pa.ArrowInvalid:
        return None


def _value(text: str, kind: Any) -> Any:
    """Return what one text is in the declared type, else as a number, else the text itself."""
    found = cast_texts(pa.array([text]), kind)
    if found is not None:
        return found[0].as_py()
    number = None if pa.types.is_boolean(kind) else number_in(text)
    return text if number is None else number


def first_bad(cells: Any, kind: Any) -> int:
    """Return the place of the first cell that cannot be converted, by halving."""
    start, length = 0, len(cells)
    while length > 1:
        half = length // 2
        if cast_texts(cells.slice(start, half), kind) is None:
            length = half
        else:
            start, length = start + half, length - half
    return start
