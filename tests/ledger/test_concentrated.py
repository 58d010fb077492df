"""Accounts in ρ: zero-concentrated privacy adds up, and what is not proven to be so is refused."""

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import BudgetError, OverBudgetError, ParameterError, UnitError
from noisewright.ledger.claims import Claim
from noisewright.ledger.totals import concentrated_above
from noisewright.ledger.units import AccountUnit

Guarantee, Zero = nw.accounting.Guarantee, nw.accounting.ZeroConcentrated
ADD: Any = "add or remove"
GAUSS = Guarantee(1, "1e-6")


@pytest.fixture
def ledger(folder: Path) -> nw.Ledger:
    return nw.Ledger.create(folder / "budget.db")


def spent(ledger: nw.Ledger, dataset: str = "survey") -> Fraction:
    budget = ledger.balance(dataset).rho
    assert budget is not None
    assert budget.left.rho == budget.granted.rho - budget.spent.rho
    return budget.spent.rho


def test_rho_adds_up_exactly_and_no_more_fits(ledger: nw.Ledger) -> None:
    ledger.grant("survey", rho="3/10", rows=1)
    for _ in range(3):
        entry = ledger.spend("survey", GAUSS, what="x", rho="1/10").entry
        assert (entry.rho, entry.epsilon, entry.delta) == ("1/10", "1", "1/1000000")
    assert spent(ledger) == Fraction(3, 10)
    head = ledger.head
    with pytest.raises(OverBudgetError, match=r"rho=1e-9 was asked for.*left is rho=0 of rho=0\.3"):
        ledger.spend("survey", GAUSS, what="x", rho="1e-9")
    assert ledger.head == head
    ledger.grant("survey", rho="1/2")
    with pytest.raises(OverBudgetError, match=r"too much rho.*rho up to 0\.5\.") as refused:
        ledger.require_room("survey", GAUSS, rho="0.51")
    assert (refused.value.left, refused.value.asked) == (Zero("1/2"), Zero("0.51"))
    ledger.spend("survey", GAUSS, what="x", rho="0.5")
    assert nw.Ledger.open(ledger.where).verify() == ledger.head


def test_a_pure_epsilon_costs_half_its_square(ledger: nw.Ledger) -> None:
    ledger.grant("survey", rho=9, rows=1)
    ledger.spend("survey", Guarantee("3/2"), what="x")
    assert spent(ledger) == Fraction(9, 8)
    # ln(2)²/2 is irrational, and rounded up by less than 2^-190.
    ledger.spend("survey", Guarantee(alpha="1/2"), what="x")
    half = spent(ledger) - Fraction(9, 8)
    assert float(half) == pytest.approx(math.log(2) ** 2 / 2, rel=1e-15)
    low = nw.accounting.Epsilon.log(Fraction(2)).bounds(400)[0]
    assert 0 < half - Fraction(low, 1 << 400) ** 2 / 2 < Fraction(1, 1 << 190)


@pytest.mark.parametrize("epsilon", [0.1, 0.7, 2.0])
def test_half_the_square_holds_for_the_worst_pair(epsilon: float) -> None:
    """Randomized response is the worst of all; its Rényi divergences against ρ times the order."""
    p = np.array([math.exp(epsilon), 1]) / (1 + math.exp(epsilon))
    rho = float(concentrated_above(nw.accounting.Epsilon.of(epsilon)))
    for order in (1.001, 1.5, 2, 3, 8, 50):
        divergence = math.log((p**order * p[::-1] ** (1 - order)).sum()) / (order - 1)
        assert divergence <= rho * order
        assert order > 1.01 or epsilon > 0.5 or divergence > 0.9 * rho * order


@pytest.mark.parametrize(
    ("unit", "options", "factor"),
    [
        ({"rows": 1}, {}, 1),
        ({"rows": 3}, {}, 9),
        ({"rows": 3}, {"independent": True}, 3),
        ({"rows": 1}, {"change": ADD}, 4),
        ({"rows": 3}, {"change": ADD}, 36),
        ({"rows": 3}, {"change": ADD, "independent": True}, 36),
        ({"rows": 3, "change": ADD}, {"change": ADD}, 9),
        ({"person": "patient", "change": ADD}, {"change": ADD, "person": "patient"}, 1),
        ({"person": "patient", "rows": 3}, {"person": "patient"}, 1),
    ],
    ids=str,
)
def test_groups_cost_the_square(
    ledger: nw.Ledger, unit: dict[str, Any], options: dict[str, Any], factor: int
) -> None:
    ledger.grant("survey", rho=100, **unit)
    ledger.spend("survey", GAUSS, what="x", rho="1/7", **options)
    assert spent(ledger) == Fraction(factor, 7)
    ledger.spend("survey", Guarantee("1/2"), what="x", **options)
    assert spent(ledger) == Fraction(factor, 7) + Fraction(factor, 8)


