"""What verify, tight_epsilon, tight_delta and profile say, accept and refuse."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError, ParameterError, TooLargeError

TABLE = nw.from_matrix(nw.Categories(["no", "yes"]), [[0.75, 0.25], [0.25, 0.75]])


def test_a_verdict_is_true_or_false_and_speaks() -> None:
    good = nw.verify(TABLE, epsilon="1.1")
    assert bool(good) is True
    assert str(good) == "Proven for all events: epsilon=1.1 for replacing the input by any other."
    bad = nw.verify(TABLE, epsilon=1, delta="1/100")
    assert bool(bad) is False
    assert str(bad) == (
        "False: epsilon=1, delta=0.01 fails for replacing the input by any other. Input 'no' gives "
        "an output in {'no'} with probability 0.75, its neighbor 'yes' with probability 0.25."
    )
    assert bad.witness is not None
    assert (bad.witness.p, bad.witness.q) == (Fraction(3, 4), Fraction(1, 4))


def test_a_long_event_is_cut_in_words_only() -> None:
    rows = [[0.0625] * 8 + [0.5 / 8] * 8, [0.03125] * 8 + [0.75 / 8] * 8]
    verdict = nw.verify(nw.from_matrix(nw.Counts(1), rows), epsilon="0.1")
    assert verdict.witness is not None
    assert len(verdict.witness.event) == 8
    assert ", …}" in str(verdict)


def test_numbers_mean_what_they_say() -> None:
    """The float 0.1 is above 1/10; the string "0.1" is 1/10."""
    exact = nw.from_matrix(nw.Counts(1), [[1, 3], [3, 1]])
    tight = nw.accounting.Epsilon.of(alpha="1/3")
    for epsilon in (tight, tight.ceiling(), np.float64(1.0986122886681098), "1.09861228866811"):
        assert nw.verify(exact, epsilon=epsilon)
    for epsilon in (tight.floor(), "1.0986122886681096", Fraction(tight.floor())):
        assert not nw.verify(exact, epsilon=epsilon)
    assert nw.verify(exact, alpha=Fraction(1, 3))
    assert not nw.verify(exact, alpha=0.33333333333333337)


@pytest.mark.parametrize(
    "claim",
    [
        {},
        {"epsilon": 1, "alpha": 0.5},
        {"epsilon": -1},
        {"epsilon": float("nan")},
        {"epsilon": float("inf")},
        {"epsilon": "one"},
        {"epsilon": True},
        {"epsilon": 1, "delta": -0.1},
        {"epsilon": 1, "delta": 1.1},
        {"epsilon": 1, "delta": float("nan")},
        {"alpha": 0},
        {"alpha": 2},
    ],
)
def test_claims_that_are_no_claims_are_refused(claim: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        nw.verify(TABLE, **claim)


def test_deltas_out_of_range_are_refused_everywhere() -> None:
    for delta in (-1, 2, "x", float("inf")):
        with pytest.raises(ParameterError):
            nw.tight_epsilon(TABLE, delta=delta)
        with pytest.raises(ParameterError):
            nw.profile(TABLE).epsilon(delta)
    for epsilon in (-1, "x", float("inf")):
        with pytest.raises(ParameterError):
            nw.tight_delta(TABLE, epsilon=epsilon)
        with pytest.raises(ParameterError):
            nw.profile(TABLE).delta(epsilon)


def test_what_is_no_mechanism_is_refused() -> None:
    for thing in (None, [[1]], "m.json", np.eye(2)):
        with pytest.raises(InputError, match="mechanism"):
            nw.verify(thing, epsilon=1)  # pyright: ignore[reportArgumentType]


def test_extremes_of_delta() -> None:
    certain = nw.from_matrix(nw.Counts(1), [[1, 0], [0, 1]])
    for mechanism in (TABLE, certain):
        assert nw.tight_epsilon(mechanism, delta=1) == 0
        assert nw.verify(mechanism, epsilon=0, delta=1)
    assert nw.tight_epsilon(certain, delta=math.nextafter(1, 0)) == math.inf


def test_one_point_has_no_neighbors_and_nothing_to_hide() -> None:
    alone = nw.from_matrix(nw.Categories(["only"]), [[0.5, 0.5]])
    assert nw.tight_epsilon(alone) == nw.tight_epsilon(alone, delta="1/10") == 0
    assert nw.tight_delta(alone, epsilon=0) == 0
    assert nw.verify(alone, epsilon=0)
    assert nw.verify(alone, epsilon=0, delta="1/10")
    assert nw.profile(alone).delta(0) == 0


def test_a_curve_that_would_take_too_long_is_refused_with_advice() -> None:
    many = nw.randomized_response(nw.Categories(range(400)), epsilon=1)
    with pytest.raises(TooLargeError, match="tight_epsilon or tight_delta"):
        nw.profile(many)
    assert nw.tight_epsilon(many) == 1


def test_a_response_by_formula_has_the_curve_of_its_table() -> None:
    points = nw.Categories(range(6))
    for delta in (0, "1/50"):
        formula = nw.randomized_response(points, epsilon="3/4", delta=delta, table=False)
        table = nw.randomized_response(points, epsilon="3/4", delta=delta, table=True)
        for epsilon in (0, 0.2, 0.7, 2):
            assert nw.tight_delta(formula, epsilon=epsilon) == pytest.approx(
                nw.tight_delta(table, epsilon=epsilon), abs=1e-15
            )
        assert nw.verify(formula, epsilon="3/4", delta=delta)
        verdict = nw.verify(formula, epsilon="0.7", delta=delta)
        assert verdict.witness is not None
        assert verdict.witness.event == (verdict.witness.input,)
        assert nw.tight_epsilon(formula, delta=delta) == pytest.approx(0.75, rel=1e-15)


def test_columns_without_a_claim_are_measured_not_refused() -> None:
    both = nw.combine.product(a=TABLE, b=TABLE)
    assert nw.tight_epsilon(both) == pytest.approx(2 * math.log(3), rel=1e-15)
    assert nw.certify(both).guarantee == nw.accounting.Guarantee(alpha="1/9")
