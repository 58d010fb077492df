"""Section 2.5: how accurate BLR is: rows it needs, against Laplace noise, and many draws."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

import noisewright as nw
from noisewright.report import save_chart
from papers.claims import Check, Claim, Grid, Picture, Setting, judge
from papers.survey.charts import lines

UNIVERSE, ALPHA, BETA = 1024, 0.1, 0.05
FALSE_ALARM = 1e-9


def rows_for_laplace(k: float) -> float:
    """Rows at which k shares with Laplace noise are all within α, with probability 1 − β, at ε = 1.

    One row moves each share by 1/n, so the noise has scale k/n, and k e^(−αn/k) ≤ β.
    """
    return k * math.log(k / BETA) / ALPHA


def rows_for_blr(k: float, records: float) -> float:
    """Rows at which the exponential mechanism loses at most the other half of α, at ε = 1."""
    return 4 * (records * math.log(UNIVERSE) + math.log(1 / BETA)) / ALPHA


def crossing(records: Callable[[float], float]) -> int:
    """The least k, to two digits, from which BLR needs fewer rows than Laplace noise."""
    return first_k(lambda k: rows_for_blr(k, records(k)) < rows_for_laplace(k))


def first_k(holds: Callable[[float], bool]) -> int:
    """The least k for which this is so, to two digits."""
    found = next(round(k) for k in (10 ** (1 + step / 1000) for step in range(20000)) if holds(k))
    return round(found, 2 - len(str(found)))


def survey_records(k: float) -> float:
    """The printed size."""
    return 32 * math.log(k) / ALPHA**2


def enough_records(k: float) -> float:
    """The size by Hoeffding's bound."""
    return 2 * math.log(2 * k) / ALPHA**2


def many_queries(setting: Setting) -> Claim:
    """Laplace noise grows with k, BLR with log k; and what that takes."""
    ways = {
        "Laplace noise on each answer": rows_for_laplace,
        "BLR, m = 32 ln k / α²": lambda k: rows_for_blr(k, survey_records(k)),
        "BLR, m = 2 ln 2k / α²": lambda k: rows_for_blr(k, enough_records(k)),
        "n = k": float,
    }
    rows = [
        {"k": 10 ** (p / 8), "how": name, "n": of(10 ** (p / 8))}
        for p in range(8, 73)
        for name, of in ways.items()
    ]
    chart = lines(
        rows,
        x="k",
        y="n",
        color="how",
        x_title="queries k",
        y_title="rows n that are needed",
        log_x=True,
        log_y=True,
    )
    save_chart(chart, setting.out / "many-queries.png")
    crossings = (crossing(survey_records), crossing(enough_records))
    more_queries = (
        first_k(lambda k: 10 * rows_for_blr(k, survey_records(k)) < k),
        first_k(lambda k: 10 * rows_for_blr(k, enough_records(k)) < k),
    )
    answer = nw.geometric(nw.Counts(3), epsilon="0.1")
    spent = [nw.compose(answer, times=k).epsilon(delta=0) for k in range(1, 6)]
    linear = all(abs(e / (0.1 * k) - 1) < 1e-9 for k, e in enumerate(spent, 1))
    ks = (10, 100, 10**4, 10**6, 10**9)
    table = [[k, *(math.ceil(of(k)) for name, of in ways.items() if name != "n = k")] for k in ks]
    shown = [[f"{cell:,}" for cell in row] for row in table]
    return Claim(
        "Section 2.5",
        "many more queries than rows",
        "BLR preserves accuracy and privacy even when k ≫ n. The Laplace mechanism adds "
        "independent noise to each answer, which reveals information linearly in k.",
        f"Linear it is: k answers of ε = 0.1 each about the same count need ε = "
        f"{', '.join(f'{e:.1f}' for e in spent)} for k = 1 to 5, exactly. For all errors within "
        f"α = {ALPHA} with probability {1 - BETA:g}, ε = 1 and {UNIVERSE:,} points Laplace noise "
        "needs n = k ln(k/β)/(αε) rows; BLR needs 4(m ln|X| + ln(1/β))/(αε), which grows "
        f"with ln k only. It needs fewer from k ≈ {crossings[0]:,} on, and with the smaller m from "
        f"k ≈ {crossings[1]:,} on. There are ten times as many queries as rows from "
        f"k ≈ {more_queries[0]:,} on, or {more_queries[1]:,}. So it is true for a great many "
        "queries; for fewer than those, noise on each answer is the better one. "
        "And it is a statement about rows, not about work: |X|^m databases would have to be looked "
        "at.",
        judge(linear and crossings[0] > crossings[1] and more_queries[0] > more_queries[1]),
        pictures=(
            Picture(
                "many-queries.png",
                "Rows needed for the same accuracy, ε = 1, α = 0.1, 1,024 points; below the line "
                "n = k there are more queries than rows.",
            ),
        ),
        grids=(
            Grid(
                "Rows needed",
                ("k", "Laplace noise", "BLR, survey's m", "BLR, smaller m"),
                shown,
            ),
        ),
        numbers={"crossing": float(crossings[0]), "crossing_smaller": float(crossings[1])},
    )


