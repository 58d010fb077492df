"""Answers about sets: shares of items, alone, by public groups or crossed with private columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError
from noisewright.estimation.answers.table_answers import Place, TableAnswer
from noisewright.estimation.channels.channel import DenseChannel
from noisewright.estimation.counts.decoder import Decoder
from noisewright.estimation.counts.running_sums import ItemCounts
from noisewright.estimation.intervals.intervals import Sample
from noisewright.estimation.numbers.number_estimates import shares_of_groups
from noisewright.estimation.questions.asked import Asked
from noisewright.estimation.questions.questions import Question, subject_of
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


class ItemsAnswer(TableAnswer):
    """Shares of people who have an item, and are in a cell of other columns if there are some."""

    are_shares = True

    def __init__(self, question: Question, layout: TableLayout, asked: Asked) -> None:
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

    def __init__(self, question: Question, layout: TableLayout, asked: Asked) -> None:
        super().__init__(question, layout, asked)
        self.subject = one_set(question.columns, layout)
        if len(question.columns) > 1:
            raise InputError("pairs of items are estimated of all people, not by other columns.")
        mechanism = layout.part(self.subject).mechanism
        self.coins = coins_of(mechanism)
        self.chosen = items_of_pairs(mechanism, question.at or "pairs")
        items = list(mechanism.space.items)
        self.pairs = PairTally(mechanism.outputs, [items.index(item) for item in self.chosen])
        self.tally = self
        self.answers = len(self.chosen) * (len(self.chosen) + 1) // 2

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

    def __init__(self, question: Question, layout: TableLayout, asked: Asked) -> None:
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
