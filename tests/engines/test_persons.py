"""Rows of a person: who they belong to, and which are kept."""

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from noisewright.engines.persons import Kept, PersonKeys, PersonRows, chosen_rows
from noisewright.errors import InputError, OutsideSpaceError
from noisewright.sampling import SeededSource

KEYS = PersonKeys("id")

CELLS: dict[str, tuple[pa.DataType, Any]] = {
    "text": (pa.string(), st.text(max_size=6)),
    "long text": (pa.string(), st.text(min_size=250, max_size=260)),
    "bytes": (pa.binary(), st.binary(max_size=4)),
    "number": (pa.int64(), st.integers(-5, 5) | st.integers(-(1 << 63), (1 << 63) - 1)),
    "small number": (pa.int8(), st.integers(-128, 127)),
    "large number": (pa.uint64(), st.integers(0, (1 << 64) - 1)),
}


@pytest.mark.parametrize("kind", CELLS)
@settings(max_examples=25)
@given(data=st.data())
def test_equal_cells_and_no_others_have_equal_hashes(kind: str, data: st.DataObject) -> None:
    """Others do with probability 2^-64: not in the lifetime of this test suite."""
    arrow_type, strategy = CELLS[kind]
    cells = data.draw(st.lists(strategy, max_size=30))
    hashes = KEYS.hashes(pa.array(cells, arrow_type)).tolist()
    assert len(set(zip(cells, hashes, strict=True))) == len(set(cells)) == len(set(hashes))
    # Whichever way the cells come.
    assert KEYS.hashes(pa.array(cells, arrow_type).dictionary_encode()).tolist() == hashes
    assert KEYS.hashes(pa.array([*cells, *cells], arrow_type).slice(len(cells))).tolist() == hashes


def test_hashes_are_keyed_anew() -> None:
    cells = pa.array(["Ann", "Bob"])
    assert PersonKeys("id").hashes(cells).tolist() != KEYS.hashes(cells).tolist()


def test_an_empty_cell_is_named_by_its_row() -> None:
    for cells in (pa.array(["a", None]), pa.array(["a", None]).dictionary_encode()):
        with pytest.raises(OutsideSpaceError, match="'id' at row 12 is empty") as problem:
            KEYS.hashes(cells, 10)
        assert problem.value.row == 11


def test_people_are_not_told_apart_by_fractions() -> None:
    KEYS.require_type(pa.dictionary(pa.int32(), pa.string()))
    KEYS.require_type(pa.timestamp("us"))
    with pytest.raises(InputError, match="'id' identifies people and has the type double"):
        KEYS.require_type(pa.float64())


@given(st.lists(st.lists(st.integers(1, 40), max_size=50), max_size=6))
def test_rows_are_counted_as_a_dictionary_would(batches: list[list[int]]) -> None:
    rows, seen = PersonRows(capacity=4), Counter[int]()
    for batch in batches:
        _, before = rows.add(np.array(batch, dtype=np.uint64))
        expected: list[int] = []
        for who in batch:
            expected.append(seen[who])
            seen[who] += 1
        assert before.tolist() == expected
    assert rows.people == len(seen)
    assert sorted(rows.counts[rows.counts > 0].tolist()) == sorted(seen.values())
    assert rows.count_released(3) == sum(min(3, count) for count in seen.values())
    who = np.array([*seen, 99], dtype=np.uint64)
    places = rows.find(who)
    assert [int(rows.counts[place]) for place in places[:-1]] == list(seen.values())
    assert places[-1] == -1


@pytest.mark.parametrize("keep", ["first", "random"])
@settings(max_examples=40)
@given(
    batches=st.lists(st.lists(st.integers(1, 5), max_size=40), min_size=1, max_size=5),
    most=st.integers(1, 4),
)
def test_each_person_keeps_as_many_rows_as_there_may_be(
    keep: str, batches: list[list[int]], most: int
) -> None:
    totals = PersonRows(capacity=4)
    for batch in batches:
        totals.add(np.array(batch, dtype=np.uint64))
    kept = Kept(most, keep, totals, None)
    left, all_rows = Counter[int](), Counter[int]()
    for batch in batches:
        mask = kept.rows(np.array(batch, dtype=np.uint64))
        for who, stays in zip(batch, mask.tolist(), strict=True):
            if keep == "first":
                assert stays == (all_rows[who] < most)
            all_rows[who] += 1
            left[who] += stays
    assert left == Counter({who: min(most, count) for who, count in all_rows.items()})


def test_the_bound_holds_even_if_the_table_grew_since_it_was_counted() -> None:
    totals = PersonRows()
    totals.add(np.array([1, 1, 1, 2, 2], dtype=np.uint64))
    kept = Kept(2, "random", totals, None)
    left = Counter[int]()
    for _ in range(20):
        rows = np.array([1, 2, 3], dtype=np.uint64)
        left.update(rows[kept.rows(rows)].tolist())
    assert max(left.values()) <= 2


def test_every_choice_of_rows_is_equally_likely() -> None:
    """All 20 choices of 3 of 6, 6,000 times each, within 6.5 deviations: fixed by the seed."""
    drawn = chosen_rows(np.full(120_000, 6), 3, SeededSource("rows of a person"))
    assert drawn.max() < 6
    choices = Counter(map(tuple, np.sort(drawn, axis=1).tolist()))
    assert len(choices) == 20
    assert all(len(set(choice)) == 3 for choice in choices)
    assert max(abs(count - 6000) for count in choices.values()) < 6.5 * np.sqrt(6000 * 0.95)
