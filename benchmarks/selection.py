"""How fast private choices are, next to a peer, and how good they are at the same epsilon.

    python -m benchmarks.selection

Both choose among the same candidates with the same qualities. Ours is exact: integer weights or
exact coins, on cryptographic bits; diffprivlib works in doubles, and looks through all arguments
again at each draw.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

import noisewright as nw
from benchmarks.measure import Result, report, seconds

DRAWS = 500
PRICES = ["1.0", "3.0", "3.1", "3.2"]
BIDS = ("1.0", "1.0", "1.0", "3.1")
LARGEST = 10.0
"""Seconds that a table and a draw of BLR may take."""

_OURS: dict[str, Callable[..., nw.results.Selection]] = {
    "Exponential": nw.exponential,
    "PermuteAndFlip": nw.select.permute_and_flip,
}


def revenue(bids: tuple[str, ...], price: str) -> Fraction:
    return Fraction(price) * sum(Fraction(bid) >= Fraction(price) for bid in bids)


def many_draws(candidates: int) -> list[Result]:
    """Draws from one dataset, one after the other."""
    peers = _peers()
    qualities: list[int] = np.random.default_rng(1).integers(0, 50, candidates).tolist()
    names = list(range(candidates))
    results: list[Result] = []
    for name, maker in _OURS.items():
        choice = maker(names, qualities, sensitivity=1, epsilon=1)
        choice.sample()
        ours = DRAWS / seconds(lambda c=choice: [c.sample() for _ in range(DRAWS)], repeats=3)
        what = f"{choice.law.name}, {candidates:,} candidates, draws"
        if peers is None:
            results.append(Result(what, ours, 1.0, "itself"))
            continue
        peer = _peer(peers, name, names, qualities)
        theirs = DRAWS / seconds(lambda p=peer: [p.randomise() for _ in range(DRAWS)], repeats=3)
        # Exact coins cost about as much as theirs among few candidates.
        required = 0.5 if name == "PermuteAndFlip" and candidates < 1000 else 1
        results.append(Result(what, ours, ours / theirs, "diffprivlib", required))
    return results


def one_draw(candidates: int) -> list[Result]:
    """From qualities that are all different to one choice."""
    peers = _peers()
    qualities: list[float] = np.random.default_rng(2).random(candidates).tolist()
    names = list(range(candidates))
    results: list[Result] = []
    for name, maker in _OURS.items():
        mine = seconds(
            lambda m=maker: m(names, qualities, sensitivity="0.01", epsilon=1).sample(), repeats=3
        )
        what = f"{name}, {candidates:,} different qualities, once"
        if peers is None:
            results.append(Result(what, 1 / mine, 1.0, "itself"))
            continue
        theirs = seconds(
            lambda n=name: _peer(peers, n, names, qualities, 0.01).randomise(), repeats=3
        )
        results.append(Result(what, 1 / mine, theirs / mine, "diffprivlib"))
    return results


def peeled(candidates: int, k: int) -> list[Result]:
    """From qualities that are all different to the k best: choices of one, as many as needed."""
    qualities = np.random.default_rng(2).random(candidates)
    names = list(range(candidates))
    results: list[Result] = []
    for method, maker in {
        "exponential": nw.exponential,
        "permute_and_flip": nw.select.permute_and_flip,
    }.items():
        one = seconds(
            lambda m=maker: m(names, qualities, sensitivity="0.01", epsilon=1).sample(), repeats=3
        )
        options: dict[str, Any] = {"sensitivity": "0.01", "epsilon": k, "method": method}
        spent = seconds(
            lambda o=options: nw.select.top_k(names, qualities, k=k, **o).sample(), repeats=1
        )
        what = f"top {k} of {candidates:,} different qualities by {method}, once"
        results.append(Result(what, 1 / spent, k * one / spent, f"{k} choices of one"))
    return results


def quality(draws: int) -> list[Result]:
    """The expected revenue of the pricing example at epsilon = 1: exact numbers, not draws."""
    databases = nw.Categories(["0.0", *PRICES]) ** len(BIDS)
    code, revenues = databases.code(BIDS), [float(revenue(BIDS, price)) for price in PRICES]

    def earned(method: Any, **options: Any) -> float:
        table = nw.select.choice_table(
            databases, revenue, candidates=PRICES, method=method, epsilon=1, **options
        )
        return float(table.matrix[code] @ np.array(revenues))

    usual = earned("exponential", monotonic=False)
    results = [
        Result(f"revenue: {name}", value, value / usual, "the usual factor", 1)
        for name, value in {
            "exponential, usual factor": usual,
            "exponential, monotonic recognized": earned("exponential"),
            "exponential, calibrated": earned("exponential", calibrated=True),
            "permute and flip, calibrated": earned("permute_and_flip", calibrated=True),
        }.items()
    ]
    peers = _peers()
    if peers is not None:
        for name in _OURS:
            peer = _peer(peers, name, PRICES, revenues, 3.2)
            drawn = [peer.randomise() for _ in range(draws)]
            mean = float(np.mean([revenues[PRICES.index(price)] for price in drawn]))
            results.append(
                Result(f"revenue: diffprivlib {name}", mean, mean / usual, "the usual factor")
            )
    return results


def blr(points: int, records: int) -> list[Result]:
    """A table of all synthetic databases over 2^points records, and one draw."""
    domain = nw.Records({f"c{i}": nw.Counts(1) for i in range(points)})
    workload = nw.workloads.Workload.marginals(domain, ways=2)
    rng = np.random.default_rng(3)
    table = {f"c{i}": rng.integers(0, 2, 1000) for i in range(points)}
    made = nw.workloads.blr(table, workload, epsilon=1, m=records)
    spent = seconds(
        lambda: nw.workloads.blr(table, workload, epsilon=1, m=records).sample(), repeats=1
    )
    what = f"BLR, {len(made.group_of):,} databases, once"
    return [Result(what, 1 / spent, LARGEST / spent, f"{LARGEST:g} s", 1)]


def _peers() -> Any:
    try:
        return importlib.import_module("diffprivlib.mechanisms")
    except ImportError:
        return None


def _peer(
    peers: Any, name: str, candidates: list[Any], qualities: list[Any], sensitivity: float = 1.0
) -> Any:
    return getattr(peers, name)(
        epsilon=1.0, sensitivity=sensitivity, utility=qualities, candidates=candidates
    )


def run() -> list[Result]:
    """Measure everything about choosing."""
    return [
        *many_draws(100),
        *many_draws(10_000),
        *one_draw(10_000),
        *peeled(10_000, 100),
        *quality(20_000),
        *blr(2, 60),
        *blr(3, 20),
    ]


if __name__ == "__main__":
    raise SystemExit(report(run()))
