"""Many tables of answers, and the same as one long table with a row for each answer."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from noisewright.errors import InputError
from noisewright.estimation.questions.asked import Key
from noisewright.estimation.result import Estimate, arrow_table
from noisewright.files import save_whole
from noisewright.on_use import pa
from noisewright.public import public_methods

FORMATS = (".csv", ".json", ".parquet", ".feather")


def shown_key(key: Key) -> str:
    """Return the title of a table."""
    return key if isinstance(key, str) else " × ".join(key)


@public_methods
class Estimates(dict[Key, Estimate]):
    """Tables of answers by their titles: a column, a tuple of columns, or a phrase such as "mean of
    age". `notes` are sentences about what was left out.
    """

    def __init__(self, found: Mapping[Key, Estimate] = {}, *, notes: Iterable[str] = ()) -> None:
        super().__init__(found)
        self.notes = tuple(notes)

    def __repr__(self) -> str:
        texts = [f"{shown_key(key)}: {found!r}" for key, found in self.items()]
        return "\n\n".join([*texts, *self.notes])

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each answer of each table.

        `table` is the title, `label_1`, `label_2` … are the labels in the order of its columns,
        `people` is a share as a number of people, and `of_people` how many people stand behind it.
        What is withheld is None.
        """
        width = max((len(found.axes) for found in self.values()), default=0)
        rows: list[dict[str, Any]] = []
        for key, found in self.items():
            columns = found.columns()
            labels = found.labels()
            behind = np.broadcast_to(found.behind, found.values.shape).reshape(-1).tolist()
            counts = columns.get("count", [None] * len(behind))
            for place in range(len(behind)):
                row: dict[str, Any] = {"table": shown_key(key), "what": found.what}
                for axis in range(width):
                    row[f"label_{axis + 1}"] = labels[axis][place] if axis < len(labels) else None
                row["value"] = columns[found.what][place]
                row |= {name: columns[name][place] for name in ("standard_error", "low", "high")}
                row |= {"people": counts[place], "of_people": behind[place]}
                row |= {name: getattr(found, name) for name in ("about", "method", "confidence")}
                rows.append(row)
        return rows

    def table(self) -> Any:
        """Return the rows as an Arrow table; labels are texts, as answers are if some are dates."""
        rows = self.rows()
        names = list(rows[0]) if rows else ["table"]
        texts = [name for name in names if name.startswith("label_")]
        numbers = ("value", "standard_error", "low", "high", "people")
        if any(found.dates is not None for found in self.values()):
            texts += ["value", "low", "high"]
            numbers = ("standard_error", "people")
        columns = {
            name: [_text(row[name]) if name in texts else row[name] for row in rows]
            for name in names
        }
        return arrow_table(columns, numbers)

    def to_pandas(self) -> Any:
        """Return the rows as a pandas data frame, if pandas is installed."""
        return self.table().to_pandas()

    def document(self) -> dict[str, Any]:
        """Return all tables as JSON has them; what is no number is null."""
        tables: list[dict[str, Any]] = []
        for key, found in self.items():
            columns = {
                name: [_plain(cell) for cell in cells] for name, cells in found.columns().items()
            }
            tables.append(
                {
                    "table": shown_key(key),
                    "what": found.what,
                    "axes": [axis.name for axis in found.axes],
                    "about": found.about,
                    "people": found.people,
                    "method": found.method,
                    "confidence": found.confidence,
                    "together": found.together,
                    "withheld": int(found.withheld.sum()),
                    "notes": list(found.sentences),
                    "columns": columns,
                }
            )
        return {"tables": tables, "notes": list(self.notes)}

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the rows to a CSV, Parquet or Feather file, or all tables to a JSON file."""
        target = Path(path)
        if target.suffix.lower() not in FORMATS:
            raise InputError(
                f"cannot tell how to write {target.name!r}; its name must end in "
                f"{', '.join(FORMATS)}."
            )
        return save_whole(target, self._bytes(target.suffix.lower()), what="the tables")

    def _bytes(self, suffix: str) -> bytes:
        if suffix == ".json":
            return (json.dumps(self.document(), indent=1, ensure_ascii=False) + "\n").encode()
        from pyarrow import csv, feather, parquet

        sink = pa.BufferOutputStream()
        write: Any = {".csv": csv.write_csv, ".parquet": parquet.write_table}
        write.get(suffix, feather.write_feather)(self.table(), sink)
        return sink.getvalue().to_pybytes()


def _text(label: Any) -> str | None:
    return label if label is None or isinstance(label, str) else str(label)


def _plain(cell: Any) -> Any:
    if isinstance(cell, float):
        return cell if math.isfinite(cell) else None
    if cell is None or isinstance(cell, (str, int, bool)):
        return cell
    return sorted(map(str, cell)) if isinstance(cell, frozenset) else str(cell)
