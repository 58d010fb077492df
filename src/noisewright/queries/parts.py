"""Disjoint parts of a private table: what is asked of each costs a person no more than of one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from noisewright.errors import ParameterError
from noisewright.ledger import Partition
from noisewright.queries.asked import settle_limits
from noisewright.queries.binding import bind
from noisewright.queries.expressions import Expression, col
from noisewright.queries.measurements import bound_of
from noisewright.queries.private import Private, derive, new_salt
from noisewright.relations import Filter, columns_in, compare, literal

_MOST_PARTS = 1 << 12


def divide(table: Private, by: str | Expression) -> dict[Any, Private]:
    """Return the parts by their values, as `Private.partition` says."""
    if table.budget.part is not None:
        raise ParameterError("this is already a part; partition the whole table by both keys.")
    key = bind(col(by) if isinstance(by, str) else by, table.columns)
    if key.size > _MOST_PARTS:
        raise ParameterError(
            f"{by} has {key.size:,} values; at most {_MOST_PARTS:,} parts are possible. Cut it "
            "into fewer, for example with .cut(edges)."
        )
    # Were limits left to each question, a person could have one row here, and another there.
    divided = settle_limits(table.rows, (), list(columns_in(table.rows).values()))
    bound = bound_of(divided, ())
    partition = Partition(
        str(by),
        [str(point) for point in key.points],
        # Another table, or another limit, may have the same person in another part: only what is
        # divided here, and now, is one partition.
        of=new_salt(),
        per_person=None if bound is None else bound.total,
    )
    parts: dict[Any, Private] = {}
    for place, point in enumerate(key.points, start=key.node.low):
        rows = Filter(divided, compare("equal", key.node, literal(place)))
        part = partition.part(str(point))
        budget = replace(table.budget, change="add or remove", part=part)
        parts[point] = derive(table, rows, budget=budget)
    return parts
