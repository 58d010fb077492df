"""Section 7.2: how often groups of census records are reported wrongly."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.report import save_chart
from papers.claims import Claim, Grid, Picture, Setting, Verdict, judge, listed
from papers.counts.charts import simulated_panels
from papers.counts.experiment import (
    SEED,
    Measured,
    agreement,
    beyond,
    observe,
    row_of,
)
from papers.counts.optima import for_l0, score
from papers.data_files import ADULT, read_adult
from papers.page import write_csv

ALPHA = "0.9"

_SAYS = (
    "At α = 0.9, for the targets income, sex and age under 30: UM is wrong with probability 1 − "
    "1/(n+1); GM does appreciably worse than UM, because the common counts are around n/2; WM "
    "tracks UM closely; EM alone does better. Error bars: one standard error of 50 repetitions. "
    "For α from 0.9 to 0.99 there is not much to choose between EM and WM."
)


def read_targets(path: Path) -> dict[str, NDArray[np.int64]]:
    """Read the three bits of each person: high income, female, younger than 30."""
    rows = read_adult(path)
    return {
        "high income": np.array([row[14].startswith(">50K") for row in rows], dtype=int),
        "female": np.array([row[9] == "Female" for row in rows], dtype=int),
        "under 30": np.array([int(row[0]) < 30 for row in rows], dtype=int),
    }


def _groups(bits: NDArray[np.int64], n: int, repetitions: int) -> NDArray[np.int64]:
    """Shuffle people into groups of n, anew in each repetition; a rest of fewer is left out."""
    generator = np.random.default_rng([SEED, n])
    whole = len(bits) // n * n
    rows = [
        generator.permutation(bits)[:whole].reshape(-1, n).sum(axis=1) for _ in range(repetitions)
    ]
    return np.stack(rows)


def _hypergeometric(people: int, ones: int, n: int) -> NDArray[np.float64]:
    """Return the probabilities of the counts of n people drawn without putting back."""
    every = math.comb(people, n)
    ways = [math.comb(ones, j) * math.comb(people - ones, n - j) for j in range(n + 1)]
    return np.array([way / every for way in ways])


def fig_10(setting: Setting) -> Claim:
    """The share of groups reported wrongly, for three targets."""
    path = setting.data.get(ADULT.name)
    if path is None:
        title = "wrong answers on the Adult data"
        return Claim("Fig. 10", title, _SAYS, ADULT.absence, Verdict.NOT_RUN)
    targets = read_targets(path)
    repetitions = setting.pick(50, 4)
    sizes = setting.pick((2, 3, 4, 6, 8, 10, 12, 14, 16), (2, 4, 8))
    rows: list[dict[str, Any]] = []
    measured: list[Measured] = []
    exact: dict[tuple[str, int, str], float] = {}
    for target, bits in targets.items():
        for n in sizes:
            truths = _groups(bits, n, repetitions)
            # A random group of n out of N people with K ones has a hypergeometric count.
            weights = _hypergeometric(len(bits), int(bits.sum()), n)
            for name, mechanism in for_l0(n, ALPHA).items():
                errors = observe(mechanism, truths, weights, seed=f"{SEED}/{target}/{n}/{name}")
                wrong = errors.measure(beyond(0))
                measured.append(wrong)
                exact[target, n, name] = wrong.exact
                rows.append(row_of(wrong, target=target, α=ALPHA, n=n, mechanism=name))
    chart = simulated_panels(
        rows,
        x="n",
        y_title="wrong answers",
        column="target",
        row="α",
        shared_y=True,
        x_title="group size n",
    )
    save_chart(chart, setting.out / "fig-10.png")
    cells = [(target, n) for target in targets for n in sizes]

    def lower(one: str, other: str) -> list[tuple[str, int]]:
        return [cell for cell in cells if exact[*cell, one] < exact[*cell, other] - 1e-12]

    uniform = all(abs(exact[*cell, "UM"] - cell[1] / (cell[1] + 1)) < 1e-12 for cell in cells)
    gm_better = lower("GM", "UM")
    em_beaten = sorted({*lower("WM", "EM"), *lower("WH", "EM"), *lower("GM", "EM")})
    winners = {min(("GM", "WH", "WM"), key=lambda m: exact[*cell, m]) for cell in em_beaten}
    middle = {target: float(bits.mean()) for target, bits in targets.items()}
    nearer_um = {
        m: sum(exact[*c, "UM"] - exact[*c, m] < exact[*c, m] - exact[*c, "EM"] for c in cells)
        for m in ("WH", "WM")
    }
    gap = {a: score(8, a, ("WH", "RM", "CM")) - score(8, a, ("all",)) for a in ("0.9", "0.99")}
    n = 8
    table = [
        [
            target,
            middle[target],
            *(exact[target, n, name] for name in ("GM", "WH", "WM", "EM", "UM")),
        ]
        for target in targets
    ]
    return Claim(
        "Fig. 10",
        "wrong answers on the Adult data",
        _SAYS,
        f"{len(next(iter(targets.values()))):,} people, shuffled into groups anew in each of "
        f"{repetitions} repetitions (seed {SEED}; a rest smaller than n is left out). "
        + agreement(measured)
        + " UM is wrong with probability n/(n+1), on all data. GM is worse than UM in "
        f"{len(cells) - len(gm_better)} of {len(cells)} cases; it is better for "
        f"{_listed(gm_better)}. The counts are not around n/2: the shares of ones are "
        + ", ".join(f"{share:.0%} ({target})" for target, share in middle.items())
        + f". EM is the best of the five in {len(cells) - len(em_beaten)} cases; it is beaten for "
        f"{_listed(em_beaten)}. WM is nearer to UM than to EM in {nearer_um['WM']} cases, WH in "
        f"{nearer_um['WH']}. At n = 8 WM and EM differ by {abs(gap['0.9']):.4f} in L0 at α = 0.9 "
        f"and by {abs(gap['0.99']):.5f} at α = 0.99.",
        judge(
            uniform and not gm_better and not em_beaten,
            corrected=uniform
            and len(gm_better) < len(cells) / 2
            and len(em_beaten) < len(cells) / 2,
        ),
        "UM picks the right answer with probability 1/(n+1); the text says 1 − 1/(n+1), which is "
        f"that of a wrong one. GM does worse than UM, except for {_listed(gm_better)}. EM does "
        f"best, except for {_listed(em_beaten)}, where {listed(sorted(winners))} does: few people "
        "have the bit, and EM has to be as honest about the rare counts. WH is nearer "
        f"to UM than to EM in {nearer_um['WH']} of {len(cells)} cases, WM in {nearer_um['WM']}.",
        grids=(
            Grid(
                "Exact probability of a wrong answer at n = 8, α = 0.9",
                ("target", "share of ones", "GM", "WH", "WM", "EM", "UM"),
                table,
            ),
        ),
        pictures=(
            Picture(
                "fig-10.png",
                "Lines: exact. Points: simulated, with bars of one standard error (often smaller "
                "than the point).",
            ),
        ),
        files=(write_csv(setting.out / "fig-10.csv", rows),),
        numbers={
            f"{target}_{name}_8": exact[target, 8, name]
            for target in targets
            for name in ("GM", "EM")
        },
    )


def _listed(cells: list[tuple[str, int]]) -> str:
    by_target: dict[str, list[str]] = {}
    for target, n in cells:
        by_target.setdefault(target, []).append(str(n))
    return "; ".join(f"{t} at n = {', '.join(ns)}" for t, ns in by_target.items()) or "no case"


CLAIMS = {"fig-10": fig_10}
