"""Whether one item is in a set, as a column of its own, read where a database has the sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from noisewright.spaces import Categories, Subsets
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
