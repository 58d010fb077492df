"""The ledger against a model of a few lines: grants, spends and outcomes in any order.

The model adds in rationals where all are rational, and otherwise in decimals of 80 digits. A sum
with a logarithm is irrational and the budget is not, so 80 digits decide.
"""

import itertools
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import noisewright as nw
from noisewright.errors import BudgetError, OverBudgetError, UnknownDatasetError
from noisewright.ledger.totals import read_epsilon, recordable

NAMES = st.sampled_from(["survey", "trips"])
NUMBERS = st.fractions(min_value=0, max_value=3, max_denominator=60)
DELTAS = st.fractions(min_value=0, max_value="1/20", max_denominator=1000)
SPENT = st.one_of(
    NUMBERS.map(lambda e: {"epsilon": e}),
    st.fractions(min_value="1/10", max_value=1, max_denominator=40).map(lambda a: {"alpha": a}),
)
STEPS = st.one_of(
    st.tuples(st.just("grant"), NAMES, NUMBERS, DELTAS),
    st.tuples(st.just("spend"), NAMES, SPENT, DELTAS),
    st.tuples(st.just("spend all"), NAMES),
    st.tuples(st.just("finish"), st.integers(1, 12), st.sampled_from(["released", "wasted"])),
    st.tuples(st.just("open again")),
)


@dataclass
class Account:
    granted: Fraction = Fraction(0)
    granted_delta: Fraction = Fraction(0)
    spent: list[dict[str, Fraction]] = field(default_factory=list)
    spent_delta: Fraction = Fraction(0)

    def room(self, more: list[dict[str, Fraction]]) -> Decimal | Fraction:
        """What is left of ε after these, exactly or to 80 digits."""
        every = [*self.spent, *more]
        rational = self.granted - sum((s["epsilon"] for s in every if "epsilon" in s), Fraction(0))
        alphas = [s["alpha"] for s in every if "alpha" in s and s["alpha"] != 1]
        if not alphas:
            return rational
        product = Fraction(1)
        for alpha in alphas:
            product *= alpha
        with localcontext(prec=80):
            logs = (Decimal(product.numerator) / Decimal(product.denominator)).ln()
            return Decimal(rational.numerator) / Decimal(rational.denominator) + logs


counter = itertools.count()


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STEPS, min_size=4, max_size=14))
def test_the_ledger_is_the_model(folder: Path, steps: list[tuple]) -> None:
    path = folder / f"{next(counter)}.db"
    ledger = nw.Ledger.create(path)
    model: dict[str, Account] = {}
    states: dict[int, str] = {}
    entries = 0
    for step in steps:
        head = ledger.head
        match step:
            case ("grant", name, epsilon, delta):
                if epsilon == delta == 0:
                    continue
                ledger.grant(name, epsilon=epsilon, delta=delta)
                account = model.setdefault(name, Account())
                account.granted += epsilon
                account.granted_delta += delta
                entries += 1
            case ("spend", name, spent, delta):
                guarantee = nw.accounting.Guarantee(**spent, delta=delta)
                account = model.get(name)
                if account is None:
                    with pytest.raises(UnknownDatasetError):
                        ledger.spend(name, guarantee, what="x")
                elif (
                    account.room([spent]) < 0 or account.spent_delta + delta > account.granted_delta
                ):
                    with pytest.raises(OverBudgetError) as refused:
                        ledger.spend(name, guarantee, what="x")
                    assert refused.value.left == ledger.remaining(name)
                    assert ledger.head == head
                else:
                    states[ledger.spend(name, guarantee, what="x").sequence] = "reserved"
                    account.spent.append(spent)
                    account.spent_delta += delta
                    entries += 1
            case ("spend all", name) if name in model:
                left = ledger.remaining(name)
                states[ledger.spend(name, left, what="all").sequence] = "reserved"
                model[name].spent.append({"epsilon": left.epsilon.rational})
                model[name].spent_delta += left.delta
                entries += 1
            case ("finish", number, state):
                if states.get(number) == "reserved":
                    ledger.finish(number, state)
                    states[number] = state
                    entries += 1
                else:
                    with pytest.raises(BudgetError):
                        ledger.finish(number, state)
            case _:
                ledger = nw.Ledger.open(path, head=head)
        for name, account in model.items():
            balance = ledger.balance(name)
            room = account.room([])
            left = balance.left.epsilon.rational
            if isinstance(room, Fraction):
                assert left == room
                assert balance.spent.epsilon.rational == account.granted - room
            else:
                with localcontext(prec=80):
                    slack = room - Decimal(left.numerator) / Decimal(left.denominator)
                assert 0 <= slack < Decimal("1e-50")
            assert balance.left.delta == account.granted_delta - account.spent_delta
            assert set(balance.reserved) == {
                n
                for n, state in states.items()
                if state == "reserved" and n in {e.sequence for e in ledger.history(name)}
            }
    assert len(ledger.history()) == entries
    assert {n: ledger.state(n) for n in states} == states


