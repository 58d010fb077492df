"""What somebody wants to know about a table: shares, pairs, means, medians, items and curves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, final

from noisewright.errors import ParameterError
from noisewright.given import brief, several
from noisewright.spaces import Categories, Counts, Curves, Dates, Interval, Space, Subsets
from noisewright.tables import Field

Kind = Literal["shares", "pairs", "mean", "median", "items", "curve"]

KINDS: dict[Kind, str] = {
    "shares": "shares",
    "pairs": "shares of pairs",
    "mean": "mean",
    "median": "median",
    "items": "shares of items",
    "curve": "mean curve",
}

_MOST_CROSSED = 64
"""Columns with more values than this are not crossed with others unless somebody asks."""

_MOST_PAIRS = 200


@final
@dataclass(frozen=True)
class AdvisedQuestion:
    """One thing to know: the shares of a column, or of two together, a mean or a median."""

    kind: Kind
    columns: tuple[str, ...]
    range: float
    """How far apart two answers can be: an error of a quarter of it says nothing."""

    unit: str
    """What errors count: "points" of a percent, "days", or "" for the unit of the column."""

    grain: float = 0.0
    """A smaller error is none: medians are rounded to the grid of their column."""

    cells: int = 1
    """How many numbers answer it."""

    def __str__(self) -> str:
        return f"{self.kind} of {' × '.join(self.columns)}"


def usual_questions(fields: Mapping[str, Field]) -> tuple[AdvisedQuestion, ...]:
    """Return what is usually asked: shares and pairs of labels, means and medians of numbers."""
    found = [
        _question(kind, (name,), fields)
        for name, field in fields.items()
        for kind in _kinds(field.space)
        if kind != "shares" or not isinstance(field.space, Interval)
    ]
    labels = [one.columns[0] for one in found if one.kind == "shares"]
    few = [name for name in labels if fields[name].space.size <= _MOST_CROSSED]
    # A cross table of everything with everything is nobody's question about hundreds of columns.
    if math.comb(len(few), 2) <= _MOST_PAIRS:
        found += [_question("pairs", pair, fields) for pair in combinations(few, 2)]
    return tuple(sorted(found, key=lambda one: list(KINDS).index(one.kind)))


def read_advised(asked: Any, fields: Mapping[str, Field]) -> tuple[AdvisedQuestion, ...]:
    """Read questions: kinds such as "shares" for all columns, or with columns, "pairs:sex,job"."""
    usual = usual_questions(fields)
    if asked is None:
        return usual
    given = [asked] if isinstance(asked, str) else several(asked, name="questions", of="questions")
    found: dict[AdvisedQuestion, None] = {}
    for one in given:
        kind, columns = _parts(one)
        if columns:
            found[_question(kind, columns, fields)] = None
            continue
        every = [known for known in usual if known.kind == kind]
        if not every:
            raise ParameterError(
                f"no declared column has {KINDS[kind]} to ask about, unless you name columns."
            )
        found |= dict.fromkeys(every)
    if not found:
        raise ParameterError("no questions were given; leave them out for the usual ones.")
    return tuple(found)


def _parts(one: Any) -> tuple[Kind, tuple[str, ...]]:
    if isinstance(one, str):
        kind, _, names = one.partition(":")
        columns = (names,) if kind != "pairs" else tuple(names.split(","))
        columns = tuple(name.strip() for name in columns if name.strip())
    elif isinstance(one, Sequence) and one and all(isinstance(part, str) for part in one):
        kind, columns = one[0], tuple(one[1:])
    else:
        kind, columns = "", ()
    kind = kind.strip().removesuffix("s") if kind.strip() in ("means", "medians") else kind.strip()
    if kind not in KINDS:
        raise ParameterError(
            f"a question is {brief(one)}; write shares, pairs, mean, median, items or curve, for "
            "all columns that have them, or with columns, as in shares:job, pairs:sex,job or "
            "mean:age."
        )
    return kind, columns


def _question(kind: Kind, columns: tuple[str, ...], fields: Mapping[str, Field]) -> AdvisedQuestion:
    if len(columns) != (2 if kind == "pairs" else 1) or len(set(columns)) < len(columns):
        needed = "two different columns" if kind == "pairs" else "one column"
        raise ParameterError(f"{KINDS[kind]} needs {needed}; got {', '.join(columns)}.")
    for name in columns:
        if name not in fields:
            raise ParameterError(
                f"a question is about {name!r}; the declared columns are "
                f"{', '.join(map(repr, fields))}."
            )
        able = _kinds(fields[name].space)
        if ("shares" if kind == "pairs" else kind) not in able:
            raise ParameterError(
                f"the column {name!r} has no {KINDS[kind]} to ask about; it has "
                f"{', '.join(able) or 'one possible value'}."
            )
    space: Any = fields[columns[0]].space
    if kind in ("shares", "pairs", "items"):
        cells = len(space.items) if kind == "items" else _points(columns, fields)
        return AdvisedQuestion(kind, columns, 1.0, "points", cells=cells)
    width = float(space.n) if isinstance(space, Counts) else float(space.high - space.low)
    grain = width / (space.size - 1) / math.sqrt(12) if kind == "median" else 0.0
    return AdvisedQuestion(kind, columns, width, _unit(space), grain)


def _points(columns: tuple[str, ...], fields: Mapping[str, Field]) -> int:
    return math.prod(fields[name].space.size for name in columns)


def _unit(space: Space) -> str:
    return f"{space.every}s" if isinstance(space, Dates) else ""


def _kinds(space: Space) -> tuple[Kind, ...]:
    """Return what can be asked about one column."""
    if isinstance(space, Subsets):
        return ("items",)
    if isinstance(space, Curves):
        return ("curve",)
    if space.size == 1:
        return ()
    if isinstance(space, Categories):
        return ("shares",)
    return ("shares", "mean", "median") if space.size <= _MOST_CROSSED else ("mean", "median")
