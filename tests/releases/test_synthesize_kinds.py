"""Sets of items, dates and curves in synthetic tables: from files and databases, and back."""

import datetime
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import psycopg
import pyarrow as pa
import pyarrow.csv as pc
import pytest

import noisewright as nw
from noisewright.errors import InputError, OutsideSpaceError, TargetError
from noisewright.releases import Declared
from tests.ledger.server import server

ITEMS = ["milk", "bread", "wi'ne", "tea"]
BASKETS = nw.Subsets(ITEMS, largest=3)
DAYS = nw.Dates("2024-01-01", "2024-12-31", step="week")
HOURS = nw.Curves(range(6), low=0, high=10, step="1/8")
COLUMNS: dict[str, Any] = {
    "rich": [False, True],
    "basket": BASKETS,
    "first": DAYS,
    "load": nw.Column(HOURS, basis="fourier", coefficients=3),
}


def people(rows: int = 3_000, seed: int = 1) -> pa.Table:
    """Rich people buy wine and have loads that rise, others tea; they come later in the year."""
    rng = np.random.default_rng(seed)
    rich = rng.random(rows) < 0.4
    chances = np.where(rich[:, None], [0.4, 0.4, 0.8, 0.1], [0.4, 0.4, 0.1, 0.8])
    held = rng.random((rows, 4)) < chances
    held[held.all(axis=1), 0] = False
    days = np.where(rich, 180, 0) + rng.integers(0, 180, rows)
    waves = np.sin(2 * np.pi * np.arange(6) / 6) * np.where(rich, 3, 0)[:, None]
    loads = np.clip(np.rint((5 + waves + rng.normal(0, 0.3, (rows, 1))) * 8) / 8, 0, 10)
    kind = pa.list_(pa.string())
    return pa.table(
        {
            "rich": rich,
            "basket": pa.array([[ITEMS[i] for i in np.flatnonzero(row)] for row in held], kind),
            "first": pa.array(
                [datetime.date(2024, 1, 1) + datetime.timedelta(int(day)) for day in days]
            ),
            "load": pa.array(loads.tolist()),
        }
    )


PEOPLE = people()


def seeded() -> Any:
    return nw.randomness.SeededSource(5)


TREE = nw.planning.Method("mst", inference="tree")
"""The quickest one."""


def make(data: Any, columns: Any = None, **asked: Any) -> nw.results.Synthesis:
    """Return a synthetic table of a seeded test."""
    given: dict[str, Any] = {"epsilon": 4, "delta": 1e-6, "ledger": None, "method": TREE}
    given |= {"source": seeded(), **asked}
    return nw.synthesize(data, COLUMNS if columns is None else columns, **given)


def test_links_between_kinds_of_columns_survive() -> None:
    """With so large a budget noise moves shares by less than 0.02; without the link by 0.3."""
    made = make(PEOPLE, method="mst")
    assert made.table.schema.types == [
        pa.bool_(),
        pa.list_(pa.string()),
        pa.date32(),
        pa.list_(pa.float64()),
    ]
    for table in (PEOPLE, made.table):
        rich = table["rich"].to_numpy()
        wine = np.array(["wi'ne" in basket for basket in table["basket"].to_pylist()])
        later = np.array([day >= datetime.date(2024, 6, 25) for day in table["first"].to_pylist()])
        second = np.array(table["load"].to_pylist())[:, 1]
        assert wine[rich].mean() > 0.65
        assert wine[~rich].mean() < 0.2
        assert later[rich].mean() - later[~rich].mean() > 0.8
        assert second[rich].mean() - second[~rich].mean() > 2
    assert max(map(len, made.table["basket"].to_pylist())) <= 3
    assert {day.weekday() for day in made.table["first"].to_pylist()} == {0}
    assert any("short spikes" in note for note in made.notes)


@pytest.mark.parametrize("suffix", ["parquet", "csv", "feather"])
def test_files_hold_what_was_made(tmp_path: Path, suffix: str) -> None:
    """In CSV sets and curves are texts, an empty set too; all are read back as they were."""
    made = make(PEOPLE, out=nw.planning.Output(tmp_path / f"made.{suffix}", report=False))
    again = nw.results.Synthesis.open(tmp_path / f"made.{suffix}")
    assert again.domain == made.domain
    assert again.measurements[0].counts.tolist() == made.measurements[0].counts.tolist()
    read = Declared.of(tmp_path / f"made.{suffix}", made.split.fields)
    here = Declared.of(made.table, made.split.fields)
    for one, other in zip(read.batches(None), here.batches(None), strict=True):
        for name in dict(made.domain.columns):
            assert np.array_equal(one[name], other[name])
    assert [] in made.table["basket"].to_pylist()
    assert again.to_json() == made.to_json()


