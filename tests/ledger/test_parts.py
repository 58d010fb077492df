"""Spends on disjoint parts: the ledger against every way in which a person can change the data.

The slow model knows nothing of convexity: it tries all places that a person's rows can have before
and after, and takes the worst. Losses are multiples of ln 2, so that e^ε is rational and all is
exact.
"""

import itertools
import math
import os
import signal
import time
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import noisewright as nw
from noisewright.errors import AlteredLedgerError, OverBudgetError, ParameterError, UnitError
from noisewright.ledger import DataPart, Partition
from noisewright.ledger.claims import Claim
from noisewright.ledger.entries import LedgerEntry
from tests.ledger.crowd import FORKED, TENTH, gathered
from tests.ledger.test_chain import insert, rows as rows_of
from tests.ledger.test_checkpoints import DESCRIPTION, ENTRIES, edited

Guarantee = nw.accounting.Guarantee
ADD: Any = "add or remove"
REGION = Partition(by="region", keys=["north", "south", "west"])
ONE_REGION = Partition(by="region", keys=["north", "south", "west"], per_person=1)
AGE = Partition(by="age", keys=["young", "old"], of="ab" * 32)


@pytest.fixture
def ledger(folder: Path) -> nw.Ledger:
    return nw.Ledger.create(folder / "budget.db")


@dataclass(frozen=True)
class Spent:
    """A promise of n·ln 2, δ and ρ about a key of a partition, or about all data."""

    where: tuple[int, int] | None
    doublings: int
    delta: Fraction
    rho: Fraction


@cache
def cost(spend: Spent, steps: int) -> tuple[int, Fraction, Fraction]:
    factor = sum((Fraction(2) ** (spend.doublings * i) for i in range(steps)), Fraction(0))
    return steps * spend.doublings, spend.delta * factor, steps**2 * spend.rho


def worst(history: list[Spent], sizes: list[int], rows: int, change: str) -> tuple[Any, ...]:
    """Try every key in every partition for each row that comes or goes; -1 is in no part."""
    steps = rows * (2 if change == "replace" else 1)
    found = (0, Fraction(0), Fraction(0))
    each = (itertools.combinations_with_replacement(range(-1, size), steps) for size in sizes)
    places = itertools.product(*map(list, each))
    for place in places:
        costs = [
            cost(
                spend, steps if spend.where is None else place[spend.where[0]].count(spend.where[1])
            )
            for spend in history
        ]
        sums = tuple(sum(column, Fraction(0)) for column in zip(*costs, strict=True))
        found = tuple(max(a, b) for a, b in zip(found, sums or found, strict=True))
    return found


SPENDS = st.builds(
    Spent,
    st.sampled_from([None, (0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]),
    st.integers(0, 3),
    st.sampled_from([Fraction(0), Fraction(1, 10**6), Fraction(3, 10**7)]),
    st.fractions(0, 1, max_denominator=9),
)
counter = itertools.count()


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(SPENDS, min_size=1, max_size=6),
    st.sampled_from([(1, ADD), (1, "replace"), (2, ADD), (2, "replace"), (3, ADD)]),
    st.sampled_from([(2, "replace"), (3, "replace")]),
    st.booleans(),
)
def test_the_ledger_charges_what_the_worst_change_costs(
    folder: Path, history: list[Spent], unit: tuple[int, Any], later: tuple[int, Any], in_rho: bool
) -> None:
    ledger = nw.Ledger.create(folder / f"{next(counter)}.db")
    budget: dict[str, Any] = {"rho": 10**6} if in_rho else {"epsilon": 10**6, "delta": 1}
    ledger.grant("survey", **budget, rows=unit[0], change=unit[1])
    for number, spend in enumerate(history, start=1):
        part = None
        if spend.where is not None:
            partition = (REGION, AGE)[spend.where[0]]
            part = partition.part(partition.keys[spend.where[1]])
        promised = Guarantee(alpha=Fraction(1, 2**spend.doublings), delta=spend.delta)
        ledger.spend("survey", promised, what="x", change=ADD, rho=spend.rho, part=part)
        epsilon, delta, rho = worst(history[:number], [3, 2], *unit)
        assert amounts(ledger, in_rho) == ((rho,) if in_rho else (2**epsilon, delta))
    assert nw.Ledger.open(ledger.where).verify() == ledger.head
    if later[0] < unit[0]:
        return
    ledger.grant("survey", rows=later[0], change=later[1])
    epsilon, delta, rho = worst(history, [3, 2], *later)
    if in_rho:
        assert amounts(ledger, in_rho) == (rho,)
        return
    ratio, restated = amounts(ledger, in_rho)
    assert ratio == 2**epsilon
    # e^ε is rounded up in steps of ε = 1/64 when δ is restated.
    assert delta <= restated <= delta * Fraction(math.exp(2 * later[0] / 64))


