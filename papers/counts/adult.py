"""Section 7.2: how often groups of census records are reported wrongly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import noisewright as nw
from noisewright.queries import design_groups
from noisewright.report import save_chart
from papers.claims import (
    Claim,
    Grid,
    Picture,
    Sentence,
    Setting,
    Verdict,
    every,
    instead_of,
    judge,
    most,
    number,
    overall,
)
from papers.counts.binomial import BARS
from papers.counts.charts import simulated_panels
from papers.counts.experiment import (
    SEED,
    Errors,
    Measured,
    agreement,
    beyond,
    compare,
    exact_errors,
    row_of,
)
from papers.counts.near_answers import FIVE, distance, largest
from papers.counts.optima import for_l0
from papers.counts.optimal_face import Range, at_most, below, faces, fixed
from papers.data_files import ADULT, read_adult
from papers.page import write_csv

ALPHA = "0.9"


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


Key = tuple[str, int]
"""A target and a size of groups."""

Wrong = dict[Key, dict[str, Range]]


@dataclass(frozen=True)
class Groups:
    """Three targets, each a list of bits, and the sizes of the groups that are formed."""

    targets: Mapping[str, NDArray[np.int64]]
    sizes: Sequence[int]
    repetitions: int

    def weights(self, target: str, n: int) -> NDArray[np.float64]:
        """Return the probabilities of a group's count: a random group is a hypergeometric draw."""
        bits = self.targets[target]
        return _hypergeometric(len(bits), int(bits.sum()), n)

    def errors(self, target: str, n: int, alpha: str) -> dict[str, Errors]:
        """Release the counts of all groups together, in each repetition anew.

        The groups and their sizes are public, and ε is spent once for each person.
        """
        truths = _groups(self.targets[target], n, self.repetitions)
        free, weights = faces("L0", n, alpha), self.weights(target, n)
        sizes = dict.fromkeys(range(truths.shape[1]), n)
        found: dict[str, Errors] = {}
        for name in FIVE:
            asked = {"properties": "WH"} if name == "WH" else {"mechanism": name}
            groups = design_groups(sizes, alpha=alpha, **asked)
            source = nw.randomness.SeededSource(f"{SEED}/{target}/{n}/{name}")
            released = np.stack([groups.draw(row, source) for row in truths])
            matrix = groups.by_size[n].mechanism.matrix
            found[name] = compare(released, truths, matrix, weights, face=free.get(name))
        return found

    def exactly(self, alpha: str, d: int = 0) -> Wrong:
        """Return the probabilities of answers more than d away, over all optima."""
        found: Wrong = {}
        for target in self.targets:
            for n in self.sizes:
                free, weights = faces("L0", n, alpha), self.weights(target, n)
                found[target, n] = {
                    name: free[name].range(beyond(d).weighted(weights))
                    if name in free
                    else fixed(float(beyond(d).of(exact_errors(mechanism.matrix, weights))))
                    for name, mechanism in for_l0(n, alpha).items()
                }
        return found


def _cases(cells: Sequence[Key]) -> str:
    by_target: dict[str, list[str]] = {}
    for target, n in cells:
        by_target.setdefault(target, []).append(str(n))
    return "; ".join(f"{t} at n = {', '.join(ns)}" for t, ns in by_target.items())


def _besides(words: str, cells: Sequence[Key]) -> str:
    return f"{words} {_cases(cells)}." if cells else "."


