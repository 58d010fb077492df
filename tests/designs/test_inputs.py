"""What the user is told about problems that cannot be read, and how quickly."""

import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError, MissingPartError, ParameterError, TooLargeError

EYE = [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"loss": "L7"}, "'L7'.*L0"),
        ({"loss": "L0,-1"}, "whole d"),
        ({"loss": 5}, "name.*matrix.*function"),
        ({"loss": None}, "name.*matrix.*function"),
        ({"loss": [[0]]}, "2 rows.*2 columns"),
        ({"loss": [[0, 1], [1]]}, "2 rows.*2 columns"),
        ({"loss": [[0, -1], [1, 0]]}, "row 0, column 1 is -1"),
        ({"loss": [[0, float("nan")], [1, 0]]}, "finite"),
        ({"loss": np.array([[0, np.inf], [1, 0]])}, "finite"),
        ({"loss": lambda x, y: float("nan")}, "finite"),
        ({"loss": lambda x, y: None}, "NoneType"),
        ({"goal": "best"}, "'best'.*'expected' or 'worst'"),
        ({"properties": "XX"}, "'XX'.*row honesty"),
        ({"properties": 3}, "codes"),
        ({"properties": [None]}, "None"),
        ({"properties": "WH", "outputs": ["a", "b"], "loss": EYE}, "every input must be among"),
        ({"properties": "CM", "outputs": ["a", "b"], "loss": EYE}, "CM need points with an order"),
        ({"properties": "S", "outputs": nw.Counts(2)}, "different ones"),
        ({"properties": "U", "outputs": ["a", "b"], "loss": EYE}, "outputs that are numbers"),
        (
            {"properties": "U", "outputs": nw.Interval(-1, 2, step="3/10"), "loss": "L1"},
            "cannot average to it exactly",
        ),
        ({"prior": [1]}, "2 weights"),
        ({"prior": [1.5, -0.5]}, "at least 0"),
        ({"prior": [1, 1]}, "sums to 2"),
        ({"prior": [0.5, float("nan")]}, "finite"),
        ({"prior": "uniform"}, "list of 2 weights"),
        ({"prior": 3}, "list of 2 weights"),
        ({"prior": {7: 1}}, "names 7"),
        ({"epsilon": 0}, "both 0"),
        ({"epsilon": -1}, "at least 0"),
        ({"epsilon": float("nan")}, "finite"),
        ({"epsilon": None}, "epsilon= or alpha="),
        ({"alpha": "0.5"}, "both"),
        ({"epsilon": None, "alpha": 0}, "alpha is 0"),
        ({"epsilon": None, "alpha": 1}, "both 0"),
        ({"epsilon": None, "alpha": "1.1"}, "must lie in"),
        ({"delta": -0.1}, "between 0 and 1"),
        ({"delta": 1.1}, "between 0 and 1"),
        ({"outputs": 5, "loss": EYE}, "outputs must be"),
        ({"outputs": "ab", "loss": EYE}, "outputs must be"),
        ({"outputs": []}, "at least one"),
        ({"outputs": ["x", "y"], "loss": "L1"}, "number|float"),
        ({"tie_break": "foo", "goal": "worst", "loss": "L1", "properties": "OD"}, "'foo'"),
        ({"tie_break": "foo", "properties": "F"}, "'foo'"),
        ({"epsilon": 0, "delta": 0.1, "properties": "OD"}, "OD.*epsilon=0"),
    ],
)
def test_a_problem_that_cannot_be_read_is_named(keywords: Any, words: str) -> None:
    options: dict[str, Any] = {"epsilon": 1, **keywords}
    with pytest.raises(InputError, match=words):
        nw.design(nw.Counts(1), **options)


@pytest.mark.parametrize("space", [5, "counts", None, nw.Counts])
def test_a_space_is_needed(space: Any) -> None:
    with pytest.raises(ParameterError, match="must be a space"):
        nw.design(space, epsilon=1)


@pytest.mark.parametrize("code", ["RM", "CM", "S", "OD"])
def test_points_without_an_order_have_no_ordered_properties(code: str) -> None:
    with pytest.raises(ParameterError, match=f"{code} need points with an order"):
        nw.design(nw.Categories(["a", "b"]), epsilon=1, properties=code)


