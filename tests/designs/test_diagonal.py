"""Short lines of counts, where the diagonal is known, against the program of everything."""

import math
from fractions import Fraction
from typing import Any

import pytest

import noisewright as nw
from tests.designs import definitions
from tests.designs.test_ends import total_of_duals

DIAGONAL = "the largest diagonal"

SHORT = [
    *((2, "0.5"), (2, "0.9"), (3, "0.6"), (4, "0.7"), (5, "0.72"), (6, "0.76"), (7, "0.99")),
    *((8, "0.8"), (9, "0.85"), (10, "0.9"), (12, "0.88"), (11, "0.95")),
]
"""At (2, 0.5) and (8, 0.8) n is exactly 2α/(1 − α)."""


@pytest.mark.parametrize("codes", ["CM", "CH", "CM,RM", "WH,RM,CM,S", "WH", "WH,RM"])
@pytest.mark.parametrize(("n", "alpha"), SHORT)
def test_the_program_finds_nothing_better(n: int, alpha: str, codes: str) -> None:
    found = nw.design(nw.Counts(n), alpha=alpha, properties=codes)
    known = DIAGONAL in found.route or "geometric" in found.route
    # With odd n column properties reach one count further than weak honesty.
    assert known or (n % 2 and codes.startswith("WH"))
    optimum = definitions.optimum(
        found.problem.loss.costs,
        definitions.path(n + 1),
        ratio=1 / float(alpha),
        properties=found.problem.properties,
    )
    assert found.loss == pytest.approx(optimum, abs=1e-9)
    assert found.gap <= 1e-15
    assert all(definitions.has(code, found.mechanism) for code in found.properties)
    assert nw.verify(found.mechanism, epsilon=-math.log(float(alpha)) * (1 + 1e-15)).holds


@pytest.mark.parametrize("codes", ["CM", "CH", "WH,CH", "CM,RM,WH", "WH"])
@pytest.mark.parametrize(("n", "alpha"), [(7, "0.9"), (8, "0.9"), (30, "0.97"), (31, "0.97")])
def test_the_dual_values_add_up_to_the_bound(n: int, alpha: str, codes: str) -> None:
    found = nw.design(nw.Counts(n), alpha=alpha, properties=codes)
    assert DIAGONAL in found.route
    assert found.proof is not None
    assert found.proof.bound == found.exact_bound
    by_hand = total_of_duals(found.proof, 1 / Fraction(alpha))
    assert found.exact_bound <= by_hand <= found.exact_loss
    assert found.exact_loss - found.exact_bound < Fraction(1, 10**25)


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("codes", ["CM", "CH", "CM,RM", "CH,RM", "WH", "WH,RM"])
@pytest.mark.parametrize(("n", "alpha"), [(5, "0.8"), (8, "0.9"), (9, "0.95")])
def test_ties_are_broken_as_in_the_program(n: int, alpha: str, codes: str, power: int) -> None:
    little = 1e-5
    mixed = [[(i != j) + little * abs(i - j) ** power for i in range(n + 1)] for j in range(n + 1)]
    found = nw.design(nw.Counts(n), alpha=alpha, properties=codes, tie_break=f"L{power}")
    assert DIAGONAL in found.route
    optimum = definitions.optimum(
        mixed,
        definitions.path(n + 1),
        ratio=1 / float(alpha),
        properties=found.problem.properties,
    )
    assert nw.loss(found.mechanism, mixed) == pytest.approx(optimum, abs=1e-9)


@pytest.mark.parametrize(
    ("n", "keywords"),
    [
        (10, {"alpha": "0.8", "properties": "CM"}),
        (9, {"alpha": "0.8", "properties": "CM", "prior": [0.2] + [0.8 / 9] * 9}),
        (8, {"alpha": "0.8", "properties": "CM", "loss": "L1"}),
        (8, {"alpha": "0.8", "properties": "CM", "delta": 0.01}),
        (8, {"alpha": "0.8", "properties": "CM", "tie_break": "L0,2"}),
        (8, {"alpha": "0.8", "properties": "CM,OD"}),
    ],
    ids=["long", "prior", "loss", "delta", "tie", "output privacy"],
)
def test_other_problems_are_left_to_the_program(n: int, keywords: dict[str, Any]) -> None:
    assert "linear program" in nw.design(nw.Counts(n), **keywords).route


@pytest.mark.parametrize("codes", ["CH,RH", "WH,RM", "CM"])
def test_a_hundred_people_to_thirty_digits(codes: str) -> None:
    found = nw.design(nw.Counts(100), alpha="0.99", properties=codes)
    assert DIAGONAL in found.route
    assert found.gap <= 1e-25
    assert found.properties <= nw.properties(found.mechanism)
    assert nw.verify(found.mechanism, epsilon=found.problem.guarantee.epsilon).holds
    middle = Fraction(found.mechanism.weights[50, 50], found.mechanism.total)
    assert float(middle) == pytest.approx(1 / 101, rel=1e-12)
