"""Groups that nobody declared: what is found, what it costs, and that nothing else is shown."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import InputError, OverBudgetError, ParameterError
from noisewright.queries.unknown_keys.key_selection import KeySelection

CITIES = ["Graz"] * 300 + ["Linz"] * 200 + ["Ort"] + [None] * 20


def table(ledger: nw.Ledger | None = None, **options: object) -> nw.Private:
    data = pa.table({"city": CITIES, "age": list(range(521)), "who": [i // 3 for i in range(521)]})
    columns = {"age": nw.Interval(0, 100, step=1)}
    return nw.Private(data, columns=columns, ledger=ledger, **options)  # pyright: ignore[reportArgumentType]


def test_large_groups_are_found_and_a_single_person_is_not() -> None:
    asked = table().group_by("city", unknown=nw.keys(delta=1e-9)).count()
    for _ in range(5):
        found = asked.release(epsilon=2)
        assert found.table["city"].to_pylist() == ["Graz", "Linz"]


def test_the_guarantee_is_for_finding_and_counting_together() -> None:
    asked = table().group_by("city", unknown=nw.keys(delta="1/1000000", share="1/4")).count()
    found = asked.release(epsilon=2)
    assert found.guarantee == nw.accounting.Guarantee(2, "1/1000000")
    assert nw.check(found.certificate)
    assert found.keys_certificate is not None
    assert nw.check(found.keys_certificate)
    assert "epsilon=2, delta=1e-6" in repr(found)


def test_the_ledger_pays_for_both_and_refuses_before_the_first(tmp_path: Path) -> None:
    ledger = nw.Ledger.create(tmp_path / "budget.db")
    ledger.grant("people", epsilon=2, delta="1/1000", rows=1)
    people = table(ledger, dataset="people")
    asked = people.group_by("city", unknown=nw.keys(delta="1/1000000")).count()
    with pytest.raises(OverBudgetError):
        asked.release(epsilon=3)
    assert ledger.balance("people").left.epsilon.rational == 2
    asked.release(epsilon="3/2")
    assert ledger.balance("people").left.epsilon.rational == pytest.approx(0.5)
    assert ledger.balance("people").left.delta == Fraction(999, 1_000_000)


@pytest.mark.parametrize(
    "aggregates",
    [
        {"m": nw.col("nobody").mean()},
        {"m": nw.col("city").mean()},
        {"city": nw.count()},
        {"n": (nw.col("city") == "Graz").sum()},
    ],
)
def test_what_cannot_be_asked_is_refused_before_keys_are_paid_for(
    tmp_path: Path, aggregates: dict[str, Any]
) -> None:
    ledger = nw.Ledger.create(tmp_path / "budget.db")
    ledger.grant("people", epsilon=2, delta="1/1000", rows=1)
    people = table(ledger, dataset="people")
    with pytest.raises(ParameterError):
        people.group_by("city", unknown=nw.keys(delta=1e-6)).agg(**aggregates).release(epsilon=1)
    assert ledger.balance("people").left.epsilon.rational == 2


def test_people_count_for_as_many_keys_as_their_limit_says() -> None:
    who = [i // 2 for i in range(1000)]
    data = pa.table({"city": ["Graz", "Linz"] * 500, "who": who, "x": ["a"] * 1000})
    people = nw.Private(data, columns={"x": ["a"]}, ledger=None, person="who").limit(groups=2)
    asked = people.group_by("city", unknown=nw.keys(delta=1e-6)).count()
    seen: dict[str, int] = {}
    keep = KeySelection.keep

    def look(self: KeySelection, counts: Any, source: Any = None) -> list[Any]:
        seen.update(counts)
        return keep(self, counts, source)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KeySelection, "keep", look)
        asked.release(epsilon=2)
    assert seen == {"Graz": 500, "Linz": 500}


def test_people_in_several_groups_are_limited() -> None:
    people = table(person="who")
    unknown = nw.keys(delta=1e-6)
    with pytest.raises(ParameterError, match="limit"):
        people.group_by("city", unknown=unknown).count().release(epsilon=1)
    limited = people.limit(rows=1).group_by("city", unknown=unknown).agg(n=nw.count_people())
    counts = limited.release(epsilon=20).to_pandas().set_index("city")["n"]
    assert abs(counts["Graz"] - 100) <= 3


def test_odd_requests_are_refused() -> None:
    unknown = nw.keys(delta=1e-6)
    with pytest.raises(ParameterError, match="declared already"):
        table().group_by("age", unknown=unknown).count().release(epsilon=1)
    with pytest.raises(InputError, match="no column 'town'"):
        table().group_by("town", unknown=unknown).count().release(epsilon=1)
    with pytest.raises(ParameterError, match="one column"):
        table().group_by("city", "who", unknown=unknown)
    with pytest.raises(InputError, match="enough people"):
        table().group_by("city", unknown=nw.keys(delta=1e-300)).count().release(epsilon="1/10")


def test_keys_are_found_where_the_table_is() -> None:
    """In DuckDB as in memory: the same keys, counts that differ by noise, and nothing else."""
    data = pa.table({"city": CITIES, "who": [i // 3 for i in range(521)], "age": [30] * 521})
    columns = {"age": nw.Interval(0, 100, step=1)}
    with duckdb.connect() as database:
        database.register("people", data)
        for place in (data, nw.DuckDB(database, "people")):
            people = nw.Private(place, columns=columns, ledger=None, person="who")
            asked = people.filter(nw.col("age") >= 25).limit(groups=2)
            found = asked.group_by("city", unknown=nw.keys(delta=1e-6)).agg(n=nw.count_people())
            counts = found.release(epsilon=40).to_pandas().set_index("city")["n"].to_dict()
            assert counts.keys() == {"Graz", "Linz"}
            assert abs(counts["Graz"] - 100) <= 3
            assert abs(counts["Linz"] - 67) <= 3


def test_a_person_pays_for_groups_and_not_for_their_rows() -> None:
    people = table(person="who").limit(groups=3, rows=7)
    found = people.group_by("city", unknown=nw.keys(delta=1e-6)).count().release(epsilon=9)
    assert found.keys_certificate is not None
    assert found.keys_certificate.document["mechanism"]["selection"]["groups"] == 3


def test_parts_of_databases_settled_their_limits_without_the_key() -> None:
    """Which of two rows that differ in the key only is kept must not be up to the database."""
    with duckdb.connect() as database:
        database.register("people", table_of_people())
        people = nw.Private(
            nw.DuckDB(database, "people"),
            columns={"old": [True, False]},
            ledger=None,
            person="who",
            change="add or remove",
        )
        [part, _] = people.limit(rows=1).partition("old").values()
        with pytest.raises(ParameterError, match="without knowing the key"):
            part.group_by("city", unknown=nw.keys(delta=1e-6)).count().release(epsilon=1)


def table_of_people() -> pa.Table:
    return pa.table({"city": ["Graz", "Linz"], "who": [1, 1], "old": [True, True]})
