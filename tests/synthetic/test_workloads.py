"""Workloads: every kind of query against a count row by row, on every kind of table."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.errors import InputError, TooLargeError

POINTS: dict[str, list[Any]] = {
    "sex": ["F", "M"],
    "job": ["clerk", "cook", "judge"],
    "kids": [0, 1, 2, 3, 4],
    "pay": [0.0, 0.5, 1.0],
}
DOMAIN = nw.Records(
    sex=nw.Categories(POINTS["sex"]),
    job=nw.Categories(POINTS["job"]),
    kids=nw.Counts(4),
    pay=nw.Interval(0, 1, step="1/2"),
)
RECORDS = st.lists(
    st.fixed_dictionaries({name: st.sampled_from(points) for name, points in POINTS.items()}),
    max_size=30,
)

Record = dict[str, Any]
Test = Callable[[Record], bool]


def cells(*names: str) -> list[Test]:
    """Each cell of a marginal as a test of one record, in order."""
    return [
        lambda r, cell=cell: tuple(r[name] for name in names) == cell
        for cell in product(*(POINTS[name] for name in names))
    ]


CASES: dict[str, tuple[nw.workloads.Workload, list[Test]]] = {
    "one-way": (
        nw.workloads.Workload.marginals(DOMAIN),
        [*cells("sex"), *cells("job"), *cells("kids"), *cells("pay")],
    ),
    "two-way": (
        nw.workloads.Workload.marginals(DOMAIN, ways=2, columns=["sex", "job", "kids"]),
        [*cells("sex", "job"), *cells("sex", "kids"), *cells("job", "kids")],
    ),
    "three-way, in another order": (
        nw.workloads.Workload.marginals(DOMAIN, ways=3, columns=["pay", "sex", "job"]),
        cells("pay", "sex", "job"),
    ),
    "several sizes": (
        nw.workloads.Workload.marginals(DOMAIN, ways=[2, 1], columns=["pay", "sex"]),
        [*cells("pay", "sex"), *cells("pay"), *cells("sex")],
    ),
    "all columns": (nw.workloads.Workload.marginals(DOMAIN, ways=4), cells(*POINTS)),
    "prefixes": (
        nw.workloads.Workload.prefixes(DOMAIN, "kids"),
        [lambda r, v=v: r["kids"] <= v for v in range(4)],
    ),
    "prefixes of two": (
        nw.workloads.Workload.prefixes(DOMAIN, ["kids", "pay"]),
        [
            lambda r, v=v, w=w: r["kids"] <= v and r["pay"] <= w
            for v in range(5)
            for w in POINTS["pay"]
        ][:-1],
    ),
    "ranges": (
        nw.workloads.Workload.ranges(DOMAIN, "kids", [(1, 2), (0, 4), (3, 3)]),
        [lambda r: 1 <= r["kids"] <= 2, lambda r: True, lambda r: r["kids"] == 3],
    ),
    "all ranges": (
        nw.workloads.Workload.ranges(DOMAIN, "kids"),
        [lambda r, a=a, b=b: a <= r["kids"] <= b for a in range(5) for b in range(a, 5)],
    ),
    "boxes": (
        nw.workloads.Workload.ranges(
            DOMAIN, ["pay", "kids"], [[(0, 0.5), (1, 3)], [("1/2", 1), (0, 0)], [(0, 1), (2, 4)]]
        ),
        [
            lambda r: r["pay"] <= 0.5 and 1 <= r["kids"] <= 3,
            lambda r: r["pay"] >= 0.5 and r["kids"] == 0,
            lambda r: r["kids"] >= 2,
        ],
    ),
    "all boxes": (
        nw.workloads.Workload.ranges(DOMAIN, ["kids", "pay"]),
        [
            lambda r, a=a, b=b, c=c, d=d: a <= r["kids"] <= b and c <= r["pay"] <= d
            for a in range(5)
            for b in range(a, 5)
            for c in POINTS["pay"]
            for d in POINTS["pay"]
            if c <= d
        ],
    ),
    "conjunctions": (
        nw.workloads.Workload.conjunctions(
            DOMAIN,
            [
                {"sex": "F", "kids": {0, 1}},
                {"job": ["cook", "judge"]},
                {"kids": {"at_least": 1, "at_most": 3}, "sex": "M", "pay": {"at_most": 0.5}},
                {"kids": {"at_least": 2}, "job": {"not": "cook"}},
                {"kids": {"not": [0, 4]}},
            ],
        ),
        [
            lambda r: r["sex"] == "F" and r["kids"] in (0, 1),
            lambda r: r["job"] != "clerk",
            lambda r: 1 <= r["kids"] <= 3 and r["sex"] == "M" and r["pay"] <= 0.5,
            lambda r: r["kids"] >= 2 and r["job"] != "cook",
            lambda r: 0 < r["kids"] < 4,
        ],
    ),
    "predicates": (
        nw.workloads.Workload.predicates(
            DOMAIN,
            {
                "odd": lambda kids, sex: kids % 2 == 1,
                "M0": lambda kids, sex: (sex, kids) == ("M", 0),
            },
            columns=["kids", "sex"],
        ),
        [lambda r: r["kids"] % 2 == 1, lambda r: (r["sex"], r["kids"]) == ("M", 0)],
    ),
    "vectorized predicates": (
        nw.workloads.Workload.predicates(
            DOMAIN,
            {
                "rich": lambda pay, job, kids: (pay > kids / 4) & (job != "cook"),
                "all": lambda pay, job, kids: np.full(pay.shape, True),
            },
            columns=["pay", "job", "kids"],
            vectorized=True,
        ),
        [lambda r: r["pay"] > r["kids"] / 4 and r["job"] != "cook", lambda r: True],
    ),
}


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=15)
@given(records=RECORDS)
def test_counts_row_by_row(name: str, records: list[Record]) -> None:
    workload, tests = CASES[name]
    expected = [sum(test(record) for record in records) for test in tests]
    answers = workload.answers(records)
    assert answers.counts.tolist() == expected
    assert answers.rows == len(records)
    assert workload.queries == len(tests) == len(workload.labels())
    counts = np.bincount([DOMAIN.code(record) for record in records], minlength=DOMAIN.size)
    assert workload.answers_of_counts(counts).counts.tolist() == expected


CONDITIONS: dict[str, st.SearchStrategy[tuple[Any, list[Any]]]] = {
    name: st.one_of(
        st.sampled_from(points).map(lambda v: (v, [v])),
        st.lists(st.sampled_from(points), min_size=1, unique=True).map(lambda v: (v, v)),
        st.lists(st.sampled_from(points), min_size=1, max_size=len(points) - 1, unique=True).map(
            lambda v, points=points: ({"not": v}, [p for p in points if p not in v])
        ),
        *(
            [
                st.lists(st.sampled_from(points), min_size=2, max_size=2).map(
                    lambda v, points=points: (
                        {"at_least": min(v), "at_most": max(v)},
                        [p for p in points if min(v) <= p <= max(v)],
                    )
                )
            ]
            if name in ("kids", "pay")
            else []
        ),
    )
    for name, points in POINTS.items()
}


@settings(max_examples=60)
@given(st.data())
def test_random_workloads_row_by_row(data: st.DataObject) -> None:
    """Conjunctions of random conditions on random columns, among marginals of random columns."""
    records = data.draw(RECORDS)
    workload, tests = nw.workloads.Workload(DOMAIN, ()), list[Test]()
    for _ in range(data.draw(st.integers(1, 4))):
        names = data.draw(st.lists(st.sampled_from(list(POINTS)), min_size=1, unique=True))
        if data.draw(st.booleans()):
            workload += nw.workloads.Workload.marginals(DOMAIN, ways=len(names), columns=names)
            tests += cells(*names)
            continue
        drawn = {name: data.draw(CONDITIONS[name]) for name in names}
        workload += nw.workloads.Workload.conjunctions(
            DOMAIN, [{n: given for n, (given, _) in drawn.items()}]
        )
        tests.append(lambda r, d=drawn: all(r[n] in allowed for n, (_, allowed) in d.items()))
    expected = [sum(test(record) for record in records) for test in tests]
    assert workload.answers(records).counts.tolist() == expected
    assert nw.workloads.Workload.from_toml(workload.to_toml(), DOMAIN) == workload


def table(rows: int) -> dict[str, Any]:
    rng = np.random.default_rng(8)
    return {
        "sex": np.array(["F", "M"])[rng.integers(0, 2, rows)],
        "job": np.array(["clerk", "cook", "judge"])[rng.integers(0, 3, rows)],
        "kids": rng.integers(0, 5, rows),
        "pay": np.array([0, 0.5, 1])[rng.integers(0, 3, rows)],
    }


def test_every_kind_of_table_has_the_same_answers() -> None:
    columns = table(500)
    whole = sum(workload for workload, _ in CASES.values())
    assert isinstance(whole, nw.workloads.Workload)
    expected = whole.answers(columns).counts.tolist()
    arrow = pa.table(columns)
    records = list(zip(*(columns[name].tolist() for name in columns), strict=True))
    encoded = arrow.set_column(1, "job", arrow["job"].dictionary_encode())
    forms: dict[str, Any] = {
        "Arrow table": arrow,
        "Arrow batch": arrow.combine_chunks().to_batches()[0],
        "Arrow dictionaries": encoded,
        "Arrow batches": iter(arrow.to_batches(max_chunksize=99)),
        "Arrow reader": pa.RecordBatchReader.from_batches(
            arrow.schema, arrow.to_batches(max_chunksize=70)
        ),
        "pandas": pd.DataFrame(columns),
        "pandas categories": pd.DataFrame(columns).astype({"job": "category", "sex": object}),
        "pandas, rows in another order": pd.DataFrame(columns).sort_values("job"),
        "Polars": pl.DataFrame(columns),
        "Polars categories": pl.DataFrame(columns).cast({"job": pl.Categorical}),
        "lists": {name: column.tolist() for name, column in columns.items()},
        "records": records,
        "mappings": [dict(zip(columns, record, strict=True)) for record in records],
    }
    for name, form in forms.items():
        assert whole.answers(form).counts.tolist() == expected, name


def test_a_table_is_grouped_once_for_each_set_of_columns() -> None:
    workload = (
        nw.workloads.Workload.prefixes(DOMAIN, "kids")
        + nw.workloads.Workload.ranges(DOMAIN, "kids")
        + nw.workloads.Workload.marginals(DOMAIN)
    )
    assert workload.groupings == (("kids",), ("sex",), ("job",), ("pay",))


def test_labels() -> None:
    named = nw.workloads.Workload.conjunctions(DOMAIN, {"no cooks": {"job": {"not": "cook"}}})
    workload = CASES["ranges"][0] + CASES["conjunctions"][0] + CASES["predicates"][0] + named
    assert workload.labels() == [
        "1 ≤ kids ≤ 2",
        "kids ≤ 4",
        "3 ≤ kids ≤ 3",
        "sex=F, kids ≤ 1",
        "job in (cook, judge)",
        "1 ≤ kids ≤ 3, sex=M, pay ≤ 0.5",
        "2 ≤ kids, job in (clerk, judge)",
        "1 ≤ kids ≤ 3",
        "odd",
        "M0",
        "no cooks",
    ]
    assert nw.workloads.Workload.marginals(DOMAIN, ways=2).labels()[1] == "sex=F, job=cook"
    assert CASES["boxes"][0].labels()[1] == "0.5 ≤ pay, kids ≤ 0"
    assert CASES["prefixes of two"][0].labels()[1] == "kids ≤ 0, pay ≤ 0.5"


def test_answers_as_a_table() -> None:
    workload = nw.workloads.Workload.prefixes(DOMAIN, "pay")
    answers = workload.answers([("F", "cook", 0, 0), ("M", "cook", 0, 0.5), ("M", "cook", 1, 1)])
    rows = [
        {"query": "pay ≤ 0.0", "count": 1, "share": 1 / 3},
        {"query": "pay ≤ 0.5", "count": 2, "share": 2 / 3},
    ]
    assert answers.table().to_pylist() == rows
    assert answers.to_pandas().to_dict("records") == rows


def test_distances_between_answers() -> None:
    workload = nw.workloads.Workload.marginals(DOMAIN, columns=["sex", "job"])
    one = workload.answers(
        [("F", "cook", 0, 0), ("F", "cook", 0, 0), ("M", "judge", 1, 0), ("M", "cook", 1, 0)]
    )
    other = workload.answers([("F", "clerk", 0, 0)])
    apart = one.distance(other)
    assert apart.largest == 1
    assert apart.mean == pytest.approx((0.5 + 0.5 + 1 + 0.75 + 0.25) / 5)
    assert apart.l1 == pytest.approx((1 + 2) / 2)
    assert one.distance(one).largest == 0
    assert str(apart) == "max 1, mean 0.6, L1 1.5"


def test_answers_of_other_queries_are_not_compared() -> None:
    one = nw.workloads.Workload.ranges(DOMAIN, "kids", [(0, 1)]).answers([])
    with pytest.raises(InputError, match="different workloads"):
        one.distance(nw.workloads.Workload.ranges(DOMAIN, "kids", [(0, 2)]).answers([]))


def test_answers_do_not_show_the_data() -> None:
    assert (
        repr(nw.workloads.Workload.marginals(DOMAIN).answers([]))
        == "<answers to 13 queries on 0 rows>"
    )


def test_two_workloads_of_the_same_queries_are_equal() -> None:
    assert nw.workloads.Workload.marginals(DOMAIN, ways=2) == nw.workloads.Workload.marginals(
        DOMAIN, ways=2
    )
    assert repr(CASES["ranges"][0]).startswith("<workload of 3 queries (ranges) on Records(")


def test_a_mapping_declares_the_domain_as_records_do() -> None:
    mapping = {
        "sex": ["F", "M"],
        "job": ("clerk", "cook", "judge"),
        "kids": nw.Counts(4),
        "pay": nw.Interval(0, 1, step="1/2"),
    }
    W = nw.workloads.Workload
    odd: dict[str, Any] = {"odd": lambda kids: kids % 2 == 1}
    assert W.marginals(mapping, ways=2) == W.marginals(DOMAIN, ways=2)
    assert W.prefixes(mapping, "kids") == W.prefixes(DOMAIN, "kids")
    assert W.ranges(mapping, "kids", [(0, 1)]) == W.ranges(DOMAIN, "kids", [(0, 1)])
    assert W.conjunctions(mapping, [{"sex": "F"}]) == W.conjunctions(DOMAIN, [{"sex": "F"}])
    assert W.predicates(mapping, odd, columns=["kids"]) == W.predicates(
        DOMAIN, odd, columns=["kids"]
    )
    text = W.prefixes(DOMAIN, "kids").to_toml()
    assert W.from_toml(text, mapping) == W.from_toml(text, DOMAIN)


def test_more_tables_than_anyone_reads_are_refused_before_they_are_listed() -> None:
    domain = nw.Records({f"c{place}": nw.Counts(1) for place in range(200)})
    with pytest.raises(TooLargeError, match="1,313,400 tables of up to 3 columns") as refused:
        nw.workloads.Workload.marginals(domain, ways=3)
    assert refused.value.size == 1_313_400
    assert len(nw.workloads.Workload.marginals(domain, ways=2).parts) == 19_900
