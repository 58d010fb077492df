"""Do intervals of 95% hold? Every question that `estimate` answers, over a grid of hard cases.

    python -m benchmarks.coverage [--releases 600] [--only mean]

People from 2 to 100,000, shares from 0.1% to half, ε from 0.1 to 14, about the people and about
their population. A case is a truth, a mechanism and a question; its releases are simulated by their
counts through the known channel (the tests show that whole releases give the same), and each answer
counts how often its interval holds the truth. Required: 93% on average over the answers of each
question, and nowhere less than 90%.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

import noisewright as nw
from noisewright.estimation.channels.channel import channel_of
from noisewright.estimation.intervals.intervals import Sample
from noisewright.estimation.numbers.mean_curves import mean_curve
from noisewright.estimation.numbers.number_estimates import (
    answer_about_numbers,
    mean_with_noise,
    numbers_of,
    shares_of_groups as groups,
)
from noisewright.estimation.result import About, Axis
from noisewright.estimation.sets.item_shares import coins_of, shares_of_items, shares_of_pairs
from noisewright.estimation.shares.share_estimates import shares_from_counts

Array = NDArray[np.float64]
Random = np.random.Generator
Ends = tuple[Any, Any]

PEOPLE = (2, 3, 5, 10, 20, 50, 200, 1_000, 100_000)
SHARES = (0.001, 0.005, 0.02, 0.1, 0.3, 0.5)
EPSILONS = (0.1, 1.0, 4.0, 8.0, 14.0)
ABOUT: tuple[About, ...] = ("population", "people")
ON_AVERAGE, NOWHERE = 0.93, 0.90


@dataclass(frozen=True)
class Setting:
    """How many people, the share of the rare, ε, and about whom the answer is."""

    people: int
    share: float
    epsilon: float
    about: About


@dataclass(frozen=True)
class Covered:
    """How often the intervals of one case held, the least over its answers and on average."""

    question: str
    setting: Setting
    least: float
    mean: float
    releases: int

    @property
    def fails(self) -> bool:
        """Whether less than 90% of the intervals hold, beyond four standard errors of chance.

        Of 10,000 answers that hold 90% of the time a third of one would be called a failure.
        """
        return self.least < NOWHERE - 4 * np.sqrt(NOWHERE * (1 - NOWHERE) / self.releases)

    def __str__(self) -> str:
        s = self.setting
        return (
            f"{self.question:28} n={s.people:<7,} share={s.share:<6g} ε={s.epsilon:<4g} "
            f"{s.about:10} least {self.least:.3f}, mean {self.mean:.3f}"
        )


Question = Callable[[Setting, Random, int], NDArray[np.bool_]]
"""Simulates releases of a setting; returns which intervals held, a row for each release."""


def _counts(
    matrix: Array, shares: Array, setting: Setting, random: Random, releases: int
) -> tuple[NDArray[np.int64], Array]:
    """Return counts of released outputs, and the shares that are to be found."""
    outputs = matrix / matrix.sum(axis=1, keepdims=True)
    if setting.about == "population":
        likely = shares @ outputs
        return random.multinomial(setting.people, likely / likely.sum(), releases), shares
    inputs = random.multinomial(setting.people, shares)
    counts = np.zeros((releases, outputs.shape[1]), dtype=np.int64)
    for place in np.flatnonzero(inputs).tolist():
        counts += random.multinomial(int(inputs[place]), outputs[place], releases)
    return counts, inputs / setting.people


def _held(
    counts: NDArray[Any], truth: Any, answer: Callable[[NDArray[Any]], Ends]
) -> NDArray[np.bool_]:
    """Return which intervals held the truth; equal releases are answered once."""
    different, which = np.unique(counts, axis=0, return_inverse=True)
    held = [_inside(truth, answer(one)) for one in different]
    return np.array(held).reshape(len(different), -1)[which.reshape(-1)]


def _inside(truth: Any, ends: Ends) -> Any:
    low, high = ends
    close = 1e-9 * (1 + np.abs(truth))
    return (low - close <= truth) & (truth <= high + close)


@lru_cache
def _response(size: int, epsilon: float) -> Any:
    mechanism = nw.randomized_response(nw.Categories(range(size)), epsilon=epsilon)
    return mechanism.matrix, channel_of(mechanism)


@lru_cache
def _numbers(kind: str, epsilon: float) -> Any:
    """Numbers 0..12 with wide noise, or by randomized response."""
    space = nw.Counts(12)
    make: Any = nw.geometric if kind == "geometric" else nw.randomized_response
    factor = 12 if kind == "geometric" else 1
    mechanism = make(space, epsilon=epsilon / factor)
    return mechanism.matrix, channel_of(mechanism), numbers_of(space)


def _tail(share: float, size: int, kind: str) -> Array:
    """Return shares of numbers 0..size − 1: most at the low end, or spread; `share` at the top."""
    shares = np.zeros(size)
    if kind == "two points":
        shares[0] = 1
    elif kind == "constant":
        shares[size // 3] = 1
        return shares
    else:
        shares[:] = np.exp(-(((np.arange(size) - size / 3) / (size / 6)) ** 2))
        shares[-1] = 0
    shares *= (1 - share) / shares.sum()
    shares[-1] += share
    return shares


def shares_of_cells(sizes: Sequence[int]) -> Question:
    """Shares of one column, or of the cells of several."""

    def play(setting: Setting, random: Random, releases: int) -> NDArray[np.bool_]:
        parts = [_response(size, setting.epsilon / len(sizes)) for size in sizes]
        matrix: Any = np.ones((1, 1))
        shares: Any = np.ones(1)
        for rows, _ in parts:
            matrix = np.kron(matrix, rows)
        for size in sizes:
            rare = setting.share ** (1 / len(sizes))
            shares = np.kron(shares, [rare, *[(1 - rare) / (size - 1)] * (size - 1)])
        counts, truth = _counts(matrix, shares, setting, random, releases)
        axes = tuple(Axis(str(place), range(size)) for place, size in enumerate(sizes))

        def answer(one: NDArray[Any]) -> Ends:
            found = shares_from_counts(
                one.reshape(sizes),
                [channel for _, channel in parts],
                axes,
                Sample(setting.people, setting.about),
            )
            return found.lows.reshape(-1), found.highs.reshape(-1)

        return _held(counts, truth, answer)

    return play


def about_numbers(of: str, noise: str, kind: str, at: Any = None) -> Question:
    """A mean, a variance, quantiles or a histogram of numbers with a rare end."""

    def play(setting: Setting, random: Random, releases: int) -> NDArray[np.bool_]:
        matrix, channel, points = _numbers(noise, setting.epsilon)
        shares = _tail(setting.share, len(points), kind)
        counts, shares = _counts(matrix, shares, setting, random, releases)

        def answer(one: NDArray[Any]) -> Ends:
            found = answer_about_numbers(
                one,
                channel,
                nw.Counts(len(points) - 1),
                Sample(setting.people, setting.about),
                of=of,
                at=at,
            )
            return found.lows, found.highs

        return _held(counts, _truth(of, shares, points, at), answer)

    return play


def _truth(of: str, shares: Array, points: Array, at: Any) -> Any:
    mean = shares @ points
    if of == "mean":
        return mean
    if of == "variance":
        return shares @ (points - mean) ** 2
    if of == "quantiles":
        below = np.cumsum(shares)
        return points[[int(np.argmax(below >= level - 1e-12)) for level in at]]
    place = np.minimum(np.searchsorted(at, points, side="right"), len(at) - 1) - 1
    return np.bincount(place, weights=shares, minlength=len(at) - 1)


def items(*, pairs: bool) -> Question:
    """Shares of items of sets, or of pairs of items."""

    def play(setting: Setting, random: Random, releases: int) -> NDArray[np.bool_]:
        names = ["a", "b", "c"]
        coins = coins_of(nw.per_item(nw.Subsets(names, largest=2), epsilon=setting.epsilon))
        has = np.array(list(product([0, 1], repeat=3)), dtype=np.float64)
        chances = np.array([setting.share, 0.3, 0.5])
        shares = np.prod(has * chances + (1 - has) * (1 - chances), axis=1)
        kept = np.where(has[:, None, :] > 0, coins.present, coins.absent)
        matrix = np.prod(has[None] * kept + (1 - has[None]) * (1 - kept), axis=2)
        counts, truth = _counts(matrix, shares, setting, random, releases)
        both = np.einsum("ri,rj->rij", has, has)

        def answer(one: NDArray[Any]) -> Ends:
            sample = Sample(setting.people, setting.about)
            if pairs:
                tally = np.tensordot(one.astype(float), both, axes=1)
                found = shares_of_pairs(tally, coins, names, sample)
            else:
                axis = Axis("item", names)
                found = shares_of_items(one @ has, coins, axis, sample)
            return found.lows.reshape(-1), found.highs.reshape(-1)

        target = np.tensordot(truth, both, axes=1).reshape(-1) if pairs else truth @ has
        return _held(counts, target, answer)

    return play


def sets_with_codes(setting: Setting, random: Random, releases: int) -> NDArray[np.bool_]:
    """Shares of items of sets that are so few that each has a code."""
    members = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], dtype=np.float64)
    matrix, channel = _response(4, setting.epsilon)
    rare = setting.share
    shares = np.array([0.6 * (1 - rare), 0.6 * rare, 0.4 * (1 - rare), 0.4 * rare])
    counts, truth = _counts(matrix, shares, setting, random, releases)
    sample = Sample(setting.people, setting.about, 0.95)

    def answer(one: NDArray[Any]) -> Ends:
        _, _, lows, highs = groups(one / setting.people, channel, members, sample)
        return lows, highs

    return _held(counts, truth @ members, answer)


def fine_mean(setting: Setting, random: Random, releases: int) -> NDArray[np.bool_]:
    """The mean of numbers on a fine grid, with Laplace noise that is not bounded."""
    mechanism = nw.laplace(nw.Interval(0, 1, step="1/100000"), epsilon=setting.epsilon)
    releases = min(releases, max(40, 4_000_000 // setting.people))
    fixed = random.random(setting.people) < setting.share
    held: list[bool] = []
    for _ in range(releases):
        people = random.random(setting.people) < setting.share
        people = fixed if setting.about == "people" else people
        released = people + random.laplace(scale=1 / setting.epsilon, size=setting.people)
        truth = fixed.mean() if setting.about == "people" else setting.share
        spread = float(released.var(ddof=1)) if len(released) > 1 else None
        sample = Sample(len(released), setting.about)
        found = mean_with_noise(float(released.mean()), spread, mechanism, sample)
        held.append(bool(_inside(truth, found.interval)))
    return np.array(held)[:, None]


def curves(setting: Setting, random: Random, releases: int) -> NDArray[np.bool_]:
    """A mean curve at three positions: the rare are at the top all the time."""
    releases = min(releases, max(40, 2_000_000 // setting.people))
    noise = np.exp(-np.abs(np.subtract.outer(np.arange(3), np.arange(3)))) / setting.epsilon**2
    root = np.linalg.cholesky(noise)
    fixed = (random.random(setting.people) < setting.share).astype(float)
    held: list[Any] = []
    for _ in range(releases):
        people = (random.random(setting.people) < setting.share).astype(float)
        people = fixed if setting.about == "people" else people
        values = people[:, None] + random.standard_normal((setting.people, 3)) @ root.T
        truth = fixed.mean() if setting.about == "people" else setting.share
        found = mean_curve(
            values,
            noise,
            np.arange(3.0),
            (0.0, 1.0),
            Sample(len(values), setting.about),
            together=False,
        )
        held.append(_inside(truth, (found.lows, found.highs)))
    return np.array(held)


def several_rows(of: str) -> Question:
    """Answers about a population of which each person has four rows that are all alike."""

    def play(setting: Setting, random: Random, releases: int) -> NDArray[np.bool_]:
        size, rows = 13, 4
        persons = max(setting.people // rows, 1)
        matrix, channel, points = _numbers("geometric" if of == "mean" else "", setting.epsilon)
        outputs = matrix / matrix.sum(axis=1, keepdims=True)
        shares = _tail(setting.share, size, "spread")
        inputs = rows * random.multinomial(persons, shares, releases)
        counts = np.zeros((releases, size), dtype=np.int64)
        for place, row in enumerate(outputs):
            counts += random.multinomial(inputs[:, place], row)

        def answer(one: NDArray[Any]) -> Ends:
            if of == "mean":
                found = answer_about_numbers(
                    one,
                    channel,
                    nw.Counts(len(points) - 1),
                    Sample(int(one.sum()), "population", rows=rows),
                    of="mean",
                )
            else:
                axis = Axis("value", range(size))
                found = shares_from_counts(
                    one,
                    [channel],
                    (axis,),
                    Sample(int(one.sum()), "population", rows=rows),
                )
            return found.lows, found.highs

        return _held(counts, shares @ points if of == "mean" else shares, answer)

    return play


EDGES = [0.0, 3.0, 6.0, 9.0, 12.0]
QUESTIONS: dict[str, Question] = {
    "shares of 2": shares_of_cells([2]),
    "shares of 20": shares_of_cells([20]),
    "joint table 3 × 4": shares_of_cells([3, 4]),
    "items": items(pairs=False),
    "pairs of items": items(pairs=True),
    "items of few sets": sets_with_codes,
    "mean, response, two points": about_numbers("mean", "response", "two points"),
    "mean, geometric, two points": about_numbers("mean", "geometric", "two points"),
    "mean, response, spread": about_numbers("mean", "response", "spread"),
    "mean, geometric, spread": about_numbers("mean", "geometric", "spread"),
    "mean, geometric, constant": about_numbers("mean", "geometric", "constant"),
    "mean, fine grid": fine_mean,
    "variance, response": about_numbers("variance", "response", "spread"),
    "variance, geometric": about_numbers("variance", "geometric", "spread"),
    "quantiles, response": about_numbers("quantiles", "response", "spread", [0.1, 0.5, 0.9]),
    "quantiles, geometric": about_numbers("quantiles", "geometric", "spread", [0.1, 0.5, 0.9]),
    "histogram, response": about_numbers("histogram", "response", "two points", EDGES),
    "histogram, geometric": about_numbers("histogram", "geometric", "spread", EDGES),
    "mean curve": curves,
    "shares, four rows a person": several_rows("shares"),
    "mean, four rows a person": several_rows("mean"),
}


def settings(question: str) -> Iterator[Setting]:
    """Yield the hard cases of a question; those of several rows are about a population."""
    for people, share, epsilon, about in product(PEOPLE, SHARES, EPSILONS, ABOUT):
        if "rows a person" in question and (about == "people" or people < 8):
            continue
        yield Setting(people, share, epsilon, about)


def covered(question: str, setting: Setting, releases: int, seed: int = 1) -> Covered:
    """Simulate releases of one case."""
    key = [seed, setting.people, int(1e6 * setting.share), int(10 * setting.epsilon)]
    held = QUESTIONS[question](setting, np.random.default_rng(key), releases)
    rates = held.mean(axis=0)
    return Covered(question, setting, float(rates.min()), float(rates.mean()), len(held))


def grid(releases: int, only: str = "") -> int:
    """Run the grid; return whether intervals hold less often than they must somewhere."""
    failed = 0
    for question in (one for one in QUESTIONS if only in one):
        found = [covered(question, setting, releases) for setting in settings(question)]
        worst = min(found, key=lambda one: one.least)
        average = float(np.mean([one.mean for one in found]))
        print(f"{question:28} {len(found):4} cases: {average:.3f} on average; worst: {worst}")
        for one in (one for one in found if one.fails):
            print(f"  BELOW 90%: {one}")
            failed = 1
        failed |= average < ON_AVERAGE
    return failed


def main() -> int:
    """Run the grid as asked on the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--releases", type=int, default=600)
    parser.add_argument("--only", default="", help="questions whose name has this in it")
    given = parser.parse_args()
    return grid(given.releases, given.only)


if __name__ == "__main__":
    raise SystemExit(main())
