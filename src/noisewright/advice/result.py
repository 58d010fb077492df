"""What advice says: errors of all tools side by side, one recommendation and why."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, final

from noisewright.advice.differences import detectable_difference
from noisewright.advice.questions import KINDS, AdvisedQuestion
from noisewright.given import quantity
from noisewright.mechanisms import Guarantee
from noisewright.plans import USELESS, about
from noisewright.public import public_methods

Tool = Literal["shuffled", "kept", "synthetic", "asked"]

TOOLS: dict[Tool, str] = {
    "shuffled": "private copy, shuffled",
    "kept": "private copy, order kept",
    "synthetic": "synthetic table",
    "asked": "asked counts",
}
"""The tools; of two that are about as good, the earlier one serves more questions."""

_CLOSE = 1.5
"""Errors that are less than so many times smaller decide nothing: predictions are not finer."""

NO_ANSWER = "no answer"
"""What stands for the number of a tool that has none."""

_TINY = 1e-6
"""An error of so small a part of the range bothers nobody."""


@public_methods
@final
@dataclass(frozen=True, eq=False, repr=False)
class Advice:
    """Predicted errors of each tool under one guarantee; nothing was read, drawn or spent.

    `table` has a row for each question and a column for each tool: the error is the root of the
    mean square over its answers, in percentage points for shares and else in the unit of the
    column; null where the tool has no answer. `recommended` is "kept", "shuffled", "synthetic" or
    "asked", and None where none of them would say anything; `why` says why in a sentence.
    `guarantee` is the privacy loss of each person at most, with any tool, when all their rows
    (at most `rows_per_person`) are replaced; the number of rows is public. `notes` says what a
    tool leaves out, or why there are no numbers for it.
    """

    rows: int
    guarantee: Guarantee
    rows_per_person: int
    questions: tuple[AdvisedQuestion, ...]
    errors: Mapping[Tool, tuple[float | None, ...]]
    recommended: Tool | None
    why: str
    notes: tuple[str, ...] = ()

    @property
    def table(self) -> Any:
        """All questions with the errors of each tool, as an Arrow table."""
        return _in_arrow(_columns(self.questions, self.errors))

    def differences(self, *, confidence: float = 0.95, power: float = 0.8) -> Any:
        """Return how far two answers must be apart to be told from noise, as an Arrow table.

        There is a row for each question and a column for each tool, in the units of `table`. At
        the given `confidence`, a test of the difference of two shares of one question, or of two
        means, medians or items with this error each, finds a true difference of that size with
        probability `power`. Null where no possible difference would show.
        Requires: errors that are about normal, as they are unless groups are tiny. They are about
        the people in the table: a difference from a whole population needs the error of sampling
        besides.
        Source: Lehmann and Romano 2005, section 3.2.
        """
        return _in_arrow(_columns(self.questions, _differences(self, confidence, power)))

    @property
    def promise(self) -> str:
        """Which guarantee all tools are compared under, in words."""
        rows = self.rows_per_person
        whose = "the row" if rows == 1 else f"all rows (at most {rows:,})"
        return (
            f"Each tool on its own at {self.guarantee}, for replacing {whose} of one person, "
            "against whoever sees only what is published. The number of rows, "
            f"{self.rows:,}, is public."
        )

    def lines(self) -> list[list[str]]:
        """Return the errors as texts: a head, and a line for each kind of question."""
        head = ["typical error", *(TOOLS[tool] for tool in self.errors)]
        return [head, *(self._line(at, self.errors, show_errors) for at in self._kinds())]

    def difference_lines(self) -> list[list[str]]:
        """Return detectable differences (95% confidence, 80% power) as texts, in the same way."""
        found = _differences(self, 0.95, 0.8)
        head = ["detectable difference", *(TOOLS[tool] for tool in self.errors)]
        lines = [head]
        for at in self._kinds():
            line = self._line(at, found, show_differences)
            for place, errors in enumerate(self.errors.values(), start=1):
                if all(errors[one] is None for one in at):
                    line[place] = NO_ANSWER
            lines.append(line)
        return lines

    def _kinds(self) -> list[list[int]]:
        """The places of questions that share a line."""
        groups: dict[tuple[str, ...], list[int]] = {}
        for place, one in enumerate(self.questions):
            several = one.kind in ("shares", "pairs", "items")
            groups.setdefault((one.kind, *(() if several else one.columns)), []).append(place)
        return list(groups.values())

    def _line(
        self,
        places: list[int],
        numbers: Mapping[Tool, Sequence[float | None]],
        show: Callable[[AdvisedQuestion, list[float | None]], str],
    ) -> list[str]:
        asked = [self.questions[place] for place in places]
        first = asked[0]
        what = str(first) if len(asked) == 1 else KINDS[first.kind]
        if len(asked) > 1:
            of = "pair" if first.kind == "pairs" else "column"
            what += f" ({quantity(len(asked), of)})"
        what += f", in {first.unit}" if first.unit else ""
        return [what, *(show(first, [found[at] for at in places]) for found in numbers.values())]

    @property
    def verdict(self) -> str:
        """What is recommended, and why."""
        if self.recommended is None:
            return f"None of them: {self.why}"
        return f"Recommended: {TOOLS[self.recommended]}. {self.why}"

    def __repr__(self) -> str:
        lines = self.lines()
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = [
            "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip()
            for line in lines
        ]
        notes = [f"Note: {note}" for note in self.notes]
        return "\n".join([self.promise, "", *text, "", self.verdict, *notes])

    def _repr_html_(self) -> str:
        from html import escape

        head, *body = [[escape(cell) for cell in line] for line in self.lines()]
        rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in body)
        said = "".join(
            f"<p>{escape(text)}</p>" for text in (self.promise, self.verdict, *self.notes)
        )
        names = "".join(f"<th>{name}</th>" for name in head)
        return f"<table><thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>{said}"


def decide(
    questions: tuple[AdvisedQuestion, ...], errors: Mapping[Tool, tuple[float | None, ...]]
) -> tuple[Tool | None, str]:
    """Return the tool to take and why; of about equal ones the one that serves more questions."""
    able: list[Tool] = [t for t in errors if _answers(errors, questions, errors[t])]
    scores: dict[Tool, float] = {tool: score(questions, errors[tool]) for tool in able}
    least = min(scores.values(), default=USELESS)
    if least > 0.9 * USELESS:
        return None, (
            "noise drowns all these answers. More rows, a larger epsilon, fewer questions or fewer "
            "columns would help."
        )
    near: list[Tool] = [tool for tool in able if scores[tool] <= _CLOSE * least]
    best = near[0]
    times: dict[Tool, float] = {tool: scores[tool] / scores[best] for tool in able}
    worse: list[Tool] = sorted((t for t in able if times[t] > _CLOSE), key=times.__getitem__)
    said: list[str] = []
    if worse:
        ends = worse[:1] + worse[1:][-1:]
        each = " and ".join(
            f"{times_smaller(times[tool])} times smaller than with {name_of(tool)}" for tool in ends
        )
        said.append(f"errors are about {each}")
    close: list[Tool] = [tool for tool in able if tool != best and tool not in worse]
    if best == "asked":
        said.append("this holds as long as these are the only questions you ask")
    elif best == "synthetic":
        said.append("you can ask one table everything, including what you have not thought of yet")
    elif close:
        said.append(
            f"{name_of(close[0])} would hardly be better, and a copy answers any question, with "
            "intervals"
        )
    said += _left_aside(questions, errors, able, best)
    if len(able) < len(errors) or not said:
        said.insert(0, "it is the only one that answers" if len(able) == 1 else "it answers")
        said[0] += " all these questions"
    text = "; ".join(said)
    return best, f"{text[0].upper()}{text[1:]}."


def _left_aside(
    questions: tuple[AdvisedQuestion, ...],
    errors: Mapping[Tool, tuple[float | None, ...]],
    able: Sequence[Tool],
    best: Tool,
) -> list[str]:
    """Name the tool that would be better for most questions, had it an answer to the others."""
    found: dict[Tool, float] = {}
    for tool, own in errors.items():
        both = [at for at, error in enumerate(own) if error is not None]
        if tool in able or 2 * len(both) <= len(questions):
            continue
        some = tuple(questions[at] for at in both)
        theirs = tuple(own[at] for at in both)
        ours = tuple(errors[best][at] for at in both)
        found[tool] = score(some, ours) / score(some, theirs)
    tool = max(found, key=found.__getitem__, default=None)
    if tool is None or found[tool] <= _CLOSE:
        return []
    missing = [str(one) for one, e in zip(questions, errors[tool], strict=True) if e is None]
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    return [
        f"{name_of(tool)} would make errors about {times_smaller(found[tool])} times smaller in "
        f"all but {', '.join(missing[:3])}{more}, to which no answer of it is predicted"
    ]


def _answers(
    errors: Mapping[Tool, tuple[float | None, ...]],
    questions: tuple[AdvisedQuestion, ...],
    found: tuple[float | None, ...],
) -> bool:
    """Tell whether a tool answers all that any tool answers so that it says something."""
    return all(
        own is not None or not any(e is not None and e < USELESS * question.range for e in theirs)
        for own, question, *theirs in zip(found, questions, *errors.values(), strict=True)
    )


def score(questions: tuple[AdvisedQuestion, ...], errors: tuple[float | None, ...]) -> float:
    """Return the typical error as a part of the range: the geometric mean over kinds of questions.

    No answer is as bad as one that noise drowns.
    """
    logs: dict[str, list[float]] = {}
    for question, error in zip(questions, errors, strict=True):
        part = USELESS if error is None else max(error, question.grain) / question.range
        logs.setdefault(question.kind, []).append(math.log(min(max(part, _TINY), USELESS)))
    means = [sum(each) / len(each) for each in logs.values()]
    return math.exp(sum(means) / len(means))


def root_mean_square(errors: Sequence[float]) -> float:
    """Return the typical size of errors."""
    return math.sqrt(sum(one * one for one in errors) / len(errors))


def name_of(tool: Tool) -> str:
    """Return what a tool is called within a sentence."""
    return {
        "shuffled": "a shuffled private copy",
        "kept": "a private copy in kept order",
        "synthetic": "a synthetic table",
        "asked": "asked counts",
    }[tool]


def times_smaller(ratio: float) -> str:
    """Return a ratio of errors to two digits."""
    return f"{ratio:.1f}" if ratio < 9.95 else f"{float(f'{ratio:.2g}'):,.0f}"


def error_rows(advice: Advice) -> list[dict[str, Any]]:
    """Return the rows of `advice.table` as dictionaries, without loading Arrow and pandas."""
    return _in_rows(_columns(advice.questions, advice.errors))


def difference_rows(advice: Advice) -> list[dict[str, Any]]:
    """Return the rows of `advice.differences()` as dictionaries, in the same way."""
    return _in_rows(_columns(advice.questions, _differences(advice, 0.95, 0.8)))


def _differences(advice: Advice, confidence: float, power: float) -> dict[Tool, list[float | None]]:
    return {
        tool: [
            detectable_difference(one, error, confidence=confidence, power=power)
            for one, error in zip(advice.questions, errors, strict=True)
        ]
        for tool, errors in advice.errors.items()
    }


def _columns(
    questions: Sequence[AdvisedQuestion], found: Mapping[Tool, Sequence[float | None]]
) -> dict[str, list[Any]]:
    return {
        "question": [str(one) for one in questions],
        "unit": [one.unit for one in questions],
        **{
            tool: [in_units(q, e) for q, e in zip(questions, each, strict=True)]
            for tool, each in found.items()
        },
    }


def _in_rows(columns: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _in_arrow(columns: Mapping[str, list[Any]]) -> Any:
    import pyarrow as pa

    text = ("question", "unit")
    return pa.table(
        {
            name: pa.array(cells, pa.string() if name in text else pa.float64())
            for name, cells in columns.items()
        }
    )


def in_units(question: AdvisedQuestion, error: float | None) -> float | None:
    """Return an error in the unit of its question: shares are counted in points of a percent."""
    return None if error is None else error * (100 if question.unit == "points" else 1)


def show_errors(question: AdvisedQuestion, errors: list[float | None]) -> str:
    """Return the root mean square over questions of a kind, as people write numbers."""
    known = [error for error in errors if error is not None]
    if not known:
        return NO_ANSWER
    error = root_mean_square(known)
    if error >= USELESS * question.range:
        return f"over {_number(in_units(question, USELESS * question.range) or 0.0)}"
    some = "" if len(known) == len(errors) else " (some)"
    return _number(in_units(question, error) or 0.0) + some


def show_differences(question: AdvisedQuestion, differences: list[float | None]) -> str:
    """Return the root mean square of detectable differences, over questions of a kind."""
    known = [one for one in differences if one is not None]
    if not known:
        return "none"
    some = "" if len(known) == len(differences) else " (some)"
    return _number(in_units(question, root_mean_square(known)) or 0.0) + some


def _number(value: float) -> str:
    return about(float(f"{value:.2g}"))
