"""Succinct histograms: the oracle of one bit, codes in channels, and how errors scale."""

import math
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError, ParameterError
from noisewright.local.families.family import ByteStream
from noisewright.local.families.points import PointBlocks
from noisewright.local.randomizer import block_response
from noisewright.local.shares import detect_shares
from noisewright.local.succinct.channels import ChannelResponse, code_bits, decode_words
from noisewright.local.succinct.one_bit import OneBitResponse
from noisewright.mechanisms import positive_epsilon

COIN = block_response(PointBlocks(2), positive_epsilon(1, None, instead=""))
SEED = bytes(range(32))


def test_code_words_survive_a_quarter_of_errors_in_each_byte() -> None:
    random = np.random.default_rng(5)
    codes = random.integers(0, 1 << 64, size=50, dtype=np.uint64)
    places = np.arange(8 * 128)
    words = np.stack([code_bits(np.full(1024, code, dtype=np.uint64), places) for code in codes])
    signs: Any = 2.0 * words - 1
    assert np.array_equal(decode_words(signs), codes)
    for row in signs.reshape(-1, 128):
        row[random.choice(128, size=31, replace=False)] *= -1
    assert np.array_equal(decode_words(signs), codes)


def test_two_code_words_of_a_byte_differ_in_64_places() -> None:
    places = np.arange(128)
    words = np.stack([code_bits(np.full(128, x, dtype=np.uint64), places) for x in range(256)])
    apart = (words[:, None, :] != words).sum(axis=2)
    assert int(apart[~np.eye(256, dtype=bool)].min()) == 64


def channel_law(response: ChannelResponse, code: int, at: int) -> dict[int, float]:
    """Return the probability of every string of bits, given the coordinate."""
    own = int(response.channel(np.array([code], dtype=np.uint64))[0])
    sent = int(code_bits(np.array([code], dtype=np.uint64), np.array([at]))[0])
    keep = float(response.response.own)
    others = 2.0 ** (1 - response.channels)
    return {
        string: others * (keep if string >> own & 1 == sent else 1 - keep)
        for string in range(1 << response.channels)
    }


def test_channels_differ_by_e_to_the_epsilon_though_two_of_them_change() -> None:
    response = ChannelResponse(8, 3, COIN, SEED)
    ratios: list[float] = []
    for a, b in product((1, 77, 200), (3, 150, 255)):
        one, other = channel_law(response, a, 9), channel_law(response, b, 9)
        ratios += [one[key] / other[key] for key in one]
        assert sum(one.values()) == pytest.approx(1)
    assert max(ratios) == pytest.approx(math.e, rel=1e-12)
    assert min(ratios) == pytest.approx(1 / math.e, rel=1e-12)


def test_bits_of_channels_have_their_law_and_no_other() -> None:
    # The own bit is kept in 0.731 of the reports, with a standard error of 0.0014; all others are
    # uniform, with one of 0.0016: 6.5 of them for 9 bits and two ways to draw is 1e-9.
    response, code = ChannelResponse(8, 3, COIN, SEED), 201
    number = np.array([code], dtype=np.uint64)
    drawn = response.draw(np.full(100_000, code, dtype=np.uint64))
    one = [response.draw_one(code, ByteStream()) for _ in range(20_000)]
    alone = np.frombuffer(b"".join(one), dtype=response.dtype)
    own = int(response.channel(number)[0])
    for some, error in ((drawn, 0.0016), (alone, 0.0036)):
        bits = np.unpackbits(some["bits"], axis=1, bitorder="little")
        wanted = code_bits(np.full(len(some), code, dtype=np.uint64), some["coordinate"])
        kept = float((bits[:, own] == wanted).mean())
        assert abs(kept - float(COIN.own)) < 6.5 * error
        assert abs(kept - 0.75) > 6.5 * error or error > 0.002
        others = np.delete(bits, own, axis=1).mean(axis=0)
        assert float(np.abs(others - 0.5).max()) < 6.5 * error
        counts = np.bincount(some["coordinate"], minlength=128)
        assert counts.size == 128
        assert ((counts - len(some) / 128) ** 2).sum() / (len(some) / 128) < 260


def test_the_oracle_supports_what_a_look_at_every_report_supports() -> None:
    oracle = OneBitResponse(20, 300, COIN, SEED)
    codes = np.random.default_rng(2).integers(0, 1 << 20, size=2000, dtype=np.uint64)
    reports = oracle.draw(codes)
    tally = oracle.new_tally()
    oracle.tally(reports, tally)
    asked = codes[:7]
    wanted = [
        int((oracle.signs(np.full(2000, code), reports >> 1) == (reports & 1)).sum())
        for code in asked
    ]
    assert oracle.supports(tally, asked).tolist() == wanted


