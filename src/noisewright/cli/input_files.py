"""Files that are given by their path: options for reading tables, and small files.

Small ones are matrices as CSV of any dialect or as JSON rows, and labels as lines or a tree.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, final

import typer

from noisewright import files
from noisewright.errors import InputError
from noisewright.exact import parse_json

DataArgument = Annotated[
    Path,
    typer.Argument(
        help="A CSV, Parquet, Feather or Excel file, or a folder of Parquet files.",
        show_default=False,
    ),
]


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


def read_labels(path: Path) -> list[str]:
    """Return the lines of a file that hold something."""
    return [line.strip() for line in read_text(path).splitlines() if line.strip()]


def read_tree(path: Path) -> Any:
    """Return groups of labels: nested objects and lists."""
    return parse_json(read_text(path), what=str(path))
