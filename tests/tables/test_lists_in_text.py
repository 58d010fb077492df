"""Sets and curves where a cell is one text, or a curve is several columns."""

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from noisewright.errors import DataError, InputError, OutsideSpaceError, ParameterError, TargetError
from noisewright.tables import open_table

SETS = nw.Subsets(["milk", "bread", "tea & more"])
PLAN = nw.Plan(
    {
        "basket": nw.Column(SETS, null=[]),
        "day": nw.Column(nw.Curves([0, 1, 2], low=0, high=5)),
        "likes": nw.Column(nw.Subsets([1, 2, 3]), separator="|"),
    },
    epsilon=300,
)
TEXT = """basket,day,likes
milk;bread,1;2;3,1|2
 tea & more ;; ,1.5 ; 2;0,3
"",0;0;0,""
,5;5;5,2
"""


def rows(data: Any, plan: nw.Plan, *, released: bool = False) -> list[dict[str, Any]]:
    reader = open_table(data, schema=plan.schema, released=released)
    return pa.Table.from_batches(list(reader.batches())).to_pylist()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text(TEXT)
    return path


def test_a_cell_holds_a_set_or_a_curve(file: Path) -> None:
    assert rows(file, PLAN) == [
        {"basket": ["milk", "bread"], "day": [1.0, 2.0, 3.0], "likes": [1, 2]},
        {"basket": ["tea & more"], "day": [1.5, 2.0, 0.0], "likes": [3]},
        {"basket": [], "day": [0.0, 0.0, 0.0], "likes": []},
        {"basket": None, "day": [5.0, 5.0, 5.0], "likes": [2]},
    ]


