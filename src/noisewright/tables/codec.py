"""Which reader of cells a field has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noisewright.spaces import Categories, Counts, Interval, Subsets
from noisewright.tables.label_cells import LabelCells
from noisewright.tables.list_cells import CurveCells, SetCells
from noisewright.tables.number_cells import CountCells, NumberCells

if TYPE_CHECKING:
    from noisewright.tables.cells import Cells
    from noisewright.tables.field import Field


def cells_for(field: Field) -> Cells:
    """Return what reads the cells of a field."""
    if isinstance(field.space, Categories):
        return LabelCells(field)
    if isinstance(field.space, Counts):
        return CountCells(field)
    if isinstance(field.space, Interval):
        return NumberCells(field)
    if isinstance(field.space, Subsets):
        return SetCells(field)
    return CurveCells(field)
