"""Codebooks: what the columns of a table can hold, as someone wrote it down before.

Three forms are read: CSV with a row for each label or each pair of bounds, JSON (a JSON Schema, a
Table Schema of Frictionless Data, or a plain mapping), and TOML (the columns of a plan). A codebook
must not be made from the private table: which labels occur and how far numbers reach is private.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from noisewright.errors import InputError
from noisewright.exact import parse_toml
from noisewright.files import read_text

KINDS = (
    "categories",
    "counts",
    "interval",
    "dates",
    "subsets",
    "curves",
    "boolean",
    "text",
    "drop",
    "public",
)
"""What an entry may call a column; "text" is free text, which is dropped."""

_TITLES = {
    "column": ("column", "variable", "field", "name"),
    "label": ("value", "code", "label", "category", "item"),
    "low": ("low", "min", "minimum"),
    "high": ("high", "max", "maximum"),
    "step": ("step", "multiple_of", "multipleof"),
    "kind": ("kind",),
    "largest": ("largest", "max_items", "maxitems"),
    "positions": ("positions",),
    "null": ("null", "missing"),
    "other": ("other",),
}
"""The titles of the columns of a codebook in CSV: ours first, then what others call them. Where
both a value and a label are given, the value is what the data hold and the label explains it."""


@dataclass(frozen=True)
class CodebookEntry:
    """What a codebook says about one column; `where` is the place that says it."""

    where: str
    kind: str = ""
    labels: tuple[Any, ...] = ()
    low: str | None = None
    high: str | None = None
    step: str | None = None
    largest: int | None = None
    positions: int | None = None
    null: Any = None
    other: Any = None
    nullable: bool = False

    def __post_init__(self) -> None:
        require_kind(self.kind, self.where)
        for name in ("largest", "positions"):
            value: Any = getattr(self, name)
            if value is not None and (type(value) is not int or not 1 <= value <= _MOST):
                raise InputError(
                    f"{self.where} says {name}={value}; a whole number of at least 1 is required."
                )


_MOST = 1 << 20
"""More items in a set, or positions of a curve, are a slip."""

_SUFFIXES = (".csv", ".tsv", ".txt", ".json", ".toml")


def read_codebook(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a codebook: for each column an entry, or for TOML a column of a plan."""
    where = Path(path)
    suffix = where.suffix.lower()
    if suffix not in _SUFFIXES:
        raise InputError(
            f"{where} ends in {suffix or 'nothing'!r}; a codebook is .csv, .json or .toml. Save a "
            "spreadsheet as CSV first."
        )
    text = read_text(where, what="the codebook")
    if suffix in (".csv", ".tsv", ".txt"):
        return dict(read_csv(text, name=str(where)))
    if suffix == ".json":
        from noisewright.plans.codebook_json import read_json

        return dict(read_json(text, name=str(where)))
    return read_toml(text, name=str(where))


def read_csv(text: str, *, name: str) -> dict[str, CodebookEntry]:
    """Read a codebook in CSV: column,label or column,low,high,step, or all of them in one file."""
    lines = text.splitlines()
    header = lines[0] if lines else ""
    mark = max(",;\t", key=header.count)
    rows = csv.reader(lines, delimiter=mark, strict=True)
    try:
        titles = _titles([title.strip().lower() for title in next(rows, [])], name=name)
        found: dict[str, CodebookEntry] = {}
        for row in rows:
            if any(cell.strip() for cell in row):
                _add_row(found, titles, row, where=f"line {rows.line_num} of {name}")
    except csv.Error as problem:
        raise InputError(f"line {rows.line_num} of {name} is not CSV: {problem}.") from problem
    return found


def _titles(given: list[str], *, name: str) -> dict[str, int]:
    places: dict[str, int] = {}
    for ours, theirs in _TITLES.items():
        known = [title for title in theirs if title in given]
        if known:
            places[ours] = given.index(known[0])
    if "column" not in places or not {"label", "low", "kind"} & set(places):
        raise InputError(
            f"the first line of {name} must name its columns: column,label for categories or "
            # Not quoted: who names the table by mistake would see a record.
            "column,low,high,step for numbers. Check that it is the codebook, and not the table."
        )
    return places


def _add_row(
    found: dict[str, CodebookEntry], titles: Mapping[str, int], row: list[str], *, where: str
) -> None:
    cells = {
        title: row[place].strip()
        for title, place in titles.items()
        if place < len(row) and row[place].strip()
    }
    column = cells.pop("column", None)
    if column is None:
        raise InputError(f"{where} names no column.")
    entry = found.get(column, CodebookEntry(where))
    label = cells.pop("label", None)
    if label is not None:
        if label in entry.labels:
            raise InputError(f"{where} gives {column!r} the label {label!r} a second time.")
        entry = replace(entry, labels=(*entry.labels, label))
    for title, cell in cells.items():
        value = _whole(cell, title, where) if title in ("largest", "positions") else cell
        if getattr(entry, title) not in ("", None, value):
            raise InputError(
                f"{where} says {title}={cell} for {column!r}, where an earlier line said "
                f"{getattr(entry, title)}."
            )
        entry = replace(entry, **{title: value})
    found[column] = entry


def require_kind(kind: str, where: str) -> None:
    """Refuse a kind that nobody knows."""
    if kind != "" and kind not in KINDS:
        raise InputError(f"{where} says kind {kind!r}; it must be one of {', '.join(KINDS)}.")


def _whole(cell: str, title: str, where: str) -> int:
    try:
        return int(cell)
    except ValueError:
        raise InputError(f"{where} says {title}={cell!r}; a whole number is required.") from None


def read_toml(text: str, *, name: str) -> dict[str, Any]:
    """Read what the [columns.…] sections of a TOML text declare: the columns of a plan."""
    from noisewright.plans.toml_reading import read_treatments

    return dict(read_treatments(parse_toml(text, what=name), name, Path(name).parent))
