"""One HTML file that loads nothing: what stands around the sections of every page."""

from __future__ import annotations

from collections.abc import Sequence

from noisewright.report.markup import Markup, attribute, joined, text
from noisewright.report.page_style import style


def whole_page(title: str, body: Sequence[str], *, not_private: bool, version: str) -> str:
    """Return the page; the title of one that is not private says so."""
    marked = f"NOT PRIVATE: {title}" if not_private else title
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<meta name="generator" content="noisewright {attribute(version)}">\n'
        f"<title>{text(marked)}</title>\n<style>\n{style()}</style>\n</head>\n"
        f'<body>\n<div class="page">\n{joined(body)}\n</div>\n</body>\n</html>\n'
    )


def alarm(*, not_private: bool) -> Markup:
    """Say that what was drawn from a seed is not private; nothing where it is."""
    if not not_private:
        return Markup("")
    return Markup(
        '<div class="alarm" role="note"><p><strong>NOT PRIVATE.</strong> The noise was drawn '
        "from a seed, for a test. Whoever knows the seed can take the noise off and read "
        "every answer. Nothing that this page says about privacy holds. Do not publish it."
        "</p></div>"
    )
