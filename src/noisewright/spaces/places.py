"""Where inputs and outputs lie on one line, and which output is the truth.

The structural properties speak of the output that is the input, and of outputs nearer to it or
further away. Outputs that are the inputs have that by their codes; other outputs have it when both
are numbers, or, for the truth alone, when every input is among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from noisewright.errors import InputError, OutsideSpaceError, ParameterError
from noisewright.exact import exactly
from noisewright.spaces.counts import Counts
from noisewright.spaces.interval import Interval
from noisewright.spaces.space import Space


@dataclass(frozen=True)
class Places:
    """Positions of inputs and outputs, None where they have none, and the truth of each input."""

    inputs: tuple[Fraction, ...] | None
    outputs: tuple[Fraction, ...] | None
    truth: tuple[int, ...] | None
    """For each input the code of the output that is the same point; None if one has none."""

    @classmethod
    def of(cls, space: Space, outputs: Space) -> Places:
        """Find out where the points of two spaces are."""
        space.require_enumerable("all outputs")
        if outputs == space:
            line = tuple(Fraction(code) for code in range(space.size)) if space.ordered else None
            return cls(line, line, tuple(range(space.size)))
        try:
            before, after = tuple(numbers(space)), tuple(numbers(outputs))
        except ParameterError:
            return cls(None, None, _same_points(space, outputs))
        code_of = {value: code for code, value in enumerate(after)}
        truth = tuple(code_of.get(value, -1) for value in before)
        return cls(before, after, None if -1 in truth else truth)

    @property
    def is_line(self) -> bool:
        """Whether codes rise with positions, among inputs and among outputs."""
        if self.inputs is None or self.outputs is None:
            return False
        return all(a < b for line in (self.inputs, self.outputs) for a, b in pairwise(line))

    @property
    def is_mirrored(self) -> bool:
        """Whether turning inputs and outputs around turns them around the same middle."""
        if self.inputs is None or self.outputs is None:
            return False
        lines = (self.inputs, self.outputs)
        return len({a + b for line in lines for a, b in zip(line, line[::-1], strict=True)}) == 1


def _same_points(space: Space, outputs: Space) -> tuple[int, ...] | None:
    try:
        return tuple(outputs.code(point) for point in space.points)
    except OutsideSpaceError:
        return None


def numbers(space: Space) -> list[Fraction]:
    """Return the points of a space as exact numbers."""
    if isinstance(space, Counts):
        return [Fraction(count) for count in range(space.size)]
    if isinstance(space, Interval):
        # Not from its points, which are doubles: 0.1 + 2 · 0.1 should be 3/10.
        return [space.low + code * space.step for code in range(space.size)]
    try:
        # A text that looks like a number is a label.
        return [_number(point) for point in space.points]
    except InputError as problem:
        raise ParameterError(
            f"signed errors need points that are numbers; those of {space!r} are not. Use "
            "nw.analysis.error_profile, or nw.loss with a matrix."
        ) from problem


def _number(point: Any) -> Fraction:
    if isinstance(point, str):
        raise ParameterError("a text is not a number.")
    return exactly(point, name="a point")
