"""From a certificate back to the mechanism it certifies."""

from __future__ import annotations

import copy
import json
import os
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from noisewright import checker
from noisewright.curves import certified_noise
from noisewright.errors import CertificateError, InputError, NotPrivateError, TooLargeError
from noisewright.exact import Epsilon, parse_json
from noisewright.files import read_whole
from noisewright.mechanisms import (
    ColumnProduct,
    Geometric,
    Guarantee,
    Laplace,
    Mechanism,
    PerItem,
    PersonMechanism,
    Response,
    RowProduct,
    SetFlips,
    Staircase,
    Table,
)
from noisewright.public import public
from noisewright.spaces import (
    Categories,
    Counts,
    Dates,
    Interval,
    Pairs,
    Space,
    Subsets,
    Within,
    pair_count,
)

_OF_WHOLE_TABLES = {
    "steps": "private steps, of a synthetic table, a fitted model or a choice",
    "query": "a question to a table",
    "groups": "groups of several sizes, each with its own mechanism",
    "keys": "which keys of a table may be shown",
    "rappor": "what a device sends, report after report",
    "shuffled": "a table whose rows are published in random order",
}

Product = TypeVar("Product", ColumnProduct, PersonMechanism)


@public
def load(path: str | os.PathLike[str]) -> Mechanism:
    """Read a certificate, prove it again, and return its mechanism with the proven claim.

    A certificate names points, not how they came about: counts, grids and curves come back as
    such, all others as Categories (a subset or a record as its JSON text), with the discrete
    metric.
    Ensures: the neighbors of its space, and the claim, are those of the certificate; a file that
    does not prove its claims raises, and nothing is returned.
    """
    document = _document(path)
    report = checker.check(document)
    if not report:
        failure = report.failures[0]
        kind = CertificateError if failure.part in ("file", "format") else NotPrivateError
        raise kind(f"{os.fspath(path)} is not proven. {failure.part}: {failure.message}")
    try:
        return _part(document)[1]
    except (InputError, TooLargeError) as problem:
        raise CertificateError(
            f"{os.fspath(path)} is proven, but there is no mechanism in this library for it: "
            f"{problem}"
        ) from problem


def _document(path: str | os.PathLike[str]) -> Any:
    """Read the file once, so that what is returned is what was proven."""
    try:
        return parse_json(read_whole(path), what="it")
    except (OSError, InputError) as problem:
        why = str(problem).removesuffix(".")
        raise CertificateError(f"cannot read {os.fspath(path)}: {why}.") from problem


def read_epsilon(section: dict[str, str]) -> Epsilon:
    """Return ε as certificates write it."""
    if "value" in section:
        return Epsilon.of(section["value"])
    if section["ln"] == "infinity":
        raise CertificateError("the certificate promises nothing: its epsilon is infinite.")
    return Epsilon.log(Fraction(section["ln"]))


def _mechanism(section: dict[str, Any], neighbors: dict[str, Any], claim: Guarantee) -> Mechanism:
    match section["form"]:
        case "geometric":
            space = Counts(section["inputs"]["n"], neighbors=neighbors["relation"])
            return Geometric(space, read_epsilon(section["parameter"]), claim)
        case "response":
            space, keep = _space(section["inputs"], neighbors), int(section["keep"], 16)
            return Response(space, keep, _total(section), claim)
        case "rows":
            parent = section["parent"]
            relation = parent["neighbors"]
            if "row" not in neighbors:  # proven for any change of a row, whatever the parent says
                nested = parent["mechanism"]["form"] == "rows"
                relation = {"relation": "one row" if nested else "replace"}
            row = _mechanism(parent["mechanism"], relation, claim)
            return RowProduct(row, section["count"])
        case "person":
            person = PersonMechanism(_part(section["parent"])[1], section["rows"])
            return _with_claim(person, claim)
        case "noise" | "staircase" as kind:
            space = _space(section["inputs"], neighbors)
            assert isinstance(space, Interval)
            form = "truncated" if section["outputs"] == section["inputs"] else "unbounded"
            if kind == "noise":
                return Laplace(space, read_epsilon(section["decay"]), form, claim)
            parameter, upper = read_epsilon(section["parameter"]), section["upper"]
            return Staircase(space, parameter, upper, form, section["width"], claim)
        case "items":
            largest = section["largest"]
            items = [point_label(item) for item in section["items"]]
            space = Subsets(items, largest=None if largest == len(items) else largest)
            keep, add = int(section["present"], 16), int(section["absent"], 16)
            return PerItem(space, keep, add, section["log2_total"], claim)
        case "flips":
            space = Subsets([point_label(item) for item in section["items"]])
            levels = tuple(int(level, 16) for level in section["levels"])
            return SetFlips(space, levels, section["log2_total"], claim)
        case "columns":
            columns = tuple(_part(column) for column in section["columns"])
            return _with_claim(ColumnProduct(columns), claim)
        case "table":
            return _table(section, neighbors, claim)
        case "steps" | "query" | "groups" | "keys" | "rappor" | "shuffled" as form:
            raise CertificateError(
                f"this certificate is about {_OF_WHOLE_TABLES[form]}, not about one mechanism, so "
                "there is nothing to load. nw.check proves it."
            )
        case form:  # the checker knows no others
            assert form == "curve"
            return certified_noise(section, claim)


