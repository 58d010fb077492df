"""Dates and times as a space: points are dates, and all that holds of a grid holds of them."""

import datetime
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

import noisewright as nw
from noisewright.errors import OutsideSpaceError, SpaceError

SPACES = {
    "year": nw.Dates("1950", "2020", step="year"),
    "month": nw.Dates("1969-11", "1971-02", step="month"),
    "week": nw.Dates("1969-12-01", "1970-03-01", step="week"),
    "day": nw.Dates("1969-12-25", "1970-01-07"),
    "hour": nw.Dates("1969-12-31T20:00", "1970-01-01T05:00", step="hour"),
    "minute": nw.Dates("1969-12-31T23:50", "1970-01-01T00:10", step="minute"),
}


@pytest.mark.parametrize("step", SPACES)
def test_points_and_codes_are_each_others_inverse(step: str) -> None:
    space = SPACES[step]
    assert [space.code(point) for point in space.points] == list(range(space.size))
    assert space.encode(space.decode(np.arange(space.size))).tolist() == list(range(space.size))
    assert list(space.points) == sorted(space.points)
    kind = datetime.datetime if step in ("hour", "minute") else datetime.date
    assert {type(point) for point in space.points} == {kind}


@given(st.dates(datetime.date(1950, 1, 1), datetime.date(2020, 12, 31)))
def test_a_date_is_the_step_that_it_falls_into(date: datetime.date) -> None:
    """Against the calendar of the standard library, before 1970 and after."""
    years = nw.Dates("1950", "2020", step="year")
    months = nw.Dates("1950-01", "2020-12", step="month")
    weeks = nw.Dates("1949-12-26", "2020-12-31", step="week")
    assert years.point(years.code(date)) == date.replace(month=1, day=1)
    assert months.point(months.code(date)) == date.replace(day=1)
    monday = date - datetime.timedelta(date.weekday())
    assert weeks.point(weeks.code(date)) == monday


@given(st.datetimes(datetime.datetime(1969, 12, 30), datetime.datetime(1970, 1, 2)))
def test_a_time_is_the_step_that_it_falls_into(time: datetime.datetime) -> None:
    hours = nw.Dates("1969-12-30T00", "1970-01-02T00", step="hour")
    days = nw.Dates("1969-12-30", "1970-01-02")
    assert hours.point(hours.code(time)) == time.replace(minute=0, second=0, microsecond=0)
    assert days.point(days.code(time)) == time.date()
    assert hours.code(np.datetime64(time)) == hours.code(time) == hours.code(time.isoformat())


def test_every_way_to_write_a_date_is_read() -> None:
    space = nw.Dates("1920-01-01", "2026-12-31")
    for value in (
        "2024-05-17",
        " 2024-05-17 ",
        datetime.date(2024, 5, 17),
        datetime.datetime(2024, 5, 17, 23, 59),
    ):
        assert space.point(space.code(value)) == datetime.date(2024, 5, 17)
    assert space.point(space.code("20240517")) == datetime.date(2024, 5, 17)
    assert space.point(space.code(np.datetime64("2024-05-17T12", "ns"))) == datetime.date(
        2024, 5, 17
    )
    months = nw.Dates("2020-01", "2024-12", step="month")
    assert months.code("2020-02") == months.code("2020-02-29") == 1


@pytest.mark.parametrize(
    "value", ["yesterday", "", 5, 5.0, None, "2024-13-01", np.datetime64("NaT")]
)
def test_what_is_no_date_is_refused_and_not_shown(value: Any) -> None:
    space = nw.Dates("1920-01-01", "2026-12-31")
    with pytest.raises(OutsideSpaceError, match="not a date") as refused:
        space.code(value)
    assert not value or str(value) not in str(refused.value)


def test_dates_beyond_the_bounds_are_errors_or_moved() -> None:
    space = nw.Dates("2000-01-01", "2000-12-31")
    for value in ("1999-12-31", "2001-01-01"):
        with pytest.raises(OutsideSpaceError):
            space.code(value)
        with pytest.raises(OutsideSpaceError, match="row 2"):
            space.encode(np.array(["2000-05-05", value], dtype="datetime64[D]"))
    clamping = space.reading(outside="clamp")
    assert clamping.point(clamping.code("1999-12-31")) == datetime.date(2000, 1, 1)
    both = np.array(["1066-10-14", "2999-01-01"], dtype="datetime64[D]")
    assert clamping.encode(both).tolist() == [0, space.size - 1]
    assert clamping == space
    assert isinstance(clamping, nw.Dates)


def test_a_time_zone_is_converted_to_the_declared_one_or_refused() -> None:
    plain = nw.Dates("2024-01-01", "2024-12-31", step="hour")
    vienna = nw.Dates("2024-01-01", "2024-12-31", step="hour", zone="Europe/Vienna")
    with pytest.raises(OutsideSpaceError, match="time zone"):
        plain.code("2024-07-01T22:30:00+00:00")
    assert vienna.point(vienna.code("2024-07-01T22:30:00+00:00")) == datetime.datetime(
        2024, 7, 2, 0
    )
    assert vienna.point(vienna.code("2024-01-01T22:30:00Z")) == datetime.datetime(2024, 1, 1, 23)
    assert vienna.point(vienna.code("2024-07-01T22:30")) == datetime.datetime(2024, 7, 1, 22)


