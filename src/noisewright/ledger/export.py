"""The entries as a file: JSON lines that prove themselves, or CSV for a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from noisewright.errors import LedgerError, ParameterError
from noisewright.files import write_whole
from noisewright.ledger.entries import LedgerEntry

FORMS = {"jsonl": "jsonl", "ndjson": "jsonl", "csv": "csv"}


def write_export(
    path: str | os.PathLike[str],
    description: dict[str, Any],
    entries: Iterable[LedgerEntry],
    *,
    form: str | None,
) -> None:
    """Write entries to a file, whole or not at all."""
    wanted = form or os.path.splitext(os.fspath(path))[1].removeprefix(".").lower()
    kind = FORMS.get(wanted)
    if kind is None:
        raise ParameterError(
            f"an export is 'jsonl' or 'csv'; {wanted or 'nothing'!r} was asked for. Name the file "
            "accordingly, or give form=."
        )
    text = _lines(description, entries) if kind == "jsonl" else _csv(entries)
    try:
        write_whole(path, text.encode("utf-8"))
    except OSError as problem:
        raise LedgerError(
            f"cannot write the export to {os.fspath(path)}: {problem.strerror}. Choose a folder "
            "that exists, that you may write to and that has room. The ledger is unchanged."
        ) from problem


def _lines(description: dict[str, Any], entries: Iterable[LedgerEntry]) -> str:
    rows = [description, *(entry.as_line() for entry in entries)]
    return "".join(json.dumps(row, sort_keys=True, separators=(",", ":")) + "\n" for row in rows)


def _csv(entries: Iterable[LedgerEntry]) -> str:
    text = io.StringIO()
    names = [field.name for field in fields(LedgerEntry)]
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(entry.as_row() for entry in entries)
    return text.getvalue()
