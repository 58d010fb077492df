"""Which inputs are compared with which, and what an ε between them is counted for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from noisewright.errors import ParameterError, TooLargeError
from noisewright.given import brief, several
from noisewright.mechanisms import Mechanism
from noisewright.spaces import Distance, Unit

MOST_PAIRS = 20_000
_FEW_POINTS = 64


class InputPair(NamedTuple):
    """Positions of an input and of a neighbor, and how often ε counts between them."""

    input: int
    neighbor: int
    distance: Distance


class ComparedInputs(NamedTuple):
    """The inputs, their ordered pairs of neighbors, and the unit of an ε between them."""

    inputs: tuple[Any, ...]
    pairs: tuple[InputPair, ...]
    unit: Unit


def compare_inputs(sampler: Any, inputs: Any, neighbors: Any) -> ComparedInputs:
    """Read the inputs and who is whose neighbor among them."""
    if isinstance(sampler, Mechanism):
        compared = _of_mechanism(sampler, inputs, neighbors)
    else:
        listed = _list_inputs(inputs)
        positions, unit = _positions(listed, neighbors)
        ways = [way for a, b in positions for way in ((a, b), (b, a))]
        compared = ComparedInputs(tuple(listed), tuple(InputPair(a, b, 1) for a, b in ways), unit)
    if len(compared.pairs) > MOST_PAIRS:
        raise TooLargeError(
            f"the {len(compared.inputs):,} inputs have {len(compared.pairs):,} ordered pairs of "
            f"neighbors; at most {MOST_PAIRS:,} are compared. Give fewer inputs, or say by "
            "neighbors= which pairs matter.",
            size=len(compared.pairs),
        )
    return compared


def _list_inputs(inputs: Any) -> list[Any]:
    if inputs is None:
        raise ParameterError(
            "inputs is missing; give a list of at least two values that the client may be given."
        )
    listed = several(inputs, name="inputs", of="values to give to the sampler")
    if len(listed) < 2:
        raise ParameterError(
            f"inputs has {len(listed)} values; at least two are needed, since an audit compares "
            "what they give."
        )
    if len(listed) > MOST_PAIRS:
        raise TooLargeError(
            f"inputs has {len(listed):,} values; at most {MOST_PAIRS:,} are compared.",
            size=len(listed),
        )
    return listed


def _of_mechanism(mechanism: Mechanism, inputs: Any, neighbors: Any) -> ComparedInputs:
    space = mechanism.space
    if neighbors is not None:
        raise ParameterError(
            "neighbors are those of the mechanism's space; to audit others, make the mechanism on "
            "a space that has them."
        )
    if inputs is None:
        space.require_enumerable("all of them in an audit: give inputs", most=_FEW_POINTS)
        inputs = space.points
    codes = [space.code(point) for point in _list_inputs(inputs)]
    pairs = [
        InputPair(at, other, space.neighbor_distance(a, b))
        for at, a in enumerate(codes)
        for other, b in enumerate(codes)
        if a != b and space.are_neighbors(space.point(a), space.point(b))
    ]
    if not pairs:
        raise ParameterError("no two of the inputs are neighbors in the mechanism's space.")
    return ComparedInputs(tuple(space.point(code) for code in codes), tuple(pairs), space.unit)


def _positions(inputs: list[Any], neighbors: Any) -> tuple[list[tuple[int, int]], Unit]:
    size = len(inputs)
    if neighbors is None or (isinstance(neighbors, str) and neighbors == "replace"):
        if size * (size - 1) > MOST_PAIRS:
            raise TooLargeError(
                f"the {size:,} inputs have {size * (size - 1):,} ordered pairs; at most "
                f"{MOST_PAIRS:,} are compared. Give fewer inputs, or say by neighbors= which "
                "pairs matter.",
                size=size * (size - 1),
            )
        return [(a, b) for a in range(size) for b in range(a + 1, size)], Unit()
    if isinstance(neighbors, str) and neighbors == "adjacent":
        return [(a, a + 1) for a in range(size - 1)], Unit(change="step")
    if isinstance(neighbors, str | bytes) or not isinstance(neighbors, Iterable):
        raise ParameterError(
            f"neighbors is {brief(neighbors)}; it must be 'replace' (every two inputs), 'adjacent' "
            "(inputs next to each other in the list) or a list of pairs of inputs."
        )
    found: set[tuple[int, int]] = set()
    for place, pair in enumerate(several(neighbors, name="neighbors", of="pairs of inputs")):
        try:
            first, second = pair
        except (TypeError, ValueError):
            raise ParameterError(f"neighbors[{place}] is not a pair of inputs.") from None
        a, b = sorted(_position(inputs, one, place) for one in (first, second))
        if a == b:
            raise ParameterError(f"neighbors[{place}] is an input and itself; leave it out.")
        found.add((a, b))
    if not found:
        raise ParameterError("neighbors has no pair of inputs; give at least one.")
    return sorted(found), Unit(change="pairs", most=len(found))


def _position(inputs: list[Any], value: Any, place: int) -> int:
    for position, one in enumerate(inputs):
        if one is value or (type(one) is type(value) and bool(np.all(one == value))):
            return position
    raise ParameterError(
        f"neighbors[{place}] has {brief(value)}, which is none of the inputs; add it to them."
    )