@pytest.mark.parametrize(
    ("space", "keywords"),
    [
        (nw.Counts(10**6), {}),
        (nw.Counts(10**6), {"loss": "L1", "properties": "all", "goal": "worst"}),
        (nw.Counts(10**5), {"loss": "L1", "goal": "worst"}),
        (nw.Subsets(range(30), largest=5), {"loss": "distance"}),
        (nw.Subsets(range(8)), {"loss": "L2", "delta": 0.1}),
        (nw.Subsets(range(1000), largest=2), {}),
        (nw.Categories(range(200)), {"prior": [1 / 100] * 100 + [0] * 100}),
        (nw.Interval(0, 1, step="1e-9"), {"loss": "L2"}),
        (nw.Counts(1500), {"loss": "L1", "goal": "worst", "properties": "F"}),
        (nw.Counts(600), {"loss": lambda x, y: (3 * x + 5 * y) % 7, "goal": "worst"}),
    ],
)
def test_too_large_a_problem_is_refused_at_once(space: Any, keywords: Any) -> None:
    with pytest.raises(TooLargeError, match="fewer points"):
        nw.design(space, epsilon=1, **keywords)


def test_without_the_solver_the_way_to_get_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(MissingPartError, match=r"HiGHS.*pip install highspy"):
        nw.design(nw.Counts(3), epsilon=1, loss="L1", goal="worst")
    # Closed forms need no solver.
    assert nw.design(nw.Counts(3), epsilon=1, loss="L1").gap < 1e-9


@pytest.mark.parametrize("keywords", [{}, {"loss": "L1", "goal": "worst"}, {"properties": "all"}])
def test_one_point_is_reported_as_it_is(keywords: Any) -> None:
    found = nw.design(nw.Categories(["only"]), epsilon=1, **keywords)
    assert found.loss == found.bound == 0
    priced = nw.design(nw.Categories(["only"]), epsilon=1, loss=[[3]], properties="all")
    assert priced.loss == priced.bound == 3


@pytest.mark.parametrize("size", ["1e-30", "1e30"])
def test_costs_may_be_of_any_size(size: str) -> None:
    space = nw.Counts(3)
    unit = nw.design(space, epsilon=1, loss="L1", goal="worst", properties="WH")
    scaled = [[abs(x - y) * float(size) for y in range(4)] for x in range(4)]
    found = nw.design(space, epsilon=1, loss=scaled, goal="worst", properties="WH")
    assert found.loss == pytest.approx(unit.loss * float(size), rel=1e-9)
    assert found.gap <= 1e-9


@pytest.mark.parametrize("epsilon", [1e-12, 40, 1000])
def test_extreme_epsilons_give_private_tables_and_true_bounds(epsilon: float) -> None:
    for keywords in ({"properties": "all"}, {"goal": "worst"}):
        found = nw.design(nw.Counts(4), epsilon=epsilon, loss="L1", **keywords)
        assert nw.verify(found.mechanism, epsilon=epsilon).holds
        assert found.exact_bound <= found.exact_loss


@pytest.mark.parametrize("loss", ["L0", "L2"])
def test_a_prior_does_not_change_the_loss_of_the_worst_input(loss: str) -> None:
    asked: Any = {"epsilon": 1, "goal": "worst", "loss": loss}
    with_prior = nw.design(nw.Counts(3), prior={0: "9/10", 3: "1/10"}, **asked)
    assert with_prior.loss == pytest.approx(nw.design(nw.Counts(3), **asked).loss, rel=1e-9)


def test_a_gap_is_relative_unless_the_bound_is_nearly_nothing() -> None:
    found = nw.design(nw.Counts(3), epsilon=1)
    loss = found.exact_loss
    near = replace(found, exact_bound=loss * (1 - Fraction(1, 1000)))
    assert near.gap == pytest.approx(1 / 999)
    for bound in (loss / 10**25, Fraction(0), -loss / 10**25):
        assert replace(found, exact_bound=bound).gap == pytest.approx(float(loss))
    assert replace(found, exact_bound=loss).gap == 0