def _part(part: dict[str, Any]) -> tuple[str, Mechanism]:
    """Return a column with its name, or a row or a whole without one, with its own claim."""
    claims = part["claims"]
    claim = Guarantee(read_epsilon(claims["epsilon"]), claims["delta"])
    inner = _mechanism(part["mechanism"], part["neighbors"], claim)
    return part.get("name", ""), inner


def _with_claim(product: Product, claim: Guarantee) -> Product:
    """Return the product with the claim of its certificate, which may be more than its parts'."""
    made = copy.copy(product)
    object.__setattr__(made, "claim", claim)
    return made


def _table(section: dict[str, Any], neighbors: dict[str, Any], claim: Guarantee) -> Table:
    weights = np.array(
        [[int(weight, 16) for weight in row] for row in section["weights"]], dtype=object
    )
    space = _space(section["inputs"], neighbors)
    same = section["outputs"] == section["inputs"]
    return Table(
        space,
        weights,
        total=_total(section),
        outputs=space if same else _space(section["outputs"], None),
        claim=claim,
        name="certified mechanism",
    )


def _total(section: dict[str, Any]) -> int:
    """Return what weights sum to; certificates write powers of two by their exponent."""
    return int(section["total"], 16) if "total" in section else 1 << section["log2_total"]


def _space(section: dict[str, Any], neighbors: dict[str, Any] | None) -> Space:
    options: dict[str, Any] = {}
    if neighbors is not None:
        options["neighbors"] = _relation(section, neighbors)
        if neighbors["relation"] == "metric":
            options["metric"] = _metric(neighbors["distances"], _step(section))
    match section["kind"]:
        case "counts" if section["n"] > 0:
            return Counts(section["n"], **options)
        case "grid" if "unit" in section:
            found = Dates.from_description(section, **options)
            if found is None:
                raise CertificateError(
                    f"its points, {section['unit']!r} by steps of {section['step']}, are not "
                    "dates that this version knows."
                )
            return found
        case "grid":
            return Interval(section["low"], section["high"], step=section["step"], **options)
        case "labels":
            return Categories([point_label(label) for label in section["labels"]], **options)
        case _:
            size = section["size"] if "size" in section else section["n"] + 1
            return Categories(range(size), **options)


def read_space(section: dict[str, Any]) -> Space:
    """Return the space whose points a certificate or a collection describes."""
    return _space(section, None)


def _step(section: dict[str, Any]) -> Fraction | None:
    """Return how far points next to each other are apart; None where they have no order."""
    match section["kind"]:
        case "counts" if section["n"] > 0:
            return Fraction(1)
        case "grid":
            return Fraction(section["step"])
        case _:
            return None


def _relation(section: dict[str, Any], neighbors: dict[str, Any]) -> Any:
    """Return the neighbors as a space takes them.

    Labels have no order in the library: where those next to each other are neighbors, they are
    pairs. Pairs of numbers that are all those up to some steps apart come back as that.
    """
    relation, ordered = neighbors["relation"], _step(section) is not None
    if relation == "adjacent" and not ordered:
        size = len(section["labels"]) if "labels" in section else section.get("size", 1)
        return Pairs(tuple((a, a + 1) for a in range(size - 1)))
    if relation != "pairs":
        return relation
    pairs = {(min(pair), max(pair)) for pair in neighbors["pairs"]}
    widest = max((b - a for a, b in pairs), default=0)
    if ordered and widest > 1:
        size = _space(section, None).size
        if widest < size - 1 and len(pairs) == pair_count(Within(widest), size):
            return Within(widest)
    return Pairs(tuple(sorted(pairs)))


def _metric(distances: list[list[str]], step: Fraction | None) -> Any:
    """Return the metric by its name where it has one, so that a space comes back as it was."""
    rows = [[Fraction(distance) for distance in row] for row in distances]
    codes = range(len(rows))
    if all(rows[a][b] == (a != b) for a in codes for b in codes):
        return "discrete"
    if step and all(rows[a][b] == abs(a - b) * step for a in codes for b in codes):
        return "absolute"
    return rows


def point_label(label: Any) -> Any:
    """Return a point of a certificate as a label: sets and records as their JSON text."""
    return json.dumps(label) if isinstance(label, (list, dict)) or label is None else label
