"""Names and types of a table's columns, read without reading any of its values.

A Parquet footer also holds the least and largest value of each column, Arrow files hold
dictionaries, and both may hold notes of other programs. All of that is raw data, and none of it is
looked at: a field is a name and the kind of its type.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from noisewright.errors import InputError
from noisewright.files import require_finite
from noisewright.on_use import pa, pq
from noisewright.tables import ARROW, PARQUET, arrow, names_of_text, partition_of, require_names

FieldType = Literal[
    "text", "whole", "number", "boolean", "list of text", "list of numbers", "date", "other", ""
]
"""What kind of values a column holds; "" when the file does not say, as CSV does not."""

_MOST_FILES = 10_000


@dataclass(frozen=True)
class NamedType:
    """A column before anything is known about its values: its name and the kind of its type."""

    name: str
    type: FieldType
    written: str = ""
    """The type as the file calls it, for people to read."""


def read_fields(
    path: str | os.PathLike[str], *, labels: Collection[str] = ()
) -> tuple[NamedType, ...]:
    """Read the names and types of the columns of a file, or of a folder of Parquet files.

    Requires: Parquet, Feather (Arrow IPC) or CSV, told by the suffix. A first line of CSV that
    looks like a record, or holds one of the `labels`, is refused unless a CSV says that it holds
    names.
    Ensures: no page, batch or row of data is read; of CSV only the line with the names.
    """
    where = Path(os.fspath(path))
    require_finite(where)
    require_names(path, labels=labels)
    names = names_of_text(path)
    if names is not None:
        fields = tuple(NamedType(name, "") for name in names)
    else:
        keys: tuple[str, ...] = ()
        if where.is_dir():
            folder, where = where, _first_file(where)
            keys = tuple(partition_of(where, folder)) if _is_partitioned(where, folder) else ()
        suffix = where.suffix.lower()
        if suffix not in PARQUET + ARROW:
            raise InputError(
                f"{where} ends in {suffix or 'nothing'!r}; a plan is drafted from .parquet, "
                ".feather, .arrow, .csv or .xlsx, or from a folder of Parquet files."
            )
        fields = fields_of(_arrow_schema(where, parquet=suffix in PARQUET))
        # What a folder is called is a value: only its key is looked at.
        fields += tuple(NamedType(key, "") for key in keys)
    _require_names(where, [field.name for field in fields])
    return fields


def fields_of(schema: Any) -> tuple[NamedType, ...]:
    """Return the fields of an Arrow schema; its metadata is not looked at."""
    return tuple(NamedType(str(one.name), _kind(one.type), _type_name(one.type)) for one in schema)


def _first_file(folder: Path) -> Path:
    every = list(islice(folder.rglob("*"), _MOST_FILES + 1))
    if len(every) > _MOST_FILES:
        raise InputError(
            f"{folder} holds more than {_MOST_FILES:,} files. Name the folder of the table itself."
        )
    inside = sorted(path for path in every if path.suffix.lower() in PARQUET)
    if not inside:
        raise InputError(f"{folder} holds no Parquet file, whose name ends in .parquet or .pq.")
    return inside[0]


def _is_partitioned(file: Path, folder: Path) -> bool:
    return all("=" in part for part in file.relative_to(folder).parts[:-1])


def _arrow_schema(path: Path, *, parquet: bool) -> Any:
    arrow()  # says what to install
    with open(path, "rb") as file:  # the operating system says best what is wrong with a path
        try:
            return pq.read_schema(file) if parquet else pa.ipc.open_file(file).schema
        except (pa.ArrowException, OSError):
            kind = "Parquet" if parquet else "Feather (Arrow IPC)"
    raise InputError(f"{path} is not a {kind} file, or it is cut off.")


def _kind(type_: Any) -> FieldType:
    kinds = pa.types
    if kinds.is_dictionary(type_):
        # Only the type of the labels: which labels a dictionary lists is data.
        return _kind(type_.value_type)
    if kinds.is_boolean(type_):
        return "boolean"
    if kinds.is_integer(type_):
        return "whole"
    if kinds.is_floating(type_) or kinds.is_decimal(type_):
        return "number"
    if kinds.is_date(type_) or kinds.is_timestamp(type_):
        return "date"
    if kinds.is_string(type_) or kinds.is_large_string(type_) or kinds.is_string_view(type_):
        return "text"
    if kinds.is_list(type_) or kinds.is_large_list(type_) or kinds.is_fixed_size_list(type_):
        inner = _kind(type_.value_type)
        if inner == "text":
            return "list of text"
        return "list of numbers" if inner in ("whole", "number") else "other"
    return "other"


def _type_name(type_: Any) -> str:
    # A dictionary type prints as dictionary<values=string, indices=int32, ordered=0>.
    return f"dictionary of {type_.value_type}" if pa.types.is_dictionary(type_) else str(type_)


def _require_names(path: Path, names: list[str]) -> None:
    if not names:
        raise InputError(f"{path} has no columns.")
    if "" in names:
        raise InputError(f"column {names.index('') + 1} of {path} has no name; give it one.")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"{path} has several columns called {twice[0]!r}; names must differ.")
