"""How fast exact draws with cryptographic bits are, next to the machine's limit and a peer.

    python -m benchmarks.sampling

The limit is AES in counter mode alone, at 8 bytes for each value, on one core: no sampler that
spends a 64-bit word on each value can beat it. Every line is a ratio within one run: before each
measurement the limit is measured again, so that a busy machine slows both.
"""

from __future__ import annotations

import importlib
import math
import os
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.measure import Result, report, seconds
from noisewright.exact import Epsilon
from noisewright.sampling import (
    SystemSource,
    TableSampler,
    bernoulli,
    discrete_gaussian,
    two_sided_geometric,
    uniform_below,
)

VALUES = 1 << 21
LARGEST = 1000
ROUNDS = 9
TOTAL = 1 << 100
ODD_TOTAL = 3**63
"""About as large, and no power of two."""


def limit() -> Callable[[], object]:
    """Work that makes VALUES · 8 bytes with bare AES-CTR, in the chunks that suit it best."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    chunk = 1 << 19
    cipher = Cipher(algorithms.AES(os.urandom(32)), modes.CTR(os.urandom(16))).encryptor()
    zeros, out = bytes(chunk), bytearray(chunk)

    def work() -> None:
        for _ in range(VALUES * 8 // chunk):
            cipher.update_into(zeros, out)

    return work


def response(k: int, epsilon: float, total: int = TOTAL) -> TableSampler:
    """k-ary randomized response as a table."""
    other = int(Fraction(total) / Fraction(math.exp(epsilon) + k - 1))
    table = np.full((k, k), other, dtype=object)
    np.fill_diagonal(table, total - (k - 1) * other)
    return TableSampler(table, total)


def arbitrary(k: int, total: int = TOTAL) -> TableSampler:
    """A table without structure."""
    table: list[list[int]] = []
    for probabilities in np.random.default_rng().dirichlet(np.ones(k), size=k).tolist():
        row = [int(Fraction(p) * total) for p in probabilities]
        row[0] += total - sum(row)
        table.append(row)
    return TableSampler(table, total)


def table_work(sampler: TableSampler, dtype: Any) -> Callable[[], object]:
    codes = uniform_below(sampler.rows, VALUES).astype(dtype)
    out = np.empty(VALUES, dtype=sampler.dtype)
    return lambda: sampler.draw_into(codes, out)


def cases() -> list[tuple[str, Callable[[], object], int, float | None]]:
    """(name, work, values made by it, required ratio)."""
    epsilon, source = Epsilon.of("1"), SystemSource()
    buffer = np.empty(1 << 16, dtype=np.uint64)
    few = VALUES // 8
    return [
        ("our stream, 8 bytes a value", lambda: source.fill(buffer), buffer.size, None),
        ("randomized response, k = 4", table_work(response(4, 1), np.uint8), VALUES, 0.20),
        ("randomized response, k = 16", table_work(response(16, 1), np.uint8), VALUES, 0.20),
        ("  the same with 64-bit codes", table_work(response(16, 1), np.int64), VALUES, 0.20),
        (
            "  the same with total 3^63",
            table_work(response(16, 1, ODD_TOTAL), np.uint8),
            VALUES,
            0.20,
        ),
        (
            f"randomized response, k = {LARGEST:,}",
            table_work(response(LARGEST, 5), np.uint16),
            VALUES,
            None,
        ),
        ("any table, 16 x 16", table_work(arbitrary(16), np.uint8), VALUES, 0.08),
        ("  the same with 64-bit codes", table_work(arbitrary(16), np.int64), VALUES, 0.08),
        (
            "  the same with total 3^63",
            table_work(arbitrary(16, ODD_TOTAL), np.uint8),
            VALUES,
            0.08,
        ),
        ("any table, 200 x 200", table_work(arbitrary(200), np.uint8), VALUES, None),
        (
            f"any table, {LARGEST:,} x {LARGEST:,}",
            table_work(arbitrary(LARGEST), np.uint16),
            VALUES,
            None,
        ),
        (
            "  the same with total 3^63",
            table_work(arbitrary(LARGEST, ODD_TOTAL), np.uint16),
            VALUES,
            None,
        ),
        ("Bernoulli(1/3)", lambda: bernoulli(Fraction(1, 3), VALUES), VALUES, None),
        ("uniform below 1,000", lambda: uniform_below(1000, VALUES), VALUES, None),
        ("two-sided geometric, eps = 1", lambda: two_sided_geometric(epsilon, few), few, None),
        (
            "two-sided geometric, eps = 1e-9",
            lambda: two_sided_geometric(Epsilon.of("1e-9"), few),
            few,
            None,
        ),
        ("discrete Gaussian, variance 100", lambda: discrete_gaussian(100, few), few, None),
        ("discrete Gaussian, variance 1e12", lambda: discrete_gaussian("1e12", few), few, None),
    ]


def against_the_limit() -> list[Result]:
    bare = limit()
    best = VALUES / seconds(bare)
    results = [Result("AES-CTR alone, 8 bytes a value", best, 1.0, "AES-CTR")]
    for name, work, values, required in cases():
        work()
        # Rounds that alternate, so that a slow moment of the machine meets both.
        pairs = [(seconds(bare, repeats=1), seconds(work, repeats=1)) for _ in range(ROUNDS)]
        rate = values / min(pair[1] for pair in pairs)
        alone = VALUES / min(pair[0] for pair in pairs)
        results.append(Result(name, rate, rate / alone, "AES-CTR", required))
    return results


def against_draw() -> list[Result]:
    """Samples of columns as people have them, against draws for codes and what pyarrow takes.

    Reading texts as codes may take 1.3 times what pyarrow takes to find the different ones.
    """
    import pyarrow as pa

    import noisewright as nw
    from noisewright.tables import Field, column_codes

    numbers, texts = [10 * code for code in range(10)], [f"label {code}" for code in range(10)]
    codes = uniform_below(10, VALUES)
    narrow = codes.astype(np.uint8)
    counted = nw.randomized_response(nw.Categories(numbers), epsilon=1)
    named = nw.randomized_response(nw.Categories(texts), epsilon=1)
    words = pa.array(texts).take(pa.array(codes))
    cells = Field.of(named.space).cells
    columns = {
        "sample of labels in 8 bits": (counted, np.array(numbers, np.uint8)[codes], narrow),
        "sample of labels in 64 bits": (counted, np.array(numbers, np.int64)[codes], codes),
        "sample of an Arrow dictionary": (named, words.dictionary_encode(), narrow),
    }
    works: list[tuple[str, Callable[[], object], Callable[[], object], str, float | None]] = [
        (name, lambda m=m, x=column: m.sample(x), lambda m=m, c=given: m.draw(c), "draw", 0.5)
        for name, (m, column, given) in columns.items()
    ]
    encode = words.dictionary_encode
    works += [
        (
            "texts to codes",
            lambda: column_codes(cells, words),
            encode,
            "dictionary_encode",
            1 / 1.3,
        ),
        ("sample of texts", lambda: named.sample(words), encode, "dictionary_encode", None),
    ]
    results: list[Result] = []
    for name, ours, theirs, against, required in works:
        pairs = [(seconds(ours, repeats=1), seconds(theirs, repeats=1)) for _ in range(ROUNDS)]
        mine, other = (min(pair[place] for pair in pairs) for place in (0, 1))
        results.append(Result(name, VALUES / mine, other / mine, against, required))
    return results


def against_diffprivlib() -> list[Result]:
    """Randomized response against diffprivlib's ExponentialCategorical, if it is installed."""
    try:
        mechanisms: Any = importlib.import_module("diffprivlib.mechanisms")
    except ImportError:
        return []

    results: list[Result] = []
    for k in (4, 16):
        labels = [str(label) for label in range(k)]
        utilities = [[a, b, 1.0] for i, a in enumerate(labels) for b in labels[i + 1 :]]
        peer: Any = mechanisms.ExponentialCategorical(epsilon=1.0, utility_list=utilities)
        inputs = [labels[i % k] for i in range(5000)]
        theirs = len(inputs) / seconds(lambda p=peer, xs=inputs: [p.randomise(x) for x in xs])
        ours = VALUES / seconds(table_work(response(k, 1), np.uint8))
        name = f"randomized response, k = {k}"
        results.append(Result(name, ours, ours / theirs, "diffprivlib", 300))
    return results


def extra_memory(rows: int) -> int:
    """Bytes that drawing `rows` values takes at its peak, beyond codes and output."""
    sampler = arbitrary(16)
    codes = np.zeros(rows, dtype=np.uint8)
    out = np.empty(rows, dtype=sampler.dtype)
    tracemalloc.start()
    sampler.draw_into(codes, out)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def memory() -> list[Result]:
    """Eight times the rows must not take more memory: the ratio is small to large."""
    small, large = extra_memory(1 << 23), extra_memory(1 << 26)
    name = f"extra memory at 2^26 rows, {large / 1024:,.0f} KiB"
    return [Result(name, 0, small / large, "2^23 rows", 0.9)]


def run() -> list[Result]:
    """Measure everything about drawing."""
    return [*against_the_limit(), *against_draw(), *against_diffprivlib(), *memory()]


if __name__ == "__main__":
    raise SystemExit(report(run()))
