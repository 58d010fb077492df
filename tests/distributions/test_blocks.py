"""Reports of devices: the whole array and one at a time, both against the exact table."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from noisewright.exact import Epsilon
from noisewright.local.families.chosen import ChosenSets
from noisewright.local.families.family import BlockFamily, ByteStream
from noisewright.local.families.hashed import Hashed
from noisewright.local.families.points import PointBlocks
from noisewright.local.families.projective import Projective
from noisewright.local.families.windows import Windows
from noisewright.local.one_of_several import OneOfSeveral
from noisewright.local.randomizer import BlockResponse, ReportRandomizer, block_response
from noisewright.local.unary import UnaryEncoding, unary_encoding
from tests.distributions.alarm import Alarm

FAMILIES = [
    (PointBlocks(2), 1),
    (PointBlocks(5), 3),
    (Projective(3, 2, 2), 2),
    (Projective(7, 2, 3), 4),
    (Projective(4, 3, 2), 0),
    (Projective(9, 3, 3), 8),
    (Projective(20, 4, 3), 17),
    (Projective(30, 5, 3), 6),
    (Projective(9, 8, 2), 8),
    (Projective(73, 8, 3), 20),
    (ChosenSets(5, 2), 0),
    (ChosenSets(5, 4), 4),
    (Windows(4, 3, 1), 2),
    (Windows(3, 1, 2), 0),
]
WAYS = ["all", "one"]


def payloads(made: ReportRandomizer, code: int, n: int, way: str) -> NDArray[Any]:
    if way == "all":
        return made.draw(np.full(n, code, dtype=np.int64))
    stream = ByteStream()
    rows = b"".join(made.draw_one(code, stream) for _ in range(n))
    length = made.dtype.shape
    flat = np.frombuffer(rows, dtype=np.uint8 if length else made.dtype)
    return flat.reshape(-1, *length) if length else flat


def numbers(family: BlockFamily, rows: NDArray[Any]) -> NDArray[np.int64]:
    """The number of each output, as `contains` knows it."""
    if isinstance(family, ChosenSets):
        order = {one: n for n, one in enumerate(family._sets)}
        masks = [int.from_bytes(row.tobytes(), "little") for row in rows]
        return np.array([order[mask] for mask in masks])
    return rows.astype(np.int64)


def law(family: BlockFamily, code: int, epsilon: float) -> NDArray[np.float64]:
    """Every probability, from the definition: inside e^ε times as likely as outside."""
    inside = np.array([family.contains(code, y) for y in range(family.outputs)])
    weights = np.where(inside, np.exp(epsilon), 1.0)
    return weights / weights.sum()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("family", "code"), FAMILIES, ids=str)
def test_every_output_of_a_block_response(
    alarm: Alarm, family: BlockFamily, code: int, way: str
) -> None:
    made, off = block_response(family, Epsilon.of(1.5)), 0.08 if way == "all" else 0.4

    def draw(n: int) -> NDArray[np.int64]:
        found = numbers(family, payloads(made, code, n, way))
        counts = np.bincount(found, minlength=family.outputs)
        blocks = np.array([family.contains(code, y) for y in range(family.outputs)])
        return np.append(counts, counts[blocks].sum())

    def events(epsilon: float) -> NDArray[np.float64]:
        every = law(family, code, epsilon)
        blocks = np.array([family.contains(code, y) for y in range(family.outputs)])
        return np.append(every, every[blocks].sum())

    alarm.judge(draw, events(1.5), [events(1.5 - off), events(1.5 + off)])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("values", "bits"), [(6, 1), (6, 2), (40_000, 2), (300, 4)])
def test_hashes_of_the_own_value_and_of_others(
    alarm: Alarm, values: int, bits: int, way: str
) -> None:
    family = Hashed(values, bits)
    made, g = block_response(family, Epsilon.of(1.5)), 1 << bits
    code, other, off = values - 2, 1, 0.08 if way == "all" else 0.4

    def hashes(rows: NDArray[Any], value: int) -> NDArray[np.int64]:
        a, b = (rows[name].astype(object) for name in ("a", "b"))
        if len(rows) > 100_000:  # the same in machine words
            a, b = (rows[name].astype(np.uint64) for name in ("a", "b"))
        return ((a * value + b) % (1 << family.width) >> (family.width - bits)).astype(np.int64)

    def draw(n: int) -> list[int]:
        rows = payloads(made, code, n, way)
        own, others = hashes(rows, code) == rows["hash"], hashes(rows, other) == rows["hash"]
        zero = rows["hash"] == 0
        top = rows["a"] >> np.uint32(family.width - 1) == 1
        return [int(each.sum()) for each in (own, others, own & others, zero, own & top)]

    def events(epsilon: float) -> list[float]:
        own = np.exp(epsilon) / (np.exp(epsilon) + g - 1)
        return [own, 1 / g, own / g, 1 / g, own / 2]

    alarm.judge(draw, events(1.5), [events(1.5 - off), events(1.5 + off)])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("size", [2, 8, 11])
def test_bits_of_unary_encoding(alarm: Alarm, size: int, symmetric: bool, way: str) -> None:
    made, off = unary_encoding(size, Epsilon.of(1.5), symmetric=symmetric), 0.1
    off = off if way == "all" else 0.5

    def draw(n: int) -> list[int]:
        rows = payloads(made, 1, n, way)
        bits = np.unpackbits(rows, axis=1, bitorder="little")
        assert not bits[:, size:].any()
        return [*bits[:, :size].sum(axis=0), int((bits[:, 0] & bits[:, 1]).sum())]

    def events(epsilon: float) -> list[float]:
        if symmetric:
            p = np.exp(epsilon / 2) / (np.exp(epsilon / 2) + 1)
            q = 1 - p
        else:
            p, q = 0.5, 1 / (np.exp(epsilon) + 1)
        return [p if n == 1 else q for n in range(size)] + [p * q]

    alarm.judge(draw, events(1.5), [events(1.5 - off), events(1.5 + off)])


@pytest.mark.parametrize("way", WAYS)
def test_one_of_several_parts(alarm: Alarm, way: str) -> None:
    first = block_response(PointBlocks(3), Epsilon.of(1))
    second: UnaryEncoding = unary_encoding(2, Epsilon.of(1))
    made = OneOfSeveral((first, second), (3, 1))
    codes = np.array([2, 0])

    def draw(n: int) -> list[int]:
        if way == "all":
            rows = made.draw(np.tile(codes, (n, 1)))
        else:
            stream = ByteStream()
            joined = b"".join(made.draw_one(codes, stream) for _ in range(n))
            rows = np.frombuffer(joined, dtype=made.dtype)
        assert made.is_possible(rows).all()
        tally = made.new_tally()
        made.tally(rows, tally)
        return tally.tolist()

    def events(share: float, epsilon: float) -> list[float]:
        own, other = (weight / (np.exp(epsilon) + 2) for weight in (np.exp(epsilon), 1.0))
        rest, q = 1 - share, 1 / (np.exp(epsilon) + 1)
        return [share, rest, share * other, share * other, share * own, rest / 2, rest * q]

    wrong = [events(0.75, 1.5), events(0.75, 0.5), events(0.65, 1), events(0.85, 1)]
    alarm.judge(draw, events(0.75, 1), wrong)


def test_the_stream_draws_uniform_integers(alarm: Alarm) -> None:
    stream = ByteStream()

    def draw(n: int) -> NDArray[np.int64]:
        return np.bincount([stream.below(11) for _ in range(n)], minlength=11)

    even = np.full(11, 1 / 11)
    alarm.judge(draw, even, [np.array([*even[:-1], 0.06])])


def test_tables_are_what_is_drawn() -> None:
    """No draw: the table of a response has the coin in it, to the last bit."""
    made = block_response(Projective(9, 3, 3), Epsilon.of(1))
    assert isinstance(made, BlockResponse)
    table = made.table()
    row = [int(weight) for weight in table.weights[4]]
    inside = [w for y, w in enumerate(row) if made.family.contains(4, y)]
    assert sum(inside) * 2**64 == made.keep * table.total
    assert sum(row) == table.total
