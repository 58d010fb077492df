"""Altair and its renderer, loaded when a chart is drawn: who draws none pays nothing."""

from __future__ import annotations

import importlib.util
from functools import cache
from typing import Any

from noisewright.errors import MissingPartError
from noisewright.report.rendering import Renderer

_ADVICE = "which is not installed: pip install 'noisewright[charts]'."


def load_altair() -> Any:
    """Return the charting library, or say how to install it."""
    try:
        import altair
    except ImportError as problem:
        raise MissingPartError(f"charts are drawn with Altair, {_ADVICE}") from problem
    return altair


def load_renderer() -> Renderer:
    """Return what makes pictures and offline pages of charts, or say how to install it."""
    if importlib.util.find_spec("vl_convert") is None:
        raise MissingPartError(f"charts are saved with vl-convert, {_ADVICE}")
    return _renderer()


@cache
def _renderer() -> Renderer:
    return Renderer()
