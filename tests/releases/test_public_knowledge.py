"""Zeros, a prior and totals of `synthesize`: kept in every row, and refused before any debit."""

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import InputError, OutsideSpaceError, ReleaseError, SpaceError
from tests.releases.people_with_zeros import COLUMNS, DATA, REGIONS, ZEROS, broken

METHOD = nw.planning.Method


def refuse(words: str, kind: type[Exception] = InputError, data: Any = DATA, **given: Any) -> None:
    with pytest.raises(kind, match=words):
        nw.synthesize(data, COLUMNS, epsilon=1, ledger=None, **given)


def test_no_zero_is_in_a_million_rows_even_if_counts_are_all_noise() -> None:
    assert broken(DATA) == 0
    made = nw.synthesize(
        DATA,
        COLUMNS,
        epsilon="1e-3",
        delta=1e-9,
        ledger=None,
        zeros=ZEROS,
        method=METHOD(rows=10**6),
    )
    assert made.rows == 10**6
    assert broken(made.table) == 0
    assert any(
        "declared impossible" in note and "sex=male, pregnant=yes" in note for note in made.limits
    )


def test_steps_depend_on_which_columns_have_totals_and_not_on_the_totals() -> None:
    """A column with totals is not put into bins: its step differs, whatever the totals are."""
    data = {"age": [*range(100)] * 3, "sex": [0, 1] * 150}
    columns = {"age": nw.Counts(99), "sex": nw.Counts(1)}

    def digest(ages: list[int] | None) -> str:
        totals = None if ages is None else {"age": dict(enumerate(ages))}
        made = nw.synthesize(data, columns, epsilon=1, ledger=None, totals=totals)
        return made.certificate_digest

    assert digest([3] * 100) == digest([6, 0] * 50) != digest(None)


def test_all_together_cost_what_they_cost_without(tmp_path: Path) -> None:
    totals = [
        {"region": REGIONS},
        pa.table({"work": ["yes", "no"], "sex": ["male", "female"], "count": [1_200, 1_800]}),
    ]
    book = nw.Ledger.create(tmp_path / "budget.db")
    book.grant("people", epsilon=3)
    plain = nw.synthesize(DATA, COLUMNS, epsilon=1, ledger=book, dataset="people")
    made = nw.synthesize(
        DATA,
        COLUMNS,
        epsilon=1,
        ledger=book,
        dataset="people",
        zeros={f"zero {n}": one for n, one in enumerate(ZEROS)},
        prior=plain,
        totals=totals,
        out=nw.planning.Output(tmp_path / "made.parquet", report=False),
    )
    assert made.certificate_digest == plain.certificate_digest
    assert made.charged == plain.charged
    assert broken(made.table) == 0
    assert Counter(made.table["region"].to_pylist()) == REGIONS
    pairs = zip(made.table["work"].to_pylist(), made.table["sex"].to_pylist(), strict=True)
    assert Counter(pairs) == {("yes", "male"): 1_200, ("no", "female"): 1_800}
    again = nw.results.Synthesis.open(tmp_path / "made.parquet")
    assert sum("declared public" in note for note in again.limits) == 2


@pytest.mark.parametrize("rows", [1_000, 6_000])
def test_totals_are_scaled_to_the_rows_that_are_made(rows: int) -> None:
    made = nw.synthesize(
        DATA, COLUMNS, epsilon=1, ledger=None, totals={"region": REGIONS}, method=METHOD(rows=rows)
    )
    found = Counter(made.table["region"].to_pylist())
    for label, count in REGIONS.items():
        assert abs(found[label] - count * rows / 3_000) < 1
    if rows == 6_000:
        assert found == {label: 2 * count for label, count in REGIONS.items()}


