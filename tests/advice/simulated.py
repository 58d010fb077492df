"""How far each tool is off in fact: it is used many times, and compared with the rows."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import noisewright as nw
from noisewright.advice.questions import AdvisedQuestion

Answers = list[Any]
DELTA = "1e-9"


def true_answers(table: Any, columns: Any, questions: Sequence[AdvisedQuestion]) -> Answers:
    """Return the answers of a table, row by row."""
    return [_answer(table, columns, one) for one in questions]


def _answer(table: Any, columns: Mapping[str, Any], one: AdvisedQuestion) -> Any:
    cells = [np.asarray(table[name].to_pylist()) for name in one.columns]
    if one.kind in ("mean", "median"):
        return getattr(np, one.kind)(cells[0].astype(float))
    spaces = [columns[name].space for name in one.columns]
    codes = [
        np.searchsorted([space.point(k) for k in range(space.size)], own)
        for space, own in zip(spaces, cells, strict=True)
    ]
    sizes = [space.size for space in spaces]
    counts = np.bincount(np.ravel_multi_index(codes, sizes), minlength=int(np.prod(sizes)))
    return counts / len(cells[0])


def by_copy(plan: nw.Plan) -> Callable[..., Answers]:
    """Return what answers from a private copy."""

    def answers(table: Any, columns: Any, questions: Sequence[AdvisedQuestion]) -> Answers:
        made = nw.release(table, plan, ledger=None)
        words = {"mean": ("mean", None), "median": ("quantiles", [0.5])}
        found: Answers = []
        for one in questions:
            word, at = words.get(one.kind, ("shares", None))
            of = one.columns[0] if len(one.columns) == 1 else one.columns
            found.append(np.ravel(made.estimate(of, question=word, at=at).values))
        return found

    return answers


def by_synthesis(epsilon: Any) -> Callable[..., Answers]:
    """Return what answers from a synthetic table."""

    def answers(table: Any, columns: Any, questions: Sequence[AdvisedQuestion]) -> Answers:
        made = nw.synthesize(table, columns, epsilon=epsilon, delta=DELTA, ledger=None)
        return true_answers(made.table, columns, questions)

    return answers


def by_asking(epsilon: Any) -> Callable[..., Answers]:
    """Return what answers questions that are asked together."""

    def answers(table: Any, columns: Any, questions: Sequence[AdvisedQuestion]) -> Answers:
        people = nw.Private(table, columns=columns, ledger=None)
        asked: list[Any] = []
        for one in questions:
            name = one.columns[0]
            if one.kind == "mean":
                asked.append(people.agg(answer=nw.col(name).mean()))
            elif one.kind == "median":
                asked.append(people.agg(answer=nw.col(name).median()))
            else:
                asked.append(people.group_by(*one.columns).agg(answer=nw.count()))
        made = nw.ask(asked, epsilon=epsilon, delta=DELTA)
        rows = table.num_rows
        return [
            np.asarray(answer.table["answer"].to_pylist(), dtype=float)
            / (rows if one.kind in ("shares", "pairs") else 1)
            for one, answer in zip(questions, made, strict=True)
        ]

    return answers


def found_errors(
    tool: Callable[..., Answers],
    table: Any,
    columns: Any,
    questions: Sequence[AdvisedQuestion],
    *,
    times: int,
) -> list[float]:
    """Return the root mean square error of each question over so many uses of a tool."""
    truth = true_answers(table, columns, questions)
    squares = np.zeros(len(questions))
    for _ in range(times):
        found = tool(table, columns, questions)
        squares += [np.mean((a - b) ** 2) for a, b in zip(found, truth, strict=True)]
    return np.sqrt(squares / times).tolist()
