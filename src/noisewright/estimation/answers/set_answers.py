"""Answers about sets: shares of items, alone, by public groups or crossed with private columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from noisewright.errors import InputError
from noisewright.estimation.answers.groups import ARRAYS, Place, for_each_group
from noisewright.estimation.answers.table_answers import WITHIN, TableAnswer
from noisewright.estimation.channels.channel import DenseChannel
from noisewright.estimation.counts.running_sums import ItemCounts, PairCounts
from noisewright.estimation.decoding import Decoder
from noisewright.estimation.intervals.intervals import Sample
from noisewright.estimation.numbers.number_estimates import shares_of_groups
from noisewright.estimation.questions.asked import Asked
from noisewright.estimation.questions.questions import Question, subject_of
from noisewright.estimation.questions.table_layout import TableLayout
from noisewright.estimation.result import Axis, Estimate
from noisewright.estimation.sets.item_shares import (
    PairTally,
    coins_of,
    items_of_pairs,
    shares_of_items,
    shares_of_pairs,
)
from noisewright.estimation.shares.joint_shares import JointShares
from noisewright.spaces import Subsets


class ItemsAnswer(TableAnswer):
    """Shares of people who have an item, and are in a cell of other columns if there are some."""

    def __init__(self, question: Question, layout: TableLayout, asked: Asked) -> None:
        super().__init__(question, layout, asked)
        self.refuse_at()
        self.subject = one_set(question.columns, layout)
        self.mechanism = layout.part(self.subject).mechanism
        self.axis = Axis(self.subject, list(self.mechanism.space.items))
        others = [name for name in self.private if name != self.subject]
        self.joint = JointShares(layout, others) if others else None
        self.cells = (*self.public, *(self.joint.columns if self.joint else ()))
        self.items = ItemCounts(self.subject, len(self.axis.labels), self.cells)
        self.tally = self.items

    def answer(self, decoder: Decoder) -> Estimate:
        """Return the shares."""
        self.method("unbiased")
        groups, depth = self.group_axes(decoder), len(self.public)
        rows, inside = self.items.rows, self.items.inside
        sizes = np.asarray(rows.sum(axis=tuple(range(depth, rows.ndim))))
        cells = 1 if self.joint is None else self.joint.cells
        level = self.asked.level(sizes.size * len(self.axis.labels) * cells)
        coins, about = coins_of(self.mechanism), self.asked.about

        def answer(place: Place) -> Estimate:
            if self.joint is None:
                people = int(sizes[place])
                return shares_of_items(
                    inside[place], people, coins, self.axis, about, level, self.asked.rows
                )
            return self._cross(self.joint, rows[place], inside[place], level)

        found = self.finish(for_each_group(groups, sizes, answer), *[WITHIN][:depth])
        others = self.joint.columns if self.joint else ()
        return self.in_order(found, (*self.public, self.subject, *others))

    def _cross(self, joint: JointShares, rows: Any, inside: Any, level: float) -> Estimate:
        """Estimate each item as a column with two values, independent of the other columns."""
        coins = coins_of(self.mechanism)
        absent, present = coins.absent, coins.present
        channel = DenseChannel(np.array([[1 - absent, absent], [1 - present, present]]))
        has = (channel, Axis(self.subject, [False, True]))
        each: list[Estimate] = []
        for item in range(len(self.axis.labels)):
            counts = np.stack([rows - inside[..., item], inside[..., item]])
            both = joint.estimate(
                counts, self.asked.about, "unbiased", level, rows=self.asked.rows, first=has
            )
            each.append(both)
        stacked = {name: np.stack([getattr(one, name)[1] for one in each]) for name in ARRAYS}
        return replace(each[0], axes=(self.axis, *joint.axes), **stacked)


class ItemPairsAnswer(TableAnswer):
    """Shares of people who have two items."""

    def __init__(self, question: Question, layout: TableLayout, asked: Asked) -> None:
        super().__init__(question, layout, asked)
        self.subject = one_set(question.columns, layout)
        if len(question.columns) > 1:
            raise InputError("pairs of items are estimated of all people, not by other columns.")
        self.mechanism = layout.part(self.subject).mechanism
        self.chosen = items_of_pairs(self.mechanism, question.at or "pairs")
        items = list(self.mechanism.space.items)
        places = [items.index(item) for item in self.chosen]
        self.pairs = PairTally(self.mechanism.outputs, places)
        self.tally = PairCounts(self.subject, self.pairs)

    def answer(self, decoder: Decoder) -> Estimate:
        """Return the shares."""
        self.method("unbiased")
        level = self.asked.level(len(self.chosen) * (len(self.chosen) + 1) // 2)
        found = shares_of_pairs(
            self.pairs.counts,
            self.pairs.people,
            coins_of(self.mechanism),
            self.chosen,
            self.asked.about,
            level,
            self.asked.rows,
        )
        return self.finish(found)


class CodedSetsAnswer(TableAnswer):
    """Shares of items, from sets that are so few that each has a code of its own."""

    def __init__(self, question: Question, layout: TableLayout, asked: Asked) -> None:
        super().__init__(question, layout, asked)
        self.refuse_at()
        self.subject = subject_of(question.columns, layout)
        self.table = (*self.public, self.subject)

    def answer(self, decoder: Decoder) -> Estimate:
        """Return the shares of the items, one list for each group."""
        method, about = self.method("unbiased"), self.asked.about
        space = self.layout.space(self.subject)
        assert isinstance(space, Subsets)
        channel = self.layout.channel((self.subject,))
        has = np.array([[item in one for item in space.items] for one in space.points], float)
        groups, sizes = self.group_axes(decoder), np.asarray(self.counts.sum(axis=-1))
        level = self.asked.level(len(space.items) * sizes.size)
        axes = (Axis(self.subject, list(space.items)),)

        def answer(place: Place) -> Estimate:
            people = int(sizes[place])
            sample = Sample(people, about, level, self.asked.rows)
            found = shares_of_groups(self.counts[place] / people, channel, has, sample)
            return Estimate("share", axes, *found, people, about, method, level)

        found = for_each_group(groups, sizes, answer, least=self.least)
        return self.finish(found, *[WITHIN][: len(groups)])


def one_set(columns: tuple[str, ...], layout: TableLayout) -> str:
    """Return the column of sets among these; there must be one, and no other without codes."""
    special = [name for name in columns if layout.kind(name) not in ("public", "coded")]
    if len(special) != 1:
        raise InputError(
            f"a table of {', '.join(map(repr, columns))} cannot be estimated: sets are crossed "
            "with columns that have categories or counts, one column of sets at a time."
        )
    return special[0]
