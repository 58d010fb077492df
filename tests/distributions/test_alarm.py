"""The judge itself: its rates are what alarm.py says."""

import math

import numpy as np
import pytest
from scipy import stats

from tests.distributions.alarm import MISS, PER_TEST, Alarm, divergence, draws_needed, limit, miss


@pytest.mark.parametrize("p", [0.001, 0.3, 0.5, 0.99])
@pytest.mark.parametrize("draws", [100, 10_000, 1_000_000])
def test_false_alarms_are_at_most_as_frequent_as_stated(p: float, draws: int) -> None:
    counts = np.arange(draws + 1)
    alarming = counts[draws * divergence(counts / draws, p) > limit(1)]
    assert stats.binom.pmf(alarming, draws, p).sum() <= PER_TEST


@pytest.mark.parametrize("claim", [0.303, 0.297])
def test_misses_are_at_most_as_frequent_as_stated(claim: float) -> None:
    draws = draws_needed(np.array([0.3]), [np.array([claim])])
    counts = np.arange(draws + 1)
    believed = counts[draws * divergence(counts / draws, claim) <= limit(1)]
    assert stats.binom.pmf(believed, draws, 0.3).sum() <= miss(draws, 1, 0.3, claim) <= MISS


def test_impossible_outcomes_are_infinitely_alarming() -> None:
    assert Alarm().rejects([1], 10**6, [0.0])
    assert not Alarm().rejects([0], 10**6, [0.0])
    assert math.isinf(float(divergence(0.5, 1.0)))


def test_a_test_has_one_decision_about_the_truth() -> None:
    alarm = Alarm()
    assert alarm.accepts([50], 100, [0.5])
    with pytest.raises(AssertionError, match="budget"):
        alarm.accepts([50], 100, [0.5])
