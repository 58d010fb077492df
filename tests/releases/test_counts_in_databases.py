"""Synthetic tables, models and workloads of tables in databases: the counts that files give."""

import datetime
from collections import Counter
from collections.abc import Callable, Generator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import psycopg
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import DataError, InputError, OutsideSpaceError, TargetError
from noisewright.models import PrivateNaiveBayes, PrivateTree
from noisewright.releases import Columns, Declared
from noisewright.sampling import Source
from noisewright.synthetic import TableInDatabase
from noisewright.workloads import Workload
from tests.ledger.server import server
from tests.relations.databases import write_to_postgresql
from tests.relations.strategies import Table
from tests.releases.synthetic_people import DATA, IDS, METHODS, SPACES

PEOPLE = DATA.slice(0, 1_500).set_column(1, "visits", DATA["visits"].cast("int16")[:1_500])
METHOD = nw.planning.Method


@pytest.fixture(scope="module")
def places() -> Generator[dict[str, Callable[[pa.Table], Any]]]:
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
            types = {field.name: field.type for field in table.schema}
            write_to_postgresql(connection, "people", Table(types, table.to_pylist()))
            return nw.PostgreSQL(connection, "people")

        yield {
            "duckdb": in_duckdb,
            "relation": lambda table: embedded.from_arrow(table),
            "postgresql": in_postgresql,
        }


@pytest.fixture(params=["duckdb", "relation", "postgresql"])
def bring(request: Any, places: dict[str, Any]) -> Any:
    """One way to bring a table to a database."""
    return places[request.param]


@pytest.fixture
def ledger(tmp_path: Path) -> nw.Ledger:
    book = nw.Ledger.create(tmp_path / "budget.db")
    book.grant("people", epsilon=3)
    return book


def seeded() -> Any:
    return nw.randomness.SeededSource(5)


@pytest.mark.parametrize(("method", "delta"), METHODS, ids=IDS)
def test_the_same_noise_makes_the_same_table(bring: Any, method: Any, delta: float) -> None:
    """Also in bins, which are counted point by point, too, and compared with the raw data."""
    asked: dict[str, Any] = {"epsilon": 1, "delta": delta, "method": METHOD(method, bins=8)}
    asked |= {"ledger": None, "out": nw.planning.Output(None, evaluation=True)}
    here = nw.synthesize(PEOPLE, SPACES, **asked, source=seeded())
    there = nw.synthesize(bring(PEOPLE), SPACES, **asked, source=seeded())
    assert there.table.to_pylist() == here.table.to_pylist()
    assert there.certificate_digest == here.certificate_digest
    assert there.evaluation == here.evaluation
    assert there.people == 1_500
    for one, other in zip(there.measurements, here.measurements, strict=True):
        assert one.columns == other.columns
        assert one.counts.tolist() == other.counts.tolist()


def test_the_same_choice_of_all_databases(bring: Any) -> None:
    asked: dict[str, Any] = {"epsilon": 5, "method": METHOD("blr", rows=4), "ledger": None}
    columns = {"smokes": [True, False], "visits": nw.Column(nw.Counts(2), outside="clamp")}
    here, there = (
        nw.synthesize(data, columns, workload=1, **asked, source=seeded())
        for data in (PEOPLE, bring(PEOPLE))
    )
    assert there.table.to_pylist() == here.table.to_pylist()


def test_models_learn_the_same(bring: Any) -> None:
    domain = {name: SPACES[name] for name in ("job", "smokes", "visits")}
    for model in (PrivateNaiveBayes, PrivateTree):
        given: dict[str, Any] = {"label": "smokes", "epsilon": 1, "ledger": None}
        here = model(domain, **given, source=seeded()).fit(PEOPLE)
        there = model(domain, **given, source=seeded()).fit(bring(PEOPLE))
        assert there.certificate_.digest == here.certificate_.digest
        for one, other in zip(there.measurements_, here.measurements_, strict=True):
            assert one.counts.tolist() == other.counts.tolist()
        assert there.predict(PEOPLE).tolist() == here.predict(PEOPLE).tolist()
        with pytest.raises(InputError, match="Leave y out"):
            there.fit(bring(PEOPLE), [True])
        with pytest.raises(InputError, match="row by row"):
            there.predict(bring(PEOPLE))


def test_workloads_have_the_same_answers(bring: Any) -> None:
    known = PEOPLE.slice(60)
    domain = {"job": ["clerk", "cook", "nurse"], "smokes": [False, True], "visits": nw.Counts(5)}
    asked = Workload.marginals(domain, ways=[1, 3]) + Workload.prefixes(domain, "visits")
    here, there = asked.answers(known), asked.answers(bring(known))
    assert (there.rows, there.counts.tolist()) == (here.rows, here.counts.tolist())


