"""What was done to cells before the noise, in sentences that go with every answer about them.

An estimate undoes noise, because noise is known. It does not undo what happened before: numbers
that were moved to a bound, sets that were cut, cells that were replaced. How many there were is
private, so that no error and no interval can allow for them. All that may be said is what was
declared, and that is said with every answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from noisewright.curves import CurveNoise, CurveRelease
from noisewright.estimation.result import Estimate
from noisewright.exact import show
from noisewright.mechanisms import PerItem
from noisewright.spaces import Categories, Counts, Curves, Dates, Interval, Space, Subsets

_CLAMPED = "Numbers beyond the bounds were moved to the nearer bound"
AFTER = (
    "Answers are about the cells after this change. How much it changed them is private, so no "
    "error or interval accounts for it."
)


def readings(
    space: Space,
    *,
    null: Any = None,
    other: Any = None,
    clamps: bool = False,
    rounds: bool = False,
    cuts: bool = False,
) -> tuple[str, ...]:
    """Say what cells counted as that are no points of the space, as it was declared."""
    said: list[str] = []
    if null is not None:
        # Of labels, those of another kind are undeclared ones.
        kind = "" if isinstance(space, Categories) else ", and cells of another kind,"
        said.append(f"Empty cells{kind} were counted as {_label(null)}.")
    if other is not None:
        what = "Items" if isinstance(space, Subsets) else "Labels"
        said.append(f"{what} that were not declared were counted as {_label(other)}.")
    if clamps:
        said.append(f"{_CLAMPED}{_bounds(space)}.")
    if cuts and isinstance(space, Subsets):
        said.append(
            f"Sets with too many items were cut to {space.most:,} items at random: shares of items "
            "are those after the cut, which are at most those before it."
        )
    if rounds:
        said.append(f"Numbers between grid points were moved to the nearest one{_half(space)}.")
    return tuple(said)


def readings_of(mechanism: Any) -> tuple[str, ...]:
    """Say what a mechanism itself does to what is no point of its space."""
    space = mechanism.space
    if isinstance(space, Interval):
        return readings(space, clamps=space.clamps, rounds=space.rounds)
    if isinstance(mechanism, PerItem):
        return readings(space, cuts=mechanism.outside == "sample")
    if isinstance(mechanism, CurveNoise) and mechanism.bound is not None:
        return ("Curves with coordinates beyond the bound were moved to it.",)
    return ()


def readings_of_curves(released: CurveRelease, mechanism: Any) -> tuple[str, ...]:
    """Say what was done to released curves, which know their bounds, and by their mechanism."""
    low, high = released.bounds
    clamped = (f"{_CLAMPED}, {low:g} or {high:g}.",) if released.clamps else ()
    return (*clamped, *(readings_of(mechanism) if isinstance(mechanism, CurveNoise) else ()))


def with_readings(found: Estimate, said: tuple[str, ...]) -> Estimate:
    """Return answers with what was done to their cells."""
    if not said:
        return found
    new = [note for note in (*said, AFTER) if note not in found.notes]
    return replace(found, notes=(*found.notes, *new))


def _bounds(space: Space) -> str:
    if isinstance(space, Counts):
        return f", 0 or {space.n:,}"
    if isinstance(space, Dates):
        return f", {space.show(space.low)} or {space.show(space.high)}"
    if isinstance(space, (Interval, Curves)):
        return f", {show(space.low)} or {show(space.high)}"
    return ""


def _half(space: Space) -> str:
    if isinstance(space, (Interval, Curves)):
        return f", at most {show(space.step / 2)} away"
    return ""


def _label(point: Any) -> str:
    if isinstance(point, (set, frozenset, tuple)):
        inside: list[Any] = list(point)  # pyright: ignore[reportUnknownArgumentType]
        return "{" + ", ".join(str(one) for one in inside) + "}"
    return str(point)
