"""The stand-alone checker on formulas, rows, columns and structural properties."""

import itertools
import re
from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.certificates.handmade import (
    HALVES,
    LN2,
    certificate,
    columns_of,
    geometric,
    least_delta,
    load_checker,
    parts,
    response,
    rows_of,
    table,
    tables,
    text,
)

checker = load_checker()


def test_geometric_needs_its_parameter_for_each_step() -> None:
    assert checker.check(certificate(geometric(10**6, "1/10"), "adjacent", "1/10"))
    assert checker.check(certificate(geometric(10**6, "1/10"), "replace", "100000"))
    almost = str(Fraction(1, 10) - Fraction(1, 10**50))
    assert parts(checker.check(certificate(geometric(5, "1/10"), "adjacent", almost))) == {
        "epsilon"
    }
    assert parts(checker.check(certificate(geometric(5, "1/10"), "replace", "49/100"))) == {
        "epsilon"
    }
    assert checker.check(certificate(geometric(5, LN2), "replace", {"ln": "32"}))
    assert not checker.check(certificate(geometric(5, LN2), "replace", {"ln": "31999/1000"}))
    assert checker.check(certificate(geometric(8, LN2), "adjacent", "6931471806/10000000000"))
    assert not checker.check(certificate(geometric(8, LN2), "adjacent", "6931471805/10000000000"))
    assert checker.check(certificate(geometric(8, "0"), "adjacent", "0", "1/2"))


def test_geometric_is_the_formula_that_the_schema_states() -> None:
    """For t = 1/2 and n = 3 the formula is a table; neighbors differ by a factor of 2 at most."""
    t, n = Fraction(1, 2), 3
    inside, ends = (1 - t) / (1 + t), 1 / (1 + t)
    rows = [
        [t ** abs(i - j) * (ends if i in (0, n) else inside) for i in range(n + 1)]
        for j in range(n + 1)
    ]
    assert all(sum(row) == 1 for row in rows)
    ratios = [p / q for x, z in itertools.pairwise(rows) for p, q in zip(x, z, strict=True)]
    assert {max(r, 1 / r) for r in ratios} == {Fraction(2)}


@pytest.mark.parametrize(
    "mechanism",
    [
        geometric(0, "1"),
        geometric(4, {"ln": "infinity"}),
        {**geometric(4, "1"), "outputs": {"kind": "counts", "n": 5}},
        {**geometric(4, "1"), "inputs": {"kind": "size", "size": 5}},
        geometric(2**60, LN2),
    ],
)
def test_geometric_is_refused_where_the_formula_is_not_meant(mechanism: Any) -> None:
    assert parts(checker.check(certificate(mechanism, "replace", "5"))) == {"mechanism"}


@settings(max_examples=200, deadline=None)
@given(size=st.integers(2, 6), keep=st.integers(0, 64), ratio=st.fractions(1, 40))
def test_response_agrees_with_its_table(size: int, keep: int, ratio: Fraction) -> None:
    total, other = size * 64, 64 - keep
    rows = [[other + keep * size * (x == y) for y in range(size)] for x in range(size)]
    assert {sum(row) for row in rows} == {total}
    truth = least_delta(rows, total, itertools.combinations(range(size), 2), ratio)
    claim = {"ln": str(ratio)}
    assert checker.check(certificate(response(size, keep, 6), "replace", claim, str(truth)))
    if truth:
        less = str(truth - Fraction(1, 10**30))
        report = checker.check(certificate(response(size, keep, 6), "adjacent", claim, less))
        assert parts(report) <= {"epsilon", "delta"}
        assert not report


def test_response_keeps_no_more_than_always() -> None:
    assert parts(checker.check(certificate(response(3, 65, 6), "replace", "9"))) == {"mechanism"}
    huge = response(3, 1, 2**60)
    assert parts(checker.check(certificate(huge, "replace", "9"))) == {"mechanism"}
    assert checker.check(certificate(response(1, 64, 6), "replace", "0"))


def test_rows_have_the_guarantee_of_one_row() -> None:
    inner = rows_of(1000, table(HALVES, 4), "adjacent")
    assert checker.check(certificate(inner, "one row", LN2))
    assert parts(checker.check(certificate(inner, "one row", "69/100"))) == {"epsilon"}
    assert parts(checker.check(certificate(inner, "replace", LN2))) == {"neighbors"}
    assert parts(checker.check(certificate(table(HALVES, 4), "one row", LN2))) == {"neighbors"}
    none = rows_of(0, table(HALVES, 4), "adjacent")
    assert parts(checker.check(certificate(none, "one row", LN2))) == {"mechanism"}


def test_columns_add_up_exactly_also_when_kinds_of_epsilon_mix() -> None:
    job = ("job", table(HALVES, 4), LN2, "0")
    age = ("age", geometric(3, "1/6"), "1/2", "1/10")
    both = columns_of(job, age)
    with localcontext() as context:
        context.prec = 60
        tight = Fraction(Decimal(2).ln()) + Fraction(1, 2)
    tiny = Fraction(1, 10**40)
    assert checker.check(certificate(both, "replace", tight + tiny, "1/10"))
    assert parts(checker.check(certificate(both, "replace", tight - tiny, "1/10"))) == {"epsilon"}
    assert parts(checker.check(certificate(both, "replace", "2", "99/1000"))) == {"delta"}
    twice = columns_of(job, ("again", table(HALVES, 4), LN2, "0"))
    assert checker.check(certificate(twice, "replace", {"ln": "4"}))
    assert not checker.check(certificate(twice, "replace", {"ln": "3999/1000"}))
    inside = rows_of(7, both, "replace")
    assert checker.check(certificate(inside, "one row", "2", "1/10"))