def test_the_ledger_is_debited_once_and_no_query_comes_later(ledger: nw.Ledger) -> None:
    """The table is gone when the first bit is drawn, and nothing is missing."""

    class Dropping(Source):
        private = True

        def fill(self, buffer: Any) -> None:
            connection.execute("DROP TABLE IF EXISTS people")
            nw.randomness.SystemSource().fill(buffer)

    with duckdb.connect() as connection:
        connection.register("arrow", PEOPLE)
        connection.execute("CREATE TABLE people AS FROM arrow")
        made = nw.synthesize(
            nw.DuckDB(connection, "people"),
            SPACES,
            epsilon=1,
            ledger=ledger,
            dataset="people",
            source=Dropping(),
        )
        assert connection.execute("SHOW TABLES").fetchall() == [("arrow",)]
    assert made.is_private
    assert made.charged is not None
    assert [str(entry.kind) for entry in ledger.history()].count("spend") == 1
    assert nw.check(made.certificate.document)


@pytest.mark.parametrize(
    ("column", "cell"), [("visits", 6), ("visits", -1), ("visits", None), ("age", None)]
)
def test_cells_that_are_not_allowed_cost_nothing(
    bring: Any, ledger: nw.Ledger, column: str, cell: Any
) -> None:
    """Where files raise an error, so does a database, and it does not show the cell."""
    place = PEOPLE.schema.get_field_index(column)
    cells = [*PEOPLE[column].to_pylist()[:-1], cell]
    wrong = PEOPLE.set_column(place, column, pa.array(cells, PEOPLE.schema.field(place).type))
    for data in (wrong, bring(wrong)):
        with pytest.raises(OutsideSpaceError, match=f"'{column}'"):
            nw.synthesize(data, SPACES, epsilon=1, ledger=ledger, dataset="people")
    assert [str(entry.kind) for entry in ledger.history()].count("spend") == 0


def test_a_label_that_was_not_declared_is_not_shown(bring: Any) -> None:
    spaces = SPACES | {"job": nw.Column(["clerk", "cook", "nurse"], null="cook")}
    with pytest.raises(OutsideSpaceError, match="other=") as caught:
        nw.synthesize(bring(PEOPLE), spaces, epsilon=1, ledger=None)
    assert "Zebulon" not in str(caught.value)
    assert caught.value.__cause__ is None


def stays() -> pa.Table:
    rng = np.random.default_rng(4)
    who = [None, *(f"p{number}" for number in rng.integers(0, 60, 300)), None, None]
    ward = rng.integers(0, 2, len(who)).astype(bool)
    return pa.table({"who": who, "ward": ward, "days": pa.array(rng.integers(0, 4, len(who)))})


def test_so_many_rows_of_each_person_count(bring: Any) -> None:
    """Which ones, chance decides; rows that name nobody are all one person's."""
    table = stays()
    rows = Counter(table["who"].to_pylist())
    columns = {"ward": nw.Column([True, False]), "days": nw.Column(nw.Counts(3))}
    plan = nw.Plan(columns, epsilon=1, person=nw.Person("who", rows=2))
    read = TableInDatabase.of(bring(table), Columns.of(plan).schema.fields, plan.person)
    assert read is not None
    found: set[tuple[int, ...]] = set()
    people = sum(min(own, 2) for own in rows.values())
    for _ in range(6):
        tallies = read.tallies(Columns.of(plan).domain, [("ward", "days")])
        assert tallies.rows == people
        found.add(tuple(tallies.counts["ward", "days"].reshape(-1).tolist()))
    assert len(found) > 1
    made = nw.synthesize(bring(table), plan, ledger=None)
    assert made.rows_per_person == 2
    assert made.people == Declared.of(bring(table), plan).count_rows() == people
    first = nw.Plan(columns, epsilon=1, person=nw.Person("who", rows=2, keep="first"))
    with pytest.raises(InputError, match="no order"):
        nw.synthesize(bring(table), first, ledger=None)


def test_a_person_changes_the_counts_by_the_rows_that_count(places: dict[str, Any]) -> None:
    """Of p at most 2 of up to 5 rows, whatever they are; those of others stay what they were."""
    fields = {"days": nw.Column(nw.Counts(3))}
    domain, person = Columns.of(fields).domain, nw.Person("who", rows=2)
    others = [("q", 1), ("q", 2), ("q", 3), ("r", 0)]

    def counts(own: tuple[int, ...], seed: int) -> Any:
        rows = [*others[:2], *(("p", days) for days in own), *others[2:]]
        table = pa.table({"who": [who for who, _ in rows], "days": [days for _, days in rows]})
        read = TableInDatabase.of(places["duckdb"](table), fields, person)
        assert read is not None
        source = nw.randomness.SeededSource(seed)
        return read.tallies(domain, [("days",)], source=source).counts[("days",)]

    for seed in range(3):
        alone = counts((), seed)
        for own in [(0,), (3, 3), (0, 1, 2), (1, 1, 1, 2), (0, 1, 2, 3, 3)]:
            added = counts(own, seed) - alone
            assert added.min() >= 0
            assert added.sum() == min(len(own), 2)
            assert all(own.count(days) >= more for days, more in enumerate(added.tolist()))


