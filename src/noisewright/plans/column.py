"""One column of a plan: what its values can be, and how they are randomized."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, final

from noisewright.errors import InputError, ParameterError, SpaceError
from noisewright.exact import Number, exactly
from noisewright.given import brief
from noisewright.mechanisms import Mechanism, read_delta
from noisewright.plans.column_mechanisms import choice_for
from noisewright.public import public_methods
from noisewright.spaces import Categories, Counts, Curves, Interval, Label, Space, Subsets
from noisewright.tables import Field

DROP = "drop"
"""The column does not leave the building."""

PUBLIC = "public"
"""The column is released as it is: everybody knows it already."""

_KINDS = (Categories, Counts, Interval, Subsets, Curves)


@public_methods
@final
@dataclass(frozen=True, init=False)
class Column(Field):
    """A column that is randomized: a field and a treatment.

    `space` is what its values can be; it is declared, never read off the data. `mechanism` is a
    name ("response", "geometric", "laplace", "staircase", "per_item", "curve_noise", "design"), a
    mechanism of your own, or nothing for the usual one of the space; `options` go to it.
    `epsilon` and `delta` fix the column's part of each person's budget, `share` weighs it against
    the others.

    `null` is the value that empty cells, and cells of another kind, count as; `other` is the label
    or item that undeclared ones count as. Naming a value here also declares it. Without them such
    cells are errors. Numbers beyond their bounds, infinite ones too, are errors or, with
    outside="clamp", moved to the nearer bound, and counts to the nearest whole number; with
    off_grid="round" numbers between grid points are moved to the nearest; curves always are. Sets
    with too many items are errors or, with outside="sample", a random part of them counts. In a
    text, as in a CSV file, items of a set and numbers of a curve have `separator` between them; a
    curve that is stored in several columns of numbers has their names in `columns`.
    """

    mechanism: str | Mechanism
    epsilon: Fraction | None
    delta: Fraction | None
    share: Fraction | None
    options: tuple[tuple[str, Any], ...] = ()

    def __init__(
        self,
        space: Space | Iterable[Label],
        *,
        mechanism: str | Mechanism | None = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        share: Number | None = None,
        null: Any = None,
        other: Label | None = None,
        outside: str = "error",
        off_grid: str = "error",
        separator: str = ";",
        columns: Iterable[str] = (),
        **options: Any,
    ) -> None:
        super().__init__(
            record_space(space),
            null=null,
            other=other,
            outside=outside,
            off_grid=off_grid,
            separator=separator,
            columns=columns,
        )
        set_field = object.__setattr__
        choice = choice_for(self.space, mechanism)
        set_field(self, "mechanism", mechanism if isinstance(mechanism, Mechanism) else choice.name)
        set_field(self, "epsilon", _positive(epsilon, "epsilon"))
        set_field(self, "delta", None if delta is None else read_delta(delta))
        set_field(self, "share", _positive(share, "share"))
        set_field(self, "options", choice.read_options(options))
        if self.delta and not choice.takes_delta:
            raise ParameterError(
                f"delta is given, but {choice.name} does not use one here. Leave it out."
            )

    @property
    def takes_delta(self) -> bool:
        """Whether some δ makes this column's noise smaller."""
        return choice_for(self.space, self.mechanism).takes_delta

    def with_share(self, share: Fraction) -> Column:
        """Return the same column with a share of its own, in place of an ε if it has one."""
        other = copy(self)
        object.__setattr__(other, "epsilon", None)
        object.__setattr__(other, "share", _positive(share, "share"))
        return other

    def build(self, epsilon: Fraction, delta: Fraction) -> Mechanism:
        """Return the mechanism with this budget, private for any change of the value."""
        choice = choice_for(self.space, self.mechanism)
        return choice.build(self.space, epsilon, delta, self.outside, dict(self.options))

    def with_mechanism(self, mechanism: Mechanism) -> Column:
        """Return the same column with a mechanism of its own, which fixes its budget."""
        return Column(
            self.space,
            mechanism=mechanism,
            null=self.null,
            other=self.other,
            outside=self.outside,
            off_grid=self.off_grid,
            separator=self.separator,
            columns=self.columns,
        )


Treatment = Column | Literal["drop", "public"]


def record_space(space: Any) -> Space:
    """Return the space of one person's value: any value may become any other."""
    if not isinstance(space, Space):
        if isinstance(space, (str, bytes)) or not isinstance(space, Iterable):
            raise InputError(
                f"a column takes a space, such as Categories([...]) or Interval(0, 100, step=1), "
                f"or a list of labels; got {brief(space)}."
            )
        space = Categories(space)
    if not isinstance(space, _KINDS):
        raise SpaceError(
            "a column is Categories, Counts, Interval, Dates, Subsets or Curves; got "
            f"{brief(space)}. To randomize several columns together, name them in together=."
        )
    if isinstance(space, Counts) and space.neighbors == "adjacent":
        return Counts(space.n, neighbors="replace", metric=space.metric)
    if space.neighbors != "replace":
        raise SpaceError(
            f"{space!r} declares its own neighbors. In a table, one person's value may become any "
            "other; leave neighbors= out."
        )
    return space


def _positive(value: Number | None, name: str) -> Fraction | None:
    if value is None:
        return None
    read = exactly(value, name=name)
    if read <= 0:
        raise ParameterError(f"{name} of a column is {value}; it must be above 0.")
    return read
