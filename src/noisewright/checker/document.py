"""Reading a certificate strictly: whatever is not exactly as described is refused.

A certificate is a JSON file. Numbers that matter are texts, "3/4" or hexadecimal "c0", because
JSON readers disagree about numbers; only small whole numbers are JSON numbers. Each object must
have exactly the fields of a *shape*, such as `"kind: counts, n: whole"`: the name of each field,
and either a type from `FIELD_TYPES` or the very text that must stand there. A field too many is
refused as well, since it might mean something to somebody else.

Long numbers are limited everywhere, so that a hostile file ends in an error and not in a wait.
"""

import json
import os
import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from reprlib import repr as brief
from typing import Any

from .report import fail, need

__all__ = ["brief", "canonical", "digest_of", "is_type", "read_fields", "read_json"]

LARGEST_FILE = 2**30
"""Characters that are read; longer files end in the middle, and are no JSON."""

_DIGITS = "[1-9][0-9]{0,3999}"  # Python itself converts no more than 4300 digits
_is_fraction = re.compile(f"-?(0|{_DIGITS})(/{_DIGITS})?").fullmatch
_is_hex = re.compile("[0-9a-f]+").fullmatch

FIELD_TYPES: dict[str, Callable[[Any], Any]] = {
    "whole": lambda value: type(value) is int and 0 <= value <= 2**62,  # and true is no number
    "fraction": lambda value: isinstance(value, str) and _is_fraction(value),
    "chance": lambda value: is_type("fraction", value) and 0 <= Fraction(value) <= 1,
    "hex": lambda value: isinstance(value, str) and _is_hex(value),
    "text": lambda value: isinstance(value, str),
    "list": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
"""The types of fields: what a value must be."""

canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode
"""The one way to write a JSON value that digests are taken of."""


def is_type(name: str, value: Any) -> bool:
    """Tell whether a value is of one of the FIELD_TYPES."""
    return bool(FIELD_TYPES[name](value))


def read_fields(section: Any, part: str, *shapes: str) -> list[Any]:
    """Return the values of an object that has exactly the fields of one of the shapes."""
    for wanted in map(_fields_of, shapes):
        named = isinstance(section, dict) and section.keys() == wanted.keys()
        if named and all(_matches(section[field], kind) for field, kind in wanted.items()):
            return [section[field] for field in wanted]
    fail(part, f"found {brief(section)}; need {{{'} or {'.join(shapes)}}}")


@cache
def _fields_of(shape: str) -> dict[str, str]:
    return dict(field.split(": ") for field in shape.split(", "))


def _matches(value: Any, kind: str) -> bool:
    return is_type(kind, value) if kind in FIELD_TYPES else value == kind


def digest_of(section: Any) -> str:
    """Return the SHA-256 of a JSON value, in hexadecimal digits."""
    return sha256(canonical(section).encode()).hexdigest()


def read_json(path: str | os.PathLike[str]) -> Any:
    """Return the content of a JSON file whose objects have no field twice."""
    endless = Path(path).is_char_device() or Path(path).is_block_device()
    need(not endless, "format", "it is a device; need a file")
    with open(path, encoding="utf-8-sig") as file:
        # In pieces: asked for so much at once, Python would take the memory before it reads.
        pieces = islice(iter(partial(file.read, 2**20), ""), LARGEST_FILE // 2**20)
        return json.loads("".join(pieces), object_pairs_hook=_unique_fields)


def _unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    need(len(dict(pairs)) == len(pairs), "format", "an object has the same field twice")
    return dict(pairs)
