"""From the cells of one column to codes of its space: all at once, no Python for each row.

A cell that is empty, undeclared, out of bounds or off the grid counts as what the plan's column
says it counts as, or raises BadCellError with its place and never its value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np


class BadCellError(Exception):
    """A cell that the plan does not allow: its place in the batch, what is wrong, what to do."""

    def __init__(self, row: int, why: str, advice: str) -> None:
        super().__init__(why)
        self.row = int(row)
        self.why = why
        self.advice = advice


class Cells(ABC):
    """Reads the cells of one column."""

    needs: str
    """What the column must hold, in words."""

    @abstractmethod
    def accepts(self, kind: Any) -> bool:
        """Tell whether an Arrow type can hold such cells at all."""

    @abstractmethod
    def encode(self, array: Any) -> Any:
        """Return the codes of the cells, or raise BadCellError."""

    def empty(self, row: int) -> BadCellError:
        """Return the error for an empty cell."""
        return BadCellError(
            row,
            "is empty",
            "Say in the plan what empty cells count as (null=…), or fill them.",
        )


def code_type(size: int) -> Any:
    """Return the narrowest type for codes below `size` and the two marks behind them."""
    return np.min_scalar_type(size + 1)
