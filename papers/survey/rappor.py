"""References 17 and 18: RAPPOR's simulations, unknown texts, and associations."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

import noisewright as nw
from noisewright.report import save_chart
from papers.claims import Check, Claim, Grid, Picture, Setting, judge
from papers.survey.charts import lines
from papers.survey.exponential import SEED

Array = NDArray[np.float64]

NOT_READ = (
    "The numbers of the paper are quoted from memory: its text was not at hand when this was "
    "written."
)
LEVEL = 0.05


def source(name: str) -> nw.randomness.SeededSource:
    """Bits that make a page come out the same each time; nobody's data are here."""
    return nw.randomness.SeededSource(f"{SEED} {name}")


def draw(shares: Array, people: int, name: str) -> NDArray[np.int64]:
    """Values of so many people."""
    return np.random.default_rng([SEED, *name.encode()]).choice(shares.size, people, p=shares)


def expected_finds(made: nw.local.Rappor, shares: Array, people: int, candidates: int) -> float:
    """How many values least squares should find: P(estimate > threshold), summed up.

    Rows are weighted alike, and columns share some bits: the variance grows by 1 / (1 − M/rows).
    """
    low, gap, normal = float(made.chance_unset), float(made.gap), NormalDist()
    rows = made.bits * made.cohorts
    variance = low * (1 - low) / gap**2 / made.hashes / people / (1 - candidates / rows)
    threshold = -normal.inv_cdf(LEVEL / candidates)
    return sum(normal.cdf(share / math.sqrt(variance) - threshold) for share in shares.tolist())


def lifetime(setting: Setting) -> Claim:
    """ε for one report, for T reports and for life."""
    half = nw.local.rappor(bits=128, hashes=2, cohorts=8, f="1/2", p="1/2", q="3/4")
    more = nw.local.rappor(bits=128, hashes=2, cohorts=8, f="3/4", p="1/2", q="3/4")
    values = {"one": half.epsilon_one, "forever": half.epsilon_forever}
    values |= {"one_f_3_4": more.epsilon_one, "forever_f_3_4": more.epsilon_forever}
    numbers = {name: float(value) for name, value in values.items() if value is not None}
    low, high = float(half.chance_unset), float(half.chance_set)
    printed = 2 * math.log(high * (1 - low) / (low * (1 - high)))
    limit = 4 * math.log(0.75 / 0.25)
    times = (1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 50)
    curve = {t: float(half.epsilon_after(reports=t) or 0) for t in times}
    rows = [
        {"T": t, "ε": value, "which": name}
        for t in times
        for name, value in (
            ("exact", curve[t]),
            ("T times that of one report", min(t * curve[1], 2 * limit)),
            ("for life", limit),
        )
    ]
    chart = lines(
        rows, x="T", y="ε", color="which", x_title="reports of an unchanged value", y_title="ε"
    )
    save_chart(chart, setting.out / "rappor-lifetime.png")
    proven = all(nw.check(half.certify(reports=t)) for t in (1, 10, None))
    agree = abs(numbers["one"] - printed) < 1e-9 and abs(numbers["forever"] - limit) < 1e-9
    rising = all(a < b <= limit for a, b in itertools.pairwise(curve.values()))
    return Claim(
        "Reference 17, Theorems 1 and 2",
        "what a report, and a lifetime of reports, give away",
        "One report is ε₁-private with ε₁ = h ln(q*(1 − p*) / (p*(1 − q*))), any number of reports "
        "of an unchanged value ε∞-private with ε∞ = 2h ln((1 − f/2) / (f/2)).",
        f"With f = 1/2, p = 1/2, q = 3/4 and two hashes ε₁ = {numbers['one']:.4f} and ε∞ = "
        f"{numbers['forever']:.4f}; with f = 3/4 they are {numbers['one_f_3_4']:.4f} and "
        f"{numbers['forever_f_3_4']:.4f}. The exact curve between them (picture): "
        + ", ".join(f"{curve[t]:.3f} after {t}" for t in (2, 5, 10, 30))
        + " reports. The stand-alone checker proves all of them. They say nothing about a value "
        "that changes.",
        judge(agree, more=proven and rising),
        instead="for T reports, e^ε(T) = (r s)^h with r = ((1 − g) q^T + g p^T) / (g q^T + (1 − g) "
        "p^T), g = f/2, and s the same for zeros: exact for every T where 2h ≤ bits.",
        pictures=(Picture("rappor-lifetime.png", "ε after T reports of a value, f = 1/2."),),
        numbers={**numbers, "after_5": curve[5], "after_30": curve[30]},
    )


