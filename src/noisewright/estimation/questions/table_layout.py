"""How a released table came about: which columns each mechanism released, and which are public.

A part is one mechanism and the columns that it released together. A mechanism on records releases
several columns. Seen at some of them, randomized response is randomized response again, and keeps
as often: so the margin of a joint estimate is the estimate of the margin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from noisewright.curves import CurveNoise
from noisewright.errors import InputError
from noisewright.estimation.channels.channel import Channel, channel_of
from noisewright.mechanisms import Additive, SetMechanism, marginal
from noisewright.spaces import MOST_POINTS, Lattice, Records, Space

Kind = Literal["coded", "numbers", "sets", "curves", "public"]


class LayoutPart(NamedTuple):
    """One mechanism and the columns that it released; several if it is one on records."""

    columns: tuple[str, ...]
    mechanism: Any


@dataclass(frozen=True)
class TableLayout:
    """The columns of a released table, in the order they are shown; see the top of this file.

    `readings` say by column what was done to its cells before the noise, `remarks` what was done to
    rows; both go with the answers.
    """

    parts: tuple[LayoutPart, ...]
    public: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    readings: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = [*(name for part in self.parts for name in part.columns), *self.public]
        if not names or len(set(names)) < len(names):
            raise InputError("a released table has at least one column, and each column once.")
        if sorted(self.order or names) != sorted(names):
            raise InputError("the order must name each column once.")

    @property
    def names(self) -> tuple[str, ...]:
        """All columns, in the order they are shown."""
        return self.order or (
            *(name for part in self.parts for name in part.columns),
            *self.public,
        )

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, part in enumerate(self.parts) for name in part.columns}

    def place(self, name: str) -> int:
        """Return which part a private column belongs to."""
        return self._places[name]

    def part(self, name: str) -> LayoutPart:
        """Return the part that a private column belongs to."""
        return self.parts[self._places[name]]

    def kind(self, name: str) -> Kind:
        """Return how a column is tallied.

        "numbers" are those on a grid too fine to count the points of.
        """
        if name not in self._places:
            return "public"
        mechanism = self.part(name).mechanism
        if isinstance(mechanism, CurveNoise):
            return "curves"
        if isinstance(mechanism, SetMechanism):
            return "sets"
        fine = isinstance(mechanism, Additive) and mechanism.space.size > MOST_POINTS
        return "numbers" if fine else "coded"

    def space(self, name: str) -> Space:
        """Return the space of a private column's true values."""
        return _column_of(self.part(name), name, self.part(name).mechanism.space)

    def outputs(self, name: str) -> Space:
        """Return the space of a private column's released values."""
        return _column_of(self.part(name), name, self.part(name).mechanism.outputs)

    def cells(self, name: str) -> int:
        """Return how many codes the released values of a coded column have."""
        outputs = self.outputs(name)
        return self.space(name).size if isinstance(outputs, Lattice) else outputs.size

    def channel(self, names: Sequence[str]) -> Channel:
        """Return how true values of some columns of one part, taken together, are released.

        Requires: the columns are in the order of the part.
        """
        wanted = tuple(names)
        if wanted not in self._channels:
            part = self.part(wanted[0])
            whole = wanted == tuple(part.columns)
            mechanism = part.mechanism if whole else marginal(part.mechanism, list(wanted))
            self._channels[wanted] = channel_of(mechanism)
        return self._channels[wanted]

    @cached_property
    def _channels(self) -> dict[tuple[str, ...], Channel]:
        return {}


def _column_of(part: LayoutPart, name: str, space: Space) -> Space:
    if len(part.columns) == 1:
        return space
    assert isinstance(space, Records)
    return dict(space.columns)[name]
