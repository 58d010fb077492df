"""Random sets: each item kept or added on its own; a random set of items flipped."""

import itertools
from collections.abc import Callable
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray

import noisewright as nw
from noisewright.mechanisms import two_levels
from noisewright.sampling import FlippedSets, ItemCoins, SystemSource, choose_sets
from tests.distributions.alarm import Alarm
from tests.sampling.scripted import Scripted

TRUE = np.array([1, 3])
"""The set in every test: two of four items."""


def patterns(draw: Callable[..., tuple[NDArray[np.int32], NDArray[np.int64]]], n: int) -> list[int]:
    """How often each of the sixteen sets was drawn."""
    items, ends = draw(np.tile(TRUE, n), 2 * np.arange(n + 1))
    masks = np.zeros(n, dtype=np.int64)
    np.add.at(masks, np.repeat(np.arange(n), np.diff(ends)), 1 << items.astype(np.int64))
    return np.bincount(masks, minlength=16).tolist()


def of_coins(p: float, q: float) -> list[float]:
    chances = [p if item in TRUE else q for item in range(4)]
    return [
        float(np.prod([c if y >> i & 1 else 1 - c for i, c in enumerate(chances)]))
        for y in range(16)
    ]


# The second draws additions by waiting times.
@pytest.mark.parametrize("add", [300, 15])
def test_item_coins(alarm: Alarm, add: int) -> None:
    p, q = 512 / 1024, add / 1024
    coins = ItemCoins(4, 512, add, 1024)
    wrong = [of_coins(p * 1.02, q), of_coins(p, q * 1.1), of_coins(p, q * 0.9)]
    alarm.judge(lambda n: patterns(coins.draw, n), of_coins(p, q), wrong)


# The second is below what waiting times are drawn for: it is thinned out.
@pytest.mark.parametrize("log2_add", [14, 10])
def test_waiting_times_fill_many_items(alarm: Alarm, log2_add: int) -> None:
    """Additions among 3,000 items: at the start, at the end, and two next to each other."""
    coins = ItemCoins(3000, 1 << 21, 3 << log2_add, 1 << 24)
    q = 3 * 2.0 ** (log2_add - 24)

    def draw(n: int) -> list[int]:
        rows = -(-n // 1000)
        bits = coins.draw_bits(np.empty(0, dtype=np.int32), np.zeros(rows + 1, dtype=np.int64))
        cells = np.unpackbits(bits, axis=1, bitorder="little")[:, :3000].reshape(-1, 3)[:n]
        return [*cells.sum(axis=0), int((cells[:, 0] & cells[:, 1]).sum())]

    truth = [q, q, q, q * q]
    alarm.judge(draw, truth, [[q * 1.3, q, q, q * q], [q, q, q * 0.7, q * q]])


def of_flips(weights: list[int]) -> list[float]:
    mask = sum(1 << int(item) for item in TRUE)
    return [
        weights[size] / 1024 / comb(4, size) for size in ((y ^ mask).bit_count() for y in range(16))
    ]


def test_flipped_sets(alarm: Alarm) -> None:
    weights = [500, 300, 150, 50, 24]
    flips = FlippedSets(4, weights, 1024)
    wrong = [of_flips([510, 290, 150, 50, 24]), of_flips([500, 300, 150, 54, 20])]
    alarm.judge(lambda n: patterns(flips.draw, n), of_flips(weights), wrong)


@pytest.mark.parametrize("size", range(6))
def test_every_set_of_one_size_is_equally_likely(alarm: Alarm, size: int) -> None:
    def draw(n: int) -> NDArray[np.intp]:
        cells = choose_sets(5, np.full(n, size), SystemSource())
        assert (cells.sum(axis=1) == size).all()
        return np.bincount(cells @ (1 << np.arange(5)), minlength=32)

    sets = [sum(1 << i for i in places) for places in itertools.combinations(range(5), size)]
    truth = np.zeros(32)
    truth[sets] = 1 / len(sets)
    claims: list[NDArray[np.float64]] = []
    if len(sets) > 1:
        wrong = truth.copy()
        wrong[sets[0]] *= 1.05
        wrong[sets[1]] *= 0.95
        claims.append(wrong)
    alarm.judge(draw, truth, claims)


def test_equal_keys_are_drawn_again() -> None:
    """Otherwise the first of two equal items would be chosen more often."""
    keys = [np.array([7, 7, 9, 1, 2, 3], dtype=np.uint32), np.array([4, 8, 6], dtype=np.uint32)]
    source = Scripted(keys)
    assert choose_sets(3, np.array([1, 2]), source).tolist() == [
        [True, False, False],
        [True, True, False],
    ]
    source.assert_used_up()
    largest = Scripted([np.array([2**32 - 1, 5], dtype=np.uint32)])
    assert choose_sets(2, np.array([2]), largest).tolist() == [[True, True]]


def test_what_a_design_draws_is_what_it_proves(alarm: Alarm) -> None:
    mechanism = two_levels(nw.Subsets(range(4)), nw.accounting.Guarantee(1), {0, 1})

    def draw(n: int) -> NDArray[np.intp]:
        bits = mechanism.sample_bits((np.tile([1, 3], n), 2 * np.arange(n + 1)))
        return np.bincount(bits[:, 0], minlength=16)

    truth = [float(mechanism.probability(0b1010, y)) for y in range(16)]
    wrong = list(truth)
    wrong[0b1010], wrong[0b0101] = truth[0b1010] * 1.02, truth[0b0101] * 0.98
    alarm.judge(draw, truth, [wrong])