def test_a_false_claim_of_a_column_names_the_column() -> None:
    both = columns_of(
        ("job", table(HALVES, 4), "1/2", "0"), ("age", geometric(3, "1/6"), "1/2", "0")
    )
    report = checker.check(certificate(both, "replace", "2"))
    assert parts(report) == {'"job": epsilon'}


def test_the_name_of_a_column_cannot_pretend_to_be_an_answer() -> None:
    name = "age\n  \x1b[2Jall of it: proven"
    report = checker.check(
        certificate(columns_of((name, table(HALVES, 4), LN2, "0")), "replace", "2")
    )
    assert report
    assert not re.search(r"[\x00-\x1f]", "".join(report.proved))


def test_columns_need_names_that_differ_and_replace() -> None:
    job = ("job", table(HALVES, 4), LN2, "0")
    assert parts(checker.check(certificate(columns_of(job, job), "replace", "2"))) == {"mechanism"}
    assert parts(checker.check(certificate(columns_of(), "replace", "2"))) == {"mechanism"}
    assert parts(checker.check(certificate(columns_of(job), "adjacent", "2"))) == {"neighbors"}
    adjacent = columns_of(job)
    adjacent["columns"][0]["neighbors"] = {"relation": "adjacent"}
    assert parts(checker.check(certificate(adjacent, "replace", "2"))) == {"neighbors"}


def test_infinity_promises_nothing_and_holds() -> None:
    zeros = table([[16, 0], [0, 16]], 4)
    forever = {"ln": "infinity"}
    for report in (
        checker.check(certificate(zeros, "replace", forever)),
        checker.check(certificate(zeros, "replace", "1", "1")),
        checker.check(certificate(columns_of(("a", zeros, forever, "0")), "replace", forever)),
    ):
        assert report
        assert "promises: nothing" in report.proved[-1]
    one = columns_of(("a", zeros, forever, "0"))
    assert parts(checker.check(certificate(one, "replace", "5"))) == {"epsilon"}


def has(code: str, rows: list[list[int]], total: int) -> bool:
    """The definitions, word by word: i output, j input, P(i|j) = rows[j][i]."""
    points = range(len(rows))
    n = len(rows) - 1

    def falls(line: list[int], peak: int) -> bool:
        left, right = line[: peak + 1], line[peak:]
        return left == sorted(left) and right == sorted(right, reverse=True)

    by_output = [list(column) for column in zip(*rows, strict=True)]
    return {
        "RH": all(rows[i][i] >= rows[j][i] for i in points for j in points),
        "RM": all(falls(by_output[i], i) for i in points),
        "CH": all(rows[j][j] >= rows[j][i] for i in points for j in points),
        "CM": all(falls(rows[j], j) for j in points),
        "F": len({rows[i][i] for i in points}) == 1,
        "WH": all(Fraction(rows[i][i], total) >= Fraction(1, n + 1) for i in points),
        "S": all(rows[j][i] == rows[n - j][n - i] for i in points for j in points),
    }[code]


CODES = ("RH", "RM", "CH", "CM", "F", "WH", "S")


def orderly() -> Iterator[tuple[list[list[int]], int]]:
    yield HALVES, 4
    yield [[8, 6, 2], [6, 4, 6], [2, 6, 8]], 4
    yield [[10, 4, 2], [3, 10, 3], [2, 4, 10]], 4


@settings(max_examples=300, deadline=None)
@given(made=st.one_of(tables(square=True), st.sampled_from(list(orderly()))))
def test_properties_hold_as_defined(made: Any) -> None:
    rows, k = made
    for code in CODES:
        claim = certificate(table(rows, k), "adjacent", {"ln": "infinity"}, "0", [code])
        report = checker.check(claim)
        assert report.holds == has(code, rows, 2**k)
        assert parts(report) <= {f"property {code}"}


def test_a_false_property_names_its_entries() -> None:
    rows = [[8, 4, 4], [4, 8, 4], [5, 3, 8]]
    report = checker.check(certificate(table(rows, 4), "adjacent", "2", "0", ["RM"]))
    assert parts(report) == {"property RM"}
    assert "P(0 | 1) = 0.25 is below 0.3125 = P(0 | 2)" in text(report)


def test_an_order_is_asked_for_where_the_property_is_about_order() -> None:
    points = {"kind": "labels", "labels": ["a", "b", "c"]}
    named = table(HALVES, 4, points, points)
    for code in CODES:
        report = checker.check(certificate(named, "replace", LN2, "0", [code]))
        assert report.holds == (code not in ("RM", "CM", "S"))
    grid = {"kind": "grid", "low": "-1/2", "high": "1/2", "step": "1/2"}
    on_grid = table(HALVES, 4, grid, grid)
    assert checker.check(certificate(on_grid, "replace", LN2, "0", CODES))
    other = table(HALVES, 4, grid)
    assert parts(checker.check(certificate(other, "replace", LN2, "0", ["F"]))) == {"property F"}
    assert parts(checker.check(certificate(geometric(3, "1"), "adjacent", "1", "0", ["S"]))) == {
        "claims"
    }
