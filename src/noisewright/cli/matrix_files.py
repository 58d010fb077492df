"""Reading small files: matrices as CSV of any dialect or JSON rows, labels as lines or a tree."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

from noisewright import files
from noisewright.errors import InputError
from noisewright.exact import exactly, parse_json

Rows = list[list[Any]]


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
                f"row {x + 1} of {path} has {len(row)} cells, the first one {len(rows[0])}; each "
                "row needs one probability for each output."
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
