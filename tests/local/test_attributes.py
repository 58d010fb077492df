"""Several attributes in the local model, of which each device reports one."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import InputError, OutsideSpaceError, ParameterError
from noisewright.local import AttributesCollection
from tests.distributions.alarm import Alarm


def survey(**more: Any) -> AttributesCollection:
    parts = {
        "age": nw.local.mean(nw.Counts(100), epsilon=1),
        "job": nw.local.frequencies(nw.Categories(["cook", "nurse", "clerk"]), epsilon="1/2"),
        "pay": nw.local.distribution(nw.Interval(0, 10, step="0.5"), epsilon=1),
    }
    return nw.local.one_of(parts, **more)


def people(count: int) -> dict[str, Any]:
    chance = np.random.default_rng()
    return {
        "age": chance.integers(20, 60, count),
        "job": chance.choice(["cook", "nurse", "clerk"], count, p=[0.5, 0.3, 0.2]),
        "pay": chance.integers(0, 21, count) / 2,
    }


def test_the_largest_epsilon_holds_and_is_proven() -> None:
    made = survey()
    assert made.guarantee == nw.local.mean(nw.Counts(100), epsilon=1).guarantee
    assert made.certificate().guarantee == made.guarantee
    assert "age, job, pay" in repr(made)


@pytest.mark.parametrize("epsilon", [1, 2])
def test_a_report_is_private_as_a_whole_table(epsilon: int) -> None:
    """Records of two attributes, four numbers and two, against every output of either."""
    made = nw.local.one_of(
        {
            "a": nw.local.mean(nw.Counts(3), epsilon=epsilon, method="duchi"),
            "b": nw.local.frequencies(nw.Counts(1), epsilon=1, method="response"),
        },
        weights={"a": 2, "b": 1},
    )
    ways: Any = made.randomizer.parts
    first, second = (one.table() for one in ways)
    rows = [
        [2 * int(p) * second.total for p in a] + [int(p) * first.total for p in b]
        for a in first.weights
        for b in second.weights
    ]
    total = 3 * first.total * second.total
    assert all(sum(row) == total for row in rows)
    space = nw.Counts(len(rows) - 1, neighbors="replace")
    matrix = [[Fraction(one, total) for one in row] for row in rows]
    table = nw.from_matrix(space, matrix, outputs=nw.Counts(3))
    assert nw.verify(table, epsilon=epsilon).holds
    assert not nw.verify(table, epsilon=epsilon * 0.999).holds


def test_every_attribute_is_answered() -> None:
    """Each answer within an interval at 1 − 1e-11, all together some 1e-10."""
    made = survey(name="staff")
    table = people(60_000)
    server = made.server().add(made.reports(table))
    found = server.estimate(confidence=1 - 1e-11)
    assert list(found) == ["age", "job", "pay"]
    low, high = found["age"].interval
    assert low <= table["age"].mean() <= high
    for job in ("cook", "nurse", "clerk"):
        low, high = found["job"][job].interval
        assert low <= np.mean(table["job"] == job) <= high
    low, high = found["pay"].mean.interval
    assert low <= table["pay"].mean() <= high
    assert sum(one.people for one in (found["age"], found["job"], found["pay"].mean)) == 60_000
    assert found["age"].about == "population"
    assert server.estimate(about="people")["age"].about == "people"
    assert list(server.detect()) == ["job"]


def test_attributes_are_drawn_by_their_weights() -> None:
    """False alarms at 1e-12; equal weights are told apart."""
    made = survey(weights={"age": 5, "job": 2, "pay": 1})

    def draw(count: int) -> Any:
        codes = np.zeros((count, 3), dtype=np.int64)
        return np.bincount(made.randomizer.draw(codes)["part"], minlength=3)

    Alarm().judge(draw, [5 / 8, 2 / 8, 1 / 8], [[1 / 3, 1 / 3, 1 / 3], [4 / 7, 2 / 7, 1 / 7]])
    assert made.chances == {"age": 0.625, "job": 0.25, "pay": 0.125}


def test_tables_and_records_in_any_form() -> None:
    made = survey()
    table = people(40)
    columns = {name: column.tolist() for name, column in table.items()}
    records = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    expected = made.encode(table)
    assert expected.shape == (40, 3)
    for form in (columns, records, pa.table(columns), {**columns, "unused": [0] * 40}):
        assert (made.encode(form) == expected).all()
    pandas = pytest.importorskip("pandas", reason="needs: pandas")
    assert (made.encode(pandas.DataFrame(columns)) == expected).all()


def test_clients_memos_states_and_specifications(tmp_path: Path) -> None:
    made = survey(weights={"age": 3, "job": 1, "pay": 2}, name="staff")
    again = nw.local.open_collection(made.specification)
    assert again.digest == made.digest
    assert survey(name="staff").digest != made.digest
    record = {"age": 30, "job": "nurse", "pay": 4.5}
    client = made.client(memo=tmp_path / "memo")
    assert client.report(record)[19:-4] == client.report(record)[19:-4]
    fresh = again.client()
    server = made.server().add([fresh.report(record) for _ in range(300)])
    assert server.people == 300
    server.save(tmp_path / "state")
    assert (made.server(tmp_path / "state").tally == server.tally).all()
    damaged = fresh.report(record)[:-1]
    server.add(damaged)
    assert server.arrivals.damaged == 1


def test_plans_say_the_error_of_each() -> None:
    made = survey()
    plan = made.plan(people=30_000)
    age = nw.local.mean(nw.Counts(100), epsilon=1).plan(people=10_000, about="population")
    assert plan["age"].standard_error == age.standard_error
    assert plan.people_for("age", age.standard_error) == pytest.approx(30_000, abs=3)
    assert plan.bytes_per_report == len(made.client().report({"age": 1, "job": "cook", "pay": 0}))
    assert "job: 10,000 people" in str(plan)
    with pytest.raises(ParameterError, match="not an attribute"):
        plan["height"]


def test_fakes_may_all_report_one_attribute() -> None:
    made = survey()
    table = people(9_000)
    server = made.server().add(made.reports(table))
    found = server.robust(fakes=0.01)
    assert list(found) == ["age", "job", "pay"]
    # 90 fakes among some 3,000 reports of the attribute.
    assert 0.025 < found["age"].fakes < 0.035
    low, high = found["age"].estimate.interval
    alone = server.estimate(about="people")["age"].interval
    assert low < alone[0]
    assert alone[1] < high


def test_what_nobody_reported_is_left_out() -> None:
    made = survey(weights={"age": 1 << 32, "job": 1, "pay": 1})
    found = made.server().add(made.reports(people(50))).estimate()
    assert list(found) == ["age"]


def test_bad_input() -> None:
    made = survey()
    good = {"age": [1, 2], "job": ["cook", "nurse"], "pay": [0, 1]}
    with pytest.raises(InputError, match="no column 'pay'"):
        made.reports({"age": [1], "job": ["cook"]})
    with pytest.raises(InputError, match="lengths"):
        made.reports({**good, "pay": [0]})
    with pytest.raises(InputError, match="one value only"):
        made.reports({"age": 1, "job": "cook", "pay": 0})
    with pytest.raises(InputError, match="record 1 is not a mapping"):
        made.reports([{"age": 1, "job": "cook", "pay": 0}, {"age": 1}])
    with pytest.raises(InputError, match="no column"):
        made.reports(7)
    with pytest.raises(OutsideSpaceError) as raised:
        made.reports({**good, "age": [1, 1234]})
    assert "1234" not in str(raised.value)
    mean = nw.local.mean(nw.Counts(3), epsilon=1)
    bad: Any
    for bad in ({}, [mean], {"a": 3}, {1: mean}, {"a": made}):
        with pytest.raises(ParameterError, match="attribute"):
            nw.local.one_of(bad)
    for bad in ({"a": 0}, {"a": 1.5}, {"b": 1}, 3):
        with pytest.raises(ParameterError, match="weight"):
            nw.local.one_of({"a": mean}, weights=bad)


def test_codes_of_64_bits_beside_others_keep_all_of_them() -> None:
    texts = nw.local.heavy_hitters(bits=64, epsilon=4, people=1000)
    shares = nw.local.succinct_histogram(bits=64, epsilon=4, people=1000)
    parts = {"text": texts, "share": shares, "age": nw.local.mean(nw.Counts(100), epsilon=1)}
    record = {"text": "abcdefgh", "share": "\U0010ffff\U0010ffff", "age": 7}
    codes = nw.local.one_of(parts).encode([record])
    assert codes.dtype == np.uint64
    assert texts.values.decode(codes[:, 0]) == ["abcdefgh"]
    assert shares.values.decode(codes[:, 1]) == [record["share"]]
    assert codes[0, 2] == 7
    assert nw.local.one_of(parts).client().report(record)


def test_nothing_is_said_from_below_about_reports_in_random_order_whose_law_is_not_known() -> None:
    one = nw.local.frequencies(nw.Categories(range(300)), epsilon=2, method="response")
    both = nw.local.one_of({"a": one, "b": one}).shuffled(people=1000, delta="1e-6")
    alone = one.shuffled(people=1000, delta="1e-6")
    assert 0 < alone.lower < alone.upper < both.upper
    assert both.lower == 0  # it hides as well as one of the two
    assert nw.local.heavy_hitters(epsilon=2).shuffled(people=1000, delta="1e-6").lower == 0
