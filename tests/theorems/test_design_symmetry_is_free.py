"""Cormode–Kulkarni–Srivastava 2018, Theorem 1: symmetry costs nothing (with a symmetric prior).

The program uses it to halve itself, so it must hold for every property, loss and goal that
turns into itself when inputs and outputs are turned around, and must not be used elsewhere.
"""

import random
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.designs.losses.loss import read_loss
from noisewright.designs.losses.priors import read_prior
from noisewright.designs.problem import Problem
from noisewright.mechanisms import Guarantee
from tests.designs import definitions

EVERY = (*definitions.CODES, "OD")


def turned(space: nw.Counts, **keywords: Any) -> bool:
    outputs = keywords.get("outputs", space)
    return Problem(
        space,
        outputs,
        Guarantee(alpha="0.5"),
        read_loss(keywords.get("loss", "L1"), space, outputs),
        keywords.get("goal", "expected"),
        read_prior(keywords.get("prior"), space),
        frozenset(),
    ).is_centrosymmetric


@pytest.mark.parametrize("goal", ["expected", "worst"])
@pytest.mark.parametrize("delta", [0, 0.05])
def test_the_optimum_is_the_same_with_and_without_symmetry(goal: str, delta: float) -> None:
    dice = random.Random(f"{goal} {delta}")
    for _ in range(25):
        n = dice.randint(1, 7)
        half = [dice.randint(0, 9) for _ in range(n + 1)]
        weights = [a + b + 1 for a, b in zip(half, half[::-1], strict=True)]
        costs = np.array([[dice.randint(0, 9) for _ in range(n + 1)] for _ in range(n + 1)])
        keywords: Any = {
            "ratio": 1 / dice.uniform(0.05, 0.95),
            "delta": delta,
            "goal": goal,
            "prior": [w / sum(weights) for w in weights],
        }
        asked = set(dice.sample(EVERY, dice.randint(0, 4)))
        whole = costs + costs[::-1, ::-1]
        path = definitions.path(n + 1)
        free = definitions.optimum(whole, path, properties=asked, **keywords)
        tied = definitions.optimum(whole, path, properties=asked | {"S"}, **keywords)
        assert tied == pytest.approx(free, abs=1e-8)


def test_symmetry_is_seen_where_it_is_and_nowhere_else() -> None:
    assert turned(nw.Counts(4))
    assert turned(nw.Counts(4, neighbors="replace"), goal="worst")
    assert turned(nw.Counts(4, neighbors=[(0, 1), (3, 4)]))
    assert not turned(nw.Counts(4, neighbors=[(0, 1), (2, 3)]))
    assert not turned(nw.Counts(4, neighbors=[(0, 1)]))
    assert not turned(nw.Counts(2), prior=["1/2", "1/4", "1/4"])
    assert turned(nw.Counts(2), prior=["1/2", "1/4", "1/4"], goal="worst")
    assert not turned(nw.Counts(2), loss=[[0, 1, 2], [1, 0, 1], [2, 2, 0]])
    assert turned(nw.Counts(4), outputs=nw.Counts(2), loss=lambda x, y: abs(x - 2 * y))
    assert not turned(nw.Counts(4), outputs=nw.Counts(2), loss=lambda x, y: abs(x - y))
    assert not turned(nw.Counts(2), outputs=nw.Categories([0, 1, 2]))


def test_a_skewed_prior_makes_symmetry_cost() -> None:
    prior = ["1/15", "2/15", "1/5", "4/15", "1/3"]
    free = nw.design(nw.Counts(4), alpha="0.62", loss="L1", prior=prior)
    tied = nw.design(nw.Counts(4), alpha="0.62", loss="L1", prior=prior, properties="S")
    assert tied.exact_bound > free.exact_loss
