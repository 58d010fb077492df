"""Answers about one kind of column: numbers and curves, and sets, by public groups.

Items of sets are also crossed with private columns.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.curves import CurveNoise
from noisewright.errors import InputError, ParameterError
from noisewright.estimation.answers.table_answers import Place, TableAnswer
from noisewright.estimation.channels.channel import DenseChannel
from noisewright.estimation.counts.decoder import Decoder
from noisewright.estimation.counts.running_sums import ItemCounts, Moments
from noisewright.estimation.intervals.intervals import Sample
from noisewright.estimation.numbers.mean_curves import mean_with_band
from noisewright.estimation.numbers.number_estimates import (
    answer_about_numbers,
    answers_asked_for,
    mean_with_noise,
    shares_of_groups,
)
from noisewright.estimation.questions.asked import METHODS, Asked
from noisewright.estimation.questions.questions import ReleasedQuestion, subject_of
from noisewright.estimation.questions.table_layout import TableLayout
from noisewright.estimation.result import ARRAYS, Axis, Estimate
from noisewright.estimation.sets.item_shares import (
    PairTally,
    coins_of,
    items_of_pairs,
    shares_of_items,
    shares_of_pairs,
)
from noisewright.estimation.shares.share_estimates import JointShares
from noisewright.spaces import Subsets

WILD = 0.1
"""A histogram that nobody asked for is left out if a share is less certain than this."""

_METHODS = {"histogram": METHODS, "quantiles": ("unbiased", "likelihood")}


class NumbersAnswer(TableAnswer):
    """Mean, variance, quantiles or histogram of a column with countable points."""

    def __init__(self, question: ReleasedQuestion, layout: TableLayout, asked: Asked) -> None:
        super().__init__(question, layout, asked)
        self.subject = subject_of(question.columns, layout)
        if question.word not in _METHODS:
            self.refuse_at()
        self.table = (*self.public, self.subject)
        self.methods = _METHODS.get(question.word, ("unbiased",))
        self.least = asked.least

    def answer(self, decoder: Decoder) -> Estimate:
        """Return the answers, one for each group."""
        self.answers = answers_asked_for(
            self.question.word, self.layout.space(self.subject), self.question.at
        )
        found = super().answer(decoder)
        is_spare = self.question.word == "histogram" and self.question.spare
        if is_spare and found.standard_errors.max() > WILD:
            raise ParameterError(
                f"the noise of {self.subject!r} is wider than ten bins. Ask for it by name, with "
                "fewer bins."
            )
        return found

    def in_group(self, place: Place, sample: Sample, method: str) -> Estimate:
        """Answer the question about one group."""
        word, at = self.question.word, self.question.at
        channel, space = self.layout.channel((self.subject,)), self.layout.space(self.subject)
        found = answer_about_numbers(
            self.counts[place], channel, space, sample, of=word, at=at, method=method
        )
        if word == "histogram":
            found = replace(found, axes=(Axis(self.subject, found.axes[0].labels),))
        return found


class MeansAnswer(TableAnswer):
    """The mean of numbers on a grid too fine to count, or of curves."""

    def __init__(self, question: ReleasedQuestion, layout: TableLayout, asked: Asked) -> None:
        super().__init__(question, layout, asked)
        self.subject = subject_of(question.columns, layout)
        self.mechanism = layout.part(self.subject).mechanism
        self._are_curves = isinstance(self.mechanism, CurveNoise)
        if not self._are_curves:
            self.refuse_at()
        width = self.mechanism.coordinates.count if self._are_curves else 1
        self.moments = Moments(self.subject, width, self.public)
        self.tally, self.least = self.moments, asked.least

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many people each public group has."""
        return self.moments.rows

    def in_group(self, place: Place, sample: Sample, method: str) -> Estimate:
        """Return the mean of one group."""
        mean = self.moments.mean(place)
        spread = self.moments.covariance(place) if sample.people > 1 else None
        if self._are_curves:
            return self._curve(mean, spread, sample)
        variance = None if spread is None else float(spread[0, 0])
        return mean_with_noise(float(mean[0]), variance, self.mechanism, sample)

    def _curve(self, mean: Any, spread: Any, sample: Sample) -> Estimate:
        shown, at = self.mechanism.show(mean[None, :]), self.question.at
        positions = shown.grid if at is None else np.atleast_1d(np.asarray(at, dtype=np.float64))
        drawn = shown.functions.at(positions)
        return mean_with_band(
            shown.at(positions)[0],
            shown.covariance(positions),
            None if spread is None else drawn @ spread @ drawn.T,
            positions,
            shown.bounds,
            sample,
            together=self.asked.together,
        )


