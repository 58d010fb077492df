"""Section 2.5: the BLR mechanism: its probabilities, privacy and accuracy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations_with_replacement, product
from random import Random
from typing import Literal

import noisewright as nw
from papers.claims import Check, Claim, Grid, Setting, judge
from papers.survey.exponential import SEED

PAIR = nw.Records(a=nw.Counts(1), b=nw.Counts(1))
THREE = nw.Records(value=nw.Categories([0, 1, 2]))
TINY = (0, 0, 1, 2, 2, 2)

Measure = Literal["sequences", "multisets"]
MEASURES: tuple[Measure, ...] = ("sequences", "multisets")


def by_hand(measure: Measure) -> float:
    """P({0, 2}) of the tiny example, over all sequences or all multisets of two records."""
    shares = [TINY.count(x) / len(TINY) for x in range(3)]
    masses: dict[tuple[int, ...], float] = {}
    listed = (
        product(range(3), repeat=2)
        if measure == "sequences"
        else combinations_with_replacement(range(3), 2)
    )
    for database in listed:
        error = max(abs(share - database.count(x) / 2) for x, share in enumerate(shares))
        key = tuple(sorted(database))
        masses[key] = masses.get(key, 0.0) + math.exp(-len(TINY) * error / 2)
    return masses[0, 2] / sum(masses.values())


def private_by_listing(n: int) -> tuple[float, bool]:
    """The largest log ratio over all databases of n rows, all neighbors and all outcomes.

    Also whether the quality never moves by more than 1/n, and sometimes by that.
    """
    workload = nw.workloads.Workload.marginals(THREE)
    outcomes = [
        [chosen.count(x) for x in range(3)] for chosen in combinations_with_replacement(range(3), 2)
    ]
    laws = {
        rows: {
            measure: [
                nw.workloads.blr(
                    [(x,) for x in rows], workload, epsilon=1, m=2, measure=measure
                ).probability(c)
                for c in outcomes
            ]
            for measure in MEASURES
        }
        for rows in combinations_with_replacement(range(3), n)
    }
    largest, moved = Fraction(1), Fraction(0)
    for rows, law in laws.items():
        for place in range(n):
            for value in range(3):
                other = tuple(sorted((*rows[:place], value, *rows[place + 1 :])))
                for measure in MEASURES:
                    ratios = zip(law[measure], laws[other][measure], strict=True)
                    largest = max(largest, *(a / b for a, b in ratios))
                moved = max(moved, *(abs(_error(rows, c) - _error(other, c)) for c in outcomes))
    return math.log(largest), moved == Fraction(1, n)


def _error(rows: tuple[int, ...], counts: list[int]) -> Fraction:
    return max(
        abs(Fraction(rows.count(x), len(rows)) - Fraction(counts[x], sum(counts))) for x in range(3)
    )


def blr(setting: Setting) -> Claim:
    """Exact probabilities, two base measures, privacy and accuracy."""
    workload = nw.workloads.Workload.marginals(THREE)
    data = [(x,) for x in TINY]
    found: dict[Measure, float] = {
        measure: float(
            nw.workloads.blr(data, workload, epsilon=1, m=2, measure=measure).probability([1, 0, 1])
        )
        for measure in MEASURES
    }
    same = all(abs(found[measure] - by_hand(measure)) < 1e-12 for measure in found)
    realized, quality_moved = private_by_listing(setting.pick(4, 3))
    random = Random(SEED + 5)
    cells = nw.workloads.Workload.marginals(PAIR, ways=2)
    rows: list[list[object]] = []
    accurate = True
    for n in setting.pick([50, 200, 1000], [100]):
        people = [divmod(random.choice((0, 0, 0, 1, 2, 3)), 2) for _ in range(n)]
        for m in setting.pick([5, 20, 60], [5, 20]):
            mechanism = nw.workloads.blr(people, cells, epsilon=1, m=m)
            promised = mechanism.accuracy(beta=0.05)
            chance = mechanism.chance_within(promised)
            accurate &= chance >= Fraction(19, 20)
            rows.append([n, m, promised, float(mechanism.least_error), mechanism.expected_error])
    return Claim(
        "Section 2.5",
        "the BLR mechanism",
        "R = X^m with m = 32 log k / α², quality −max |f(D) − f(D̂)|, sensitivity 1/n; sample D̂ by "
        "the exponential mechanism.",
        "Over all databases of a few rows over three points, replacing a row moves the quality by "
        f"1/n at most, and somewhere by that; the largest ratio of two probabilities is e to the "
        f"{realized:.3f} at ε = 1, for sequences and multisets, so ε holds. All databases are "
        "listed and drawn by integer weights; for X = {0, 1, 2}, D = (0, 0, 1, 2, 2, 2), m = 2 and "
        f"ε = 1 the database {{0, 2}} has probability {found['sequences']:.6f} if sequences are "
        f"candidates, as X^m says, and {found['multisets']:.6f} if multisets are: these are two "
        "mechanisms. "
        "The error stays within √(ln 2k / 2m) + 2/(εn) · ln(|R|/0.05) with probability 0.95 at "
        "least, by exact probabilities; the expected error is far smaller.",
        judge(same and quality_moved and realized <= 1, more=accurate),
        instead="Name the base measure; m = 2 ln(2k) / α² is enough for half of α.",
        grids=(
            Grid(
                "ε = 1, four points, multisets",
                ("n", "m", "promised with 0.95", "best database", "expected error"),
                rows,
            ),
        ),
        numbers={**found, "realized": realized},
    )


CLAIMS: Mapping[str, Check] = {"blr": blr}
