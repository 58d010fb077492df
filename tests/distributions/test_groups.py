"""Counts of groups are drawn from the mechanism of their size, each group by itself."""

import numpy as np
import pytest

from noisewright.queries import design_groups
from tests.distributions.alarm import Alarm

COUNTS = {"a": 1, "b": 2, "c": 3}
SIZES = {"a": 2, "b": 5, "c": 5}


@pytest.mark.parametrize("mechanism", ["GM", "EM", "WM", "design"])
def test_a_ten_percent_change_of_epsilon_is_rejected(alarm: Alarm, mechanism: str) -> None:
    loss = "L1" if mechanism == "design" else "L0"

    def truth(epsilon: str) -> list[float]:
        groups = design_groups(SIZES, epsilon=epsilon, mechanism=mechanism, loss=loss)
        rows = (groups.by_size[SIZES[name]].mechanism.matrix[COUNTS[name]] for name in SIZES)
        return [float(p) for row in rows for p in row]

    def draw(n: int) -> list[int]:
        sizes = {(name, k): size for k in range(n) for name, size in SIZES.items()}
        groups = design_groups(sizes, epsilon="1", mechanism=mechanism, loss=loss)
        drawn = groups.draw(np.tile([COUNTS[name] for name in SIZES], n)).reshape(n, 3)
        found = (np.bincount(drawn[:, k], minlength=s + 1) for k, s in enumerate(SIZES.values()))
        return [int(often) for row in found for often in row]

    alarm.judge(draw, truth("1"), [truth("1.1"), truth("0.9")], most=1 << 17)


def test_groups_of_one_size_are_independent(alarm: Alarm) -> None:
    groups = design_groups({"a": 1, "b": 1}, alpha="1/2", mechanism="GM")  # truth with 2/3

    def draw(n: int) -> list[int]:
        drawn = np.stack([groups.draw([1, 1]) for _ in range(n)])
        return [int(drawn.all(axis=1).sum()), int((drawn.sum(axis=1) == 1).sum())]

    alarm.judge(draw, [4 / 9, 4 / 9], [[2 / 3, 0.01], [4 / 9 * 1.2, 4 / 9]], most=1 << 14)