def test_a_plan_in_a_file_and_cells_in_csv(tmp_path: Path) -> None:
    """Texts with a separator, a curve in several columns, dates in words: the same codes."""
    table = PEOPLE.drop_columns("load")
    loads = np.array(PEOPLE["load"].to_pylist())
    words = pa.array(["|".join(basket) or "|" for basket in PEOPLE["basket"].to_pylist()])
    table = table.set_column(1, "basket", words)
    for hour in range(6):
        table = table.append_column(f"h{hour}", pa.array(loads[:, hour]))
    pc.write_csv(table, tmp_path / "people.csv")
    (tmp_path / "plan.toml").write_text("""
version = 1
epsilon = 4
delta = "1/1000000"

[columns.rich]
space = "categories"
labels = [false, true]

[columns.basket]
space = "subsets"
items = ["milk", "bread", "wi'ne", "tea"]
largest = 3
separator = "|"

[columns.first]
space = "dates"
low = "2024-01-01"
high = "2024-12-31"
step = "week"

[columns.load]
space = "curves"
grid = [0, 1, 2, 3, 4, 5]
low = 0
high = 10
step = "1/8"
columns = ["h0", "h1", "h2", "h3", "h4", "h5"]
basis = "fourier"
coefficients = 3
""")
    here = make(PEOPLE)
    there = nw.synthesize(
        tmp_path / "people.csv", tmp_path / "plan.toml", ledger=None, method=TREE, source=seeded()
    )
    assert there.table.to_pylist() == here.table.to_pylist()


@pytest.mark.parametrize(
    ("column", "cell", "words"),
    [
        ("basket", None, "is empty"),
        ("basket", ["milk", "gin"], "an item that was not declared"),
        ("basket", ["milk", None], "an item that was not declared"),
        ("basket", ITEMS, "more than 3 items"),
        ("load", [1.0, 2.0], "6 values|length|not a curve"),
        ("load", [1.0] * 5 + [11.0], "not a curve of the plan"),
        ("load", None, "is empty"),
        ("first", datetime.date(2025, 1, 10), "'first' at row 3,000"),
        ("first", None, "is empty"),
    ],
)
def test_cells_that_are_not_allowed_cost_nothing(column: str, cell: Any, words: str) -> None:
    place = PEOPLE.schema.get_field_index(column)
    cells = [*PEOPLE[column].to_pylist()[:-1], cell]
    wrong = PEOPLE.set_column(place, column, pa.array(cells, PEOPLE.schema.field(place).type))
    with pytest.raises(OutsideSpaceError, match=words) as caught:
        make(wrong)
    assert "gin" not in str(caught.value)


@pytest.mark.parametrize(
    ("column", "words"), [("basket", "lists of items"), ("load", "lists of 6 numbers")]
)
def test_columns_of_another_type_are_refused(column: str, words: str) -> None:
    place = PEOPLE.schema.get_field_index(column)
    wrong = PEOPLE.set_column(place, column, pa.array([1] * PEOPLE.num_rows))
    with pytest.raises(InputError, match=words):
        make(wrong)


def test_what_unusual_sets_count_as() -> None:
    cells = [None, ["milk", "gin"], ["milk", "bread", "wi'ne", "tea"], []] * 50
    table = pa.table({"basket": pa.array(cells, pa.list_(pa.string()))})
    how = nw.Column(BASKETS, null=["tea"], other="rest", outside="sample")
    read = Declared.of(table, {"basket": how})
    codes = {
        name: np.concatenate([b[name] for b in read.batches(None)]) for name in ["basket: tea"]
    }
    assert codes["basket: tea"][::4].all()
    made = make(table, {"basket": how})
    assert max(map(len, made.table["basket"].to_pylist())) == 3
    assert {item for basket in made.table["basket"].to_pylist() for item in basket} >= {"rest"}


def test_workloads_name_items_and_coefficients() -> None:
    named = make(PEOPLE).domain
    asked = nw.workloads.Workload.marginals(named, ways=1)
    made = make(PEOPLE, workload=asked)
    assert {one.columns for one in made.measurements} >= {("basket: milk",), ("rich",)}
    errors = nw.planning.predict_synthesis(COLUMNS, people=3_000, epsilon=4, delta=1e-6)
    assert any(part.columns == ("rich", "basket: milk") for part in errors.parts)


