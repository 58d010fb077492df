"""Fake devices: intervals allow for every attack, and shapes tell simple ones from honesty."""

import itertools
import math

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError
from noisewright.local import FrequencyCollection
from noisewright.local.families.hashed import Hashed
from noisewright.local.randomizer import BlockResponse

METHODS = ["response", "projective", "hadamard", "unary", "symmetric unary", "subset", "hashing"]


def made(method: str, values: int = 10, epsilon: float = 1.0) -> FrequencyCollection:
    return nw.local.frequencies(nw.Counts(values - 1), epsilon=epsilon, method=method)


@pytest.mark.parametrize("method", ["response", "projective", "hadamard"])
@pytest.mark.parametrize(("fakes", "honest"), [(1, 9), (2, 38), (3, 57)])
def test_intervals_hold_what_honest_reports_say_under_every_attack(
    method: str, fakes: int, honest: int
) -> None:
    """Every multiset of outputs that so many fakes can send."""
    collected = made(method, 3)
    randomizer = collected.randomizer
    tally = collected.server().add(collected.reports(np.arange(honest) % 2)).tally
    alone = collected.estimate_from(tally, honest)
    everybody = honest + fakes
    for sent in itertools.combinations_with_replacement(range(tally.size), fakes):
        mixed = tally + np.bincount(sent, minlength=tally.size)
        found = collected.robust_from(mixed, everybody, fakes=fakes / everybody)
        assert (found.estimate.lows <= alone.lows + 1e-12).all()
        assert (found.estimate.highs >= alone.highs - 1e-12).all()
        moved = collected.estimate_from(mixed, everybody).values * everybody
        pushed = np.abs(moved - alone.values * honest)
        assert (pushed <= fakes * found.gain + 1e-9).all()
    assert randomizer.supports(tally).sum() >= 0


@pytest.mark.parametrize("people", [100, 300, 1000, 10_007])
def test_so_many_fakes_as_the_share_says(people: int) -> None:
    collected = made("response")
    tally = collected.server().add(collected.reports(np.arange(people) % 10)).tally
    for percent in range(100):
        found = collected.robust_from(tally, people, fakes=percent / 100)
        assert f"allowing for {people * percent // 100:,} fake" in found.estimate.method


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("values", [2, 9, 10])
def test_honest_reports_look_honest(method: str, values: int) -> None:
    """A p-value below 1e-10 is a false alarm, which happens less often than that."""
    if (method, values) == ("subset", 2):
        return
    collected = made(method, values)
    for people in (1, 40, 3000):
        codes = np.zeros(people, dtype=int) if people == 40 else np.arange(people) % values
        server = collected.server().add(collected.reports(codes))
        assert server.robust(fakes=0.01).p_value > 1e-10


@pytest.mark.parametrize("method", METHODS)
def test_p_values_are_rarely_small_under_honest_reports(method: str) -> None:
    """400 collections: P(p ≤ 0.05) ≤ 0.05, so that 69 or more happen with probability below 1e-12.

    (Chernoff: 400 KL(69/400, 0.05) > 28.)
    """
    collected, small = made(method, 9), 0
    for _ in range(400):
        server = collected.server().add(collected.reports(np.zeros(150, dtype=int)))
        small += server.robust(fakes=0).p_value <= 0.05
    assert small < 69


def attacked(collected: FrequencyCollection, honest: int, fakes: int) -> float:
    """The p-value where fakes push value 7 as far as each can (maximal gain attack)."""
    server = collected.server().add(collected.reports(np.arange(honest) % collected.space.size))
    tally, randomizer = server.tally.copy(), collected.randomizer
    if isinstance(randomizer, BlockResponse) and not isinstance(randomizer.family, Hashed):
        outputs = range(tally.size)
        inside = next(y for y in outputs if randomizer.family.contains(7, y))
        tally[inside] += fakes
    else:  # all bits set, or a function that gives every value the hash that is sent
        tally += fakes
    return collected.robust_from(tally, honest + fakes, fakes=0.1).p_value


@pytest.mark.parametrize("method", ["unary", "symmetric unary", "hashing", "hadamard"])
def test_the_maximal_gain_attack_is_seen(method: str) -> None:
    """One in ten of 20,000 reports: found unless honest noise is off by ten standard errors."""
    assert attacked(made(method), 18_000, 2_000) < 1e-6


def test_fakes_who_play_by_the_rules_are_not_seen() -> None:
    """Nobody can tell them from people who have the value."""
    collected = made("projective")
    server = collected.server().add(collected.reports(np.arange(9000) % 10))
    server.add(collected.reports(np.full(1000, 7)))
    assert server.robust(fakes=0.1).p_value > 1e-10


@pytest.mark.parametrize("fakes", [-0.1, 1, 1.5, math.nan, "1%", None])
def test_shares_of_fakes_are_checked(fakes: object) -> None:
    collected = made("response")
    server = collected.server().add(collected.reports([1, 2, 3]))
    with pytest.raises(InputError, match="fakes"):
        server.robust(fakes=fakes)  # pyright: ignore[reportArgumentType]
