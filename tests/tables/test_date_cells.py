"""Dates in tables: every kind of cell becomes the same date, and leaves as one type."""

import datetime
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from noisewright.errors import InputError, OutsideSpaceError
from noisewright.tables import Field
from noisewright.tables.codec import column_codes

DAYS = nw.Dates("1969-12-01", "1970-02-28")
TRUTH = [datetime.date(1970, 1, 17), datetime.date(1970, 2, 28), datetime.date(1969, 12, 1)]


def certain(space: nw.Dates) -> nw.Plan:
    """A plan that releases what it reads, for all practical purposes."""
    return nw.Plan({"day": nw.Column(space, mechanism="laplace")}, epsilon=40 * space.size)


KINDS: dict[str, Any] = {
    "date32": pa.table({"day": pa.array(TRUTH, pa.date32())}),
    "date64": pa.table({"day": pa.array(TRUTH, pa.date64())}),
    "timestamp[s]": pa.table({"day": pa.array(TRUTH, pa.date32()).cast(pa.timestamp("s"))}),
    "timestamp[ns]": pa.table({"day": pa.array(TRUTH, pa.date32()).cast(pa.timestamp("ns"))}),
    "texts": pa.table({"day": [date.isoformat() for date in TRUTH]}),
    "dictionary": pa.table({"day": pa.array([str(d) for d in TRUTH]).dictionary_encode()}),
    "lists": {"day": TRUTH},
    "records": [{"day": date} for date in TRUTH],
    "numpy": {"day": np.array(TRUTH, dtype="datetime64[D]")},
    "pandas": pd.DataFrame({"day": pd.to_datetime(pd.Series(TRUTH))}),
    "pandas of objects": pd.DataFrame({"day": TRUTH}),
    "Polars": pl.DataFrame({"day": TRUTH}),
    "Polars with times": pl.DataFrame(
        {"day": [datetime.datetime(d.year, d.month, d.day, 7) for d in TRUTH]}
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_cell_is_the_same_date(kind: str) -> None:
    made = nw.release(KINDS[kind], certain(DAYS), ledger=None)
    assert made.table.schema.field("day").type == pa.date32()
    assert made.table["day"].to_pylist() == TRUTH


@pytest.mark.parametrize("suffix", ["csv", "parquet", "feather"])
def test_files_give_files_that_estimates_read(suffix: str, tmp_path: Path) -> None:
    source = tmp_path / "given.csv"
    lines = ["day", "1970-01-17", "1970-02-28T23:00", "1969-12-01"]
    source.write_text("\n".join(lines) + "\n")
    out = tmp_path / f"private.{suffix}"
    nw.release(source, certain(DAYS), ledger=None, out=nw.planning.Output(out, report=False))
    found = nw.results.Release.open(out)
    assert found.table["day"].to_pylist() == TRUTH
    mean = found.estimate("day", about="people", show="all")
    numbers = [date.toordinal() for date in TRUTH]
    assert abs(mean.value.toordinal() - sum(numbers) / 3) <= 1
    assert mean.interval[0] <= mean.value <= mean.interval[1]
    assert mean.columns()["mean"] == [mean.value.isoformat()]
    assert found.estimate("day", question="quantiles", at=0.5, show="all").values.shape == (1,)
    assert "quantiles of day" in found.estimate(show="all").document()["tables"][1]["table"]


def test_months_and_times_leave_as_what_they_are(tmp_path: Path) -> None:
    months = nw.Dates("2020-01", "2024-12", step="month")
    hours = nw.Dates("2024-01-05", "2024-01-07", step="hour")
    path = tmp_path / "t.csv"
    path.write_text("m,t\n2020-02,2024-01-05 17:30:15\n2024-12-31,2024-01-07\n")
    plan = nw.Plan({"m": nw.Column(months), "t": nw.Column(hours)}, epsilon=80 * months.size)
    made = nw.release(
        path, plan, ledger=None, out=nw.planning.Output(tmp_path / "o.csv", report=False)
    )
    assert made.table.to_pylist() == [
        {"m": datetime.date(2020, 2, 1), "t": datetime.datetime(2024, 1, 5, 17)},
        {"m": datetime.date(2024, 12, 1), "t": datetime.datetime(2024, 1, 7)},
    ]


@pytest.mark.parametrize(
    "cells",
    [
        pa.array(["1970-01-17", "SECRET"]),
        pa.array(["1970-01-17", None]),
        pa.array([datetime.date(1970, 1, 17), datetime.date(1900, 1, 1)]),
    ],
    ids=["no date", "empty", "too early"],
)
def test_bad_cells_are_named_by_row_and_not_shown(cells: Any) -> None:
    with pytest.raises(OutsideSpaceError, match=r"'day' at row 2") as refused:
        nw.release(pa.table({"day": cells}), certain(DAYS), ledger=None)
    assert "SECRET" not in str(refused.value)
    assert "1900" not in str(refused.value)


def test_texts_of_a_file_that_are_no_dates_are_called_so(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("day\n1970-01-17\n17.01.1970\n")
    with pytest.raises(InputError, match=r"'day' of .*t\.csv is not a date in row 2") as caught:
        nw.release(tmp_path / "t.csv", certain(DAYS), ledger=None, out=tmp_path / "o.csv")
    assert "17.01" not in str(caught.value)
    assert "Dates are written as in 2026-07-31. Correct the cell, or declare null = …" in str(
        caught.value
    )


def test_what_odd_cells_count_as_is_declared() -> None:
    field = Field(DAYS, null=datetime.date(1970, 1, 1), outside="clamp")
    assert field.null == "1970-01-01"
    cells = pa.array(["nothing", None, "1066-10-14", "2999-01-01"])
    codes = field.cells.encode(cells)
    assert DAYS.decode(codes).astype(str).tolist() == [
        "1970-01-01",
        "1970-01-01",
        "1969-12-01",
        "1970-02-28",
    ]
    listed = field.cells.plain(["nothing", None, 7, float("nan"), "1970-01-02"])
    assert listed.to_pylist() == [datetime.date(1970, 1, 1)] * 4 + [datetime.date(1970, 1, 2)]


def test_time_zones_need_a_declared_one() -> None:
    given = pa.table({"day": pa.array([0], pa.timestamp("s", tz="UTC"))})
    hours = nw.Dates("1969-12-31", "1970-01-02", step="hour")
    with pytest.raises(InputError, match="takes dates"):
        nw.release(given, certain(hours), ledger=None)
    tokyo = nw.Dates("1969-12-31", "1970-01-02", step="hour", zone="Asia/Tokyo")
    made = nw.release(given, certain(tokyo), ledger=None)
    assert made.table["day"].to_pylist() == [datetime.datetime(1970, 1, 1, 9)]


def test_dates_are_still_refused_where_another_space_is_declared() -> None:
    plan = nw.Plan({"day": nw.Column(nw.Interval(0, 9, step=1))}, epsilon=1)
    with pytest.raises(InputError, match=r"nw\.Dates"):
        nw.release(KINDS["date32"], plan, ledger=None)


def test_drafts_propose_dates_with_bounds_to_fill_in(tmp_path: Path) -> None:
    pq.write_table(KINDS["date32"], tmp_path / "t.parquet")
    draft = nw.planning.draft_plan(tmp_path / "t.parquet")
    assert draft.missing == ("day",)
    assert 'space = "dates" with low' in draft.to_toml()
    (tmp_path / "codes.csv").write_text("column,low,high,step\nday,1920-01-01,2026-12-31,month\n")
    draft = nw.planning.draft_plan(
        tmp_path / "t.parquet", codebook=tmp_path / "codes.csv", epsilon=1
    )
    plan = draft.plan()
    assert plan.schema.fields["day"].space == nw.Dates("1920-01", "2026-12", step="month")
    assert nw.Plan.from_toml(draft.to_toml()) == plan
    bounds = {"minimum": "1969-12-01", "maximum": "1970-02-28"}
    schema = {"fields": [{"name": "day", "type": "date", "constraints": bounds}]}
    (tmp_path / "codes.json").write_text(json.dumps(schema))
    draft = nw.planning.draft_plan(
        tmp_path / "t.parquet", codebook=tmp_path / "codes.json", epsilon=1
    )
    assert draft.plan().schema.fields["day"].space == DAYS


def test_synthetic_tables_have_dates_in_bins(tmp_path: Path) -> None:
    dates = [datetime.date(1950 + n % 60, 1 + n % 12, 1 + n % 28) for n in range(600)]
    table = pa.table({"day": pa.array(dates), "sex": ["a", "b"] * 300})
    columns = {"day": nw.Dates("1950-01-01", "2009-12-31"), "sex": nw.Categories(["a", "b"])}
    out = tmp_path / "s.parquet"
    made = nw.synthesize(
        table, columns, epsilon=3, ledger=None, out=out, method=nw.planning.Method(bins=12)
    )
    assert made.table.schema.field("day").type == pa.date32()
    assert not any("report is missing" in note for note in made.notes)
    again = nw.results.Synthesis.open(out)
    assert again.table["day"].to_pylist() == made.table["day"].to_pylist()


def test_queries_about_dates_are_written_and_read(tmp_path: Path) -> None:
    domain = nw.Records(day=nw.Dates("2020-01", "2020-12", step="month"))
    asked = nw.workloads.Workload.conjunctions(domain, [{"day": {"at_least": "2020-05-17"}}])
    asked.save(tmp_path / "w.toml")
    assert nw.workloads.Workload.read(tmp_path / "w.toml", domain).queries == asked.queries


TOLD = nw.Dates("1890-01-01", "9999-12-31T23:00", step="hour", zone="Europe/Vienna")
MOMENTS = [
    datetime.datetime(1893, 3, 31, 23, 30, tzinfo=datetime.UTC),
    datetime.datetime(2024, 3, 31, 0, 59, tzinfo=datetime.UTC),
    datetime.datetime(2024, 3, 31, 1, 0, tzinfo=datetime.UTC),
    datetime.datetime(2024, 10, 27, 0, 30, tzinfo=datetime.UTC),
    datetime.datetime(2024, 10, 27, 1, 30, tzinfo=datetime.UTC),
    datetime.datetime(2050, 7, 1, 12, 0, tzinfo=datetime.UTC),
    datetime.datetime(2150, 1, 1, 12, 0, tzinfo=datetime.UTC),
    datetime.datetime(9999, 12, 31, 22, 59, tzinfo=datetime.UTC),
]
ZONED: dict[str, Any] = {
    "texts": [moment.isoformat() for moment in MOMENTS],
    "Arrow": pa.array(MOMENTS, pa.timestamp("us", "UTC")),
    "Arrow elsewhere": pa.array(MOMENTS, pa.timestamp("ms", "America/New_York")),
    "dictionary": pa.array(MOMENTS, pa.timestamp("s", "UTC")).dictionary_encode(),
    "Polars": pl.Series(MOMENTS),
    "pandas": pd.Series(MOMENTS).astype("datetime64[us, UTC]"),
}


@pytest.mark.parametrize("kind", ZONED)
def test_a_moment_is_told_in_the_zone_alike_by_every_library(kind: str) -> None:
    """In summer after 2037, too, where Arrow's rules of clocks end."""
    codes = column_codes(Field.of(TOLD).cells, ZONED[kind])
    assert codes.tolist() == [TOLD.code(moment) for moment in MOMENTS]
    assert TOLD.point(int(codes[5])) == datetime.datetime(2050, 7, 1, 14)
    assert TOLD.point(int(codes[7])) == datetime.datetime(9999, 12, 31, 23)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("unit", ["ns", "us", "ms", "s"])
@pytest.mark.parametrize("zone", [None, "America/New_York", "Pacific/Auckland"])
@pytest.mark.parametrize("encoded", [False, True])
def test_the_last_moments_of_a_type_do_not_wrap_around(
    sign: int, unit: str, zone: str | None, encoded: bool
) -> None:
    field = Field(nw.Dates("1990-01-01", "2030-12-31", zone=zone), outside="clamp")
    kind = pa.timestamp(unit, None if zone is None else "UTC")
    column: Any = pa.array([sign * (2**63 - 1)], pa.int64()).cast(kind)
    column = column.dictionary_encode() if encoded else column
    assert column_codes(field.cells, column).tolist() == [field.space.size - 1 if sign > 0 else 0]


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59Z"])
def test_a_moment_that_python_cannot_move_to_the_zone_is_beyond_the_bound(text: str) -> None:
    space = nw.Dates("1990-01-01", "2030-12-31", zone="Europe/Vienna")
    field = Field(space, outside="clamp")
    code = 0 if text.startswith("0") else field.space.size - 1
    assert column_codes(field.cells, [text]).tolist() == [code]
    with pytest.raises(OutsideSpaceError, match="outside of 1990-01-01") as problem:
        column_codes(Field.of(space).cells, [text])
    assert text[:4] not in str(problem.value)
