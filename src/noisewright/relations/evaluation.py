"""Nodes on numpy arrays: 64-bit whole numbers, and which of them are null."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.relations.nodes import Node

Values = tuple[NDArray[np.int64], NDArray[np.bool_] | None]
"""What a node is for each row, and where it is null; values that are null mean nothing."""


def evaluate(node: Node, columns: Mapping[str, Values], rows: int) -> Values:
    """Return the values of a node for rows whose columns are known."""
    if node.operator == "column":
        return columns[node.name]
    if node.operator == "literal":
        return np.full(rows, node.constants[0], dtype=np.int64), None
    found = [evaluate(argument, columns, rows) for argument in node.arguments]
    if node.operator in ("and", "or"):
        return _logic(node.operator, *found)
    values = [one for one, _ in found]
    gaps = [missing for _, missing in found]
    if node.operator == "is null":
        return _as_integers(np.zeros(rows, np.bool_) if gaps[0] is None else gaps[0]), None
    if node.operator == "fill":
        full = values[0] if gaps[0] is None else np.where(gaps[0], node.constants[0], values[0])
        return full, None
    if node.operator == "choose":
        return _choose(values, gaps)
    if node.operator == "look up":
        return _look_up(node, values[0], gaps[0])
    return _compute(node, values), _any_gap(gaps)


def _compute(node: Node, values: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    a, constants = values[0], node.constants
    match node.operator:
        case "add":
            return a + values[1]
        case "subtract":
            return a - values[1]
        case "multiply":
            return a * values[1]
        case "divide":
            return a // constants[0]
        case "modulo":
            return a % constants[0]
        case "clip":
            return np.clip(a, constants[0], constants[1])
        case "less":
            return _as_integers(a < values[1])
        case "at most":
            return _as_integers(a <= values[1])
        case "equal":
            return _as_integers(a == values[1])
        case "not":
            return 1 - a
        case "is in":
            return _as_integers(np.isin(a, np.array(constants, dtype=np.int64)))
        case "bins":
            edges = np.array(constants, dtype=np.int64)
            return np.searchsorted(edges, a, side="right").astype(np.int64)
        case _:
            raise AssertionError(f"{node.operator} is not an operator. Please report this.")


def _as_integers(truth: Any) -> NDArray[np.int64]:
    return truth.astype(np.int64)


def _any_gap(gaps: list[NDArray[np.bool_] | None]) -> NDArray[np.bool_] | None:
    known = [missing for missing in gaps if missing is not None]
    return None if not known else np.logical_or.reduce(known)


def _logic(operator: str, one: Values, other: Values) -> Values:
    (a, a_gap), (b, b_gap) = one, other
    decides = 0 if operator == "and" else 1
    missing = _any_gap([a_gap, b_gap])
    if missing is None:
        return (a & b if operator == "and" else a | b), None
    known_a = (a == decides) & (True if a_gap is None else ~a_gap)
    known_b = (b == decides) & (True if b_gap is None else ~b_gap)
    decided = known_a | known_b
    return np.where(decided, decides, 1 - decides), missing & ~decided


def _choose(values: list[NDArray[np.int64]], gaps: list[NDArray[np.bool_] | None]) -> Values:
    condition = values[0] != 0 if gaps[0] is None else (values[0] != 0) & ~gaps[0]
    chosen = np.where(condition, values[1], values[2])
    if gaps[1] is None and gaps[2] is None:
        return chosen, None
    none = np.zeros(len(chosen), np.bool_)
    return chosen, np.where(condition, *(none if one is None else one for one in gaps[1:]))


def _look_up(node: Node, values: NDArray[np.int64], gap: NDArray[np.bool_] | None) -> Values:
    first, pairs = node.constants[0], np.array(node.constants[1:], dtype=np.int64).reshape(-1, 2)
    places = values - first
    outside = (places < 0) | (places >= len(pairs))
    places = np.clip(places, 0, len(pairs) - 1)
    missing = outside | (pairs[places, 0] == 0)
    if gap is not None:
        missing |= gap
    return pairs[places, 1], missing if missing.any() else None