def test_columns_of_all_types_come_out_as_from_a_file(bring: Any) -> None:
    rows = range(60)
    begin = datetime.datetime(2020, 1, 1)
    hours = [begin + datetime.timedelta(hours=row % 5) for row in rows]
    table = pa.table(
        {
            "decimal": pa.array([Decimal(row % 3) / 2 for row in rows], pa.decimal128(20, 3)),
            "single": pa.array([row % 4 / 4 for row in rows], pa.float32()),
            "double": pa.array([row % 4 / 10 for row in rows]),
            "short": pa.array([row % 3 for row in rows], pa.int16()),
            "date": pa.array([one.date() for one in hours], pa.date32()),
            "time": pa.array(hours, pa.timestamp("us")),
            "moment": pa.array(hours, pa.timestamp("us", "UTC")),
        }
    )
    days = ("2019-12-31", "2020-01-03")
    columns = {
        "decimal": nw.Interval(0, 2, step="1/2"),
        "single": nw.Interval(0, 1, step="1/4"),
        "double": nw.Interval(0, 1, step="1/10"),
        "short": nw.Column(nw.Interval(0, 4, step=2), off_grid="round"),
        "date": nw.Dates(*days),
        "time": nw.Dates(*days, step="hour"),
        "moment": nw.Dates(*days, step="hour", zone="Europe/Vienna"),
    }
    here, there = (
        nw.synthesize(data, columns, epsilon=1, ledger=None, source=seeded())
        for data in (table, bring(table))
    )
    assert there.table.to_pylist() == here.table.to_pylist()
    assert there.table.schema.types == here.table.schema.types


def test_rows_of_a_person_that_do_not_count_are_checked_too(bring: Any) -> None:
    table = pa.table({"who": ["p"] * 9, "days": [0, 1, 2, 0, 1, 2, 0, 1, 4], "ward": [True] * 9})
    columns = {"ward": nw.Column([True, False]), "days": nw.Column(nw.Counts(3))}
    plan = nw.Plan(columns, epsilon=1, person=nw.Person("who", rows=1))
    with pytest.raises(OutsideSpaceError, match="'days'"):
        nw.synthesize(bring(table), plan, ledger=None)


def test_a_table_that_changes_between_queries_is_refused(places: dict[str, Any]) -> None:
    """So many pairs that they take two queries, of a view that has more rows each time."""
    names = [f"c{place}" for place in range(24)]
    place = places["duckdb"](pa.table({name: [True, False] * 500 for name in names}))
    place._connection.execute("CREATE SEQUENCE queries")
    place._connection.execute(
        "CREATE VIEW growing AS FROM people LIMIT (SELECT nextval('queries'))"
    )
    asked = Workload.marginals({name: [True, False] for name in names}, ways=2)
    with pytest.raises(DataError, match="was changed"):
        asked.answers(nw.DuckDB(place._connection, "growing"))


def test_the_file_of_a_database_is_not_written_over(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    path = tmp_path / "people.parquet"
    pq.write_table(PEOPLE, path)
    with pytest.raises(TargetError, match="would be overwritten"):
        nw.synthesize(
            nw.DuckDB(path),
            SPACES,
            epsilon=1,
            ledger=None,
            out=nw.planning.Output(path, overwrite=True),
        )


def test_what_the_columns_hold_is_checked_before_anything(bring: Any) -> None:
    for spaces, says in [
        (SPACES | {"income": nw.Counts(9)}, "'income'"),
        (SPACES | {"name": nw.Counts(9)}, "'name'"),
    ]:
        with pytest.raises(InputError, match=says):
            nw.synthesize(bring(PEOPLE), spaces, epsilon=1, ledger=None)
    with pytest.raises(DataError, match="no rows"):
        nw.synthesize(bring(PEOPLE.slice(0, 0)), SPACES, epsilon=1, ledger=None)


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        ([1 + place * 1e-9 for place in range(30)], pa.float32()),
        ([(1 << 53) + place for place in range(30)], pa.float64()),
    ],
)
def test_a_row_counts_once_if_labels_round_to_the_same_number(
    bring: Any, labels: list[Any], kind: pa.DataType
) -> None:
    """So many labels are joined, and one beside each of several would change more counts."""
    table = pa.table({"x": pa.array([float(labels[0])] * 10, kind)})
    asked = Workload.marginals({"x": labels}, ways=1)
    here, there = asked.answers(table), asked.answers(bring(table))
    assert there.rows == 10
    assert there.counts.tolist() == here.counts.tolist()
