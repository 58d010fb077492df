"""The one order of all jobs: what is called when, and what an error at each step costs."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import EntropyError, OverBudgetError, ParameterError
from noisewright.sampling import SeededSource
from noisewright.transaction import Job, Payment, Progress, transact

STEPS = ["hold", "check", "prove", "open", "draw", "close", "publish", "note", "page", "let go"]
BEFORE = STEPS[:4]
"""What fails here costs nothing."""

WITHIN = STEPS[4:7]
"""What fails here wastes the debit."""

PROOF = nw.certify(nw.geometric(nw.Counts(1), epsilon=1))


class Recorded(Job[str]):
    """Notes its steps, and what the ledger says at each; fails at one of them."""

    what = "a test"
    price = PROOF.guarantee

    def __init__(self, ledger: nw.Ledger | None, failing: str = "") -> None:
        self.seen: list[tuple[str, str]] = []
        self._ledger, self._failing = ledger, failing

    def _step(self, name: str) -> None:
        spends = [] if self._ledger is None else spends_of(self._ledger)
        self.seen.append((name, spends[-1] if spends else "nothing"))
        if name == self._failing:
            raise OSError(f"cannot {name}")

    @contextmanager
    def hold_place(self) -> Generator[None]:
        self._step("hold")
        yield
        self._step("let go")

    def check(self, progress: Progress | None) -> None:
        self._step("check")

    def prove(self) -> Any:
        self._step("prove")
        return PROOF

    @contextmanager
    def open(self, *, accounted: bool) -> Generator[None]:
        assert accounted == (self._ledger is not None)
        self._step("open")
        yield
        self._step("close")

    def draw(self, progress: Progress | None) -> str:
        self._step("draw")
        return "drawn"

    def publish(self, made: str, payment: Payment) -> str:
        self._step("publish")
        return f"{made}, published"

    def note(self, made: str, payment: Payment) -> str:
        self._step("note")
        return f"{made}, entry {payment.entry}"

    def page(self, made: str, progress: Progress | None) -> str:
        self._step("page")
        return f"{made}, with a page"


def spends_of(ledger: nw.Ledger) -> list[str]:
    return [ledger.state(one.sequence) for one in ledger.history() if one.kind == "spend"]


@pytest.fixture
def ledger(tmp_path: Path) -> nw.Ledger:
    made = nw.Ledger.create(tmp_path / "budget.db")
    made.grant("people", epsilon="3/2")
    return made


def test_check_prove_debit_draw_publish_page(ledger: nw.Ledger) -> None:
    job = Recorded(ledger)
    made = transact(job, ledger=ledger, dataset="people")
    assert made == "drawn, published, entry 2, with a page"
    assert [name for name, _ in job.seen] == STEPS
    states = dict(job.seen)
    assert {states[name] for name in BEFORE} == {"nothing"}
    assert {states[name] for name in WITHIN} == {"reserved"}
    assert {states[name] for name in STEPS[7:]} == {"released"}


@pytest.mark.parametrize("failing", STEPS)
def test_an_error_before_the_debit_is_free_and_one_within_it_wastes_it(
    ledger: nw.Ledger, failing: str
) -> None:
    job = Recorded(ledger, failing)
    with pytest.raises(OSError, match=f"cannot {failing}"):
        transact(job, ledger=ledger, dataset="people")
    expected = [] if failing in BEFORE else ["wasted"] if failing in WITHIN else ["released"]
    assert spends_of(ledger) == expected
    assert [name for name, _ in job.seen][-1] == failing


def test_nobody_accounts_only_without_a_ledger() -> None:
    job = Recorded(None)
    assert transact(job, ledger=None) == "drawn, published, entry None, with a page"
    assert [name for name, _ in job.seen] == STEPS


REFUSED: dict[str, tuple[Callable[[nw.Ledger], dict[str, Any]], type[Exception], str]] = {
    "no ledger": (lambda _: {"ledger": None, "dataset": "people"}, ParameterError, "no ledger"),
    "no dataset": (lambda book: {"ledger": book}, ParameterError, "dataset= is missing"),
    "no such thing": (lambda _: {"ledger": 3, "dataset": "x"}, ParameterError, "give a Ledger"),
    "a seed": (
        lambda book: {"ledger": book, "dataset": "people", "source": SeededSource(1)},
        EntropyError,
        "private entropy only",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_who_pays_is_asked_before_rows_are_checked(ledger: nw.Ledger, case: str) -> None:
    given, error, words = REFUSED[case]
    job = Recorded(ledger)
    with pytest.raises(error, match=words):
        transact(job, **given(ledger))
    assert [name for name, _ in job.seen] == ["hold"]


def test_what_does_not_fit_is_refused_before_rows_are_checked(ledger: nw.Ledger) -> None:
    transact(Recorded(ledger), ledger=ledger, dataset="people")
    job = Recorded(ledger)
    with pytest.raises(OverBudgetError):
        transact(job, ledger=ledger, dataset="people")
    assert [name for name, _ in job.seen] == ["hold"]
    assert spends_of(ledger) == ["released"]


def test_every_job_tells_how_far_it_is(tmp_path: Path) -> None:
    table = {"job": ["nurse", "judge"] * 30, "sick": ["yes", "no", "no"] * 20}
    plan = nw.Plan(
        {"job": nw.Column(["nurse", "judge"]), "sick": nw.Column(["yes", "no"])}, epsilon=1
    )
    told: dict[str, list[str]] = {}

    def watch(name: str) -> Progress:
        steps = told.setdefault(name, [])
        return lambda step, *_: steps.append(step)

    nw.release(table, plan, ledger=None, out=tmp_path / "a.csv", progress=watch("release"))
    nw.synthesize(table, plan, ledger=None, out=tmp_path / "b.csv", progress=watch("synthesize"))
    models: dict[str, Any] = {"ledger": None, "epsilon": 1, "label": "sick"}
    nw.models.PrivateNaiveBayes(plan, progress=watch("bayes"), **models).fit(table)
    nw.models.PrivateTree(plan, progress=watch("tree"), **models).fit(table)
    assert {name: list(dict.fromkeys(steps)) for name, steps in told.items()} == {
        "release": ["check", "draw", "page"],
        "synthesize": ["check", "draw", "fit", "page"],
        "bayes": ["check", "draw"],
        "tree": ["check", "draw", "fit"],
    }
