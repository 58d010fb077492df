"""Tables that are given by their path, and how they are to be read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from noisewright.errors import InputError

HeaderOption = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="The first line of the CSV file holds names, even if it looks like data; or it does "
        "not.",
        show_default="it does, unless it looks like data",
    ),
]
DelimiterOption = Annotated[
    str | None,
    typer.Option(
        help="What separates the cells of a CSV file; tab for tabs.",
        show_default="told by the first line",
    ),
]
EncodingOption = Annotated[
    str | None,
    typer.Option(
        help="How letters are written in a CSV file: latin-1, cp1252 …",
        show_default="UTF-8, or UTF-16 if the file begins so",
    ),
]
NamesOption = Annotated[
    str | None,
    typer.Option(
        help="With --no-header: the names of the columns, by commas.",
        show_default="those of the plan, in order",
    ),
]


SheetOption = Annotated[
    str | None,
    typer.Option(help="Which sheet of a workbook to read.", show_default="the only one"),
]


def given_table(
    path: Path,
    *,
    header: bool | None,
    delimiter: str | None,
    encoding: str | None,
    names: str | None,
    sheet: str | None,
) -> os.PathLike[str]:
    """Return a file with what was said about it; of other files than texts nothing can be."""
    from noisewright.tables import CSV, Excel, as_csv, as_excel

    said = {"--delimiter": delimiter, "--encoding": encoding, "--names": names}
    listed = None if names is None else [name.strip() for name in names.split(",")]
    if sheet is not None or as_excel(path) is not None:
        if delimiter is not None or encoding is not None:
            option = "--encoding" if delimiter is None else "--delimiter"
            raise InputError(
                f"{option} is about delimited texts, and {path} is none. Leave it out."
            )
        return Excel(path, sheet=sheet, header=header, names=listed)
    if as_csv(path) is None:
        known = (".parquet", ".pq", ".feather", ".arrow", ".ipc")
        if path.is_dir() or path.suffix.lower() in known:
            given = [option for option, value in said.items() if value is not None]
            given += ["--no-header"] * (header is False)
            if given:
                raise InputError(
                    f"{given[0]} is about delimited texts, and {path} is none. Leave it out."
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
