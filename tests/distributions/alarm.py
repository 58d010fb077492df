"""How the statistical tests decide, and what they may cost.

The budget, in one place: a run of the whole suite raises a false alarm with probability at most
1e-9. Each test may make one decision about the truth (`Alarm.accepts`), at a false-alarm rate of
1e-12, and there are at most 1,000 tests; conftest.py counts them. The same decision must reject
each wrong claim (`Alarm.rejects`), and before anything is drawn it is proven that a wrong claim
slips through with probability at most 1e-12.

The rule: with n draws and an event of probability p, the observed frequency f satisfies
P(n · KL(f, p) > L) ≤ 2 e^-L (Chernoff, both sides), whatever n and p. With m events at once,
L = ln(2m / 1e-12). The probabilities are floats with errors far below 1e-9 of their spread,
which changes the rates above by less than a millionth part.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

SUITE = 1e-9
PER_TEST = 1e-12
MISS = 1e-12

Frequencies = NDArray[np.float64]


def divergence(f: ArrayLike, p: ArrayLike) -> Frequencies:
    """KL(f, p) of two coins; infinite if f is impossible under p."""
    f, p = np.asarray(f, dtype=float), np.asarray(p, dtype=float)

    def part(a: Frequencies, b: Frequencies) -> Frequencies:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(a > 0, a * np.log(a / b), 0.0)

    return part(f, p) + part(1 - f, 1 - p)


def limit(events: int) -> float:
    return math.log(2 * events / PER_TEST)


def miss(draws: int, events: int, truth: float, claim: float) -> float:
    """A bound on the probability that draws from `truth` look like `claim` on this event."""
    # The claim is believed up to a frequency `edge` between the two; beyond it lies the truth.
    believed, disbelieved = claim, truth
    if draws * float(divergence(truth, claim)) <= limit(events):
        return 1.0
    for _ in range(100):
        edge = (believed + disbelieved) / 2
        if edge in (believed, disbelieved):
            break  # no double lies between them
        if draws * float(divergence(edge, claim)) <= limit(events):
            believed = edge
        else:
            disbelieved = edge
    return math.exp(-draws * float(divergence(disbelieved, truth)))


def draws_needed(truth: Frequencies, claims: Sequence[Frequencies]) -> int:
    """Enough draws to reject each claim, by its most telling event."""
    worst = 1
    for claim in claims:
        event = int(np.argmax(divergence(truth, claim)))
        first, second = float(truth[event]), float(claim[event])
        draws = 1024
        while miss(draws, truth.size, first, second) > MISS:
            draws = draws * 5 // 4
        fewer = draws * 9 // 10
        worst = max(worst, fewer if miss(fewer, truth.size, first, second) <= MISS else draws)
    return worst


@dataclass
class Alarm:
    """One decision about the truth, and as many as one likes about what is false."""

    spent: bool = field(default=False, init=False)

    def judge(
        self,
        draw: Callable[[int], ArrayLike],
        truth: ArrayLike,
        claims: Sequence[ArrayLike],
        *,
        most: int = 1 << 27,
    ) -> None:
        """Draw, then accept the truth and reject every claim.

        `draw(n)` returns how often each event happened in n draws.
        """
        true = np.asarray(truth, dtype=float)
        wrong = [np.asarray(claim, dtype=float) for claim in claims]
        draws = draws_needed(true, wrong)
        assert draws <= most, f"{draws:,} draws are needed: choose more telling events"
        counts = np.zeros(true.shape)
        for start in range(0, draws, 1 << 21):
            counts += np.asarray(draw(min(1 << 21, draws - start)))
        assert self.accepts(counts, draws, true), "the truth was rejected"
        for claim in wrong:
            assert self.rejects(counts, draws, claim), "a wrong claim was accepted"

    def accepts(self, counts: ArrayLike, draws: int, truth: ArrayLike) -> bool:
        assert not self.spent, "a test has one decision about the truth: budget it in alarm.py"
        self.spent = True
        return not self.rejects(counts, draws, truth)

    def rejects(self, counts: ArrayLike, draws: int, claim: ArrayLike) -> bool:
        frequencies = np.asarray(counts, dtype=float) / draws
        evidence = draws * divergence(frequencies, claim)
        return bool((evidence > limit(evidence.size)).any())
