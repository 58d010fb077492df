"""The checker's own cost of contrasts, against the plan's; and whole certificates of plans."""

import copy
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from noisewright.certificates import certify_query
from noisewright.errors import CertificateError
from noisewright.queries.planning import contrast_cost as costs
from noisewright.queries.planning.attribute import Attribute
from noisewright.queries.planning.contrast_cost import Neighbors
from noisewright.queries.planning.plan_tables import plan_tables
from noisewright.queries.planning.question_parts import TableQuestion
from noisewright.synthetic import RunBudget
from tests.certificates.handmade import load_checker

checker: Any = load_checker().contrasts
NotProven: Any = load_checker().report.NotProvenError

TREES = [(2,), (3,), (7,), (2, 2), (2, 3), (3, 2, 2), ()]


def cost(trees: Any, parts: Any, sizes: Any, rows: int = 1, change: str = "replace") -> Fraction:
    return checker.cost_of_contrasts(trees, parts, sizes, rows, change, "noise")


@given(
    trees=st.lists(st.sampled_from(TREES), min_size=1, max_size=4),
    rows=st.integers(1, 3),
    change=st.sampled_from(["replace", "add or remove"]),
    few=st.booleans(),
    data=st.data(),
)
@settings(max_examples=150, deadline=None)
def test_both_find_the_same_cost(
    trees: list[tuple[int, ...]], rows: int, change: Any, few: bool, data: st.DataObject
) -> None:
    axes = [Attribute(str(k), 1, tree) for k, tree in enumerate(trees)]
    levels = list(product(*(range(axis.height + 1) for axis in axes)))
    chosen = data.draw(st.lists(st.sampled_from(levels), min_size=1, max_size=12, unique=True))
    precisions = {part: Fraction(data.draw(st.integers(1, 999)), 64) for part in chosen}
    parts = [{"levels": list(part), "precision": str(p)} for part, p in precisions.items()]
    with pytest.MonkeyPatch.context() as patch:
        if few:
            patch.setattr(costs, "MOST_PAIRS", 1)
            patch.setattr(checker, "_MOST_PAIRS", 1)
        expected = costs.contrast_cost(axes, precisions, Neighbors(change, rows))
        sizes = [axis.widths[-1] for axis in axes]
        assert cost([list(t) for t in trees], parts, sizes, rows, change) == expected


GOOD = [{"levels": [1, 0], "precision": "1/4"}, {"levels": [1, 1], "precision": "3"}]


@pytest.mark.parametrize(
    ("trees", "parts", "told"),
    [
        ([[3]], GOOD, "1 trees; need 2"),
        ([[3], [1, 5]], GOOD, "need 5 cells"),
        ([[3], [2, 2]], GOOD, "need 5 cells"),
        ([[3], "5"], GOOD, "need 5 cells"),
        ([[3], [True, 5]], GOOD, "need 5 cells"),
        ([[3], [2] * 300], GOOD, "301 levels"),
        ([[3], [5]], [], "0 parts"),
        ([[3], [5]], [GOOD[0], GOOD[0]], "there twice"),
        ([[3], [5]], [{"levels": [1, 2], "precision": "1"}], "one of each tree"),
        ([[3], [5]], [{"levels": [1], "precision": "1"}], "one of each tree"),
        ([[3], [5]], [{"levels": [1, -1], "precision": "1"}], "one of each tree"),
        ([[3], [5]], [{"levels": [1, 1], "precision": "0"}], "above 0"),
        ([[3], [5]], [{"levels": [1, 1], "precision": "-1"}], "above 0"),
        ([[3], [5]], [{"levels": [1, 1], "precision": "1/3"}], "power of two"),
        ([[3], [5]], [{"levels": [1, 1], "precision": 1}], "precision: fraction"),
    ],
)
def test_what_is_not_of_the_form_is_refused(trees: Any, parts: Any, told: str) -> None:
    assert cost([[3], [5]], GOOD, [3, 5]) > 0
    with pytest.raises(NotProven, match=told):
        cost(trees, parts, [3, 5])


SIZES = {"a": 3, "b": 2, "c": 7}
BUDGET = RunBudget.of(1, "1e-6")


def certified(noise: Any, rows: Any, change: Any, **fields: Any) -> Any:
    measurement = {
        "what": "many tables",
        "rows": rows,
        "by": [["column", name] for name in SIZES],
        "adds": {"kind": "rows"},
        "noise": noise,
        "amount": str(BUDGET.total),
        **fields,
    }
    return certify_query(
        [measurement],
        columns={name: ["1", str(size)] for name, size in SIZES.items()},
        unit="rho",
        total=BUDGET.total,
        guarantee=BUDGET.guarantee,
        change=change,
    )


EACH = {"rows": "table", "table": "people", "person": ""}
SOME = {"rows": "limit", "rows_each": 3, "of": {"rows": "table", "table": "visits", "person": "id"}}


@pytest.mark.parametrize("change", ["replace", "add or remove"])
@pytest.mark.parametrize(("rows", "most"), [(EACH, 1), (SOME, 3)])
def test_a_plan_is_certified_to_the_last_bit(rows: Any, most: int, change: Any) -> None:
    questions = [TableQuestion(pair) for pair in combinations(SIZES, 2)]
    questions.append(TableQuestion(("c",), 1.0, ("prefixes",)))
    strategy = plan_tables(
        SIZES,
        questions,
        budget=BUDGET.total,
        unit="rho",
        neighbors=Neighbors(change, most),
    )
    noise = strategy.describe_contrasts()
    certified(noise, rows, change)
    # One more row of a person, or a little more precision, is too much.
    with pytest.raises(CertificateError, match="its part is less"):
        certified(noise, {**SOME, "rows_each": most + 1}, change)
    for place in range(len(noise["parts"])):
        more = copy.deepcopy(noise)
        part = more["parts"][place]
        part["precision"] = str(Fraction(part["precision"]) * (1 + Fraction(1, 1 << 20)))
        if change == "add or remove":
            with pytest.raises(CertificateError, match="its part is less"):
                certified(more, rows, change)
    with pytest.raises(CertificateError, match="counts of rows"):
        certified(noise, rows, change, adds={"kind": "distinct", "of": ["column", "a"]})
