"""Counting queries, further tables and noisy counts of a synthetic table, made or read back."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import (
    InputError,
    OutsideSpaceError,
    ParameterError,
    ReleaseError,
    TooLargeError,
)

COLUMNS = {
    "job": ["cook", "=1+1", "-judge"],
    "smokes": [True, False],
    "visits": nw.Counts(4),
    "age": nw.Counts(69),
}


def people(rows: int = 1500) -> dict[str, Any]:
    rng = np.random.default_rng(2)
    smokes = rng.random(rows) < 0.4
    return {
        "job": np.array(COLUMNS["job"])[rng.integers(0, 3, rows)],
        "smokes": smokes,
        "visits": np.minimum(rng.poisson(np.where(smokes, 2.0, 0.5)), 4),
        "age": rng.integers(0, 70, rows),
    }


PEOPLE = people()


@pytest.fixture(scope="module")
def made(tmp_path_factory: Any) -> Any:
    path = tmp_path_factory.mktemp("made") / "made.parquet"
    out = nw.planning.Output(path, report=False)
    table = pa.table(PEOPLE)
    return nw.synthesize(table, COLUMNS, epsilon=40, delta=1e-9, ledger=None, out=out)


@pytest.mark.parametrize(
    ("mapping", "text", "expression"),
    [
        ({"smokes": True}, "smokes", nw.col("smokes") == True),  # noqa: E712
        (
            {"job": "cook", "visits": {"at_least": 2}},
            "job = 'cook' AND visits >= 2",
            (nw.col("job") == "cook") & (nw.col("visits") >= 2),
        ),
        (
            {"age": {"at_least": 11, "at_most": 40}},
            "age BETWEEN 11 AND 40",
            (nw.col("age") >= 11) & (nw.col("age") <= 40),
        ),
        (
            {"smokes": False, "visits": [0, 3], "job": {"not": "cook"}},
            "NOT smokes AND visits IN (0, 3) AND job <> 'cook'",
            ~nw.col("smokes") & nw.col("visits").is_in([0, 3]) & (nw.col("job") != "cook"),
        ),
    ],
)
def test_a_condition_may_be_written_in_three_ways(
    made: Any, mapping: Any, text: str, expression: Any
) -> None:
    found = [made.query(where) for where in (mapping, text, expression)]
    assert len({one.interval for one in found}) == 1
    assert [one.value for one in found] == pytest.approx([found[0].value] * 3)
    low, high = found[0].interval
    assert 0 <= low <= found[0].value <= high <= 1500


def test_answers_hold_the_truth_and_those_that_were_counted_have_errors(made: Any) -> None:
    """99.99% intervals: of six, one misses in at most one of 1,600 runs."""
    smokes, visits, age = PEOPLE["smokes"], PEOPLE["visits"], PEOPLE["age"]
    cook = PEOPLE["job"] == "cook"
    asked = [
        ({"smokes": True}, smokes),
        ({"smokes": True, "visits": 2}, smokes & (visits == 2)),
        ({"smokes": True, "visits": 2, "job": "cook"}, smokes & (visits == 2) & cook),
        ({"age": {"at_most": 10}, "smokes": True}, smokes & (age <= 10)),
        ("visits = 1 OR age < 20", (visits == 1) | (age < 20)),
        (None, np.ones(1500, dtype=bool)),
    ]
    for where, truth in asked:
        found = made.query(where, confidence=0.9999)
        low, high = found.interval
        assert low <= truth.sum() <= high
        assert np.isnan(found.standard_error) == (found.method == "bounds")
    assert made.query({"smokes": True, "visits": 2}).method == "noisy counts"
    bounded = made.query({"smokes": True, "visits": 2, "job": "cook"})
    assert "not counted" in bounded.notes[0]
    assert made.query(None).interval == (1500, 1500)


def test_groups_are_answered_each_and_together_with_wider_intervals(made: Any) -> None:
    alone = made.query({"smokes": True}, by=["job", "visits"])
    assert alone.values.shape == (3, 5)
    assert alone["cook", 2].value == pytest.approx(alone.values[0, 2])
    wider = made.query({"smokes": True}, by=["job", "visits"], together=True)
    assert wider.together
    assert (wider.highs - wider.lows >= alone.highs - alone.lows).all()
    one = made.query(by="job")
    population = made.query(by="job", about="population")
    assert (population.highs - population.lows > one.highs - one.lows).all()
    assert population.about == "population"


def test_a_table_that_was_read_back_answers_the_same(made: Any) -> None:
    again = nw.results.Synthesis.open(made.path)
    for where in (
        {"smokes": True},
        {"job": "cook", "age": {"at_least": 30}},
        "visits = 2 OR smokes",
    ):
        assert made.query(where).interval == again.query(where).interval
    assert made.noisy_counts().equals(again.noisy_counts())
    assert again.tables(1)[0].schema.equals(made.table.schema)


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"where": {"pay": 1}}, InputError, "no column 'pay'"),
        ({"where": {"job": "pilot"}}, OutsideSpaceError, "no value 'pilot'"),
        ({"where": "pay > 3"}, Exception, "pay"),
        ({"where": 3}, (InputError, ParameterError), "where"),
        ({"by": "pay"}, InputError, "no column 'pay'"),
        ({"by": ["job", "job"]}, InputError, "name each column once"),
        ({"by": ["age", "job", "visits", "smokes"], "where": None}, None, ""),
        ({"confidence": 1.0}, ParameterError, "between 0 and 1"),
        ({"about": "everybody"}, ParameterError, "about"),
    ],
)
def test_what_cannot_be_asked_is_refused(made: Any, asked: Any, error: Any, words: str) -> None:
    if error is None:
        fine = nw.synthesize(
            {"a": [1, 2], "b": [1, 2]},
            {"a": nw.Counts(99), "b": nw.Counts(99)},
            epsilon=1,
            ledger=None,
        )
        with pytest.raises(TooLargeError, match="10,000 groups"):
            fine.query(by=["a", "b"])
        return
    with pytest.raises(error, match=words):
        made.query(**asked)


def test_a_method_without_counts_has_no_error_bar_and_no_further_tables() -> None:
    tiny = {"a": [0, 1] * 20, "b": [0, 0, 1, 1] * 10}
    spaces = {"a": nw.Counts(1), "b": nw.Counts(1)}
    made = nw.synthesize(tiny, spaces, epsilon=1, ledger=None, method="blr")
    found = made.query({"a": 1})
    assert found.interval == (0, 40)
    assert any("says nothing about" in note for note in found.notes)
    with pytest.raises(ReleaseError, match="no noisy counts"):
        made.tables(2)
    mwem = nw.synthesize(tiny, spaces, epsilon=1, ledger=None, method="mwem")
    low, high = mwem.query({"a": 1}, confidence=0.9999).interval
    assert low <= 20 <= high
    with pytest.raises(ReleaseError, match="by itself"):
        mwem.tables(2)


def test_a_count_that_noise_drowns_is_not_said_to_be_missing() -> None:
    # In one of twenty draws noise is beyond its 95%, and the interval ends at 0 or at 40.
    made = nw.synthesize(
        {"a": [0, 1] * 20},
        {"a": nw.Counts(1)},
        epsilon=1e-4,
        ledger=None,
        source=nw.randomness.SeededSource("noise within its quantiles"),
    )
    found = made.query({"a": 1})
    assert found.interval == (0, 40)
    assert "so much noise" in found.notes[0]
    assert "says nothing about" in found.notes[1]


def test_people_with_several_rows_are_no_sample_of_a_population() -> None:
    rows = {"who": [1, 1, 2, 3, 3], "a": [0, 1, 1, 0, 1]}
    plan = nw.Plan({"a": nw.Column(nw.Counts(1))}, epsilon=1, person=nw.Person("who", rows=2))
    made = nw.synthesize(rows, plan, ledger=None)
    assert made.query({"a": 1}).people == 5
    with pytest.raises(ParameterError, match="about='people'"):
        made.query({"a": 1}, about="population")


def test_several_tables_differ_by_about_the_noise(made: Any) -> None:
    """A share that only noise moves: its spread over 40 tables is near that of the noise.

    Of 40 numbers with geometric noise, which has long tails, the deviation is outside of these
    bounds in one run of 20,000 (simulated sets of Laplace noise: 0.0024% and 0.0021%).
    """
    loud = nw.synthesize({"a": PEOPLE["smokes"]}, {"a": [True, False]}, epsilon=0.05, ledger=None)
    several = loud.tables(40)
    assert len(several) == 40
    assert several[0].num_rows == 1500
    counts = [np.sum(table["a"].to_numpy(zero_copy_only=False)) for table in several]
    ratio = np.std(counts, ddof=1) / loud.measurements[0].deviation
    assert 0.45 < ratio < 2
    found = several.estimate(lambda table: np.mean(table["a"].to_numpy(zero_copy_only=False)))
    assert found.about == "people"
    assert "40 synthetic tables" in repr(several)
    schemas = {table.schema for table in made.tables(2)}
    assert schemas == {made.table.schema}


def test_further_tables_are_saved_and_nothing_is_overwritten_unasked(
    made: Any, tmp_path: Path
) -> None:
    several = made.tables(2)
    names = several.save(tmp_path / "x.csv")
    assert [path.name for path in names] == ["x.table-1.csv", "x.table-2.csv"]
    assert names[0].read_text().splitlines()[0].replace('"', "") == "job,smokes,visits,age"
    with pytest.raises(ReleaseError, match="exists already"):
        several.save(tmp_path / "x.csv")
    several.save(tmp_path / "x.csv", overwrite=True)
    with pytest.raises(ParameterError, match="count"):
        made.tables(0)
    with pytest.raises(ParameterError, match="two things"):
        several.estimate(lambda table: 1.0, about="population")
    with pytest.raises(ParameterError, match="function"):
        several.estimate(3)


def test_counts_are_written_as_csv_that_no_spreadsheet_computes(made: Any, tmp_path: Path) -> None:
    path = made.save_counts(tmp_path / "counts.csv")
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == sum(one.counts.size for one in made.measurements)
    first = made.measurements[0]
    assert [int(row["noisy_count"]) for row in rows[:3]] == first.counts.tolist()
    assert float(rows[0]["standard_deviation"]) == pytest.approx(first.deviation)
    values = {row["value_1"] for row in rows if row["table"] == "job"}
    assert values == {"cook", "'=1+1", "'-judge"}
    with pytest.raises(ReleaseError, match="exists already"):
        made.save_counts(path)
    with pytest.raises(InputError, match=r"\.csv"):
        made.save_counts(tmp_path / "counts.parquet")
    assert made.save_counts().name == "made.counts.csv"
    assert nw.results.Synthesis.open(made.path).files["counts"].name == "made.counts.csv"


def test_a_table_in_memory_has_no_place_for_its_counts() -> None:
    made = nw.synthesize({"a": [0, 1]}, {"a": nw.Counts(1)}, epsilon=1, ledger=None)
    with pytest.raises(ReleaseError, match="in memory"):
        made.save_counts()


@pytest.mark.parametrize("epsilon", ["1e-18", "1e-30", "1e-100"])
def test_intervals_beyond_64_bits_are_doubles_that_are_no_narrower(epsilon: str) -> None:
    made = nw.synthesize(
        {"a": [0, 1, 1], "x": [0, 1, 2]},
        {"a": [0, 1], "x": nw.Counts(2)},
        epsilon=epsilon,
        ledger=None,
    )
    table = made.noisy_counts()
    assert table.column_names[-4:] == ["noisy_count", "standard_deviation", "low_95", "high_95"]
    halves = [one.noise.half_width for one in made.measurements for _ in range(one.counts.size)]
    for row, half in zip(table.to_pylist(), halves, strict=True):
        assert row["low_95"] <= row["noisy_count"] - half
        assert row["high_95"] >= row["noisy_count"] + half
        assert row["high_95"] - row["low_95"] < 2.01 * half + 2


def test_columns_that_are_split_are_asked_about_by_their_parts() -> None:
    hours = nw.Column(nw.Curves([0, 1, 2], low=0, high=1), basis="fourier", coefficients=2)
    columns = {"likes": nw.Subsets(["tv", "cars"]), "load": hours}
    rows = [{"likes": ["tv"], "load": [0.0, 1.0, 0.0]}] * 20
    made = nw.synthesize(rows, columns, epsilon=1, ledger=None)
    asked: list[dict[str, Any]] = [
        {"where": {"likes": "tv"}},
        {"where": "likes = 'tv'"},
        {"where": nw.col("likes") == "tv"},
        {"by": "likes"},
    ]
    for one in asked:
        with pytest.raises(InputError, match=r"each item is a column of its own: .*likes: tv"):
            made.query(**one)
    with pytest.raises(InputError, match="each coefficient is a column of its own"):
        made.query({"load": 1})
    assert made.query('"likes: tv" = true').people == made.query({"likes: tv": True}).people == 20


def test_a_single_column_of_too_many_groups_has_them() -> None:
    made = nw.synthesize(
        [{"pay": k} for k in range(20)], {"pay": nw.Counts(99_999)}, epsilon=1, ledger=None
    )
    with pytest.raises(TooLargeError, match=r"pay has 100,000 groups .* in Python where="):
        made.query(by="pay")
