"""An account has a unit: what was promised for one row is never read as a promise to a person."""

import itertools
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import noisewright as nw
from noisewright.errors import OverBudgetError, ParameterError, UnitError
from noisewright.ledger.claims import Claim
from noisewright.ledger.group_privacy import group_privacy
from noisewright.ledger.units import AccountUnit

ONE = nw.accounting.Guarantee(1)
LABELS = ["a", "b", "c"]


@pytest.fixture
def ledger(folder: Path) -> nw.Ledger:
    return nw.Ledger.create(folder / "budget.db")


def spent(ledger: nw.Ledger, dataset: str = "visits") -> Fraction:
    return ledger.balance(dataset).spent.epsilon.rational


def visits(folder: Path) -> Path:
    path = folder / "visits.csv"
    rows = "\n".join(f"p{n // 3},{LABELS[n % 3]}" for n in range(30))
    path.write_text(f"patient,ward\n{rows}\n", encoding="utf-8")
    return path


def plan(*, person: nw.Person | None = None) -> nw.Plan:
    columns: dict[str, Any] = {"ward": nw.Column(LABELS), "patient": "drop"}
    return nw.Plan(columns, epsilon=1, person=person)


def test_the_same_data_released_with_and_without_a_person_and_synthesized(
    ledger: nw.Ledger, folder: Path
) -> None:
    """ε = 1 for a person, ε = 1 for a row and ε = 1 for a row: 1 + 3 + 3 for people of 3 rows."""
    data = visits(folder)
    ledger.grant("visits", epsilon=7, person="patient", rows=3, data=data)
    mine = nw.Person("patient", rows=3)
    table = nw.release(
        data,
        plan(person=mine),
        ledger=ledger,
        out=nw.planning.Output(folder / "a.csv", report=False),
    )
    assert table.charged == ONE
    assert spent(ledger) == 1
    table = nw.release(
        data, plan(), ledger=ledger, out=nw.planning.Output(folder / "b.csv", report=False)
    )
    assert table.charged == nw.accounting.Guarantee(3)
    assert spent(ledger) == 4
    made = nw.synthesize(data, plan(), ledger=ledger)
    assert made.charged == nw.accounting.Guarantee(3)
    assert spent(ledger) == 7
    with pytest.raises(OverBudgetError, match=r"for each of 3 rows.*at most 3 rows"):
        nw.release(
            data, plan(), ledger=ledger, out=nw.planning.Output(folder / "c.csv", report=False)
        )
    balance = ledger.balance("visits")
    assert balance.unit == AccountUnit("patient", 3)
    assert "a person is all rows with the same 'patient', at most 3 rows" in str(balance)
    units = {entry.unit for entry in ledger.history()[1:]}
    assert units == {'{"person":"patient","rows":3}'}
    claims = [Claim.read(entry.claim) for entry in ledger.history() if entry.claim]
    assert [(c.guarantee, c.person, c.independent) for c in claims] == [
        (ONE, "patient", True),
        (ONE, None, True),
        (ONE, None, False),
    ]


def test_without_a_word_about_rows_a_promise_for_one_row_is_refused(
    ledger: nw.Ledger, folder: Path
) -> None:
    """How many rows of a person a release keeps says nothing about how many there are."""
    data = visits(folder)
    ledger.grant("visits", epsilon=9, data=data)
    mine = plan(person=nw.Person("patient", rows=2))
    nw.release(data, mine, ledger=ledger, out=nw.planning.Output(folder / "a.csv", report=False))
    assert ledger.balance("visits").unit == AccountUnit("patient", None)
    head = ledger.head
    for call in (
        lambda: nw.release(
            data, plan(), ledger=ledger, out=nw.planning.Output(folder / "b.csv", report=False)
        ),
        lambda: nw.synthesize(data, plan(), ledger=ledger),
        lambda: ledger.spend("visits", ONE, what="x"),
        lambda: ledger.require_room("visits", ONE),
    ):
        with pytest.raises(UnitError, match=r"promised for one row.*rows=k.*charged k times"):
            call()
    assert ledger.head == head
    ledger.grant("visits", person="patient", rows=3)
    assert spent(ledger) == 1
    nw.synthesize(data, plan(), ledger=ledger)
    assert spent(ledger) == 4


