"""Joins: what stands beside what, how often a person counts, and how many pairs are ever made."""

from __future__ import annotations

from collections import Counter
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import ParameterError
from noisewright.queries import Private, Question
from noisewright.relations import Filter, Paired, Repeated

VISITS = pa.table({"who": ["p", "p", "q", "r", None], "ward": ["a", "b", "a", "c", "a"]})
WAGES = pa.table({"id": ["q", "p", "p", "x", None], "wage": [1, 2, 3, 4, 5]})


def visits(data: Any = VISITS, **options: Any) -> Private:
    given: dict[str, Any] = {"person": "who", "ledger": None, "change": "add or remove", **options}
    return nw.Private(data, columns={"ward": ["a", "b", "c"]}, **given)


def wages(data: Any = WAGES, **options: Any) -> Private:
    given: dict[str, Any] = {"person": "id", "ledger": None, "change": "add or remove", **options}
    return nw.Private(data, columns={"wage": nw.Counts(9)}, **given)


def numbers(question: Question) -> list[list[int]]:
    return question.asked.measurements[0].compute().tolist()


@pytest.mark.parametrize("engine", ["memory", "DuckDB"])
def test_tables_may_call_their_people_by_different_names(engine: str) -> None:
    with duckdb.connect() as database:
        database.register("visits", VISITS)
        database.register("wages", WAGES)
        there = engine == "DuckDB"
        left = visits(nw.DuckDB(database, "visits") if there else VISITS)
        right = wages(nw.DuckDB(database, "wages") if there else WAGES)
        asked = left.join(right).limit(rows=9).group_by("ward").count()
        assert numbers(asked) == [[3], [2], [0]]
        assert "same 'who' are a person's" in asked.explain()
        assert "same 'id' are a person's" in asked.explain()
        answer = asked.release(epsilon=1)
        proved = "\n".join(nw.check(answer.certificate).proved)
        assert "with the same 'who' are all rows of a person" in proved
        assert "with the same 'id' are all rows of a person" in proved


def test_a_join_is_on_the_person_whatever_the_name() -> None:
    for on in ("who", "id", None):
        assert numbers(visits().join(wages(), on=on).limit(rows=9).count()) == [[5]]
    with pytest.raises(ParameterError, match="'who' and 'id'"):
        visits().join(wages(), on="ward")
    with pytest.raises(ParameterError, match="an nw"):
        visits().join({"ward": ["a"]})  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("engine", ["memory", "DuckDB"])
def test_a_person_with_many_rows_in_both_tables_makes_few_pairs(engine: str) -> None:
    """Ten billion pairs would fit nowhere."""
    many = 100_000
    left = pa.table({"who": np.zeros(many, int), "ward": np.array(["a", "b"])[np.arange(many) % 2]})
    right = pa.table({"id": np.zeros(many, int), "wage": np.arange(many) % 10})
    with duckdb.connect() as database:
        database.register("visits", left)
        database.register("wages", right)
        there = engine == "DuckDB"
        pairs = visits(nw.DuckDB(database, "visits") if there else left).join(
            wages(nw.DuckDB(database, "wages") if there else right)
        )
        with pytest.raises(ParameterError, match="nothing limits"):
            pairs.count()
        kept = pairs.filter(nw.col("wage") >= 5, nw.col("ward") == "b").limit(rows=7)
        assert numbers(kept.count()) == [[7]]
        assert "at most 256 rows of each person" in kept.count().explain()
        assert kept.count().certify(epsilon=1).document["mechanism"]["columns"].keys() == {
            "ward",
            "wage",
        }


def test_filters_of_one_table_come_before_the_pairs() -> None:
    pairs = visits().join(wages())
    both = nw.col("wage") >= 2
    for conditions in ([both, nw.col("ward") == "a"], [nw.col("ward") == "a", both]):
        rows = pairs.filter(*conditions).rows
        assert isinstance(rows, Paired)
        assert isinstance(rows.left, Filter)
        assert isinstance(rows.right, Filter)
    across = pairs.with_columns(odd=(nw.col("wage") >= 2) & (nw.col("ward") == "a"))
    rows = across.filter(nw.col("odd"), nw.col("wage") >= 3).rows
    assert isinstance(rows, Filter)
    assert isinstance(rows.rows, Paired)
    assert isinstance(rows.rows.right, Filter)
    assert numbers(across.filter(nw.col("odd"), nw.col("wage") >= 3).limit(rows=9).count()) == [[1]]