def amounts(ledger: nw.Ledger, in_rho: bool) -> tuple[Any, ...]:
    balance = ledger.balance("survey")
    if balance.rho is not None:
        assert in_rho
        return (balance.rho.spent.rho,)
    return balance.spent.epsilon.power, balance.spent.delta


@pytest.mark.parametrize("change", [ADD, "replace"])
@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_person_who_is_in_several_parts_is_charged_for_these(
    ledger: nw.Ledger, change: Any, most: int
) -> None:
    """All rows of a person: every choice of at most `most` parts before, and after."""
    ledger.grant("survey", rho=100, person="patient", change=change)
    partition = Partition(by="region", keys=list("abcd"), per_person=most)
    rhos = {"a": Fraction(1, 2), "b": Fraction(1, 3), "c": Fraction(1, 5), "d": Fraction(2, 7)}
    for key, rho in rhos.items():
        part = partition.part(key)
        options: Any = {"what": "x", "person": "patient", "change": ADD, "rho": rho, "part": part}
        ledger.spend("survey", Guarantee(9, "1e-6"), **options)
    choices = [set(c) for m in range(most + 1) for c in itertools.combinations(rhos, m)]
    after = choices if change == "replace" else [set[str]()]
    worst = max(
        sum((((key in x) + (key in y)) ** 2 * rho for key, rho in rhos.items()), Fraction(0))
        for x, y in itertools.product(choices, after)
    )
    budget = ledger.balance("survey").rho
    assert budget is not None
    assert budget.spent.rho == worst
    assert nw.Ledger.open(ledger.where).verify() == ledger.head


def test_a_person_may_be_replaced_by_another_one_of_the_same_part() -> None:
    """Why the two largest parts are not enough: tables of one person, and all that is learned.

    An answer about each part: its odds double when x is added, and halve when y is.
    """
    tables = [(region, kind) for region in ("north", "south") for kind in ("x", "y")]
    odds = {"north": Fraction(4), "south": Fraction(2)}

    def law(table: tuple[str, str] | None) -> dict[Any, Fraction]:
        heads: list[Fraction] = []
        for region, odd in odds.items():
            mine = table is not None and table[0] == region
            odd = (odd if table and table[1] == "x" else 1 / odd) if mine else Fraction(1)
            # Chances a/(a + b) whose ratios to 1/2 are within the odds, both ways.
            heads.append(odd / (odd + 1))
        return {
            answer: Fraction(
                math.prod(p if yes else 1 - p for yes, p in zip(answer, heads, strict=True))
            )
            for answer in itertools.product((0, 1), repeat=2)
        }

    def ratio(a: Any, b: Any) -> Fraction:
        return max(max(law(a)[y] / law(b)[y], law(b)[y] / law(a)[y]) for y in law(a))

    adding = {region: max(ratio(t, None) for t in tables if t[0] == region) for region in odds}
    replacing = max(ratio(a, b) for a, b in itertools.combinations(tables, 2))
    assert replacing > adding["north"] * adding["south"]
    assert replacing <= adding["north"] ** 2


