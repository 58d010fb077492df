"""Designs on the subsets of many items: a formula, proven and drawn without a table."""

import math
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.designs.closed_forms.sets import best_flips, bound_with_delta, named_costs
from noisewright.mechanisms import Guarantee, SetFlips, two_levels


def by_sizes(items: int, epsilon: float) -> float:
    """The least expected distance, by trying every threshold in doubles."""
    counts = [math.comb(items, j) / 2**items for j in range(items + 1)]
    best = math.inf
    for t in range(items + 1):
        weights = [n * (math.exp(epsilon) if j <= t else 1) for j, n in enumerate(counts)]
        best = min(best, sum(j * w for j, w in enumerate(weights)) / sum(weights))
    return best


@pytest.mark.parametrize("items", [9, 20, 100, 500])
@pytest.mark.parametrize("epsilon", [0.1, 1, 5])
def test_many_items(items: int, epsilon: float) -> None:
    found = nw.design(nw.Subsets(range(items)), epsilon=epsilon, loss="distance")
    assert isinstance(found.mechanism, SetFlips)
    assert found.loss == pytest.approx(by_sizes(items, epsilon), rel=1e-9)
    assert found.gap < 1e-15
    assert nw.verify(found.mechanism, epsilon=epsilon)
    assert nw.tight_epsilon(found.mechanism) == pytest.approx(epsilon, rel=1e-12)
    # Each item is wrong as often as any other.
    assert float(found.mechanism.absent) == pytest.approx(found.loss / items, rel=1e-12)
    assert found.mechanism.present == 1 - found.mechanism.absent


@pytest.mark.parametrize("loss", ["L0", "L1", "L2", "L0,2", "distance"])
def test_table_and_formula_are_the_same_design(loss: str) -> None:
    space = nw.Subsets(range(5))
    table = nw.design(space, epsilon=1, loss=loss, goal="worst")
    formula = best_flips(space, nw.accounting.Guarantee(1), named_costs(loss, space))
    assert formula is not None
    mechanism, paid, bound, _ = formula
    assert mechanism.table().matrix == pytest.approx(table.mechanism.matrix, abs=1e-15)
    assert float(paid) == pytest.approx(table.loss, rel=1e-15)
    assert float(bound) == pytest.approx(table.bound, rel=1e-15)


def test_the_table_is_the_formula() -> None:
    space = nw.Subsets(["a", "b", "c", "d"])
    mechanism = two_levels(space, nw.accounting.Guarantee(1), {0, 1})
    table = mechanism.table()
    for x in range(16):
        for y in range(16):
            assert Fraction(table.weights[x, y], table.total) == mechanism.probability(x, y)
    refuted = nw.verify(mechanism, epsilon=0.99)
    assert refuted.witness is not None
    assert refuted.witness.p / refuted.witness.q == mechanism.tight_ratio()
    for epsilon in (0, 0.5, nw.accounting.Epsilon.log(Fraction(2)), 0.999, 1):
        assert nw.tight_delta(mechanism, epsilon=epsilon) == nw.tight_delta(table, epsilon=epsilon)
    for delta in (0.01, "1/7"):
        assert nw.tight_epsilon(mechanism, delta=delta) == nw.tight_epsilon(table, delta=delta)


def test_the_privacy_curve_of_many_items() -> None:
    mechanism = nw.design(nw.Subsets(range(40)), epsilon=1, loss="distance").mechanism
    # The two levels e apart: δ at ε is the likely share that is nowhere likely for the opposite.
    assert nw.tight_delta(mechanism, epsilon=1) == 0
    assert 0 < nw.tight_delta(mechanism, epsilon=0.5) < nw.tight_delta(mechanism, epsilon=0.25) < 1
    delta = nw.tight_delta(mechanism, epsilon=0.5)
    assert nw.verify(mechanism, epsilon=0.5, delta=delta)
    assert not nw.verify(mechanism, epsilon=0.5, delta=delta * 0.999999)
    large = nw.design(nw.Subsets(range(400)), epsilon=1, loss="distance").mechanism
    with pytest.raises(nw.errors.TooLargeError, match="Ask at delta=0"):
        nw.tight_delta(large, epsilon=0.5)


@pytest.mark.parametrize("items", [9, 25])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.3, 0.001), (1, "1/10"), (4, 0.5)])
def test_many_items_with_a_delta(items: int, epsilon: float, delta: Any) -> None:
    found = nw.design(nw.Subsets(range(items)), epsilon=epsilon, delta=delta, loss="distance")
    share = 1 - float(Fraction(delta))
    assert found.loss == pytest.approx(share * by_sizes(items, epsilon), rel=1e-9)
    assert 0 <= found.gap < 1e-9
    assert nw.verify(found.mechanism, epsilon=epsilon, delta=delta)
    assert nw.tight_delta(found.mechanism, epsilon=epsilon) == pytest.approx(1 - share, rel=1e-9)