def normal_values(setting: Setting) -> Claim:
    """Normal(50, 10) by basic one-time RAPPOR."""
    labels = [str(value) for value in range(101)]
    made = nw.local.rappor(candidates=labels, f=0, p="1/2", q="3/4")
    density = np.exp(-((np.arange(101) - 50) ** 2) / 200)
    shares = density / density.sum()
    grid: list[list[object]] = []
    rows: list[dict[str, Any]] = []
    squares: list[float] = []
    errors: list[float] = []
    sizes: tuple[int, ...] = setting.pick((10_000, 100_000, 1_000_000), (1_000, 10_000, 100_000))
    for people in sizes:
        codes = draw(shares, people, f"normal {people}")
        reports = made.reports(np.array(labels)[codes], source=source(f"normal {people}"))
        found = made.decode(made.count(reports))
        off = found.estimate.values - shares
        errors.append(float(np.sqrt((off**2).mean())))
        squares.append(float(((off / found.estimate.standard_errors) ** 2).mean()))
        grid.append([f"{people:,}", errors[-1], squares[-1], int(found.detected.sum())])
        rows += [
            {"value": x, "share": float(y), "which": f"{people:,} people"}
            for x, y in enumerate(found.estimate.values)
        ]
    rows += [{"value": x, "share": float(y), "which": "true"} for x, y in enumerate(shares)]
    chart = lines(rows, x="value", y="share", color="which", x_title="value", y_title="share")
    save_chart(chart, setting.out / "rappor-normal.png")
    slope = math.log(errors[0] / errors[2]) / math.log(100)
    fair = all(0.3 < one < 2.2 for one in squares) and 0.4 < slope < 0.6
    epsilon = made.epsilon_one
    return Claim(
        "Reference 17, simulation of a normal distribution",
        "one million reports show a bell",
        "Basic one-time RAPPOR with p = 1/2 and q = 3/4 (ε = ln 3) learns Normal(50, 10) from "
        "10^4, 10^5 and 10^6 reports: hardly, roughly, and well. " + NOT_READ,
        f"ε = {epsilon}. The error falls like people^−{slope:.2f} (the square root is 0.5), and is "
        "as large as stated: squared errors in units of their variances are near 1 on average.",
        judge(fair and str(epsilon) == "ln(3)"),
        pictures=(Picture("rappor-normal.png", "Estimated shares, and the true ones."),),
        grids=(
            Grid(
                "Estimates of 101 shares",
                ("people", "root mean square error", "mean z²", "values detected"),
                grid,
            ),
        ),
        numbers={"slope": slope, "error": errors[2]},
    )


def exponential_texts(setting: Setting) -> Claim:
    """100 texts with exponential shares among 200 candidates."""
    shares = np.exp(-np.arange(1, 101) / 20)
    shares /= shares.sum()
    labels = [f"v{i}" for i in range(1, 101)]
    candidates = labels + [f"nobody {i}" for i in range(100)]
    grid: list[list[object]] = []
    numbers: dict[str, float] = {}
    close, quiet = True, 0
    people = setting.pick(1_000_000, 200_000)
    for name, f in (("one-time", "0"), ("f = 1/2", "1/2")):
        made = nw.local.rappor(bits=128, hashes=2, cohorts=8, f=f, p="1/2", q="3/4")
        values = np.array(labels)[draw(shares, people, f"exponential {f}")]
        start = time.perf_counter()
        counts = made.count(made.reports(values, source=source(f"exponential {f}")))
        found = made.decode(counts, candidates).found
        took = time.perf_counter() - start
        false = sum(one not in labels for one in found)
        wanted = expected_finds(made, shares, people, len(candidates))
        close &= abs(len(found) - wanted) < 8
        quiet += false
        epsilon, forever = made.epsilon_one, made.epsilon_forever
        costs = str(epsilon), "no bound" if forever is None else str(forever)
        finds = len(found) - false, round(wanted, 1), false, round(took, 1)
        grid.append([name, *costs, *finds])
        numbers |= {
            f"found at f = {f}": float(len(found) - false),
            f"false at f = {f}": float(false),
        }
    full = people < 1_000_000 or 40 <= numbers["found at f = 0"] <= 54
    return Claim(
        "Reference 17, simulation of exponential texts",
        "about half of 100 texts",
        "With 10^6 reports of 128 bits, two hashes and 8 cohorts about 47 of 100 texts with "
        "exponential shares are found, and 2 that nobody has. " + NOT_READ,
        f"From {people:,} people with shares ∝ e^(−i/20), among 200 candidates, at p = 1/2 and q = "
        "3/4: the table. Which f the paper took could not be read: one-time reports, without a "
        "permanent response, come near its number; with f = 1/2 the signal is half as strong. Both "
        "are what the variance of least squares predicts, tested one-sided at 0.05 by Bonferroni.",
        judge(close and quiet <= 2 and full),
        grids=(
            Grid(
                "Texts found",
                ("reports", "ε₁", "ε∞", "found", "expected", "false", "seconds"),
                grid,
            ),
        ),
        numbers={**numbers, "people": float(people)},
    )