def test_an_account_in_rho_is_restated(ledger: nw.Ledger) -> None:
    ledger.grant("survey", rho=1, rows=1, change=ADD)
    ledger.spend("survey", GAUSS, what="x", rho="1/10", change=ADD)
    with pytest.raises(OverBudgetError, match=r"rho=1\.6 of 'survey' is already spent.*rho=…"):
        ledger.grant("survey", rows=2, change="replace")
    ledger.grant("survey", rho=1, rows=2, change="replace")
    assert spent(ledger) == Fraction(16, 10)
    ledger.spend("survey", Guarantee("1/5"), what="x", independent=True)
    ledger.grant("survey", rho=9, rows=3)
    assert spent(ledger) == Fraction(36, 10) + 3 * Fraction(1, 50)
    assert nw.Ledger.open(ledger.where).verify() == ledger.head


def test_what_cannot_be_proven_is_refused(ledger: nw.Ledger) -> None:
    ledger.grant("survey", rho=1, rows=1)
    ledger.grant("other", epsilon=1, delta="1e-5", rows=1)
    heads = ledger.head
    for spend in (
        lambda: ledger.spend("survey", GAUSS, what="x"),
        lambda: ledger.require_room("survey", GAUSS),
    ):
        with pytest.raises(UnitError, match=r"without one: no rho follows.*Nothing was recorded"):
            spend()
    with pytest.raises(UnitError, match="one currency"):
        ledger.grant("survey", epsilon=1)
    with pytest.raises(UnitError, match="one currency"):
        ledger.grant("other", rho=1)
    with pytest.raises(ParameterError, match="one currency"):
        ledger.grant("new", rho=1, delta="1e-6")
    for rho in (0, -1, "x"):
        with pytest.raises(ParameterError):
            ledger.grant("survey", rho=rho)
    with pytest.raises(ParameterError, match="at least 0"):
        ledger.spend("survey", GAUSS, what="x", rho=-1)
    with pytest.raises(BudgetError, match=r"in rho: use .*rho\.left"):
        ledger.remaining("survey")
    assert ledger.head == heads
    # In an account of ε and δ, ρ is on record and costs nothing more.
    ledger.spend("other", GAUSS, what="x", rho="1/10")
    assert ledger.balance("other").spent == GAUSS
    claim = Claim.read(ledger.history()[-1].claim or "")
    assert (claim.rho, ledger.history()[-1].rho) == (Fraction(1, 10), None)


def test_the_balance_says_rho_and_which_epsilon_it_implies(ledger: nw.Ledger) -> None:
    ledger.grant("survey", rho="1/2", rows=1)
    ledger.spend("survey", GAUSS, what="x", rho="1/3")
    balance = ledger.balance("survey")
    assert str(balance) == "survey: rho=0.166666666666 left of rho=0.5 (each row is a person)"
    assert balance.rho is not None
    assert balance.rho.spent.epsilon("1e-6") == Zero("1/3").epsilon("1e-6")
    # Whoever looks at ε finds nothing to spend, and nothing promised.
    assert (balance.left, balance.spent.delta) == (Guarantee(0), 1)
    assert ledger.balances()[0].unit == AccountUnit()


def test_certificates_of_gaussian_noise_carry_their_rho(ledger: nw.Ledger) -> None:
    ledger.grant("survey", rho=1, rows=1)
    rows = {"a": ["x", "y", "x", "y"], "b": ["x", "x", "y", "y"]}
    columns: Any = {name: nw.Column(["x", "y"]) for name in rows}
    pure = nw.Plan(columns, epsilon="1/2")
    made = nw.synthesize(rows, pure, method="mst", ledger=ledger, dataset="survey")
    assert spent(ledger) == Fraction(1, 8)
    normal = nw.Plan(columns, epsilon="1/2", delta="1/10")
    made = nw.synthesize(rows, normal, method="mst", ledger=ledger, dataset="survey")
    document = made.certificate.document["mechanism"]
    proven = Fraction(document["total"])
    assert document["unit"] == "rho"
    assert spent(ledger) == Fraction(1, 8) + proven
    assert made.charged == made.guarantee
    assert made.balance is not None
    assert made.balance.rho is not None
    with pytest.raises(UnitError, match="this certificate proves rho="):
        ledger.spend(
            "survey", made.guarantee, what="x", certificate=made.certificate, rho=proven / 2
        )
    certain = nw.certify(nw.randomized_response(nw.Categories(["x", "y"]), epsilon=1))
    with pytest.raises(UnitError, match="proves no rho"):
        ledger.spend("survey", certain.guarantee, what="x", certificate=certain, rho="1/10")
    # A release with δ has no ρ, and is refused before anything is drawn.
    head = ledger.head
    with pytest.raises(UnitError, match="no rho follows"):
        nw.release(rows, normal, ledger=ledger, dataset="survey")
    assert ledger.head == head