def test_one_report_is_drawn_as_many_are() -> None:
    # 20,000 reports: the kept share has a standard error of 0.0031; 6.2 of them for 1e-9.
    oracle = OneBitResponse(20, 5, COIN, SEED)
    drawn = [int.from_bytes(oracle.draw_one(12345, ByteStream()), "little") for _ in range(20_000)]
    sent = np.array(drawn)
    signs = oracle.signs(np.full(20_000, 12345, dtype=np.uint64), sent >> 1)
    assert abs(float((signs == (sent & 1)).mean()) - float(COIN.own)) < 0.0195
    assert set(Counter((sent >> 1).tolist())) == set(range(5))


@pytest.mark.parametrize("search", [False, True])
def test_certificates_of_all_parts_are_proven(search: bool) -> None:
    collection = nw.local.succinct_histogram(epsilon=1, people=1000, search=search)
    assert collection.certificate().guarantee.epsilon == collection.guarantee.epsilon


def test_frequent_texts_are_found() -> None:
    # "tea" has 40% of 60,000 people: in each of 3 channels and 8 bytes its code word is 11 standard
    # deviations above zero, and it is enough that one channel decodes it.
    people = ["tea"] * 24_000 + [f"w{number}" for number in range(36_000)]
    collection = nw.local.succinct_histogram(epsilon=2, people=60_000, search=True)
    server = collection.server().add(collection.reports(people))
    answer = server.estimate()
    assert answer.values[0] == "tea"
    assert answer.detected.labels == ["tea"]
    asked = server.estimate(values=["tea", "nothing"], confidence=1 - 1e-9)
    assert asked.lows[0] <= 0.4 <= asked.highs[0]
    assert asked.lows[1] <= 0.0 <= asked.highs[1]


def largest_error(people: int, bits: int, epsilon: float, rounds: int) -> float:
    """Return the mean over collections of the largest error of all 2^bits shares."""
    found: list[float] = []
    every = np.arange(1 << bits, dtype=np.uint64)
    for number in range(rounds):
        collection = nw.local.succinct_histogram(
            bits=bits, epsilon=epsilon, people=people, of="numbers", name=f"{number}"
        )
        codes = np.random.default_rng().integers(0, 1 << bits, size=people)
        server = collection.server().add(collection.reports(codes))
        shares = server.estimate(values=every).values
        true = np.bincount(codes, minlength=1 << bits) / people
        found.append(float(np.abs(shares - true).max()))
    return float(np.mean(found))


def test_the_error_scales_as_the_paper_says() -> None:
    # √(ln d / n) / ε: the mean of 12 largest errors has a standard error of about 5%; slopes are
    # off by 0.3 only if a quotient is off by half, ten of these.
    base = largest_error(2000, 6, 0.5, 12)
    assert abs(math.log(base / largest_error(8000, 6, 0.5, 12), 4) - 0.5) < 0.3
    assert abs(math.log(largest_error(2000, 6, 0.25, 12) / base, 2) - 1) < 0.6
    grown = largest_error(2000, 10, 0.5, 12) / base
    assert 0.8 < grown < 2


def test_plans_bound_the_largest_error() -> None:
    collection = nw.local.succinct_histogram(bits=10, epsilon=1, people=5000, of="numbers")
    plan = collection.plan(people=5000)
    # Hoeffding's bound is 3 times what is typical here.
    assert largest_error(5000, 10, 1, 1) < plan.largest_error
    assert plan.bytes_per_report == len(collection.client().report(3))


@pytest.mark.parametrize(
    "settings",
    [
        {"people": 0},
        {"channels": 100},
        {"channels": 4},
        {"repetitions": 0},
        {"search": "yes"},
        {"epsilon": -1},
        {"bits": 70},
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any]) -> None:
    every: dict[str, Any] = {"epsilon": 1, "people": 10, **settings}
    with pytest.raises(ParameterError):
        nw.local.succinct_histogram(**every)


def test_without_a_search_values_must_be_named() -> None:
    collection = nw.local.succinct_histogram(epsilon=1, people=100)
    server = collection.server().add(collection.reports(["a"] * 5))
    with pytest.raises(InputError, match="search=True"):
        server.estimate()


def test_intervals_and_tests_allow_for_collisions_of_public_words() -> None:
    """One value of all people, and many more of them than were planned for."""
    missed = wrong = 0
    for number in range(40):
        made = nw.local.succinct_histogram(
            bits=32, epsilon=8, people=1000, of="numbers", name=f"{number}"
        )
        server = made.server().add(made.reports(np.full(20_000, 12345)))
        found = server.estimate(values=range(100, 150))
        missed += int(((found.lows > 0) | (found.highs < 0)).sum())
        oracle, codes = made.oracle, np.arange(100, 150, dtype=np.uint64)
        support = oracle.support_among(server.people)
        supports = oracle.supports(server.tally, codes)
        wrong += bool(len(detect_shares(support, supports, server.people, codes.tolist())))
    assert missed < 0.08 * 2000
    assert wrong <= 8