@pytest.mark.parametrize(
    ("low", "high", "more"),
    [
        ("2020-01-01", "2019-01-01", {}),
        ("2020-01-01", "2020-01-20", {"step": "month"}),
        ("2020-01-01", "soon", {}),
        (2019, 2020, {}),
        ("2020-01-01", "2021-01-01", {"step": "decade"}),
        ("2020-01-01", "2021-01-01", {"step": 1}),
        ("2020-01-01", "2021-01-01", {"zone": "Europe/Atlantis"}),
        ("2020-01-01T00:00Z", "2021-01-01", {"step": "hour"}),
    ],
)
def test_bounds_that_make_no_sense_are_refused(low: Any, high: Any, more: dict[str, Any]) -> None:
    with pytest.raises(SpaceError):
        nw.Dates(low, high, **more)


@pytest.mark.parametrize("step", SPACES)
def test_mechanisms_for_numbers_are_proven_on_dates(step: str) -> None:
    """What a certificate says of dates is read back as the same space, and proven again."""
    space = SPACES[step]
    made = [
        nw.laplace(space, epsilon=1, form="truncated"),
        nw.laplace(space, epsilon=1, form="bounded"),
        nw.staircase(space, epsilon=1, form="truncated"),
        nw.randomized_response(space, epsilon=1),
    ]
    for mechanism in made:
        certificate = nw.certify(mechanism)
        assert nw.check(certificate.document)
        assert f"{step}s since 19" in certificate.to_json()
        drawn = mechanism.sample(list(space.points)[:3])
        assert all(value in space for value in drawn)


def test_a_certificate_is_read_back_with_its_dates(tmp_path: Any) -> None:
    space = nw.Dates("2024-01-01", "2024-01-02", step="hour", zone="Europe/Vienna")
    nw.certify(nw.laplace(space, epsilon=1, form="truncated")).save(tmp_path / "c.json")
    assert nw.load(tmp_path / "c.json").space == space
    text = (tmp_path / "c.json").read_text().replace("hours since", "fortnights since")
    (tmp_path / "c.json").write_text(text)
    assert not nw.check(tmp_path / "c.json")


def test_noise_without_bounds_is_refused() -> None:
    with pytest.raises(SpaceError, match="truncated"):
        nw.laplace(SPACES["day"], epsilon=1)


def test_designs_and_losses_count_steps() -> None:
    space = nw.Dates("2020-01", "2020-06", step="month")
    numbers = nw.Interval(0, 5, step=1)
    ours = nw.design(space, epsilon=1, loss="L1")
    assert ours.loss == nw.design(numbers, epsilon=1, loss="L1").loss
    assert space.distance("2020-01-31", "2020-03-01") == 2
    assert [space.distance(a, b) for a, b in pairwise(space.points)] == [1] * 5


FAR = {
    "the first of pandas": (np.datetime64(-(2**63) + 1, "ns"), "low"),
    "the last of pandas": (np.datetime64(2**63 - 1, "ns"), "high"),
    "the first microsecond": (np.datetime64(-(2**63) + 1, "us"), "low"),
    "days after minutes end": (np.datetime64(2**53, "D"), "high"),
    "days before minutes begin": (np.datetime64(-(2**53), "D"), "low"),
    "years after days end": (np.datetime64(2**60, "Y"), "high"),
}


@pytest.mark.parametrize("step", SPACES)
@pytest.mark.parametrize("name", FAR)
def test_a_date_however_far_away_is_beyond_the_nearer_bound(step: str, name: str) -> None:
    (value, end), space = FAR[name], SPACES[step]
    clamping = space.reading(outside="clamp")
    code = 0 if end == "low" else space.size - 1
    assert clamping.code(value) == clamping.encode(np.array([value]))[0] == code
    with pytest.raises(OutsideSpaceError):
        space.code(value)
    with pytest.raises(OutsideSpaceError):
        space.encode(np.array([value]))


@pytest.mark.parametrize(
    "ends", [("2020-01-01", np.datetime64(20000, "Y")), (np.datetime64(-3000, "Y"), "2000")]
)
def test_bounds_are_dates_that_python_has(ends: tuple[Any, Any]) -> None:
    with pytest.raises(SpaceError, match="within the years 1 to 9999"):
        nw.Dates(*ends)


def test_the_missing_date_of_pandas_is_no_date() -> None:
    for space in (SPACES["day"], SPACES["day"].reading(outside="clamp")):
        with pytest.raises(OutsideSpaceError, match="not a date"):
            space.code(pd.NaT)
        with pytest.raises(OutsideSpaceError, match="not a date"):
            nw.randomized_response(space, epsilon=1).sample(pd.NaT)


@pytest.mark.parametrize(
    "point",
    [
        "1970-01-02",
        datetime.date(1970, 1, 2),
        datetime.datetime(1970, 1, 2, 5),
        pd.Timestamp("1970-01-02 05:00"),
        np.datetime64("1970-01-02"),
        pa.scalar(datetime.date(1970, 1, 2)),
    ],
)
def test_one_date_of_any_kind_is_a_point_to_sample_from(point: Any) -> None:
    sure = nw.randomized_response(SPACES["day"], epsilon=200)
    assert sure.sample(point) == datetime.date(1970, 1, 2)