TEAMS = {"ward": ["a", "b", "a", "z", "a"], "team": ["x", "y", "y", "x", "x"]}


@pytest.mark.parametrize("engine", ["memory", "DuckDB"])
def test_a_public_key_may_be_in_several_rows(engine: str) -> None:
    public = nw.Public(TEAMS, key="ward", matches=4)
    with duckdb.connect() as database:
        database.register("visits", VISITS)
        table = visits(nw.DuckDB(database, "visits") if engine == "DuckDB" else VISITS)
        asked = table.limit(rows=2).join(public).group_by("team").count()
        found = Counter(
            team
            for ward in VISITS["ward"].to_pylist()
            for key, team in zip(*TEAMS.values(), strict=True)
            if key == ward
        )
        assert numbers(asked) == [[found["x"]], [found["y"]]] == [[6], [4]]
        [measurement] = asked.asked.measurements
        # Two rows of a person, each beside three: no key is in four rows.
        assert measurement.person_change("add or remove") == (6, 36)
        assert "up to 3 public rows beside each row" in asked.explain()
        assert nw.check(asked.certify(epsilon=1))


@pytest.mark.parametrize("engine", ["memory", "DuckDB"])
def test_both_private_tables_may_stand_beside_several_public_rows(engine: str) -> None:
    """Which of its public rows is meant, each table says by itself, whatever columns are called."""
    grades = {"wage": [2, 2, 2, 3, 3, 3], "grade": [*"abcdef"]}
    told = pa.table({"id": ["q", "p", "p"], "match": [1, 2, 3]})
    with duckdb.connect() as database:
        for name, table in (("visits", VISITS), ("wages", WAGES), ("told", told)):
            database.register(name, table)

        def given(name: str, table: pa.Table) -> Any:
            return nw.DuckDB(database, name) if engine == "DuckDB" else table

        left = visits(given("visits", VISITS)).join(nw.Public(TEAMS, key="ward", matches=3))
        right = wages(given("wages", WAGES)).join(nw.Public(grades, key="wage", matches=3))
        both = left.join(right).limit(rows=99)
        # Of p: x twice and y at "a", y at "b"; and three grades at each of two wages.
        assert numbers(both.group_by("team").count()) == [[2 * 6], [2 * 6]]
        assert numbers(both.group_by("grade").count()) == [[4]] * 6
        columns = {"match": nw.Counts(9)}
        named = nw.Private(
            given("told", told), columns=columns, person="id", change="add or remove", ledger=None
        )
        beside = left.join(named).limit(rows=99)
        assert numbers(beside.group_by("team").count()) == [[2 + 2 * 2], [1 + 2 * 2]]
        keys = [nw.Public({name: [1, 1, 2]}, key=name, matches=2) for name in ("wage", "match")]
        either = wages(given("wages", WAGES)).join(keys[0]).join(named.join(keys[1]))
        assert numbers(either.limit(rows=99).count()) == [[2 * 2 + 1]]


def test_a_public_key_that_repeats_is_said_to() -> None:
    with pytest.raises(ParameterError, match="say matches=3"):
        nw.Public(TEAMS, key="ward")
    with pytest.raises(ParameterError, match="in each row"):
        nw.Public({"ward": ["a", None], "team": ["x", "y"]}, key="ward")
    same = nw.Public({"n": [1, 2, 2.0], "team": ["x", "y", "z"]}, key="n", matches=2)
    table = nw.Private({"n": [2, 2]}, columns={"n": nw.Counts(3)}, ledger=None)
    assert numbers(table.join(same).group_by("team").count()) == [[0], [2], [2]]


def test_rows_that_are_people_are_limited_before_they_repeat() -> None:
    """Without a column that names people, nothing could tell their rows apart afterwards."""
    table = visits(person=None, change="replace").join(nw.Public(TEAMS, key="ward", matches=3))
    assert isinstance(table.rows, Filter | Repeated)
    with pytest.raises(ParameterError, match="person="):
        table.limit(rows=1)
    with pytest.raises(ParameterError, match="count people before"):
        table.agg(n=nw.count_people())
    with pytest.raises(ParameterError, match="before it is joined"):
        table.group_by("who", unknown=nw.keys(delta=1e-6)).count().release(epsilon=1)
    asked = table.group_by("team").count()
    [noise] = asked.price(1).noises
    assert noise.balanced_cells is None
    assert asked.asked.measurements[0].person_change("replace") == (6, 18)
    together = nw.ask([asked, table.group_by("ward").count()], epsilon=1)
    assert nw.check(together.certificate)
