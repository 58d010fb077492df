"""The most likely shares of one column when plain steps crawl: Newton steps on a growing support.

Where noise is wide and the grid fine, few points carry the most likely shares, and expectation
maximization needs ages to find out which. This is Wang's constrained Newton method (2007): add the
points where the slope is steepest, minimize the quadratic that matches the log-likelihood with
shares kept non-negative, go there if that helps, drop the points that came out empty.

With f = Pᵀp and S[y, x] = P[x, y]/f_y, the quadratic over shares is Σ_y q̂_y ((S − 2) p)_y². Adding
(Σp − 1)² and scaling the solution to sum to one keeps the sum (Dax 1990).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import UnsolvedError

Array = NDArray[np.float64]

_MOST_ROUNDS = 500
_NEW_POINTS = 8
_BEGIN_WITH = 48


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
