"""Reads plans from TOML; every message names the place that is wrong."""

from __future__ import annotations

import difflib
import json
import os
import shlex
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from noisewright.certificates import load, point_label
from noisewright.errors import InputError, NoisewrightError
from noisewright.exact import parse_toml
from noisewright.files import read_text
from noisewright.mechanisms import Mechanism, Table
from noisewright.plans.column import DROP, PUBLIC, Column, Treatment
from noisewright.plans.plan import Plan
from noisewright.plans.toml_writing import HEAD, TODO, VERSION
from noisewright.plans.wanted import Wanted
from noisewright.spaces import Categories, Counts, Curves, Dates, Interval, Space, Subsets
from noisewright.tables import Person

_SPACES: dict[str, tuple[str, ...]] = {
    "categories": ("labels",),
    "counts": ("n",),
    "interval": ("low", "high", "step"),
    "dates": ("low", "high", "step", "zone"),
    "subsets": ("items", "largest"),
    "curves": ("grid", "low", "high", "step"),
}
_OPTIONAL = (("subsets", "largest"), ("curves", "step"), ("dates", "zone"))
_SETTINGS = (
    "epsilon",
    "delta",
    "share",
    "null",
    "other",
    "outside",
    "off_grid",
    "mechanism",
    "separator",
    "columns",
)
_OPTIONS = ("form", "frequency", "basis", "coefficients", "loss", "goal", "properties")


def read_plan(text: str, folder: Path | None) -> Plan:
    """Return the plan that a TOML text describes."""
    return Plan(**read_settings(text, folder, with_epsilon=True))


