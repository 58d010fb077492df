"""Which mechanisms a column can have, by name, and how each is built from a budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from noisewright import curves
from noisewright.errors import ParameterError, SpaceError
from noisewright.given import brief
from noisewright.mechanisms import (
    Guarantee,
    Mechanism,
    Table,
    any_change,
    geometric,
    laplace,
    per_item,
    randomized_response,
    staircase,
)
from noisewright.spaces import Categories, Counts, Curves, Interval, Space, Subsets

_Build = Callable[[Any, Fraction, Fraction, str, dict[str, Any]], Any]


@dataclass(frozen=True)
class Choice:
    """A mechanism by name: the spaces it is for, and what it can be told."""

    name: str
    spaces: tuple[type[Space], ...]
    build: _Build
    takes_delta: bool = False
    options: tuple[str, ...] = ()

    def read_options(self, given: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
        """Return the options in one order, or say which this mechanism takes."""
        unknown = [name for name in given if name not in self.options]
        if unknown:
            takes = f"takes {', '.join(self.options)}" if self.options else "takes no options"
            raise ParameterError(
                f"a column has no setting {unknown[0]!r}; the mechanism {self.name} {takes}."
            )
        return tuple(sorted((name, _frozen(value)) for name, value in given.items()))


def _frozen(value: Any) -> Any:
    if isinstance(value, (set, frozenset)):
        return tuple(sorted(value))
    return tuple(value) if isinstance(value, list) else value


def _response(space: Space, epsilon: Fraction, delta: Fraction, outside: str, options: Any) -> Any:
    return randomized_response(space, epsilon=epsilon, delta=delta)


def _geometric(space: Counts, epsilon: Fraction, delta: Fraction, outside: str, o: Any) -> Any:
    # One person's number may change by n: each step gets an nth.
    made = geometric(Counts(space.n), epsilon=epsilon / space.n)
    if not isinstance(made, Table):
        return made
    claim, name = Guarantee(epsilon), "geometric mechanism"
    return Table(space, made.weights, total=made.total, claim=claim, name=name)


def _laplace(space: Interval, epsilon: Fraction, delta: Fraction, outside: str, o: Any) -> Any:
    return laplace(space, epsilon=epsilon, delta=delta, form=o.get("form", "truncated"))


def _staircase(space: Interval, epsilon: Fraction, delta: Fraction, outside: str, o: Any) -> Any:
    return staircase(space, epsilon=epsilon, form=o.get("form", "truncated"))


def _per_item(space: Subsets, epsilon: Fraction, delta: Fraction, outside: str, o: Any) -> Any:
    return per_item(space, epsilon=epsilon, outside=outside, **o)


def _curve_noise(space: Curves, epsilon: Fraction, delta: Fraction, outside: str, o: Any) -> Any:
    return curves.curve_noise(space, epsilon=epsilon, **o)


def _design(space: Space, epsilon: Fraction, delta: Fraction, outside: str, o: Any) -> Any:
    from noisewright.designs import design

    return design(space, epsilon=epsilon, delta=delta, **o).mechanism


CHOICES = {
    choice.name: choice
    for choice in (
        Choice("response", (Categories, Counts, Interval), _response, takes_delta=True),
        Choice("geometric", (Counts,), _geometric),
        Choice("laplace", (Interval,), _laplace, takes_delta=True, options=("form",)),
        Choice("staircase", (Interval,), _staircase, options=("form",)),
        Choice("per_item", (Subsets,), _per_item, options=("frequency",)),
        Choice("curve_noise", (Curves,), _curve_noise, options=("basis", "coefficients")),
        Choice(
            "design",
            (Categories, Counts, Interval, Subsets),
            _design,
            takes_delta=True,
            options=("goal", "loss", "properties"),
        ),
    )
}

MOST_RESPONSES = 64
"""Counts with more points than this get noise in steps instead of a response by default."""


def default_choice(space: Space) -> Choice:
    """Return the mechanism that a space gets when nobody says otherwise."""
    if isinstance(space, Counts):
        return CHOICES["response" if space.size <= MOST_RESPONSES else "geometric"]
    if isinstance(space, Interval):
        return CHOICES["laplace"]
    if isinstance(space, Subsets):
        return CHOICES["per_item"]
    return CHOICES["curve_noise" if isinstance(space, Curves) else "response"]


def choice_for(space: Space, mechanism: Any) -> Choice:
    """Return the choice that a name, a mechanism of the caller's, or nothing stands for."""
    if mechanism is None:
        return default_choice(space)
    if isinstance(mechanism, Mechanism):
        return _choice_given(space, mechanism)
    choice = CHOICES.get(mechanism) if isinstance(mechanism, str) else None
    if choice is None:
        raise ParameterError(
            f"mechanism is {brief(mechanism)}; it must be one of "
            f"{', '.join(map(repr, CHOICES))}, or a mechanism."
        )
    if not isinstance(space, choice.spaces):
        fitting = ", ".join(repr(c.name) for c in CHOICES.values() if isinstance(space, c.spaces))
        raise ParameterError(f"the mechanism {mechanism!r} is not for {space!r}; use {fitting}.")
    return choice


def _choice_given(space: Space, mechanism: Mechanism) -> Choice:
    if isinstance(space, Curves):
        # A certificate holds the map of a basis, not the functions that estimates need.
        raise ParameterError(
            "a column of curves takes no mechanism of your own; use mechanism='curve_noise' with "
            "its basis= and coefficients=."
        )
    if not _have_same_points(mechanism.space, space):
        raise SpaceError(
            f"the mechanism is for {mechanism.space!r}, and the column for {space!r}; both must "
            "have the same points in the same order."
        )
    if any_change(mechanism) is None:
        raise SpaceError(
            f"{mechanism!r} guarantees nothing when a value changes to any other, as it may when "
            "a person is replaced. Make it on a space with neighbors='replace'."
        )
    return Choice("given", (type(space),), lambda *_: mechanism)


def _have_same_points(one: Space, other: Space) -> bool:
    # Equal spaces are not described: a description lists the points, of which there may be many.
    if one == other or isinstance(one, Curves):
        return one == other
    return one.describe() == other.describe()
