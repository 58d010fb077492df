"""Exact answers from a tree of columns: what rows say about a column, and how likely they are.

Messages go from the leaves to the column in question. A column that is known picks its value, one
that is not is summed out (Pearl 1988, section 4.2). All rows go at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.synthetic import TreeModel

Array = NDArray[np.float64]
Codes = Mapping[str, NDArray[Any]]


def joint_logs(model: TreeModel, column: str, codes: Codes, *, rows: int) -> Array:
    """Return log P(column = v, what is known of its tree), one row for each row.

    `codes` holds the columns that are known; the one in question may not be among them.
    """
    found = np.tile(np.log(model.shares[column]), (rows, 1))
    for near in _neighbors(model, column):
        found = found + _message(model, near, column, codes, rows)
    return found


def log_likelihoods(model: TreeModel, codes: Codes, *, rows: int) -> Array:
    """Return log P(what is known) of each row, over all trees of the model."""
    total = np.zeros(rows)
    for root, parent in model.steps:
        if parent is not None:
            continue
        logs = joint_logs(model, root, {n: c for n, c in codes.items() if n != root}, rows=rows)
        if root in codes:
            total += logs[np.arange(rows), codes[root]]
        else:
            total += _log_sum(logs)
    return total


def _message(model: TreeModel, column: str, towards: str, codes: Codes, rows: int) -> Array:
    """Return log P(what is known at `column` and behind it | towards = v)."""
    joint = model.joint(towards, column)
    given = joint / joint.sum(axis=1, keepdims=True)
    behind = np.zeros((rows, given.shape[1]))
    for near in _neighbors(model, column):
        if near != towards:
            behind = behind + _message(model, near, column, codes, rows)
    if column in codes:
        known = codes[column]
        return np.log(given).T[known] + behind[np.arange(rows), known][:, None]
    most = behind.max(axis=1, keepdims=True)
    return np.log(np.exp(behind - most) @ given.T) + most


def _neighbors(model: TreeModel, column: str) -> list[str]:
    return [b if a == column else a for a, b in model.edges if column in (a, b)]


def _log_sum(logs: Array) -> Array:
    most = logs.max(axis=1, keepdims=True)
    return (np.log(np.exp(logs - most).sum(axis=1, keepdims=True)) + most)[:, 0]


def normalized(logs: Array) -> Array:
    """Return probabilities from logarithms that lack a constant, row by row."""
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)
