"""Two variables of the same people: their joint distribution, and whether they are independent.

The joint shares are those that make the pairs of reports most likely (EM). The test asks whether
they could be products of margins: with α and β the most likely margins, X_ia = L_ia / Σ α L_i − 1
and Y alike, the score of a deviation in cell (a, b) is U_ab = Σ_i X_ia Y_ib. If the variables are
independent, so are the reports; then U has mean 0 and the covariance n (I_X ⊗ I_Y), where I_X is
the information X'X/n that one report has about the margin, and

    ‖ I_X^(−½) U I_Y^(−½) ‖² / n   is χ² with rank(I_X) rank(I_Y) degrees of freedom,

for margins of a and b values these are (a − 1)(b − 1).

Source: Fanti, Pihur, Erlingsson 2016, who take the covariance of the joint shares from the
information matrix at their estimates. Ours is the score test of the same hypothesis (Rao 1948): it
takes the information at independence, where no share that is estimated as 0 spoils it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, ParameterError
from noisewright.estimation import Axis, Estimate, normal_quantile, read_confidence
from noisewright.given import flag, several
from noisewright.local.rappor.joint import (
    joint_covariance,
    likelihoods,
    most_likely_joint,
    most_likely_shares,
)
from noisewright.local.rappor.mechanism import Rappor
from noisewright.local.rappor.reports import RapporReports

Array = NDArray[np.float64]

OTHERS = "(others)"
"""The label of values that are no candidates."""

_MOST_CELLS = 2_500
_ABSENT = 1e-6
"""A margin below this is none: at the end of what is possible, the test has no law."""


@final
@dataclass(frozen=True, eq=False)
class Association:
    """The joint shares of two variables, and the test whether they are independent."""

    estimate: Estimate
    chi_squared: float
    freedom: int
    p_value: float

    def __repr__(self) -> str:
        degrees = "degree" if self.freedom == 1 else "degrees"
        head = f"chi-squared {self.chi_squared:.4g} with {self.freedom} {degrees} of freedom, "
        return f"{head}p-value {self.p_value:.3g}\n{self.estimate!r}"


def find_association(
    first: tuple[Rappor, RapporReports, Sequence[Any] | None],
    second: tuple[Rappor, RapporReports, Sequence[Any] | None],
    *,
    others: bool,
    confidence: float,
) -> Association:
    """Return the joint shares of two variables that the same people reported, row by row."""
    confidence, others = read_confidence(confidence), flag(others, name="others")
    if len(first[1]) != len(second[1]) or not len(first[1]):
        raise InputError(
            f"there are {len(first[1]):,} and {len(second[1]):,} reports; give both reports of the "
            "same people, in the same order."
        )
    (one, one_axis), (two, two_axis) = _read(first, others), _read(second, others)
    cells = one.shape[1] * two.shape[1]
    if cells > _MOST_CELLS:
        raise ParameterError(
            f"these candidates make {cells:,} pairs; at most {_MOST_CELLS:,} are estimated "
            "together. Give fewer candidates; others=True collects the rest."
        )
    shares = most_likely_joint(one, two)
    covariance = joint_covariance(one, two, shares)
    errors = np.sqrt(np.maximum(np.diagonal(covariance), 0.0)).reshape(shares.shape)
    reach = normal_quantile(confidence) * errors
    same = one_axis.name == two_axis.name
    names = [
        Axis(axis.name + mark * same, axis.labels)
        for axis, mark in ((one_axis, " (1)"), (two_axis, " (2)"))
    ]
    found = Estimate(
        *("share", tuple(names), shares, errors, shares - reach, shares + reach),
        *(len(first[1]), "population", "most likely", confidence),
    )
    return Association(found, *judge_independence(one, two))


def judge_independence(first: Array, second: Array) -> tuple[float, int, float]:
    """Return χ², its degrees of freedom, and how likely independent variables have so large one."""
    from scipy.special import gammaincc

    one, two = _scores(first), _scores(second)
    deviation = one.T @ two / np.sqrt(len(first))
    left, right = _whitener(one), _whitener(two)
    freedom = left.shape[1] * right.shape[1]
    if not freedom:
        return 0.0, 0, 1.0
    found = float(((left.T @ deviation @ right) ** 2).sum())
    return found, freedom, float(gammaincc(freedom / 2, found / 2))


def _scores(rows: Array) -> Array:
    shares = most_likely_shares(rows)
    present = shares > _ABSENT
    return rows[:, present] / (rows @ shares)[:, None] - 1


def _whitener(scores: Array) -> Array:
    """Return W with W'IW = 1, for the directions about which a report says something."""
    values, vectors = np.linalg.eigh(scores.T @ scores / len(scores))
    # The margins sum to 1, which leaves one direction without information.
    kept = np.argsort(values)[1:]
    kept = kept[values[kept] > 1e-12]
    return vectors[:, kept] / np.sqrt(values[kept])


def _read(
    one: tuple[Rappor, RapporReports, Sequence[Any] | None], others: bool
) -> tuple[Array, Axis]:
    mechanism, reports, given = one
    if given is None and mechanism.space is None:
        raise ParameterError("candidates are missing; give the texts of each variable.")
    labels = list(mechanism.space.labels if mechanism.space is not None else ())
    if given is not None:
        labels = several(given, name="candidates", of="texts")
    open_ended = others and mechanism.space is None
    table = likelihoods(mechanism, reports, labels, others=open_ended)
    return table, Axis(mechanism.name or "value", [*labels, *[OTHERS] * open_ended])
