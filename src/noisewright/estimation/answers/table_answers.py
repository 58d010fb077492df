"""How each kind of question is answered from what was tallied.

An answering object says what has to be tallied, in `table` (columns whose joint codes are counted)
or in `tally`, and answers when the pass over the table is over.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError
from noisewright.estimation.channels.channel import ResponseChannel
from noisewright.estimation.counts.decoder import Decoder
from noisewright.estimation.counts.running_sums import Tally
from noisewright.estimation.intervals.intervals import Sample, require_people
from noisewright.estimation.questions.asked import METHODS, Asked
from noisewright.estimation.questions.questions import ReleasedQuestion
from noisewright.estimation.questions.readings import with_readings
from noisewright.estimation.questions.table_layout import TableLayout
from noisewright.estimation.result import ARRAYS, Axis, Estimate, map_arrays
from noisewright.estimation.shares.share_estimates import JointShares, shares_from_counts

Place = tuple[int, ...]

COUNTED = "Public columns are counted, without noise."
WITHIN = "Shares are those within each public group, whose size is exact."


class TableAnswer(ABC):
    """What one question needs, and its answer: one for each public group, side by side.

    `answers` is how many answers a group has; `methods` are those by which they can be found. A
    group of fewer people than `least` has none. `are_shares` of what is within a group, and `have`
    are the columns of the axes, if each column of the question is one.
    """

    methods: tuple[str, ...] = ("unbiased",)
    answers = 1
    least = 1
    are_shares = False
    have: tuple[str, ...] = ()

    def __init__(self, question: ReleasedQuestion, layout: TableLayout, asked: Asked) -> None:
        self.question, self.layout, self.asked = question, layout, asked
        self.public = tuple(n for n in question.columns if layout.kind(n) == "public")
        self.private = tuple(n for n in question.columns if layout.kind(n) != "public")
        self.table: tuple[str, ...] = ()
        self.tally: Tally | None = None
        self.counts: NDArray[Any] = np.zeros((), dtype=np.int64)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many people each public group has."""
        return np.asarray(self.counts.sum(axis=tuple(range(len(self.public), self.counts.ndim))))

    @abstractmethod
    def in_group(self, place: Place, sample: Sample, method: str) -> Estimate:
        """Return the answers of one group, whose people are the sample."""

    def answer(self, decoder: Decoder) -> Estimate:
        """Return the answers; the whole table went by."""
        sizes, method = self.sizes, self.method()

        def answer(place: Place) -> Estimate:
            sample = self.asked.sample(int(sizes[place]), self.answers * sizes.size)
            return self.in_group(place, sample, method)

        groups = self.group_axes(decoder)
        found = for_each_group(groups, sizes, answer, least=self.least)
        found = self.finish(found, *[WITHIN][: len(groups) * self.are_shares])
        order = tuple(self.have.index(name) for name in self.question.columns if self.have)
        return reorder_axes(found, order) if order else found

    def method(self) -> str:
        """Return the method asked for; a spare question falls back to one that it knows."""
        if self.asked.method in self.methods:
            return self.asked.method
        if self.question.spare:
            return "unbiased"
        raise InputError(
            f"the {self.question.word} of {self.question.columns[-1]!r} is estimated by "
            f"method={' or '.join(map(repr, self.methods))}; got {self.asked.method!r}."
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


class PublicSharesAnswer(TableAnswer):
    """Shares of public columns: exact about the people, sampled about a population."""

    def __init__(self, question: ReleasedQuestion, layout: TableLayout, asked: Asked) -> None:
        super().__init__(question, layout, asked)
        self.refuse_at()
        self.table = self.public

    def answer(self, decoder: Decoder) -> Estimate:
        """Return the plain shares: all people are one group."""
        sample = self.asked.sample(int(self.counts.sum()), self.counts.size)
        axes, shape = self.group_axes(decoder), self.counts.shape
        found = self.in_group((), sample, "exact")
        found = map_arrays(found, lambda array: array.reshape(shape), axes=axes)
        return self.finish(found, COUNTED)

    def in_group(self, place: Place, sample: Sample, method: str) -> Estimate:
        """Return the shares of all cells, one after the other."""
        size = self.counts.size
        channel, axes = ResponseChannel(size, 1.0, 0.0, 1.0), (Axis("cell", range(size)),)
        found = shares_from_counts(self.counts.reshape(-1), [channel], axes, sample)
        if sample.about == "people":
            return replace(found, method=method)
        # No noise, so nothing has to be plausible: the error at the shares as they are. Half a row
        # keeps what nobody, or everybody, has from being certain of a population.
        half = 0.5 / sample.people
        shares = np.clip(found.values, half, 1 - half)
        errors = np.sqrt(sample.rows * shares * (1 - shares) / sample.people)
        return replace(found, standard_errors=errors, method=method)


class SharesAnswer(TableAnswer):
    """Shares of the cells of private columns, within public groups if there are some."""

    methods = METHODS
    are_shares = True

    def __init__(self, question: ReleasedQuestion, layout: TableLayout, asked: Asked) -> None:
        super().__init__(question, layout, asked)
        self.refuse_at()
        self.joint = JointShares(layout, self.private)
        self.table = self.have = (*self.public, *self.joint.columns)
        self.answers = self.joint.cells

    def in_group(self, place: Place, sample: Sample, method: str) -> Estimate:
        """Return the shares of the cells."""
        return self.joint.estimate(self.counts[place], sample, method=method)


def for_each_group(
    axes: tuple[Axis, ...],
    sizes: NDArray[np.int64],
    answer: Callable[[Place], Estimate],
    *,
    least: int = 1,
) -> Estimate:
    """Return the answers of all groups, the groups as the first axes.

    `sizes` are the people of each group. A group of fewer people than `least` has no answer: its
    values are not numbers. Without axes there is one group, all people.
    """
    require_people(int(sizes.sum()))
    if not axes:
        return answer(())
    places = [place for place in np.ndindex(sizes.shape) if sizes[place] >= least]
    answers = {place: answer(place) for place in places}
    some = next(iter(answers.values()), None)
    if some is None:
        # Every group is too small; the answer about the largest says what would be needed.
        largest = int(np.argmax(sizes))
        return answer(tuple(int(i) for i in np.unravel_index(largest, sizes.shape)))
    filled: dict[str, Any] = {}
    for name in ARRAYS:
        array = np.full((*sizes.shape, *some.values.shape), np.nan)
        for place, found in answers.items():
            array[place] = getattr(found, name)
        filled[name] = array
    behind = sizes.reshape(sizes.shape + (1,) * some.values.ndim)
    notes = list(some.notes)
    if len(answers) < sizes.size:
        why = "" if least == 1 else f" of fewer than {least} people"
        notes.append(f"Groups{why or ' without people'} have no answer.")
    return replace(
        some,
        axes=(*axes, *some.axes),
        people=int(sizes.sum()),
        sizes=np.broadcast_to(behind, filled["values"].shape),
        notes=tuple(notes),
        **filled,
    )


def reorder_axes(found: Estimate, order: tuple[int, ...]) -> Estimate:
    """Return the same answers with their axes in another order."""
    axes = tuple(found.axes[i] for i in order)
    sizes = None if found.sizes is None else found.sizes.transpose(order)
    return map_arrays(found, lambda array: array.transpose(order), axes=axes, sizes=sizes)


def with_sorted_groups(found: Estimate, groups: int) -> Estimate:
    """Return answers whose first axes, public groups, are sorted by their values."""
    for place, axis in enumerate(found.axes[:groups]):
        order = sorted(range(len(axis.labels)), key=lambda i: _rank(axis.labels[i]))
        sizes = None if found.sizes is None else found.sizes.take(order, axis=place)
        labels = Axis(axis.name, [axis.labels[i] for i in order])
        axes = (*found.axes[:place], labels, *found.axes[place + 1 :])
        found = map_arrays(
            found, partial(np.take, indices=order, axis=place), axes=axes, sizes=sizes
        )
    return found


def _rank(value: Any) -> tuple[int, Any]:
    """Sort values of one column: as they are, then what is not a number, then empty cells."""
    if value is None:
        return 2, 0
    return (1, 0) if isinstance(value, float) and math.isnan(value) else (0, value)
