"""Workloads: every kind of query against a count row by row, on every kind of table."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import noisewright as nw
from noisewright.errors import (
    InputError,
    OutsideSpaceError,
    ParameterError,
    SpaceError,
    TooLargeError,
)

DOMAIN = nw.Records(
    sex=nw.Categories(["F", "M"]), job=nw.Categories(["clerk", "cook", "judge"]), kids=nw.Counts(4)
)
RECORDS = st.lists(
    st.tuples(
        st.sampled_from(["F", "M"]), st.sampled_from(["clerk", "cook", "judge"]), st.integers(0, 4)
    ),
    max_size=30,
)

Test = Callable[[str, str, int], bool]


def cells(*names: str) -> list[Test]:
    """Each cell of a marginal as a test of one record, in order."""
    places = {"sex": 0, "job": 1, "kids": 2}
    spaces = dict(DOMAIN.columns)
    wanted: list[tuple[Any, ...]] = [()]
    for name in names:
        wanted = [(*head, point) for head in wanted for point in spaces[name].points]
    return [
        lambda *record, cell=cell: tuple(record[places[name]] for name in names) == cell
        for cell in wanted
    ]


CASES: dict[str, tuple[nw.Workload, list[Test]]] = {
    "one-way": (nw.Workload.marginals(DOMAIN), [*cells("sex"), *cells("job"), *cells("kids")]),
    "two-way": (
        nw.Workload.marginals(DOMAIN, ways=2),
        [*cells("sex", "job"), *cells("sex", "kids"), *cells("job", "kids")],
    ),
    "three-way": (nw.Workload.marginals(DOMAIN, ways=3), cells("sex", "job", "kids")),
    "prefixes": (
        nw.Workload.prefixes(DOMAIN, "kids"),
        [lambda sex, job, kids, v=v: kids <= v for v in range(4)],
    ),
    "ranges": (
        nw.Workload.ranges(DOMAIN, "kids", [(1, 2), (0, 4), (3, 3)]),
        [
            lambda sex, job, kids: 1 <= kids <= 2,
            lambda sex, job, kids: True,
            lambda sex, job, kids: kids == 3,
        ],
    ),
    "all ranges": (
        nw.Workload.ranges(DOMAIN, "kids"),
        [lambda sex, job, kids, a=a, b=b: a <= kids <= b for a in range(5) for b in range(a, 5)],
    ),
    "conjunctions": (
        nw.Workload.conjunctions(
            DOMAIN, [{"sex": "F", "kids": {0, 1}}, {"job": ["cook", "judge"]}]
        ),
        [
            lambda sex, job, kids: sex == "F" and kids in (0, 1),
            lambda sex, job, kids: job != "clerk",
        ],
    ),
    "predicates": (
        nw.Workload.predicates(
            DOMAIN,
            {
                "odd": lambda kids, sex: kids % 2 == 1,
                "M0": lambda kids, sex: (sex, kids) == ("M", 0),
            },
            columns=["kids", "sex"],
        ),
        [lambda sex, job, kids: kids % 2 == 1, lambda sex, job, kids: (sex, kids) == ("M", 0)],
    ),
}


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=20)
@given(records=RECORDS)
def test_counts_row_by_row(name: str, records: list[tuple[str, str, int]]) -> None:
    workload, tests = CASES[name]
    expected = [sum(test(*record) for record in records) for test in tests]
    answers = workload.answers(records)
    assert answers.counts.tolist() == expected
    assert answers.rows == len(records)
    assert workload.queries == len(tests) == len(workload.labels())
    counts = np.bincount([DOMAIN.code(record) for record in records], minlength=DOMAIN.size)
    assert workload.answers_of_counts(counts).counts.tolist() == expected


def table(rows: int) -> dict[str, Any]:
    rng = np.random.default_rng(8)
    return {
        "sex": np.array(["F", "M"])[rng.integers(0, 2, rows)],
        "job": np.array(["clerk", "cook", "judge"])[rng.integers(0, 3, rows)],
        "kids": rng.integers(0, 5, rows),
    }


def test_every_kind_of_table_has_the_same_answers() -> None:
    columns = table(500)
    whole = sum((workload for workload, _ in CASES.values()), nw.Workload(DOMAIN, ()))
    expected = whole.answers(columns).counts.tolist()
    arrow = pa.table(columns)
    records = list(zip(*(columns[name].tolist() for name in columns), strict=True))
    forms: dict[str, Any] = {
        "Arrow table": arrow,
        "Arrow batches": iter(arrow.to_batches(max_chunksize=99)),
        "Arrow reader": pa.RecordBatchReader.from_batches(
            arrow.schema, arrow.to_batches(max_chunksize=70)
        ),
        "pandas": pd.DataFrame(columns),
        "Polars": pl.DataFrame(columns),
        "lists": {name: column.tolist() for name, column in columns.items()},
        "records": records,
        "mappings": [dict(zip(columns, record, strict=True)) for record in records],
    }
    for name, form in forms.items():
        assert whole.answers(form).counts.tolist() == expected, name


def test_a_table_is_grouped_once_for_each_set_of_columns() -> None:
    workload = (
        nw.Workload.prefixes(DOMAIN, "kids")
        + nw.Workload.ranges(DOMAIN, "kids")
        + nw.Workload.marginals(DOMAIN)
    )
    assert workload.groupings == (("kids",), ("sex",), ("job",))


def test_labels() -> None:
    workload = CASES["ranges"][0] + CASES["conjunctions"][0] + CASES["predicates"][0]
    assert workload.labels() == [
        "1 ≤ kids ≤ 2",
        "kids ≤ 4",
        "3 ≤ kids ≤ 3",
        "sex=F, kids in (0, 1)",
        "job in (cook, judge)",
        "odd",
        "M0",
    ]
    assert nw.Workload.marginals(DOMAIN, ways=2).labels()[1] == "sex=F, job=cook"


def test_distances_between_answers() -> None:
    workload = nw.Workload.marginals(DOMAIN, columns=["sex", "job"])
    one = workload.answers(
        [("F", "cook", 0), ("F", "cook", 0), ("M", "judge", 1), ("M", "cook", 1)]
    )
    other = workload.answers([("F", "clerk", 0)])
    apart = one.distance(other)
    assert apart.largest == 1
    assert apart.mean == pytest.approx((0.5 + 0.5 + 1 + 0.75 + 0.25) / 5)
    assert apart.l1 == pytest.approx((1 + 2) / 2)
    assert one.distance(one).largest == 0
    assert str(apart) == "max 1, mean 0.6, L1 1.5"


def test_answers_do_not_show_the_data() -> None:
    assert repr(nw.Workload.marginals(DOMAIN).answers([])) == "<answers to 10 queries on 0 rows>"


BAD: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: nw.Workload.marginals(DOMAIN, ways=4), ParameterError, "only 3 columns"),
    (lambda: nw.Workload.marginals(DOMAIN, columns=["age"]), InputError, "no column 'age'; it has"),
    (lambda: nw.Workload.marginals(DOMAIN, columns=["sex", "sex"]), InputError, "named twice"),
    (lambda: nw.Workload.marginals(nw.Counts(3)), SpaceError, "Records"),  # pyright: ignore[reportArgumentType]
    (lambda: nw.Workload.prefixes(DOMAIN, "job"), SpaceError, "'job' has no order"),
    (lambda: nw.Workload.ranges(DOMAIN, "kids", [(2, 1)]), InputError, "ends before it begins"),
    (lambda: nw.Workload.ranges(DOMAIN, "kids", [(2, 9)]), OutsideSpaceError, "not a point"),
    (lambda: nw.Workload.conjunctions(DOMAIN, [{}]), InputError, "one condition at least"),
    (
        lambda: nw.Workload.marginals(DOMAIN) + nw.Workload.marginals(nw.Records(a=nw.Counts(1))),
        SpaceError,
        "only on one domain",
    ),
    (lambda: nw.Workload.marginals(DOMAIN).answers({"sex": ["F"]}), InputError, "no column 'job'"),
    (
        lambda: nw.Workload.marginals(DOMAIN).answers_of_counts(np.ones(2, dtype=int)),
        InputError,
        "the domain has 30 points",
    ),
    (
        lambda: nw.Workload.marginals(
            nw.Records(a=nw.Counts(9999), b=nw.Counts(9999)), ways=2
        ).answers([]),
        TooLargeError,
        "Use fewer columns",
    ),
    (
        lambda: nw.Workload.ranges(nw.Records(a=nw.Counts(99_999)), "a"),
        TooLargeError,
        "List some",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD)
def test_bad_input(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_an_undeclared_value_is_named_by_its_place() -> None:
    batches = iter([[("F", "cook", 0)] * 3, [("F", "cook", 0), ("F", "spy", 1)]])
    with pytest.raises(OutsideSpaceError, match=r"column 'job' at row 5: the value is") as caught:
        nw.Workload.marginals(DOMAIN).answers(batches)
    assert "spy" not in str(caught.value)
    assert caught.value.row == 4


def test_two_workloads_of_the_same_queries_are_equal() -> None:
    assert nw.Workload.marginals(DOMAIN, ways=2) == nw.Workload.marginals(DOMAIN, ways=2)
    assert repr(CASES["ranges"][0]).startswith("<workload of 3 queries (ranges) on Records(")
