"""How long proofs take: exact curves and verification, against a time budget and a peer.

    python -m benchmarks.proofs

A ratio against "n seconds" is the budget divided by what was needed: above 1 is good.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import numpy as np

import noisewright as nw
from benchmarks.measure import Result, report, seconds


def within(name: str, work: Callable[[], object], *, budget: float) -> Result:
    """Measure once, against a budget in seconds."""
    needed = seconds(work, repeats=1)
    return Result(name, 1 / needed, budget / needed, f"{budget:g} s", 1.0)


def curves(people: int = 200) -> list[Result]:
    """The exact curve of count mechanisms, over all neighbors."""
    space = nw.Counts(people)
    return [
        within(f"exact curve, {name}, {people + 1} points", lambda m=m: nw.profile(m), budget=1)
        for name, m in {
            "geometric": nw.geometric(space, epsilon=0.1),
            "explicit fair": nw.explicit_fair(space, epsilon=0.1),
        }.items()
    ]


def verification(size: int = 1000) -> list[Result]:
    """Deciding (ε, δ) for tables of a thousand inputs and outputs."""
    counts, any_two = nw.Counts(size - 1), nw.Counts(size - 1, neighbors="replace")
    random = np.random.default_rng().dirichlet(np.ones(size), size=size)
    cases = {
        "geometric, delta = 0": (nw.geometric(counts, epsilon=0.1), 0.1, 0),
        "random, adjacent, delta = 0.9": (nw.from_matrix(counts, random), 1, 0.9),
        "random, any two, delta = 0.9": (nw.from_matrix(any_two, random), 1, 0.9),
        "response, any two, delta = 0.01": (
            nw.randomized_response(any_two, epsilon=2, delta=0.01),
            2,
            0.01,
        ),
    }
    return [
        within(
            f"verify {name}",
            lambda m=m, e=e, d=d: nw.verify(m, epsilon=e, delta=d),
            budget=10,
        )
        for name, (m, e, d) in cases.items()
    ]


def against_dp_accounting(people: int = 49) -> list[Result]:
    """The least ε at a δ over all neighbors, against dp-accounting on its grid, pair by pair."""
    if importlib.util.find_spec("dp_accounting") is None:
        return []
    from dp_accounting.pld import privacy_loss_distribution as pld

    table = nw.geometric(nw.Counts(people), epsilon=0.1)
    logs = [dict(enumerate(np.log(row).tolist())) for row in table.matrix]
    pairs = [(a, b) for a in range(people + 1) for b in (a - 1, a + 1) if 0 <= b <= people]

    def theirs() -> float:
        curves = (pld.from_two_probability_mass_functions(logs[a], logs[b]) for a, b in pairs)
        return max(curve.get_epsilon_for_delta(0.01) for curve in curves)

    def ours() -> float:
        return nw.tight_epsilon(table, delta=0.01)

    needed = seconds(ours)
    name = f"least epsilon at a delta, {people + 1} inputs, exact"
    return [Result(name, 1 / needed, seconds(theirs) / needed, "dp-accounting's grid")]


def run() -> list[Result]:
    """Measure everything about proofs."""
    return [*curves(), *verification(), *against_dp_accounting()]


if __name__ == "__main__":
    raise SystemExit(report(run()))
