"""The most likely shares, by expectation maximization with extrapolated steps.

One step is p ← p ∘ P(q̂ / Pᵀp), which never lowers the likelihood. Two steps and an extrapolation
(SQUAREM, Varadhan and Roland 2008) go much further; a step that lowers the likelihood is taken
back. The problem is concave, and d = max_i P(q̂ / Pᵀp)_i − 1 bounds what is left to gain per person
(Lindsay 1983), so stopping at a small n·d is a proof of being at the top, not a guess. One column
that is not there after some hundred steps is left to Newton steps on a growing support: where noise
is wide and the grid fine, few points carry the most likely shares, and expectation maximization
needs ages to find out which. This is Wang's constrained Newton method (2007): add the points where
the slope is steepest, minimize the quadratic that matches the log-likelihood with shares kept
non-negative, go there if that helps, drop the points that came out empty.

With f = Pᵀp and S[y, x] = P[x, y]/f_y, the quadratic over shares is Σ_y q̂_y ((S − 2) p)_y². Adding
(Σp − 1)² and scaling the solution to sum to one keeps the sum (Dax 1990).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import UnsolvedError
from noisewright.estimation.channels.channel import Channel

Array = NDArray[np.float64]

_GAIN_LEFT = 1e-3
"""Stop when the whole log-likelihood is proven to be within this of its maximum."""

_MOST_STEPS = 20_000
_PATIENCE = 200
_MOST_ENTRIES = 1 << 22
_MOST_ROUNDS = 500
_NEW_POINTS = 8
_BEGIN_WITH = 48


def most_likely(
    observed: Array, channels: Sequence[Channel], people: int, *, start: Array | None = None
) -> Array:
    """Return the shares of the inputs that make the observed shares of outputs most likely.

    If the unbiased shares (`start`) are shares and reproduce what was observed, they are the
    answer: nothing fits better. Otherwise they are where the search starts from.
    """
    if start is not None and start.min() >= 0:
        fitted = _push(start, channels)
        if np.allclose(fitted, observed, rtol=0, atol=1e-12):
            return start
    return _Ascent(observed, channels, people).run(start)


def _push(shares: Array, channels: Sequence[Channel]) -> Array:
    for axis, channel in enumerate(channels):
        shares = channel.push(shares, axis)
    return shares


class _Ascent:
    """The climb to the maximum; `seen` masks the outputs that occurred."""

    def __init__(self, observed: Array, channels: Sequence[Channel], people: int) -> None:
        self.observed, self.channels = observed, channels
        self.enough = _GAIN_LEFT / people
        self.seen = observed > 0

    def run(self, start: Array | None) -> Array:
        """Climb until the bound on what is left to gain is small."""
        shape = tuple(channel.inputs for channel in self.channels)
        cells = int(np.prod(shape))
        shares = np.full(shape, 1.0 / cells)
        if start is not None:
            # Cells at zero would stay there, so each begins with something.
            shares = 0.9 * np.maximum(start, 0.0) / np.maximum(start, 0.0).sum() + 0.1 * shares
        gradient, height = self.slope(shares)
        small = len(shape) == 1 and cells * self.observed.size <= _MOST_ENTRIES
        for step in range(_MOST_STEPS):
            if step == _PATIENCE and small:
                rows = self.channels[0].push(np.eye(cells), 0).T
                return climb(rows, self.observed, shares, self.enough)
            if float(gradient.max()) - 1 <= self.enough:
                return shares / shares.sum()
            shares, gradient, height = self.leap(shares, gradient, height)
        raise UnsolvedError(
            f"the most likely shares were not found in {_MOST_STEPS:,} steps; a log-likelihood of "
            f"up to {(float(gradient.max()) - 1) / self.enough * _GAIN_LEFT:.3g} may be left to "
            "gain. Use method='projected', or merge rare categories."
        )

    def slope(self, shares: Array) -> tuple[Array, float]:
        """Return the gradient P(q̂ / Pᵀp) and the log-likelihood per person."""
        fitted = _push(shares, self.channels)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(self.seen, self.observed / fitted, 0.0)
            height = float(np.where(self.seen, self.observed * np.log(fitted), 0.0).sum())
        for axis, channel in enumerate(self.channels):
            ratio = channel.pull(ratio, axis)
        return ratio, height

    def leap(self, shares: Array, gradient: Array, height: float) -> tuple[Array, Array, float]:
        """Take two plain steps, extrapolate, and keep the better of both."""
        first = shares * gradient
        first_gradient, _ = self.slope(first)
        second = first * first_gradient
        change, bend = first - shares, second - 2 * first + shares
        size = float(np.linalg.norm(bend))
        if size > 0:
            stretch = max(1.0, float(np.linalg.norm(change)) / size)
            far = shares + 2 * stretch * change + stretch**2 * bend
            far = np.maximum(far, second * 1e-3)
            far /= far.sum()
            far_gradient, far_height = self.slope(far)
            if far_height >= height:
                return far, far_gradient, far_height
        plain_gradient, plain_height = self.slope(second)
        return second, plain_gradient, plain_height


def climb(matrix: Array, observed: Array, shares: Array, enough: float) -> Array:
    """Return shares whose log-likelihood per person is within `enough` of the largest."""
    seen = observed > 0
    matrix, observed = matrix[:, seen], observed[seen]
    shares = _thin(matrix, shares)
    for _ in range(_MOST_ROUNDS):
        fitted = shares @ matrix
        slopes = matrix @ (observed / fitted)
        if float(slopes.max()) - 1 <= enough:
            return shares
        support = np.union1d(np.flatnonzero(shares), _steepest(slopes))
        scaled = (matrix[support] / fitted - 2).T * np.sqrt(observed)[:, None]
        system = np.vstack([scaled, np.ones(len(support))])
        goal = np.zeros(len(system))
        goal[-1] = 1.0
        target = np.zeros_like(shares)
        target[support] = _non_negative(system.T @ system, system.T @ goal)
        shares = _step(matrix, observed, shares, target / target.sum())
    raise UnsolvedError(
        f"the most likely shares were not found in {_MOST_ROUNDS} rounds. Use method='unbiased', "
        "or a coarser grid."
    )


def _thin(matrix: Array, shares: Array) -> Array:
    """Return shares on few points to begin with; what is missing comes back by its slope."""
    chosen = np.zeros(len(shares), dtype=bool)
    chosen[:: max(1, len(shares) // _BEGIN_WITH)] = True
    few = np.where(chosen & (shares > 1e-9), shares, 0.0)
    # Where inputs cannot give every output, leaving some out may rule out what was seen.
    kept = few if (few @ matrix > 0).all() else shares
    return kept / kept.sum()


def _steepest(slopes: Array) -> NDArray[np.intp]:
    """Return a few peaks of the slope above one: points worth a share."""
    padded = np.concatenate([[-np.inf], slopes, [-np.inf]])
    peaks = (slopes >= padded[:-2]) & (slopes >= padded[2:]) & (slopes > 1)
    places = np.flatnonzero(peaks)
    return places[np.argsort(-slopes[places])[:_NEW_POINTS]]


def _step(matrix: Array, observed: Array, shares: Array, target: Array) -> Array:
    """Go to the target, or as far towards it as the likelihood grows."""
    height = float(observed @ np.log(shares @ matrix))
    length = 1.0
    for _ in range(60):
        trial = (1 - length) * shares + length * target
        with np.errstate(divide="ignore"):
            gained = float(observed @ np.log(trial @ matrix)) > height
        if gained:
            return trial
        length /= 2
    return shares


def _non_negative(gram: Array, right: Array) -> Array:
    """Minimize xᵀGx/2 − rᵀx over x ≥ 0 (Lawson and Hanson 1974), beginning with all of x free."""
    ridge = gram + np.eye(len(gram)) * (1e-13 * float(np.trace(gram)))
    free = np.ones(len(right), dtype=bool)
    x = np.zeros(len(right))
    x[:] = 1.0 / len(right)
    for _ in range(10 * len(right) + 10):
        while True:
            goal = np.zeros_like(x)
            goal[free] = np.linalg.solve(ridge[np.ix_(free, free)], right[free])
            stuck = free & (goal <= 0)
            if not stuck.any():
                break
            shrink = float((x[stuck] / (x[stuck] - goal[stuck])).min())
            x = x + shrink * (goal - x)
            free &= x > 1e-15
            x = np.where(free, x, 0.0)
        x = goal
        gain = np.where(free, -np.inf, right - ridge @ x)
        if float(gain.max()) <= 1e-12 * float(np.abs(right).max()):
            break
        free[int(np.argmax(gain))] = True
    return x
