"""Figures 1 and 2 and Section 3: outputs that never occur or occur too often, and two remedies.

Every number is a range over all optimal mechanisms, and the words are made of the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from noisewright.report import heatmaps, save_chart
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
    listed,
    overall,
)
from papers.counts.optima import away, best, costs
from papers.counts.optimal_face import (
    SEVEN,
    SLACK,
    OptimalFace,
    Range,
    at_most,
    below,
    fixed,
    optimal_face,
)

ALPHA = "0.62"


def least_mass(face: OptimalFace, outputs: NDArray[np.bool_]) -> Range:
    """Return the least probability over all inputs j of the outputs that outputs[j] marks.

    No optimum has more than the upper end; none has to attain it on all inputs at once.
    """
    found: list[Range] = []
    for j, row in enumerate(outputs):
        weights = np.zeros(outputs.shape)
        weights[j] = row
        found.append(face.range(weights))
    return Range(min(r.low for r in found), min(r.high for r in found))


def shares(face: OptimalFace, n: int) -> list[Range]:
    """Return how often each output occurs over all inputs, as a multiple of uniform guessing."""
    found: list[Range] = []
    for i in range(n + 1):
        weights = np.zeros((n + 1, n + 1))
        weights[:, i] = 1
        found.append(face.range(weights))
    return found


def unique(face: OptimalFace, n: int) -> bool:
    """Whether random directions find no second optimum."""
    generator = np.random.default_rng(2018)
    return not any(face.range(generator.random((n + 1, n + 1))).wide for _ in range(4))


@dataclass(frozen=True)
class Spike:
    """What the paper says of an optimum: some outputs have a probability, whatever the input."""

    says: str
    n: int
    loss: str
    outputs: tuple[int, ...]
    least: float
    strict: bool = False

    def mass(self, alpha: str) -> Range:
        """Return the least probability of the outputs over all inputs."""
        marked = np.tile(np.isin(np.arange(self.n + 1), self.outputs), (self.n + 1, 1))
        return least_mass(optimal_face(self.n, alpha, self.loss, ()), marked)

    def holds(self, mass: Range) -> Verdict:
        """Return whether this is what the paper says."""
        return (below if self.strict else at_most)(fixed(self.least), mass)


SPIKES = (
    Spike(
        "The L2 optimum (n = 4, where 2 is the middle) ignores its input and always reports 2.",
        4,
        "L2",
        (2,),
        1.0,
    ),
    Spike(
        "The L1 optimum for n = 7 reports 2 or 5 with probability at least 0.7, whatever the "
        "input.",
        7,
        "L1",
        (2, 5),
        0.7,
    ),
    Spike(
        "The optimum for L0 with d = 1 (n = 5, where 1 and 4 are next to the ends) reports 1 or 4 "
        "with a probability of over 0.9.",
        5,
        "L0,1",
        (1, 4),
        0.9,
        strict=True,
    ),
)


def intervals(alphas: Sequence[float], held: Sequence[bool]) -> str:
    """Return where on a grid something holds: 0.7375 to 0.7525 and 0.8375 to 0.85."""
    parts: list[str] = []
    start: float | None = None
    for here, holds, after in zip(alphas, held, [*held[1:], False], strict=True):
        if holds and start is None:
            start = here
        if start is not None and not after:
            parts.append(f"{start}" if start == here else f"{start} to {here}")
            start = None
    return listed(parts)


def figure_1(
    here: Sequence[Range],
    grid: Mapping[float, Sequence[Range]],
    at_outputs: Mapping[str, Sequence[Range]],
) -> list[Sentence]:
    """Judge the sentences around Figure 1.

    `here` are the masses of the three `SPIKES` at α = 0.62, `grid` those at other α; `at_outputs`
    is how often each output of a mechanism occurs, as a multiple of uniform guessing.
    """
    held = {a: [s.holds(m) for s, m in zip(SPIKES, grid[a], strict=True)] for a in grid}
    sentences: list[Sentence] = []
    for k, (spike, mass) in enumerate(zip(SPIKES, here, strict=True)):
        surely = [found[k] is Verdict.HOLDS for found in held.values()]
        where = f"for α = {intervals(list(grid), surely)}" if any(surely) else "for no α tried"
        verdict = spike.holds(mass)
        if verdict is Verdict.FAILS and any(surely):
            verdict = Verdict.CORRECTED
        outputs = listed(spike.outputs).replace("and", "or")
        sentences.append(
            Sentence(
                spike.says,
                f"At α = 0.62 it reports {outputs} with a probability as low as {mass.words()}. "
                f"The sentence is true {where}.",
                verdict,
                f"For {spike.loss} that is true {where} on the grid, "
                + ("at 0.62 of some optima only." if verdict is Verdict.TIES else "not at 0.62."),
            )
        )
    never = {
        name: [i for i, share in enumerate(found) if share.high < SLACK]
        for name, found in at_outputs.items()
    }
    perhaps = {
        name: any(share.low < SLACK for share in found) for name, found in at_outputs.items()
    }
    gaps = [
        Verdict.HOLDS if never[name] else Verdict.TIES if perhaps[name] else Verdict.FAILS
        for name in at_outputs
    ]
    spikes = [max(share.low for share in found) for found in at_outputs.values()]
    return [
        *sentences,
        Sentence(
            "All of them never report some outputs (gaps).",
            "Whatever the tie-break, these never occur: "
            + "; ".join(f"{listed(outputs)} ({name})" for name, outputs in never.items())
            + ".",
            every(gaps),
            "Not all of them have outputs that never occur.",
        ),
        Sentence(
            "They report some others disproportionately (spikes; over all inputs, at least half "
            "as often again as uniform guessing would).",
            "The most frequent output occurs "
            + "; ".join(f"{s:.2f} ({name})" for s, name in zip(spikes, at_outputs, strict=True))
            + " times as often.",
            judge(min(spikes) >= 1.5),
            "Not all of them have spikes.",
        ),
    ]


def _threshold(holds: Callable[[str], bool], low: float, high: float) -> float:
    """Return where a condition starts to hold between two values of α, to 1e-7."""
    while high - low > 1e-7:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(f"{middle:.12f}") else (middle, high)
    return high


def _only(names: Mapping[str, tuple[int, str]], codes: tuple[str, ...]) -> str:
    """Say which of the optima shown are the only ones."""
    found = {
        name: unique(optimal_face(n, ALPHA, loss, codes), n) for name, (n, loss) in names.items()
    }
    if all(found.values()):
        return "Each is the only optimum."
    others = "; ".join(name for name, only in found.items() if not only)
    return f"Not the only optima, but those that `nw.design` chooses: {others}."


def fig_1(setting: Setting) -> Claim:
    """Sentences about unconstrained optima, and the α at which each is true."""
    step = setting.pick(0.0025, 0.02)
    alphas = [round(float(a), 4) for a in np.arange(0.5, 0.96, step)]
    grid = {a: [spike.mass(f"{a:.4f}") for spike in SPIKES] for a in alphas}
    here = [spike.mass(ALPHA) for spike in SPIKES]
    names = {f"{s.loss}, n = {s.n}": (s.n, s.loss) for s in SPIKES} | {"L2, n = 7": (7, "L2")}
    shown = {name: best(n, ALPHA, loss).mechanism for name, (n, loss) in names.items()}
    sentences = figure_1(
        here,
        grid,
        {name: shares(optimal_face(n, ALPHA, loss, ()), n) for name, (n, loss) in names.items()},
    )
    save_chart(heatmaps(shown, columns=2), setting.out / "fig-1.png")
    where = dict(zip(SPIKES, ("0.78", "0.745", "0.91"), strict=True))
    truly = {
        f"{s.loss}, n = {s.n}, α = {a}": best(s.n, a, s.loss).mechanism for s, a in where.items()
    }
    save_chart(heatmaps(truly, columns=3), setting.out / "fig-1-where-true.png")
    true_there = every(s.holds(s.mass(a)) for s, a in where.items()) is Verdict.HOLDS
    start = _threshold(
        lambda a: float(best(4, a, "L2").mechanism.matrix[:, 2].min()) > 1 - 1e-9, 0.5, 0.95
    )
    together = [
        a
        for a, masses in grid.items()
        if every(s.holds(m) for s, m in zip(SPIKES, masses, strict=True)) is Verdict.HOLDS
    ]
    return Claim(
        "Fig. 1",
        "unconstrained optima have gaps and spikes",
        "At α = 0.62 the L2 optimum ignores its input and always reports 2; the L1 optimum for n "
        "= 7 reports 2 or 5 with probability at least 0.7 whatever the input; the optimum for L0 "
        "with d = 1 reports 1 or 4 more than 90% of the time. All have outputs that never occur.",
        f"All optimal mechanisms at α = 0.62 and on a grid of {len(alphas)} values of α from "
        f"{alphas[0]} to {alphas[-1]}. The text names n for L1 only; the other two n are those "
        f"that fit. `Always 2` begins at α = {start:.6f}. "
        + (
            f"All three numbers are right at α = {listed(together)}."
            if together
            else "At no α of the grid are all three numbers right."
        ),
        overall(sentences),
        instead_of(sentences),
        sentences=sentences,
        pictures=(
            Picture(
                "fig-1.png",
                "Unconstrained optima at α = 0.62. "
                + _only(names, ())
                + " The text does not say what the fourth is; we take L2 with n = 7.",
            ),
            Picture(
                "fig-1-where-true.png",
                "Each at an α at which the paper's sentence is true."
                if true_there
                else "The same at other α.",
            ),
        ),
        numbers={
            "always_2_from": start,
            **{
                name: float(mechanism.matrix[:, spike.outputs].sum(axis=1).min())
                for name, spike, mechanism in zip(
                    ("l2", "l1", "l01"), SPIKES, shown.values(), strict=False
                )
            },
        },
    )


def figure_2(least_entry: float, monotone: bool, near: Range, limit: float) -> list[Sentence]:
    """Judge the sentences around Figure 2.

    `least_entry` is the least probability in any of the optima, `monotone` whether all are column
    monotone, `near` the least probability of an answer within 1 of the truth, and `limit` the
    largest α at which that is at least 2/3.
    """
    short = 2 / 3 - near.low
    return [
        Sentence(
            "The gaps are gone.",
            f"Every output has a probability of at least {least_entry:.4f} on every input, "
            "whatever the tie-break.",
            judge(least_entry > SLACK),
            "Some outputs still never occur.",
        ),
        Sentence(
            "The spikes are gone (no output is likelier than one nearer to the truth).",
            "Column monotonicity, one of the seven properties, says just that, and all four "
            f"mechanisms {'have' if monotone else 'do not have'} it.",
            judge(monotone),
            "Some outputs are likelier than others nearer to the truth.",
        ),
        Sentence(
            "The L2 optimum (n = 4) answers within 1 of the truth with probability at least 2/3, "
            "on all inputs.",
            f"With probability at least {near.words(4)}, where 2/3 = 0.6667; it is at least 2/3 "
            f"for α up to {limit:.4f}.",
            judge(short <= 0, corrected=short < 0.005),
            f"At α = 0.62 the probability is at least {near.words(4)}, {short:.4f} below 2/3.",
        ),
    ]


def fig_2(setting: Setting) -> Claim:
    """With all properties no gaps and spikes are left; how often answers are near the truth."""

    def within(alpha: str) -> Range:
        return least_mass(optimal_face(4, alpha, "L2", SEVEN), away(4) <= 1)

    names = {
        "L2, n = 4": (4, "L2"),
        "L1, n = 7": (7, "L1"),
        "L0,1, n = 5": (5, "L0,1"),
        "L0, n = 4 (EM)": (4, "L0"),
    }
    shown = {name: best(n, ALPHA, loss, ("all",)).mechanism for name, (n, loss) in names.items()}
    save_chart(heatmaps(shown, columns=2), setting.out / "fig-2.png")
    least_entry = min(
        least_mass(
            optimal_face(n, ALPHA, loss, SEVEN), np.arange(n + 1) == np.full((n + 1, 1), i)
        ).low
        for n, loss in names.values()
        for i in range(n + 1)
    )
    falls = all(
        (np.diff(row[: j + 1]) >= 0).all() and (np.diff(row[j:]) <= 0).all()
        for mechanism in shown.values()
        for j, row in enumerate(mechanism.matrix)
    )
    near = within(ALPHA)
    limit = _threshold(lambda a: within(a).low < 2 / 3, 0.5, 0.7)
    sentences = figure_2(least_entry, falls, near, limit)
    return Claim(
        "Fig. 2",
        "all seven properties remove gaps and spikes",
        "With all properties at α = 0.62 the anomalies are gone; the L2 optimum answers within 1 "
        "of the truth with probability at least 2/3 on every input.",
        "All optimal mechanisms with all seven properties at α = 0.62.",
        overall(sentences),
        instead_of(sentences),
        sentences=sentences,
        pictures=(
            Picture(
                "fig-2.png",
                "Optima with all seven properties at α = 0.62. "
                + _only(names, SEVEN)
                + " The text does not say what the fourth is; we take L0 with n = 4.",
            ),
        ),
        numbers={"within_1": near.low, "two_thirds_up_to": limit},
    )


def filled(
    floor: float, cases: Mapping[tuple[str, int, str], Mapping[int, Sequence[Range]]]
) -> tuple[Verdict, str, str]:
    """Return the verdict on `empty outputs get the floor`, what we find and what is true.

    `cases` has for each loss, n and α the entries of each output that did not occur before, by
    input.
    """
    rows = [(n, a, i, row) for (_, n, a), found in cases.items() for i, row in found.items()]
    entries = [entry for _, _, _, row in rows for entry in row]
    low = sum(entry.high < floor + SLACK for entry in entries)
    flat = low == len(entries)
    # On an input farthest from the output, whatever the tie-break.
    far = all(
        min(entry.high for j, entry in enumerate(row) if abs(i - j) == max(i, n - i))
        < floor + SLACK
        for n, _, i, row in rows
    )
    peaks = all(row[i].low >= max(entry.high for entry in row) - SLACK for _, _, i, row in rows)
    share = max(sum(entry.high for entry in row) for _, _, _, row in rows)
    finds = (
        f"With every entry at least {floor} the outputs that never occurred get just the floor in "
        f"{low} of {len(entries)} entries (outputs and inputs)"
        + (", on the inputs farthest from them" if far else "")
        + (", and the most where they are the truth" if peaks and not flat else "")
        + f". Over all inputs they occur at most {share:.0%} as often as under uniform guessing."
    )
    instead = (
        "They get the floor on the inputs farthest from them, and privacy lets them grow from "
        f"there by a factor of up to 1/α with each step; they stay rare, at most {share:.0%} of "
        "what uniform guessing gives."
    )
    return judge(flat, corrected=far and share < 1), finds, instead


def gaps_filled(setting: Setting) -> Claim:
    """Forcing entries away from zero lifts the empty outputs a little, most near the truth."""
    del setting
    floor = 0.01
    rows: list[list[object]] = []
    cases: dict[tuple[str, int, str], dict[int, list[Range]]] = {}
    for n, alpha, loss in ((7, "0.62", "L1"), (4, "0.78", "L2"), (7, "0.85", "L1")):
        free = optimal_face(n, alpha, loss, ())
        empty = [i for i, share in enumerate(shares(free, n)) if share.high < SLACK]
        face = OptimalFace(n, Fraction(alpha), costs(n, loss), (), floor=floor)
        found = cases[loss, n, alpha] = dict[int, list[Range]]()
        for i in empty:
            found[i] = []
            for j in range(n + 1):
                weights = np.zeros((n + 1, n + 1))
                weights[j, i] = 1
                found[i].append(face.range(weights))
        entries = [entry for row in found.values() for entry in row]
        rows.append(
            [
                loss,
                n,
                alpha,
                ", ".join(map(str, empty)),
                Range(min(e.low for e in entries), min(e.high for e in entries)).words(4),
                Range(max(e.low for e in entries), max(e.high for e in entries)).words(4),
            ]
        )
    verdict, finds, instead = filled(floor, cases)
    return Claim(
        "Section 3",
        "forbidding zeros does not help",
        "If a constraint forbids zero entries, the outputs that never occurred get the smallest "
        "allowed probability, which is no improvement.",
        finds,
        verdict,
        instead,
        grids=(
            Grid(
                f"Optima with every entry at least {floor}; ranges over all of them",
                ("loss", "n", "α", "outputs never used before", "least entry", "largest entry"),
                rows,
            ),
        ),
    )


CLAIMS = {"fig-1": fig_1, "fig-2": fig_2}