def figure_10(
    wrong: Wrong, stronger: Mapping[str, Wrong], weights: Mapping[Key, NDArray[np.float64]]
) -> list[Sentence]:
    """Judge the sentences around Figure 10.

    `wrong` are probabilities of a wrong answer at α = 0.9, `stronger` at larger α, and `weights`
    the probabilities of the counts.
    """
    chance = [
        below(distance(v["UM"], fixed(n / (n + 1))), fixed(1e-5)) for (_, n), v in wrong.items()
    ]
    worse = {k: below(v["UM"], v["GM"]) for k, v in wrong.items()}
    gm_better = [k for k, v in worse.items() if v is Verdict.FAILS]
    middle = [
        at_most(fixed(abs(int(w.argmax()) - n / 2)), fixed(1.0)) for (_, n), w in weights.items()
    ]
    rare = {k: below(fixed(float(w[0] + w[-1])), fixed(2 / len(w))) for k, w in weights.items()}
    tracks = {
        m: [below(fixed((v["UM"].low + v["EM"].low) / 2), v[m]) for v in wrong.values()]
        for m in ("WM", "WH")
    }
    best = {k: every(at_most(v["EM"], v[m]) for m in FIVE) for k, v in wrong.items()}
    beaten = [k for k, v in best.items() if v is not Verdict.HOLDS]
    apart = {
        a: largest([distance(v["WM"], v["EM"]) for v in found.values()])
        for a, found in {ALPHA: wrong, **stronger}.items()
    }
    gain = {
        a: max(v["UM"].low - v["EM"].low for v in found.values())
        for a, found in {ALPHA: wrong, **stronger}.items()
    }
    last = list(stronger)[-1]
    harder = [
        below(fixed(found[k]["UM"].low - found[k]["EM"].low), fixed(v["UM"].low - v["EM"].low))
        for found in stronger.values()
        for k, v in wrong.items()
    ]
    return [
        Sentence(
            "The chance of UM picking the correct answer is always 1 − 1/(n+1), on all data.",
            f"UM is wrong with probability n/(n+1) = 1 − 1/(n+1) in {number(chance)} cases, which "
            "is what the figure plots.",
            judge(False, corrected=every(chance) is Verdict.HOLDS),
            "1 − 1/(n+1) is UM's chance of a wrong answer.",
        ),
        Sentence(
            "GM does appreciably worse than UM.",
            f"In {number(worse.values())} cases" + _besides("; it is not for", gm_better),
            every(worse.values()),
            "GM does worse than UM" + _besides(" except for", gm_better),
        ),
        Sentence(
            "The common counts are around n/2 (the likeliest one is at most 1 away from it).",
            f"In {number(middle)} cases.",
            every(middle),
            f"The likeliest count is within 1 of n/2 in {number(middle)} cases.",
        ),
        Sentence(
            "Counts of 0 or n, where GM does well, are rare in this data (rarer than 2/(n+1), as "
            "under a uniform prior).",
            f"They are in {number(rare.values())} cases"
            + _besides("; not for", [k for k, v in rare.items() if v is Verdict.FAILS]),
            every(rare.values()),
            f"Counts of 0 and n are rarer than 2/(n+1) in {number(rare.values())} cases.",
        ),
        *(
            Sentence(
                "WM tracks UM quite closely (it is nearer to UM than to EM, in most cases); WM "
                f"read as {reading}.",
                f"In {number(tracks[name])} cases.",
                most(tracks[name]),
                f"{reading} is nearer to UM than to EM in {number(tracks[name])} cases.",
            )
            for name, reading in (("WM", "WH + RM + CM"), ("WH", "WH"))
        ),
        Sentence(
            "EM gives the best probability of a true answer.",
            f"In {number(best.values())} cases"
            + _besides("; not, or not against every optimum, for", beaten),
            every(best.values()),
            "EM is the best, whatever the tie-break" + _besides(", except for", beaten),
        ),
        Sentence(
            f"For α from 0.9 to 0.99 there is not much to choose between EM and WM (at α = {last} "
            "they differ by less than 0.01).",
            "They differ by up to "
            + ", ".join(f"{r.words(4)} (α = {a})" for a, r in apart.items())
            + ".",
            below(apart[last], fixed(0.01)),
            f"At α = {last} they differ by up to {apart[last].words(4)}.",
        ),
        Sentence(
            "For larger α it gets even harder to improve over UM.",
            "EM is at most "
            + ", ".join(f"{g:.4f} (α = {a})" for a, g in gain.items())
            + " better than UM.",
            every(harder),
            f"The advantage of EM shrinks in {number(harder)} cases.",
        ),
    ]


def _groups_of(setting: Setting) -> Groups | None:
    path = setting.data.get(ADULT.name)
    if path is None:
        return None
    return Groups(
        read_targets(path),
        setting.pick((2, 3, 4, 6, 8, 10, 12, 14, 16), (2, 4, 8)),
        setting.pick(50, 4),
    )