def test_csv_gives_csv_that_is_read_back(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "private.csv"
    made = nw.release(file, PLAN, ledger=None, out=nw.planning.Output(out, report=False))
    parquet = nw.release(
        file, PLAN, ledger=None, out=nw.planning.Output(tmp_path / "p.parquet", report=False)
    )
    assert made.table.schema.types == parquet.table.schema.types
    assert rows(out, PLAN, released=True) == made.table.to_pylist()
    baskets = made.table["basket"].to_pylist()
    assert all(set(basket) <= {*SETS.items} for basket in baskets)
    opened = nw.results.Release.open(out)
    assert opened.estimate("basket", about="people", show="all").values.shape == (3,)
    assert opened.estimate("day", about="people", show="all").values.shape == (3,)
    text = out.read_text().splitlines()
    assert text[0] == '"basket","day","likes"'


def test_what_was_released_is_the_same_in_every_format(file: Path, tmp_path: Path) -> None:
    tables: list[Any] = []
    for suffix in ("csv", "parquet"):
        out, source = tmp_path / f"{suffix}.{suffix}", nw.randomness.SeededSource(7)
        made = nw.release(
            file, PLAN, ledger=None, out=nw.planning.Output(out, report=False), source=source
        )
        tables.append(made.table.to_pylist())
    assert tables[0] == tables[1]


@pytest.mark.parametrize(
    ("column", "cell", "message"),
    [
        ("basket", "milk;SECRET", "not declared"),
        ("day", "1;SECRET;3", "does not hold lists of 3 numbers"),
        ("day", "1;2", ""),
        ("likes", "1|SECRET", "does not hold lists of items"),
        ("likes", "1;2", "does not hold lists of items"),
        ("likes", "7", "not declared"),
    ],
)
def test_bad_cells_are_named_by_row_and_not_shown(
    column: str, cell: str, message: str, tmp_path: Path
) -> None:
    good = {"basket": "milk", "day": "1;2;3", "likes": "1"}
    lines = [",".join(line.values()) for line in (good, {**good, column: cell})]
    path = tmp_path / "t.csv"
    path.write_text("\n".join([",".join(good), *lines]) + "\n")
    with pytest.raises(OutsideSpaceError, match=f"{column!r} at row 2 .*{message}") as refused:
        nw.release(path, PLAN, ledger=None, out=tmp_path / "o.csv")
    assert "SECRET" not in str(refused.value)


@pytest.mark.parametrize("item", ["", " c", "c ", "\t"])
def test_items_that_no_text_gives_back_are_not_written_as_text(tmp_path: Path, item: str) -> None:
    plan = nw.Plan({"b": nw.Column(nw.Subsets(["a", item]))}, epsilon=1)
    data = {"b": [["a"], [item], []]}
    with pytest.raises(TargetError, match="spaces around items"):
        nw.release(data, plan, ledger=None, out=tmp_path / "o.csv")
    assert not list(tmp_path.iterdir())
    nw.release(data, plan, ledger=None, out=tmp_path / "o.parquet")


def test_items_that_hold_the_separator_are_not_written_as_text(tmp_path: Path) -> None:
    plan = nw.Plan({"b": nw.Column(nw.Subsets(["a;b", "c"]), separator="|")}, epsilon=1)
    (tmp_path / "t.csv").write_text("b\na;b|c\n")
    assert rows(tmp_path / "t.csv", plan) == [{"b": ["a;b", "c"]}]
    with pytest.raises(TargetError, match="contains ';'"):
        nw.release(tmp_path / "t.csv", plan, ledger=None, out=tmp_path / "o.csv")
    nw.release(
        tmp_path / "t.csv",
        plan,
        ledger=None,
        out=nw.planning.Output(tmp_path / "o.parquet", report=False),
    )


def test_public_lists_are_still_not_written_as_text(tmp_path: Path) -> None:
    table = pa.table({"a": ["x"], "b": [["p", "q"]]})
    plan = nw.Plan({"a": nw.Column(["x", "y"]), "b": "public"}, epsilon=1)
    with pytest.raises(TargetError, match="'b' holds lists"):
        nw.release(table, plan, ledger=None, out=tmp_path / "o.csv")


def test_plans_keep_separators_and_columns() -> None:
    curve = nw.Column(nw.Curves([0, 1], low=0, high=5), columns=["t0", "t1"])
    plan = nw.Plan({"likes": PLAN.schema.fields["likes"], "t": curve}, epsilon=1)  # pyright: ignore[reportArgumentType]
    text = plan.to_toml()
    assert 'separator = "|"' in text
    assert 'columns = ["t0", "t1"]' in text
    assert nw.Plan.from_toml(text) == plan


@pytest.mark.parametrize(
    ("space", "wrong"),
    [
        (SETS, {"separator": ""}),
        (SETS, {"separator": "ab"}),
        (SETS, {"separator": "a"}),
        (nw.Counts(3), {"separator": "|"}),
        (SETS, {"columns": ["a"]}),
        (nw.Curves([0, 1], low=0, high=1), {"columns": ["a"]}),
        (nw.Curves([0, 1], low=0, high=1), {"columns": ["a", "a"]}),
        (nw.Curves([0, 1], low=0, high=1), {"columns": "ab"}),
    ],
)
def test_settings_that_make_no_sense(space: Any, wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        nw.Column(space, **wrong)


# Several columns as one curve

HOURS = nw.Column(nw.Curves([0, 1, 2], low=0, high=40), columns=["t0", "t1", "t2"], null=[0, 0, 0])
CURVES = nw.Plan({"t": HOURS, "sex": nw.Column(["f", "m"]), "id": "drop"}, epsilon=600)
TABLE = {
    "id": [1, 2, 3],
    "t1": [2, 20, None],
    "t0": [1, 10, 5],
    "t2": [3, 30, 5],
    "sex": ["f", "m", "m"],
}


@pytest.mark.parametrize("kind", ["columns", "arrow", "pandas", "csv", "parquet", "no header"])
def test_several_columns_are_read_as_one_curve(kind: str, tmp_path: Path) -> None:
    table, data = pa.table(TABLE), None
    if kind in ("csv", "no header"):
        data = tmp_path / "t.csv"
        ordered = pd.DataFrame(TABLE)[["t0", "t1", "t2", "sex", "id"]]
        ordered.to_csv(data, index=False, header=kind == "csv")
        data = data if kind == "csv" else nw.CSV(data, header=False)
    elif kind == "parquet":
        data = tmp_path / "t.parquet"
        pq.write_table(table, data)
    else:
        data = {"columns": TABLE, "arrow": table, "pandas": pd.DataFrame(TABLE)}[kind]
    found = rows(data, CURVES)
    assert [row["t"] for row in found] == [[1, 2, 3], [10, 20, 30], [5, None, 5]]
    made = nw.release(
        data, CURVES, ledger=None, out=nw.planning.Output(tmp_path / "o.csv", report=False)
    )
    assert set(made.table.schema.names) == {"t", "sex"}
    assert [len(curve) for curve in made.table["t"].to_pylist()] == [3, 3, 3]
    opened = nw.results.Release.open(tmp_path / "o.csv")
    assert opened.estimate("t", about="people", show="all").values.shape == (3,)


def test_columns_of_a_curve_must_be_there_and_be_numbers() -> None:
    with pytest.raises(InputError, match="'t2', which the table does not have"):
        open_table({"id": [1], "t0": [1], "t1": [1], "sex": ["f"]}, schema=CURVES.schema)
    with pytest.raises(InputError, match="must hold numbers"):
        open_table({**TABLE, "t1": [True, True, False]}, schema=CURVES.schema)
    with pytest.raises(DataError, match=r"'t1' .* is not a number in row 2") as refused:
        rows(pa.table({**TABLE, "t1": ["1", "SECRET", "2"]}), CURVES)
    assert "SECRET" not in str(refused.value)
    twice = nw.Plan({"t": HOURS, "t1": "public", "sex": "drop", "id": "drop"}, epsilon=1)
    with pytest.raises(InputError, match="also declared by itself"):
        open_table(TABLE, schema=twice.schema)


def test_an_empty_cell_of_a_set_names_the_way_to_the_empty_set(tmp_path: Path) -> None:
    likes = nw.Subsets(["tv", "sport"])
    path = tmp_path / "t.csv"
    path.write_text("who,likes\na,tv\nb,\n")
    people = {"who": ["a", "b"]}
    with pytest.raises(
        OutsideSpaceError, match=r"'likes' at row 2 is empty\. .* declare null = \[\]"
    ):
        nw.synthesize(path, people | {"likes": likes}, epsilon=1, ledger=None)
    read = nw.synthesize(
        path, people | {"likes": nw.Column(likes, null=[])}, epsilon=1, ledger=None
    )
    assert read.people == 2
    with pytest.raises(ParameterError, match=r"null is 'none', .* null = \[\] for the empty set"):
        nw.Column(likes, null="none")


@pytest.mark.parametrize(
    ("space", "cell", "words", "not_said"),
    [
        (nw.Interval(0, 9, step=1), "SECRET", "is not a number in row 1", "other"),
        (nw.Counts(9), "NaN", "is not a whole number in row 1", "other"),
        ([1, 2, 3], "SECRET", "other = … for the column", "null"),
    ],
)
def test_the_advice_fits_the_kind_of_the_column(
    tmp_path: Path, space: Any, cell: str, words: str, not_said: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"who,n\na,{cell}\n")
    with pytest.raises(DataError, match=words) as refused:
        nw.synthesize(path, {"who": ["a", "b"], "n": space}, epsilon=1, ledger=None)
    said = str(refused.value)
    assert "leave it empty" not in said
    assert not_said not in said
    assert cell not in said
