"""Answers to many questions about one released table, from one pass over it.

One person may have several rows. About the people in the file nothing changes: each row has noise
of its own. About a population rows are no longer independent samples: a person's rows may all say
the same. With at most k rows a person, the variance of an average of n rows from sampling is then
at most k times what it would be, since Σ m² ≤ k Σ m over the rows m of each person, and the
variance from noise is what it was: v = v(noise) + k · v(sampling). Intervals take k into account
where they are made; see `intervals.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from noisewright.errors import (
    InputError,
    ParameterError,
    TooLargeError,
    UnidentifiableError,
    UnsolvedError,
)
from noisewright.estimation.answers.column_answers import (
    CodedSetsAnswer,
    ItemPairsAnswer,
    ItemsAnswer,
    MeansAnswer,
    NumbersAnswer,
)
from noisewright.estimation.answers.table_answers import (
    PublicSharesAnswer,
    SharesAnswer,
    TableAnswer,
)
from noisewright.estimation.collection import Estimates, shown_key
from noisewright.estimation.counts.decoder import Decoder
from noisewright.estimation.counts.released_columns import column_batches
from noisewright.estimation.counts.table_counter import TableCounter
from noisewright.estimation.intervals.intervals import require_people
from noisewright.estimation.questions.asked import Asked, Key
from noisewright.estimation.questions.questions import ReleasedQuestion
from noisewright.estimation.questions.table_layout import TableLayout
from noisewright.estimation.result import Estimate
from noisewright.spaces import Subsets

HIDDEN = (
    "The mechanism does not tell all values apart; these are the most likely shares, and some are "
    "not determined."
)

FEW_VALUES = 1_000
"""A public column with more different values than this is tabulated only for those who ask."""


def answer_questions(
    released: Any,
    layout: TableLayout,
    questions: Sequence[ReleasedQuestion],
    asked: Asked,
    *,
    rows_per_person: int = 1,
) -> Estimates:
    """Answer the questions; notes say which spare ones were left out, and why.

    `released` is a table in any form that `column_batches` reads; it is read once. If a person may
    have several rows, answers about a population allow for that; see the top of this file.
    """
    if not questions:
        raise InputError("nothing was asked; name at least one column.")
    used = {name for question in questions for name in question.columns}
    names = [name for name in layout.names if name in used]
    named = {name for question in questions if not question.spare for name in question.columns}
    decoder = Decoder(layout, names, few={name: FEW_VALUES for name in names if name not in named})
    open_questions = [(question, answering(question, layout, asked)) for question in questions]
    _tally(released, decoder, [one for _, one in open_questions])
    require_people(decoder.rows)
    found: dict[Key, Estimate] = {}
    notes: list[str] = []
    for question, one in open_questions:
        problems = [decoder.problem(name) for name in question.columns]
        if any(problems):
            _leave_out(question, next(filter(None, problems)), notes)
            continue
        try:
            found[question.key] = _answer_or_likeliest(one, decoder, rows_per_person)
        except (UnidentifiableError, UnsolvedError, TooLargeError, ParameterError) as problem:
            if not question.spare:
                raise
            notes.append(f"{shown_key(question.key)} is left out: {problem}")
    return Estimates(found, notes=notes)


def answering(question: ReleasedQuestion, layout: TableLayout, asked: Asked) -> TableAnswer:
    """Return what answers a question."""
    return _kind(question, layout)(question, layout, asked)


def _kind(question: ReleasedQuestion, layout: TableLayout) -> type[TableAnswer]:
    kinds = {name: layout.kind(name) for name in question.columns}
    private = {name: kind for name, kind in kinds.items() if kind != "public"}
    if not private:
        return PublicSharesAnswer
    if question.word == "pairs":
        return ItemPairsAnswer
    if "sets" in private.values():
        return ItemsAnswer
    if question.word == "items" and isinstance(layout.space(next(iter(private))), Subsets):
        return CodedSetsAnswer
    if "curves" in private.values() or "numbers" in private.values():
        if len(private) > 1:
            raise InputError(
                f"a table of {', '.join(map(repr, question.columns))} cannot be estimated: curves "
                "and numbers on fine grids have means by public columns, not by private ones."
            )
        return MeansAnswer
    return SharesAnswer if question.word == "shares" else NumbersAnswer


def _tally(released: Any, decoder: Decoder, answers: Sequence[TableAnswer]) -> None:
    counted = [name for name in decoder.names if any(name in one.table for one in answers)]
    wanted = [one for one in answers if one.table]
    counter = TableCounter(
        decoder.sizes(counted),
        [tuple(counted.index(name) for name in one.table) for one in wanted],
        growing=[counted.index(name) for name in counted if name in decoder.vocabularies],
    )
    tallies = [one.tally for one in answers if one.tally is not None]
    for batch in column_batches(released, decoder.layout, decoder.names):
        decoder.read(batch)
        if wanted:
            counter.add(decoder.codes(counted), decoder.sizes(counted))
        for tally in tallies:
            tally.add(decoder)
    for one, counts in zip(wanted, counter.tables(), strict=True):
        one.counts = counts


def _answer_or_likeliest(one: TableAnswer, decoder: Decoder, rows_per_person: int) -> Estimate:
    """Answer a question; a spare one that has no unbiased answer by what is most likely."""
    try:
        return _answer(one, decoder, rows_per_person)
    except UnidentifiableError:
        if not one.question.spare or one.question.word != "shares":
            raise
    one.asked = replace(one.asked, method="likelihood")
    found = _answer(one, decoder, rows_per_person)
    return replace(found, notes=(*found.notes, HIDDEN))


def _answer(one: TableAnswer, decoder: Decoder, rows: int) -> Estimate:
    """Return the answer to a question when a person has up to so many rows."""
    if rows == 1:
        return one.answer(decoder)
    asked, said = one.asked, f"Rows are counted, of which up to {rows:,} are of one person."
    if asked.about == "people":
        found = one.answer(decoder)
        return replace(found, notes=(*found.notes, said))
    if one.question.word == "quantiles":
        raise ParameterError(
            f"quantiles of a population are not estimated from up to {rows:,} rows of one person, "
            "which are not independent samples. Ask about='people', the rows that were released."
        )
    one.asked = replace(asked, rows=rows)
    found = one.answer(decoder)
    one.asked = asked
    allowed = "Intervals about the population allow for rows of one person that are all alike."
    return replace(found, notes=(*found.notes, said, allowed))


def _leave_out(question: ReleasedQuestion, problem: str, notes: list[str]) -> None:
    if not question.spare:
        raise InputError(f"{problem}; it cannot be tabulated.")
    note = f"{problem[0].upper()}{problem[1:]} and is left out."
    if note not in notes:
        notes.append(note)
