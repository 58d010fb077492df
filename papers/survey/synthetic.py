"""Section 2.5: synthetic databases, and BLR."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations_with_replacement, product
from random import Random
from typing import Literal

import noisewright as nw
from noisewright.report import loss_curves, save_chart
from papers.claims import Check, Claim, Grid, Picture, Setting, judge
from papers.survey.exponential import SEED

PAIR = nw.Records(a=nw.Counts(1), b=nw.Counts(1))
THREE = nw.Records(value=nw.Categories([0, 1, 2]))
TINY = (0, 0, 1, 2, 2, 2)

Measure = Literal["sequences", "multisets"]


def least_error(counts: list[int], m: int) -> Fraction:
    """The largest error over the cells of the best database of m records over four points."""
    n = sum(counts)
    return min(
        max(abs(Fraction(c, n) - Fraction(chosen.count(x), m)) for x, c in enumerate(counts))
        for chosen in combinations_with_replacement(range(len(counts)), m)
    )


def theorem_3(setting: Setting) -> Claim:
    """Small databases that answer as well: fewer records than printed are enough."""
    random = Random(SEED + 3)
    k = 4
    rows: list[dict[str, object]] = []
    table: list[list[object]] = []
    fits = True
    for m in setting.pick(range(1, 11), range(1, 6)):
        hoeffding = math.sqrt(math.log(2 * k) / (2 * m))
        printed = math.sqrt(8 * math.log(k) / m)
        worst = Fraction(0)
        for _ in range(setting.pick(30, 5)):
            counts = [random.randint(0, 40) for _ in range(k)]
            counts[0] += 1
            worst = max(worst, least_error(counts, m))
        fits &= float(worst) <= hoeffding
        for name, value in (
            ("survey: √(8 ln k / m)", printed),
            ("Hoeffding: √(ln 2k / 2m)", hoeffding),
            ("worst found", float(worst)),
        ):
            rows.append({"m": m, "bound": name, "α": value})
        table.append([m, printed, hoeffding, float(worst)])
    chart = loss_curves(
        rows, x="m", y="α", color="bound", y_title="largest error α", from_zero=True
    )
    save_chart(chart, setting.out / "theorem-3.png")
    sizes = (nw.blr_size(100, within=0.2, bound="survey"), nw.blr_size(100, within=0.2))
    return Claim(
        "Theorem 3",
        "a small synthetic database answers k queries",
        "For every D and k counting queries there is a database of m = 8 log k / α² records with "
        "no error above α.",
        "Random data over four points, k = 4 cells, every database of m records looked at: the "
        "best is always within √(ln 2k / 2m), which is what Hoeffding's bound gives (2k e^(−2mα²) "
        "< 1) and far below √(8 ln k / m). In the mechanism, for k = 100 and α = 0.2, that is "
        f"m = {sizes[1]} instead of {sizes[0]:,}. For k = 1 the printed m is 0, which is too few: "
        "(14) is then 1 and not less.",
        judge(fits, more=sizes[1] < sizes[0]),
        instead="m ≥ ln(2k) / (2α²) records are enough, for every k.",
        pictures=(Picture("theorem-3.png", "The error of the best database, and two bounds."),),
        grids=(Grid("α", ("m", "survey", "Hoeffding", "worst found"), table),),
        numbers={"survey": float(sizes[0]), "hoeffding": float(sizes[1])},
    )


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


def blr(setting: Setting) -> Claim:
    """Exact probabilities, two base measures, privacy and accuracy."""
    workload = nw.Workload.marginals(THREE)
    data = [(x,) for x in TINY]
    measures: tuple[Measure, ...] = ("sequences", "multisets")
    found = {
        measure: float(
            nw.blr(data, workload, epsilon=1, m=2, measure=measure).probability([1, 0, 1])
        )
        for measure in measures
    }
    same = all(abs(found[measure] - by_hand(measure)) < 1e-12 for measure in found)
    moved = max(
        abs(Fraction(sum(before), 6) - Fraction(sum((new, *before[1:])), 6))
        for before in product((0, 1), repeat=6)
        for new in (0, 1)
    )
    random = Random(SEED + 5)
    cells = nw.Workload.marginals(PAIR, ways=2)
    rows: list[list[object]] = []
    accurate = True
    for n in setting.pick([50, 200, 1000], [100]):
        people = [divmod(random.choice((0, 0, 0, 1, 2, 3)), 2) for _ in range(n)]
        for m in setting.pick([5, 20, 60], [5, 20]):
            mechanism = nw.blr(people, cells, epsilon=1, m=m)
            promised = mechanism.accuracy(beta=0.05)
            chance = mechanism.chance_within(promised)
            accurate &= chance >= Fraction(19, 20)
            rows.append([n, m, promised, float(mechanism.least_error), mechanism.expected_error])
    return Claim(
        "Section 2.5",
        "the BLR mechanism",
        "R = X^m with m = 32 log k / α², quality −max |f(D) − f(D̂)|, sensitivity 1/n; sample D̂ by "
        "the exponential mechanism.",
        f"Replacing a row moves a share by {moved} at n = 6: Δ = 1/n. All databases are listed and "
        "drawn by integer weights; for X = {0, 1, 2}, D = (0, 0, 1, 2, 2, 2), m = 2 and ε = 1 the "
        f"database {{0, 2}} has probability {found['sequences']:.6f} if sequences are candidates, "
        f"as X^m says, and {found['multisets']:.6f} if multisets are: these are two mechanisms. "
        "The error stays within √(ln 2k / 2m) + 2/(εn) · ln(|R|/0.05) with probability 0.95 at "
        "least, by exact probabilities; the expected error is far smaller.",
        judge(same and moved == Fraction(1, 6), more=accurate),
        instead="Name the base measure; m = 2 ln(2k) / α² is enough for half of α.",
        grids=(
            Grid(
                "ε = 1, four points, multisets",
                ("n", "m", "promised with 0.95", "best database", "expected error"),
                rows,
            ),
        ),
        numbers=found,
    )


CLAIMS: Mapping[str, Check] = {"theorem-3": theorem_3, "blr": blr}
