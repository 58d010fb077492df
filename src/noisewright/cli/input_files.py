"""Files that are given by their path: options for reading tables, and small files.

Small ones are matrices as CSV of any dialect or as JSON rows, and labels as lines or a tree.
"""

from __future__ import annotations

import csv
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, final

import typer

from noisewright import files
from noisewright.errors import InputError
from noisewright.exact import exactly, parse_json

DataArgument = Annotated[
    Path,
    typer.Argument(
        help="A CSV, Parquet, Feather or Excel file, or a folder of Parquet files.",
        show_default=False,
    ),
]

Rows = list[list[Any]]


@final
@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """How the text or the workbook that was given is to be read."""

    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Whether the first line of a CSV file, or the first row of a sheet, holds names.",
            show_default="it does; an error if it looks like data",
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        typer.Option(
            help="What separates the cells of a CSV file; for tabs, write tab.",
            show_default="detected from the first line",
        ),
    ] = None
    encoding: Annotated[
        str | None,
        typer.Option(
            help="The encoding of a CSV file: latin-1, cp1252 …",
            show_default="UTF-8, or by its byte order mark",
        ),
    ] = None
    names: Annotated[
        str | None,
        typer.Option(
            help="With --no-header: the names of the columns, separated by commas.",
            show_default="those of the plan, in order",
        ),
    ] = None
    sheet: Annotated[
        str | None,
        typer.Option(help="Which sheet of a workbook to read.", show_default="the only one"),
    ] = None


def given_table(path: Path, options: TableOptions) -> os.PathLike[str]:
    """Return a file with the options for reading it, which only texts and sheets have."""
    from noisewright.tables import CSV, Excel, as_csv, as_excel

    header, delimiter, encoding = options.header, options.delimiter, options.encoding
    names, sheet = options.names, options.sheet
    said = {"--delimiter": delimiter, "--encoding": encoding, "--names": names}
    listed = None if names is None else [name.strip() for name in names.split(",")]
    if sheet is not None and (as_csv(path) is not None or path.is_dir()):
        raise InputError(f"--sheet is for workbooks, and {path} is not one. Leave it out.")
    if sheet is not None or as_excel(path) is not None:
        if delimiter is not None or encoding is not None:
            option = "--encoding" if delimiter is None else "--delimiter"
            raise InputError(
                f"{option} is for delimited text files, and {path} is not one. Leave it out."
            )
        return Excel(path, sheet=sheet, header=header, names=listed)
    if as_csv(path) is None:
        known = (".parquet", ".pq", ".feather", ".arrow", ".ipc")
        if path.is_dir() or path.suffix.lower() in known:
            given = [option for option, value in said.items() if value is not None]
            given += ["--no-header"] * (header is False)
            if given:
                raise InputError(
                    f"{given[0]} is for delimited text files, and {path} is not one. Leave it out."
                )
            return path
        if header is None and not any(said.values()):
            return path
    return CSV(
        path,
        delimiter="\t" if delimiter in ("tab", "\\t") else delimiter,
        encoding=encoding,
        header=header,
        names=listed,
    )


def read_text(path: Path) -> str:
    """Return the text of a file, or say what is wrong with it."""
    text = files.read_text(path, what="the file", most=files.LARGEST)
    if "\0" in text:
        raise InputError(f"{path} is not a text file; give a CSV matrix or a certificate.")
    if not text.strip():
        raise InputError(f"{path} is empty; it needs one row of probabilities per input.")
    return text


def read_rows(path: Path, text: str) -> Rows:
    """Return the rows of a matrix; numbers stay as they were written, so nothing is rounded."""
    rows = _json_rows(path, text) if text.lstrip().startswith("[") else _csv_rows(path, text)
    if len(rows) < 2:
        raise InputError(
            f"{path} has {'one row' if rows else 'no rows'}; privacy compares at least two inputs, "
            "one row each."
        )
    return rows


def read_labels(path: Path) -> list[str]:
    """Return the lines of a file that hold something."""
    return [line.strip() for line in read_text(path).splitlines() if line.strip()]


def read_tree(path: Path) -> Any:
    """Return groups of labels: nested objects and lists."""
    return parse_json(read_text(path), what=str(path))


def _json_rows(path: Path, text: str) -> Rows:
    rows = parse_json(text, what=str(path), exact=True)
    if not all(isinstance(row, list) for row in rows):
        raise InputError(f"{path} must hold a list of rows, as in [[0.75, 0.25], [0.25, 0.75]].")
    return rows


def _csv_rows(path: Path, text: str) -> Rows:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        return []
    # A semicolon comes first: where it separates, a comma is a decimal point.
    separator = next((mark for mark in (";", "\t", ",") if mark in lines[0]), None)
    if separator is None:
        rows = [line.split() for line in lines]
    else:
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=separator)]
    if separator != ",":
        rows = [[cell.replace(",", ".") for cell in row] for row in rows]
    if not any(_is_number(cell) for cell in rows[0]):
        raise InputError(
            f"the first line of {path} holds text ({rows[0][0]!r} …); give numbers only, without a "
            "header, one row per input and one column per output."
        )
    for x, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise InputError(
                f"row {x + 1} of {path} has {len(row)} cells and the first one {len(rows[0])}; "
                "each row needs one probability for each output."
            )
        for y, cell in enumerate(row):
            if not _is_number(cell):
                raise InputError(
                    f"row {x + 1}, column {y + 1} of {path} is {cell!r}; a probability such as "
                    "0.25 or 1/4 was expected."
                )
    # Whole numbers are weights, whose rows have one common sum.
    whole = all(cell.isdecimal() for row in rows for cell in row)
    return [[int(exactly(cell)) for cell in row] for row in rows] if whole else rows


def _is_number(cell: str) -> bool:
    """Tell decimals and fractions from other text; "nan" and "inf" are no probabilities."""
    try:
        return math.isfinite(float(cell.replace("/", "", 1)))
    except ValueError:
        return False