def test_a_row_that_meets_a_zero_is_refused_before_the_debit(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="needs: duckdb")
    bad = pa.concat_tables(
        [
            DATA,
            DATA.slice(0, 1).set_column(1, "pregnant", [["yes"]]).set_column(0, "sex", [["male"]]),
        ]
    )
    book = nw.Ledger.create(tmp_path / "budget.db")
    book.grant("people", epsilon=3)
    with duckdb.connect() as database:
        database.register("people", bad)
        for data, at in ((bad, "row 3,001"), (nw.DuckDB(database, "people"), "a row")):
            with pytest.raises(OutsideSpaceError, match=f"{at} of the data meets"):
                nw.synthesize(data, COLUMNS, epsilon=1, ledger=book, dataset="people", zeros=ZEROS)
        database.register("good", DATA)
        made = nw.synthesize(
            nw.DuckDB(database, "good"), COLUMNS, epsilon=1, ledger=None, zeros=ZEROS
        )
    assert broken(made.table) == 0
    assert str(book.balance("people").left.epsilon) == "3"


def test_what_cannot_be_used_is_named() -> None:
    refuse("leave no row possible", zeros=[{"sex": ["male", "female"]}])
    refuse("leave no row possible", zeros=[{"sex": "male"}, {"sex": "female"}])
    refuse("no column 'sexx'", zeros=[{"sexx": "male"}])
    refuse("no value 'man'", OutsideSpaceError, zeros=[{"sex": "man"}])
    refuse("zeros is 3; give conditions", zeros=3)
    other = nw.workloads.Workload.conjunctions({"sex": ["female", "male"]}, [{"sex": "male"}])
    refuse("a workload on other columns", zeros=other)
    refuse(r"inference='graph'.* use method='mst'", zeros=ZEROS, method=METHOD(inference="graph"))
    refuse(r"method='mwem'.* use method='mst'", zeros=ZEROS, method="mwem")
    refuse(
        r"the prior: .*'income', 'region'", prior=DATA.select(["sex", "pregnant", "age", "work"])
    )
    refuse(
        "the prior: the column 'sex' at row 1",
        SpaceError,
        prior=DATA.set_column(0, "sex", [["M"] * 3_000]),
    )
    refuse("the prior: it has no rows", prior=DATA.slice(0, 0))
    refuse("add up to 2,999, but 3,000", totals={"region": REGIONS | {"isle": 0}})
    refuse(
        "totals 1: the column 'region' has 'west' at row 1, which is not one of the 3 declared "
        "labels: 'north', .*correct this one, or leave it out",
        OutsideSpaceError,
        totals={"region": {"west": 3_000}},
    )
    refuse("has 200 at row 1, which is outside of", OutsideSpaceError, totals={"age": {200: 3_000}})
    refuse("has None at row 1, which is empty", OutsideSpaceError, totals={"sex": {None: 3_000}})
    refuse("about 'land'", totals={"land": {"west": 3_000}})
    refuse("a count is 1.5", totals={"region": {"north": 1.5}})
    refuse("has no column 'count'", totals=pa.table({"region": ["north"], "n": [3_000]}))
    refuse("a cell twice", totals=pa.table({"region": ["isle"] * 2, "count": [1, 2_999]}))
    refuse("two tables of totals by region", totals=[{"region": REGIONS}, {"region": REGIONS}])
    refuse("totals is empty", totals=[])
    refuse(
        "sex=male, pregnant=yes, which the zeros exclude",
        zeros=ZEROS,
        totals=pa.table({"sex": ["male"], "pregnant": ["yes"], "count": [3_000]}),
    )
    with pytest.raises(InputError, match="add up to 3,000, but 50 rows"):
        nw.planning.predict_synthesis(COLUMNS, people=50, epsilon=1, totals={"region": REGIONS})


def test_further_tables_keep_it_too_or_are_refused(tmp_path: Path) -> None:
    made = nw.synthesize(
        DATA,
        COLUMNS,
        epsilon="1/10",
        ledger=None,
        zeros=ZEROS,
        totals={"region": REGIONS},
        out=nw.planning.Output(tmp_path / "made.parquet", report=False),
    )
    for table in made.tables(2):
        assert broken(table) == 0
        assert Counter(table["region"].to_pylist()) == REGIONS
    # Files do not hold what is public: what they would give might break it.
    again = nw.results.Synthesis.open(tmp_path / "made.parquet")
    assert again.knowledge == made.knowledge == ("zeros", "totals")
    with pytest.raises(ReleaseError, match="Draw them where the table is"):
        again.tables(2)


