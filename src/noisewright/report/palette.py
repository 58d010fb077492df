"""Colors, dashes and markers that can be told apart by everyone, also in gray."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

SEQUENTIAL = "viridis"

# Okabe and Ito's colors. Their yellow is too pale for a line on white; a gray takes its place.
COLORS = (
    "#0072B2",  # blue
    "#D55E00",  # vermilion
    "#009E73",  # bluish green
    "#CC79A7",  # reddish purple
    "#000000",
    "#E69F00",  # orange
    "#56B4E9",  # sky blue
    "#808080",
)

DASHES = ((1, 0), (7, 3), (2, 2), (8, 2, 2, 2), (4, 4), (12, 3), (2, 5), (8, 2, 2, 2, 2, 2), (5, 2))

SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
)


def ranges(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return for each visual channel the scale of these series, in their order.

    The numbers of colors, dashes and markers have no common factor, so that all three agree
    only after 504 series. Lines that come later, on top, are thinner: where two curves are
    the same, both show.
    """
    domain = list(names)
    around = range(len(domain))
    under = [(len(domain) - 1 - i) / max(1, len(domain) - 1) for i in around]
    return {
        "width": {"domain": domain, "range": [round(1.5 + 1.2 * u, 2) for u in under]},
        "color": {"domain": domain, "range": [COLORS[i % len(COLORS)] for i in around]},
        "dash": {"domain": domain, "range": [list(DASHES[i % len(DASHES)]) for i in around]},
        "shape": {"domain": domain, "range": [SHAPES[i % len(SHAPES)] for i in around]},
    }
