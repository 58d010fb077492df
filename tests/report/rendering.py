"""What a chart looks like once it is drawn, as far as a program can tell."""

import re
from typing import Any

from noisewright.report.charts.library import load_altair, load_renderer


def drawn(chart: Any) -> str:
    """The chart as SVG. `to_dict` inside checks it against the schema of Vega-Lite."""
    version = load_altair().SCHEMA_VERSION.rpartition(".")[0]
    made = load_renderer().call("vegalite_to_svg", chart.to_dict(), vl_version=version)
    return made.decode()


def texts(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def cells(svg: str) -> list[tuple[float, float, str]]:
    """Width, height and fill of each rectangle of a heatmap."""
    found = re.findall(
        r'<path aria-label="[^"]*" role="graphics-symbol" aria-roledescription="rect mark" '
        r'd="M[^h]*h([\d.]+)v([\d.]+)h[^"]*Z" fill="([^"]*)"',
        svg,
    )
    return [(float(width), float(height), fill) for width, height, fill in found]