@pytest.mark.parametrize("method", ["mwem", "blr"])
def test_other_methods_make_sets_too(method: Any) -> None:
    columns = {"rich": [False, True], "basket": nw.Subsets(ITEMS[:2], largest=1)}
    short = PEOPLE.set_column(1, "basket", pa.array([b[:1] if b and b[0] in ITEMS[:2] else []
                                                     for b in PEOPLE["basket"].to_pylist()],
                                                    pa.list_(pa.string())))  # fmt: skip
    rows = 4 if method == "blr" else None
    made = make(short, columns, method=nw.planning.Method(method, rows=rows), workload=1, delta=0)
    assert max(map(len, made.table["basket"].to_pylist())) <= 1


@pytest.fixture(scope="module")
def places() -> Generator[dict[str, Any]]:
    """Ways to bring a table to a database."""
    with (
        duckdb.connect() as embedded,
        server() as address,
        psycopg.connect(address, autocommit=True) as connection,
    ):

        def in_duckdb(table: pa.Table) -> nw.DuckDB:
            embedded.register("arrow", table)
            embedded.execute("CREATE OR REPLACE TABLE people AS FROM arrow")
            return nw.DuckDB(embedded, "people")

        def in_postgresql(table: pa.Table) -> nw.PostgreSQL:
            connection.execute("DROP TABLE IF EXISTS people")
            connection.execute(
                "CREATE TABLE people (rich boolean, basket varchar[], first date, load float8[])"
            )
            rows = [tuple(row.values()) for row in table.to_pylist()]
            with connection.cursor() as cursor:
                cursor.executemany("INSERT INTO people VALUES (%s, %s, %s, %s)", rows)
            return nw.PostgreSQL(connection, "people")

        yield {"duckdb": in_duckdb, "postgresql": in_postgresql}


@pytest.mark.parametrize("place", ["duckdb", "postgresql"])
@pytest.mark.parametrize("method", [TREE, "mst"], ids=["all-kinds", "points"])
def test_a_database_counts_the_same(places: dict[str, Any], place: str, method: Any) -> None:
    """With the same bits, the same noisy counts and rows as from an Arrow table."""
    kinds = [*COLUMNS] if method is TREE else ["rich", "basket", "first"]
    columns = {name: COLUMNS[name] for name in kinds}
    table = PEOPLE.slice(0, 700)
    here, there = (make(data, columns, method=method) for data in (table, places[place](table)))
    for one, other in zip(there.measurements, here.measurements, strict=True):
        assert (one.columns, one.counts.tolist()) == (other.columns, other.counts.tolist())
    assert there.table.to_pylist() == here.table.to_pylist()
    assert there.certificate_digest == here.certificate_digest


@pytest.mark.parametrize("place", ["duckdb", "postgresql"])
@pytest.mark.parametrize("cell", [None, ["milk", "gin"], ["milk", None], ITEMS, ["Milk"]])
def test_a_database_checks_sets(places: dict[str, Any], place: str, cell: Any) -> None:
    columns = {"basket": BASKETS}
    cells = [*PEOPLE["basket"].to_pylist()[:20], cell]
    kind = PEOPLE.schema.field("basket").type
    table = PEOPLE.slice(0, 21).set_column(1, "basket", pa.array(cells, kind))
    data = places[place](table)
    with pytest.raises(OutsideSpaceError, match="'basket'") as caught:
        make(data, columns)
    assert "gin" not in str(caught.value)
    how = {"basket": nw.Column(nw.Subsets(ITEMS), null=["tea", "milk"], other="rest")}
    here, there = make(table, how), make(data, how)
    assert there.table.to_pylist() == here.table.to_pylist()


@pytest.mark.parametrize("place", ["duckdb", "postgresql"])
@pytest.mark.parametrize(
    "cell", [None, [1.0], [1.0] * 7, [1.0] * 5 + [11.0], [1.0] * 5 + [None], [float("nan")] * 6]
)
def test_a_database_checks_curves(places: dict[str, Any], place: str, cell: Any) -> None:
    cells = [*PEOPLE["load"].to_pylist()[:20], cell]
    table = PEOPLE.slice(0, 21).set_column(3, "load", pa.array(cells, pa.list_(pa.float64())))
    with pytest.raises(OutsideSpaceError, match="'load'"):
        make(places[place](table), {"load": COLUMNS["load"]})


