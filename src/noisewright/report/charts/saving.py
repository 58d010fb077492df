"""Charts as files: pictures, pages that need no network, and specifications."""

from __future__ import annotations

import html
import json
import os
from pathlib import Path
from typing import Any

from noisewright.errors import InputError
from noisewright.files import write_whole
from noisewright.report.characters import writable
from noisewright.report.charts.library import load_altair, load_renderer

FORMATS = (".png", ".svg", ".html", ".json")

_SCALE = 2
"""Pixels of a PNG for each pixel of the chart: sharp on paper and on fine screens."""

# The menu offers the picture, not the link that would send the data to an editor on the web.
_EMBED = '{"renderer": "svg", "actions": {"export": true, "source": false, "compiled": false, \
"editor": false}}'

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>body {{ margin: 1.5rem; background: #fff; }}</style>
<script>{library}</script>
</head>
<body>
<div id="chart"></div>
<script>vegaEmbed("#chart", {spec}, {embed}).catch(console.error);</script>
</body>
</html>
"""


def require_format(path: str | os.PathLike[str]) -> str:
    """Return the ending of a path that a chart can be saved to, or say which ones there are."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise InputError(
            f"cannot save a chart as {os.fspath(path)!r}: its name must end in "
            f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}."
        )
    return suffix


def save_chart(chart: Any, path: str | os.PathLike[str]) -> None:
    """Write a chart to a file; its ending says how: .png, .svg, .html or .json (Vega-Lite).

    Ensures: the file is whole or not there. A page holds everything it needs, so that it
    opens without a network and calls nobody.
    """
    suffix = require_format(path)
    alt = load_altair()
    if not isinstance(chart, alt.TopLevelMixin):
        raise InputError(f"save_chart takes an Altair chart; got {type(chart).__name__}.")
    data = _render(alt, chart, suffix)
    try:
        write_whole(path, data)
    except OSError as problem:
        raise InputError(
            f"cannot write {os.fspath(path)}: {problem.strerror}. Give a path in a folder that "
            "exists and that you may write to."
        ) from problem


def _render(alt: Any, chart: Any, suffix: str) -> bytes:
    if suffix == ".json":
        return chart.to_json(indent=None).encode()
    renderer = load_renderer()
    # vl-convert brings several versions of Vega-Lite; the chart is written for one of them.
    version = alt.SCHEMA_VERSION.rpartition(".")[0]
    spec = _make_writable(chart.to_dict())
    if suffix == ".png":
        return renderer.call("vegalite_to_png", spec, vl_version=version, scale=_SCALE)
    if suffix == ".svg":
        return renderer.call("vegalite_to_svg", spec, vl_version=version)
    return _page(spec, renderer.call("javascript_bundle", vl_version=version).decode()).encode()


def _page(spec: dict[str, Any], library: str) -> str:
    title = spec.get("title", "Chart")
    if isinstance(title, dict):
        title = title.get("text", "Chart")
    # A label may hold "</script>"; the escape keeps it text and means the same to JavaScript.
    written = json.dumps(spec).replace("<", "\\u003c")
    return _PAGE.format(title=html.escape(str(title)), library=library, spec=written, embed=_EMBED)


def _make_writable(spec: Any) -> Any:
    """Return the specification of a chart with all of its text writable."""
    if isinstance(spec, str):
        return writable(spec)
    if isinstance(spec, dict):
        entries: dict[Any, Any] = spec  # pyright: ignore[reportUnknownVariableType]
        return {writable(key): _make_writable(value) for key, value in entries.items()}
    if isinstance(spec, list):
        items: list[Any] = spec  # pyright: ignore[reportUnknownVariableType]
        return [_make_writable(value) for value in items]
    return spec
