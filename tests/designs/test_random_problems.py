"""Problems drawn at random, against a program written from the definitions alone.

`python -m tests.designs.test_random_problems 500 7` runs 500 of them with the seed 7.
"""

import random
import sys
import time
from fractions import Fraction
from typing import Any

import pytest

import noisewright as nw
from tests.designs import definitions

LOSSES = ("L0", "L1", "L2", "L0,1", "L0,2", "matrix", "callable")
TOLERANCE = 1e-8


def draw(dice: random.Random) -> dict[str, Any]:
    """One problem as the keywords of `design`, with n and exact numbers."""
    n = dice.randint(1, 12)
    alpha = Fraction(dice.randint(50, 995), 1000)
    asked = dice.choice([0, 0, 1, 2, 3, 7])
    properties: set[str] = set(dice.sample(definitions.CODES, asked))
    if dice.random() < 0.15:
        properties.add("OD")
    name = dice.choice(LOSSES)
    matrix = [[Fraction(dice.randint(0, 40), 8) for _ in range(n + 1)] for _ in range(n + 1)]
    if name in ("matrix", "callable"):
        costs: Any = matrix
    else:
        costs = definitions.named_costs(name, n + 1)
    kind = dice.choice(["uniform", "skewed", "symmetric", "zeros", "point"])
    weights = [Fraction(dice.randint(1, 30)) for _ in range(n + 1)]
    if kind == "symmetric":
        weights = [a + b for a, b in zip(weights, weights[::-1], strict=True)]
    elif kind == "zeros":
        weights = [w if dice.random() < 0.5 else Fraction(0) for w in weights]
        weights[dice.randint(0, n)] += 1
    elif kind == "point":
        weights = [Fraction(0)] * (n + 1)
        weights[dice.randint(0, n)] = Fraction(1)
    return {
        "n": n,
        "alpha": alpha,
        "delta": dice.choice([Fraction(0), Fraction(0), Fraction(1, 100), Fraction(1, 10)]),
        "loss": name,
        "costs": costs,
        "goal": dice.choice(["expected", "worst"]),
        "prior": None if kind == "uniform" else [w / sum(weights) for w in weights],
        "properties": properties,
        "tie_break": dice.choice(["L1", None]),
    }


def check(problem: dict[str, Any]) -> nw.results.Design:
    """Design and compare with the definitions."""
    n, costs = problem["n"], problem["costs"]
    loss = {"matrix": costs, "callable": lambda x, y: costs[x][y]}.get(
        problem["loss"], problem["loss"]
    )
    same = ("alpha", "delta", "goal", "prior", "properties", "tie_break")
    found = nw.design(nw.Counts(n), loss=loss, **{key: problem[key] for key in same})
    expected = definitions.optimum(
        costs,
        definitions.path(n + 1),
        ratio=float(1 / problem["alpha"]),
        delta=float(problem["delta"]),
        goal=problem["goal"],
        prior=problem["prior"],
        properties=problem["properties"],
    )
    table = found.mechanism
    truth = definitions.true_loss(table, costs, goal=problem["goal"], prior=problem["prior"])
    assert found.exact_loss == truth
    assert nw.verify(table, alpha=problem["alpha"], delta=problem["delta"]).holds
    assert all(definitions.has(code, table) for code in problem["properties"] - {"OD"})
    if "OD" in problem["properties"]:
        assert definitions.has_output_privacy(table, 1 / problem["alpha"])
    assert found.exact_bound <= found.exact_loss
    assert found.bound <= expected + 1e-9
    assert abs(found.loss - expected) <= TOLERANCE
    assert found.gap <= 1e-9 or found.loss <= 1e-12
    return found


@pytest.mark.parametrize("seed", range(8))
def test_a_design_is_optimal_private_and_has_its_properties(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(15):
        problem = draw(dice)
        try:
            check(problem)
        except AssertionError:
            print(problem)
            raise


def main() -> None:
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    dice = random.Random(seed)
    worst, failures = 0.0, 0
    slowest = (0.0, {})
    for k in range(count):
        problem = draw(dice)
        start = time.perf_counter()
        try:
            found = check(problem)
            if found.loss > 1e-12:
                worst = max(worst, found.gap)
        except Exception as failure:
            failures += 1
            shown = {key: value for key, value in problem.items() if key != "costs"}
            print(k, type(failure).__name__, str(failure)[:300], shown, flush=True)
        slowest = max(slowest, (time.perf_counter() - start, problem), key=lambda pair: pair[0])
    shown = {key: value for key, value in slowest[1].items() if key != "costs"}
    print(f"{count} problems, {failures} failures, worst gap {worst:.1e}")
    print(f"slowest {slowest[0]:.2f} s: {shown}")


if __name__ == "__main__":
    main()
