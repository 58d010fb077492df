"""Calling somebody else's client: many outputs at once, or one at a time."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from noisewright.errors import ParameterError
from noisewright.given import brief
from noisewright.mechanisms import Mechanism

_COUNTS = {"count", "counts", "size", "n", "draws", "number"}


class AuditProgress(Protocol):
    """What is told how far an audit is: the step, how much is done, and of how much."""

    def __call__(self, step: str, done: int, total: int | None, /) -> None:
        """Hear of it."""


class AuditedClient:
    """A client that is asked for outputs, and how often it was asked."""

    def __init__(self, sampler: Any) -> None:
        """Find out how the sampler is called."""
        self._draw = _caller(sampler)
        self.drawn = 0

    def outputs(self, value: Any, count: int) -> Any:
        """Return so many outputs of one input, as the client gave them."""
        outputs = self._draw(value, count)
        found = _size(outputs)
        if found != count:
            shown = "what has no length" if found is None else f"{found:,} outputs"
            raise ParameterError(
                f"sampler returned {shown} for the input {brief(value)}; {count:,} were asked for. "
                "It must return a list or an array with one output for each draw. A function that "
                "returns one output must take the value alone."
            )
        self.drawn += count
        return outputs


def _size(outputs: Any) -> int | None:
    if isinstance(outputs, str | bytes | dict | set):
        return None
    try:
        return len(outputs)
    except TypeError:
        return None


def _caller(sampler: Any) -> Callable[[Any, int], Any]:
    if isinstance(sampler, Mechanism):
        return lambda value, count: sampler.sample([value] * count)
    if isinstance(sampler, list | tuple | np.ndarray):
        raise ParameterError(
            "sampler is a matrix; it must be a function that draws. Probabilities that are known "
            "need no draws: nw.verify(nw.from_matrix(space, matrix), epsilon=…) decides exactly."
        )
    if not callable(sampler):
        raise ParameterError(
            f"sampler is of type {type(sampler).__name__}; it must be a function "
            "sampler(value, count) that returns count outputs, sampler(value) that returns one, "
            "or a mechanism."
        )
    draw: Callable[..., Any] = sampler
    if _takes_a_count(draw):
        return draw
    return lambda value, count: [draw(value) for _ in range(count)]


def _takes_a_count(sampler: Callable[..., Any]) -> bool:
    """Tell sampler(value, count) from sampler(value), which may have options of its own."""
    try:
        signature = inspect.signature(sampler)
    except (TypeError, ValueError):
        return False
    try:
        signature.bind(None)
    except TypeError:
        return True
    usual = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    places = [one.name for one in signature.parameters.values() if one.kind in usual]
    return len(places) > 1 and places[1] in _COUNTS