def distributions(size: int) -> dict[str, Array]:
    """The five distributions of the public repository's regression test."""
    x = np.arange(1, size + 1)
    found = {
        "uniform": np.ones(size),
        "exponential": np.exp(-5 * x / size),
        "normal": np.exp(-(((x - size / 2) / (size / 6)) ** 2) / 2),
        "Zipf 1": 1 / x,
        "Zipf 1.5": 1 / x**1.5,
    }
    return {name: weights / weights.sum() for name, weights in found.items()}


def regression_grid(setting: Setting) -> Claim:
    """Five distributions, 10% of the candidates missing, 20 that nobody has."""
    people = setting.pick(1_000_000, 100_000)
    labels = [f"v{i}" for i in range(1, 101)]
    candidates = [one for one in labels if not one.endswith("9")] + [f"n{i}" for i in range(20)]
    grid: list[list[object]] = []
    false = total = 0
    squares: list[float] = []
    for bits, cohorts in ((128, 8), (8, 128)):
        made = nw.local.rappor(bits=bits, hashes=2, cohorts=cohorts, f="0.45", p="0.39", q="0.61")
        for name, shares in distributions(100).items():
            key = f"grid {bits} {name}"
            values = np.array(labels)[draw(shares, people, key)]
            counts = made.count(made.reports(values, source=source(key)))
            found = made.decode(counts, candidates)
            truth = np.array([shares[int(c[1:]) - 1] if c[0] == "v" else 0.0 for c in candidates])
            z = (found.estimate.values - truth) / found.estimate.standard_errors
            squares.append(float((z**2).mean()))
            wrong = sum(one[0] == "n" for one in found.found)
            false, total = false + wrong, total + len(found.found)
            finds = len(found.found) - wrong, wrong
            grid.append([f"{cohorts} × {bits}", name, *finds, squares[-1], found.misfit])
    epsilon = nw.local.rappor(bits=8, hashes=2, f="0.45", p="0.39", q="0.61")
    one, forever = (float(e or 0) for e in (epsilon.epsilon_one, epsilon.epsilon_forever))
    return Claim(
        "Reference 17, regression test of the public repository",
        "five distributions with candidates missing",
        "With (p, q, f) = (0.39, 0.61, 0.45), called ε₁ = 1 and ε∞ = 5, and every tenth candidate "
        "missing, values are decoded all the same. Its results are not at hand; its name “8x128” "
        "is read in two ways, 8 cohorts of 128 bits and 128 cohorts of 8 bits: both are run.",
        f"ε₁ = {one:.4f} and ε∞ = {forever:.4f} are near the names. From {people:,} people, among "
        f"110 candidates: {total - false} finds in ten runs, {false} of them false. Errors are as "
        f"large as stated (mean z² from {min(squares):.2f} to {max(squares):.2f}); χ²/df is above "
        "1 where missing values are common.",
        judge(false <= 3 and max(squares) < 2.5 and total > 0),
        grids=(
            Grid(
                "Values found",
                ("cohorts × bits", "shares", "found", "false", "mean z²", "χ²/df"),
                grid,
            ),
        ),
        numbers={"false": float(false), "found": float(total - false), "one": one},
    )


