"""How the columns of a model are declared: by spaces, by columns of a plan, or by a plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from noisewright.errors import InputError, SpaceError
from noisewright.plans import Column, Plan
from noisewright.spaces import Categories, Counts, Interval, Records, Space

Domain = Records | Plan | Mapping[str, Any]
"""Declared columns: `Records`, a plan, or a mapping to spaces, lists of labels or `Column`."""


def spaces_of(domain: Any) -> dict[str, Space]:
    """Return the space of each column."""
    if isinstance(domain, Records):
        domain = dict(domain.columns)
    if not isinstance(domain, Mapping):
        raise SpaceError(
            f"domain is of type {type(domain).__name__}; give a mapping from each column to its "
            "space, Records, or a Plan. Spaces are declared, never read off the data."
        )
    found = {name: _space(given) for name, given in domain.items()}
    for name, space in found.items():
        _require_countable(name, space)
    return found


def declared_columns(domain: Any) -> dict[str, Column] | None:
    """Return how cells are read, or nothing where spaces say all there is to say."""
    if isinstance(domain, Plan):
        return _columns_of_plan(domain)
    if not isinstance(domain, Mapping):
        return None
    if not any(isinstance(given, Column) for given in domain.values()):
        return None
    found = {name: _column(given) for name, given in domain.items()}
    for name, column in found.items():
        _require_countable(name, column.space)
    return found


def _columns_of_plan(plan: Plan) -> dict[str, Column]:
    columns = {name: column for name, column in plan.columns if isinstance(column, Column)}
    if plan.public:
        raise InputError(
            f"the plan has {', '.join(map(repr, plan.public))} as public, and a model would not "
            "know it. Declare a space for it, or say 'drop'."
        )
    for name, column in columns.items():
        _require_countable(name, column.space)
    return columns


def _require_countable(name: str, space: Any) -> None:
    if not isinstance(space, Categories | Counts | Interval):
        raise SpaceError(
            f"the column {name!r} is {space!r}; a model takes Categories, Counts and Interval."
        )


def _space(given: Any) -> Any:
    return given if isinstance(given, Space | str) else Categories(given)


def _column(given: Any) -> Column:
    if isinstance(given, Column):
        return given
    if isinstance(given, Interval):
        return Column(
            given,
            outside="clamp" if given.clamps else "error",
            off_grid="round" if given.rounds else "error",
        )
    return Column(given)
