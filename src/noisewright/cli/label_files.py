"""Reading labels from files: one per line, or a tree of groups as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from noisewright.cli.matrix_files import read_text
from noisewright.errors import InputError


def read_labels(path: Path) -> list[str]:
    """Return the lines of a file that hold something."""
    return [line.strip() for line in read_text(path).splitlines() if line.strip()]


def read_tree(path: Path) -> Any:
    """Return groups of labels: nested objects and lists."""
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as problem:
        raise InputError(f"{path} is not valid JSON: {problem}.") from None
