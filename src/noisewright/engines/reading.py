"""Opening a table as a plan says its cells are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noisewright.engines.batches import cells_of
from noisewright.tables import TableReader, labels_of, read_table, require_names

if TYPE_CHECKING:
    from noisewright.plans import Plan


def open_table(data: Any, *, plan: Plan | None = None, released: bool = False) -> TableReader:
    """Open a table for reading; `plan` says what its columns hold (see `tables.read_table`)."""
    if plan is None:
        return read_table(data)
    person = () if plan.person is None else (plan.person.column,)
    return read_table(
        data,
        cells=cells_of(plan),
        others={*plan.public, *person},
        names=[name for name, _ in plan.columns],
        released=released,
    )


def require_column_names(data: Any, plan: Plan, *, header: bool) -> None:
    """Refuse a CSV file whose first line may be a record, unless `header` says it is none."""
    spaces = [column.space for part in plan.parts for column in part.treatments]
    require_names(data, labels=labels_of(spaces), header=header)
