"""Choices and BLR are proven, then debited, then drawn: what the ledger says, and when."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

import pytest

import noisewright as nw
from noisewright.errors import EntropyError, OverBudgetError, ParameterError
from noisewright.sampling import Source

ONE = nw.Records(value=nw.Categories([0, 1]))
NAMES = ["a", "b", "c"]
CHOICES: dict[str, tuple[Callable[[], Any], str]] = {
    "exponential": (
        lambda: nw.exponential(NAMES, [3, 2, 1], sensitivity=1, epsilon=1),
        "a choice by exponential mechanism",
    ),
    "permute and flip": (
        lambda: nw.select.permute_and_flip(NAMES, [3, 2, 1], sensitivity=1, epsilon=1),
        "a choice by permute and flip",
    ),
    "noisy max": (
        lambda: nw.select.noisy_max(NAMES, [3, 2, 1], sensitivity=1, epsilon=1),
        "a choice by noisy max",
    ),
    "top k": (
        lambda: nw.select.top_k(NAMES, [3, 2, 1], k=2, sensitivity=1, epsilon=1),
        "the top 2 by permute and flip",
    ),
    "quantile": (
        lambda: nw.select.private_quantile([1, 2, 3], nw.Counts(9), at="1/4", epsilon=1),
        "a private quantile at 1/4",
    ),
    "BLR": (
        lambda: nw.workloads.blr(
            [(0,), (1,)], nw.workloads.Workload.marginals(ONE), epsilon=1, m=3
        ),
        "3 synthetic records by BLR",
    ),
}


@pytest.fixture(params=CHOICES)
def made(request: pytest.FixtureRequest) -> tuple[Any, str]:
    make, words = CHOICES[request.param]
    return make(), words


@pytest.fixture
def ledger(tmp_path: Path) -> nw.Ledger:
    ledger = nw.Ledger.create(tmp_path / "budget.db")
    ledger.grant("people", epsilon="3/2")
    return ledger


class NoBits(Source):
    """A source that looks into the ledger and then has nothing to give."""

    def __init__(self, ledger: nw.Ledger) -> None:
        self.ledger = ledger
        self.seen = ""

    @property
    def private(self) -> bool:
        return True

    def fill(self, buffer: Any) -> NoReturn:
        self.seen = self.ledger.state(self.ledger.history()[-1].sequence)
        raise OSError("no bits")


def test_the_debit_comes_first_and_the_second_draw_is_over_budget(
    ledger: nw.Ledger, made: tuple[Any, str]
) -> None:
    choice, words = made
    assert choice.sample(ledger=ledger, dataset="people") is not None
    entry = next(entry for entry in ledger.history() if entry.kind == "spend")
    assert (entry.what, entry.guarantee) == (words, nw.accounting.Guarantee(1))
    assert entry.certificate == choice.certificate.digest
    assert ledger.state(entry.sequence) == "released"
    bits = NoBits(ledger)
    with pytest.raises(OverBudgetError):
        choice.sample(ledger=ledger, dataset="people", source=bits)
    assert bits.seen == ""
    assert ledger.remaining("people") == nw.accounting.Guarantee("1/2")


def test_a_draw_that_fails_stays_spent(ledger: nw.Ledger, made: tuple[Any, str]) -> None:
    choice, _ = made
    bits = NoBits(ledger)
    with pytest.raises(OSError, match="no bits"):
        choice.sample(ledger=ledger, dataset="people", what="a test", source=bits)
    assert bits.seen == "reserved"
    spends = [entry for entry in ledger.history() if entry.kind == "spend"]
    assert [entry.what for entry in spends] == ["a test"]
    assert ledger.state(spends[0].sequence) == "wasted"
    assert ledger.remaining("people") == nw.accounting.Guarantee("1/2")


def test_no_ledger_pays_for_seeded_draws(ledger: nw.Ledger, made: tuple[Any, str]) -> None:
    choice, _ = made
    head = ledger.head
    with pytest.raises(EntropyError, match="a budget pays for private entropy only"):
        choice.sample(ledger=ledger, dataset="people", source=nw.randomness.SeededSource(1))
    assert ledger.head == head


BAD: list[tuple[Callable[[nw.Ledger], dict[str, Any]], str]] = [
    (lambda ledger: {"ledger": ledger}, "dataset= is missing"),
    (lambda ledger: {"dataset": "people"}, "no ledger is given"),
    (lambda ledger: {"ledger": 3, "dataset": "people"}, "give a Ledger, a path"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_who_pays(
    ledger: nw.Ledger,
    made: tuple[Any, str],
    arguments: Callable[[nw.Ledger], dict[str, Any]],
    message: str,
) -> None:
    with pytest.raises(ParameterError, match=message):
        made[0].sample(**arguments(ledger))
    assert [entry.kind for entry in ledger.history()].count("spend") == 0


TINY = Fraction(1, 10**9)
DATASETS: dict[str, Any] = {
    "ties": [0, 0, 0],
    "a tie and a step": [0, 0, TINY],
    "whole numbers": [0, 1, 7],
    "fractions": [0, Fraction(1, 3), TINY / 7],
    "doubles": [0.0, 1e-9, 0.5],
}
HUGE_FACTORS: dict[str, Callable[[Any], Any]] = {
    "exponential": lambda q: nw.exponential(NAMES, q, sensitivity=TINY, epsilon=1),
    "permute and flip": lambda q: nw.select.permute_and_flip(NAMES, q, sensitivity=TINY, epsilon=1),
    "top k by permuting": lambda q: nw.select.top_k(NAMES, q, k=2, sensitivity=TINY, epsilon=1),
    "top k": lambda q: nw.select.top_k(
        NAMES, q, k=2, sensitivity=TINY, epsilon=1, method="exponential"
    ),
    "many": lambda q: nw.exponential(range(300), [*q, *([0] * 297)], sensitivity=TINY, epsilon=1),
    "many doubles": lambda q: nw.exponential(
        range(300), [float(v) for v in (*q, *([0] * 297))], sensitivity=TINY, epsilon=1
    ),
}


@pytest.mark.parametrize("data", DATASETS)
@pytest.mark.parametrize("choice", HUGE_FACTORS)
def test_whether_there_is_an_answer_does_not_depend_on_the_data(choice: str, data: str) -> None:
    # Means over a billion people change by so little that a unit of quality is worth e^(10^8).
    made = HUGE_FACTORS[choice](DATASETS[data])
    assert made.sample() is not None
    assert made.certificate.guarantee.epsilon <= nw.accounting.Epsilon.of(1)


def test_a_path_without_a_ledger_says_how_to_make_one(tmp_path: Path) -> None:
    choice = CHOICES["exponential"][0]()
    with pytest.raises(nw.errors.LedgerError, match="there is no ledger at"):
        choice.sample(ledger=tmp_path / "nothing.db", dataset="people")


def test_what_is_no_source_is_refused_before_the_debit(ledger: nw.Ledger) -> None:
    before = ledger.balance("people")
    source: Any = 7
    with pytest.raises(ParameterError, match="source is of type int"):
        CHOICES["exponential"][0]().sample(ledger=ledger, dataset="people", source=source)
    assert ledger.balance("people") == before


def test_a_path_is_as_good_as_an_open_ledger(tmp_path: Path) -> None:
    where = tmp_path / "budget.db"
    nw.Ledger.create(where).grant("people", epsilon=2)
    choice = nw.exponential(["a", "b"], [1, 2], sensitivity=1, epsilon=1)
    assert choice.sample(ledger=where, dataset="people") in {"a", "b"}
    assert choice.sample(ledger=str(where), dataset="people") in {"a", "b"}
    assert nw.Ledger.open(where).remaining("people") == nw.accounting.Guarantee(0)
    with pytest.raises(nw.errors.ParameterError, match="give a Ledger, a path"):
        choice.sample(ledger=3, dataset="people")  # pyright: ignore[reportArgumentType]
