"""Codebooks in TOML: the columns of a plan, without the rest of it."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

from noisewright.errors import InputError
from noisewright.plans.column import Treatment
from noisewright.plans.toml_reading import located, read_treatment


def read_toml(text: str, *, name: str) -> dict[str, Treatment]:
    """Read what the [columns.…] sections of a TOML text declare."""
    try:
        document = tomllib.loads(text, parse_float=Fraction)
    except ValueError as problem:
        raise InputError(f"{name} is not TOML: {problem}.") from problem
    columns: Any = document.get("columns")
    if not isinstance(columns, dict) or not columns:
        raise InputError(f"{name} has no [columns.…] sections; each column needs one.")
    folder = Path(name).parent
    return {
        column: located(f"{name}, column {column!r}", lambda s=section: read_treatment(s, folder))
        for column, section in columns.items()
    }
