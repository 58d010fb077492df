"""Answers about numbers and curves: means, variances, quantiles, histograms, by public groups."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.curves import CurveNoise
from noisewright.errors import ParameterError
from noisewright.estimation.answers.table_answers import Place, TableAnswer
from noisewright.estimation.counts.decoder import Decoder
from noisewright.estimation.counts.running_sums import Moments
from noisewright.estimation.intervals.intervals import Sample
from noisewright.estimation.numbers.mean_curves import mean_with_band
from noisewright.estimation.numbers.number_estimates import (
    answer_about_numbers,
    answers_asked_for,
    mean_with_noise,
)
from noisewright.estimation.questions.asked import METHODS, Asked
from noisewright.estimation.questions.questions import Question, subject_of
from noisewright.estimation.questions.table_layout import TableLayout
from noisewright.estimation.result import Axis, Estimate

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

    def __init__(self, question: Question, layout: TableLayout, asked: Asked) -> None:
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