def unknown_texts(setting: Setting) -> Claim:
    """Texts of six letters that nobody listed."""
    letters = setting.pick("abcdefghijklmnopqrstuvwxyz", "abcdef")
    people = setting.pick(100_000, 20_000)
    chance = np.random.default_rng(SEED)
    texts = sorted({"".join(chance.choice(list(letters), 6)) for _ in range(setting.pick(50, 12))})
    shares = 1 / np.arange(1, len(texts) + 1) ** 1.2
    shares /= shares.sum()
    part = nw.local.rappor(bits=64, hashes=2, cohorts=16, f=0, p="1/4", q="3/4")
    made = nw.local.discovery(alphabet=letters, length=6, whole=part, part=part)
    values = np.array(texts)[draw(shares, people, "texts")].tolist()
    start = time.perf_counter()
    found = made.discover(made.reports(values, source=source("texts")))
    took = time.perf_counter() - start
    counts = part.count(part.reports(values, source=source("known texts")))
    known = part.decode(counts, texts)
    right = [one for one in found.found if one in texts]
    epsilon = float(made.epsilon_after(reports=1) or 0)
    best = texts[: min(5, len(texts))]
    return Claim(
        "Reference 18, discovery of texts",
        "texts that nobody listed, from pairs of bigrams",
        "Reports of a text and of two of its n-grams are enough to find frequent texts without a "
        "dictionary. The paper's tables are not at hand; this is a simulation of the same kind.",
        f"{people:,} people with {len(texts)} texts of six of {len(letters)} letters, shares ∝ "
        f"i^−1.2: {len(right)} texts are found, and {len(found.found) - len(right)} that nobody "
        f"has, from {found.edges} edges and {len(found.candidates)} candidates, in {took:.1f} s. "
        f"With the dictionary {len(known.found)} are found. It takes three reports, ε = "
        f"{epsilon:.2f} in all.",
        judge(set(best) <= set(right) and len(found.found) - len(right) <= 1),
        numbers={
            "found": float(len(right)),
            "false": float(len(found.found) - len(right)),
            "with_dictionary": float(len(known.found)),
            "candidates": float(len(found.candidates)),
            "epsilon": epsilon,
        },
    )


def associations(setting: Setting) -> Claim:
    """The test of independence: its level, and what it finds."""
    repeats, people = setting.pick(400, 40), setting.pick(10_000, 4_000)
    made = nw.local.rappor(bits=16, hashes=2, cohorts=8, f="1/4", p="1/4", q="3/4")
    labels: tuple[Sequence[str], Sequence[str]] = (list("abcd"), list("xyz"))
    chance = np.random.default_rng(SEED)
    grid: list[list[object]] = []
    rates: dict[float, float] = {}
    for strength in (0.0, 0.1, 0.2, 0.4):
        low = 0
        for number in range(repeats):
            first = chance.choice(4, people, p=[0.4, 0.3, 0.2, 0.1])
            second = chance.choice(3, people, p=[0.5, 0.3, 0.2])
            second = np.where(chance.random(people) < strength, first % 3, second)
            bits = source(f"pairs {strength} {number}")
            reports = (
                made.reports(np.array(labels[0])[first], source=bits),
                made.reports(np.array(labels[1])[second], source=bits),
            )
            found = made.associate(made, reports=reports, candidates=labels, others=False)
            low += found.p_value < LEVEL
        rates[strength] = low / repeats
        grid.append([strength, rates[strength]])
    # Six deviations of a binomial count at the level.
    allowed = LEVEL + 6 * math.sqrt(LEVEL * (1 - LEVEL) / repeats)
    return Claim(
        "Reference 18, associations",
        "a χ² test of independence from noisy reports",
        "The joint distribution of two variables follows by EM, and a χ² test with the covariance "
        "from the information matrix tells whether they are independent. " + NOT_READ,
        f"In {repeats} collections of {people:,} people each, tested at {LEVEL}: independent "
        f"variables are rejected in {rates[0.0]:.1%}, dependent ones as in the table. Ours takes "
        "the information at independence (a score test), since a share that is estimated as 0 has "
        "no normal error.",
        judge(rates[0.0] <= allowed and rates[0.4] > 0.9 and rates[0.4] >= rates[0.1]),
        grids=(Grid("Rejected", ("share of people with equal values", "rejected"), grid),),
        numbers={"level": rates[0.0], "power": rates[0.4]},
    )


CLAIMS: Mapping[str, Check] = {
    "rappor-lifetime": lifetime,
    "rappor-normal": normal_values,
    "rappor-exponential": exponential_texts,
    "rappor-grid": regression_grid,
    "rappor-unknown": unknown_texts,
    "rappor-associations": associations,
}
