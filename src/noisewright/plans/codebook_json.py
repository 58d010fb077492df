"""Codebooks in JSON: a JSON Schema, a Table Schema of Frictionless Data, or a plain mapping."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from noisewright.errors import InputError
from noisewright.exact import parse_json
from noisewright.plans.codebook import CodebookEntry

_PLAIN = ("kind", "labels", "low", "high", "step", "largest", "positions", "null", "other")

_DATES = {
    "date": "day",
    "datetime": "hour",
    "date-time": "hour",
    "year": "year",
    "yearmonth": "month",
}
"""Types of Table Schema, and formats of JSON Schema, that are dates; and in which steps."""

_TEXT_FORMATS = ("email", "uri", "uuid", "hostname", "ipv4", "ipv6", "date", "date-time", "time")


def read_json(text: str, *, name: str) -> dict[str, CodebookEntry]:
    """Read a codebook in JSON, whichever of the three forms it has."""
    # Decimals are kept as they are written: 0.1 is a tenth.
    document: Any = parse_json(text, what=name, exact=True)
    if not isinstance(document, dict):
        raise InputError(f"{name} holds a {type(document).__name__}; an object is required.")
    table = _table_schema(document)
    if table is not None:
        return _from_table_schema(table, name)
    schema = _with_properties(document)
    if schema is not None:
        return {
            str(column): _from_json_schema(_resolve(part, document), f"{name}, {column!r}")
            for column, part in schema["properties"].items()
        }
    return {
        str(column): _from_plain(part, f"{name}, {column!r}") for column, part in document.items()
    }


def _table_schema(document: dict[str, Any]) -> list[Any] | None:
    resources = document.get("resources")
    if isinstance(resources, list) and len(resources) == 1 and isinstance(resources[0], dict):
        document = resources[0]  # a data package around one table
    if isinstance(document.get("schema"), dict):
        document = document["schema"]
    fields = document.get("fields")
    return fields if isinstance(fields, list) else None


def _from_table_schema(fields: list[Any], name: str) -> dict[str, CodebookEntry]:
    found: dict[str, CodebookEntry] = {}
    for number, field in enumerate(fields, start=1):
        if not isinstance(field, dict) or not isinstance(field.get("name"), str):
            raise InputError(f"field {number} of {name} has no name.")
        rules: Any = field.get("constraints", {})
        part = {**rules, "type": field.get("type", "any")} if isinstance(rules, dict) else {}
        if "categories" in field and "enum" not in part:
            # Table Schema 2: categories are labels, or values with labels.
            listed = _list(field["categories"], f"categories of {field['name']!r} in {name}")
            part["enum"] = [c.get("value") if isinstance(c, dict) else c for c in listed]
        entry = _from_json_schema(part, f"{name}, {field['name']!r}")
        found[field["name"]] = replace(entry, nullable=not part.get("required", False))
    return found


def _with_properties(document: dict[str, Any]) -> dict[str, Any] | None:
    """Return the schema of one row: the document itself, or of its items when it is a list."""
    inner = document.get("items") if document.get("type") == "array" else document
    if isinstance(inner, dict):
        inner = _resolve(inner, document)
        if isinstance(inner.get("properties"), dict):
            return inner
    return None


def _resolve(part: Any, document: dict[str, Any]) -> dict[str, Any]:
    """Follow references within the document; what cannot be followed says nothing."""
    for _ in range(32):
        target = part.get("$ref") if isinstance(part, dict) else None
        if not isinstance(target, str) or not target.startswith("#/"):
            break
        found: Any = document
        for key in target[2:].split("/"):
            key = key.replace("~1", "/").replace("~0", "~")
            found = found.get(key, {}) if isinstance(found, dict) else {}
        rest = {k: v for k, v in part.items() if k != "$ref"}
        part = {**found, **rest} if isinstance(found, dict) else rest
    return part if isinstance(part, dict) else {}


def _from_json_schema(part: Mapping[str, Any], where: str) -> CodebookEntry:
    types = part.get("type", [])
    names = [types] if isinstance(types, str) else _list(types, f"type in {where}")
    nullable = "null" in names
    values = _values(part)
    if values is not None:
        nullable = nullable or None in values
        return CodebookEntry(where, "categories", _labels(values), nullable=nullable)
    if "boolean" in names:
        return CodebookEntry(where, "boolean", nullable=nullable)
    if "array" in names or "list" in names:
        return replace(_from_array(part, where), nullable=nullable)
    if "integer" in names or "number" in names:
        return _from_number(part, where, whole="integer" in names, nullable=nullable)
    step = next((step for name, step in _DATES.items() if name in (*names, part.get("format"))), "")
    if step and "minimum" in part and "maximum" in part:
        bounds = str(part["minimum"]), str(part["maximum"])
        return CodebookEntry(where, "dates", (), *bounds, step, nullable=nullable)
    if "maxLength" in part or part.get("format") in _TEXT_FORMATS:
        return CodebookEntry(where, "text", nullable=nullable)
    return CodebookEntry(where, nullable=nullable)


def _values(part: Mapping[str, Any]) -> list[Any] | None:
    """Return the listed values: an enum, or alternatives that are one constant each."""
    if isinstance(part.get("enum"), list):
        return part["enum"]
    for word in ("oneOf", "anyOf"):
        choices = part.get(word)
        if isinstance(choices, list) and all(isinstance(c, dict) and "const" in c for c in choices):
            return [c["const"] for c in choices]
    return None


def _labels(values: list[Any]) -> tuple[Any, ...]:
    kept = [value for value in values if value is not None]
    try:
        return tuple(float(value) if isinstance(value, Fraction) else value for value in kept)
    except OverflowError as problem:
        raise InputError(
            "a label is a number too large for a double; list one below 1e308."
        ) from problem


def _from_number(
    part: Mapping[str, Any], where: str, *, whole: bool, nullable: bool
) -> CodebookEntry:
    low, high = part.get("minimum"), part.get("maximum")
    step = part.get("multipleOf", 1 if whole else None)
    above, below = part.get("exclusiveMinimum"), part.get("exclusiveMaximum")
    if step is not None and _is_number(above) and _is_number(step):
        low = above + step
    if step is not None and _is_number(below) and _is_number(step):
        high = below - step
    texts = [None if value is None else str(value) for value in (low, high, step)]
    return CodebookEntry(where, "", (), texts[0], texts[1], texts[2], nullable=nullable)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, Fraction)) and not isinstance(value, bool)


def _from_array(part: Mapping[str, Any], where: str) -> CodebookEntry:
    inner: Any = part.get("items", {})
    inner = inner if isinstance(inner, dict) else {}
    most = part.get("maxItems")
    values = _values(inner)
    if values is not None:
        largest = most if isinstance(most, int) else None
        return CodebookEntry(where, "subsets", _labels(values), largest=largest)
    if most is not None and most == part.get("minItems"):
        number = _from_number(inner, where, whole=False, nullable=False)
        return replace(number, kind="curves", positions=most)
    return CodebookEntry(where)


def _from_plain(part: Any, where: str) -> CodebookEntry:
    if isinstance(part, str):
        return CodebookEntry(where, part)
    if isinstance(part, list):
        return CodebookEntry(where, "", _labels(part), nullable=None in part)
    if not isinstance(part, dict):
        raise InputError(
            f"{where} is neither a list of labels nor an object with low and high. A codebook in "
            "JSON is a JSON Schema, a Table Schema, or a mapping from columns to such values."
        )
    unknown = sorted(set(part) - set(_PLAIN))
    if unknown:
        raise InputError(f"{where} has {unknown[0]!r}; known are {', '.join(_PLAIN)}.")
    given = {key: str(part[key]) for key in ("low", "high", "step") if part.get(key) is not None}
    rest = {
        key: part[key] for key in ("kind", "largest", "positions", "null", "other") if key in part
    }
    labels = _labels(_list(part.get("labels", []), f"labels in {where}"))
    return CodebookEntry(where, labels=labels, **given, **rest)


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"{what} is no list.")
    return value
