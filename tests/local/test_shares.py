"""Shares of collected values: errors of the formulas, intervals that cover, detection by Holm."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from benchmarks.local_accuracy import measure
from noisewright.errors import InputError, NoisewrightError, OutsideSpaceError, ParameterError
from noisewright.local.shares import binomial_tails

METHODS = ["response", "projective", "hadamard", "unary", "symmetric unary", "subset", "hashing"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("values", "epsilon"), [(10, 2.0), (100, 0.5), (1000, 1.0)])
def test_errors_and_intervals(method: str, values: int, epsilon: float) -> None:
    """The mean of thousands of squared errors, within 5% and seven standard errors of itself.

    `make bench` looks at the whole grid. The mean of so many is nearly normal: a false alarm has a
    probability below 1e-11. Of N intervals a share below 0.9 or above 0.99 never happens by chance.
    """
    many = {10: 250, 100: 40, 1000: 8}[values]
    found = measure(method, values, epsilon, collections=many, people=400)
    assert abs(found.off) <= 0.05 + 7 * found.noise + 7 * math.sqrt(2 / (many * values))
    assert 0.9 <= found.covered <= 0.99


@pytest.mark.parametrize("method", METHODS)
def test_detection_keeps_its_family_wise_error(method: str) -> None:
    """Nobody has 8 of 9 values: 300 collections at 0.8 have few false detections.

    P(a false one) ≤ 0.2; 300 KL(120 / 300, 0.2) > 28, so that 120 happen with probability < 1e-12.
    """
    collected = nw.local.frequencies(nw.Counts(8), epsilon=2, method=method)
    wrong = right = 0
    for _ in range(300):
        server = collected.server().add(collected.reports(np.full(400, 3)))
        found = server.detect(confidence=0.8)
        wrong += any(label != 3 for label in found.labels)
        right += 3 in found.labels
    assert wrong < 120
    assert right == 300


@pytest.mark.parametrize(("people", "chance"), [(1, 0.5), (9, 0.3), (60, 0.02), (200, 0.9)])
def test_tails_are_those_of_the_binomial_law(people: int, chance: float) -> None:
    masses = [
        math.comb(people, c) * chance**c * (1 - chance) ** (people - c) for c in range(people + 1)
    ]
    exact = np.cumsum(masses[::-1])[::-1]
    found = binomial_tails(np.arange(people + 1), people, chance)
    assert (found >= exact * (1 - 1e-9)).all()
    spread = math.sqrt(people * chance * (1 - chance))
    above = np.arange(people + 1) > people * chance + max(1, spread)
    assert found[above] == pytest.approx(exact[above], rel=1e-6)


def test_tails_of_many_people_are_no_smaller_than_true() -> None:
    """10^12 reports, at once: a little above the normal law."""
    people, chance = 10**12, 0.25
    spread = math.sqrt(people * chance * (1 - chance))
    for z in (2.0, 4.0):
        count = np.array([round(people * chance + z * spread)])
        normal = 0.5 * math.erfc(z / math.sqrt(2))
        assert normal <= binomial_tails(count, people, chance)[0] <= 1.3 * normal


@pytest.mark.parametrize("method", METHODS)
def test_shares_of_all_methods_agree(method: str) -> None:
    """At an ε of 20 hardly anything is random."""
    collected = nw.local.frequencies(nw.Categories(["a", "b", "c"]), epsilon=20, method=method)
    server = collected.server().add(collected.reports(["a"] * 600 + ["b"] * 400))
    answer = server.estimate()
    if method in ("response", "projective"):
        assert answer.values == pytest.approx([0.6, 0.4, 0], abs=1e-3)
    projected = server.estimate(method="projected")
    assert projected.values.sum() == pytest.approx(1)
    assert (projected.values >= 0).all()


def test_empty_inputs_have_no_answer() -> None:
    collected = nw.local.frequencies(nw.Counts(9), epsilon=1)
    assert len(collected.reports([])) == 0
    server = collected.server().add(collected.reports([]))
    for ask in (server.estimate, server.detect, lambda: server.robust(fakes=0.1)):
        with pytest.raises(InputError, match="no report is counted"):
            ask()


@pytest.mark.parametrize(
    "value", [math.nan, "unseen", None, 10, -1, 1.5, b"x", [1], {"a": 1}, True, 10**30]
)
def test_values_outside_of_the_space_are_refused_and_not_shown(value: Any) -> None:
    collected = nw.local.frequencies(nw.Counts(9), epsilon=1)
    client = collected.client()
    for ask in (lambda: client.report(value), lambda: collected.reports([value, 3])):
        with pytest.raises((OutsideSpaceError, InputError, ParameterError)) as raised:
            ask()
        assert "unseen" not in str(raised.value)


@pytest.mark.parametrize(
    "options",
    [
        {"epsilon": 0},
        {"epsilon": -1},
        {"epsilon": math.nan},
        {"epsilon": math.inf},
        {"epsilon": "x"},
        {"epsilon": 1e-30},
        {"epsilon": 1, "method": "rappor"},
        {"epsilon": 1, "name": 3},
        {"epsilon": 1, "name": "x" * 1000},
    ],
)
def test_settings_are_checked(options: dict[str, Any]) -> None:
    with pytest.raises(NoisewrightError):
        nw.local.frequencies(nw.Counts(9), **options)


@pytest.mark.parametrize("people", [0, -1, 1.5, True, "9", None])
def test_plans_need_people(people: Any) -> None:
    with pytest.raises(NoisewrightError):
        nw.local.frequencies(nw.Counts(9), epsilon=1).plan(people=people)


def test_plans_say_what_happens() -> None:
    """The smallest detectable share is found in four of five collections, as is said.

    15 or fewer of 60 happen with probability below 1e-15 (60 KL(¼, 0.8) > 40).
    """
    collected = nw.local.frequencies(nw.Counts(29), epsilon=2)
    plan = collected.plan(people=4000)
    assert plan.people_for(plan.standard_error) == pytest.approx(4000, abs=1)
    share = round(4000 * plan.smallest_detectable)
    codes = np.concatenate([np.full(share, 7), np.zeros(4000 - share, dtype=int)])
    found = sum(
        7 in collected.server().add(collected.reports(codes)).detect().labels for _ in range(60)
    )
    assert 15 < found <= 60


def test_choices_say_why() -> None:
    for values, epsilon in itertools.product((2, 5, 1000, 1 << 20), (0.5, 4)):
        collected = nw.local.frequencies(nw.Counts(values - 1), epsilon=epsilon)
        assert "variance is within 8% of the least" in collected.why
        assert collected.randomizer.length <= 4
