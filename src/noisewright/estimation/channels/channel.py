"""A mechanism as a linear map between shares, and the map back.

    q = Pᵀ p     shares of the outputs from shares p of the inputs
    p̂ = Lᵀ q̂     back again, unbiased because P L = I

One released row y contributes g_i(y) = L[y, i] to the share of input i. Everything that the
errors need follows from its first two moments given an input x: E[g_i | x] = [x = i] and
S[x, i] = E[g_i² | x]. A channel applies P, L and powers of |L| along one axis of an array, so
that joint tables of several columns never need a matrix over all cells.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError
from noisewright.estimation.channels.inverses import (
    GeometricChannel,
    left_inverse,
    left_inverse_for,
    null_space,
)
from noisewright.given import brief
from noisewright.mechanisms import (
    Additive,
    Geometric,
    Laplace,
    Mechanism,
    Response,
    Table,
    require_tabulable,
)

Array = NDArray[np.float64]


class Channel(Protocol):
    """How shares of inputs become shares of outputs, and the way back."""

    @property
    def inputs(self) -> int:
        """How many inputs there are."""
        ...

    @property
    def outputs(self) -> int:
        """How many outputs there are."""
        ...

    def push(self, shares: Array, axis: int) -> Array:
        """Return Pᵀ p along an axis: shares of the outputs."""
        ...

    def pull(self, values: Array, axis: int) -> Array:
        """Return P v along an axis: the expectation of v(output) for each input."""
        ...

    def solve(self, shares: Array, axis: int) -> Array:
        """Return Lᵀ q along an axis: the unbiased shares of the inputs."""
        ...

    def solve_powers(self, shares: Array, axis: int, power: int) -> Array:
        """Return (|L|^power)ᵀ q along an axis: the moments of what the rows contribute."""
        ...

    def undo(self, answers: Array) -> Array:
        """Return L a: what each output contributes to Σ p_x a(x), one column per answer a."""
        ...

    def second_moments(self) -> tuple[Array, Array, Array]:
        """Return S[i, i], and bounds of S[x, i] over x ≠ i from below and above, for each i."""
        ...


@final
@dataclass(frozen=True)
class DenseChannel:
    """Any finite mechanism by its matrix; its inverse is computed when it is first needed.

    When the matrix does not tell all inputs apart there is no inverse, and that is an error; a
    `forgiving` channel inverts what it can, which is right for all but the `open_inputs`.
    """

    matrix: Array
    labels: tuple[Any, ...] | None = None
    forgiving: bool = False

    @property
    def inputs(self) -> int:
        """How many inputs there are."""
        return self.matrix.shape[0]

    @property
    def outputs(self) -> int:
        """How many outputs there are."""
        return self.matrix.shape[1]

    @cached_property
    def inverse(self) -> Array:
        """L, one row per output; raises UnidentifiableError when there is none."""
        return left_inverse(
            self.matrix, unknown=self._unknown, labels=self.labels, forgiving=self.forgiving
        )

    @cached_property
    def open_inputs(self) -> NDArray[np.bool_]:
        """Mark the inputs whose share no amount of released data can tell."""
        return np.asarray(np.abs(self._unknown).max(axis=0, initial=0.0) > 1e-9)

    @cached_property
    def _unknown(self) -> Array:
        return null_space(self.matrix)

    def push(self, shares: Array, axis: int) -> Array:
        """Return Pᵀ p along an axis."""
        return _along(self.matrix.T, shares, axis)

    def pull(self, values: Array, axis: int) -> Array:
        """Return P v along an axis."""
        return _along(self.matrix, values, axis)

    def solve(self, shares: Array, axis: int) -> Array:
        """Return Lᵀ q along an axis."""
        return _along(self.inverse.T, shares, axis)

    def solve_powers(self, shares: Array, axis: int, power: int) -> Array:
        """Return (|L|^power)ᵀ q along an axis."""
        return _along(np.abs(self.inverse.T) ** power, shares, axis)

    def undo(self, answers: Array) -> Array:
        """Return L a; answers that do not need what is open have one also without an inverse."""
        if not self.open_inputs.any():
            return self.inverse @ answers
        return _along(left_inverse_for(self.matrix, answers, labels=self.labels), answers, 0)

    def second_moments(self) -> tuple[Array, Array, Array]:
        """Return S[i, i] and the least and largest S[x, i] elsewhere, for each i."""
        moments = self.matrix @ self.inverse**2
        own = np.diagonal(moments).copy()
        if self.inputs == 1:
            return own, own, own
        elsewhere = ~np.eye(self.inputs, dtype=bool)
        least = moments.min(axis=0, where=elsewhere, initial=np.inf)
        return own, least, moments.max(axis=0, where=elsewhere, initial=-np.inf)


@final
@dataclass(frozen=True)
class ResponseChannel:
    """Randomized response: `truth` and `other` are the two probabilities, `gap` their difference.

    The gap is given apart because at a small ε the difference of two doubles would be rough.
    P = gap·I + other·J and L = (I − other·J) / gap, with J all ones: no matrix is formed.
    """

    inputs: int
    truth: float
    other: float
    gap: float

    @property
    def outputs(self) -> int:
        """As many as inputs."""
        return self.inputs

    def push(self, shares: Array, axis: int) -> Array:
        """Return Pᵀ p along an axis."""
        return self.gap * shares + self.other * shares.sum(axis=axis, keepdims=True)

    def pull(self, values: Array, axis: int) -> Array:
        """Return P v along an axis; P is symmetric."""
        return self.push(values, axis)

    def solve(self, shares: Array, axis: int) -> Array:
        """Return Lᵀ q along an axis."""
        return (shares - self.other * shares.sum(axis=axis, keepdims=True)) / self.gap

    def solve_powers(self, shares: Array, axis: int, power: int) -> Array:
        """Return (|L|^power)ᵀ q along an axis."""
        hit, miss = self._powers(power)
        return (hit - miss) * shares + miss * shares.sum(axis=axis, keepdims=True)

    def _powers(self, power: int) -> tuple[float, float]:
        gap = abs(self.gap)
        return ((1 - self.other) / gap) ** power, (self.other / gap) ** power

    def undo(self, answers: Array) -> Array:
        """Return L a; L is symmetric."""
        return self.solve(answers, 0)

    def second_moments(self) -> tuple[Array, Array, Array]:
        """Return S[i, i] and S[x, i], which is the same for all x ≠ i."""
        hit, miss = self._powers(2)
        own = self.truth * hit + (1 - self.truth) * miss
        others = self.other * hit + (1 - self.other) * miss
        each = np.ones(self.inputs)
        return own * each, others * each, others * each


def _along(matrix: Array, values: Array, axis: int) -> Array:
    """Apply a matrix along one axis of an array."""
    return np.moveaxis(np.tensordot(matrix, values, axes=(1, axis)), 0, axis)


def joint_second_moments(channels: Sequence[Channel]) -> tuple[Array, Array, Array]:
    """Return the second moments of the cells of a table: a product over its columns.

    Another cell differs in at least one column; in the others it may or may not.
    """
    own, least, most = channels[0].second_moments()
    for channel in channels[1:]:
        here, low, high = channel.second_moments()
        outer = np.multiply.outer
        least = np.minimum(outer(least, np.minimum(here, low)), outer(own, low))
        most = np.maximum(outer(most, np.maximum(here, high)), outer(own, high))
        own = outer(own, here)
    return own, least, most


_OF_TABLES: WeakKeyDictionary[Table, Channel] = WeakKeyDictionary()
"""The channels of tables that are in use: many answers about one table invert it once."""


def channel_of(mechanism: Mechanism) -> Channel:
    """Return a mechanism as a map between shares, by its structure where it has one."""
    if isinstance(mechanism, Response):
        truth, other, total = mechanism.masses()
        return ResponseChannel(
            mechanism.space.size, truth / total, other / total, (truth - other) / total
        )
    if isinstance(mechanism, (Geometric, Laplace)):
        # Beyond an end, Laplace noise says no more about a number than the end itself does: all
        # inputs keep their ratios there. So outputs may be clamped, and nothing is lost.
        decay = mechanism.epsilon if isinstance(mechanism, Geometric) else mechanism.decay
        mechanism.space.require_enumerable("the shares of its points")
        rate = float(decay)
        return GeometricChannel(mechanism.space.size, math.exp(-rate), -math.expm1(-rate))
    if isinstance(mechanism, Additive):
        return DenseChannel(_clamped_matrix(mechanism), tuple(mechanism.space.points))
    if not isinstance(mechanism, Mechanism):
        raise InputError(
            f"estimates need the mechanism that released the data; got {brief(mechanism)}. For a "
            "design give its .mechanism."
        )
    table = mechanism.table()
    known = _OF_TABLES.get(table)
    if known is None:
        known = _as_response(table) or DenseChannel(table.matrix, tuple(table.space.points))
        _OF_TABLES[table] = known
    return known


def _clamped_matrix(mechanism: Additive) -> Array:
    """Return the matrix of noise that is clamped to the interval, from its distribution."""
    require_tabulable(mechanism.space, mechanism.space, instead="Use a larger step.")
    last = mechanism.space.size - 1
    below = np.array(
        [float(mechanism.cumulative(steps, 128).high) for steps in range(-last - 1, last + 1)]
    )
    # Row j of `upto` is P(j + Z ≤ i) for i = −1..last; differences are the masses inside.
    codes = np.arange(last + 1)
    upto = below[np.arange(-1, last + 1)[None, :] - codes[:, None] + last + 1]
    upto[:, 0], upto[:, -1] = 0.0, 1.0
    return np.diff(upto, axis=1)


def _as_response(table: Table) -> ResponseChannel | None:
    """Recognize randomized response by its integers."""
    size = table.space.size
    if table.outputs != table.space or size < 2:
        return None
    truth, other = table.weights[0, 0], table.weights[0, 1]
    expected = np.full((size, size), other, dtype=object)
    np.fill_diagonal(expected, truth)
    if truth == other or not (table.weights == expected).all():
        return None
    total = table.total
    return ResponseChannel(size, truth / total, other / total, (truth - other) / total)