@dataclass(frozen=True)
class Drawn:
    """Many databases drawn by one BLR mechanism: their errors, and how long it took."""

    mechanism: nw.results.Blr
    errors: NDArray[np.float64]
    listing: float
    first: float
    each: float

    @property
    def farthest(self) -> float:
        """The largest distance between the observed and the exact distribution of the error."""
        observed = np.sort(self.errors)
        scale = self.mechanism.rows * self.mechanism.m
        return max(
            abs(
                float(self.mechanism.chance_within(Fraction(2 * level + 1, 2 * scale)))
                - int(np.searchsorted(observed, (level + 0.5) / scale)) / observed.size
            )
            for level in self.mechanism.errors
        )


def draw(bits: int, m: int, n: int, draws: int) -> Drawn:
    """Draw databases for all two-way counts of so many yes-or-no columns."""
    names = "abc"[:bits]
    domain = nw.Records(**{name: nw.Counts(1) for name in names})
    workload = nw.workloads.Workload.marginals(domain, ways=2)
    generator = np.random.default_rng([20170504, bits, n])
    people = {name: generator.binomial(1, 0.15 + 0.2 * k, n) for k, name in enumerate(names)}
    start = time.perf_counter()
    mechanism = nw.workloads.blr(people, workload, epsilon=1, m=m)
    listed = time.perf_counter()
    source = nw.randomness.SeededSource(f"survey/blr/{bits}/{m}/{n}")
    mechanism.sample(source=source)
    first = time.perf_counter()
    counts = np.stack([mechanism.sample(source=source).counts for _ in range(draws)])
    end = time.perf_counter()
    # Errors from the records themselves, not from what the mechanism knows about them.
    truth = np.asarray(workload.answers(people).shares, dtype=float)
    shares = counts @ workload.matrix().T / m
    errors = np.abs(shares - truth).max(axis=1)
    return Drawn(mechanism, errors, listed - start, first - listed, (end - first) / draws)


