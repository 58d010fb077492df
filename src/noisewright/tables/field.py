"""One column: what its values can be, and what other cells count as."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from noisewright.errors import ParameterError, SpaceError
from noisewright.given import brief, one_of, several
from noisewright.public import public_methods

if TYPE_CHECKING:
    from noisewright.spaces import Categories, Label, Space
    from noisewright.tables.cells import Cells

_WHERE = "for this column "


@public_methods
@dataclass(frozen=True, init=False)
class Field:
    """A space, and what cells count as that hold no point of it.

    `null` is the value that empty cells, and cells of another kind, count as; `other` is the label
    or item that undeclared ones count as. Naming a value here also declares it. Without them such
    cells are errors. Numbers beyond their bounds, infinite ones too, are errors or, with
    outside="clamp", are moved to the nearer bound; it also moves fractions to the nearest count.
    With off_grid="round" numbers between grid points are moved to the nearest; curves always are.
    Sets with too many items are errors or, with outside="sample", a random part of them counts.

    In a set or a curve that is one text, as in a CSV file, `separator` stands between the items. A
    curve may be stored in several columns of numbers, one for each position, named by `columns`.
    """

    space: Space
    null: Any
    other: Label | None
    outside: Literal["error", "clamp", "sample"]
    off_grid: Literal["error", "round"]
    separator: str = ";"
    columns: tuple[str, ...] = ()

    def __init__(
        self,
        space: Space,
        *,
        null: Any = None,
        other: Label | None = None,
        outside: str = "error",
        off_grid: str = "error",
        separator: str = ";",
        columns: Iterable[str] = (),
    ) -> None:
        object.__setattr__(self, "separator", _read_separator(separator, space))
        object.__setattr__(self, "columns", _read_columns(columns, space))
        self._set(*_read_rules(space, null, other, outside, off_grid))

    def _set(self, space: Space, null: Any, other: Any, outside: str, off_grid: str) -> None:
        rules = {"space": space, "null": null, "other": other}
        for name, value in (rules | {"outside": outside, "off_grid": off_grid}).items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, space: Space) -> Field:
        """Return the field whose cells are points; an Interval says itself how it reads others."""
        field = object.__new__(Field)
        clamps, rounds = getattr(space, "clamps", False), getattr(space, "rounds", False)
        field._set(
            space, None, None, "clamp" if clamps else "error", "round" if rounds else "error"
        )
        return field

    @cached_property
    def cells(self) -> Cells:
        """What reads the cells of such a column."""
        from noisewright.tables.codec import cells_for

        return cells_for(self)


def _read_rules(
    space: Space, null: Any, other: Any, outside: str, off_grid: str
) -> tuple[Space, Any, Any, str, str]:
    # Here, since `mechanism.sample` needs fields, and a first mechanism not all spaces.
    from noisewright.spaces import Categories, Counts, Curves, Dates, Interval, Subsets

    if other is not None and not isinstance(space, (Categories, Subsets)):
        raise ParameterError(
            "other= is the label or item that undeclared ones count as; this column has no "
            "labels. For numbers use outside='clamp'."
        )
    if isinstance(space, Categories):
        space = _with_labels(space, [other, null])
    if isinstance(space, Subsets) and other is not None and frozenset([other]) not in space:
        space = Subsets([*space.items, other], largest=space.largest)
    if isinstance(space, Subsets) and isinstance(null, (list, tuple, set, frozenset)):
        known = set(null) <= set(space.items)
        null = tuple(sorted(set(null), key=space.items.index)) if known else null
    elif isinstance(space, Dates) and null in space:
        null = space.show(int(space.low) + space.code(null))
    elif isinstance(space, Curves) and isinstance(null, (list, tuple)):
        null = tuple(float(value) for value in null)
    point = frozenset(null) if isinstance(space, Subsets) and isinstance(null, tuple) else null
    if null is not None and point not in space:
        shape = ""
        if isinstance(space, Subsets):
            shape = f" Write null = [] for the empty set, or items, as in [{space.items[0]!r}]."
        raise ParameterError(
            f"null is {null!r}, which is not a point of {space!r}; empty cells must count as one."
            f"{shape}"
        )
    words: tuple[str, ...] = ("error",)
    if isinstance(space, (Counts, Interval, Curves)):
        words = ("error", "clamp")
    elif isinstance(space, Subsets):
        words = ("error", "sample")
    outside = one_of(outside, words, name="outside", where=_WHERE)
    rounds = isinstance(space, Interval) and not isinstance(space, Dates)
    words = ("error", "round") if rounds else ("error",)
    off_grid = one_of(off_grid, words, name="off_grid", where=_WHERE)
    if isinstance(space, Interval):
        space = space.reading(outside=outside, off_grid=off_grid)  # pyright: ignore[reportArgumentType]
    return space, null, other, outside, off_grid


def _read_separator(separator: Any, space: Space) -> str:
    if not isinstance(separator, str) or len(separator) != 1 or separator.isalnum():
        raise ParameterError(
            f"separator is {brief(separator)}; it must be one character such as ';' or '|'."
        )
    if separator != ";" and not hasattr(space, "items") and not hasattr(space, "grid"):
        raise ParameterError(
            "separator is for sets and curves; cells of this column hold one value."
        )
    return separator


def _read_columns(columns: Any, space: Space) -> tuple[str, ...]:
    names = tuple(several(columns, name="columns", of="names"))
    if names and len(names) != len(getattr(space, "grid", ())):
        raise ParameterError(
            f"columns names {len(names)} columns; a curve in several columns has one for each "
            f"position of its grid, and {brief(space)} has {len(getattr(space, 'grid', ()))}."
        )
    if any(not isinstance(name, str) or not name for name in names) or len({*names}) < len(names):
        raise ParameterError("columns must be names that differ.")
    return names


def _with_labels(space: Categories, labels: list[Any]) -> Categories:
    from noisewright.spaces import Categories

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
