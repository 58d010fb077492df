"""A matrix of probabilities as people write it: rows of text, or JSON."""

from __future__ import annotations

import csv
import math
from typing import Any

from noisewright.errors import InputError
from noisewright.exact import exactly, parse_json

Rows = list[list[Any]]


def read_matrix(text: str, *, where: str) -> Rows:
    """Return the rows of a matrix; numbers stay as they were written, so nothing is rounded."""
    rows = _json_rows(text, where) if text.lstrip().startswith("[") else _csv_rows(text, where)
    if len(rows) < 2:
        raise InputError(
            f"{where} has {'one row' if rows else 'no rows'}; privacy compares at least two "
            "inputs, one row each."
        )
    return rows


def _json_rows(text: str, where: str) -> Rows:
    rows = parse_json(text, what=where, exact=True)
    if not all(isinstance(row, list) for row in rows):
        raise InputError(f"{where} must hold a list of rows, as in [[0.75, 0.25], [0.25, 0.75]].")
    return rows


def _csv_rows(text: str, where: str) -> Rows:
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
            f"the first line of {where} holds text ({rows[0][0]!r} …); give numbers only, without "
            "a header, one row per input and one column per output."
        )
    for x, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise InputError(
                f"row {x + 1} of {where} has {len(row)} cells and the first one {len(rows[0])}; "
                "each row needs one probability for each output."
            )
        for y, cell in enumerate(row):
            if not _is_number(cell):
                raise InputError(
                    f"row {x + 1}, column {y + 1} of {where} is {cell!r}; a probability such as "
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