def blr_draws(setting: Setting) -> Claim:
    """The accuracy bound in many draws, at its rate, with the time that a draw takes."""
    draws = setting.pick(10_000, 400)
    table: list[list[object]] = []
    times: list[list[object]] = []
    kept = True
    farthest = most_beyond = most_nearer = longest = slowest = 0.0
    rows: list[dict[str, object]] = []
    pairs = setting.pick(((2, 60), (3, 20)), ((2, 20), (3, 5)))
    for bits, m in pairs:
        for n in (50, 400):
            found = draw(bits, m, n, draws)
            mechanism, points = found.mechanism, 2**bits
            farthest = max(farthest, found.farthest)
            for beta in (0.5, 0.05):
                promised = mechanism.accuracy(beta=beta)
                seen = float((found.errors > promised).mean())
                exact = 1 - float(mechanism.chance_within(promised))
                # Theorem 2 alone, from the best database there is.
                nearer = float(mechanism.least_error) + nw.select.utility_bound(
                    len(mechanism.group_of), epsilon=1, sensitivity=f"1/{n}", beta=beta
                )
                beyond = float((found.errors > nearer).mean())
                kept &= seen <= beta and beyond <= beta and exact <= beta
                table.append([points, m, n, beta, promised, seen, nearer, beyond])
                most_beyond, most_nearer = max(most_beyond, seen), max(most_nearer, beyond)
            longest = max(longest, found.listing + found.first)
            slowest = max(slowest, 1e3 * found.each)
            times.append(
                [
                    *(points, m, n, len(mechanism.group_of)),
                    *(found.listing, 1e3 * found.first, 1e3 * found.each),
                ]
            )
            if n == 400:
                rows += _survival(found, f"|X| = {points}, m = {m}")
    chart = lines(
        rows,
        x="error",
        y="chance",
        color="which",
        x_title="largest error over all queries",
        y_title="probability of a larger one",
        log_y=True,
        steps=True,
        y_domain=(1e-4, 1),
    )
    save_chart(chart, setting.out / "blr-draws.png")
    alarm = math.sqrt(math.log(2 * len(table) / FALSE_ALARM) / (2 * draws))
    return Claim(
        "Section 2.5",
        "BLR is accurate, in many draws",
        "The synthetic database answers every query approximately as the original one does.",
        f"{draws:,} databases drawn for each of {len(times)} cases: all two-way counts of two or "
        "three columns of bits, ε = 1, by the exact integer weights, with a stated seed. By "
        "Theorems 2 and 3 the largest error is beyond √(ln 2k / 2m) + 2/(εn) · ln(|R|/β) with "
        f"probability β at most; that happened in {most_beyond:.2%} of the draws "
        "at most. Nearer to the truth is Theorem 2 alone, from the best database there is: "
        f"beyond in {most_nearer:.2%} at most. Both bounds are far from "
        "what happens. Observed and exact distribution of the error differ by "
        f"{farthest:.4f} at most, where {alarm:.4f} would be an alarm (false once in 10⁹ runs). "
        f"Listing all databases and the first draw took {longest:.2f} s at most here, each "
        f"further draw {slowest:.2f} ms.",
        judge(kept and farthest < alarm),
        pictures=(
            Picture("blr-draws.png", "n = 400: the draws, the exact probabilities, the promise."),
        ),
        grids=(
            Grid(
                "Share of draws beyond what is promised with probability 1 − β",
                (
                    *("|X|", "m", "n", "β"),
                    *("promised error", "beyond", "Theorem 2 alone", "beyond that"),
                ),
                table,
            ),
            Grid(
                "Time on the machine of this run",
                ("|X|", "m", "n", "databases", "listing, s", "first draw, ms", "a draw, ms"),
                times,
            ),
        ),
        numbers={"farthest": farthest, "alarm": alarm, "cases": float(len(times))},
    )


def _survival(found: Drawn, name: str) -> list[dict[str, object]]:
    """The probability of a larger error: promised, exact and observed."""
    mechanism = found.mechanism
    best = math.sqrt(math.log(2 * mechanism.workload.queries) / (2 * mechanism.m))
    rows: list[dict[str, object]] = []
    # Between two possible errors, so that rounding cannot put one on the wrong side.
    half = 1 / (2 * mechanism.rows * mechanism.m)
    for error in (np.linspace(0, 0.5, 251) + half).tolist():
        lost = math.exp(-mechanism.rows * max(0.0, error - best) / 2)
        for which, chance in (
            (f"{name}, promised", min(1.0, len(mechanism.group_of) * lost)),
            (f"{name}, exact", 1 - float(mechanism.chance_within(error))),
            (f"{name}, drawn", float((found.errors > error).mean())),
        ):
            if chance >= 1e-4:
                rows.append({"which": which, "error": error, "chance": chance})
    return rows


CLAIMS: Mapping[str, Check] = {"many-queries": many_queries, "blr-draws": blr_draws}