def test_items_of_sets_may_be_known_unless_they_may_move() -> None:
    baskets = {"sex": ["male", "female"] * 200, "basket": [["tea"], ["milk", "tea"]] * 200}
    zeros = [{"sex": "male", "basket: milk": True}]
    free = {"sex": COLUMNS["sex"], "basket": nw.Subsets(["tea", "milk"])}
    made = nw.synthesize(baskets, free, epsilon="1/100", ledger=None, zeros=zeros)
    rows = made.table.to_pylist()
    assert {row["sex"] for row in rows if "milk" in row["basket"]} <= {"female"}
    limited = free | {"basket": nw.Subsets(["tea", "milk"], largest=1)}
    with pytest.raises(InputError, match="Items of larger sets are moved"):
        nw.synthesize(baskets, limited, epsilon=1, ledger=None, zeros=zeros)


def test_an_answer_from_noisy_counts_says_that_it_does_not_use_what_is_public() -> None:
    data = {"sex": ["f", "m"] * 200, "pregnant": ["yes", "no", "no", "no"] * 100}
    columns = {"sex": ["f", "m"], "pregnant": ["yes", "no"]}
    zeros = [{"sex": "m", "pregnant": "yes"}]
    plain, made = (
        nw.synthesize(data, columns, epsilon=1, ledger=None, zeros=given) for given in (None, zeros)
    )
    assert "zeros" in made.query(zeros[0]).notes[-1]
    assert not any("declared public" in note for note in plain.query(zeros[0]).notes)


def test_an_error_in_a_file_of_zeros_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "impossible.toml"
    path.write_text('[[zeros]]\nsex = "male"\n', encoding="utf-8")
    refuse("the zeros in .*impossible.toml: .*version = 1", zeros=path)


def test_a_single_condition_or_counts_without_their_column_are_refused_in_words() -> None:
    refuse("zeros is one condition; give a list", zeros={"sex": "male", "pregnant": "yes"})
    refuse("name the column, as in", totals=REGIONS)


@pytest.mark.parametrize("kind", [list, tuple, pa.array])
def test_a_list_may_hold_tables_by_their_columns(kind: Any) -> None:
    """A list of rows is one table; in a table by its columns, a count is a list itself."""
    data, columns = {"s": [0, 1, 1], "x": [0, 1, 2]}, {"s": [0, 1], "x": [0, 1, 2]}
    table = {"s": kind([0, 1, 1]), "x": kind([0, 1, 2]), "count": kind([1, 1, 1])}
    rows = [{"s": s, "x": x, "count": 1} for s, x in zip(data["s"], data["x"], strict=True)]
    for totals in (table, [table], rows):
        made = nw.synthesize(data, columns, epsilon=1, ledger=None, totals=totals)
        assert sorted(tuple(row.values()) for row in made.table.to_pylist()) == [
            (0, 0),
            (1, 1),
            (1, 2),
        ]


def test_declared_values_that_totals_leave_out_are_named() -> None:
    data = {"s": ["a", "b", "b"], "x": [0, 1, 2]}
    columns = {"s": ["a", "b", "c"], "x": nw.Counts(20)}

    def said(totals: Any) -> list[str]:
        made = nw.synthesize(data, columns, epsilon=1, ledger=None, totals=totals)
        before = nw.planning.predict_synthesis(columns, people=3, epsilon=1, totals=totals)
        notes = [note for note in made.notes if "leave out" in note]
        assert [note for note in before.remarks if "leave out" in note] == notes
        return notes

    assert said({"s": {"a": 1, "b": 2}}) == [
        "The totals by s leave out 'c' of 's': no synthetic row has any of these."
    ]
    assert said({"s": {"a": 1, "b": 2, "c": 0}}) == []
    (note,) = said({"x": {0: 1, 1: 1, 2: 1}})
    assert note.startswith("The totals by x leave out 3, 4, ")
    assert "12 and 8 more of 'x'" in note