def test_an_account_of_rows_that_pays_for_people_with_several_rows_is_doubted(
    ledger: nw.Ledger, folder: Path
) -> None:
    data = visits(folder)
    ledger.grant("visits", epsilon=9, rows=1, data=data)
    first = nw.release(
        data, plan(), ledger=ledger, out=nw.planning.Output(folder / "a.csv", report=False)
    )
    assert first.notes == ()
    mine = plan(person=nw.Person("patient", rows=3))
    second = nw.release(
        data, mine, ledger=ledger, out=nw.planning.Output(folder / "b.csv", report=False)
    )
    assert "each row is a person, but here 'patient' identifies people" in second.notes[0]
    ledger.grant("visits", person="patient", rows=3)
    assert spent(ledger) == 4
    third = nw.release(
        data, mine, ledger=ledger, out=nw.planning.Output(folder / "c.csv", report=False)
    )
    assert third.notes == ()


def test_models_say_for_whom_they_promise(ledger: nw.Ledger) -> None:
    ledger.grant("visits", epsilon=20, person="patient", rows=4)
    rows = {"patient": ["p1", "p1", "p2", "p3"], "ward": list("abca"), "sex": list("abab")}
    columns: dict[str, Any] = {"ward": nw.Column(LABELS), "sex": nw.Column(["a", "b"])}
    mine = nw.Plan(columns, epsilon=1, person=nw.Person("patient", rows=2), others="drop")
    total = 0
    for declared, cost in ((mine, 1), (columns, 4)):
        for model in (
            nw.models.PrivateNaiveBayes(
                declared, label="sex", epsilon=1, ledger=ledger, dataset="visits"
            ),
            nw.models.PrivateTree(
                declared, label="sex", epsilon=1, ledger=ledger, dataset="visits"
            ),
        ):
            model.fit(rows)
            total += cost
            assert spent(ledger) == total


def test_a_choice_is_about_one_row(ledger: nw.Ledger) -> None:
    ledger.grant("visits", epsilon=9, rows=3)
    choice = nw.exponential(LABELS, [1, 2, 3], sensitivity=1, epsilon=1)
    choice.sample(ledger=ledger, dataset="visits")
    charged = ledger.balance("visits").spent
    assert charged.epsilon <= choice.claim.epsilon.times(3)
    assert choice.claim.epsilon.times(3) <= charged.epsilon


@pytest.mark.parametrize(
    ("unit", "person", "cost"),
    [
        ({"rows": 1}, None, 1),
        ({"rows": 1}, "patient", 1),
        ({"rows": 4}, None, 4),
        ({"rows": 4}, "patient", 4),
        ({"person": "patient"}, "patient", 1),
        ({"person": "patient"}, None, None),
        ({"person": "patient"}, "household", None),
        ({"person": "patient", "rows": 4}, "patient", 1),
        ({"person": "patient", "rows": 4}, "household", 4),
        ({"person": "patient", "rows": 1}, "household", 1),
    ],
    ids=str,
)
def test_what_a_promise_costs_in_each_unit(
    ledger: nw.Ledger, unit: dict[str, Any], person: str | None, cost: int | None
) -> None:
    ledger.grant("visits", epsilon=9, **unit)
    if cost is None:
        with pytest.raises(UnitError, match="Nothing was recorded"):
            ledger.spend("visits", ONE, what="x", person=person)
        return
    assert ledger.require_room("visits", ONE, person=person) == nw.accounting.Guarantee(cost)
    entry = ledger.spend("visits", ONE, what="x", person=person).entry
    assert (entry.epsilon, spent(ledger)) == (str(cost), cost)
    assert ledger.balance("visits").unit == AccountUnit(unit.get("person"), unit.get("rows"))


@pytest.mark.parametrize(
    ("person", "unit"), [(None, AccountUnit()), ("patient", AccountUnit("patient", None))]
)
def test_the_first_spend_sets_the_unit(
    ledger: nw.Ledger, person: str | None, unit: AccountUnit
) -> None:
    ledger.grant("visits", epsilon=9)
    assert ledger.balance("visits").unit is None
    ledger.spend("visits", ONE, what="x", person=person)
    assert ledger.balance("visits").unit == unit
    assert ledger.history()[0].unit is None
    assert AccountUnit.read(ledger.history()[1].unit or "") == unit


def test_that_each_row_is_a_person_is_assumed_until_somebody_names_people(
    ledger: nw.Ledger, folder: Path
) -> None:
    """In any order: ε = 1 for a row and ε = 1 for all rows of a person are no ε = 2 of anybody."""
    data = visits(folder)
    ledger.grant("visits", epsilon=9, data=data)
    nw.release(data, plan(), ledger=ledger, out=nw.planning.Output(folder / "a.csv", report=False))
    ledger.grant("visits", epsilon=1)
    mine, head = plan(person=nw.Person("patient", rows=3)), ledger.head
    for book in (ledger, nw.Ledger.open(ledger.where)):
        with pytest.raises(UnitError, match=r"earlier spends.*for one row.*rows=k.*rows=1"):
            nw.release(
                data, mine, ledger=book, out=nw.planning.Output(folder / "b.csv", report=False)
            )
    assert ledger.head == head
    ledger.grant("visits", person="patient", rows=3)
    nw.release(data, mine, ledger=ledger, out=nw.planning.Output(folder / "b.csv", report=False))
    assert spent(ledger) == 3 + 1
    assert nw.Ledger.open(ledger.where).verify() == ledger.head


