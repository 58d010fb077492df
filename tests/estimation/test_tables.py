"""Tables of released columns: every form of input, every choice of tables, the same counts."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.estimation.counts import released_columns as released_data
from tests.estimation.test_counting import count_tables

EDUCATION = nw.Categories(["low", "mid", "high"])
MECHANISM = nw.combine.product(
    education=nw.randomized_response(EDUCATION, epsilon=2),
    income=nw.randomized_response(nw.Categories(["<50", ">50"]), epsilon=1),
    children=nw.geometric(nw.Counts(4), epsilon=1),
)
RANDOM = np.random.default_rng(7)
ROWS = 5_000
TABLE = pa.table(
    {
        "education": RANDOM.choice(["low", "mid", "high"], ROWS),
        "income": RANDOM.choice(["<50", ">50"], ROWS),
        "children": RANDOM.integers(0, 5, ROWS),
        "ignored": RANDOM.random(ROWS),
    }
)


@settings(max_examples=40)
@given(st.data())
def test_counts_are_those_of_each_table_by_itself(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.sampled_from([1, 2, 3, 10, 60, 200]), min_size=1, max_size=6))
    places = st.lists(
        st.integers(0, len(sizes) - 1), min_size=1, max_size=min(3, len(sizes)), unique=True
    )
    wanted = data.draw(st.lists(places.map(tuple), min_size=1, max_size=8))
    rows = data.draw(st.integers(0, 40))
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    codes = [random.integers(0, size, rows).astype(np.min_scalar_type(size - 1)) for size in sizes]
    half = rows // 2
    batches = [[column[:half] for column in codes], [column[half:] for column in codes]]
    for table, counts in zip(wanted, count_tables(batches, sizes, wanted), strict=True):
        plain = np.zeros([sizes[place] for place in table], dtype=int)
        np.add.at(plain, tuple(codes[place].astype(int) for place in table), 1)
        assert np.array_equal(counts, plain)


def forms(folder: Path) -> Iterator[tuple[str, Any]]:
    yield "table", TABLE
    yield "batch", TABLE.combine_chunks().to_batches()[0]
    yield "batches", TABLE.to_batches(max_chunksize=999)
    yield "reader", pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches())
    yield "stream", iter(TABLE.to_batches(max_chunksize=100))
    yield "mapping", {name: TABLE.column(name) for name in TABLE.column_names}
    yield "arrays", {name: TABLE.column(name).to_numpy() for name in MECHANISM_COLUMNS}
    yield "lists", {name: TABLE.column(name).to_pylist() for name in MECHANISM_COLUMNS}
    coded = TABLE.column("education").dictionary_encode()
    yield "dictionary", TABLE.set_column(0, "education", coded)
    pyarrow.parquet.write_table(TABLE, folder / "t.parquet", row_group_size=1_234)
    yield "parquet", folder / "t.parquet"
    yield "text path", str(folder / "t.parquet")
    pyarrow.feather.write_feather(TABLE, folder / "t.feather")
    yield "feather", folder / "t.feather"
    pyarrow.csv.write_csv(TABLE, folder / "t.csv")
    yield "csv", folder / "t.csv"


MECHANISM_COLUMNS = [name for name, _ in MECHANISM.columns]


def test_every_form_of_a_table_gives_the_same_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = nw.estimate(TABLE, MECHANISM).values
    assert expected.shape == (3, 2, 5)
    monkeypatch.setattr(released_data, "BATCH", 777)
    for name, form in forms(tmp_path):
        assert np.array_equal(nw.estimate(form, MECHANISM).values, expected), name


def test_pairs_are_all_columns_and_all_pairs() -> None:
    found = nw.estimate(TABLE, MECHANISM, of="pairs")
    assert list(found) == [*MECHANISM_COLUMNS, *combinations(MECHANISM_COLUMNS, 2)]
    joint = nw.estimate(TABLE, MECHANISM)
    assert np.allclose(found["income", "children"].values, joint.values.sum(axis=0))
    assert np.allclose(found["education"].values, joint.values.sum(axis=(1, 2)))
    single = nw.estimate(TABLE.column("education"), dict(MECHANISM.columns)["education"])
    assert np.allclose(found["education"].values, single.values)
    assert np.allclose(found["education"].intervals, single.intervals)
    assert list(nw.estimate(TABLE, MECHANISM, of="columns")) == MECHANISM_COLUMNS


def test_tables_come_in_the_order_asked_for() -> None:
    there = nw.estimate(TABLE, MECHANISM, of=("income", "education"))
    back = nw.estimate(TABLE, MECHANISM, of=["education", ("education", "income")])
    assert np.allclose(there.values.T, back["education", "income"].values)
    assert there[">50", "low"].value == back["education", "income"]["low", ">50"].value


def test_the_columns_named_by_the_user_come_first() -> None:
    response = nw.randomized_response(EDUCATION, epsilon=2)
    found = nw.estimate(
        {"pairs": ["low"], "b": ["mid"]}, nw.combine.product(pairs=response, b=response), of="pairs"
    )
    assert isinstance(found, nw.results.Estimate)


def test_an_answer_as_an_arrow_table_and_as_text() -> None:
    found = nw.estimate(TABLE, MECHANISM, of=("education", "income"), about="people")
    table = found.table()
    assert table.column_names == [
        "education",
        "income",
        "share",
        "standard_error",
        "low",
        "high",
        "count",
    ]
    assert table.num_rows == 6
    assert sum(table.column("count").to_pylist()) == pytest.approx(ROWS)
    assert found.counts["low", ">50"].value == pytest.approx(ROWS * found["low", ">50"].value)
    text = repr(found)
    assert "5,000 people" in text
    assert "low     >50" in text
    best = nw.estimate(TABLE, MECHANISM, of="education").top(2)
    assert best.values[0] >= best.values[1]
    assert len(best.axes[0].labels) == 2
