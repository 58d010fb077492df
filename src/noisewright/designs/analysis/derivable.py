"""Is a count mechanism the geometric one followed by a randomized relabeling?

With A = (α^|j−k|) and c_k > 0 the geometric mechanism is G = A · diag(c), where c is 1/(1+α) at
the two ends and (1−α)/(1+α) inside. It is invertible, so M = G R has one solution R, whose rows
sum to 1 because those of G and M do. M is derivable just when no entry of R is negative. A has
the tridiagonal inverse [1, −α; −α, 1+α², −α; …; −α, 1] / (1−α²), which gives

    R(i|0) = (P(i|0) − α P(i|1)) / (1−α),   R(i|n) = (P(i|n) − α P(i|n−1)) / (1−α),
    R(i|j) = ((1+α²) P(i|j) − α (P(i|j−1) + P(i|j+1))) / (1−α)²   inside.

Signs are those of a polynomial in e^ε with integer coefficients, decided exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon, Number, exactly, show
from noisewright.mechanisms import Mechanism, Table
from noisewright.public import public

_FIRST_BITS = 192

Polynomial = tuple[int, int, int]
"""a + b E + c E², by its coefficients."""


@dataclass(frozen=True)
class NegativeEntry:
    """The relabeling would need P(output | geometric gave `input`) = `entry` < 0.

    `before`, `here` and `after` are the probabilities of the output on the adjacent inputs;
    `before` or `after` is None at an end. `entry` is rounded, for looking at.
    """

    output: Any
    input: Any
    before: Fraction | None
    here: Fraction
    after: Fraction | None
    entry: float

    def __str__(self) -> str:
        around = [p for p in (self.before, self.here, self.after) if p is not None]
        return (
            f"output {self.output!r} has the probabilities {', '.join(map(show, around))} around "
            f"input {self.input!r}, so the relabeling would have to send {self.input!r} to "
            f"{self.output!r} with probability {self.entry:.6g}"
        )


@dataclass(frozen=True)
class Derivability:
    """The answer to `is_derivable`; true when the mechanism comes from the geometric one."""

    holds: bool
    epsilon: Epsilon
    tolerance: Fraction
    witness: NegativeEntry | None = None

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        start = f"the geometric mechanism with epsilon={self.epsilon}, relabeled at random"
        if self.witness is not None:
            return f"False: this is not {start}: {self.witness}."
        if self.tolerance:
            return f"True up to {show(self.tolerance)}: this is {start}."
        return f"True: this is {start}."


@public
def is_derivable(
    mechanism: Mechanism,
    *,
    epsilon: Number | Epsilon | None = None,
    alpha: Number | None = None,
    tolerance: Number = 0,
) -> Derivability:
    """Decide whether a mechanism is the geometric one followed by a randomized relabeling.

    Requires: ordered inputs with adjacent neighbors, as counts have; any outputs; epsilon or
    alpha of the geometric mechanism to start from; tolerance ≥ 0.
    Ensures: `holds` is the truth about the integer table: no entry of the only candidate R with
    M = G R is below −tolerance. When it is false, `witness` is its least entry. Integer tables
    are rounded, the relative 2^-46 or less that a design mixes in included, so a mechanism on
    the boundary (the geometric one itself) may fail at tolerance 0: use 1e-9 to ask about the
    mechanism that the table stands for. With a tolerance every row is within tolerance · number
    of outputs, in total variation, of a mechanism that is derivable.
    Source: Gupte–Sundararajan 2010, Theorem 2; Cormode–Kulkarni–Srivastava 2018, Section 6.3.
    They test private mechanisms, for which the two end conditions go without saying; here they
    are tested too.
    """
    exact = Epsilon.of(epsilon, alpha=alpha)
    spare = exactly(tolerance, name="tolerance")
    if spare < 0:
        raise ParameterError(f"tolerance is {show(spare)}; it must be at least 0.")
    table = mechanism.table()
    if not table.space.ordered or table.space.neighbors != "adjacent":
        raise ParameterError(
            f"{table.space!r} is not a path of counts; the test needs ordered inputs of which only "
            "adjacent ones are neighbors."
        )
    failing = [
        (input_code, output_code)
        for input_code, output_code, slack in _slacks(table, spare)
        if sign_at(exact, slack) < 0
    ]
    if not failing:
        return Derivability(True, exact, spare)
    entry, j, i = min((_entry(table, exact, j, i), j, i) for j, i in failing)
    points = table.outputs.point(i), table.space.point(j)
    return Derivability(False, exact, spare, NegativeEntry(*points, *_around(table, j, i), entry))


def _slacks(table: Table, tolerance: Fraction) -> Iterator[tuple[int, int, Polynomial]]:
    """Yield for each input j and output i the polynomial in E that must not be negative.

    That is the numerator of R(i|j) + tolerance, times E at the ends and E² inside, over the
    total and the tolerance's denominator.
    """
    rows, last = table.weights.tolist(), table.space.size - 1
    if last == 0:
        return  # one input: G = (1), and R = M
    scale, spare = tolerance.denominator, tolerance.numerator * table.total
    for j, row in enumerate(rows):
        for i, weight in enumerate(row):
            here = scale * weight + spare
            if 0 < j < last:
                around = scale * (rows[j - 1][i] + rows[j + 1][i]) + 2 * spare
                yield j, i, (here, -around, here)
            else:
                yield j, i, (-scale * rows[1 if j == 0 else last - 1][i] - spare, here, 0)


def sign_at(epsilon: Epsilon, polynomial: Polynomial) -> int:
    """Return the sign of a + b E + c E² at E = e^ε, exactly.

    e^ε of a rational ε ≠ 0 is transcendental, so only the zero polynomial vanishes there and
    the refinement ends.
    """
    a, b, c = polynomial
    if not (a or b or c):
        return 0
    if epsilon.power is not None:
        p, q = epsilon.power.as_integer_ratio()
        value = a * q * q + b * p * q + c * p * p
        return (value > 0) - (value < 0)
    bits = _FIRST_BITS
    while True:
        low, high = epsilon.ratio_bounds(bits)
        whole = a << 2 * bits
        steps = sorted((b * low << bits, b * high << bits))
        curves = sorted((c * low * low, c * high * high))
        if whole + steps[0] + curves[0] > 0:
            return 1
        if whole + steps[1] + curves[1] < 0:
            return -1
        bits *= 2


def _around(table: Table, j: int, i: int) -> tuple[Fraction | None, Fraction, Fraction | None]:
    def probability(k: int) -> Fraction | None:
        inside = 0 <= k < table.space.size
        return Fraction(table.weights[k, i], table.total) if inside else None

    return probability(j - 1), Fraction(table.weights[j, i], table.total), probability(j + 1)


def _entry(table: Table, epsilon: Epsilon, j: int, i: int) -> float:
    """Return R(i|j), rounded."""
    low, high = epsilon.alpha_bounds(_FIRST_BITS)
    alpha = Fraction(low + high, 2 << _FIRST_BITS)
    if alpha == 1:
        return float("-inf")  # no relabeling undoes a mechanism that says nothing
    before, here, after = _around(table, j, i)
    if before is None or after is None:
        beside = before if after is None else after
        return float((here - alpha * (beside or 0)) / (1 - alpha))
    return float(((1 + alpha * alpha) * here - alpha * (before + after)) / (1 - alpha) ** 2)
