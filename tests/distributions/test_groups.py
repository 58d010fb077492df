"""Counts of groups are drawn from the mechanism of their size, each group by itself."""

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
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


@pytest.mark.parametrize("mechanism", ["GM", "WM", "EM", "UM"])
def test_the_experiment_of_the_count_paper_as_a_question(alarm: Alarm, mechanism: str) -> None:
    """Section 7.2 at α = 0.9: people in groups of 8, of whom a third is female."""
    n, share = 8, 0.33
    weights = np.array([float(w) for w in nw.priors.binomial(n, str(share))])
    away = np.abs(np.arange(n + 1) - np.arange(n + 1)[:, None])

    def truth(name: str) -> list[float]:
        """How often a released count is wrong, by more than one, and by more than two."""
        matrix = design_groups({"one": n}, alpha="0.9", mechanism=name).by_size[n].mechanism.matrix
        return [float(weights @ (matrix * (away > d)).sum(axis=1)) for d in (0, 1, 2)]

    def draw(groups: int) -> list[int]:
        names = [f"g{k}" for k in range(groups)]
        bits = np.random.default_rng().random((groups, n)) < share
        people = nw.Private(
            pa.table({"group": np.repeat(names, n), "female": np.where(bits.ravel(), "yes", "no")}),
            columns={"group": names, "female": ["yes", "no"]},
            ledger=None,
        )
        public = nw.Public({"group": names, "people": [n] * groups}, key="group")
        asked = people.group_by(public).count(nw.col("female") == "yes", mechanism=mechanism)
        off = np.abs(asked.release(alpha="0.9").counts - bits.sum(axis=1))
        return [int((off > d).sum()) for d in (0, 1, 2)]

    others = ["WM", "EM", "UM"] if mechanism == "GM" else ["GM"]
    alarm.judge(draw, truth(mechanism), [truth(name) for name in others], most=1 << 13)
