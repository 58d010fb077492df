"""One column: what its values can be, and how the cells are read that hold none of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from noisewright.errors import ParameterError, SpaceError
from noisewright.given import one_of
from noisewright.spaces import Categories, Counts, Curves, Interval, Label, Space, Subsets

if TYPE_CHECKING:
    from noisewright.tables.cells import Cells


@dataclass(frozen=True, init=False)
class Field:
    """A space, and what cells count as that hold no point of it.

    `null` is the value that empty cells, and cells of another kind, count as; `other` is the label
    or item that undeclared ones count as. Naming a value here also declares it. Without them such
    cells are errors. Numbers beyond their bounds, infinite ones too, are errors or, with
    outside="clamp", moved to the nearer bound, and counts to the nearest whole number; with
    off_grid="round" numbers between grid points are moved to the nearest; curves always are. Sets
    with too many items are errors or, with outside="sample", a random part of them counts.
    """

    space: Space
    null: Any
    other: Label | None
    outside: Literal["error", "clamp", "sample"]
    off_grid: Literal["error", "round"]

    def __init__(
        self,
        space: Space,
        *,
        null: Any = None,
        other: Label | None = None,
        outside: str = "error",
        off_grid: str = "error",
    ) -> None:
        set_field = object.__setattr__
        set_field(self, "other", _read_other(other, space))
        if isinstance(space, Categories):
            space = _with_labels(space, [other, null])
        if isinstance(space, Subsets) and other is not None and frozenset([other]) not in space:
            space = Subsets([*space.items, other], largest=space.largest)
        set_field(self, "null", _read_null(null, space))
        set_field(self, "outside", _one_of("outside", outside, _outsides(space)))
        rounds = isinstance(space, Interval)
        set_field(self, "off_grid", _one_of("off_grid", off_grid, ("error", "round")[: 1 + rounds]))
        if isinstance(space, Interval):
            clamps: Any = self.outside
            space = space.reading(outside=clamps, off_grid=self.off_grid)
        set_field(self, "space", space)

    @classmethod
    def of(cls, space: Space) -> Field:
        """Return the field whose cells are points; an Interval says itself how it reads others."""
        if not isinstance(space, Interval):
            return Field(space)
        outside = "clamp" if space.clamps else "error"
        return Field(space, outside=outside, off_grid="round" if space.rounds else "error")

    @cached_property
    def cells(self) -> Cells:
        """What reads the cells of such a column."""
        from noisewright.tables.codec import cells_for

        return cells_for(self)


def _with_labels(space: Categories, labels: list[Any]) -> Categories:
    new: list[Any] = []
    for label in labels:
        if label is not None and label not in space and label not in new:
            new.append(label)
    if not new:
        return space
    if not isinstance(space.metric, str):
        raise SpaceError(
            "null= or other= names a label that the categories do not have, and their own metric "
            "cannot tell how far it is from the others. Declare it among the labels."
        )
    return Categories([*space.labels, *new], metric=space.metric)


def _read_other(other: Any, space: Space) -> Any:
    if other is not None and not isinstance(space, (Categories, Subsets)):
        raise ParameterError(
            "other= is the label or item that undeclared ones count as; this column has no "
            "labels. For numbers use outside='clamp'."
        )
    return other


def _read_null(null: Any, space: Space) -> Any:
    if null is None:
        return None
    if isinstance(space, Subsets) and isinstance(null, (list, tuple, set, frozenset)):
        known = set(null) <= set(space.items)
        null = tuple(sorted(set(null), key=space.items.index)) if known else null
    elif isinstance(space, Curves) and isinstance(null, (list, tuple)):
        null = tuple(float(value) for value in null)
    point = frozenset(null) if isinstance(space, Subsets) and isinstance(null, tuple) else null
    if point not in space:
        raise ParameterError(
            f"null is {null!r}, which is not a point of {space!r}; empty cells must count as one."
        )
    return null


def _outsides(space: Space) -> tuple[str, ...]:
    if isinstance(space, (Counts, Interval, Curves)):
        return ("error", "clamp")
    return ("error", "sample") if isinstance(space, Subsets) else ("error",)


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> Any:
    return one_of(value, allowed, name=name, where="for this column ")
