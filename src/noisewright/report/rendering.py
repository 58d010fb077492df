"""Pages from templates: one HTML file that loads nothing, in which Jinja2 escapes every value.

Text that comes from a plan (names of columns, labels, titles) may hold anything: tags, quotes,
control characters, halves of a surrogate pair, words that run from right to left. Python hands
over plain values; markup is made in `templates/` only, where everything is escaped unless a
template wrote it.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import Any

from noisewright.errors import MissingPartError
from noisewright.meanings import DELTA, DELTA_IS_NOT
from noisewright.report.texts import percent, readable, shorten, size_text, writable

Advance = Callable[[int, int], object]
"""Told how many of so many steps towards a page are done."""


@cache
def load_templates() -> Any:
    """Return the templates of the pages, or say how to install what reads them."""
    try:
        import jinja2
    except ImportError as problem:
        raise MissingPartError(
            "pages are made with Jinja2, which comes with noisewright and is missing here: "
            "pip install jinja2."
        ) from problem
    made: Any = jinja2.Environment(
        loader=jinja2.PackageLoader("noisewright.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        # What a template wrote is left alone; of all else only what a page can hold is written.
        finalize=lambda value: value if hasattr(value, "__html__") else writable(value),
    )
    made.globals.update(DELTA=DELTA, DELTA_IS_NOT=DELTA_IS_NOT)
    made.filters |= {
        "one_line": lambda value: " ".join(writable(value).split()),
        "percent": percent,
        "quote": shlex.quote,
        "readable": readable,
        "repr": repr,
        "shorten": shorten,
        "size_text": size_text,
        "thousands": "{:,}".format,
        "writable": writable,
    }
    return made


def render_page(template: str, *, made: datetime, **values: Any) -> str:
    """Return a page: a template filled with plain values, among them when it was made."""
    day, _, time = made.strftime("%Y-%m-%d %H:%M %Z").strip().partition(" ")
    return load_templates().get_template(template).render(made=(day, time), **values)
