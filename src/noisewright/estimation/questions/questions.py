"""What can be asked about a released table, and what is asked when nobody says.

A question has columns and a word: "shares" of the cells of a table, the "mean", "variance",
"quantiles" or "histogram" of numbers, "items" of sets or "pairs" of items, the "mean" of curves.
All words but "shares" and "items" are about one column, by public groups if there are others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from noisewright.errors import InputError
from noisewright.estimation.numbers.number_estimates import QUESTIONS, are_numbers
from noisewright.estimation.questions.asked import Key, names_of, read_tables
from noisewright.estimation.questions.table_layout import TableLayout
from noisewright.given import of_kind, several
from noisewright.spaces import Interval, Subsets

MOST_SHARES = 32
"""Numbers with more points than this are shown as a histogram, not point by point."""

MOST_POINTS = 1 << 16
"""On a finer grid only the mean is worth its computation, unless somebody asks."""

_MOST_CROSSED = 64
"""Columns with more values than this are not crossed with others unless somebody asks."""


@dataclass(frozen=True)
class ReleasedQuestion:
    """One table of answers: its title, its columns, the word, and `at` where the word needs it.

    A question that nobody asked by name is `spare`: where it cannot be answered it is left out, and
    where the method asked for is not for it, another is taken.
    """

    key: Key
    columns: tuple[str, ...]
    word: str
    at: Any = None
    spare: bool = False


def title(word: str, columns: tuple[str, ...], layout: TableLayout) -> str:
    """Return what a table is called when its columns alone do not say it."""
    subject = subject_of(columns, layout)
    others = [name for name in columns if name != subject]
    return f"{word} of {subject}" + (f" by {' and '.join(others)}" if others else "")


def subject_of(columns: tuple[str, ...], layout: TableLayout) -> str:
    """Return the column that a word other than "shares" is about: the one that is not public."""
    private = [name for name in columns if layout.kind(name) != "public"]
    if len(private) != 1:
        raise InputError(
            f"a question other than 'shares' is about one private column, by public groups; got "
            f"{', '.join(map(repr, columns))}, of which {len(private)} are private."
        )
    return private[0]


def words_for(name: str, layout: TableLayout) -> tuple[str, ...]:
    """Return what can be asked about one column, the usual word first."""
    match layout.kind(name):
        case "public":
            return ("shares",)
        case "curves" | "numbers":
            return ("mean",)
        case "sets":
            return ("items", "pairs")
        case _:
            space = layout.space(name)
    if isinstance(space, Subsets):
        return ("items", "shares")
    if not are_numbers(space):
        return ("shares",)
    if isinstance(space, Interval) or space.size > MOST_SHARES:
        return ("mean", "histogram", "quantiles", "variance", "shares")
    return ("shares", *QUESTIONS)


def usual_word(columns: tuple[str, ...], layout: TableLayout) -> str:
    """Return what is asked about columns when nobody says."""
    private = [name for name in columns if layout.kind(name) != "public"]
    if len(private) == 1:
        return words_for(private[0], layout)[0]
    return "items" if any(layout.kind(name) == "sets" for name in columns) else "shares"


def read_questions(
    layout: TableLayout, of: Any, question: Any, at: Any
) -> tuple[list[ReleasedQuestion], bool]:
    """Return the questions, and whether one was asked by itself.

    `question` is a word for all tables asked for, or words by column.
    """
    if of is None and question is None and at is None:
        return default_questions(layout), False
    if isinstance(of, str) and of not in layout.names and of in ("columns", "pairs"):
        found = default_questions(layout) if of == "columns" else _pairs(layout)
        if question is not None or at is not None:
            raise InputError(f"of={of!r} asks the usual questions; name the columns to ask others.")
        return found, False
    if of is None:
        of = list(question) if isinstance(question, Mapping) else _who_can(question, layout)
    keys, single = read_tables(of, layout.names)
    asked: list[ReleasedQuestion] = []
    for key in keys:
        columns = names_of(key)
        words = _words(columns, question, layout)
        for word in words:
            usual = word == usual_word(columns, layout) and len(words) == 1
            name = key if usual else title(word, columns, layout)
            asked.append(ReleasedQuestion(name, columns, word, at))
    return asked, single and len(asked) == 1


def _who_can(question: Any, layout: TableLayout) -> list[str]:
    """Return the columns that a word, or all of several words, can be asked about."""
    words = set(_list_words(question))
    able = [name for name in layout.names if words <= set(words_for(name, layout))]
    if not able:
        raise InputError(
            f"the question {' and '.join(map(repr, sorted(words)))} cannot be asked about any of "
            f"the columns {', '.join(map(repr, layout.names))}."
        )
    return able


def _list_words(question: Any) -> list[str]:
    """Return the words of a question: one, several or none."""
    words = [question] if isinstance(question, str) else []
    if not words and question is not None:
        words = several(question, name="the question", of="words such as 'mean'")
    for word in words:
        of_kind(word, str, name="the question", such_as="a word such as 'mean', or several")
    return words


def _words(columns: tuple[str, ...], question: Any, layout: TableLayout) -> list[str]:
    if isinstance(question, Mapping):
        question = next((question[name] for name in columns if name in question), None)
    if question is None:
        return [usual_word(columns, layout)]
    words = _list_words(question)
    for word in words:
        if word == "shares":
            continue
        known = words_for(subject_of(columns, layout), layout)
        if word not in known:
            raise InputError(
                f"the question is {word!r}; about {subject_of(columns, layout)!r} it must be "
                f"{' or '.join(map(repr, known))}."
            )
    return words


def default_questions(layout: TableLayout) -> list[ReleasedQuestion]:
    """Return what is asked about each column when nobody says."""
    found: list[ReleasedQuestion] = []
    for name in layout.names:
        space = None if layout.kind(name) != "coded" else layout.space(name)
        if space is None or not are_numbers(space):
            found.append(ReleasedQuestion(name, (name,), words_for(name, layout)[0], spare=True))
            continue
        usual = words_for(name, layout)[0]
        others = ("mean", "quantiles") if usual == "shares" else ("quantiles", "histogram")
        found.append(ReleasedQuestion(name, (name,), usual, spare=True))
        for word in others if space.size <= MOST_POINTS else ():
            found.append(ReleasedQuestion(title(word, (name,), layout), (name,), word, spare=True))
    return found


def _pairs(layout: TableLayout) -> list[ReleasedQuestion]:
    """Return the questions about each column and about those pairs that say something."""
    found = default_questions(layout)
    for pair in combinations(layout.names, 2):
        kinds = [layout.kind(name) for name in pair]
        few = [
            kind == "public" or (kind == "coded" and layout.space(name).size <= _MOST_CROSSED)
            for name, kind in zip(pair, kinds, strict=True)
        ]
        if all(few) or "public" in kinds or ("sets" in kinds and any(few)):
            word = usual_word(pair, layout)
            found.append(ReleasedQuestion(pair, pair, word, spare=True))
    return found
