"""Expectations over every possible release, by enumeration: the slow and certain way."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def over_all_outputs(
    matrix: Array, people: list[int], answer: Callable[[Array], Array]
) -> tuple[Array, Array]:
    """Mean and variance of an answer to the counts of outputs, for people with these inputs."""
    outputs = matrix.shape[1]
    mean = square = np.zeros(())
    for released in product(range(outputs), repeat=len(people)):
        chance = float(np.prod([matrix[x, y] for x, y in zip(people, released, strict=True)]))
        value = answer(np.bincount(released, minlength=outputs))
        mean = mean + chance * value
        square = square + chance * value**2
    return mean, square - mean**2


def over_all_people(
    matrix: Array, shares: Array, people: int, answer: Callable[[Array], Array]
) -> tuple[Array, Array]:
    """The same when the people are drawn from a population with these shares."""
    mixed = (shares @ matrix)[None, :]
    return over_all_outputs(mixed, [0] * people, answer)


def dense(matrices: list[Array]) -> Array:
    """The one matrix over all cells that the library never forms."""
    joined = np.ones((1, 1))
    for matrix in matrices:
        joined = np.kron(joined, matrix)
    return joined
