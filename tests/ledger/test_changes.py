"""A budget is about replacing people, or about adding or removing them: one is not the other."""

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.certificates import Certificate
from noisewright.checker import Unit
from noisewright.errors import OverBudgetError, ParameterError, UnitError
from noisewright.ledger.claims import Claim
from noisewright.ledger.group_privacy import group_privacy
from noisewright.ledger.units import AccountUnit
from noisewright.queries import design_groups
from noisewright.transaction import Subject, find_payer

Guarantee = nw.accounting.Guarantee
ONE = Guarantee(1)
ADD: Any = "add or remove"


@pytest.fixture
def ledger(folder: Path) -> nw.Ledger:
    return nw.Ledger.create(folder / "budget.db")


@pytest.mark.parametrize(
    ("unit", "person", "change", "cost"),
    [
        ({"rows": 1}, None, ADD, 2),
        ({"rows": 3}, None, ADD, 6),
        ({"person": "patient"}, "patient", ADD, 2),
        ({"person": "patient", "rows": 3}, "patient", ADD, 2),
        ({"person": "patient", "rows": 3}, None, ADD, 6),
        ({"person": "patient"}, None, ADD, None),
        ({"person": "patient", "rows": 3}, "household", ADD, None),
        ({"rows": 1}, "household", ADD, None),
        ({"rows": 1, "change": ADD}, None, ADD, 1),
        ({"rows": 3, "change": ADD}, None, ADD, 3),
        ({"person": "patient", "change": ADD}, "patient", ADD, 1),
        ({"person": "patient", "rows": 3, "change": ADD}, "patient", ADD, 1),
        ({"rows": 1, "change": ADD}, "household", ADD, None),
        ({"rows": 1, "change": ADD}, None, "replace", None),
        ({"person": "patient", "change": ADD}, "patient", "replace", None),
        ({"change": ADD}, None, ADD, 1),
        ({"change": ADD}, "patient", ADD, 1),
        ({}, None, ADD, 2),
        ({}, "patient", ADD, 2),
    ],
    ids=str,
)
def test_what_a_promise_costs_for_each_change(
    ledger: nw.Ledger, unit: dict[str, Any], person: str | None, change: Any, cost: int | None
) -> None:
    ledger.grant("visits", epsilon=9, **unit)
    head = ledger.head
    if cost is None:
        with pytest.raises(UnitError, match="Nothing was recorded"):
            ledger.require_room("visits", ONE, person=person, change=change)
        with pytest.raises(UnitError, match="Nothing was recorded"):
            ledger.spend("visits", ONE, what="x", person=person, change=change)
        assert ledger.head == head
        return
    assert ledger.require_room("visits", ONE, person=person, change=change) == Guarantee(cost)
    entry = ledger.spend("visits", ONE, what="x", person=person, change=change).entry
    assert entry.epsilon == str(cost)
    balance = ledger.balance("visits")
    assert balance.spent == Guarantee(cost)
    assert balance.unit is not None
    assert balance.unit.change == unit.get("change", "replace")
    assert ("added or removed" in str(balance)) == (balance.unit.change == ADD)
    assert nw.Ledger.open(ledger.where).verify() == ledger.head


def test_the_refusal_says_why_and_what_to_do(ledger: nw.Ledger) -> None:
    ledger.grant("visits", epsilon=9, rows=1, change=ADD)
    with pytest.raises(UnitError, match=r"number of people as public.*change=\"add or remove\""):
        ledger.spend("visits", ONE, what="x")
    with pytest.raises(UnitError, match=r"another change.*person='household', rows=k"):
        ledger.spend("visits", ONE, what="x", person="household", change=ADD)
    wrong: Any = {"change": "add/remove"}
    with pytest.raises(ParameterError, match="change"):
        ledger.grant("visits", **wrong)
    with pytest.raises(ParameterError, match="change"):
        ledger.spend("visits", ONE, what="x", **wrong)
    with pytest.raises(ParameterError, match="change"):
        ledger.require_room("visits", ONE, **wrong)


def test_two_steps_cost_delta_and_e_to_the_epsilon_delta(ledger: nw.Ledger) -> None:
    ledger.grant("visits", epsilon=4, delta="1e-3")
    ledger.spend("visits", Guarantee("1/2", "1e-6"), what="x", change=ADD, independent=True)
    ledger.spend("visits", Guarantee(alpha="1/3", delta="1e-6"), what="x", change=ADD)
    first, second = (entry.guarantee for entry in ledger.history()[1:])
    assert first.epsilon.rational == 1
    assert float(first.delta) == pytest.approx(1e-6 * (1 + math.exp(0.5)), rel=1e-12)
    assert first.delta > Fraction(math.exp(0.5)) / 10**6
    # e^ε = 3 is rational: nothing is rounded.
    assert second == Guarantee(alpha="1/9", delta=Fraction(4, 10**6))
    with pytest.raises(OverBudgetError, match=r"epsilon=2 for adding or removing one row, 2 times"):
        ledger.spend("visits", Guarantee(2), what="x", change=ADD)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0])
