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
