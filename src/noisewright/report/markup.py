"""Pieces of an HTML page, each escaped here and nowhere else.

Text that comes from a plan (names of columns, labels, titles) may hold anything: tags, quotes,
control characters, halves of a surrogate pair, words that run from right to left. It enters a page
by `text`, `label` or `attribute` only.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NewType

from noisewright.report.characters import writable

Markup = NewType("Markup", str)
"""HTML that is ready: everything in it that came from outside is escaped."""

LONGEST_LABEL = 80
_LONGEST_TITLE = 400


def text(value: Any) -> Markup:
    """Return text that may stand between tags."""
    return Markup(html.escape(writable(value), quote=False))


def attribute(value: Any) -> Markup:
    """Return text that may stand between the double quotes of an attribute."""
    return Markup(html.escape(" ".join(writable(value).split()), quote=True))


def label(value: Any, *, longest: int = LONGEST_LABEL) -> Markup:
    """Return a name from outside, apart from its surroundings: its direction does not turn them.

    What is too long is cut, and stands in full (up to 400 letters) in a tooltip.
    """
    written = writable(value)
    if len(written) <= longest:
        return Markup(f"<bdi>{text(written) or '&nbsp;'}</bdi>")
    whole = written if len(written) <= _LONGEST_TITLE else written[:_LONGEST_TITLE] + "…"
    return Markup(f'<bdi title="{attribute(whole)}">{text(written[: longest - 1])}…</bdi>')


def joined(parts: Iterable[str]) -> Markup:
    """Return pieces of HTML one after the other; empty ones are left out."""
    return Markup("\n".join(part for part in parts if part))


def paragraph(content: Markup, *, kind: str = "") -> Markup:
    """Return a paragraph."""
    return Markup(f"<p{_kind(kind)}>{content}</p>")


def bullets(items: Iterable[Markup]) -> Markup:
    """Return a list with a dot before each item."""
    return Markup("<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>")


def section(name: str, title: Markup, content: Iterable[str], *, level: int = 2) -> Markup:
    """Return a section with its heading; `name` is what links point at."""
    return Markup(
        f'<section id="{attribute(name)}" aria-labelledby="{attribute(name)}-title">\n'
        f'<h{level} id="{attribute(name)}-title">{title}</h{level}>\n'
        f"{joined(content)}\n</section>"
    )


def code_block(lines: Sequence[str], *, about: str) -> Markup:
    """Return lines to type; they scroll inside of their box and can be reached by keyboard."""
    inside = text("\n".join(lines))
    return Markup(
        f'<pre tabindex="0" role="region" aria-label="{attribute(about)}"><code>{inside}</code>'
        "</pre>"
    )


def folded(summary: Markup, content: Markup) -> Markup:
    """Return what is shown when one asks for it; no script is needed."""
    return Markup(f"<details><summary>{summary}</summary>\n{content}\n</details>")


@dataclass(frozen=True)
class Heading:
    """The head of one column of a table; numbers stand to the right."""

    title: Markup
    number: bool = False
    kind: str = ""

    @property
    def classes(self) -> str:
        """The classes of its cells."""
        return " ".join(word for word in ("number" * self.number, self.kind) if word)


def table(
    headings: Sequence[Heading],
    rows: Iterable[Sequence[Markup]],
    *,
    caption: Markup,
    kind: str = "",
) -> Markup:
    """Return a table whose first column names its rows; it scrolls inside of its box."""
    head = "".join(f'<th scope="col"{_kind(h.classes)}>{h.title}</th>' for h in headings)
    lines: list[str] = []
    for row in rows:
        first, *rest = (
            (heading.classes, cell) for heading, cell in zip(headings, row, strict=True)
        )
        cells = "".join(f"<td{_kind(classes)}>{cell}</td>" for classes, cell in rest)
        lines.append(f'<tr><th scope="row"{_kind(first[0])}>{first[1]}</th>{cells}</tr>')
    about = attribute(html.unescape(re.sub(r"<[^>]*>", "", caption)))
    return Markup(
        f'<div{_kind(f"scroll {kind}".strip())} tabindex="0" role="region" aria-label="{about}">'
        f"<table>\n<caption><span>{caption}</span></caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n"
        + "\n".join(lines)
        + "\n</tbody>\n</table></div>"
    )


def definitions(pairs: Iterable[tuple[Markup, Markup]]) -> Markup:
    """Return terms with what they are."""
    inside = "\n".join(f"<div><dt>{term}</dt><dd>{words}</dd></div>" for term, words in pairs)
    return Markup(f"<dl>\n{inside}\n</dl>")


def _kind(classes: str) -> str:
    return f' class="{classes}"' if classes else ""
