"""Which columns were counted together: as a tree with cycles, as rounds, as a chart of pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from noisewright.report.characters import shorten
from noisewright.report.charts.library import load_altair
from noisewright.report.charts.series import COLORS
from noisewright.report.inline_charts import figure
from noisewright.report.markup import Heading, Markup, joined, label, paragraph, table, text
from noisewright.report.numerals import readable
from noisewright.report.synthesis.facts import NoisyCounts, SynthesisFacts

_MOST_IN_A_CHART = 40
_MOST_ROUNDS = 100
_LONGEST = 24


def column_links(facts: SynthesisFacts, *, charts: bool) -> Markup:
    """Return pictures of what was counted together."""
    if not facts.counted:
        return Markup("")
    picture = _rounds(facts) if facts.method == "mwem" else _tree(facts)
    wide = len(facts.varying) >= 3 and len(facts.names) <= _MOST_IN_A_CHART
    return joined([picture, _chart(facts) if charts and wide else ""])


def _tree(facts: SynthesisFacts) -> Markup:
    pairs = {frozenset(one.columns): one for one in facts.together if len(one.columns) == 2}
    if not pairs or len(pairs) != len(facts.together):
        # Other counts than pairs are no tree: they are listed below.
        return Markup("")
    tree, cycles = _parted(pairs, facts.names)
    degrees = {name: sum(name in pair for pair in tree) for name in facts.names}
    seen: set[str] = set()
    roots = [
        _branch(name, tree, seen, None)
        for name in sorted(facts.names, key=lambda each: -degrees[each])
        if name not in seen
    ]
    words = "Each line joins two columns that were counted together."
    if not cycles:
        words += (
            " Rows are drawn along the lines: a column depends on the one above it, and on all "
            "others only through that one."
        )
    listed = Markup(", ".join(label(" × ".join(one.columns), longest=80) for one in cycles))
    besides = (
        "Then these pairs were counted, of which the lines said least; the rows fit all counts: "
        if facts.chose
        else "These pairs were counted, too; the rows fit all counts: "
    )
    return joined(
        [
            "<h3>The tree of columns</h3>",
            paragraph(text(words)),
            f'<ul class="tree">{"".join(roots)}</ul>',
            paragraph(Markup(f"{text(besides)}{listed}.")) if cycles else "",
        ]
    )


def _parted(
    pairs: Mapping[frozenset[str], NoisyCounts], names: tuple[str, ...]
) -> tuple[dict[frozenset[str], NoisyCounts], list[NoisyCounts]]:
    """Return the pairs that make a tree, in the order of counting, and those that close cycles."""
    group = {name: name for name in names}
    tree: dict[frozenset[str], NoisyCounts] = {}
    cycles: list[NoisyCounts] = []
    for pair, one in pairs.items():
        first, second = (group[name] for name in one.columns)
        if first == second:
            cycles.append(one)
            continue
        tree[pair] = one
        group = {name: second if own == first else own for name, own in group.items()}
    return tree, cycles


def _branch(
    name: str, pairs: Mapping[frozenset[str], NoisyCounts], seen: set[str], how: NoisyCounts | None
) -> str:
    """Return a column with all that hangs on it; the deepest tree has a few hundred columns."""
    seen.add(name)
    link = None if how is None else how.link
    words = "" if link is None else f' <span class="soft small">link {link:.2f}</span>'
    below: list[str] = []
    for pair, one in pairs.items():
        if name in pair:
            (other,) = pair - {name}
            if other not in seen:
                below.append(_branch(other, pairs, seen, one))
    inside = f"<ul>{''.join(below)}</ul>" if below else ""
    return f"<li>{label(name, longest=60)}{words}{inside}</li>"


def _rounds(facts: SynthesisFacts) -> Markup:
    found = {part.name: part for part in facts.errors.parts}
    headings = (
        Heading(text("round, and what was counted")),
        Heading(text("counts"), number=True),
        Heading(text("expected"), number=True),
        Heading(text("found"), number=True),
    )
    rows: list[list[Markup]] = []
    for place, one in enumerate(facts.counted[:_MOST_ROUNDS], start=1):
        part = found.get(one.name)
        rows.append(
            [
                Markup(f"{place}. {label(one.name, longest=80)}"),
                text(f"{one.measurement.counts.size:,}"),
                text("" if part is None else readable(part.expected)),
                text("" if part is None or part.found is None else readable(part.found)),
            ]
        )
    words = (
        "In each round the part of the workload that was answered worst so far was chosen in "
        "private and counted with noise; then all rows were weighed anew until they fit."
        if facts.chose
        else "In each round a part of the workload was counted with noise; then all rows were "
        "weighed anew until they fit. As all of it was counted, nothing was chosen."
    )
    caption = text("Rounds, with the error by noise and between rows and noisy counts")
    return joined(
        [
            "<h3>Round by round</h3>",
            paragraph(text(words)),
            table(headings, rows, caption=caption, kind="names"),
        ]
    )


def _chart(facts: SynthesisFacts) -> Markup:
    names = _short(facts.names)
    cells = [
        {
            "down": names[second],
            "across": names[first],
            "kind": "counted together"
            if frozenset((first, second)) in facts.linked
            else "not counted",
        }
        for place, second in enumerate(facts.varying)
        for first in facts.varying[:place]
    ]
    if all(cell["kind"] == "counted together" for cell in cells):
        return paragraph(text(f"All {len(cells)} pairs of columns were counted together."))
    counted = sum(cell["kind"] == "counted together" for cell in cells)
    about = f"{counted} of {len(cells)} pairs of columns were counted together"
    caption = Markup(
        f"{text(about)}. Of a blank pair the table knows only what follows from others."
    )

    def draw() -> Any:
        alt = load_altair()
        # Narrow charts would be drawn larger, letters and all.
        side = max(16, min(60, 300 // (len(names) - 1)))
        order = list(names.values())
        across = alt.Axis(labelAngle=-45, title=None, ticks=False)
        down = alt.Axis(title=None, ticks=False)
        base = alt.Chart(alt.Data(values=cells)).encode(
            x=alt.X("across:N", sort=order[:-1], axis=across),
            y=alt.Y("down:N", sort=order[1:], axis=down),
        )
        size = side - 4
        known = base.transform_filter("datum.kind === 'counted together'").mark_square(
            size=size * size, opacity=1, color=COLORS[0]
        )
        rest = base.mark_square(size=size * size, opacity=0.12, color="currentColor")
        steps = {"width": side * (len(names) - 1), "height": side * (len(names) - 1)}
        # Letters are wider in some browsers than in the library that draws.
        return alt.layer(rest, known).properties(**steps, padding={"left": 14, "bottom": 8})

    return joined(
        [
            "<h3>All pairs of columns</h3>",
            figure(draw, name="links", about=about, caption=caption),
        ]
    )


def _short(names: tuple[str, ...]) -> dict[str, str]:
    """Return names that fit beside a chart; names that would be alike get a number."""
    short = {name: shorten(name, longest=_LONGEST) or "(no name)" for name in names}
    if len(set(short.values())) < len(names):
        return {name: f"{place}. {short[name]}" for place, name in enumerate(names, start=1)}
    return short
