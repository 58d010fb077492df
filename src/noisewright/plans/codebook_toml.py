"""Codebooks in TOML: the columns of a plan, without the rest of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from noisewright.errors import InputError
from noisewright.exact import parse_toml
from noisewright.plans.column import Treatment
from noisewright.plans.toml_reading import locate, read_treatment


def read_toml(text: str, *, name: str) -> dict[str, Treatment]:
    """Read what the [columns.…] sections of a TOML text declare."""
    document = parse_toml(text, what=name)
    columns: Any = document.get("columns")
    if not isinstance(columns, dict) or not columns:
        raise InputError(f"{name} has no [columns.…] sections; each column needs one.")
    folder = Path(name).parent
    return {
        column: locate(f"{name}, column {column!r}", lambda s=section: read_treatment(s, folder))
        for column, section in columns.items()
    }
