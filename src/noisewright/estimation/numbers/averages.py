"""Averages of a function over people: means, and what lies below a number.

    a(x)   the function; Σ p_x a(x) is the answer
    h      = L a, what one released row contributes: E[h | x] = a(x)

The answer is the average of h over the released rows. Its variance is that of h about the
population, and that of the noise, E h² − E a², about these people, over n. Both are estimated
without bias; but the noise is known but for who has which input, and is kept to what it can be.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import UnidentifiableError
from noisewright.estimation.channels.channel import Channel
from noisewright.estimation.intervals.intervals import Sample, mean_interval, require_two
from noisewright.estimation.result import About

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Averages:
    """Answers Σ p_x a(x), one for each column of `answers`.

    `noise` and `sampling` are the two variances of one row's contribution, `more` by how much the
    noise may exceed what it seems to be, `jumps` by how much, divided by the number of rows, one
    row may move an answer.
    """

    values: Array
    noise: Array
    sampling: Array
    more: Array
    jumps: Array
    ends: tuple[Array, Array]

    @property
    def possible(self) -> Averages:
        """The same with values that can be: nearer to the truth, with intervals that hold more."""
        return replace(self, values=np.clip(self.values, *self.ends))

    def answers(self, sample: Sample) -> tuple[Array, Array, Array]:
        """Return the standard errors, and the ends of the intervals."""
        if sample.about == "population":
            require_two(sample.people)
        errors = sample.errors(self.noise, self.sampling)
        ends = mean_interval(self.values, errors, self.jumps, self.ends, sample, more=self.more)
        return (errors, *ends)


def averages(observed: Array, people: int, channel: Channel, answers: Array) -> Averages:
    """Estimate averages without bias, and the variances of a row from noise and from sampling."""
    rows = channel.undo(answers)
    values = observed @ rows
    squares = observed @ rows**2
    possible = channel.pull(rows**2, 0) - answers**2
    least, most = np.maximum(possible.min(axis=0), 0.0), np.maximum(possible.max(axis=0), 0.0)
    try:
        noise = np.clip(squares - observed @ channel.undo(answers**2), least, most)
    except UnidentifiableError:
        # The mean can be told, but not the mean of squares, and so not who has how much noise.
        noise = most
    total = (squares - values**2) * people / max(people - 1, 1)
    ends = answers.min(axis=0), answers.max(axis=0)
    # Half of what was seen, half of what there could be: few rows show no jumps.
    seen = (observed + channel.push(np.full(channel.inputs, 1 / channel.inputs), 0)) / 2
    apart = np.abs(rows - np.clip(values, *ends))
    second = seen @ apart**2
    jumps = np.where(second > 0, seen @ apart**3 / np.maximum(second, 1e-300), 0.0)
    return Averages(values, noise, np.maximum(total - noise, 0.0), most - noise, jumps, ends)


def planned_variances(shares: Array, channel: Channel, answers: Array, about: About) -> Array:
    """Return the exact variances of one row, when the inputs have these shares."""
    rows = channel.undo(answers)
    second = channel.push(shares, 0) @ rows**2
    known = shares @ answers**2 if about == "people" else (shares @ answers) ** 2
    return np.maximum(second - known, 0.0)


def worst_variances(channel: Channel, answers: Array, about: About) -> Array:
    """Return the largest variances of one row over all shares of the inputs.

    About the people it is reached when all have the input with the largest Var(h | x). About the
    population, max over p of E h² − (E a)² is min over c of max over x of E[h² | x] − 2c a(x) + c²
    (a saddle point, concave in p and convex in c), and c is found by thirds.
    """
    second = channel.pull(channel.undo(answers) ** 2, 0)
    if about == "people":
        return np.asarray((second - answers**2).max(axis=0))
    low, high = answers.min(axis=0), answers.max(axis=0)

    def worst(c: Array) -> Array:
        return np.asarray((second - 2 * c * answers + c**2).max(axis=0))

    for _ in range(100):
        third = (high - low) / 3
        down = worst(low + third) < worst(high - third)
        low, high = np.where(down, low, low + third), np.where(down, high - third, high)
    return worst((low + high) / 2)