def test_that_each_row_is_a_person_can_be_said_later(ledger: nw.Ledger) -> None:
    ledger.grant("visits", epsilon=9)
    ledger.spend("visits", ONE, what="x")
    ledger.grant("visits", rows=1)
    again = nw.Ledger.open(ledger.where)
    again.spend("visits", ONE, what="x", person="patient")
    assert spent(again) == 2
    assert again.verify() == again.head


def test_a_unit_said_later_restates_what_was_spent(ledger: nw.Ledger) -> None:
    ledger.grant("visits", epsilon=4, delta="1e-3", rows=1)
    ledger.spend("visits", ONE, what="rows")
    ledger.spend("visits", nw.accounting.Guarantee(1, "1e-6"), what="rows", independent=True)
    ledger.spend("visits", nw.accounting.Guarantee(alpha="1/2"), what="all rows", person="patient")
    with pytest.raises(OverBudgetError, match=r"epsilon=6\.69.*in the same call"):
        ledger.grant("visits", person="patient", rows=3)
    before = ledger.balance("visits")
    with pytest.raises(UnitError, match="are promised for replacing one row"):
        ledger.grant("visits", epsilon=9, person="patient")
    assert ledger.balance("visits") == before
    ledger.grant("visits", epsilon=3, person="patient", rows=3)
    after = ledger.balance("visits")
    assert float(after.spent.epsilon) == pytest.approx(6 + math.log(2))
    assert after.spent.delta == Fraction(3, 10**6)
    ledger.grant("visits", epsilon=9, person="patient", rows=4)
    assert float(ledger.balance("visits").spent.epsilon) == pytest.approx(8 + math.log(2))
    lesser: list[dict[str, Any]] = [
        *({"rows": 1}, {"rows": 9}),
        *({"person": "patient", "rows": 3}, {"person": "home"}),
    ]
    for less in lesser:
        with pytest.raises(UnitError, match="cannot be changed"):
            ledger.grant("visits", epsilon=1, **less)
    assert nw.Ledger.open(ledger.where).verify() == ledger.head


def test_delta_of_rows_that_are_drawn_together_grows_faster(ledger: nw.Ledger) -> None:
    """Independent rows: kδ. Rows that are drawn together: δ(1 + e^ε + e^2ε)."""
    some = nw.accounting.Guarantee(1, "1e-6")
    ledger.grant("apart", epsilon=3, delta="1e-3", rows=3)
    ledger.grant("together", epsilon=3, delta="1e-3", rows=3)
    ledger.spend("apart", some, what="x", independent=True)
    ledger.spend("together", some, what="x")
    assert ledger.balance("apart").spent == nw.accounting.Guarantee(3, "3e-6")
    delta = ledger.balance("together").spent.delta
    exact = (math.exp(3) - 1) / (math.exp(1) - 1) * 1e-6
    assert float(delta) == pytest.approx(exact, rel=1e-12)
    # Restated, it is no less than charged at once, and hardly more.
    ledger.grant("later", epsilon=3, delta="1e-3")
    ledger.spend("later", some, what="x")
    ledger.grant("later", rows=3)
    assert delta <= ledger.balance("later").spent.delta <= delta * Fraction(11, 10)


