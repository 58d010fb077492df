"""Synthetic tables of people and of the rows that belong to each."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import (
    DataError,
    InputError,
    OutsideSpaceError,
    ParameterError,
    TooLargeError,
)
from noisewright.releases import Columns
from noisewright.releases.linked import LinkedTables
from noisewright.sampling import SeededSource

OWN: dict[str, Any] = {"sick": [False, True], "age": nw.Counts(99)}
VISITS: dict[str, Any] = {"ward": ["icu", "day", "out"], "days": nw.Counts(9)}
TREE = nw.planning.Method("mst", inference="tree")


def hospital(people: int = 3_000) -> tuple[pa.Table, pa.Table]:
    """The sick come more often, to intensive care, and stay longer there."""
    rng = np.random.default_rng(3)
    sick = rng.random(people) < 0.3
    visits = np.minimum(rng.poisson(np.where(sick, 2.5, 0.5)), 6)
    who = rng.permutation(np.repeat(np.arange(people), visits))
    ward = np.where(rng.random(who.size) < np.where(sick[who], 0.8, 0.1), "icu", "day")
    days = np.minimum(rng.poisson(np.where(ward == "icu", 5, 1)), 9)
    return (
        pa.table({"patient": np.arange(people), "sick": sick, "age": rng.integers(20, 80, people)}),
        pa.table({"patient": who, "ward": ward, "days": days}),
    )


PEOPLE, STAYS = hospital()


def make(people: Any = PEOPLE, linked: Any = STAYS, **asked: Any) -> nw.results.LinkedSynthesis:
    """Return linked tables of a seeded test."""
    given: dict[str, Any] = {"person": "patient", "columns": OWN, "linked_columns": VISITS}
    given |= {"most": 3, "epsilon": 4, "delta": 1e-6, "ledger": None, "method": TREE}
    given |= {"source": SeededSource(2)} | asked
    return nw.synthesize_linked(people, linked, **given)


def test_what_goes_together_stays_together() -> None:
    """With so large a budget noise moves these by less than 0.1; without a link by 0.5 or more."""
    made = make(method="mst")
    assert made.people.column_names == ["patient", "sick", "age"]
    assert made.linked.column_names == ["patient", "ward", "days"]
    assert made.linked["ward"].type == pa.string()
    assert made.people["patient"].to_pylist() == list(range(1, 3_001))
    for people, linked, first in ((PEOPLE, STAYS, 0), (made.people, made.linked, 1)):
        sick, owner = people["sick"].to_numpy(), linked["patient"].to_numpy() - first
        rows = np.minimum(np.bincount(owner, minlength=len(sick)), 3)
        icu = np.array(linked["ward"].to_pylist()) == "icu"
        days = linked["days"].to_numpy()
        assert rows[sick].mean() - rows[~sick].mean() > 1.4
        assert icu[sick[owner]].mean() - icu[~sick[owner]].mean() > 0.5
        assert days[icu].mean() - days[~icu].mean() > 2.5
    assert np.bincount(made.linked["patient"].to_numpy()).max() <= 3
    assert made.guarantee == made.synthesis.guarantee
    assert nw.check(made.synthesis.certificate.document)
    assert "all rows linked to it replaced" in made.neighbors
    assert "3,000 synthetic people" in repr(made)


def test_whoever_is_replaced_changes_one_row() -> None:
    """All that one of three people can have, with up to three rows of which two count."""
    tables = LinkedTables("who", Columns.of({"s": ["f", "m"]}), Columns.of({"w": ["a", "b"]}), 2)
    others = [("p", "f", ["a", "b", "b"]), ("r", "m", [])]
    every = [(sex, rows) for sex in "fm" for k in range(4) for rows in product("ab", repeat=k)]

    def rows_of(sex: str, own: tuple[str, ...]) -> list[Any]:
        whole = [others[0], ("q", sex, list(own)), others[1]]
        people = {"who": [who for who, _, _ in whole], "s": [one for _, one, _ in whole]}
        # Rows of different people are mixed.
        mixed = sorted(
            ((place, who, ward) for who, _, wards in whole for place, ward in enumerate(wards)),
        )
        linked = {"who": [who for _, who, _ in mixed], "w": [ward for _, _, ward in mixed]}
        return tables.join(pa.table(people), pa.table(linked), None, None).to_pylist()

    found = [rows_of(sex, own) for sex, own in every]
    for (sex, own), rows in zip(every, found, strict=True):
        assert rows[0] == found[0][0]
        assert rows[2] == found[0][2]
        shown = [*own[:2], *["no row"] * 2][:2]
        assert list(rows[1].values()) == [sex, min(len(own), 2), *shown]


def test_the_order_of_rows_is_that_of_a_column() -> None:
    people = pa.table({"who": ["x", "y"], "s": ["f", "m"]})
    linked = pa.table({"who": ["y", "x", "x", "x"], "d": [7, 9, 1, 5]})
    tables = LinkedTables("who", Columns.of({"s": ["f", "m"]}), Columns.of({"d": nw.Counts(9)}), 2)
    found = tables.join(people, linked, "d", None).to_pylist()
    # Points are counted from 1, and 0 is no row.
    assert [list(row.values())[1:] for row in found] == [[2, 2, 6], [1, 8, 0]]


def test_linked_rows_hold_sets_curves_and_dates() -> None:
    rng = np.random.default_rng(1)
    people = pa.table({"who": [f"p{number}" for number in range(400)]})
    who = rng.integers(0, 400, 900)
    linked = pa.table(
        {
            "who": [f"p{number}" for number in who],
            "bought": pa.array([["a"], [], ["a", "b"]] * 300, pa.list_(pa.string())),
            "day": pa.array([19_800 + int(one) for one in rng.integers(0, 9, 900)], pa.date32()),
            "load": [[1.0, 2.0, 3.0]] * 900,
        }
    )
    made = make(
        people.append_column("sick", pa.array([True] * 400)),
        linked,
        person="who",
        columns={"sick": [False, True]},
        linked_columns={
            "bought": nw.Subsets(["a", "b"], largest=2),
            "day": nw.Dates("2024-03-01", "2024-04-01"),
            "load": nw.Column(nw.Curves(range(3), low=0, high=5), basis="bspline", coefficients=2),
        },
        most=2,
        order="day",
    )
    assert made.linked.schema.types[1:] == linked.schema.types[1:]
    assert {tuple(row) for row in made.linked["bought"].to_pylist()} <= {
        (), ("a",), ("b",), ("a", "b")
    }  # fmt: skip
    loads = np.array(made.linked["load"].to_pylist())
    assert ((loads >= 0) & (loads <= 5)).all()


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        ({"people": pa.concat_tables([PEOPLE, PEOPLE.slice(5, 1)])}, DataError, "one row there"),
        ({"linked": {"patient": [0, 77_777], "ward": ["icu", "day"], "days": [0, 1]}},
         DataError, "row 2 of linked belongs to nobody"),
        ({"linked": {"patient": [0, None], "ward": ["icu", "day"], "days": [0, 1]}},
         (DataError, InputError), "row 2 of linked has no 'patient'|has the type double"),
        ({"linked": {"patient": ["0"], "ward": ["icu"], "days": [0]}}, InputError, "Convert one"),
        ({"linked": {"patient": [0.5], "ward": ["icu"], "days": [0]}}, InputError, "has the type"),
        ({"linked": {"patient": [0], "ward": ["gin"], "days": [0]}}, OutsideSpaceError, "'ward'"),
        ({"linked": {"patient": [0], "ward": ["icu"]}}, InputError, "'days'"),
        ({"order": "day"}, ParameterError, "order is 'day'"),
        ({"person": "sick"}, ParameterError, "it would name them"),
        ({"most": 0}, ParameterError, "most"),
    ],
)  # fmt: skip
def test_what_does_not_fit_costs_nothing(change: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words) as caught:
        make(**change)
    assert "77777" not in str(caught.value)
    assert "gin" not in str(caught.value)


def test_several_tables_are_not_one() -> None:
    for data in ({"people": PEOPLE, "stays": STAYS}, {"people": {"a": [1]}}):
        with pytest.raises(InputError, match="synthesize_linked"):
            nw.synthesize(data, OWN, epsilon=1, ledger=None)


def test_tables_in_databases_are_refused() -> None:
    import duckdb

    with duckdb.connect() as connection:
        connection.register("people", PEOPLE)
        with pytest.raises(InputError, match="one row for each person"):
            make(nw.DuckDB(connection, "people"))


def test_that_nobody_has_a_row_is_as_private_as_any_number(tmp_path: Path) -> None:
    """Refusing it would tell that the one person who had rows is not there."""
    (tmp_path / "stays.csv").write_text("patient,ward,days\n", encoding="utf-8")
    for nobody in (STAYS.slice(0, 0), tmp_path / "stays.csv"):
        made = make(PEOPLE.slice(0, 50), nobody, order="days", epsilon=100)
        assert made.people.num_rows == 50
        assert made.linked.column_names == ["patient", "ward", "days"]
        assert made.linked.num_rows == 0


def test_more_columns_than_can_be_synthesized_are_refused_at_once() -> None:
    with pytest.raises(TooLargeError, match="most=1,000,000"):
        make(most=1_000_000)