def test_curves_in_several_columns_of_a_database() -> None:
    loads = np.array(PEOPLE["load"].to_pylist())
    names = [f"h{hour}" for hour in range(6)]
    spread = pa.table({name: loads[:, hour] for hour, name in enumerate(names)})
    how = nw.Column(HOURS, columns=names, basis="bspline", coefficients=3, outside="clamp")
    with duckdb.connect() as connection:
        connection.register("spread", spread)
        here, there = (
            make(data, {"load": how}) for data in (spread, nw.DuckDB(connection, "spread"))
        )
        gaps = nw.Column(HOURS, columns=names, basis="bspline", null=[0.0] * 6)
        with pytest.raises(InputError, match="fill gaps in a view"):
            make(nw.DuckDB(connection, "spread"), {"load": gaps})
    assert there.table.column_names == ["load"]
    assert there.table.to_pylist() == here.table.to_pylist()


def test_a_database_says_what_it_cannot_do(places: dict[str, Any]) -> None:
    data = places["duckdb"](PEOPLE.slice(0, 20))
    for columns, words in [
        ({"basket": nw.Column(BASKETS, outside="sample")}, "Cut the sets in a view"),
        ({"rich": nw.Subsets(ITEMS)}, "a list of texts"),
        ({"basket": nw.Subsets([1, 2])}, "a list of whole numbers"),
        ({"basket": nw.Subsets([1.5, 2.5])}, "Read the table from a file"),
    ]:
        with pytest.raises(InputError, match=words):
            make(data, columns)


def test_sets_of_whole_numbers_in_a_large_table() -> None:
    """More rows than a batch; nothing but counts leaves the database."""
    rows = 200_000
    with duckdb.connect() as connection:
        connection.execute(
            f"CREATE TABLE people AS SELECT range % 3 AS ward, CASE range % 4 WHEN 0 THEN [1, 2] "
            f"WHEN 1 THEN [3] WHEN 2 THEN [] ELSE [2, 3, 3] END AS codes FROM range({rows})"
        )
        columns = {"ward": nw.Counts(2), "codes": nw.Subsets([1, 2, 3], largest=2)}
        there = make(nw.DuckDB(connection, "people"), columns)
        table = connection.sql("FROM people").to_arrow_table()
        assert table.num_rows == rows
        here = make(table, columns)
        types = there.table.schema.types
    assert there.people == rows
    assert [one.counts.tolist() for one in there.measurements] == [
        one.counts.tolist() for one in here.measurements
    ]
    assert there.table.equals(here.table)
    assert pa.types.is_list(types[1])


def test_items_and_coefficients_are_asked_for_in_sql_and_expressions(tmp_path: Path) -> None:
    out = nw.planning.Output(tmp_path / "made.csv", report=False)
    columns = {name: COLUMNS[name] for name in ("rich", "basket", "load")}
    nw.synthesize(PEOPLE.slice(0, 300).drop("first"), columns, epsilon=1, ledger=None, out=out)
    made = nw.results.Synthesis.open(tmp_path / "made.csv")
    wanted = made.query({"basket: milk": True, "rich": False}).interval
    assert made.query('"basket: milk" AND NOT rich').interval == wanted
    assert made.query(nw.col("basket: milk") & ~nw.col("rich")).interval == wanted
    assert made.query('"load: coefficient 1" >= 0', by="rich").values.shape == (2,)
    with pytest.raises(InputError, match='"basket: milk"'):
        made.query("basket = 'milk'")
    page = made.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Columns: rich, basket, load." in re.sub("<[^>]*>", "", page)
    assert "each coefficient of a curve was counted" in page
    assert "this page is about 8 columns" in page


def test_items_that_a_text_could_not_hold_are_refused_before_anything_is_spent(
    tmp_path: Path,
) -> None:
    columns = {"ill": nw.Subsets(["flu", "high; rising"])}
    book = nw.Ledger.create(tmp_path / "budget.db")
    book.grant("people", epsilon=1)
    with pytest.raises(TargetError, match="Write Parquet"):
        nw.synthesize(
            pa.table({"ill": [["flu"], ["high; rising"]]}),
            columns,
            epsilon=1,
            ledger=book,
            dataset="people",
            out=tmp_path / "made.csv",
        )
    assert [entry.kind for entry in book.history()] == ["grant"]