def least_delta(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


def tables(epsilon: float, delta: float) -> tuple[np.ndarray, np.ndarray]:
    """One row per database of two bits: the worst (ε, δ) response of each bit, and of both at once.

    The second draws rows together: a walk over the number of ones that loses δ at each step.
    """
    keep = math.exp(epsilon) / (1 + math.exp(epsilon)) * (1 - delta)
    lie = (1 - delta) / (1 + math.exp(epsilon))
    bit = np.array([[delta, keep, lie, 0], [0, lie, keep, delta]])
    apart = np.array([np.kron(bit[a], bit[b]) for a, b in itertools.product((0, 1), repeat=2)])
    # P(A | s ones) = x_s with x_s+1 = e^ε x_s + δ, as large as (ε, δ) allows.
    x = [1e-3]
    for _ in range(2):
        x.append(math.exp(epsilon) * x[-1] + delta)
    walk = np.array([[x[a + b], 1 - x[a + b]] for a, b in itertools.product((0, 1), repeat=2)])
    return apart, walk


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0])
def test_group_privacy_holds_and_is_tight_by_enumeration(epsilon: float) -> None:
    delta = 1e-3
    apart, walk = tables(epsilon, delta)
    one = nw.accounting.Guarantee(epsilon, delta)
    for table, adds_up in ((apart, True), (walk, False)):
        steps = [(0, 1), (0, 2), (1, 3), (2, 3)]
        for a, b in [*steps, *((b, a) for a, b in steps)]:
            assert least_delta(table[a], table[b], epsilon) <= delta * (1 + 1e-9)
        both = group_privacy(one, 2, adds_up=adds_up)
        worst = max(
            least_delta(table[a], table[b], float(both.epsilon)) for a, b in ((0, 3), (3, 0))
        )
        assert worst <= float(both.delta) * (1 + 1e-9)
    # Rows that are drawn together need all of it: kδ would be a false promise.
    assert worst > 2 * delta
    assert worst == pytest.approx(float(both.delta), rel=1e-6)


@given(
    st.fractions(0, 3, max_denominator=50),
    st.fractions(Fraction(1, 10**9), Fraction(1, 2), max_denominator=10**9),
    st.integers(2, 2000),
)
def test_the_sum_of_powers_is_rounded_up(epsilon: Fraction, delta: Fraction, rows: int) -> None:
    found = group_privacy(nw.accounting.Guarantee(epsilon, delta), rows, adds_up=False)
    assert found.epsilon.rational == rows * epsilon
    # Term by term in doubles, with room for their rounding.
    total = math.fsum(math.exp(min(i * float(epsilon), 600.0)) for i in range(rows))
    assert float(found.delta) >= min(1.0, float(delta) * total * (1 - 1e-9))
    if rows <= 1024:
        assert float(found.delta) <= float(delta) * total * (1 + 1e-9)


def test_huge_factors_are_refused_at_once(ledger: nw.Ledger) -> None:
    ledger.grant("visits", epsilon=10**9, delta="1/2", rows=10**6)
    with pytest.raises(OverBudgetError, match="too much delta"):
        ledger.spend("visits", nw.accounting.Guarantee(900, "1e-9"), what="x")


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [
        (nw.geometric(nw.Counts(5, neighbors="metric"), epsilon=1), "per unit of distance"),
        (nw.geometric(nw.Counts(5, neighbors="metric"), epsilon=1) ** 3, "per unit of distance"),
        (nw.geometric(nw.Counts(5), epsilon=1) ** 3, "by one step"),
        (
            nw.from_matrix(
                nw.Categories(["a", "b", "c"], neighbors=[("a", "b")]), [[3, 1], [2, 2], [1, 3]]
            ),
            "listed pairs",
        ),
    ],
    ids=["metric", "rows of metric", "rows of steps", "pairs"],
)
def test_a_claim_about_something_else_than_a_row_is_refused(
    ledger: nw.Ledger, mechanism: Any, words: str
) -> None:
    ledger.grant("visits", epsilon=9, rows=1)
    proof = nw.certify(mechanism)
    with pytest.raises(UnitError, match=f"{words}.*neighbors='replace'"):
        ledger.spend("visits", proof.guarantee, what="x", certificate=proof)
    ledger.spend("visits", proof.guarantee, what="x", certificate=proof.digest)


def test_a_claim_for_all_rows_of_a_person_names_the_column(ledger: nw.Ledger) -> None:
    ledger.grant("visits", epsilon=9)
    proof = nw.certify(
        nw.combine.per_person(nw.randomized_response(nw.Categories(LABELS), epsilon=1), rows=3)
    )
    with pytest.raises(UnitError, match=r"Say which column identifies people: person="):
        ledger.spend("visits", proof.guarantee, what="x", certificate=proof)
    ledger.spend("visits", proof.guarantee, what="x", certificate=proof, person="patient")
    assert ledger.balance("visits").unit == AccountUnit("patient", None)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"person": ""}, "name of the column"),
        ({"person": 3}, "name of the column"),
        ({"rows": 0}, "at least 1"),
        ({"rows": 1.5}, "whole number"),
    ],
    ids=str,
)
def test_what_is_no_unit_is_refused(ledger: nw.Ledger, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        ledger.grant("visits", epsilon=1, **options)
    with pytest.raises(ParameterError):
        AccountUnit(None, None)
    assert ledger.history() == ()
