"""Reading labels from files: one per line, or a tree of groups as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from noisewright.cli.matrix_files import read_text
from noisewright.exact import parse_json


def read_labels(path: Path) -> list[str]:
    """Return the lines of a file that hold something."""
    return [line.strip() for line in read_text(path).splitlines() if line.strip()]


def read_tree(path: Path) -> Any:
    """Return groups of labels: nested objects and lists."""
    return parse_json(read_text(path), what=str(path))
