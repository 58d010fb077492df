"""Certificates of questions that were written by hand, so that a sentence would be false."""

from typing import Any

import pytest

from tests.certificates.handmade import load_checker, sealed

TABLE = {"rows": "table", "table": "people", "person": ""}
X = ["column", "x"]
YES = ["column", "yes"]


def total_of(node: Any, low: int, high: int) -> dict[str, Any]:
    """A sum of an expression with noise for a range, which is proven only if it has that range."""
    return sealed(
        {
            "format": "noisewright-certificate",
            "version": 1,
            "mechanism": {
                "form": "query",
                "unit": "epsilon",
                "total": "1",
                "columns": {"x": ["0", "10"], "yes": ["0", "1"]},
                "measurements": [
                    {
                        "what": "a sum",
                        "rows": TABLE,
                        "by": [],
                        "adds": {"kind": "moments", "of": node, "degree": 1, "gaps": "no"},
                        "noise": {"kind": "geometric", "decay": f"1/{high - low}"},
                        "amount": "1",
                    }
                ],
            },
            "neighbors": {"relation": "one person", "change": "add or remove"},
            "claims": {"epsilon": {"value": "1"}, "delta": "0", "properties": []},
            "made_by": "hand",
        }
    )


@pytest.mark.parametrize(
    ("node", "low", "high"),
    [
        (X, 0, 10),
        (["look up", "0", "1", "3", "0", "0", "1", "7", X], 3, 7),
        (["not", YES], 0, 1),
        (["choose", YES, X, ["literal", "-5"]], -5, 10),
        (["and", YES, ["equal", X, ["literal", "3"]]], 0, 1),
    ],
)
def test_ranges_are_proven(node: Any, low: int, high: int) -> None:
    checker = load_checker()
    assert checker.check(total_of(node, low, high)).holds
    if high - low > 1:
        assert not checker.check(total_of(node, low, high - 1)).holds


@pytest.mark.parametrize(
    "node",
    [
        # A value that is marked as neither known nor missing could be read as either.
        ["look up", "0", "1", "0", "1", "1", "2", "1000000", X],
        ["look up", "0", "1", "0", "1", "1", "-1", "1000000", X],
        ["look up", "0", "1", "0", "1", "1", "0", "1000000", X],
        # An engine that computes 1 − x, or bits, goes beyond 0 and 1 where x is no truth value.
        ["not", X],
        ["and", X, X],
        ["or", YES, X],
        ["choose", X, YES, YES],
    ],
)
def test_expressions_that_could_be_read_in_two_ways_are_refused(node: Any) -> None:
    assert not load_checker().check(total_of(node, 0, 1)).holds


def counted(rows: Any, decay: str, change: str = "add or remove", kind: str = "geometric") -> Any:
    """A count by a yes or no, of rows that may be repeated."""
    document = total_of(X, 0, 10)
    mechanism = document["mechanism"]
    mechanism["columns"]["match"] = ["0", "2"]
    noise = {"kind": kind, "decay": decay, **({"cells": 3} if kind == "balanced" else {})}
    mechanism["measurements"][0] |= {"rows": rows, "by": [YES], "adds": {"kind": "rows"}}
    mechanism["measurements"][0]["noise"] = noise
    document["neighbors"]["change"] = change
    return sealed(document)


def repeated(of: Any, times: int = 3, column: str = "match") -> Any:
    return {"rows": "repeated", "of": of, "times": times, "column": column}


def test_repeated_rows_count_as_often_as_they_are_there() -> None:
    check = load_checker().check
    people = {"rows": "limit", "of": {**TABLE, "person": "id"}, "rows_each": 2}
    assert check(counted(repeated(TABLE), "1/3")).holds
    assert not check(counted(repeated(TABLE), "1/2")).holds
    assert check(counted(repeated(people), "1/6")).holds
    assert not check(counted(repeated(people), "1/5")).holds
    assert check(counted(repeated(repeated(TABLE)), "1/9")).holds
    assert not check(counted(repeated(repeated(TABLE)), "1/8")).holds
    above = {"rows": "limit", "of": repeated(people), "rows_each": 4}
    assert check(counted(above, "1/4")).holds
    assert not check(counted(above, "1/3")).holds


def test_repeated_rows_are_refused_where_nothing_proves_how_many_there_are() -> None:
    check = load_checker().check
    for rows in (
        repeated(TABLE, 0),
        repeated(TABLE, 4),
        repeated(TABLE, 3, "yes"),
        repeated(TABLE, 3, "nothing"),
        repeated({**TABLE, "person": "id"}),
        # Nobody's rows are told apart where each row is a person.
        {"rows": "limit", "of": repeated(TABLE), "rows_each": 1},
    ):
        assert not check(counted(rows, "1/1000")).holds
    assert check(counted(TABLE, "1/2", "replace", "balanced")).holds
    assert not check(counted(repeated(TABLE), "1/2", "replace", "balanced")).holds
    assert not check(counted(repeated(TABLE), "1/1000", "replace", "balanced")).holds
