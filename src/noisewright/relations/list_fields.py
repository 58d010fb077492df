"""Items of sets and positions of curves as columns of their own, where a database has lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from noisewright.spaces import Categories, Curves, Interval, Subsets
from noisewright.tables import Field

_TRUTH = Categories([False, True])


@final
@dataclass(frozen=True, init=False)
class ItemField(Field):
    """A truth value for each cell of a column of sets: is this item in it?

    `whole` says what the cells of that column are. Where the field `checks`, cells that `whole`
    does not allow are null; the other items of the same column need not look at that again.
    """

    whole: Field
    item: Any
    checks: bool

    def __init__(self, whole: Field, item: Any, *, checks: bool) -> None:
        super().__init__(_TRUTH)
        for name, value in (("whole", whole), ("item", item), ("checks", checks)):
            object.__setattr__(self, name, value)

    @property
    def sets(self) -> Subsets:
        """The sets that cells may hold."""
        assert isinstance(self.whole.space, Subsets)
        return self.whole.space


@final
@dataclass(frozen=True, init=False)
class PlaceField(Field):
    """The number at one place, from 0 on, of lists that hold curves; `value` says how it is read.

    At the first place, lists of another length are null, too.
    """

    whole: Field
    place: int
    value: Field

    def __init__(self, whole: Field, place: int) -> None:
        value = value_field(whole)
        super().__init__(value.space, outside=value.outside, off_grid="round")
        for name, one in (("whole", whole), ("place", place), ("value", value)):
            object.__setattr__(self, name, one)

    @property
    def curves(self) -> Curves:
        """The curves that cells may hold."""
        assert isinstance(self.whole.space, Curves)
        return self.whole.space


def value_field(whole: Field) -> Field:
    """Return how the value of a curve at one position is read: rounded, as curves always are."""
    space = whole.space
    assert isinstance(space, Curves)
    values = Interval(space.low, space.high, step=space.step)
    return Field(values, outside=whole.outside, off_grid="round")
