"""Pages of releases for the tests: facts of every kind of column, and a reader of HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any

import numpy as np

import noisewright as nw
from noisewright.mechanisms.products.marginals import marginal
from noisewright.report import ReleaseFacts, ReleaseFile

ROWS = 4000
MADE = datetime(2026, 3, 14, 15, 9, tzinfo=UTC)
INLINE = {"a", "b", "bdi", "code", "span", "strong"}
VOID = {"meta", "br", "img", "hr", "link", "input", "wbr"}


def facts_of(
    plan: nw.Plan, estimates: Mapping[str, Any] | None = None, **more: Any
) -> ReleaseFacts:
    given: dict[str, Any] = {
        "plan": plan,
        "data": "private.parquet",
        "rows": ROWS,
        "made": MADE,
        "guarantee": plan.guarantee,
        "certificate_digest": "12" * 32,
        "estimates": estimates if estimates is not None else estimates_of(plan),
        "files": (
            ReleaseFile("private.parquet", "the released table", 1_234_567, "ab" * 32),
            ReleaseFile("private.certificate.json", "certificate", 4_567, "cd" * 32),
        ),
    }
    return ReleaseFacts(**(given | more))


def estimates_of(plan: nw.Plan, rows: int = ROWS) -> dict[str, Any]:
    """Release the same value for everybody in every column, from a seed, and estimate it back."""
    found: dict[str, Any] = {}
    for place, part in enumerate(plan.parts):
        mechanism: Any = part.mechanism
        source = nw.randomness.SeededSource(place)
        if isinstance(part.space, nw.Subsets):
            sets = [set(part.space.items[:1])] * rows
            found[part.name] = nw.estimate(
                mechanism.sample(sets, source=source), mechanism, about="people"
            )
            continue
        if isinstance(part.space, nw.Curves):
            flat = np.full((rows, len(part.space.grid)), float(part.space.low))
            found[part.name] = nw.estimate(mechanism.sample(flat, source=source), about="people")
            continue
        codes = np.zeros(rows, dtype=np.intp)
        released = mechanism.outputs.decode(mechanism.draw(codes, source)).tolist()
        for name in part.columns if part.is_joint else ():
            at = part.columns.index(name)
            found[name] = nw.estimate(
                [record[at] for record in released], marginal(mechanism, name), about="people"
            )
        questions = ["mean", "histogram"] if isinstance(part.space, nw.Interval) else ["shares"]
        answers = [nw.estimate(released, mechanism, of=of, about="people") for of in questions]
        found[part.name] = answers[0] if len(answers) == 1 else answers
    return found


@dataclass
class Page(HTMLParser):
    """A page as a parser sees it: tags with attributes, text, and whatever was not closed."""

    source: str
    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    open_tags: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    mistakes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.feed(self.source)
        self.close()
        self.mistakes += [f"{tag} was never closed" for tag in self.open_tags]

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.words.append("" if tag in INLINE else " ")
        if tag not in VOID:
            self.open_tags.append(tag)

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.words.append("" if tag in INLINE else " ")
        if not self.open_tags or self.open_tags.pop() != tag:
            self.mistakes.append(f"</{tag}> closes something else")

    def handle_data(self, data: str) -> None:
        if "style" not in self.open_tags:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]
