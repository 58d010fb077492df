"""Devices of RAPPOR: which bits a text sets, what is drawn, and what a server counts."""

import hashlib
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import DataError, InputError, OutsideSpaceError, ParameterError
from noisewright.local import Rappor, RapporCounts, RapporReports
from noisewright.local.families.family import ByteStream
from noisewright.local.rappor.bloom import bloom_positions
from noisewright.local.rappor.device import draw_permanent, draw_report
from noisewright.sampling import PackedCoins, SeededSource

MADE = nw.local.rappor(bits=100, hashes=2, cohorts=4, f="1/3", p="1/4", q="5/7")


def test_positions_are_words_of_sha_256() -> None:
    """As the top of bloom.py says, by hand: for powers of two no word is passed over."""
    prefix = b"noisewright rappor bloom 1\0" + bytes([0, 0, 0, 3]) + bytes(4)
    digest = hashlib.sha256(prefix + "münze".encode()).digest()
    words = [int.from_bytes(digest[i : i + 4]) for i in range(0, 32, 4)]
    found = bloom_positions("münze", cohort=3, bits=128, hashes=8)
    assert found == [word % 128 for word in words]
    more = bloom_positions("münze", cohort=3, bits=128, hashes=9)
    second = hashlib.sha256(prefix[:-1] + b"\1" + "münze".encode()).digest()
    assert more == [*found, int.from_bytes(second[:4]) % 128]


def test_positions_stay_what_they_are() -> None:
    """Devices in the field depend on them."""
    texts = ["", "a", "noisewright", "日本"]
    found = [bloom_positions(text, cohort=1, bits=100, hashes=3) for text in texts]
    assert found == VECTORS


VECTORS = [[68, 80, 68], [17, 73, 28], [2, 29, 52], [99, 36, 3]]


