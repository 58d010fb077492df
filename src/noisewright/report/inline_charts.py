"""Charts as part of a page: SVG without scripts, in the page's own colors.

What the library draws is taken over as it is, except that text and lines take the colors of the
page, which follow the reader's choice of light or dark, and that names inside are made unique: a
page holds many charts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from noisewright.errors import MissingPartError
from noisewright.report.characters import writable_chart
from noisewright.report.charts.library import load_altair, load_renderer
from noisewright.report.markup import Markup, attribute, text

INK = "currentColor"

_NAMED = {"#0072b2": "var(--blue)", "#d55e00": "var(--red)", "#009e73": "var(--green)"}
"""The first colors of the palette, as the page names them."""

_CONFIG: dict[str, Any] = {
    "background": None,
    "aria": False,
    "font": "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "domainColor": INK,
        "domainOpacity": 0.35,
        "tickColor": INK,
        "tickOpacity": 0.35,
        "gridColor": INK,
        "gridOpacity": 0.12,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    },
    "legend": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "orient": "top",
    },
    "title": {"color": INK, "fontSize": 13},
}


def why_no_charts() -> str | None:
    """Return why no chart can be drawn here, or None when they can."""
    try:
        load_altair()
        load_renderer()
    except MissingPartError as problem:
        return str(problem)
    return None


def figure(make: Callable[[], Any], *, name: str, about: str, caption: Markup) -> Markup:
    """Return a chart with its caption; the caption alone, and a word, when it cannot be drawn.

    Ensures: never raises. A page is made after its data are safe, and a picture that fails must
    not take the rest of the page with it.
    """
    try:
        drawing = _drawn(make, name=name, about=about)
    except Exception as problem:
        kind = type(problem).__name__
        words = f"This picture could not be drawn ({kind})."
        return Markup(f'<p class="soft small">{text(words)}</p>')
    return Markup(
        f'<figure><div class="chart">{drawing}</div><figcaption>{caption}</figcaption></figure>'
    )


def _drawn(make: Callable[[], Any], *, name: str, about: str) -> Markup:
    # The charts of this room are checked by its tests; checking each again takes longer than
    # drawing it.
    with load_altair().utils.schemapi.debug_mode(False):
        return inline_svg(make(), name=name, about=about)


def inline_svg(chart: Any, *, name: str, about: str) -> Markup:
    """Return a chart as SVG that stands in a page, with a description for who cannot see it."""
    renderer, alt = load_renderer(), load_altair()
    spec = writable_chart(chart.to_dict(validate=False))
    spec["config"] = _merged(_CONFIG, spec.get("config", {}))
    spec.pop("background", None)
    version = alt.SCHEMA_VERSION.rpartition(".")[0]
    drawn = renderer.call("vegalite_to_svg", spec, vl_version=version).decode()
    return _adopted(drawn, name, about)


def _merged(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    """Return our settings over those of the library, and the chart's own over both."""
    # Altair's default size of a view comes with every chart; all of ours set their own.
    merged = dict(ours)
    for key, value in theirs.items():
        if key != "view":
            known: Any = merged.get(key)
            both = isinstance(value, dict) and isinstance(known, dict)
            merged[key] = known | value if both else value
    return merged


def _adopted(svg: str, name: str, about: str) -> Markup:
    prefix = re.sub(r"[^a-z0-9]+", "-", name.lower())
    # Only what stands inside of tags: between them is text, which stays as it is.
    svg = re.sub(r"<[^>]*>", lambda found: _own_tag(found.group(), prefix), svg)
    opening = re.match(r"<svg[^>]*>", svg)
    if opening is None:
        raise ValueError("the renderer returned no SVG.")
    sizes = re.findall(r'\b(width|height|viewBox)="([^"]*)"', opening.group())
    kept = " ".join(f'{key}="{attribute(value)}"' for key, value in sizes)
    inside = svg[opening.end() :]
    return Markup(f'<svg {kept} role="img" aria-label="{attribute(about)}">{inside}')


def _own_tag(tag: str, prefix: str) -> str:
    tag = re.sub(r'\bid="([^"]*)"', rf'id="{prefix}-\1"', tag)
    tag = re.sub(r"url\(#([^)]*)\)", rf"url(#{prefix}-\1)", tag)
    tag = re.sub(r'"(#[0-9a-fA-F]{6})"', _own_color, tag)
    # A tenth of a pixel is enough; the digits after it are most of a drawing.
    return re.sub(r"(\d+\.\d)\d{2,}", r"\1", tag)


def _own_color(found: re.Match[str]) -> str:
    color = found.group(1)
    return f'"{_NAMED.get(color.lower(), color)}"'
