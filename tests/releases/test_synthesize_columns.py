"""Which columns a synthetic table can have, and what is said of those it cannot."""

from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import InputError, SpaceError

CONSTANT = pa.table({"study": ["A7"] * 90, "visits": [row % 3 for row in range(90)]})
FILE = """
version = 1
epsilon = 1
[columns.study]
space = "categories"
labels = ["A7"]
[columns.visits]
space = "counts"
n = 2
"""


@pytest.mark.parametrize("method", ["mst", "mwem", "blr"])
def test_a_constant_column_comes_out_constant(
    tmp_path: Path, method: Literal["mst", "mwem", "blr"]
) -> None:
    made = nw.synthesize(
        CONSTANT,
        {"study": ["A7"], "visits": nw.Counts(2)},
        epsilon=1,
        method=method,
        rows=6,
        out=tmp_path / "s.parquet",
    )
    assert made.table["study"].to_pylist() == ["A7"] * 6
    assert nw.check(made.files["certificate"])
    assert nw.Synthesis.open(tmp_path / "s.parquet").table.equals(made.table)


def test_a_plan_in_a_file_may_have_a_constant_column(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(FILE, encoding="utf-8")
    assert set(nw.synthesize(CONSTANT, path).table["study"].to_pylist()) == {"A7"}


def test_a_table_of_constant_columns_only_is_possible() -> None:
    made = nw.synthesize(CONSTANT, {"study": ["A7"]}, epsilon=1)
    assert made.table["study"].to_pylist() == ["A7"] * 90
    one = nw.synthesize(CONSTANT, {"study": ["A7"]}, epsilon=1, rows=1)
    assert (
        repr(one) == "<1 synthetic row by mst, 1 measurement, epsilon=1, accounted for by nobody>"
    )


def test_a_release_says_which_column_is_constant() -> None:
    with pytest.raises(SpaceError, match=r"'study' can hold one value only.*'public'.*'drop'"):
        nw.Plan({"study": nw.Column(["A7"]), "visits": nw.Column(nw.Counts(2))}, epsilon=1)


def test_undeclared_columns_can_only_be_dropped() -> None:
    plan = nw.Plan({"visits": nw.Column(nw.Counts(2))}, epsilon=1)
    with pytest.raises(InputError, match=r"nothing about 'study'.*'drop'") as refused:
        nw.synthesize(CONSTANT, plan)
    assert "public" not in str(refused.value)


@pytest.mark.parametrize("as_plan", [True, False], ids=["plan", "mapping"])
def test_a_public_column_is_refused_with_what_to_write(as_plan: bool) -> None:
    columns: dict[str, Any] = {"study": "public", "visits": nw.Column(nw.Counts(2))}
    plan = nw.Plan(columns, epsilon=1) if as_plan else columns
    with pytest.raises(InputError, match=r"'study'.*Column\(") as refused:
        nw.synthesize(CONSTANT, plan, epsilon=1)
    assert 'space = "categories"' in str(refused.value)
    assert 'use = "drop"' in str(refused.value)
