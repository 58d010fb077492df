"""Workloads as TOML: read with messages that name the place that is wrong, written in one form.

Equal workloads have equal texts, and short ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Any

from noisewright.errors import InputError
from noisewright.exact import parse_toml
from noisewright.plans import field_lines, locate, require_known, require_version, text_of_sections
from noisewright.spaces import Records
from noisewright.synthetic.workloads.conditions import write_condition, write_value
from noisewright.synthetic.workloads.counting_queries import (
    Conjunction,
    Marginal,
    Predicate,
    Prefixes,
    Queries,
    Ranges,
)
from noisewright.synthetic.workloads.workload import Workload

VERSION = 1

_KINDS: dict[str, tuple[str, ...]] = {
    "marginals": ("ways", "columns"),
    "prefixes": ("columns",),
    "ranges": ("columns", "ends"),
    "conjunction": ("name", "where"),
}


def read_workload(text: str, domain: Records) -> Workload:
    """Return the workload that a TOML text describes, on this domain."""
    document = parse_toml(text, what="the workload", exact=False)
    require_version(document, VERSION, "the workload")
    require_known(document, ("version", "queries"), "the workload")
    sections = document.get("queries")
    if not isinstance(sections, list) or not sections:
        raise InputError(
            "the workload has no queries. Write [[queries]] for each kind of them, with kind = "
            '"marginals" and ways = 2, for example.'
        )
    read = [
        locate(f"the workload, queries {number}", lambda s=section: _queries(s, domain))
        for number, section in enumerate(sections, start=1)
    ]
    return Workload(domain, tuple(part for one in read for part in one.parts))


def _queries(section: Any, domain: Records) -> Workload:
    if not isinstance(section, dict) or not isinstance(section.get("kind"), str):
        raise InputError(f'write [[queries]] with kind = "…" ({", ".join(_KINDS)}).')
    kind = section["kind"]
    if kind not in _KINDS:
        raise InputError(f"kind is {kind!r}; it must be one of {', '.join(_KINDS)}.")
    require_known(section, ("kind", *_KINDS[kind]), f"queries with kind = {kind!r}")
    if kind == "conjunction":
        return _conjunction(section, domain)
    columns = _columns(section, single=kind != "marginals")
    if kind == "marginals":
        if "ways" not in section:
            raise InputError("ways is missing: how many columns each table has.")
        return Workload.marginals(domain, ways=section["ways"], columns=columns)
    if columns is None:
        raise InputError('columns is missing, as in columns = "age".')
    if kind == "prefixes":
        return Workload.prefixes(domain, columns)
    ends = section.get("ends")
    if ends is not None and not isinstance(ends, list):
        raise InputError("ends must be a list of pairs, such as [[20, 29], [30, 39]].")
    if ends is not None and not all(isinstance(pair, list) for pair in ends):
        raise InputError("each of ends must be a list, such as [20, 29].")
    return Workload.ranges(domain, columns, ends)


def _columns(section: dict[str, Any], *, single: bool) -> Any:
    given = section.get("columns")
    if given is None or (single and isinstance(given, str)):
        return given
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        one = 'columns = "age", or ' if single else ""
        raise InputError(f'columns must be names: write {one}columns = ["age", "income"].')
    return given


def _conjunction(section: dict[str, Any], domain: Records) -> Workload:
    where, name = section.get("where"), section.get("name", "")
    if not isinstance(where, dict):
        raise InputError('it needs where = {job = "cook", age = {at_least = 20}}.')
    if not isinstance(name, str):
        raise InputError("name must be a text.")
    return Workload.conjunctions(domain, {name: where})


def workload_text(workload: Workload) -> str:
    """Return the TOML text of a workload."""
    if not workload.parts:
        raise InputError("the workload has no queries, so there is nothing to write.")
    sections = [[f"version = {VERSION}"]]
    place = 0
    while place < len(workload.parts):
        taken, fields = _section(workload.domain, workload.parts[place:])
        sections.append(["[[queries]]", *field_lines(fields)])
        place += taken
    return text_of_sections(sections)


def _section(domain: Records, parts: Sequence[Queries]) -> tuple[int, dict[str, Any]]:
    """Return how many of the parts one section says, and what it says."""
    first = parts[0]
    if isinstance(first, Marginal):
        return _marginals(domain, parts, len(first.columns))
    if isinstance(first, Predicate):
        raise InputError(
            f"the query {first.name!r} is a function, which a file cannot hold. Write it as "
            "conjunctions, or add it to the workload after reading the file."
        )
    if isinstance(first, Conjunction):
        where = {
            name: write_condition(domain.by_name[name], codes)
            for name, codes in zip(first.columns, first.allowed, strict=True)
        }
        named = {"name": first.name} if first.name else {}
        return 1, {"kind": "conjunction", **named, "where": where}
    one = len(first.columns) == 1
    columns: Any = first.columns[0] if one else list(first.columns)
    if isinstance(first, Prefixes):
        return 1, {"kind": "prefixes", "columns": columns}
    assert isinstance(first, Ranges)
    fields: dict[str, Any] = {"kind": "ranges", "columns": columns}
    if first.ends is not None:
        spaces = [domain.by_name[name] for name in first.columns]
        boxes = [
            [
                [write_value(space, code) for code in pair]
                for space, pair in zip(spaces, box, strict=True)
            ]
            for box in first.ends
        ]
        fields["ends"] = [box[0] for box in boxes] if one else boxes
    return 1, fields


def _marginals(domain: Records, parts: Sequence[Queries], ways: int) -> tuple[int, dict[str, Any]]:
    """Find the longest run of marginals that is all those of some columns."""
    names: dict[str, None] = {}
    best = (1, list(parts[0].columns))
    for count, part in enumerate(parts, start=1):
        if not isinstance(part, Marginal) or len(part.columns) != ways:
            break
        names |= dict.fromkeys(part.columns)
        if count == comb(len(names), ways) and [p.columns for p in parts[:count]] == list(
            combinations(names, ways)
        ):
            best = (count, list(names))
    known = [name for name, _ in domain.columns]
    columns = {} if best[1] == known else {"columns": best[1]}
    return best[0], {"kind": "marginals", "ways": ways, **columns}