def test_positions_are_uniform_where_bits_are_no_power_of_two() -> None:
    """Of 2^32 words 2^32 mod bits are passed over; here that is nearly half of them."""
    bits = (1 << 31) + 1
    found = [bloom_positions(str(i), cohort=0, bits=bits, hashes=8) for i in range(4000)]
    counts = np.bincount(np.array(found).reshape(-1) * 16 // bits, minlength=16)
    # 32,000 draws in 16 classes: 2,000 each, with a deviation of 43.3; eight of these.
    assert np.abs(counts - 2000).max() < 350


def test_a_device_keeps_its_permanent_response() -> None:
    stream = ByteStream(SeededSource(1))
    kept = draw_permanent(MADE, MADE.positions("x", cohort=2), stream=stream)
    assert len(kept) == MADE.width == 13
    reports = [draw_report(MADE, kept, stream=stream) for _ in range(600)]
    rate = np.unpackbits(
        np.frombuffer(b"".join(reports), np.uint8).reshape(-1, 13), axis=1, bitorder="little"
    ).mean(axis=0)
    bits = np.unpackbits(np.frombuffer(kept, np.uint8), bitorder="little")
    assert bits[100:].sum() == rate[100:].sum() == 0
    # q = 0.714 and p = 0.25 with deviations below 0.021 each: more than ten of them apart.
    assert (rate[:100][bits[:100] == 1] > 0.48).all()
    assert (rate[:100][bits[:100] == 0] < 0.48).all()
    with pytest.raises(InputError, match="another collection"):
        draw_report(MADE, kept[1:], stream=stream)


def test_both_ways_to_draw_one_report_have_the_law_of_many() -> None:
    """Frequencies of the bits of one value: scalar device, arrays in two steps, arrays in one."""
    made = nw.local.rappor(bits=8, hashes=2, cohorts=1, f="1/2", p="1/4", q="3/4")
    places = set(made.positions("x"))
    truth = np.array([0.625 if bit in places else 0.375 for bit in range(8)])
    stream, people = ByteStream(), 4000
    scalar = b"".join(
        draw_report(made, draw_permanent(made, places, stream=stream), stream=stream)
        for _ in range(people)
    )
    single = b"".join(made.report(made.permanent("x")) for _ in range(people))
    values = ["x"] * people
    permanent = made.permanents(values)
    twice = made.instant(permanent.payload)
    for payload in (
        np.frombuffer(scalar, np.uint8)[:, None],
        np.frombuffer(single, np.uint8)[:, None],
        twice,
        made.reports(values).payload,
    ):
        rate = np.unpackbits(payload, axis=1, bitorder="little").mean(axis=0)
        # Deviations are 0.00765; 32 rates beyond eight of them: below 1e-13.
        assert np.abs(rate - truth).max() < 0.0613
    kept = np.unpackbits(permanent.payload, axis=1, bitorder="little").mean(axis=0)
    assert np.abs(kept - np.where(truth > 0.5, 0.75, 0.25)).max() < 0.0548


@pytest.mark.parametrize("rows", [1, 7, 254, 255, 256, 70_001])
@pytest.mark.parametrize("bits", [2, 8, 13, 128])
def test_counts_are_those_of_plain_sums(rows: int, bits: int) -> None:
    chance = np.random.default_rng(rows)
    dense = chance.integers(0, 2, (rows, bits), dtype=np.uint8)
    cohorts = chance.integers(0, 3, rows).astype(np.uint16)
    packed = np.packbits(dense, axis=1, bitorder="little")
    counts = RapporReports(cohorts, packed, bits).count(4)
    for cohort in range(4):
        assert (counts.ones[cohort] == dense[cohorts == cohort].sum(axis=0)).all()
    assert counts.people.tolist() == [int((cohorts == c).sum()) for c in range(4)]
    assert ((counts + counts).ones == 2 * counts.ones).all()


def test_values_come_in_every_form() -> None:
    made = nw.local.rappor(bits=16, hashes=2, cohorts=3, f="1/2")
    texts = ["b", "a", "b", "ü"]
    cohorts = np.array([0, 1, 2, 0])
    drawn = [
        made.reports(values, cohorts=cohorts, source=SeededSource(5)).payload
        for values in (texts, np.array(texts), pa.array(texts), pa.chunked_array([texts]))
    ]
    assert all((one == drawn[0]).all() for one in drawn)
    assert len(made.reports([])) == 0
    basic = nw.local.rappor(candidates=nw.Categories([1, 2, 3]), f="1/2")
    assert basic.positions(3) == [2]
    assert len(basic.reports([1, 3, 3])) == 3


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: MADE.reports(["a", None]), "row 2 is missing"),
        (lambda: MADE.reports([1, 2]), "must be texts"),
        (lambda: MADE.reports("ab", cohorts=np.array([0, 4])), "from 0 to 3"),
        (lambda: MADE.positions(5), "take texts"),
        (lambda: MADE.positions("a", cohort=4), "cohort is 4"),
        (lambda: MADE.positions("secret\ud800"), "surrogate"),
        (
            lambda: RapporReports(np.zeros(2, np.uint16), np.zeros((2, 3), np.uint8), 8),
            "no reports",
        ),
        (
            lambda: RapporReports(np.zeros(1, np.uint16), np.full((1, 1), 255, np.uint8), 7),
            "beyond the 7",
        ),
        (
            lambda: MADE.count(
                RapporReports(np.zeros(0, np.uint16), np.zeros((0, 1), np.uint8), 8)
            ),
            "not 100",
        ),
        (
            lambda: RapporReports(np.full(1, 9, np.uint16), np.zeros((1, 1), np.uint8), 8).count(2),
            "beyond the 2",
        ),
        (lambda: RapporCounts(np.ones((2, 3), int), np.zeros(2, int)), "more than there are"),
        (lambda: RapporCounts(np.ones((2, 3), int), np.zeros(3, int)), "one row"),
    ],
)
def test_what_is_refused_and_no_value_is_shown(call: Callable[[], object], words: str) -> None:
    with pytest.raises((InputError, DataError, OutsideSpaceError, ParameterError)) as problem:
        call()
    assert words in str(problem.value)
    assert "secret" not in str(problem.value)
    assert problem.value.__context__ is None


def test_coins_of_chance_0_and_1_need_no_bits() -> None:
    class Empty(SeededSource):  # type: ignore[misc]
        def fill(self, buffer: object) -> None:
            raise AssertionError

    out = np.empty(9, dtype=np.uint8)
    PackedCoins(Fraction(0)).fill(out, Empty(1))
    assert out.sum() == 0
    PackedCoins(Fraction(1)).fill(out, Empty(1))
    assert (out == 255).all()


def test_equal_parameters_are_equal() -> None:
    again = nw.local.rappor(bits=100, hashes=2, cohorts=4, f="1/3", p="1/4", q="5/7", name="x")
    assert again == MADE
    assert isinstance(again, Rappor)
    assert repr(MADE) == "<RAPPOR: 100 bits, 2 hashes, 4 cohorts, f=1/3, p=1/4, q=5/7>"
