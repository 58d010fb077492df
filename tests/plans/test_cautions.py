"""What is said before a debit: too large an epsilon, public names, estimates that say nothing."""

from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import PlanWarning

JOB = nw.Column(["nurse", "judge", "clerk"])


def said(columns: dict[str, Any], *, epsilon: Any = 1, rows: int | None = None) -> str:
    return " ".join(nw.Plan(columns, epsilon=epsilon).cautions(rows=rows))


def test_most_plans_need_no_caution() -> None:
    assert said({"job": JOB, "region": "public"}, epsilon=10, rows=10_000) == ""


@pytest.mark.parametrize("epsilon", ["10.001", 12, 1000])
def test_an_epsilon_above_ten_is_weak(epsilon: Any) -> None:
    assert "the guarantee is weak" in said({"job": JOB}, epsilon=epsilon)


@pytest.mark.parametrize("name", ["id", "patient_id", "Email", "full name", "phoneNumber"])
def test_a_public_column_that_looks_like_a_name(name: str) -> None:
    assert f"{name!r} is public" in said({"job": JOB, name: "public"})
    assert said({"job": JOB, name: "drop"}) == ""


@pytest.mark.parametrize(
    "column",
    [
        JOB,
        nw.Column(nw.Counts(500)),
        nw.Column(nw.Interval(0, 100, step=1)),
        nw.Column(nw.Subsets(list("abcdef"), largest=3)),
        nw.Column(nw.Curves(range(4), low=0, high=1)),
    ],
    ids=["labels", "counts", "interval", "sets", "curves"],
)
def test_estimates_that_say_nothing(column: nw.Column) -> None:
    assert "say little or nothing about x" in said({"x": column}, epsilon="0.01", rows=50)
    assert said({"x": column}, epsilon=8, rows=100_000) == ""
    words = " ".join(nw.Plan({"x": column}, epsilon="0.01").words(rows=50))
    assert "says little or nothing" in words


def test_a_release_says_it_before_the_debit() -> None:
    plan = nw.Plan({"job": JOB}, epsilon="0.01")
    with pytest.warns(PlanWarning, match="will say little or nothing about job"):
        nw.release({"job": ["nurse"] * 9}, plan, ledger=None)
