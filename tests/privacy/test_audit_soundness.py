"""A stated lower bound exceeds the true ε no more often than it says.

The confidence is low here, so that failures would be seen. Each audit of a sound client refutes the
truth with probability at most 1 − confidence, so the number of refutations is below a binomial; a
count that such a binomial reaches with probability at most 1e-12 raises the alarm.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.privacy.audits import audit as auditing
from tests.privacy import clients

RUNS = 150
CONFIDENCE = Fraction(3, 4)
ALARM = Fraction(1, 10**12)


def most_refutations() -> int:
    """The least count whose excess has a probability of at most 1e-12 among so many runs."""
    p = 1 - CONFIDENCE
    tail = Fraction(0)
    for count in range(RUNS, -1, -1):
        tail += math.comb(RUNS, count) * p**count * (1 - p) ** (RUNS - count)
        if tail > ALARM:
            return count
    raise AssertionError


CLIENTS: dict[str, tuple[clients.Sampler, float, list[int], str]] = {
    "response of 2": (*clients.response(2, 0.5), [0, 1], "replace"),
    "response of 6": (*clients.response(6, 0.3), [0, 1, 2, 5], "replace"),
    "equal for all": (*clients.response(40, 0.0), [0, 1], "replace"),
    "geometric": (*clients.geometric_noise(0.7), [0, 1, 2], "adjacent"),
    "unary": (*clients.unary(6, 0.5, 0.2), [0, 1, 2], "replace"),
    "symmetric unary": (*clients.unary(12, 0.7, 0.3), [0, 1], "replace"),
}


@pytest.mark.parametrize("name", CLIENTS)
def test_a_true_claim_is_seldom_refuted(name: str) -> None:
    """False alarm: at most 1e-12 for each client."""
    sampler, epsilon, inputs, neighbors = CLIENTS[name]
    # True values are rounded to doubles; a refutation by less than that says nothing.
    truth = epsilon + 1e-9
    refuted = sum(
        nw.audit(sampler, inputs, draws=600, confidence=CONFIDENCE, neighbors=neighbors).refutes(
            truth
        )
        for _ in range(RUNS)
    )
    assert refuted <= most_refutations()


def test_the_alarm_would_ring_for_events_tested_on_the_draws_that_chose_them() -> None:
    """A client with 2,000 equal outputs whose test draws repeat the first: nearly all are wrong."""
    sampler, _ = clients.response(2000, 0.0)

    def run() -> bool:
        kept: dict[int, Any] = {}

        def repeating(value: int, count: int) -> Any:
            if value not in kept:
                kept[value] = sampler(value, count)
            return kept[value]

        return nw.audit(repeating, [0, 1], draws=600, confidence=CONFIDENCE).refutes("1e-9")

    assert sum(run() for _ in range(RUNS)) > most_refutations()


def test_bounds_hold_together() -> None:
    """Each of up to eight events has two bounds, and each fails in at most 1/16 of the rest."""
    seen: list[Fraction] = []

    def spied(hits: int, draws: int, *, error: Fraction) -> Fraction:
        seen.append(error)
        return original(hits, draws, error=error)

    original = auditing.share_floor
    sampler, _ = clients.unary(6, 0.5, 0.2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(auditing, "share_floor", spied)
        audit = nw.audit(sampler, range(4), draws=2000, confidence="0.99")
    assert len(seen) == len(audit.witnesses) <= 8
    assert 2 * sum(seen) == Fraction(1, 100)


def test_the_test_is_made_of_draws_that_came_after_the_choice() -> None:
    """Outputs that change their meaning after the first half show nothing."""
    asked: dict[int, Iterator[int]] = {0: iter([0, 1]), 1: iter([1, 0])}
    audit = nw.audit(lambda v, n: np.full(n, next(asked[v])), [0, 1], draws=1000)
    assert audit.lower == 0