def test_two_steps_hold_and_are_tight_by_enumeration(epsilon: float) -> None:
    """P(A) for the tables {a}, {}, {b}: as steep as (ε, δ) allows when one person comes or goes."""
    delta = 1e-3
    least = 1e-3
    middle = math.exp(epsilon) * least + delta
    event = {"a": least, "": middle, "ab": middle, "b": math.exp(epsilon) * middle + delta}

    def excess(x: str, y: str, e: float) -> float:
        both = ((event[x], event[y]), (1 - event[x], 1 - event[y]))
        return sum(max(p - math.exp(e) * q, 0) for p, q in both)

    for x, y in [("a", ""), ("b", ""), ("a", "ab"), ("b", "ab")]:
        assert max(excess(x, y, epsilon), excess(y, x, epsilon)) <= delta * (1 + 1e-9)
    claim = Claim(Guarantee(epsilon, delta), change=ADD)
    cost = claim.charge(AccountUnit())
    assert cost == group_privacy(claim.guarantee, 2, adds_up=False)
    worst = max(excess("b", "a", float(cost.epsilon)), excess("a", "b", float(cost.epsilon)))
    assert worst <= float(cost.delta) * (1 + 1e-9)
    assert worst == pytest.approx(float(cost.delta), rel=1e-6)


def test_an_account_is_restated_towards_more_only(ledger: nw.Ledger) -> None:
    ledger.grant("visits", epsilon=5, rows=1, change=ADD)
    ledger.spend("visits", ONE, what="x", change=ADD)
    # What is not said again stays.
    ledger.grant("visits", epsilon=1, rows=2)
    assert ledger.balance("visits").unit == AccountUnit(None, 2, ADD)
    assert ledger.balance("visits").spent == Guarantee(2)
    ledger.grant("visits", change="replace")
    assert ledger.balance("visits").unit == AccountUnit(None, 2)
    assert ledger.balance("visits").spent == Guarantee(4)
    ledger.spend("visits", ONE, what="x")
    with pytest.raises(UnitError, match="cannot be changed"):
        ledger.grant("visits", change=ADD)
    ledger.grant("other", epsilon=1, rows=3)
    ledger.grant("other", rows=1, change=ADD)
    assert ledger.balance("other").unit == AccountUnit(None, 1, ADD)
    ledger.grant("third", epsilon=1, change=ADD)
    assert "first spend decides" in str(ledger.balance("third"))
    assert nw.Ledger.open(ledger.where).verify() == ledger.head


def test_where_nothing_new_is_said_entries_are_as_ever(ledger: nw.Ledger) -> None:
    ledger.grant("visits", epsilon=9, person="patient", rows=3)
    entry = ledger.spend("visits", ONE, what="x").entry
    assert entry.unit == '{"person":"patient","rows":3}'
    assert entry.claim == '{"delta":"0","epsilon":"1","independent":false,"person":null}'
    state = json.loads(ledger._journal.book().state())
    assert state["accounts"][0][4] == [[[None, "1", "1", "0"]], []]
    entry = ledger.spend("visits", ONE, what="x", person="patient", change=ADD).entry
    assert json.loads(entry.claim or "")["change"] == ADD


def test_a_certificate_says_for_which_change_it_is(ledger: nw.Ledger) -> None:
    ledger.grant("visits", epsilon=9, rows=1)
    replacing = nw.certify(nw.randomized_response(nw.Categories(["a", "b"]), epsilon=1))
    adding = Certificate(replacing.document, replacing.guarantee)
    adding.__dict__["unit"] = Unit("person", "add or remove")
    ledger.spend("visits", ONE, what="x", certificate=adding, change=ADD)
    with pytest.raises(UnitError, match="give change='replace'"):
        ledger.spend("visits", ONE, what="x", certificate=replacing, change=ADD)
    with pytest.raises(
        UnitError, match=r"for adding or removing the row.*give change='add or remove'"
    ):
        ledger.spend("visits", ONE, what="x", certificate=adding)
    for rows in (3, 0):
        adding.__dict__["unit"] = Unit("person", "add or remove", rows=rows)
        with pytest.raises(UnitError, match="Say which column identifies people"):
            ledger.spend("visits", ONE, what="x", certificate=adding, change=ADD)


def test_a_subject_carries_its_change_to_the_ledger(ledger: nw.Ledger) -> None:
    ledger.grant("visits", epsilon=3, rows=1)
    subject = Subject(change=ADD)
    price: Any = {"price": Guarantee(2), "source": None}
    with pytest.raises(OverBudgetError, match="2 times"):
        find_payer(ledger, "visits", subject=subject, **price)
    with pytest.raises(nw.errors.UnknownDatasetError, match="--change 'add or remove'"):
        find_payer(ledger, "vists", subject=subject, **price)
    ledger.grant("visits", epsilon=1)
    assert find_payer(ledger, "visits", subject=subject, **price) is not None


@pytest.mark.parametrize("change", ["replace", ADD])
def test_counts_of_public_groups_are_about_either_change(ledger: nw.Ledger, change: Any) -> None:
    """Sizes are public, so that whoever leaves takes at most one yes out of one group."""
    groups = design_groups({"a": 3, "b": 5}, epsilon=1)
    ledger.grant("visits", epsilon=3, rows=1, change=change)
    ledger.spend(
        "visits", groups.guarantee, what="yes", certificate=groups.certificate, change=change
    )
    assert ledger.balance("visits").spent.epsilon.rational == 1


def test_several_answers_of_a_person_cost_as_many_times(ledger: nw.Ledger) -> None:
    groups = design_groups({"a": 3}, epsilon=1)
    ledger.grant("visits", epsilon=3, rows=2)
    ledger.spend("visits", groups.guarantee, what="yes", certificate=groups.certificate)
    assert ledger.balance("visits").spent.epsilon.rational == 2