def test_what_the_message_says_fits_does_fit_and_no_more(folder: Path) -> None:
    ledger = nw.Ledger.create(folder / "b.db")
    ledger.grant("survey", epsilon=1, delta="1e-9")
    ledger.spend("survey", nw.accounting.Guarantee(alpha="2/3", delta="1/3000000000"), what="x")
    with pytest.raises(OverBudgetError, match="too much epsilon for 'survey'") as refused:
        ledger.spend("survey", nw.accounting.Guarantee(1), what="y")
    words = str(refused.value).partition("epsilon up to ")[2].split()
    epsilon, delta = words[0], words[5].rstrip(".")
    assert float(epsilon) == pytest.approx(1 - 0.405465108108, abs=1e-11)
    ledger.spend("survey", nw.accounting.Guarantee(epsilon, delta), what="as the message says")
    with pytest.raises(OverBudgetError, match="too much epsilon and delta"):
        ledger.spend("survey", nw.accounting.Guarantee("1e-10", "1e-10"), what="z")
    with pytest.raises(OverBudgetError, match="too much delta"):
        ledger.spend("survey", nw.accounting.Guarantee(0, "1e-10"), what="z")


def test_a_budget_of_doubles_and_logarithms_is_decided_to_the_last_bit(folder: Path) -> None:
    ledger = nw.Ledger.create(folder / "b.db")
    ledger.grant("tenths", epsilon="0.3")
    for _ in range(3):
        ledger.spend("tenths", nw.accounting.Guarantee("0.1"), what="x")
    assert ledger.remaining("tenths").epsilon.is_zero
    # Three doubles 0.1 are more than the decimal 0.3, by 2^-56 or so.
    ledger.grant("doubles", epsilon="0.3")
    ledger.spend("doubles", nw.accounting.Guarantee(0.1), what="x")
    ledger.spend("doubles", nw.accounting.Guarantee(0.1), what="x")
    with pytest.raises(OverBudgetError):
        ledger.spend("doubles", nw.accounting.Guarantee(0.1), what="x")
    # ln 3 lies between two rationals that are 2^-150 apart.
    below = nw.accounting.Epsilon.log(Fraction(3)).bounds(150)[0]
    for extra, fits in ((0, False), (2, True)):
        name = f"log{extra}"
        ledger.grant(name, epsilon=Fraction(below + extra, 1 << 150))
        if fits:
            ledger.spend(name, nw.accounting.Guarantee(alpha="1/3"), what="x")
        else:
            with pytest.raises(OverBudgetError):
                ledger.spend(name, nw.accounting.Guarantee(alpha="1/3"), what="x")


def test_numbers_too_long_to_write_out_are_rounded_up(folder: Path) -> None:
    """Spends of ln(r) with long r, and a guarantee whose fraction has 10,000 digits."""
    long = Fraction(10**10_000 + 1, 3 * 10**10_000)
    kept = recordable(nw.accounting.Guarantee(long))
    assert kept.epsilon.rational > long
    assert kept.epsilon.rational - long < Fraction(1, 2**190)
    ledger = nw.Ledger.create(folder / "b.db")
    ledger.grant("survey", epsilon=100)
    spent = ledger.spend("survey", nw.accounting.Guarantee(long), what="x")
    assert read_epsilon(spent.entry.epsilon or "") == kept.epsilon
    ratio = Fraction(2**3000 + 1, 2**3000)
    for _ in range(6):
        ledger.spend(
            "survey", nw.accounting.Guarantee(nw.accounting.Epsilon.log(1 + ratio)), what="x"
        )
    left = float(ledger.remaining("survey").epsilon)
    assert left == pytest.approx(100 - 1 / 3 - 6 * 0.6931471805599453, abs=1e-12)
    nw.Ledger.open(folder / "b.db")
