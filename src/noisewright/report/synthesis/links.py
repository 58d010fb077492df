"""Which columns were counted together: as a tree, as rounds, as a drawing of pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from noisewright.report.drawings.grid import draw_pairs
from noisewright.report.release.pictures import Picture, try_to_draw
from noisewright.report.synthesis.facts import NoisyCounts, SynthesisFacts
from noisewright.report.texts import readable, shorten

MOST_DRAWN = 40
_MOST_ROUNDS = 100
_LONGEST = 24


@dataclass(frozen=True)
class Branch:
    """A column with all that hangs on it, and how strongly it goes with the one above."""

    name: str
    link: float | None
    below: tuple[Branch, ...]


@dataclass(frozen=True)
class ColumnTree:
    """Columns joined by pairs that were counted, and the pairs that close cycles."""

    roots: tuple[Branch, ...]
    cycles: tuple[str, ...]


def view_tree(facts: SynthesisFacts) -> ColumnTree | None:
    """Return the tree of columns; None where rounds or other counts than pairs make none."""
    pairs = {frozenset(one.columns): one for one in facts.together if len(one.columns) == 2}
    others = any(len(one.columns) != 2 for one in facts.together)
    if facts.method == "mwem" or not pairs or others:
        return None
    tree, cycles = _split(pairs, facts.names)
    degrees = {name: sum(name in pair for pair in tree) for name in facts.names}
    seen: set[str] = set()
    roots = tuple(
        _branch(name, tree, seen, None)
        for name in sorted(facts.names, key=lambda each: -degrees[each])
        if name not in seen
    )
    return ColumnTree(roots, tuple(" × ".join(one.columns) for one in cycles))


def _split(
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
    name: str,
    pairs: Mapping[frozenset[str], NoisyCounts],
    seen: set[str],
    how: NoisyCounts | None,
) -> Branch:
    """Return a column with all that hangs on it; the deepest tree has a few hundred columns."""
    seen.add(name)
    below: list[Branch] = []
    for pair, one in pairs.items():
        if name in pair:
            (other,) = pair - {name}
            if other not in seen:
                below.append(_branch(other, pairs, seen, one))
    return Branch(name, None if how is None else how.link, tuple(below))


def view_rounds(facts: SynthesisFacts) -> list[tuple[str, tuple[str, str, str]]]:
    """Return what was counted round by round: how many counts, the error expected and found."""
    if facts.method != "mwem":
        return []
    parts = {part.name: part for part in facts.errors.parts}
    rows: list[tuple[str, tuple[str, str, str]]] = []
    for one in facts.counted[:_MOST_ROUNDS]:
        part = parts.get(one.name)
        expected = "" if part is None else readable(part.expected)
        found = "" if part is None or part.found is None else readable(part.found)
        rows.append((one.name, (f"{one.measurement.counts.size:,}", expected, found)))
    return rows


def picture_pairs(facts: SynthesisFacts) -> Picture | None:
    """Return all pairs of columns, those that were counted together painted; a word if all were."""
    columns = facts.varying
    if not facts.counted or len(columns) < 3 or len(facts.names) > MOST_DRAWN:
        return None
    places = {name: place for place, name in enumerate(columns)}
    known = {
        frozenset(places[name] for name in pair) for pair in facts.linked if pair <= places.keys()
    }
    pairs = len(columns) * (len(columns) - 1) // 2
    if len(known) == pairs:
        return Picture(f"All {pairs} pairs of columns were counted together.")
    about = f"{len(known)} of {pairs} pairs of columns were counted together"
    return try_to_draw(
        lambda: Picture(
            f"{about}. For a blank pair, the rows show only what follows from the other pairs.",
            about,
            draw_pairs(short_names(columns), known),
        )
    )


def short_names(names: tuple[str, ...]) -> list[str]:
    """Return names that fit beside a drawing; names that would be alike get a number."""
    short = [shorten(name, longest=_LONGEST) or "(no name)" for name in names]
    if len(set(short)) < len(names):
        return [f"{place}. {name}" for place, name in enumerate(short, start=1)]
    return short