def test_the_same_budget_is_there_for_every_part(ledger: nw.Ledger) -> None:
    ledger.grant("survey", epsilon=1, rows=1, change=ADD)
    for key in REGION.keys:
        ledger.spend("survey", Guarantee("3/4"), what=key, change=ADD, part=REGION.part(key))
    assert ledger.balance("survey").spent == Guarantee("3/4")
    with pytest.raises(OverBudgetError, match=r"in the part 'west' of region.*up to 0\.25") as over:
        ledger.spend("survey", Guarantee("1/2"), what="x", change=ADD, part=REGION.part("west"))
    assert over.value.left == Guarantee("1/4")
    ledger.spend("survey", Guarantee("1/8"), what="x", change=ADD, part=REGION.part("west"))
    assert nw.Ledger.open(ledger.where).balance("survey") == ledger.balance("survey")
    # What is left in a smaller part is more than what is left for all data.
    assert ledger.remaining("survey") == Guarantee("1/8")
    ledger.require_room("survey", Guarantee("1/4"), change=ADD, part=REGION.part("south"))
    with pytest.raises(OverBudgetError):
        ledger.require_room("survey", Guarantee("1/4"), change=ADD)
    # Another partition, of other keys or of another derivation, is charged by itself.
    for other in (
        AGE,
        Partition("region", [*REGION.keys, "east"]),
        Partition("region", REGION.keys, of="1"),
        ONE_REGION,
    ):
        with pytest.raises(OverBudgetError):
            ledger.require_room(
                "survey", Guarantee("1/4"), change=ADD, part=other.part(other.keys[0])
            )


def test_what_is_no_part_is_refused(ledger: nw.Ledger) -> None:
    ledger.grant("survey", epsilon=9, rows=1)
    ledger.grant("visits", epsilon=9, person="patient")
    one, part = Guarantee(1), REGION.part("north")
    with pytest.raises(UnitError, match="How many people are in a part is private"):
        ledger.spend("survey", one, what="x", part=part)
    with pytest.raises(UnitError, match=r"in how many parts.*per_person=1.*Nothing was recorded"):
        ledger.spend("visits", one, what="x", person="patient", change=ADD, part=part)
    alone = ONE_REGION.part("north")
    ledger.spend("visits", one, what="x", person="patient", change=ADD, part=alone)
    ledger.grant("visits", person="patient", rows=5)
    ledger.spend("visits", one, what="x", person="patient", change=ADD, part=part)
    assert ledger.balance("visits").spent == Guarantee(4)
    with pytest.raises(ParameterError, match="not among the 3 keys"):
        REGION.part("east")
    wrong: Any
    for wrong in ([], ["a", "a"], [1, 2], "ab"):
        with pytest.raises(ParameterError):
            Partition("region", wrong)
    with pytest.raises(ParameterError, match="at least 1"):
        Partition("region", ["a"], per_person=0)
    wrong = "north"
    with pytest.raises(ParameterError, match="part"):
        ledger.spend("survey", one, what="x", change=ADD, part=wrong)


def spend_part(where: str, key: str, start: Any, answers: Any) -> None:
    ledger, mine = nw.Ledger.open(where), 0
    start.wait()
    try:
        while True:
            ledger.spend("survey", TENTH, what="race", change=ADD, part=REGION.part(key))
            mine += 1
    except OverBudgetError:
        answers.put((key, mine))


def test_processes_race_for_the_same_parts(ledger: nw.Ledger) -> None:
    ledger.grant("survey", epsilon=1, rows=1, change=ADD)
    keys = ["north", "south", "north", "south"]
    start, answers = FORKED.Barrier(len(keys)), FORKED.Queue()
    arguments = [(ledger.where, key, start, answers) for key in keys]
    racers = [FORKED.Process(target=spend_part, args=each) for each in arguments]
    got = gathered(racers, answers.get)
    for key in ("north", "south"):
        assert sum(count for name, count in got if name == key) == 10
    assert ledger.balance("survey").left == Guarantee(0)
    assert ledger.verify() == ledger.head


def spend_forever(where: str) -> None:
    ledger = nw.Ledger.open(where)
    for number in itertools.count():
        part = REGION.part(REGION.keys[number % 3])
        ledger.spend("survey", Guarantee(1, "1e-6"), what="x", rho="1/9", change=ADD, part=part)


