"""balanced_geometric: P(z) ∝ a^|z|₁ over whole numbers that add up to 0, against every table."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from noisewright.exact import Epsilon
from noisewright.sampling import balanced_geometric
from tests.distributions.alarm import Alarm

TAILS = (0.25, 0.5, 1, 2, 4)


def every_table(cells: int, reach: int) -> NDArray[Any]:
    """All tables that add up to 0, with all cells but the last within reach."""
    free = np.array(list(product(range(-reach, reach + 1), repeat=cells - 1)))
    return np.column_stack([free, -free.sum(axis=1)])


def events(z: NDArray[Any], scale: float) -> list[NDArray[np.bool_]]:
    """Tails of the first and of the last cell, some whole tables, and how two cells go together."""
    tails = [abs(z[:, k]) >= math.ceil(t * scale) for k in (0, -1) for t in TAILS]
    one = np.zeros(z.shape[1], dtype=int)
    one[[0, -1]] = 1, -1
    whole = [(z == 0).all(axis=1), (z == one).all(axis=1), (z == one[::-1]).all(axis=1)]
    return [*tails, *whole, z[:, 0] < 0, (z[:, 0] < 0) & (z[:, -1] > 0)]


def law(weights: NDArray[Any], z: NDArray[Any], scale: float) -> list[float]:
    chances = weights / weights.sum()
    return [float(chances[event].sum()) for event in events(z, scale)]


@pytest.mark.parametrize(
    ("cells", "decay"), [(2, "1"), (2, "1/50"), (3, "2"), (3, "1/3"), (4, "1"), (5, "3/2")]
)
def test_three_percent_more_or_less_decay_is_rejected(alarm: Alarm, cells: int, decay: str) -> None:
    """So are independent noise whose last cell is minus the sum of the others, and no noise there.

    The tables are cut off where e^-30 of the probability is left.
    """
    exact = Epsilon.of(decay)
    value = float(exact)
    z = every_table(cells, math.ceil(30 / value / (2 if cells < 4 else 3)))
    size, scale = np.abs(z).sum(axis=1), 1 / value

    def draw(n: int) -> list[int]:
        made = balanced_geometric(exact, cells, n)
        assert not made.sum(axis=1).any()
        return [int(event.sum()) for event in events(made, scale)]

    alarm.judge(
        draw,
        law(np.exp(-value * size), z, scale),
        [
            law(np.exp(-value * 1.03 * size), z, scale),
            law(np.exp(-value * 0.97 * size), z, scale),
            law(np.exp(-value * (size - np.abs(z[:, -1]))), z, scale),
        ],
    )
