"""Writes plans as TOML: short, exact, and in one form, so that equal plans have equal texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from noisewright.certificates import certify
from noisewright.errors import InputError
from noisewright.exact import as_text
from noisewright.mechanisms import Mechanism
from noisewright.plans.column import Column, Treatment
from noisewright.plans.column_mechanisms import default_choice
from noisewright.plans.plan import Plan
from noisewright.spaces import Categories, Counts, Curves, Dates, Interval, Space, Subsets
from noisewright.tables import Person

VERSION = 1

TODO = "TODO"
"""What a draft says where somebody must decide."""


def plan_text(plan: Plan) -> str:
    """Return the TOML text of a plan."""
    settings = {name: getattr(plan, name) for name in _SETTINGS}
    sections = head_sections(settings)
    sections += [column_lines(name, treatment) for name, treatment in plan.columns]
    return text_of_sections(sections)


def text_of_sections(sections: Sequence[Sequence[str]]) -> str:
    """Return sections one after the other, with air between them."""
    return "\n\n".join("\n".join(section) for section in sections) + "\n"


HEAD = (
    "title",
    "epsilon",
    "delta",
    "shares",
    "order",
    "rows",
    "row_epsilon",
    "others",
    "together",
)
"""The settings of a plan that stand above its sections."""

_SETTINGS = (*HEAD, "person", "estimates")


def head_sections(settings: Mapping[str, Any]) -> list[list[str]]:
    """Return what stands above the columns: the settings, the person, the estimates."""
    head: dict[str, Any] = {"version": VERSION}
    head |= {name: settings[name] for name in ("title", "epsilon", "delta") if settings[name]}
    head |= {name: settings[name] for name in ("shares", "order")}
    head |= {name: settings[name] for name in ("rows", "row_epsilon") if settings.get(name)}
    head["others"] = settings["others"]
    if settings["together"]:
        head["together"] = [list(group) for group in settings["together"]]
    sections = [field_lines(head)]
    person: Person | None = settings["person"]
    if person is not None:
        fields = {"column": person.column, "rows": person.rows, "keep": person.keep}
        sections.append(["[person]", *field_lines(fields)])
    for one in settings["estimates"]:
        wish: dict[str, Any] = {"of": one.of[0] if len(one.of) == 1 else list(one.of)}
        if one.weight != 1:
            wish["weight"] = one.weight
        if one.question is not None:
            wish["question"] = one.question
        sections.append(["[[estimates]]", *field_lines(wish)])
    return sections


def column_lines(name: str, treatment: Treatment) -> list[str]:
    """Return the section of one column, line by line."""
    fields = _column(treatment) if isinstance(treatment, Column) else {"use": treatment}
    return [f"[columns.{key(name)}]", *field_lines(fields)]


def _column(column: Column) -> dict[str, Any]:
    fields = _space(column.space)
    if isinstance(column.mechanism, Mechanism):
        document = certify(column.mechanism).document
        fields["certificate"] = json.dumps(document, separators=(",", ":"))
    elif column.mechanism != default_choice(column.space).name:
        fields["mechanism"] = column.mechanism
    fields |= dict(column.options)
    for name in ("epsilon", "delta", "share", "null", "other"):
        value = getattr(column, name)
        if value is not None:
            fields[name] = value
    for name in ("outside", "off_grid"):
        if getattr(column, name) != "error":
            fields[name] = getattr(column, name)
    if column.separator != ";":
        fields["separator"] = column.separator
    return fields | ({"columns": list(column.columns)} if column.columns else {})


def _space(space: Space) -> dict[str, Any]:
    if isinstance(space, Categories):
        if not isinstance(space.metric, str):
            raise InputError(
                "categories with their own metric cannot be written as TOML. Give the column the "
                "mechanism itself, in which the metric is built in."
            )
        return {"space": "categories", "labels": list(space.labels)}
    if isinstance(space, Counts):
        return {"space": "counts", "n": space.n}
    if isinstance(space, Dates):
        fields: dict[str, Any] = {"space": "dates", "low": space.show(space.low)}
        fields |= {"high": space.show(space.high), "step": space.every}
        return fields if space.zone is None else fields | {"zone": space.zone}
    if isinstance(space, Interval):
        return {"space": "interval", "low": space.low, "high": space.high, "step": space.step}
    if isinstance(space, Subsets):
        fields = {"space": "subsets", "items": list(space.items)}
        return fields if space.largest is None else fields | {"largest": space.largest}
    assert isinstance(space, Curves)
    return {
        "space": "curves",
        "grid": list(space.grid),
        "low": space.low,
        "high": space.high,
        "step": space.step,
    }


def field_lines(fields: Mapping[str, Any]) -> list[str]:
    """Return settings, one for each line."""
    return [f"{key(name)} = {value_text(value)}" for name, value in fields.items()]


def key(name: str) -> str:
    """Return a key as TOML writes it: bare where that is allowed, quoted otherwise."""
    bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if bare else text_of(name)


def value_text(value: Any) -> str:
    """Return a value as TOML writes it; a rational that is no short decimal becomes a text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Fraction):
        return _number(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value + 0.0)  # -0.0 is the same label as 0.0, and has one text
    if isinstance(value, str):
        return text_of(value)
    if isinstance(value, (list, tuple)):
        inner = [value_text(one) for one in value]
        line = f"[{', '.join(inner)}]"
        return line if len(line) <= 80 else "[\n" + "".join(f"  {one},\n" for one in inner) + "]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key(str(n))} = {value_text(v)}' for n, v in value.items())} }}"
    raise InputError(f"a value of type {type(value).__name__} cannot be written as TOML.")


def text_of(text: str) -> str:
    """Return a text between quotes; JSON's escapes are TOML's too."""
    if any(0xD800 <= ord(c) <= 0xDFFF for c in text):
        raise InputError("a text is not valid Unicode; TOML cannot hold it.")
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _number(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    scaled, digits = value, 0
    while scaled.denominator > 1 and digits < 18:
        scaled, digits = scaled * 10, digits + 1
    if scaled.denominator > 1:
        return text_of(as_text(value))
    if abs(value) < Fraction(1, 10_000):
        return f"{scaled.numerator}e-{digits}"
    sign, whole = "-" if scaled < 0 else "", f"{abs(scaled.numerator):0{digits + 1}d}"
    return f"{sign}{whole[:-digits]}.{whole[-digits:]}"
