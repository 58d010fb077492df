"""How far from the truth a mechanism's outputs land: histogram, profile, bias and spread.

Everything is summed exactly on the integer table. Doubles are rounded at the end, towards more
error: probabilities and RMSE up, a bias away from zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from noisewright.designs.losses.loss import read_loss
from noisewright.designs.losses.priors import read_prior
from noisewright.exact import ceiling_float, floor_float, sqrt_bounds
from noisewright.mechanisms import Mechanism, Table
from noisewright.public import public
from noisewright.spaces import numbers

Step = int | float
"""An error or a distance: whole when it is, else a double."""


@public
def error_profile(mechanism: Mechanism, distribution: Any = None) -> dict[Step, float]:
    """Return the probability that an output is more than d away from its input, for each d.

    Requires: a space with distances. `distribution` weighs the inputs: uniform by default, a
    sequence or dict of weights that sum to 1, `binomial(n, p)` or `empirical(space, values)`.
    Ensures: one entry for d = 0 and for each distance that occurs between an input and an
    output, rising; entry d is the loss "L0,d" (more than d away) rounded up, and the last is 0.
    Source: Cormode–Kulkarni–Srivastava 2018, Section 2.1, without its factor (n + 1)/n.
    """
    table = mechanism.table()
    mass = _masses(table, distribution, read_loss("L1", table.space, table.outputs).costs)
    beyond = Fraction(1)
    profile: dict[Step, float] = {}
    for distance in sorted({Fraction(0), *mass}):
        beyond -= mass.get(distance, 0)
        profile[_step(distance)] = ceiling_float(beyond)
    return profile


def _masses(
    table: Table, distribution: Any, keys: Iterable[Iterable[Fraction | int]]
) -> dict[Fraction, Fraction]:
    """Return the probability of each key, of which every entry of the table has one."""
    mass: dict[Fraction, Fraction] = {}
    for weight, row, line in zip(
        read_prior(distribution, table.space), table.weights.tolist(), keys, strict=True
    ):
        for value, key in zip(row, map(Fraction, line), strict=True):
            mass[key] = mass.get(key, Fraction(0)) + (weight * value if weight else 0)
    return {key: whole / table.total for key, whole in mass.items()}


@public
def error_histogram(mechanism: Mechanism, distribution: Any = None) -> dict[Step, float]:
    """Return the probability of each signed error, output − input.

    Requires: inputs and outputs that are numbers; `distribution` as for `error_profile`.
    Ensures: one entry for each difference between an output and an input, rising, each rounded
    up, so together they are at least 1 by a rounding error.
    """
    return {
        _step(error): ceiling_float(probability)
        for error, probability in exact_error_histogram(mechanism.table(), distribution).items()
    }


def exact_error_histogram(table: Table, distribution: Any = None) -> dict[Fraction, Fraction]:
    """Return the exact probability of each signed error, in rising order."""
    inputs, outputs = numbers(table.space), numbers(table.outputs)
    mass = _masses(table, distribution, ([y - x for y in outputs] for x in inputs))
    return dict(sorted(mass.items()))


@public
def bias(mechanism: Mechanism, distribution: Any = None) -> float:
    """Return the expected signed error, output − input.

    Requires: inputs and outputs that are numbers; `distribution` as for `error_profile`.
    Ensures: the true value rounded away from zero; `bias_by_input` tells it for each input.
    """
    errors = exact_error_histogram(mechanism.table(), distribution)
    return _outward(sum((error * p for error, p in errors.items()), Fraction(0)))


@public
def bias_by_input(mechanism: Mechanism) -> tuple[float, ...]:
    """Return the expected signed error on each input, in the order of the points.

    Requires: inputs and outputs that are numbers.
    Ensures: each rounded away from zero. All are 0 just when the mechanism is unbiased.
    """
    return tuple(_outward(shift) for shift in exact_bias_by_input(mechanism.table()))


def exact_bias_by_input(table: Table) -> tuple[Fraction, ...]:
    """Return the exact expected signed error on each input."""
    inputs, outputs = numbers(table.space), numbers(table.outputs)
    return tuple(
        sum((y * value for y, value in zip(outputs, row, strict=True)), Fraction(0)) / table.total
        - x
        for x, row in zip(inputs, table.weights.tolist(), strict=True)
    )


@public
def rmse(mechanism: Mechanism, distribution: Any = None) -> float:
    """Return the root of the expected squared error.

    Requires: inputs and outputs that are numbers; `distribution` as for `error_profile`.
    Ensures: the smallest double that is not below the true value.
    Source: Cormode–Kulkarni–Srivastava 2018, Section 7.3, exactly instead of by repetitions.
    """
    spread = exact_error_histogram(mechanism.table(), distribution)
    return _root_up(sum((e * e * p for e, p in spread.items()), Fraction(0)))


def _step(value: Fraction) -> Step:
    return value.numerator if value.denominator == 1 else float(value)


def _outward(value: Fraction) -> float:
    return ceiling_float(value) if value >= 0 else floor_float(value)


def _root_up(value: Fraction) -> float:
    """Return the smallest double whose square is at least the value."""
    size = value.numerator.bit_length() - value.denominator.bit_length()
    bits = max(0, 128 - size // 2)
    # The root is one of at most two neighboring doubles.
    candidate = ceiling_float(Fraction(sqrt_bounds(value, bits)[0], 1 << bits))
    return candidate if Fraction(candidate) ** 2 >= value else math.nextafter(candidate, math.inf)