def settings_at(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what the plan in a file says, as Plan takes it; its epsilon may be open."""
    return read_settings(text_at(path), Path(path).parent)


def text_at(path: str | os.PathLike[str]) -> str:
    """Return the text of a plan; a file of a kind that codebooks have is called one."""
    text = read_text(path, what="the plan")
    shown = os.fspath(path)
    if Path(shown).suffix.lower() in (".csv", ".json"):
        raise InputError(
            f"the plan is {shown!r}, and plans are TOML. If it is a codebook, draft a plan from "
            f"it: noisewright plan DATA --codebook {shlex.quote(shown)} -o plan.toml, or "
            "nw.planning.draft_plan(data, codebook=…)."
        )
    return text


def read_settings(text: str, folder: Path | None, *, with_epsilon: bool = False) -> dict[str, Any]:
    """Return what a TOML text says, as Plan takes it: its columns, and the budget for them.

    An epsilon that is still open is left out, for whoever is told it elsewhere; `with_epsilon`,
    such a plan is refused.
    """
    document = parse_toml(text, what="the plan")
    require_version(document, VERSION, "the plan")
    require_known(document, ("version", "person", "estimates", "columns", *HEAD), "the plan")
    if not with_epsilon and document.get("epsilon") == TODO:
        del document["epsilon"]
    treatments = read_treatments(document, "the plan", folder, finished=True)
    person = document.get("person")
    settings = {name: document[name] for name in HEAD if name in document}
    if not isinstance(settings.get("together", []), list):
        raise InputError('together must be a list of lists, such as [["sex", "job"]].')
    wishes = document.get("estimates", [])
    if not isinstance(wishes, list):
        raise InputError("estimates is not a list of sections; write [[estimates]] for each.")
    settings["estimates"] = [
        locate(f"the plan, estimate {number}", lambda w=wish: _read_wanted(w))
        for number, wish in enumerate(wishes, start=1)
    ]
    if person is not None:
        settings["person"] = locate("the plan, person", lambda: _person(person))
    return {"columns": treatments, **settings}


def _require_finished(document: Mapping[str, Any], columns: Mapping[str, Any]) -> None:
    """Refuse a draft, and name everything that is still to be declared."""
    open_columns = [
        name
        for name, section in columns.items()
        if isinstance(section, dict)
        # A label may be called anything.
        and any(value == TODO for key, value in section.items() if key not in ("null", "other"))
    ]
    missing = [f"epsilon = {TODO}"] if document.get("epsilon") == TODO else []
    missing += [f"the column{'s' * (len(open_columns) > 1)} {', '.join(open_columns)}"] * bool(
        open_columns
    )
    if missing:
        raise InputError(
            f"the plan is not finished; still to be declared (they say {TODO}): "
            f"{' and '.join(missing)}. "
            + (
                "Declare what a column can hold, from what is known without the data, or say "
                'use = "drop".'
                if open_columns
                else "It is the privacy budget per person, for all columns together."
            )
        )


def read_treatments(
    document: Mapping[str, Any], where: str, folder: Path | None, *, finished: bool = False
) -> dict[str, Treatment]:
    """Read the [columns.…] sections of a plan or a codebook; of a draft only if not `finished`."""
    columns = document.get("columns")
    if not isinstance(columns, dict) or not columns:
        raise InputError(f"{where} has no [columns.…] sections; each column needs one.")
    if finished:
        _require_finished(document, columns)
    return {
        name: locate(f"{where}, column {name!r}", lambda s=section: read_treatment(s, folder))
        for name, section in columns.items()
    }


def require_version(document: Mapping[str, Any], version: int, where: str) -> None:
    """Refuse a document of another version."""
    if document.get("version") != version or isinstance(document["version"], bool):
        raise InputError(
            f"{where} says version = {document.get('version')!r}; this program reads version "
            f"{version}. Write version = {version} at its top."
        )


def locate(place: str, read: Callable[[], Any]) -> Any:
    """Run a reader; an error says in which part of the plan it happened."""
    try:
        return read()
    except NoisewrightError as problem:
        raise InputError(f"{place}: {problem}") from problem


def _person(section: Any) -> Person:
    if not isinstance(section, dict):
        raise InputError('write [person] with column = "patient" and rows = 3.')
    require_known(section, ("column", "rows", "keep"), "[person]")
    for name in ("column", "rows"):
        if name not in section:
            raise InputError(f"{name} is missing.")
    return Person(section["column"], rows=section["rows"], keep=section.get("keep", "random"))


def _read_wanted(section: Any) -> Wanted:
    if not isinstance(section, dict):
        raise InputError('write [[estimates]] with of = "job" or of = ["sex", "job"].')
    require_known(section, ("of", "weight", "question"), "[[estimates]]")
    if "of" not in section:
        raise InputError("of is missing: the column, or the list of columns.")
    return Wanted(**section)


def read_treatment(section: Any, folder: Path | None) -> Treatment:
    """Read the section of one column."""
    if not isinstance(section, dict):
        raise InputError('it must be a section with space = "…", or with use = "drop".')
    if "use" in section:
        require_known(section, ("use",), "a column with use =")
        if section["use"] not in (DROP, PUBLIC):
            raise InputError(f"use is {section['use']!r}; it must be 'drop' or 'public'.")
        return section["use"]
    if "space" not in section:
        inner = next((name for name, value in section.items() if isinstance(value, dict)), None)
        dotted = f' If its name has a dot, write [columns."….{inner}"].' if inner else ""
        raise InputError(
            f'it needs space = "…" ({", ".join(_SPACES)}), or use = "drop" or use = "public".'
            f"{dotted}"
        )
    for name, value in section.items():
        if isinstance(value, dict):
            raise InputError(
                f"{name} is a section of its own; it must be a value. If the name of a column has "
                f'a dot, write [columns."….{name}"].'
            )
    kind = section["space"]
    if not isinstance(kind, str) or kind not in _SPACES:
        raise InputError(f"space is {kind!r}; it must be one of {', '.join(_SPACES)}.")
    allowed = ("space", "certificate", *_SPACES[kind], *_SETTINGS, *_OPTIONS)
    require_known(section, allowed, f"a column with space = {kind!r}")
    space = _space(kind, section)
    settings = {name: section[name] for name in (*_SETTINGS, *_OPTIONS) if name in section}
    if isinstance(space, (Categories, Subsets)):
        settings |= {n: _plain(settings[n]) for n in ("null", "other") if n in settings}
    if "certificate" in section:
        if "mechanism" in section:
            raise InputError("it has a certificate and a mechanism; one of them is enough.")
        settings["mechanism"] = _load_certified(section["certificate"], space, settings, folder)
    return Column(space, **settings)


def _space(kind: str, section: Mapping[str, Any]) -> Space:
    given = {name: section[name] for name in _SPACES[kind] if name in section}
    for name in _SPACES[kind]:
        if name not in given and (kind, name) not in _OPTIONAL:
            raise InputError(f"{name} is missing; it must be declared, not read from the data.")
    for name in ("labels", "items", "grid", "columns"):
        if not isinstance(section.get(name, []), list):
            raise InputError(f"{name} is {section[name]!r}; it must be a list.")
    match kind:
        case "categories":
            return Categories([_plain(label) for label in given["labels"]])
        case "counts":
            return Counts(given["n"], neighbors="replace")
        case "interval":
            return Interval(given["low"], given["high"], step=given["step"])
        case "dates":
            return Dates(given["low"], given["high"], step=given["step"], zone=given.get("zone"))
        case "subsets":
            items = [_plain(item) for item in given["items"]]
            return Subsets(items, largest=given.get("largest"))
        case _:
            return Curves(**given)


def _plain(value: Any) -> Any:
    """Labels are doubles where budgets are exact."""
    try:
        return float(value) if isinstance(value, Fraction) else value
    except OverflowError as problem:
        raise InputError(
            "a label is a number too large for a double; declare one below 1e308."
        ) from problem


def _load_certified(
    text: Any, space: Space, settings: dict[str, Any], folder: Path | None
) -> Mechanism:
    if not isinstance(text, str):
        raise InputError("certificate must be the path of a certificate.")
    if text.lstrip().startswith("{"):
        import tempfile

        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            loaded = load(file.name)
    else:
        loaded = load(Path(text) if folder is None else folder / text)
    wide = Column(space, **{n: settings[n] for n in ("null", "other") if n in settings}).space
    if isinstance(loaded, Table) and _has_points_of(loaded.space, wide):
        # A certificate names points only; the column knows what they are.
        same = _has_points_of(loaded.outputs, wide)
        return Table(
            wide,
            loaded.weights,
            total=loaded.total,
            outputs=wide if same else loaded.outputs,
            claim=loaded.claim if loaded.space.neighbors == "replace" else None,
            name="certified table",
        )
    return loaded


def _has_points_of(loaded: Space, space: Space) -> bool:
    """Tell whether a space from a certificate, where a set is a text, has these points."""
    points = space.describe()
    if points["kind"] == "labels":
        return loaded.describe() == Categories(map(point_label, points["labels"])).describe()
    return loaded.describe() == points


def require_known(section: Mapping[str, Any], allowed: Collection[str], where: str) -> None:
    """Refuse a setting that does not exist, and name the nearest that does."""
    for name in section:
        if name not in allowed:
            near = difflib.get_close_matches(name, allowed, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else f" It has {', '.join(allowed)}."
            raise InputError(f"{where} has no setting {json.dumps(name)}.{hint}")
