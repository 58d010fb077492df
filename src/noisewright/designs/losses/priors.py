"""Distributions of inputs: priors of a design, as exact weights in the order of the points."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from noisewright.errors import ParameterError
from noisewright.exact import Number, exactly, show
from noisewright.given import brief
from noisewright.public import public
from noisewright.spaces import Space, require_space, whole_number
from noisewright.tables import read_inputs

_MOST_PEOPLE = 10_000
"""Exact weights of more people would be gigabytes of digits."""


@public
def binomial(n: int, p: Number) -> tuple[Fraction, ...]:
    """Return the distribution of how many of n people say yes, each with probability p.

    Requires: n ≥ 0 and 0 ≤ p ≤ 1; p is taken at its word, so the string "0.1" is 1/10.
    Ensures: n + 1 exact weights C(n, j) p^j (1 − p)^(n − j) for the points of Counts(n), which
    sum to 1. Use them as a prior of `design` and `loss`, or as a distribution of inputs.
    Source: Cormode–Kulkarni–Srivastava 2018, Section 7.
    """
    size = whole_number(n, name="n", least=0, most=_MOST_PEOPLE)
    chance = exactly(p, name="p")
    if not 0 <= chance <= 1:
        raise ParameterError(f"p is {show(chance)}; a probability lies between 0 and 1.")
    yes, no = chance.numerator, chance.denominator - chance.numerator
    total = chance.denominator**size
    ways, weights = 1, list[Fraction]()
    for j in range(size + 1):
        weights.append(Fraction(ways * yes**j * no ** (size - j), total))
        ways = ways * (size - j) // (j + 1)
    return tuple(weights)


@public
def empirical(space: Space, values: Any) -> tuple[Fraction, ...]:
    """Return the share of each point of a space among raw values.

    Requires: at least one value; every value a point of the space (a list, a numpy array or an
    Arrow array).
    Ensures: exact weights in the order of the points, which sum to 1. They depend on the data
    without any privacy, and so does what is computed from them: use them to study mechanisms on
    data that may be seen, not as the prior of a design for private data.
    """
    require_space(space)
    space.require_enumerable("its weights")
    codes = read_inputs(space, values).codes
    if not codes.size:
        raise ParameterError("there are no values; a distribution needs at least one.")
    counts = np.bincount(codes.astype(np.intp), minlength=space.size)
    return tuple(Fraction(count, int(codes.size)) for count in counts.tolist())


def read_prior(prior: Any, space: Space) -> tuple[Fraction, ...]:
    """Read the weights of the inputs: uniform by default; they must sum to 1 up to rounding."""
    if prior is None:
        return (Fraction(1, space.size),) * space.size
    if isinstance(prior, dict):
        given: list[Any] = [prior.get(point, 0) for point in space.points]
        unknown = [point for point in prior if point not in space]
        if unknown:
            raise ParameterError(f"the prior names {brief(unknown[0])}, which is not a point.")
    elif isinstance(prior, str) or not isinstance(prior, Iterable):
        raise ParameterError(
            f"the prior is {brief(prior)}; it must be a list of {space.size} weights, or a dict "
            "from points to weights. Leave it out for a uniform prior."
        )
    else:
        given = np.ravel(prior).tolist() if isinstance(prior, np.ndarray) else list(prior)
    weights = [exactly(weight, name="a prior weight") for weight in given]
    if len(weights) != space.size or any(weight < 0 for weight in weights):
        raise ParameterError(f"the prior needs {space.size} weights of at least 0.")
    total = sum(weights)
    if abs(total - 1) > Fraction(1, 10**9):
        raise ParameterError(f"the prior sums to {float(total):.12g}; it must sum to 1.")
    return tuple(weight / total for weight in weights)