class ItemsAnswer(TableAnswer):
    """Shares of people who have an item, and are in a cell of other columns if there are some."""

    are_shares = True

    def __init__(self, question: ReleasedQuestion, layout: TableLayout, asked: Asked) -> None:
        super().__init__(question, layout, asked)
        self.refuse_at()
        self.subject = one_set(question.columns, layout)
        mechanism = layout.part(self.subject).mechanism
        self.coins = coins_of(mechanism)
        self.axis = Axis(self.subject, list(mechanism.space.items))
        others = [name for name in self.private if name != self.subject]
        self.joint = JointShares(layout, others) if others else None
        crossed = self.joint.columns if self.joint else ()
        self.items = ItemCounts(self.subject, len(self.axis.labels), (*self.public, *crossed))
        self.tally, self.have = self.items, (*self.public, self.subject, *crossed)
        self.answers = len(self.axis.labels) * (self.joint.cells if self.joint else 1)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many people each public group has."""
        rows = self.items.rows
        return np.asarray(rows.sum(axis=tuple(range(len(self.public), rows.ndim))))

    def in_group(self, place: Place, sample: Sample, method: str) -> Estimate:
        """Return the shares of the items, each as a column with two values where it is crossed."""
        rows, inside = self.items.rows[place], self.items.inside[place]
        if self.joint is None:
            return shares_of_items(inside, self.coins, self.axis, sample)
        absent, present = self.coins.absent, self.coins.present
        channel = DenseChannel(np.array([[1 - absent, absent], [1 - present, present]]))
        has = (channel, Axis(self.subject, [False, True]))
        each: list[Estimate] = []
        for item in range(len(self.axis.labels)):
            counts = np.stack([rows - inside[..., item], inside[..., item]])
            each.append(self.joint.estimate(counts, sample, first=has))
        stacked = {name: np.stack([getattr(one, name)[1] for one in each]) for name in ARRAYS}
        return replace(each[0], axes=(self.axis, *self.joint.axes), **stacked)


class ItemPairsAnswer(TableAnswer):
    """Shares of people who have two items."""

    def __init__(self, question: ReleasedQuestion, layout: TableLayout, asked: Asked) -> None:
        super().__init__(question, layout, asked)
        self.subject = one_set(question.columns, layout)
        if len(question.columns) > 1:
            raise InputError("pairs of items are estimated for all people, not by other columns.")
        mechanism = layout.part(self.subject).mechanism
        self.coins = coins_of(mechanism)
        self.chosen = items_of_pairs(mechanism, question.at or "pairs")
        items = list(mechanism.space.items)
        self.pairs = PairTally(mechanism.outputs, [items.index(item) for item in self.chosen])
        self.tally = self
        self.answers = self.pairs.pairs

    def add(self, batch: Decoder) -> None:
        """Count the sets of a batch."""
        self.pairs.add(batch.sets(self.subject))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many people there are; they are one group."""
        return np.asarray(self.pairs.people)

    def in_group(self, place: Place, sample: Sample, method: str) -> Estimate:
        """Return the shares of the pairs."""
        return shares_of_pairs(self.pairs.counts, self.coins, self.chosen, sample)


class CodedSetsAnswer(TableAnswer):
    """Shares of items, from sets that are so few that each has a code of its own."""

    are_shares = True

    def __init__(self, question: ReleasedQuestion, layout: TableLayout, asked: Asked) -> None:
        super().__init__(question, layout, asked)
        self.refuse_at()
        self.subject = subject_of(question.columns, layout)
        self.table = (*self.public, self.subject)
        space = layout.space(self.subject)
        assert isinstance(space, Subsets)
        self.space, self.answers, self.least = space, len(space.items), asked.least

    def in_group(self, place: Place, sample: Sample, method: str) -> Estimate:
        """Return the shares of the items."""
        items, sets = self.space.items, self.space.points
        has = np.array([[item in one for item in items] for one in sets], float)
        channel, observed = self.layout.channel((self.subject,)), self.counts[place] / sample.people
        found = shares_of_groups(observed, channel, has, sample)
        return sample.estimate("share", (Axis(self.subject, list(items)),), *found)


def one_set(columns: tuple[str, ...], layout: TableLayout) -> str:
    """Return the column of sets among these; there must be one, and no other without codes."""
    special = [name for name in columns if layout.kind(name) not in ("public", "coded")]
    if len(special) != 1:
        raise InputError(
            f"a table of {', '.join(map(repr, columns))} cannot be estimated: sets are crossed "
            "with columns that have categories or counts, one column of sets at a time."
        )
    return special[0]
