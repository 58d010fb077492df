"""Reads workloads from TOML; every message names the place that is wrong."""

from __future__ import annotations

import os
from typing import Any

from noisewright.errors import InputError
from noisewright.exact import parse_toml
from noisewright.files import read_text
from noisewright.plans import located, require_known
from noisewright.spaces import Records
from noisewright.synthetic.workloads.workload import Workload
from noisewright.synthetic.workloads.workload_writing import VERSION

_KINDS: dict[str, tuple[str, ...]] = {
    "marginals": ("ways", "columns"),
    "prefixes": ("columns",),
    "ranges": ("columns", "ends"),
    "conjunction": ("name", "where"),
}


def text_of_file(path: str | os.PathLike[str]) -> str:
    """Return the text of a file of queries."""
    return read_text(path, what="the workload")


def read_workload(text: str, domain: Records) -> Workload:
    """Return the workload that a TOML text describes, on this domain."""
    document = parse_toml(text, what="the workload", exact=False)
    if document.get("version") != VERSION or isinstance(document["version"], bool):
        raise InputError(
            f"the workload says version = {document.get('version')!r}; this program reads version "
            f"{VERSION}. Write version = {VERSION} at its top."
        )
    require_known(document, ("version", "queries"), "the workload")
    sections = document.get("queries")
    if not isinstance(sections, list) or not sections:
        raise InputError(
            "the workload has no queries. Write [[queries]] for each kind of them, with kind = "
            '"marginals" and ways = 2, for example.'
        )
    read = [
        located(f"the workload, queries {number}", lambda s=section: _queries(s, domain))
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
            raise InputError("ways is missing: of how many columns each table is.")
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