def test_a_process_that_is_killed_leaves_whole_entries(ledger: nw.Ledger) -> None:
    ledger.grant("survey", rho=10**6, rows=1, change=ADD)
    for moment in range(5):
        process = FORKED.Process(target=spend_forever, args=(ledger.where,))
        before = len(ledger.history())
        process.start()
        assert process.pid is not None
        while len(ledger.history()) <= before:
            time.sleep(0.005)
        time.sleep(0.003 * moment)
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        assert ledger.verify() == nw.Ledger.open(ledger.where).head
    spends = [Claim.read(entry.claim or "").part for entry in ledger.history()[1:]]
    most = max(spends.count(REGION.part(key)) for key in REGION.keys)
    budget = ledger.balance("survey").rho
    assert budget is not None
    assert budget.spent.rho == Fraction(most, 9)


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("rho", "1/2", "1/3", "spends less than it promises"),
        ("rho", "1/2", None, "spends less than it promises"),
        ("epsilon", "2", "1", "spends less than it promises"),
        ("claim", '"south"', "7", "promises what its account cannot be charged for"),
        ("claim", '"rho":"1/8"', '"rho":"-1/8"', "promises what its account cannot be charged for"),
        ("claim", ',"rho":"1/8"', "", "promises what its account cannot be charged for"),
        ("claim", "add or remove", "replace", "promises what its account cannot be charged for"),
        ("claim", '"south"', '"north"', "spends more than was left"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_forged_entry_is_noticed_although_its_hash_is_right(
    ledger: nw.Ledger, name: str, old: str, new: str | None, words: str
) -> None:
    """Only the last entry is forged, and its hash and the head made to fit."""
    ledger.grant("survey", rho="1/2", rows=1)
    for key in ("north", "south"):
        some = Guarantee(1, "1e-6")
        ledger.spend("survey", some, what="x", rho="1/8", change=ADD, part=REGION.part(key))
    path = Path(ledger.where)
    last = rows_of(path)[-1]
    assert old in last[name]
    content = {k: v for k, v in last.items() if k != "hash"}
    content[name] = None if new is None else last[name].replace(old, new)
    forged = LedgerEntry.seal(content)

    def forge(database: Any) -> None:
        database.execute(f"DELETE FROM {ENTRIES} WHERE sequence = 3")
        insert(database, forged)
        database.execute(f"UPDATE {DESCRIPTION} SET head_hash = ?", (forged.hash,))

    edited(path, forge)
    with pytest.raises(AlteredLedgerError, match=words) as problem:
        nw.Ledger.open(path)
    assert problem.value.entry == 3


def test_checkpoints_know_the_parts(ledger: nw.Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noisewright.ledger.store.EVERY", 4)
    ledger.grant("survey", epsilon=99, delta="1/10", rows=1, change=ADD)
    ledger.grant("visits", rho=99, person="patient", rows=3, change=ADD)
    for number in range(9):
        part = AGE.part(AGE.keys[number % 2])
        some = Guarantee(alpha="2/3", delta="1e-6")
        ledger.spend("survey", some, what="x", change=ADD, part=part)
        part = REGION.part(REGION.keys[number % 3])
        whom = "patient" if number % 2 else None
        ledger.spend("visits", some, what="x", change=ADD, part=part, rho="1/7", person=whom)
        if number == 5:
            ledger.grant("survey", rows=2)
            ledger.grant("visits", person="patient", rows=4, change="replace")
        again = nw.Ledger.open(ledger.where)._journal
        opened, read = again.book(), again.verify(head=None)
        assert opened == read
        assert all(
            opened.accounts[name].total == read.accounts[name].total for name in read.accounts
        )
        assert again.book().checkpoint > 0
        assert again.book().accounts == ledger._journal.book().accounts
    assert DataPart(*REGION.part("west")) == REGION.part("west")


@pytest.mark.parametrize("largest", REGION.keys)
def test_restated_the_largest_part_still_counts(ledger: nw.Ledger, largest: str) -> None:
    ledger.grant("survey", epsilon=99, rows=1, change=ADD)
    for key in REGION.keys:
        amount = Guarantee(5 if key == largest else 1)
        ledger.spend("survey", amount, what="x", change=ADD, part=REGION.part(key))
    ledger.grant("survey", rows=3, change="replace")
    assert ledger.balance("survey").spent == Guarantee(30)
