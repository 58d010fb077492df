"""Reference 19, Bassily and Smith (2015): how the error of succinct histograms scales."""

from __future__ import annotations

import math

import numpy as np

import noisewright as nw
from papers.claims import Check, Claim, Grid, Setting, judge

BITS, PEOPLE, EPSILON = 6, 2000, 0.5


def largest_error(people: int, bits: int, epsilon: float, rounds: int) -> float:
    """Return the mean over collections of the largest error among all 2^bits shares."""
    found: list[float] = []
    every = np.arange(1 << bits, dtype=np.uint64)
    random = np.random.default_rng(people + bits)
    for number in range(rounds):
        collection = nw.local.succinct_histogram(
            bits=bits, epsilon=epsilon, people=people, of="numbers", name=f"survey {number}"
        )
        codes = random.integers(0, 1 << bits, size=people)
        server = collection.server().add(collection.reports(codes))
        true = np.bincount(codes, minlength=1 << bits) / people
        found.append(float(np.abs(server.estimate(values=every).values - true).max()))
    return float(np.mean(found))


def slope(xs: list[float], errors: list[float]) -> float:
    """Return the slope of ln error in ln x, by least squares."""
    return float(np.polyfit(np.log(xs), np.log(errors), 1)[0])


def succinct_histograms(setting: Setting) -> Claim:
    """Return the slopes of the largest error in n, ln d and ε."""
    rounds = setting.pick(400, 100)
    people = [PEOPLE * 4**k for k in range(3)]
    domains = [4, 6, 8, 10, 12] if not setting.quick else [4, 6, 10]
    epsilons = [EPSILON / 2, EPSILON, 2 * EPSILON]
    in_people = [largest_error(n, BITS, EPSILON, rounds) for n in people]
    in_values = [largest_error(PEOPLE, bits, EPSILON, rounds) for bits in domains]
    in_epsilon = [largest_error(PEOPLE, BITS, epsilon, rounds) for epsilon in epsilons]
    slopes = {
        "n": slope([float(n) for n in people], in_people),
        "ln d": slope([math.log(2) * bits for bits in domains], in_values),
        "ε": slope(epsilons, in_epsilon),
    }
    near = (
        abs(slopes["n"] + 0.5) < 0.15
        and abs(slopes["ln d"] - 0.5) < 0.2
        and abs(slopes["ε"] + 1) < 0.2
    )
    rows = [
        [name, f"{wanted}", f"{slopes[name]:.2f}"]
        for name, wanted in (("n", "−1/2"), ("ln d", "1/2"), ("ε", "−1"))
    ]
    return Claim(
        "Reference 19",
        "the error of succinct histograms",
        "With one bit from each of n people, all shares of d values are known within "
        "O(√(ln d / n) / ε).",
        f"We took the mean of {rounds} largest errors around n = {PEOPLE:,}, d = 2^{BITS} and "
        f"ε = {EPSILON}, each time varying one of them. Slopes of logarithms: "
        + ", ".join(f"{slopes[name]:.2f} in {name}" for name in slopes)
        + ". For ε above 1 the factor is (e^ε + 1) / (e^ε − 1), which one bit cannot leave.",
        judge(near),
        grids=(Grid("Slopes of the largest error", ["in", "stated", "found"], rows),),
        numbers={f"slope in {name}": value for name, value in slopes.items()},
    )


CLAIMS: dict[str, Check] = {"succinct-histograms": succinct_histograms}
