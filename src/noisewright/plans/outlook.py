"""What a part of a plan will do to its columns, in numbers, before any data are seen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from noisewright.curves import CurveNoise
from noisewright.errors import InputError, TooLargeError
from noisewright.mechanisms import (
    Additive,
    Geometric,
    Mechanism,
    Response,
    SetMechanism,
    Table,
    marginal,
)
from noisewright.plans.column_mechanisms import MOST_RESPONSES
from noisewright.plans.parts import Part
from noisewright.spaces import Counts, Curves, Interval, numbers

USELESS = 0.25
"""An error of so much of the range: a guess without any data is about as good (0.29)."""


@dataclass(frozen=True)
class Outlook:
    """What to expect of the released values of one part.

    `truth` are the least and the largest probability that what is released is the true value, and
    `wrong` is the largest that it is another one (to more digits than 1 − truth has),
    `off` is how far off a released number is on average (over even shares of the inputs, without
    regard to sign), `kept` and `added` are the probabilities that an item of a set stays and that
    another one appears, `noise` is the standard deviation of the noise in a curve's values.
    """

    truth: tuple[float, float] | None = None
    wrong: float | None = None
    off: float | None = None
    kept: float | None = None
    added: float | None = None
    noise: float | None = None


@dataclass(frozen=True)
class Planned:
    """The planned standard error of one kind of estimate about one column.

    `question` is "shares", "mean", "items" or "curve"; `error` is the root of the mean square
    over its answers, about the people in the table, at even shares.
    """

    question: str
    error: float
    rows: int
    range: float = 1.0
    """How far apart two answers can be: 1 for shares, the width of the bounds for means."""

    @property
    def says_little(self) -> bool:
        """Whether the answer is lost in noise: the error is a quarter of that range or more."""
        return self.error > USELESS * self.range


def outlook_of(part: Part) -> Outlook:
    """Return what to expect of the values of a part."""
    mechanism: Any = part.mechanism
    if isinstance(mechanism, SetMechanism):
        return Outlook(kept=float(mechanism.present), added=float(mechanism.absent))
    if isinstance(mechanism, CurveNoise):
        return Outlook(noise=_root_mean_square(mechanism.standard_error()))
    if isinstance(mechanism, Response):
        truth, _, total = mechanism.masses()
        share = truth / total
        return Outlook(truth=(share, share), wrong=(total - truth) / total)
    if isinstance(mechanism, Table):
        return _of_table(mechanism)
    if isinstance(mechanism, Geometric):
        return _of_geometric(mechanism)
    if isinstance(mechanism, Additive):
        return Outlook(off=_mean_distance(mechanism))
    return Outlook()


def _of_table(table: Table) -> Outlook:
    if table.outputs.describe() != table.space.describe():
        return Outlook()
    matrix, diagonal = table.matrix, np.diagonal(table.weights).tolist()
    least, most, total = min(diagonal), max(diagonal), table.total
    truth, wrong = (least / total, most / total), (total - least) / total
    if not isinstance(table.space, (Counts, Interval)):
        return Outlook(truth=truth, wrong=wrong)
    points = np.array([float(number) for number in numbers(table.space)])
    off = float((matrix * np.abs(points[:, None] - points[None, :])).sum(axis=1).mean())
    return Outlook(truth=truth, wrong=wrong, off=off)


def _of_geometric(mechanism: Geometric) -> Outlook:
    """Return what clamped geometric noise does; P(noise ≥ k) = α^k / (1 + α) for k ≥ 1."""
    step, last = float(mechanism.epsilon), mechanism.space.n
    alpha, rest = math.exp(-step), -math.expm1(-step)

    def towards(room: int) -> float:
        return alpha * -math.expm1(-room * step) / (rest * (1 + alpha))

    codes = _spread(last)
    off = sum(towards(code) + towards(last - code) for code in codes) / len(codes)
    return Outlook(truth=(rest / (1 + alpha), 1 / (1 + alpha)), off=off)


def _spread(last: int) -> list[int]:
    return sorted({round(last * place / 16) for place in range(17)})


def _mean_distance(mechanism: Additive) -> float:
    """Return how far off a noisy number is, averaged over places spread over the interval."""
    codes = _spread(mechanism.space.size - 1)
    distances = [float(mechanism.error_enclosure(code, 1, 256).high) for code in codes]
    return float(mechanism.space.step) * sum(distances) / len(distances)


def default_question(space: Any, mechanism: Any) -> str:
    """Return what one would estimate about a column: shares, a mean, items or a mean curve."""
    if isinstance(mechanism, SetMechanism):
        return "items"
    if isinstance(mechanism, CurveNoise):
        return "curve"
    many = isinstance(space, Counts) and space.size > MOST_RESPONSES
    return "mean" if many or isinstance(space, Interval) else "shares"


def planned_error(part: Part, column: str, *, rows: int) -> Planned | None:
    """Return the planned error of a column's own estimate from so many released rows.

    Nothing is returned where the error is not known before a release.
    """
    mechanism: Any = part.mechanism
    if part.is_joint:
        mechanism = marginal(mechanism, column)
    space = dict(zip(part.columns, part.treatments, strict=True))[column].space
    question = default_question(space, mechanism)
    error = mechanism_error(mechanism, question, rows=rows)
    if error is None:
        return None
    width = float(space.high - space.low) if isinstance(space, (Interval, Curves)) else 1.0
    if isinstance(space, Counts) and question == "mean":
        width = float(space.n)
    return Planned(question, error, rows, width)


def mechanism_error(mechanism: Mechanism | CurveNoise, question: str, *, rows: int) -> float | None:
    """Return the planned error of one question, or nothing where it cannot be planned."""
    from noisewright.estimation import expected_error  # a room of 40 files

    of = {"shares": "shares", "mean": "mean", "items": "items", "curve": "mean"}[question]
    try:
        planned = expected_error(mechanism, people=rows, of=of, about="people")
    except (InputError, TooLargeError):
        return None
    return _root_mean_square(planned.standard_errors)


def _root_mean_square(values: Any) -> float:
    return float(np.sqrt(np.mean(np.square(np.asarray(values, dtype=np.float64)))))