def fig_10(setting: Setting) -> Claim:
    """The share of groups reported wrongly, for three targets."""
    says = (
        "At α = 0.9, for the targets income, sex and age under 30: UM's chance is 1 − 1/(n+1); GM "
        "does appreciably worse, because the common counts are around n/2; WM tracks UM closely; "
        "EM alone does better. Error bars: one standard error of 50 repetitions. For larger α "
        "there is not much to choose between EM and WM."
    )
    title = "wrong answers on the Adult data"
    groups = _groups_of(setting)
    if groups is None:
        return Claim("Fig. 10", title, says, ADULT.absence, Verdict.NOT_RUN)
    rows: list[dict[str, Any]] = []
    measured: list[Measured] = []
    wrong: Wrong = {}
    for target in groups.targets:
        for n in groups.sizes:
            for name, errors in groups.errors(target, n, ALPHA).items():
                one = errors.measure(beyond(0))
                measured.append(one)
                wrong.setdefault((target, n), {})[name] = one.over_optima
                rows.append(row_of(one, target=target, α=ALPHA, n=n, mechanism=name))
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
    stronger = {alpha: groups.exactly(alpha) for alpha in setting.pick(("0.95", "0.99"), ("0.99",))}
    sentences = figure_10(wrong, stronger, {key: groups.weights(*key) for key in wrong})
    people = len(next(iter(groups.targets.values())))
    return Claim(
        "Fig. 10",
        title,
        says,
        f"{people:,} people, shuffled into groups anew in each of {groups.repetitions} "
        f"repetitions (seed {SEED}; a rest smaller than n is left out). "
        + agreement(measured)
        + " The shares of ones are "
        + ", ".join(f"{bits.mean():.0%} ({target})" for target, bits in groups.targets.items())
        + ".",
        overall(sentences),
        instead_of(sentences),
        sentences=sentences,
        grids=(
            Grid(
                "Exact probability of a wrong answer at n = 8, α = 0.9; WH and WM over all optima",
                ("target", *FIVE),
                [
                    [target, *(wrong[target, 8][m].words(4) for m in FIVE)]
                    for target in groups.targets
                ],
            ),
        ),
        pictures=(Picture("fig-10.png", BARS + "error (often smaller than the point)."),),
        files=(write_csv(setting.out / "fig-10.csv", rows),),
        numbers={
            f"{target}_{name}_8": wrong[target, 8][name].low
            for target in groups.targets
            for name in ("GM", "EM")
        },
    )


def patterns(near: Wrong, wrong: Wrong) -> list[Sentence]:
    """Compare who is better than whom `more than 1 away` with `wrong`."""
    pairs = (("GM", "UM"), ("EM", "UM"), ("EM", "GM"), ("WM", "UM"), ("WM", "EM"))
    sentences: list[Sentence] = []
    for one, other in pairs:
        before = {k: below(v[one], v[other]) for k, v in wrong.items()}
        now = {k: below(v[one], v[other]) for k, v in near.items()}
        agree = [
            Verdict.TIES
            if Verdict.TIES in (before[k], now[k])
            else Verdict.HOLDS
            if before[k] is now[k]
            else Verdict.FAILS
            for k in wrong
        ]
        sentences.append(
            Sentence(
                f"{one} against {other}: the same one is ahead as for wrong answers (in most "
                "cases).",
                f"In {number(agree)} cases. {one} is below {other} in {number(before.values())} "
                f"for wrong answers and in {number(now.values())} for answers more than 1 away.",
                most(agree),
                f"{one} is below {other} in {number(before.values())} cases for wrong answers, but "
                f"in {number(now.values())} for answers more than 1 away.",
            )
        )
    return sentences


def off_by_one(setting: Setting) -> Claim:
    """The other experiments of Section 7.2, which the paper did not show."""
    says = (
        "Other experiments (not shown) computed the probability of an answer that is off by at "
        "most one, and showed similar patterns."
    )
    title = "off by at most one on the Adult data"
    groups = _groups_of(setting)
    if groups is None:
        return Claim("Section 7.2", title, says, ADULT.absence, Verdict.NOT_RUN)
    near = groups.exactly(ALPHA, 1)
    sentences = patterns(near, groups.exactly(ALPHA))
    n = 8
    return Claim(
        "Section 7.2",
        title,
        says,
        "Exact probabilities at α = 0.9 for groups of "
        f"{', '.join(map(str, groups.sizes))}, over all optimal WH and WM; a pattern is who is "
        "ahead of whom.",
        overall(sentences),
        instead_of(sentences),
        sentences=sentences,
        grids=(
            Grid(
                f"Exact probability of an answer more than 1 away at n = {n}, α = 0.9",
                ("target", *FIVE),
                [
                    [target, *(near[target, n][m].words(4) for m in FIVE)]
                    for target in groups.targets
                ],
            ),
        ),
        numbers={f"{target}_EM_8": near[target, n]["EM"].low for target in groups.targets},
    )


CLAIMS = {"fig-10": fig_10, "off-by-one": off_by_one}
