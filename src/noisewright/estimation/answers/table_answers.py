"""How each kind of question is answered from what was tallied.

An answering object says what has to be tallied, in `table` (columns whose joint codes are counted)
or in `tally`, and answers when the pass over the table is over.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError
from noisewright.estimation.answers.groups import (
    ARRAYS,
    Place,
    for_each_group,
    reorder_axes,
    with_sorted_groups,
)
from noisewright.estimation.channels.channel import ResponseChannel
from noisewright.estimation.counts.running_sums import Tally
from noisewright.estimation.decoding import Decoder
from noisewright.estimation.questions.asked import Asked
from noisewright.estimation.questions.questions import Question
from noisewright.estimation.questions.readings import with_readings
from noisewright.estimation.questions.table_layout import TableLayout
from noisewright.estimation.result import Axis, Estimate
from noisewright.estimation.shares.joint_shares import JointShares
from noisewright.estimation.shares.share_estimates import METHODS, shares_from_counts

COUNTED = "Public columns are counted, without noise."
WITHIN = "Shares are those within each public group, whose size is exact."


class TableAnswer(ABC):
    """What one question needs, and its answer."""

    def __init__(self, question: Question, layout: TableLayout, asked: Asked) -> None:
        self.question, self.layout, self.asked = question, layout, asked
        self.public = tuple(n for n in question.columns if layout.kind(n) == "public")
        self.private = tuple(n for n in question.columns if layout.kind(n) != "public")
        self.table: tuple[str, ...] = ()
        self.tally: Tally | None = None
        self.counts: NDArray[Any] = np.zeros((), dtype=np.int64)

    @abstractmethod
    def answer(self, decoder: Decoder) -> Estimate:
        """Return the answer; the whole table went by."""

    @property
    def least(self) -> int:
        """How many people a group must have for means and the like, whose spread is estimated."""
        return 1 if self.asked.about == "people" else 2

    def method(self, *known: str) -> str:
        """Return the method asked for; a spare question falls back to one that it knows."""
        if self.asked.method in known:
            return self.asked.method
        if self.question.spare:
            return "unbiased"
        raise InputError(
            f"the {self.question.word} of {self.question.columns[-1]!r} is estimated by "
            f"method={' or '.join(map(repr, known))}; got {self.asked.method!r}."
        )

    def refuse_at(self) -> None:
        """Raise when `at` was given to a question that needs none."""
        if self.question.at is not None:
            raise InputError(
                f"at goes with quantiles, histograms, pairs of items and curves; "
                f"{self.question.word!r} of {', '.join(self.question.columns)} needs none."
            )

    def group_axes(self, decoder: Decoder) -> tuple[Axis, ...]:
        """Return the axes of the public columns, in the order of the question."""
        return tuple(Axis(name, decoder.vocabularies[name].values) for name in self.public)

    def finish(self, found: Estimate, *notes: str) -> Estimate:
        """Return answers as they were asked for, with public groups sorted."""
        found = with_sorted_groups(self.asked.state(found), len(self.public))
        found = replace(found, notes=(*found.notes, *notes, *self.layout.remarks))
        return with_readings(found, self._readings())

    def _readings(self) -> tuple[str, ...]:
        """Return what was done to the cells of the private columns."""
        said = [(name, one) for name in self.private for one in self.layout.readings.get(name, ())]
        several = len(self.question.columns) > 1
        return tuple(f"{name}: {one}" if several else one for name, one in said)

    def in_order(self, found: Estimate, have: tuple[str, ...]) -> Estimate:
        """Return answers with one axis for each column, in the order of the question."""
        return reorder_axes(found, tuple(have.index(name) for name in self.question.columns))


class PublicSharesAnswer(TableAnswer):
    """Shares of public columns: exact about the people, sampled about a population."""

    def __init__(self, question: Question, layout: TableLayout, asked: Asked) -> None:
        super().__init__(question, layout, asked)
        self.refuse_at()
        self.table = self.public

    def answer(self, decoder: Decoder) -> Estimate:
        """Return the plain shares."""
        counts = self.counts
        found = shares_from_counts(
            counts.reshape(-1),
            [ResponseChannel(counts.size, 1.0, 0.0, 1.0)],
            (Axis("cell", range(counts.size)),),
            about=self.asked.about,
            method="unbiased",
            confidence=self.asked.level(counts.size),
            rows=self.asked.rows,
        )
        shaped = {name: getattr(found, name).reshape(counts.shape) for name in ARRAYS}
        if self.asked.about == "population":
            # No noise, so nothing has to be plausible: the error at the shares as they are. Half a
            # row keeps what nobody, or everybody, has from being certain of a population.
            half = 0.5 / found.people
            shares = np.clip(shaped["values"], half, 1 - half)
            rows = self.asked.rows
            shaped["standard_errors"] = np.sqrt(rows * shares * (1 - shares) / found.people)
        found = replace(found, axes=self.group_axes(decoder), method="exact", **shaped)
        return self.finish(found, COUNTED)


class SharesAnswer(TableAnswer):
    """Shares of the cells of private columns, within public groups if there are some."""

    def __init__(self, question: Question, layout: TableLayout, asked: Asked) -> None:
        super().__init__(question, layout, asked)
        self.refuse_at()
        self.joint = JointShares(layout, self.private)
        self.table = (*self.public, *self.joint.columns)

    def answer(self, decoder: Decoder) -> Estimate:
        """Return the shares."""
        groups = self.group_axes(decoder)
        depth = len(groups)
        sizes = np.asarray(self.counts.sum(axis=tuple(range(depth, self.counts.ndim))))
        level = self.asked.level(self.joint.cells * sizes.size)
        method = self.method(*METHODS)

        def answer(place: Place) -> Estimate:
            asked = self.asked
            return self.joint.estimate(
                self.counts[place], asked.about, method, level, rows=asked.rows
            )

        found = self.finish(for_each_group(groups, sizes, answer), *[WITHIN][:depth])
        return self.in_order(found, self.table)
