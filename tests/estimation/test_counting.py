"""Counting many tables at once: against a dictionary that is filled row by row."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from noisewright.estimation.counts import table_counter
from noisewright.estimation.counts.table_counter import TableCounter, tables_to_count


def count_tables(
    batches: Iterable[Sequence[np.ndarray]], sizes: Sequence[int], wanted: Sequence[tuple[int, ...]]
) -> list[np.ndarray]:
    """Count the wanted tables over batches of codes."""
    counter = TableCounter(sizes, wanted)
    for batch in batches:
        counter.add(batch)
    return counter.tables()


SIZES = st.lists(st.sampled_from([1, 2, 3, 7, 16, 255, 256, 257]), min_size=1, max_size=5)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_counts_row_by_row(data: st.DataObject) -> None:
    sizes = data.draw(SIZES)
    places = st.lists(st.sampled_from(range(len(sizes))), min_size=1, max_size=2, unique=True)
    wanted = [tuple(table) for table in data.draw(st.lists(places, min_size=1, max_size=6))]
    rows = data.draw(st.sampled_from([0, 1, 40, 3_000]))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    kind = data.draw(st.sampled_from([np.int64, np.uint16]))
    codes = [rng.integers(0, size, rows).astype(kind) for size in sizes]
    cut = data.draw(st.integers(0, rows))
    batches = [[column[:cut] for column in codes], [column[cut:] for column in codes]]
    found = count_tables(batches, sizes, wanted)
    for table, counts in zip(wanted, found, strict=True):
        assert counts.shape == tuple(sizes[place] for place in table)
        expected = Counter(zip(*(codes[place].tolist() for place in table), strict=True))
        filled = {cell: int(counts[cell]) for cell in zip(*np.nonzero(counts), strict=True)}
        assert filled == dict(expected)


def test_long_batches_are_counted_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_counter, "_PIECE", 100)
    codes = [np.arange(1_234) % 3, np.arange(1_234) % 5]
    counter = TableCounter([3, 5], [(1, 0), (1,)])
    counter.add(codes)
    both, one = counter.tables()
    expected = np.zeros((5, 3), dtype=np.int64)
    for row in range(1_234):
        expected[row % 5, row % 3] += 1
    assert np.array_equal(both, expected)
    assert np.array_equal(one, expected.sum(axis=1))


@settings(max_examples=40, deadline=None)
@given(sizes=st.lists(st.integers(1, 3_000), min_size=1, max_size=9), ways=st.integers(1, 3))
@example(sizes=[10] * 55, ways=2)
def test_every_wanted_table_is_a_margin_of_one_that_is_counted(sizes: list[int], ways: int) -> None:
    wanted = list(combinations(range(len(sizes)), min(ways, len(sizes))))
    counted = tables_to_count(sizes, wanted)
    for table in wanted:
        assert any(set(table) <= set(other) for other in counted)
    assert len(counted) <= len(wanted)
    for table in counted:
        cells = np.prod([sizes[place] for place in table], dtype=float)
        # Nothing grows beyond the cache but what was asked for.
        assert cells <= 1 << 18 or table in wanted


def test_few_tables_are_enough() -> None:
    assert len(tables_to_count([10] * 10, list(combinations(range(10), 2)))) <= 8
    assert len(tables_to_count([10] * 10, list(combinations(range(10), 3)))) <= 24
    assert len(tables_to_count([10] * 60, list(combinations(range(60), 2)))) <= 435


def test_pairs_of_many_columns_are_counted_by_blocks() -> None:
    """More pairs than a search is made for; each against a count of its own."""
    rng = np.random.default_rng(5)
    sizes = [2 + place % 7 for place in range(56)]
    batch = [rng.integers(0, size, 300) for size in sizes]
    pairs = [*combinations(range(56), 2), (40, 3), (7,)]
    found = count_tables([batch], sizes, pairs)
    for pair, counts in zip(pairs, found, strict=True):
        own = np.zeros([sizes[place] for place in pair], dtype=np.int64)
        np.add.at(own, tuple(batch[place] for place in pair), 1)
        assert np.array_equal(counts, own)
    assert len(tables_to_count(sizes, pairs[:-2])) < len(pairs) / 4
