"""How far a mechanism is from the least error that its guarantee allows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from noisewright.designs.analysis.error_bound import ErrorBound, error_bound
from noisewright.designs.design import Design
from noisewright.designs.losses.loss import exact_loss
from noisewright.errors import InputError
from noisewright.exact import Epsilon, ceiling_float
from noisewright.mechanisms import Additive, Guarantee, Mechanism, Response, RowProduct
from noisewright.privacy import tight_epsilon
from noisewright.public import public

_MOST_AVERAGED = 1 << 11
_BITS = 192


@dataclass(frozen=True)
class ErrorReport:
    """The error of a mechanism beside the bound that none with its guarantee can beat.

    `worst` is the expected distance on the worst input, `mean` its average over all inputs
    (None where there are too many to average); both are rounded up. `ratio` is worst / bound.
    """

    mechanism: Mechanism
    guarantee: Guarantee
    worst: float
    mean: float | None
    bound: ErrorBound

    @property
    def ratio(self) -> float:
        """How many times the bound the worst error is; 1 is best possible."""
        least = self.bound.value
        return math.inf if least == 0 and self.worst else self.worst / least if least else 1.0

    def __str__(self) -> str:
        mean = "" if self.mean is None else f" and {self.mean:.6g} on average over inputs"
        return (
            f"{self.mechanism!r} is off by {self.worst:.6g} in expectation on its worst input"
            f"{mean}. No mechanism with {self.guarantee} has less than {self.bound.value:.6g} on "
            f"its worst input ({self.bound.best.name}): it is at {self.ratio:.4g} times the bound."
        )


@public
def error_report(mechanism: Mechanism | Design, *, optimum: bool | None = None) -> ErrorReport:
    """Compare the expected distance of a mechanism with the bound for its guarantee.

    Requires: outputs that are points of the inputs' space, or numbers. For a product over rows
    the report is that of one row. `optimum` is passed on to `error_bound`.
    Ensures: errors are rounded up and the bound down, so the ratio is never flattering.
    Source: Holohan–Leith–Mason 2015, Section 6, for the error; `error_bound` names that of a bound.
    """
    one = mechanism.mechanism if isinstance(mechanism, Design) else mechanism
    while isinstance(one, RowProduct):
        one = one.row
    claim = one.claim or _least(one)
    inside = one.outputs == one.space
    worst, mean = _errors(one)
    bound = error_bound(
        one.space, epsilon=claim.epsilon, delta=claim.delta, outputs_inside=inside, optimum=optimum
    )
    average = None if mean is None else ceiling_float(mean)
    return ErrorReport(one, claim, ceiling_float(worst), average, bound)


def _least(mechanism: Mechanism) -> Guarantee:
    least = tight_epsilon(mechanism)
    if math.isinf(least):
        raise InputError(
            f"{mechanism!r} has no finite epsilon at delta=0, so no bound applies to it. Give it a "
            "claim with delta, or correct the zeros."
        )
    return Guarantee(Epsilon.of(least))


def _errors(mechanism: Mechanism) -> tuple[Fraction, Fraction | None]:
    """Return the worst and the mean expected distance, bounded from above."""
    if isinstance(mechanism, Additive):
        return _additive_errors(mechanism)
    if isinstance(mechanism, Response):
        return _response_errors(mechanism)
    table = mechanism.table()
    return (
        exact_loss(table, "distance", goal="worst"),
        exact_loss(table, "distance", goal="expected"),
    )


def _additive_errors(mechanism: Additive) -> tuple[Fraction, Fraction | None]:
    size, step = mechanism.space.size, mechanism.space.step
    # Noise is symmetric and falls away from 0, so clamping helps least in the middle.
    middle = {(size - 1) // 2, size // 2}
    worst = max(mechanism.error_enclosure(code, 1, _BITS).high for code in middle) * step
    if mechanism.form == "unbounded":
        return worst, worst
    if size > _MOST_AVERAGED:
        return worst, None
    each = [mechanism.error_enclosure(code, 1, _BITS).high for code in range(size)]
    return worst, sum(each, Fraction(0)) / size * step


def _response_errors(mechanism: Response) -> tuple[Fraction, Fraction | None]:
    space = mechanism.space
    space.require_enumerable("all distances", most=_MOST_AVERAGED)
    _, other, total = mechanism.masses()
    points = space.points
    sums = [sum((Fraction(space.distance(x, y)) for y in points), Fraction(0)) for x in points]
    return Fraction(other, total) * max(sums), Fraction(other, total) * sum(sums) / len(sums)
