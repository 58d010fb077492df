"""The table sampler, without statistics: every string of bits, or every string that matters."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from noisewright.sampling import Source, TableSampler
from tests.sampling.scripted import Scripted

Stretch = tuple[int, int, int]


def random_row(outputs: int, log2_total: int, rng: np.random.Generator) -> list[int]:
    """A row with some zeros, some single units, and the rest anywhere."""
    total = 1 << log2_total
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
    row = random_row(outputs, log2_total, rng)
    sampler = TableSampler([row], log2_total, bits=bits)
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


class Unit(Source):
    """The bits of one unit of the axis: first its cell, then a word, then what is left."""

    def __init__(self, unit: int, *, bits: int, log2_total: int) -> None:
        self._unit, self._bits, self._left = unit, bits, log2_total

    def _next(self, bits: int) -> int:
        self._left -= bits
        return self._unit >> self._left & ((1 << bits) - 1)

    def fill(self, buffer: NDArray[Any]) -> None:
        if buffer.size == 0:
            return
        if buffer.dtype == np.uint16:
            buffer[0] = self._next(self._bits) << (16 - self._bits)
        elif buffer.dtype == np.uint64:
            take = min(64, self._left)
            buffer[0] = self._next(take) << (64 - take)
        else:
            spare = 8 * buffer.size - self._left
            value = self._next(self._left) << spare
            buffer[:] = np.frombuffer(value.to_bytes(buffer.size, "little"), dtype=np.uint8)


def axis(row: list[int], log2_total: int, bits: int) -> Iterator[Stretch]:
    """The layout that cells.py promises, as (start, stop, output): whole cells, then remainders."""
    depth, place = log2_total - bits, 0
    for part in (lambda w: w >> depth << depth, lambda w: w & ((1 << depth) - 1)):
        for output, weight in enumerate(row):
            if part(weight):
                yield place, place + part(weight), output
                place += part(weight)


def adversarial_rows(log2_total: int, bits: int) -> list[list[int]]:
    """Boundaries on, and one unit beside, multiples of a cell, of 2^64 and of the word's end."""
    total, cell = 1 << log2_total, 1 << (log2_total - bits)
    tick = max(1, cell >> 64)
    rows = [
        [1, total - 2, 1],
        [cell, total - 2 * cell, cell],
        [cell + 1, total - 2 * cell, cell - 1],
        [cell - 1, 1, 1, total - cell - 1],
        [tick, tick + 1, tick - 1, 1, 1, 1, total - 3 * tick - 3],
        [3 * tick + 1, 2 * tick - 1, 5 * tick, cell // 2, total - 10 * tick - cell // 2],
        [*[1] * 50, total - 50],
        [0, total, 0],
    ]
    return [row for row in rows if min(row) >= 0]


@pytest.mark.parametrize("bits", [3, 8, 16])
@pytest.mark.parametrize("excess", [1, 40, 63, 64, 65, 67, 128, 129, 9984])
def test_on_both_sides_of_each_boundary(bits: int, excess: int) -> None:
    """Each stretch of the axis has its output, from its first unit to its last."""
    log2_total = bits + excess
    for row in adversarial_rows(log2_total, bits):
        sampler = TableSampler([row], log2_total, bits=bits)
        owned = [0] * len(row)
        for start, stop, output in axis(row, log2_total, bits):
            owned[output] += stop - start
            for unit in {start, (start + stop) // 2, stop - 1}:
                source = Unit(unit, bits=bits, log2_total=log2_total)
                assert sampler.draw_row(0, 1, source)[0] == output
        assert owned == row


def test_many_rows_share_one_layout() -> None:
    """Rows do not read each other's boundaries."""
    rng = np.random.default_rng()
    log2_total, bits, outputs = 80, 5, 33
    table = [random_row(outputs, log2_total, rng) for _ in range(20)]
    sampler = TableSampler(table, log2_total, bits=bits)
    for code, row in enumerate(table):
        for start, stop, output in axis(row, log2_total, bits):
            for unit in (start, stop - 1):
                source = Unit(unit, bits=bits, log2_total=log2_total)
                assert sampler.draw([code], source).tolist() == [output]
