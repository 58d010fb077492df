"""Proof for a query: whole numbers computed of the rows of a table, with noise on each.

**Rows.** `table`: the rows of a table. `filter`: those for which a condition holds, each judged
by itself. `limit`: of each person at most `rows_each` rows; or, with `groups`, at most that many
in each of at most so many groups. Which ones are kept depends on that person's rows alone.
`paired`: each row of a person beside each of the same person's rows elsewhere. `repeated`: each row
so many times, with 0, 1 … in one more column: by that, a row can stand beside each of the public
rows that match it.

**How many rows a person has**, as (g, r): at most r rows in each of at most g groups.

    table     (1, 1) if each row is a person, else unknown
    filter    as before
    limit     (1, rows_each); with groups (groups, rows_each) if a measurement has the same groups,
              else (1, groups rows_each), as all of these rows may be in one of its groups
    paired    (1, a b), if the two sides have at most a and b rows of a person in all
    repeated  (1, a times), if there were at most a rows of a person in all

A limit never makes it more than it was before. It needs a column that identifies people where they
may have several rows.

**Measurements.** Each row falls into one cell, given by the values of `by`, and adds to the numbers
of that cell. `c` is what a row adds, in L1; squared L2 is at most q.

    rows      1                                       c = 1, q = 1
    moments   C(d, j) (x − a)^j (b − x)^(d − j) for j = 0 … d, where a … b is the range of x: none
              is negative, and they add up to (b − a)^d by the binomial theorem. With `gaps`, a row
              where x is null adds (b − a)^d to a number of its own.  c = (b − a)^d, q = c²
    levels    1 to one number in each of L levels     c = L, q = L
    distinct  how many values of x are there: a row makes it larger by 1 at most.  c = 1, q = 1

r rows of a cell add at most r c in L1 and r² q in squared L2 (Minkowski), and cells are apart. So
adding or removing a person changes numbers by at most D1 = g r c in L1, and D2 = g r² q in squared
L2. Replacing a person removes one and adds another: 2 D1 in L1. What each adds is never negative,
so that the squared L2 of the difference is at most the sum of both: 2 D2. (`distinct` is no sum:
numbers change by at most r, in at most 2 g cells, hence the same bounds.) If there is one number
only, it changes by D1 and not by 2 D1: it is between 0 and D1 larger than without the person, in
both cases.

**Noise.** `geometric`: P(z) ∝ e^(−decay |z|) on each number, independently: ε = decay · (change in
L1). `normal`: rounded normal noise: ρ = (change in squared L2) / (2 deviation²) (Bun and Steinke
2016, Proposition 1.6; numbers are whole, so rounding is post-processing). `balanced`: geometric
noise that adds up to 0 over all cells and one more for all other rows, as in `counts.py`; it needs
that people are replaced, that each row is a person, and that rows are counted: then neighbors
have the same total, rest included, and ε = 2 decay. The number of the rest is not shown.
`contrasts`: normal noise on contrasts of counts by these attributes and by some of them
(`contrasts.py`).

**The whole.** Parts of ε, or of ρ, add up; `composition.py` says what the total implies.

**On trust.** That the query is computed as it says, and cells are read as numbers in the declared
ranges; which column identifies a person, or that each row is a person; under replacement, that the
number of people is public.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import prod
from typing import Any

from .claim import PrivacyClaim
from .composition import prove_rho
from .contrasts import cost_of_contrasts
from .document import brief, canonical, read_fields
from .numbers import Number, read_positive
from .ranges import Columns, range_of, read_columns
from .report import Findings, fail, need

_START = "form: query, unit: {}, total: fraction, columns: object, measurements: list"
_SHAPES = (_START.format("epsilon"), _START.format("rho") + ", order: fraction")
_MEASUREMENT = "what: text, rows: object, by: list, adds: object, noise: object, amount: fraction"
_ROWS = (
    "rows: table, table: text, person: text",
    "rows: filter, of: object, condition: list",
    "rows: limit, of: object, rows_each: whole",
    "rows: limit, of: object, rows_each: whole, groups: whole, by: list",
    "rows: paired, left: object, right: object",
    "rows: repeated, of: object, times: whole, column: text",
)
_ADDS = (
    "kind: rows",
    "kind: moments, of: list, degree: whole, gaps: text",
    "kind: levels, of: list, levels: whole",
    "kind: distinct, of: list",
)
_NOISE = {
    "epsilon": (
        "kind: geometric, decay: fraction",
        "kind: balanced, decay: fraction, cells: whole",
    ),
    "rho": ("kind: normal, deviation: fraction", "kind: contrasts, branching: list, parts: list"),
}
_CHANGES = ("replace", "add or remove")
_MOST_MEASUREMENTS = 2**14
_MOST_DEGREE = 8

Bound = tuple[int, int]
"""At most so many groups of a person, and rows in each."""


def prove_query(claim: PrivacyClaim) -> Findings:
    """Prove what a person can change, what each measurement costs, and what the total implies."""
    _, unit, total, columns, measurements, *order = read_fields(
        claim.mechanism, "mechanism", *_SHAPES
    )
    change = read_fields(claim.neighbors, "neighbors", *_neighbors())[1]
    count = len(measurements)
    ok = 0 < count <= _MOST_MEASUREMENTS
    need(ok, "measurements", f"found {count}; need 1 to {_MOST_MEASUREMENTS}")
    ranges = read_columns(columns)
    spent = Fraction(0)
    _require_one_unit(measurements)
    for place, measurement in enumerate(measurements, start=1):
        cost, amount, words = _prove_measurement(
            measurement, ranges, unit, change, f"measurement {place}"
        )
        spent += amount
        yield f"{words}; that costs {Number(cost)} {unit}, within its part."
    for assumed in _assumptions(measurements, change):
        yield f"Assuming: {assumed}."
    whole = read_positive(total, "total")
    if spent != whole:
        fail("total", f"the parts add up to {Number(spent)}, which is not the total")
    yield f"The parts add up to {Number(whole).to_decimal(digits=6)} {unit}."
    if unit == "rho":
        yield from prove_rho(claim, whole, order[0])
    else:
        ok = claim.covers(Number(whole))
        need(ok, "epsilon", f"{Number(whole)} is needed; claimed is {claim.epsilon}")


def _require_one_unit(measurements: list[Any]) -> None:
    """Refuse tables of which rows are people here, and rows of people there."""
    persons: dict[str, str] = {}
    for place, measurement in enumerate(measurements, start=1):
        read_fields(measurement, f"measurement {place}", _MEASUREMENT)
        for table, person in _people(measurement["rows"]):
            same = persons.setdefault(table, person) == person
            need(same, "person", f"two columns identify the people of {brief(table)}")
    mixed = len({person == "" for person in persons.values()}) > 1
    need(not mixed, "person", "rows are people in one table, and rows of people in another")


def _neighbors() -> list[str]:
    return [f"relation: one person, change: {change}" for change in _CHANGES]


def _prove_measurement(
    section: Any, columns: Columns, unit: str, change: str, name: str
) -> tuple[Fraction, Fraction, str]:
    _, rows, by, adds, noise, amount = read_fields(section, name, _MEASUREMENT)
    bound = bound_of(rows, by, columns, name)
    need(bound is not None, name, "nothing limits how many rows a person has")
    assert bound is not None
    groups, each = bound
    sizes = [high - low + 1 for low, high in (range_of(node, columns, name) for node in by)]
    cells = prod(sizes)
    one, squared, numbers = _contribution(adds, columns, name)
    d1, d2 = groups * each * one, groups * each**2 * squared
    replaces = change == "replace"
    if replaces and not (numbers == 1 and cells == 1):
        d1, d2 = 2 * d1, 2 * d2
    part = read_positive(amount, name)
    kind, scale, *marks = read_fields(noise, name, *_NOISE[unit])
    held = f"a person has at most {each} rows in each of at most {groups} groups"
    if bound == (1, 1):
        held = "a person has one row at most"
    if kind == "contrasts":
        need(adds == {"kind": "rows"}, name, "contrasts are those of counts of rows")
        cost = cost_of_contrasts(scale, marks[0], sizes, groups * each, change, name)
        need(cost <= part, name, f"costs {Number(cost)}; its part is less")
        return cost, part, f"In {name} {held}, and changes contrasts of {len(marks[0])} tables"
    factor = read_positive(scale, name)
    if kind == "balanced":
        is_row = not any(person for _, person in _people(rows))
        ok = replaces and is_row and bound == (1, 1) and adds == {"kind": "rows"}
        need(ok, name, "noise adds up to 0 only on counts of people who are replaced, one row each")
        ok = marks[0] == cells + 1
        need(
            ok, name, f"noise adds up to 0 over {marks[0]} cells; the query has {cells} and a rest"
        )
        d1 = 2
    cost = d2 / (2 * factor**2) if kind == "normal" else d1 * factor
    if cost > part:
        fail(name, f"costs {Number(Fraction(cost))}; its part is less")
    moved = f"{d2} in squared L2" if kind == "normal" else f"{d1} in L1"
    return Fraction(cost), part, f"In {name} {held}, and changes numbers by at most {moved}"


def bound_of(rows: Any, by: list[Any], columns: Columns, name: str) -> Bound | None:
    """Return in how many groups a person has how many rows; None if nothing limits that."""
    section = read_fields(rows, name, *_ROWS)
    if rows["rows"] == "table":
        return (1, 1) if rows["person"] == "" else None
    if rows["rows"] == "filter":
        range_of(rows["condition"], columns, name)
        return bound_of(rows["of"], by, columns, name)
    if rows["rows"] == "paired":
        named = all(person for _, person in _people(rows))
        need(named, name, "rows can be paired only where a column identifies people")
        sides = [bound_of(rows[side], [], columns, name) for side in ("left", "right")]
        return None if None in sides else (1, prod(g * r for g, r in filter(None, sides)))
    if rows["rows"] == "repeated":
        times, (low, high) = rows["times"], range_of(["column", rows["column"]], columns, name)
        ok = times > 0 and low <= 0 and times - 1 <= high
        need(ok, name, f"found {brief(section)}; need the numbers below `times` in that column")
        before = bound_of(rows["of"], [], columns, name)
        return None if before is None else (1, before[0] * before[1] * times)
    each, groups = rows["rows_each"], rows.get("groups", 1)
    need(each > 0 and groups > 0, name, f"found {brief(section)}; need limits above 0")
    for node in rows.get("by", ()):
        range_of(node, columns, name)
    same = canonical(rows.get("by", [])) == canonical(by)
    found = (groups, each) if same else (1, groups * each)
    before = bound_of(rows["of"], by, columns, name)
    ok = before in (None, (1, 1)) or all(person for _, person in _people(rows))
    need(ok, name, "rows can be limited only where a column identifies people, or each is a person")
    # Smaller in both ways that count: g r, and g r².
    if before is not None and before[0] * before[1] <= found[0] * found[1]:
        smaller = before[0] * before[1] ** 2 <= found[0] * found[1] ** 2
        found = before if smaller else found
    return found


def _contribution(adds: Any, columns: Columns, name: str) -> tuple[int, int, int]:
    """Return what a row adds, in L1 and in squared L2, and how many numbers a cell has."""
    read_fields(adds, name, *_ADDS)
    if adds["kind"] == "rows":
        return 1, 1, 1
    low, high = range_of(adds["of"], columns, name)
    if adds["kind"] == "distinct":
        return 1, 1, 1
    if adds["kind"] == "levels":
        levels = adds["levels"]
        need(0 < levels <= 64, name, f"found {levels} levels; need 1 to 64")
        return levels, levels, levels + 1
    degree, gaps = adds["degree"], adds["gaps"]
    ok = 0 < degree <= _MOST_DEGREE and gaps in ("yes", "no")
    need(ok, name, f"found {brief(adds)}; need a degree from 1 to {_MOST_DEGREE}")
    one = (high - low) ** degree
    need(one > 0, name, "the range of what is added up has one number only")
    return one, one**2, degree + 1 + (gaps == "yes")


def _assumptions(measurements: list[Any], change: str) -> Iterator[str]:
    """Yield what is taken on trust, each different one once."""
    people = dict.fromkeys(who for m in measurements for who in _people(m["rows"]))
    for table, person in people:
        if person:
            yield f"rows of {brief(table)} with the same {brief(person)} are all rows of a person"
        else:
            yield f"each row of {brief(table)} is a person"
    if change == "replace":
        yield "the number of people is public"


def _people(rows: Any) -> Iterator[tuple[str, str]]:
    read_fields(rows, "rows", *_ROWS)
    if rows["rows"] == "table":
        yield rows["table"], rows["person"]
    for side in ("of", "left", "right"):
        if side in rows:
            yield from _people(rows[side])
