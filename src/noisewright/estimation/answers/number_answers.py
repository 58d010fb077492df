"""Answers about numbers and curves: means, variances, quantiles, histograms, by public groups."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from noisewright.curves import CurveNoise
from noisewright.errors import ParameterError
from noisewright.estimation.answers.groups import Place, for_each_group
from noisewright.estimation.answers.table_answers import TableAnswer
from noisewright.estimation.counts.running_sums import Moments
from noisewright.estimation.decoding import Decoder
from noisewright.estimation.intervals.intervals import Sample
from noisewright.estimation.numbers.mean_curves import mean_with_band
from noisewright.estimation.numbers.number_estimates import (
    answer_about_numbers,
    answers_asked_for,
    mean_with_noise,
    numbers_of,
)
from noisewright.estimation.questions.asked import Asked
from noisewright.estimation.questions.questions import Question, subject_of
from noisewright.estimation.questions.table_layout import TableLayout
from noisewright.estimation.result import Axis, Estimate
from noisewright.estimation.shares.share_estimates import METHODS

WILD = 0.1
"""A histogram that nobody asked for is left out if a share is less certain than this."""

_METHODS = {"histogram": METHODS, "quantiles": ("unbiased", "likelihood")}


class NumbersAnswer(TableAnswer):
    """Mean, variance, quantiles or histogram of a column with countable points."""

    def __init__(self, question: Question, layout: TableLayout, asked: Asked) -> None:
        super().__init__(question, layout, asked)
        self.subject = subject_of(question.columns, layout)
        if question.word not in _METHODS:
            self.refuse_at()
        self.table = (*self.public, self.subject)

    def answer(self, decoder: Decoder) -> Estimate:
        """Return the answers, one for each group."""
        word, at = self.question.word, self.question.at
        points = numbers_of(self.layout.space(self.subject))
        channel = self.layout.channel((self.subject,))
        groups, sizes = self.group_axes(decoder), np.asarray(self.counts.sum(axis=-1))
        level = self.asked.level(answers_asked_for(word, points, at) * sizes.size)
        method = self.method(*_METHODS.get(word, ("unbiased",)))

        def answer(place: Place) -> Estimate:
            found = answer_about_numbers(
                self.counts[place],
                channel,
                points,
                of=word,
                at=at,
                about=self.asked.about,
                method=method,
                confidence=level,
                rows=self.asked.rows,
            )
            if word == "histogram":
                found = replace(found, axes=(Axis(self.subject, found.axes[0].labels),))
            return found

        found = for_each_group(groups, sizes, answer, least=self.least)
        if word == "histogram" and self.question.spare and found.standard_errors.max() > WILD:
            raise ParameterError(
                f"the noise of {self.subject!r} is wider than ten bins. Ask for it by name, with "
                "fewer bins."
            )
        return self.finish(found)


class MeansAnswer(TableAnswer):
    """The mean of numbers on a grid too fine to count, or of curves."""

    def __init__(self, question: Question, layout: TableLayout, asked: Asked) -> None:
        super().__init__(question, layout, asked)
        self.subject = subject_of(question.columns, layout)
        self.mechanism = layout.part(self.subject).mechanism
        curves = isinstance(self.mechanism, CurveNoise)
        if not curves:
            self.refuse_at()
        width = self.mechanism.coordinates.count if curves else 1
        self.moments = Moments(self.subject, width, self.public)
        self.tally = self.moments
        self._answer = self._curve if curves else self._number

    def answer(self, decoder: Decoder) -> Estimate:
        """Return the means, one for each group."""
        self.method("unbiased")
        groups, sizes = self.group_axes(decoder), self.moments.rows
        return self.finish(for_each_group(groups, sizes, self._answer, least=self.least))

    def _number(self, place: Place) -> Estimate:
        people = int(self.moments.rows[place])
        spread = float(self.moments.covariance(place)[0, 0]) if people > 1 else None
        value = float(self.moments.mean(place)[0])
        return mean_with_noise(value, spread, self.mechanism, self._sample(people))

    def _sample(self, people: int) -> Sample:
        level = self.asked.level(self.moments.rows.size)
        return Sample(people, self.asked.about, level, self.asked.rows)

    def _curve(self, place: Place) -> Estimate:
        people = int(self.moments.rows[place])
        mean = self.mechanism.shown(self.moments.mean(place)[None, :])
        at = self.question.at
        positions = mean.grid if at is None else np.atleast_1d(np.asarray(at, dtype=np.float64))
        released = None
        if people > 1:
            drawn = mean.functions.at(positions)
            released = drawn @ self.moments.covariance(place) @ drawn.T
        return mean_with_band(
            mean.at(positions)[0],
            mean.covariance(positions),
            released,
            positions,
            mean.bounds,
            self._sample(people),
            together=self.asked.together,
        )
