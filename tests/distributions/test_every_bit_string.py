"""The table sampler, without statistics: every string of bits, or every string that matters."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from noisewright.sampling import Source, TableSampler
from tests.sampling.scripted import Scripted

Stretch = tuple[int, int, int]


def random_row(outputs: int, total: int, rng: np.random.Generator) -> list[int]:
    """A row with some zeros, some single units, and the rest anywhere."""
    units = rng.integers(0, 2, outputs).tolist() if total > outputs else [0] * outputs
    left = total - sum(units)
    cuts = sorted(int(x * left) for x in rng.random(outputs // 2))
    shares = [b - a for a, b in zip([0, *cuts], [*cuts, left], strict=True)]
    for place, share in zip(rng.permutation(outputs), shares, strict=False):
        units[place] += share
    return units


@pytest.mark.parametrize(
    ("bits", "log2_total", "outputs"),
    [
        *[(4, k, m) for k, m in [(0, 3), (3, 3), (12, 7), (14, 40)]],
        *[(8, k, m) for k, m in [(3, 3), (12, 7), (18, 40), (20, 300)]],
        *[(12, k, m) for k, m in [(12, 7), (20, 5), (20, 300)]],
        *[(16, k, m) for k, m in [(12, 7), (20, 5), (20, 300), (22, 2000)]],
    ],
)
def test_each_output_gets_exactly_its_weight(bits: int, log2_total: int, outputs: int) -> None:
    """Over all 2^k strings, the count of each output is its weight."""
    rng = np.random.default_rng()
    row = random_row(outputs, 1 << log2_total, rng)
    sampler = TableSampler([row], 1 << log2_total, bits=bits)
    depth = max(0, log2_total - bits)
    scale = 1 << max(0, bits - log2_total)
    shared = (1 << bits) - sum(weight * scale >> depth for weight in row)
    cells = np.arange(1 << bits, dtype=np.uint16) << np.uint16(16 - bits)
    codes = np.zeros(1 << bits, dtype=np.int64)
    counts = np.zeros(outputs, dtype=np.int64)
    for suffix in range(1 << depth):
        # Bits beyond those of the table are noise, and must not matter.
        beyond = rng.integers(0, 1 << (16 - bits), cells.size, dtype=np.uint16)
        low = rng.integers(0, 1 << (64 - depth), dtype=np.uint64) if depth else 0
        words = np.full(shared, (suffix << (64 - depth)) + int(low), dtype=np.uint64)
        source = Scripted([cells | beyond, *([words] if shared else [])])
        counts += np.bincount(sampler.draw(codes, source), minlength=outputs)
        source.assert_used_up()
    assert counts.tolist() == [weight * scale for weight in row]


class Digits(Source):
    """The binary digits of one point of the axis: those of its cell, then words; then zeros."""

    def __init__(self, point: int, *, bits: int, length: int) -> None:
        self._point, self._bits, self._left = point, bits, length

    def _next(self, bits: int) -> int:
        self._left -= bits
        left = max(self._left, 0)
        return (self._point >> left & ((1 << bits) - 1)) << (left - self._left)

    def fill(self, buffer: NDArray[Any]) -> None:
        if buffer.size == 0:
            return
        assert (buffer.size, buffer.dtype) in [(1, np.uint16), (1, np.uint64)]
        if buffer.dtype == np.uint16:
            buffer[0] = self._next(self._bits) << (16 - self._bits)
        else:
            buffer[0] = self._next(64) & ((1 << 64) - 1)


def axis(row: list[int], total: int, bits: int) -> Iterator[Stretch]:
    """The layout that cells.py promises, as (start, stop, output): whole cells, then remainders.

    The axis has 2^bits cells of `total` units, so that output y owns row[y] · 2^bits of them.
    """
    place = 0
    for part in (lambda w: w // total * total, lambda w: w % total):
        for output, weight in enumerate(row):
            if owned := part(weight << bits):
                yield place, place + owned, output
                place += owned


def adversarial_rows(total: int, bits: int) -> list[list[int]]:
    """Boundaries on, and one unit beside, multiples of a cell, of 2^64 and of the word's end."""
    cell = total >> bits
    tick = max(1, cell >> 64)
    rows = [
        [1, total - 2, 1],
        [cell, total - 2 * cell, cell],
        [cell + 1, total - 2 * cell, cell - 1],
        [cell - 1, 1, 1, total - cell - 1],
        [tick, tick + 1, tick - 1, 1, 1, 1, total - 3 * tick - 3],
        [3 * tick + 1, 2 * tick - 1, 5 * tick, cell // 2, total - 10 * tick - cell // 2],
        [*[1] * 50, total - 50],
        [*[total // 3] * 3, total % 3],
        [0, total, 0],
    ]
    return [row for row in rows if min(row) >= 0]


def around(place: int, total: int, length: int, bits: int) -> set[int]:
    """Points of `length` digits next to a place of the axis: on it or just before, and around."""
    near = (place << (length - bits)) // total
    return {point for point in (near - 1, near, near + 1) if 0 <= point < 1 << length}


@pytest.mark.parametrize("bits", [3, 8, 16])
@pytest.mark.parametrize(
    ("excess", "beside"),
    [
        *[(excess, 0) for excess in (1, 40, 63, 64, 65, 67, 128, 129, 9984)],
        *[(excess, beside) for excess in (1, 64, 129) for beside in (1, -1)],
    ],
)
def test_on_both_sides_of_each_boundary(bits: int, excess: int, beside: int) -> None:
    """A point of the axis has the output that owns it, however many digits it takes to tell."""
    total = (1 << (bits + excess)) + beside
    for row in adversarial_rows(total, bits):
        sampler = TableSampler([row], total, bits=bits)
        owned = [0] * len(row)
        for start, stop, output in axis(row, total, bits):
            owned[output] += stop - start
            for length in {bits + 64, bits + excess} | ({bits + excess + 64} if beside else set()):
                middle = (start + stop) // 2
                places = [
                    p for at in (start, middle, stop) for p in around(at, total, length, bits)
                ]
                for point in places:
                    if start << (length - bits) <= point * total < stop << (length - bits):
                        source = Digits(point, bits=bits, length=length)
                        assert sampler.draw_row(0, 1, source)[0] == output
        assert owned == [weight << bits for weight in row]


@pytest.mark.parametrize("total", [1, 3, 9, 48, 1000, 3**7])
@pytest.mark.parametrize("bits", [1, 6])
def test_points_as_fine_as_can_be_find_their_owner(total: int, bits: int) -> None:
    """All points of 10 digits: each output gets its share of them, up to one at each boundary."""
    rng, length = np.random.default_rng(), 10
    row = rng.multinomial(total, rng.dirichlet(np.full(5, 0.6))).tolist()
    sampler = TableSampler([row], total, bits=bits)
    owners = [
        int(sampler.draw_row(0, 1, Digits(point, bits=bits, length=length))[0])
        for point in range(1 << length)
    ]
    stretches = list(axis(row, total, bits))
    for output, weight in enumerate(row):
        pieces = sum(each == output for _, _, each in stretches)
        assert abs(owners.count(output) - Fraction(weight << length, total)) <= pieces
    for point, owner in enumerate(owners):
        at = Fraction(point * total, 1 << (length - bits))
        assert [output for start, stop, output in stretches if start <= at < stop] == [owner]


def test_many_rows_share_one_layout() -> None:
    """Rows do not read each other's boundaries."""
    rng = np.random.default_rng()
    for total in (1 << 80, 3**50):
        bits, outputs, length = 5, 33, 85
        table = [random_row(outputs, total, rng) for _ in range(20)]
        sampler = TableSampler(table, total, bits=bits)
        for code, row in enumerate(table):
            for start, stop, output in axis(row, total, bits):
                for point in (-(-start << 80) // total + 1, ((stop << 80) // total) - 1):
                    if start << 80 <= point * total < stop << 80:
                        source = Digits(point, bits=bits, length=length)
                        assert sampler.draw([code], source).tolist() == [output]
