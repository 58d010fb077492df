"""A counting query about a synthetic table, answered from the noisy counts behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from noisewright.errors import InputError, ParameterError, TooLargeError
from noisewright.estimation import Estimate, axis_of, read_about, read_confidence
from noisewright.exact import share_ceiling, share_floor
from noisewright.given import quantity
from noisewright.on_use import pa
from noisewright.queries import Expression, condition_cells
from noisewright.releases.synthesis.declared import Declared
from noisewright.spaces import Categories
from noisewright.synthetic import (
    ClassedQuery,
    Conjunction,
    ItemColumns,
    Measurement,
    QueryBound,
    Spend,
    Workload,
    bound_query,
)

if TYPE_CHECKING:
    from noisewright.releases.synthesis.result import Synthesis

_MOST_GROUPS = 1 << 12


def answer_query(
    made: Synthesis,
    where: Any,
    by: str | Sequence[str],
    *,
    confidence: float,
    about: str,
    together: bool,
) -> Estimate:
    """Return how many rows a condition holds for, in each group; see `Synthesis.query`."""
    level, whom = read_confidence(confidence), read_about(about)
    spaces = made.domain.by_name
    keys = _read_keys(made, by)
    if whom == "population" and made.rows_per_person > 1:
        raise ParameterError(
            f"a person may have {made.rows_per_person} rows here, so the rows are not an "
            "independent sample of a population. Use about='people', for the rows that were "
            "counted."
        )
    condition = _read_condition(made, where)
    shape = tuple(spaces[name].size for name in keys)
    miss = (1 - level) / (prod(shape) if together else 1)
    # About a population, half of what may be missed is for sampling the people.
    part = 0.5 if whom == "population" else 1.0
    measurements, spends = _counted_as_listed(made)
    may_join = made.inference == "points" or any(one.joined for one in measurements)
    found: list[QueryBound] = []
    for cell in product(*(range(size) for size in shape)):
        group = {name: [code] for name, code in zip(keys, cell, strict=True)}
        query = _with_group(condition, group, made).split_bins(dict(made.bins.widths))
        found.append(
            bound_query(
                query,
                measurements,
                spends,
                made.bins.origins,
                rows=made.people,
                miss=miss * part,
                comparisons=made.comparisons,
                mixes=made.method == "mwem",
                may_join=made.bins.ordered if may_join else (),
            )
        )
    own = _own_answers(made, condition, keys)
    lows, highs = (np.array([getattr(one, end) for one in found]) for end in ("low", "high"))
    known = [own[place] if one.value is None else one.value for place, one in enumerate(found)]
    values = np.clip(np.array(known, dtype=np.float64), lows, highs)
    errors = [np.nan if one.standard_error is None else one.standard_error for one in found]
    noise = np.array(errors, dtype=np.float64)
    if whom == "population":
        lows, highs = _population_ends(lows, highs, made.people, miss * (1 - part))
        shares = values / made.people
        noise = np.sqrt(noise**2 + made.people * shares * (1 - shares))
    return Estimate(
        what="count",
        axes=tuple(axis_of(spaces[name], name) for name in keys),
        values=values.reshape(shape),
        standard_errors=noise.reshape(shape),
        lows=lows.reshape(shape).astype(np.float64),
        highs=highs.reshape(shape).astype(np.float64),
        people=made.people,
        about=whom,
        method=_method(found),
        confidence=level,
        together=together,
        notes=_notes(made, found),
        possible=(0.0, 1.0),
        shows_all=True,
    )


def _counted_as_listed(made: Synthesis) -> tuple[Sequence[Measurement], Sequence[Spend]]:
    """Return the noisy counts, and their steps, without those of points with another column.

    Which column that is follows from noise of the pairs, and the list of steps has no choice there
    that would tell: a mean of such counts and of the pairs has no known distribution.
    """
    points = {*made.bins.points.values()}
    apart = {
        id(one)
        for one in made.measurements
        if len(one.columns) > 1 and not points.isdisjoint(one.columns)
    }
    if not apart:
        return made.measurements, made.spends
    counted = iter(made.measurements)
    spends = [
        spend for spend in made.spends if not spend.is_count or id(next(counted)) not in apart
    ]
    return [one for one in made.measurements if id(one) not in apart], spends


def _read_keys(made: Synthesis, by: str | Sequence[str]) -> tuple[str, ...]:
    keys = (by,) if isinstance(by, str) else tuple(by)
    known = made.domain.by_name
    for name in keys:
        _require_whole(made, name)
        if name not in known:
            raise InputError(f"there is no column {name!r}; the table has {', '.join(known)}.")
    if len(set(keys)) < len(keys):
        raise InputError(f"by is {', '.join(map(repr, keys))}; name each column once.")
    groups = prod(known[name].size for name in keys)
    if groups > _MOST_GROUPS:
        have = "has" if len(keys) == 1 else "have together"
        raise TooLargeError(
            f"{', '.join(keys)} {have} {groups:,} groups (at most {_MOST_GROUPS:,}). Ask for "
            "ranges instead: --where \"age >= 20 AND age <= 29\", in Python where={'age': "
            "{'at_least': 20, 'at_most': 29}}.",
            size=groups,
        )
    return keys


def _read_condition(made: Synthesis, where: Any) -> ClassedQuery:
    sizes = {name: space.size for name, space in made.domain.columns}
    if where is None or (isinstance(where, Mapping) and not where):
        return ClassedQuery.of_conditions(sizes, {})
    if isinstance(where, Mapping):
        for name in where:
            _require_whole(made, name)
        (part,) = Workload.conjunctions(made.domain, [where]).parts
        assert isinstance(part, Conjunction)
        allowed = dict(zip(part.columns, part.allowed, strict=True))
        return ClassedQuery.of_conditions(sizes, allowed)
    if not isinstance(where, str | Expression):
        raise InputError(
            f"where is a {type(where).__name__}; give a mapping such as {{'job': 'cook'}}, an "
            "expression such as nw.col('age') >= 30, or a text as after WHERE in SQL."
        )
    found = ClassedQuery.of_conditions(sizes, {})
    try:
        cells = [*condition_cells(where, _split_table(made), made.domain.by_name)]
    except InputError as problem:
        for name in made.split.parts:
            if f"there is no column {name!r}" in str(problem):
                _require_whole(made, name)
        raise
    for columns, holds in cells:
        found = found.both(ClassedQuery.of_cells(columns, holds))
    return found


def _require_whole(made: Synthesis, name: Any) -> None:
    """Refuse a column of sets or curves, which is asked about by its parts."""
    part = made.split.parts.get(name) if isinstance(name, str) else None
    if part is None:
        return
    own = next(iter(part.columns))
    if isinstance(part, ItemColumns):
        raise InputError(
            f"{name!r} holds sets, and each item is a column of its own: ask about {own!r}, for "
            f"example, as in --where '\"{own}\" = true', in Python {{{own!r}: True}}."
        )
    raise InputError(
        f"{name!r} holds curves, and each coefficient is a column of its own: {own!r}, for example."
    )


def _split_table(made: Synthesis) -> Any:
    """Return a table without rows, with a column for each item of a set and each coefficient."""
    parts = made.split.parts
    table = made.table.slice(0, 0).drop_columns(list(parts))
    for part in parts.values():
        for name, space in part.columns.items():
            kind = pa.bool_() if isinstance(space, Categories) else pa.float64()
            table = table.append_column(name, pa.nulls(0, kind))
    return table


def _with_group(condition: ClassedQuery, group: Mapping[str, Any], made: Synthesis) -> ClassedQuery:
    sizes = {name: space.size for name, space in made.domain.columns}
    return condition.both(ClassedQuery.of_conditions(sizes, group))


def _own_answers(made: Synthesis, condition: ClassedQuery, keys: Sequence[str]) -> Any:
    """Return what the synthetic rows count in each group, scaled to the people."""
    shape = tuple(made.domain.by_name[name].size for name in keys)
    counts = np.zeros(prod(shape))
    for codes in Declared.of(made.table, made.split.fields).batches(None):
        holds = condition.counts.reshape(-1)[condition.atoms_of(codes)]
        size = len(next(iter(codes.values())))
        places = (
            np.ravel_multi_index(tuple(np.asarray(codes[name]) for name in keys), shape)
            if keys
            else np.zeros(size, dtype=np.int64)
        )
        counts += np.bincount(places, weights=np.broadcast_to(holds, size), minlength=counts.size)
    return counts * (made.people / max(made.rows, 1))


def _population_ends(lows: Any, highs: Any, people: int, miss: float) -> tuple[Any, Any]:
    """Return ends for the share of a population, times the people, from ends of a sample's count.

    Ensures: the population's share is missed with at most this probability more.
    Source: Clopper and Pearson 1934, for a count that is only known to lie between two ends.
    """
    each = Fraction(miss) / 2
    return (
        np.array([people * float(share_floor(int(one), people, error=each)) for one in lows]),
        np.array([people * float(share_ceiling(int(one), people, error=each)) for one in highs]),
    )


def _method(found: Sequence[QueryBound]) -> str:
    return "noisy counts" if all(one.value is not None for one in found) else "bounds"


def _notes(made: Synthesis, found: Sequence[QueryBound]) -> tuple[str, ...]:
    """Say where a value is not a noisy count, and where nothing bounds it."""
    bounded = [one for one in found if one.value is None]
    apart = sum(not one.is_counted for one in bounded)
    empty = sum(one.is_vacuous for one in bounded)
    said: list[str] = []
    if apart:
        seen = "the noisy counts and distances" if made.comparisons else "the noisy counts"
        said.append(
            f"{_which(apart, len(found))} not counted: the value is what the synthetic rows count, "
            f"and has no standard error. The interval holds all answers that {seen} allow, however "
            "the columns depend on each other; it may be far wider than the value's error."
        )
    joined = sorted({name for one in made.measurements for name in one.joined})
    if apart and joined:
        said.append(
            f"Some pairs were counted in joined bins of {', '.join(map(repr, joined))}: a range "
            "that ends where these do has a narrower interval. `measurements` list them as "
            "`joined`."
        )
    if len(bounded) > apart:
        said.append(
            f"{_which(len(bounded) - apart, len(found))} counted with so much noise that other "
            "counts, or the number of people, bound it better: the value is what the synthetic "
            "rows count, and has no standard error."
        )
    if empty:
        of = "" if len(found) == 1 else f" of {quantity(empty, 'group')}"
        said.append(
            f"Nothing that was counted bounds the value{of}: the interval is everything that is "
            f"possible, 0 to {made.people:,}, and says nothing about the value's error."
        )
    if made.knowledge:
        said.append(
            f"What was declared public ({', '.join(made.knowledge)}) shaped the synthetic rows but "
            "is not used here: a noisy count may differ from a public total, or not be 0 where no "
            "row can be. Use what is public instead where it answers the query."
        )
    return tuple(said)


def _which(some: int, every: int) -> str:
    return "This query was" if every == 1 else f"{some:,} of these {every:,} groups were"
