"""Numbers with noise added: what the mechanisms for intervals share.

All arithmetic is on codes. An input is the integer j (its number is low + j · step), noise is
an integer Z that does not depend on j, and the output is j + Z: a point of the lattice
(`unbounded`), or that point clamped to the interval (`truncated`, which is post-processing).
No floating-point noise is drawn anywhere; a double appears when a result is shown.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import InputError, ParameterError, SpaceError, TooLargeError
from noisewright.exact import Enclosure, Epsilon, Number, ceiling_float
from noisewright.given import brief, one_of
from noisewright.mechanisms.guarantee import Guarantee
from noisewright.mechanisms.mechanism import Structured
from noisewright.spaces import Dates, Interval, Lattice, Space

Form = Literal["unbounded", "truncated", "bounded"]
FORMS = ("unbounded", "truncated", "bounded")

_LARGEST = 1 << 60
"""Codes and noise are added in 64 bits."""

_SMALLEST = 150
"""Noise with a decay below 2^-150 per step leaves what 192 bits, and doubles, can tell of it."""


class Additive(Structured):
    """A mechanism that adds integer noise to the code of a number.

    Clamping keeps the whole privacy curve: the events that decide are half lines that begin
    between the two inputs, and those survive clamping.
    """

    space: Interval
    claim: Guarantee
    form: Form

    def _read_spaces(self, unit: Epsilon) -> None:
        """Check the space and what a stair of noise costs, and set the outputs.

        Called by constructors.
        """
        if unit.bounds(_SMALLEST)[0] == 0:
            raise ParameterError(
                f"epsilon is so small that the noise has more than 2^{_SMALLEST} steps: it says "
                "nothing about any number. Use a larger epsilon; 0.1 to 10 is common."
            )
        if self.space.size > _LARGEST:
            raise TooLargeError(
                f"{self.space!r} has more than 2^60 points, where numbers and noise no longer add "
                "up in 64 bits. Use a larger step.",
                size=self.space.size,
            )
        lattice = Lattice(self.space.step, self.space.low)
        outputs: Space = lattice if self.form == "unbounded" else self.space
        object.__setattr__(self, "outputs", outputs)

    @property
    def reach(self) -> int:
        """How many steps apart two neighbors may be."""
        return self.space.reach

    @abstractmethod
    def moment(self, power: int, bits: int) -> Enclosure:
        """Enclose E|Z|^power in steps, for power 1 or 2."""

    @abstractmethod
    def clamped_moment(self, room: int, power: int, bits: int) -> Enclosure:
        """Enclose E min(Z⁺, room)^power in steps: the error towards one side, for power 1 or 2."""

    @property
    def mean_error(self) -> float:
        """The mean absolute error of unbounded noise, rounded up."""
        return ceiling_float(self.moment(1, 192).high * self.space.step)

    @property
    def variance(self) -> float:
        """The variance of the noise before any clamping, rounded up."""
        return ceiling_float(self.moment(2, 192).high * self.space.step**2)

    @abstractmethod
    def noise(self, count: int, source: sampling.Source | None = None) -> NDArray[Any]:
        """Draw independent noise, in steps."""

    def noise_within(
        self, reach: int, count: int, source: sampling.Source | None = None
    ) -> NDArray[Any]:
        """Draw noise for which −reach and reach may stand for all that lies beyond.

        Ensures: a fresh array, of a type that holds its sums with 0 … reach.
        """
        return self.noise(count, source)

    @abstractmethod
    def pure_epsilon(self, reach: int) -> Epsilon:
        """Return an ε that holds at δ = 0 for inputs at most `reach` steps apart."""

    @abstractmethod
    def delta_enclosure(self, epsilon: Epsilon, bits: int) -> Enclosure:
        """Enclose the least δ at ε for neighbors; a point where it is rational."""

    @abstractmethod
    def epsilon_enclosure(self, delta: Fraction, bits: int) -> Enclosure | None:
        """Enclose the least ε at δ for neighbors; None when `bits` are too few to tell."""

    @abstractmethod
    def half_line(self, epsilon: Epsilon) -> int:
        """Return i: the outputs up to i above the lower of two neighbors decide at ε."""

    @abstractmethod
    def cumulative(self, steps: int, bits: int) -> Enclosure:
        """Enclose the probability that the noise is at most `steps`."""

    def error_enclosure(self, code: int, power: int, bits: int) -> Enclosure:
        """Enclose E|output − input|^power in steps, for power 1 or 2."""
        if self.form == "unbounded":
            return self.moment(power, bits)
        below, above = code, self.space.size - 1 - code
        return self.clamped_moment(below, power, bits) + self.clamped_moment(above, power, bits)

    def _require_finite(self) -> Guarantee:
        """Return the claim of a table; raise InputError where no table can hold the outputs."""
        if self.form == "unbounded":
            raise InputError(
                f"{self!r} has infinitely many outputs, so it has no table. Use form='truncated'."
            )
        return self.claim

    def draw(self, codes: NDArray[Any], source: sampling.Source | None = None) -> NDArray[Any]:
        """Add noise to codes; clamp the sums when the form is truncated."""
        if self.form == "unbounded":
            noise = self.noise(len(codes), source)
            return codes.astype(noise.dtype) + noise
        largest = self.space.size - 1
        moved = self.noise_within(largest, len(codes), source)
        # In place: fresh arrays of this length cost more than the sums.
        moved += codes.astype(moved.dtype)
        np.clip(moved, 0, largest, out=moved)
        return moved if moved.dtype != object else moved.astype(np.int64)


def require_interval(space: Any, name: str) -> Interval:
    """Raise SpaceError unless the space is an interval."""
    if isinstance(space, Interval):
        return space
    raise SpaceError(
        f"{name}() is for numbers, as in Interval(0, 100, step=0.5); got {brief(space)}. For "
        "counts of people use geometric, for labels randomized_response."
    )


def declare_interval(
    space: Any,
    *,
    name: str,
    sensitivity: Number | None,
    outside: Any,
    off_grid: Any,
    form: str,
    forms: tuple[str, ...],
) -> Interval:
    """Return the interval with the neighbors and the reading of values that the caller says."""
    one_of(form, forms, name="form")
    interval = require_interval(space, name).reading(outside=outside, off_grid=off_grid)
    if isinstance(interval, Dates) and form == "unbounded":
        raise SpaceError(
            "dates with unbounded noise may fall outside the years that dates can have. Use "
            "form='truncated'."
        )
    if sensitivity is not None:
        return interval.within(sensitivity)
    if interval.by_distance:
        raise SpaceError(
            f"{name}() with neighbors='metric': give sensitivity=1, so that epsilon is what one "
            "unit of distance costs; noise like that is private at every distance."
        )
    return interval