def test_the_bound_holds_for_any_loss() -> None:
    """They prove a bound for losses too for which the truth and two levels are not the best."""
    space = nw.Subsets(range(3))
    claim = nw.accounting.Guarantee(1, "1/10")
    for costs in ([0, 1, 4, 9], [0, 0, 1, 1], [0, 3, 1, 2], [1, 0, 0, 5]):
        truth = nw.design(
            space, epsilon=1, delta="1/10", loss=lambda x, y, costs=costs: costs[len(x ^ y)]
        )
        assert float(bound_with_delta(costs, claim)) <= truth.loss * (1 + 1e-12)


def test_how_often_items_are_flipped_together() -> None:
    mechanism = two_levels(nw.Subsets(range(5)), nw.accounting.Guarantee(2), {0, 1, 2})
    for count in range(6):
        given = (1 << count) - 1
        direct = sum(mechanism.probability(0, y) for y in range(32) if y & given == given)
        assert mechanism.flipped_together(count) == direct
    assert mechanism.absent == mechanism.flipped_together(1)


def test_sets_come_back_in_the_form_in_which_they_came() -> None:
    sure = nw.design(nw.Subsets(list("abcdefghij")), epsilon=200, loss="distance").mechanism
    assert isinstance(sure, SetFlips)
    lists = [["a"], [], ["c", "j"]]
    assert sure.sample([set(one) for one in lists]) == [set(one) for one in lists]
    assert sure.sample(pa.array(lists)).to_pylist() == lists


def test_other_problems_are_left_to_the_program() -> None:
    space = nw.Subsets(["a", "b", "c"])
    for keywords in (
        {"prior": [Fraction(1, 16)] * 4 + [Fraction(3, 16)] * 4},
        {"delta": 0.1, "loss": "L2"},
        {"delta": 0.1, "epsilon": 0},
        {"loss": lambda x, y: len(x - y) + 2 * len(y - x)},
        {"outputs": nw.Subsets(["a", "b", "c"], largest=2), "loss": lambda x, y: len(x ^ y)},
    ):
        options: dict[str, Any] = {"loss": "distance", "epsilon": 1, **keywords}
        assert "linear program" in nw.design(space, **options).route


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"properties": "F"}, "structural properties"),
        ({"prior": [1]}, "fewer points"),
        ({"delta": 0.1, "loss": "L2"}, "fewer points"),
        ({"loss": "L7"}, "one of 'L0'"),
        ({"loss": lambda x, y: 0}, "fewer points"),
        ({"goal": "mean"}, "'expected' or 'worst'"),
    ],
)
def test_what_many_items_cannot_be_asked(keywords: dict[str, Any], says: str) -> None:
    options: dict[str, Any] = {"loss": "distance", **keywords}
    with pytest.raises(nw.errors.NoisewrightError, match=says):
        nw.design(nw.Subsets(range(20)), epsilon=1, **options)


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda space: SetFlips(space, (1, 1), 2, Guarantee(1)), "one positive level"),
        (lambda space: SetFlips(space, (2, 0, 2), 2, Guarantee(1)), "one positive level"),
        (lambda space: SetFlips(space, (1, 1, 2), 2, Guarantee(1)), "sum to exactly"),
        (
            lambda space: SetFlips(nw.Subsets("ab"[i] for i in range(2)), (1,), 2, Guarantee(1)),
            "one positive level",
        ),
        (
            lambda space: SetFlips(nw.Subsets(["a", "b"], largest=1), (1, 1, 1), 2, Guarantee(1)),
            "need all subsets",
        ),
        (
            lambda space: two_levels(space, nw.accounting.Guarantee(1), {0, 2}),
            "failed its own proof",
        ),
    ],
)
def test_flips_that_are_none(build: Any, says: str) -> None:
    with pytest.raises(nw.errors.NoisewrightError, match=says):
        build(nw.Subsets(["a", "b"]))


def test_the_proof_is_certified_for_few_items() -> None:
    found = nw.design(nw.Subsets(["a", "b", "c", "d"]), epsilon=1, loss="distance")
    assert found.proof is not None
    assert float(found.proof.bound) == pytest.approx(found.bound, rel=1e-12)
    assert nw.check(nw.certify(found)).holds
    with_delta = nw.design(nw.Subsets(["a", "b", "c"]), epsilon=1, delta=0.1, loss="distance")
    assert with_delta.proof is not None
    assert float(with_delta.proof.bound) == pytest.approx(with_delta.loss, rel=1e-9)
    assert nw.check(nw.certify(with_delta)).holds
    many = nw.design(nw.Subsets(range(10)), epsilon=1, loss="distance")
    assert nw.check(nw.certify(many)).holds
    with_delta = nw.design(nw.Subsets(range(10)), epsilon=1, delta=0.1, loss="distance")
    with pytest.raises(nw.errors.CertificateError, match="without a delta"):
        nw.certify(with_delta)
