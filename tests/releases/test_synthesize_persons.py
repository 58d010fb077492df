"""Synthetic tables of people with several rows: a person is what is hidden, not a row."""

import json
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import InputError, OutsideSpaceError
from noisewright.releases.synthesis.declared import Declared
from noisewright.synthetic.tallies import Tallies

SCHEMA = Path(nw.__file__).parent / "schemas" / "synthesis-1.json"
COLUMNS = {"ward": nw.Column(["A", "B"]), "days": nw.Column(nw.Counts(3), outside="clamp")}


def plan(k: int, keep: str = "first") -> nw.Plan:
    return nw.Plan(COLUMNS, epsilon=1, person=nw.Person("patient", rows=k, keep=keep))


def stays(rows: int = 6_000) -> pa.Table:
    """About three stays a patient, and patient 7 has a fifth of all."""
    rng = np.random.default_rng(2)
    who = np.where(rng.random(rows) < 0.2, 7, rng.integers(0, rows // 3, rows))
    ward = rng.integers(0, 2, rows)
    return pa.table(
        {
            "patient": [f"patient {number}" for number in who],
            "ward": np.array(["A", "B"])[ward],
            "days": np.minimum(rng.poisson(1 + ward), 5),
        }
    )


DATA = stays()


def bounded(table: Any, k: int) -> int:
    rows = Counter(table["patient"].to_pylist())
    return sum(min(own, k) for own in rows.values())


@pytest.mark.parametrize("keep", ["first", "random"])
def test_a_person_changes_the_counts_by_the_rows_that_count(keep: str) -> None:
    """All tables where p has 1 to 3 rows, of which 2 count, before and after the one row of q."""
    points = [("A", 0), ("B", 0), ("B", 3)]
    tables: dict[int, list[Any]] = {1: [], 2: []}
    for rows in (1, 2, 3):
        for values, place in product(product(points, repeat=rows), range(rows + 1)):
            cells = [*values[:place], ("A", 3), *values[place:]]
            who = ["p"] * place + ["q"] + ["p"] * (rows - place)
            table = pa.table(
                {"patient": who, "ward": [c[0] for c in cells], "days": [c[1] for c in cells]}
            )
            read = Declared.of(table, plan(2, keep))
            tallies = Tallies.of(read.batches(None), read.domain, (("ward", "days"),))
            count = min(2, rows)
            assert tallies.rows == count + 1
            tables[count].append(tallies.counts["ward", "days"])
    for count, found in tables.items():
        gaps = [one - other for one in found for other in found]
        assert max(int(np.abs(gap).sum()) for gap in gaps) == 2 * count
        assert max(int((gap**2).sum()) for gap in gaps) == 2 * count**2


@pytest.mark.parametrize("keep", ["first", "random"])
@pytest.mark.parametrize("method", ["mst", "mwem"])
def test_so_many_rows_of_each_count_and_the_person_is_not_in_the_table(
    method: Any, keep: str
) -> None:
    made = nw.synthesize(DATA, plan(3, keep), ledger=None, method=method)
    assert made.table.column_names == ["ward", "days"]
    assert made.people == made.rows == bounded(DATA, 3)
    assert made.rows_per_person == 3
    assert made.guarantee == nw.accounting.Guarantee(1)
    assert sum((spend.amount for spend in made.spends), Fraction(0)) == 1


def test_the_first_rows_are_the_first_ones() -> None:
    table = pa.table({"patient": [1, 2, 1, 1], "ward": ["A", "A", "A", "B"], "days": [0, 1, 2, 3]})
    read = Declared.of(table, plan(2))
    (batch,) = read.batches(None)
    assert batch["days"].tolist() == [0, 1, 2]
    some = {
        tuple(next(iter(Declared.of(table, plan(2, "random")).batches(None)))["days"].tolist())
        for _ in range(60)
    }
    # Each of the three choices is missed by 60 draws with a chance of (2/3)^60 < 3e-11.
    assert some == {(0, 1, 2), (0, 1, 3), (1, 2, 3)}


@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.parametrize("method", ["mst", "mwem"])
def test_noise_is_k_times_as_large(method: Any, delta: float) -> None:
    alone = nw.synthesize(DATA, COLUMNS, ledger=None, epsilon=1, delta=delta, method=method)
    made = nw.synthesize(DATA, plan(5), ledger=None, epsilon=1, delta=delta, method=method)
    for one, other in zip(alone.measurements, made.measurements, strict=True):
        assert one.noise.amount == other.noise.amount
        # Only where each person has one row does noise keep their number, and is smaller for that.
        assert other.noise.balanced_cells is None
        assert (one.noise.balanced_cells is None) == (one.noise.unit == "rho")
        free = replace(one.noise, balanced_cells=None).deviation
        # The rounding of normal noise to whole numbers adds 1/12 to its variance.
        rounding = 1 / 12 if one.noise.unit == "rho" else 0.0
        wanted = math.sqrt(25 * (free**2 - rounding) + rounding)
        assert other.deviation == pytest.approx(wanted, rel=0.02)
    assert made.expected_error > alone.expected_error


def test_blr_gives_each_row_its_part() -> None:
    small = nw.Plan(
        {"ward": COLUMNS["ward"]}, epsilon=1, others="drop", person=nw.Person("patient", rows=4)
    )
    made = nw.synthesize(
        DATA, small, ledger=None, epsilon=1, method=nw.planning.Method("blr", rows=30)
    )
    assert made.guarantee == nw.accounting.Guarantee(1)
    (spend,) = made.spends
    assert spend.amount == 1
    assert made.expected_error == nw.workloads.blr_accuracy(
        2, queries=2, rows=bounded(DATA, 4), m=30, epsilon=0.25
    )


def test_the_ledger_is_debited_for_a_person(tmp_path: Path) -> None:
    book = nw.Ledger.create(tmp_path / "budget.db")
    book.grant("stays", epsilon=3, delta=1e-6)
    made = nw.synthesize(
        DATA,
        plan(4),
        epsilon=2,
        delta=1e-7,
        ledger=book,
        dataset="stays",
        out=nw.planning.Output(tmp_path / "synthetic.parquet", report=False),
    )
    assert made.balance is not None
    # With two columns normal noise is worse, and no delta is spent.
    assert made.balance.spent == nw.accounting.Guarantee(2)
    written = json.loads(made.files["synthesis"].read_text())
    jsonschema.validate(written, json.loads(SCHEMA.read_text()))
    assert written["rows_per_person"] == 4
    assert "all rows of one person" in written["neighbors"]
    assert "is public" in written["neighbors"]


def test_every_row_is_checked_and_no_cell_is_shown() -> None:
    table = pa.table({"patient": ["x", "x"], "ward": ["A", "Quux-9"], "days": [0, 0]})
    with pytest.raises(OutsideSpaceError, match=r"'ward' at row 2 ") as seen:
        nw.synthesize(table, plan(1), ledger=None)
    assert "Quux" not in str(seen.value)
    for keep in ("first", "random"):
        empty = pa.table({"patient": ["Zebulon", None], "ward": ["A", "A"], "days": [0, 0]})
        with pytest.raises(OutsideSpaceError, match="'patient' at row 2 is empty") as seen:
            nw.synthesize(empty, plan(1, keep), ledger=None)
        assert "Zebulon" not in str(seen.value)
    wrong = pa.table({"patient": [0.5], "ward": ["A"], "days": [0]})
    with pytest.raises(InputError, match="'patient' identifies people and has the type double"):
        nw.synthesize(wrong, plan(1), ledger=None)
