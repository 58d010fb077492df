"""What single reports say about values: likelihoods, and shares by expectation maximization.

    L_iv    P(report i | value v) over the probability of the report if no bit were set: the product
            over the bits that v sets of q*/p* where the report has a one, (1−q*)/(1−p*) where not
    others  the expectation of L for a value whose positions are uniform: (mean over all bits)^h

Shares π maximize Σ_i ln Σ_v π_v L_iv. A step of EM is π_v ← π_v · mean_i(L_iv / Σ π L_i). Two steps
and their difference give a longer one (SQUAREM; Varadhan and Roland 2008), which is taken if it
does not make the likelihood smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.local.rappor.mechanism import Rappor
from noisewright.local.rappor.reports import RapporReports

Array = NDArray[np.float64]

_CHUNK = 1 << 13
_STEPS = 400
_STILL = 1e-6
"""Shares that move by less than this are found."""

_SMALLEST = 1e-300


def likelihoods(
    mechanism: Rappor, reports: RapporReports, candidates: Sequence[Any], *, others: bool
) -> Array:
    """Return L: a row for each report, a column for each candidate and, if asked, for others."""
    high, low = float(mechanism.chance_set), float(mechanism.chance_unset)
    one = np.log(max(high, _SMALLEST)) - np.log(max(low, _SMALLEST))
    zero = np.log(max(1 - high, _SMALLEST)) - np.log(max(1 - low, _SMALLEST))
    table = mechanism.table(candidates).astype(np.intp)
    out = np.empty((len(reports), len(candidates) + others))
    for cohort in range(mechanism.cohorts):
        sets = np.zeros((mechanism.bits, len(candidates)))
        for column, places in enumerate(table[:, cohort]):
            sets[places, column] = 1.0
        rows = np.flatnonzero(reports.cohorts == cohort)
        for start in range(0, rows.size, _CHUNK):
            part = rows[start : start + _CHUNK]
            dense = np.unpackbits(
                reports.payload[part], axis=1, count=mechanism.bits, bitorder="little"
            ).astype(np.float64)
            logs = (dense @ sets) * (one - zero) + zero * sets.sum(axis=0)
            out[part, : len(candidates)] = np.exp(logs)
            if others:
                share = dense.mean(axis=1)
                mean = share * np.exp(one) + (1 - share) * np.exp(zero)
                out[part, -1] = mean**mechanism.hashes
    return out


def most_likely_shares(rows: Array) -> Array:
    """Return the shares of the columns that make these rows of likelihoods most likely."""

    def step(shares: Array) -> tuple[Array, float]:
        mixture = rows @ shares
        return shares * (rows.T @ (1 / mixture)) / len(rows), float(np.log(mixture).sum())

    return _climb(np.full(rows.shape[1], 1 / rows.shape[1]), step, _STILL)


def most_likely_joint(first: Array, second: Array, *, still: float = _STILL) -> Array:
    """Return the joint shares of the columns of two tables of likelihoods, of the same people.

    Ensures: another step would move no share by `still` or more, or there were many steps.
    """

    def step(shares: Array) -> tuple[Array, float]:
        total, gain = 0.0, np.zeros_like(shares)
        for start in range(0, len(first), _CHUNK):
            a, b = first[start : start + _CHUNK], second[start : start + _CHUNK]
            mixture = ((a @ shares) * b).sum(axis=1)
            gain += a.T @ (b / mixture[:, None])
            total += float(np.log(mixture).sum())
        return shares * gain / len(first), total

    size = (first.shape[1], second.shape[1])
    return _climb(np.full(size, 1 / (size[0] * size[1])), step, still)


def _climb(shares: Array, step: Callable[[Array], tuple[Array, float]], still: float) -> Array:
    """Go on until shares stand still; each step returns shares and the likelihood before it."""
    for _ in range(_STEPS):
        once, before = step(shares)
        twice, _ = step(once)
        change, bend = once - shares, twice - 2 * once + shares
        if np.abs(twice - once).max() < still:
            return twice
        length = np.linalg.norm(change) / max(float(np.linalg.norm(bend)), _SMALLEST)
        far = shares + 2 * length * change + length**2 * bend
        far = np.maximum(far, 1e-12)
        far /= far.sum()
        after_far, reached = step(far)
        shares = after_far if reached >= before else twice
    return shares


def joint_covariance(
    first: Array, second: Array, shares: Array, cells: NDArray[np.intp] | None = None
) -> Array:
    """Return the covariance of the joint shares, from the observed information.

    Scores are L_a L_b / Σ π L L; shares sum to 1, so that only directions along that count. With
    `cells`, rows of two positions, only these are free, and all others as they are.
    """
    if cells is None:
        cells = np.argwhere(np.ones(shares.shape, dtype=bool))
    rows, columns = cells.T
    information = np.zeros((len(cells), len(cells)))
    step = max(1, (1 << 22) // len(cells))
    for start in range(0, len(first), step):
        a, b = first[start : start + step], second[start : start + step]
        mixture = ((a @ shares) * b).sum(axis=1)
        score = a[:, rows] * (b / mixture[:, None])[:, columns] - 1
        information += score.T @ score
    # Directions that sum to 0: all cells but the last, which takes what the others give.
    basis = np.vstack([np.eye(len(cells) - 1), -np.ones(len(cells) - 1)])
    inner = np.linalg.pinv(basis.T @ information @ basis, hermitian=True)
    return basis @ inner @ basis.T
