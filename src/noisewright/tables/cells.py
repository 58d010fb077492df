"""From the cells of one column to codes of its space: all at once, no Python for each row.

Whatever a cell holds, the column of the plan says what it counts as, or it raises BadCellError with
its place and never its value. The rule is the same for every kind of table:

- a cell that is empty counts as `null`, and so does one that holds nothing of the column's kind (a
  text among numbers, a number among lists, a curve of another length or with a gap);
- a label or an item that was not declared counts as `other`, of whatever kind it is;
- a number beyond the bounds, an infinite one too, is moved to the nearer bound by outside="clamp",
  which also moves a number that is not whole to the nearest count;
- a number between two steps is moved to the nearest by off_grid="round";
- a set with too many items is cut by outside="sample".

A plan that says all of these for a column never fails on a value of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from noisewright.errors import OutsideSpaceError


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

    @property
    @abstractmethod
    def type(self) -> Any:
        """The Arrow type of such cells where the table declares none: it follows from the space."""

    @abstractmethod
    def plain(self, values: Sequence[Any]) -> Any:
        """Return cells of plain Python in that type, or raise BadCellError.

        Undeclared labels and items, and cells of another kind, are what they count as by then.
        """

    def empty(self, row: int) -> BadCellError:
        """Return the error for an empty cell."""
        return BadCellError(
            row,
            "is empty",
            "Say in the plan what empty cells count as (null=…), or fill them.",
        )

    def of_another_kind(self, row: int) -> BadCellError:
        """Return the error for a cell that holds nothing of the column's kind."""
        return BadCellError(
            row,
            f"holds something else than {self.needs}",
            "Mend it, or say in the plan what such cells count as (null=…).",
        )


def refused(name: str, problem: BadCellError, first_row: int) -> OutsideSpaceError:
    """Return what a user is told of a bad cell; `first_row` rows came before its batch."""
    row = first_row + problem.row + 1
    return OutsideSpaceError(
        f"the column {name!r} {problem.why} in row {row:,}. {problem.advice}",
        row=row,
        why=problem.why,
    )


def code_type(size: int) -> Any:
    """Return the narrowest type for codes below `size` and the two marks behind them."""
    return np.min_scalar_type(size + 1)
