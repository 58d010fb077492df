"""Processes that want the same budget at the same time."""

import multiprocessing
from collections.abc import Callable
from typing import Any

import noisewright as nw
from noisewright.errors import OverBudgetError

# Forked: real processes that need no loading, and a test that nothing is shared by mistake.
FORKED = multiprocessing.get_context("fork")

TENTH = nw.accounting.Guarantee("1/10")


def spend_all(where: str, start: Any, answers: Any) -> None:
    """Spend a tenth again and again until nothing fits; answer with the entries' numbers."""
    try:
        ledger = nw.Ledger.open(where)
        start.wait()
        mine: list[int] = []
        try:
            while True:
                mine.append(ledger.spend("survey", TENTH, what="race").sequence)
        except OverBudgetError:
            answers.put(mine)
    except BaseException as problem:
        answers.put(repr(problem))
        raise


def race(where: str, racers: int) -> list[list[int]]:
    """Let processes race for one ledger, and return what each of them got."""
    start, answers = FORKED.Barrier(racers), FORKED.Queue()
    return gathered(
        [FORKED.Process(target=spend_all, args=(where, start, answers)) for _ in range(racers)],
        answers.get,
    )


def gathered(processes: list[Any], answer: Callable[..., Any]) -> list[Any]:
    for process in processes:
        process.start()
    answers = [answer(timeout=100) for _ in processes]
    for process in processes:
        process.join()
    return answers
