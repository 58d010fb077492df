"""Writes workloads as TOML: short, and in one form, so that equal workloads have equal texts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import combinations
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noisewright.errors import InputError
from noisewright.files import write_whole
from noisewright.plans import field_lines, text_of_sections
from noisewright.spaces import Records
from noisewright.synthetic.workloads.boxes import Prefixes, Ranges
from noisewright.synthetic.workloads.conditions import write_condition, write_value
from noisewright.synthetic.workloads.counting_queries import (
    Conjunction,
    Marginal,
    Predicate,
    Queries,
    column,
)

if TYPE_CHECKING:
    from noisewright.synthetic.workloads.workload import Workload

VERSION = 1


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


def save_workload(workload: Workload, path: str | os.PathLike[str]) -> Path:
    """Write a workload to a file, whole or not at all."""
    try:
        write_whole(path, workload_text(workload).encode())
    except OSError as problem:
        raise InputError(
            f"cannot write the workload to {os.fspath(path)!r}: {problem.strerror}. Choose a "
            "folder that exists and that you may write to."
        ) from problem
    return Path(path)


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
            name: write_condition(column(domain, name), codes)
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
        spaces = [column(domain, name) for name in first.columns]
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
