"""Naive Bayes from one private release of the label's tables with each feature.

A person is in one cell of each table. Replacing a record takes one out of a cell and puts one into
another: two cells of a table change, so that geometric noise on all of them costs twice its ε
(with one record more or less it would be once: parallel composition). Over the tables costs add up.

The cells of a table add up to the number of rows, which is public. Geometric noise on a small table
adds up to 0; independent noise is moved to the known total, which takes 1/K of its variance away.
Noises are compared, and the whole is divided, by what is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import TooLargeError
from noisewright.exact import Number
from noisewright.mechanisms import read_delta
from noisewright.models.conventions import Conventions, FitJob
from noisewright.models.counts import LEAST, column_counts, expected_counts, read_smoothing
from noisewright.models.reader import Reader
from noisewright.public import public_methods
from noisewright.synthetic import (
    MARGINAL,
    NOISES,
    Drawn,
    Measurement,
    NoisySteps,
    RunBudget,
    Schedule,
    counting,
    shape_of,
    variance_share,
    varying,
)

Array = NDArray[np.float64]

_MOST_CELLS = 1 << 22

_GRAIN = 1 << 12


@public_methods
@dataclass(eq=False, repr=False, kw_only=True)
class PrivateNaiveBayes(Conventions):
    """A classifier that sees the data once, through noisy counts of label × feature.

    `domain` declares every column: a mapping from names to spaces or to `Column` (which says what
    empty and undeclared cells count as), `Records`, or a `Plan`; `label` is the one to predict.
    Numbers are binned by their space, such as
    `Interval(20, 80, step=10).reading(outside="clamp", off_grid="round")`. `epsilon` and `delta`
    are for the whole fit, per person, where neighbors replace one person's row (or rows, if a plan
    has a `person`) and the number of rows is public. With a δ the noise is rounded normal
    where that makes the expected squared error smaller; otherwise it is two-sided geometric, and
    the guarantee has no δ. `smoothing` is added to each count. With a `ledger` every fit debits
    `dataset` before it draws, also in cross-validation; None must be passed explicitly and means
    that no budget is debited. `progress` is called with "check" or "draw", how much is done, and
    the total, if known. A seeded `source` is for tests: no ledger pays for it, and the fit is not
    private.

    After `fit`: `classes_`, `guarantee_`, `certificate_` (its proof, made before the debit),
    `measurements_` (the noisy tables, all of which may leave), `spends_`, `noise_` (which was
    chosen, in words), `class_shares_`, `feature_shares_`, `notes_` (what is to be said about the
    debit), and `private_`, which is False after a seeded fit. Everything after the noise is
    post-processing: predictions for any rows cost nothing more.
    """

    label: str

    def fit(self, X: Any, y: Any = None) -> Self:
        """Count with noise, once, and learn from that. Without y, the label is a column of X.

        Requires: values of the declared spaces; X as a mapping of columns, an Arrow table, a data
        frame, a list of rows or an array with the features in the order of the domain, or (without
        y) an iterator over batches or a table of DuckDB, PostgreSQL or Spark, which counts it.
        Ensures: (ε, δ) for a replaced row, or for all rows of a person if the domain is a plan with
        a `person` (rows beyond the plan's limit are left out): the parts add up to it exactly.
        """
        reader = Reader.of(self.domain, self.label)
        smoothing = read_smoothing(self.smoothing)
        # What a feature with one possible value counts, every other one counts too.
        telling = varying(reader.domain, tuple(reader.features)) or tuple(reader.features)[:1]
        groupings = [(self.label, name) for name in telling]
        cells = [prod(shape_of(reader.domain, names)) for names in groupings]
        if max(cells) > _MOST_CELLS:
            raise TooLargeError(
                f"a table of the label with a feature has {max(cells):,} cells (at most "
                f"{_MOST_CELLS:,}). Declare a coarser grid for that feature.",
                size=max(cells),
            )
        possible = choices(self.epsilon, self.delta, cells, rows_per_person=reader.rows_per_person)
        budget = possible[0].budget
        counts = _LabelCounts(
            Schedule(
                budget,
                tuple(
                    counting(budget, f"counts of {' × '.join(names)}", amount)
                    for names, amount in zip(groupings, possible[0].amounts, strict=True)
                ),
            ),
            groupings,
        )
        job = FitJob(
            what=f"naive Bayes of {self.label} from {len(reader.features)} columns",
            price=budget.guarantee,
            reader=reader,
            count=reader.count(X, y, groupings),
            counter=lambda _: counts,
            source=self.source,
        )
        drawn = self._transact(job)
        self._learn(reader, drawn.measurements, smoothing)
        self.noise_ = _words(possible)
        return self

    def _learn(self, reader: Reader, tables: Sequence[Measurement], smoothing: float) -> None:
        """Fit from noisy tables alone; nothing here sees the data."""
        space = reader.space(self.label)
        by_label = column_counts(self.label, tables)
        self._reader = reader
        self.classes_ = np.asarray(space.decode(np.arange(space.size)))
        self.feature_names_in_ = np.array(reader.features, dtype=object)
        self.n_features_in_ = len(reader.features)
        self.measurements_ = tuple(tables)
        self.class_shares_ = (by_label + smoothing) / (by_label + smoothing).sum()
        known = {table.columns[1]: table for table in tables}
        self.feature_shares_ = {
            name: _shares_given_label(known[name], by_label, smoothing)
            if name in known
            else np.ones((space.size, 1))
            for name in reader.features
        }

    def predict_joint_log_proba(self, X: Any) -> Array:
        """Return log P(label, features), row by row, with one column for each of `classes_`."""
        self._require_fitted()
        codes = self._reader.codes(X)
        found = np.log(self.class_shares_)[None, :]
        for name, shares in self.feature_shares_.items():
            found = found + np.log(shares).T[codes[name]]
        return found

    def predict_log_proba(self, X: Any) -> Array:
        """Return the logarithms of `predict_proba`."""
        joint = self.predict_joint_log_proba(X)
        joint = joint - joint.max(axis=1, keepdims=True)
        return joint - np.log(np.exp(joint).sum(axis=1, keepdims=True))

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each of `classes_`, row by row."""
        return np.exp(self.predict_log_proba(X))


@final
@dataclass(frozen=True)
class _LabelCounts:
    """Counts every table of the label with a feature."""

    schedule: Schedule
    groupings: Sequence[tuple[str, str]]

    def make(self, steps: NoisySteps, rows: int) -> Drawn:
        """Draw the noise of each table."""
        for names in self.groupings:
            steps.count(names)
        return steps.finish({})


def _shares_given_label(table: Measurement, by_label: Array, smoothing: float) -> Array:
    """Return P(feature | label), one row for each label."""
    counts = expected_counts(table.counts, table.noise, rows=table.rows)
    scaled = counts * (by_label / np.maximum(counts.sum(axis=1), LEAST))[:, None] + smoothing
    return scaled / scaled.sum(axis=1, keepdims=True)


def _words(possible: Sequence[NoiseChoice]) -> str:
    best, *others = possible
    against = "".join(f", against {other.expected_error:.4g} of {other.words}" for other in others)
    return f"{best.words} noise: expected squared error {best.expected_error:.4g}{against}"


@final
@dataclass(frozen=True)
class NoiseChoice:
    """The budget that tables of these sizes are measured with, and each one's part of it."""

    budget: RunBudget
    amounts: tuple[Fraction, ...]
    cells: tuple[int, ...]

    @property
    def expected_error(self) -> float:
        """The expected sum of squared errors over all cells, once their total is known."""
        return sum(
            (size - 1) * self.budget.noise(amount, MARGINAL).on(size).fit_deviation ** 2
            for size, amount in zip(self.cells, self.amounts, strict=True)
        )

    @property
    def words(self) -> str:
        """What the noise is."""
        return NOISES[self.budget.unit]


def choices(
    epsilon: Number, delta: Number, cells: Sequence[int], *, rows_per_person: int = 1
) -> list[NoiseChoice]:
    """Return what is possible, best first: geometric noise, and with a δ also normal noise.

    The squared error of a table is as w/ε² or w/ρ of its part, where w = K − 1 for independent
    noise on K cells. The least sum has parts of ε as the cube roots of w, or of ρ as the square
    roots.
    """
    pure = RunBudget.of(epsilon, rows_per_person=rows_per_person)
    found = [_divide(pure, cells, 1 / 3)]
    if read_delta(delta):
        normal = RunBudget.of(epsilon, delta, rows_per_person=rows_per_person)
        found.append(_divide(normal, cells, 1 / 2))
    return sorted(found, key=lambda choice: choice.expected_error)


def _divide(budget: RunBudget, cells: Sequence[int], power: float) -> NoiseChoice:
    weights = [max(1, round(_GRAIN * _spread(budget, size) ** power)) for size in cells]
    return NoiseChoice(budget, tuple(budget.divide(weights)), tuple(cells))


def _spread(budget: RunBudget, cells: int) -> float:
    """Return the squared error of a table, but for what its part of the whole does."""
    if budget.noise(budget.total, MARGINAL).on(cells).balanced_cells is None:
        return cells - 1
    return cells * variance_share(cells)
