"""A mechanism on records, seen at some of its columns.

Randomized response on whole records keeps a record or draws any record uniformly. Who looks at
some columns only sees those kept or drawn uniformly: with k records in all, k₁ of them different
in these columns and q = P(a given other record), P(y | x) = p + (k/k₁ − 1) q for y = x and
(k/k₁) q else. It depends on these columns of the input alone. Not every mechanism is like that:
where other columns shine through, there is no marginal, and that is found out exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from noisewright.errors import InputError, SpaceError
from noisewright.given import brief
from noisewright.mechanisms.categories.response import Response
from noisewright.mechanisms.guarantee import Guarantee
from noisewright.mechanisms.mechanism import Mechanism
from noisewright.mechanisms.products.products import ColumnProduct, any_change
from noisewright.mechanisms.table import Table
from noisewright.public import public
from noisewright.spaces import Records, Space


@public
def marginal(mechanism: Mechanism, columns: str | Sequence[str]) -> Mechanism:
    """Return what a mechanism on records does to one of its columns, or to some of them.

    Requires: a randomized response, another table or a product of columns on `Records`, whose
    outputs at these columns depend on the same columns of the input only.
    Ensures: P(y | x) is the exact sum over the outputs that show y at the columns. A name gives a
    mechanism on the space of that column, a list one on the Records of these columns, in this
    order. What was promised for any change of a record is promised for any change of these
    columns.
    """
    spaces = _columns_of(mechanism)
    names = [columns] if isinstance(columns, str) else list(columns)
    unknown = [name for name in names if not isinstance(name, str) or name not in spaces]
    if unknown or not names or len(set(names)) < len(names):
        raise InputError(
            f"the columns asked for are {names!r}; give different names out of {list(spaces)!r}."
        )
    one = isinstance(columns, str)
    if isinstance(mechanism, ColumnProduct):
        parts = dict(mechanism.columns)
        return parts[names[0]] if one else ColumnProduct(tuple((n, parts[n]) for n in names))
    space = spaces[names[0]] if one else Records({name: spaces[name] for name in names})
    if space.by_distance:
        raise SpaceError(
            f"the column {names[0]!r} has neighbors='metric', and the records have not. Declare "
            "the column with neighbors='replace' to look at it alone."
        )
    if isinstance(mechanism, Response):
        # Kept as often as the record; and a uniform record is uniform in its columns.
        return Response(space, mechanism.keep, mechanism.whole, mechanism.claim)
    assert isinstance(mechanism, Table)
    return _sum_out(mechanism, names, space, one=one)


def _columns_of(mechanism: Mechanism) -> dict[str, Space]:
    inputs = mechanism.space
    if not isinstance(inputs, Records) or not isinstance(mechanism.outputs, Records):
        raise InputError(
            f"marginal() takes a mechanism from records to records; got {brief(mechanism)}. A "
            "product over rows is the same for each row: take that of one row."
        )
    if not isinstance(mechanism, (ColumnProduct, Response, Table)):
        raise InputError(
            f"marginal() knows randomized response, tables and products of columns; {mechanism!r} "
            "is not one of them. Use its .table()."
        )
    spaces = dict(inputs.columns)
    if list(spaces) != [name for name, _ in mechanism.outputs.columns]:
        raise InputError("the outputs have other columns than the inputs, so there is no marginal.")
    return spaces


def _sum_out(table: Table, names: list[str], space: Space, *, one: bool) -> Table:
    assert isinstance(table.space, Records)
    assert isinstance(table.outputs, Records)
    shapes = [[s.size for _, s in side.columns] for side in (table.space, table.outputs)]
    all_names = [name for name, _ in table.space.columns]
    seen = [all_names.index(name) for name in names]
    rest = [place for place in range(len(all_names)) if place not in seen]
    count = len(all_names)
    axes = [*rest, *seen, *(count + place for place in (*seen, *rest))]
    blocks = table.weights.reshape(*shapes[0], *shapes[1]).transpose(axes)
    before, after = (prod(shape[place] for place in seen) for shape in shapes)
    sums = np.add.reduce(blocks.reshape(-1, before, after, table.outputs.size // after), axis=3)
    if (sums != sums[0]).any():
        raise InputError(
            f"what {table!r} shows at {', '.join(map(repr, names))} depends on other columns of "
            "the input too, so these columns alone have no mechanism. Look at all of them."
        )
    outputs = dict(table.outputs.columns)
    return Table(
        space,
        sums[0],
        total=table.total,
        outputs=outputs[names[0]] if one else Records({name: outputs[name] for name in names}),
        claim=_kept_claim(table),
        name=f"{table.name}, seen at {', '.join(names)}",
    )


def _kept_claim(table: Table) -> Guarantee | None:
    """Return what holds for any change; neighbors of the columns may be no neighbors' columns."""
    return table.claim if table.space.neighbors == "replace" else any_change(table)
