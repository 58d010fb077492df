"""Altair, loaded when a chart is drawn: nobody pays for charts who draws none."""

from __future__ import annotations

import importlib
from typing import Any

from noisewright.errors import MissingPartError


def altair() -> Any:
    """Return the charting library, or say how to install it."""
    return _part("altair", why="charts are drawn with Altair")


def vl_convert() -> Any:
    """Return the renderer for pictures and offline pages, or say how to install it."""
    return _part("vl_convert", why="charts are saved as pictures and pages with vl-convert")


def _part(module: str, *, why: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        raise MissingPartError(
            f"{why}, which is not installed: pip install 'noisewright[charts]'."
        ) from problem
