"""A tree of columns (Chow–Liu 1968), chosen and counted in private.

Chow and Liu take the tree of most mutual information. One person can change that by about
log(n)/n, far more than most of its values deserve, so the edges are chosen by another measure of
dependence: how far the joint counts are from those of independent columns, in L1, of which one
person changes 2 (see `synthetic/by_mst/mst.py`, which this is built on). Then the chosen edges are
counted with noise, and the rest is post-processing.

Predictions are exact. Messages go from the leaves to the column in question: a column that is known
picks its value, one that is not is summed out (Pearl 1988, section 4.2). All rows go at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError
from noisewright.mechanisms import read_delta
from noisewright.models.conventions import Conventions, FitJob
from noisewright.models.counts import column_counts, expected_counts, read_smoothing
from noisewright.models.reader import Reader
from noisewright.public import public_methods
from noisewright.releases import require_memory
from noisewright.sampling import Source
from noisewright.spaces import whole_number
from noisewright.synthetic import (
    NOISES,
    Measurement,
    Mst,
    RunBudget,
    TreeModel,
    Workload,
    fit_margins,
)

Array = NDArray[np.float64]


@public_methods
@dataclass(eq=False, repr=False, kw_only=True)
class PrivateTree(Conventions):
    """A model of all columns in which each depends on one other; it predicts any of them.

    Parameters are those of `PrivateNaiveBayes`. `label` is the column that `predict` is about,
    and may be left out. A tenth of the budget chooses the edges, a fifth counts the columns, the
    rest counts the chosen pairs.

    After `fit`: `edges_`, `measurements_` (noisy tables, all of which may leave), `spends_`,
    `noise_`, `notes_`, `guarantee_`, `certificate_`, `model_`, and `classes_` if there is a label.
    """

    label: str | None = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose a tree and count its edges, both in private, and learn from that.

        Requires: what `PrivateNaiveBayes.fit` does. Without a label there is no y.
        Ensures: (ε, δ) for a replaced row, or all rows of a person, as there: the parts of steps
        add up to it exactly.
        """
        reader = Reader.of(self.domain, self.label)
        domain = reader.domain
        smoothing = read_smoothing(self.smoothing)
        rows = reader.rows_per_person
        pairs = Workload.marginals(domain, ways=2)
        possible = [
            Mst(domain, pairs, RunBudget.of(self.epsilon, delta, rows_per_person=rows))
            for delta in ([0, self.delta] if read_delta(self.delta) else [0])
        ]

        def fewest_errors(rows: int) -> Mst:
            return min(possible, key=lambda one: one.predict(rows).expected)

        job = FitJob(
            what=f"a tree of {len(domain.columns)} columns",
            # Of all that is possible this is the least; what is debited is what is proven.
            price=possible[0].budget.guarantee,
            reader=reader,
            count=reader.count(X, y, possible[0].groupings),
            counter=fewest_errors,
            source=self.source,
        )
        drawn = self._transact(job)
        self._learn(reader, drawn.measurements, smoothing)
        self.noise_ = f"{NOISES[drawn.spends[0].unit]} noise"
        return self

    def _learn(
        self, reader: Reader, measurements: tuple[Measurement, ...], smoothing: float
    ) -> None:
        """Fit from noisy counts alone; nothing here sees the data."""
        pairs = [one for one in measurements if len(one.columns) == 2]
        known = {name for one in measurements for name in one.columns}
        shares = {
            name: _shares(column_counts(name, measurements) + smoothing)
            if name in known
            # A column with one possible value is not counted.
            else np.ones(space.size)
            for name, space in reader.domain.columns
        }
        edges: dict[tuple[str, str], Array] = {}
        for pair in pairs:
            first, second = pair.columns
            counts = expected_counts(pair.counts, pair.noise, rows=pair.rows)
            edges[first, second] = fit_margins(
                _shares(counts + smoothing), shares[first], shares[second]
            )
        self._reader = reader
        self.model_ = TreeModel(shares, edges)
        self.edges_ = tuple(edges)
        self.measurements_ = measurements
        self.feature_names_in_ = np.array(reader.features, dtype=object)
        self.n_features_in_ = len(reader.features)
        if self.label is not None:
            self.classes_ = self.points(self.label)

    def points(self, column: str) -> NDArray[Any]:
        """Return the values of a column, in the order of the probabilities."""
        space = self._reader.space(column)
        return np.asarray(space.decode(np.arange(space.size)))

    def predict_proba(self, X: Any, *, column: str | None = None) -> Array:
        """Return the probability of each value of the label (or of this column), row by row.

        Columns that X does not have are summed out; rows without names have all features.
        """
        self._require_fitted()
        wanted = column if column is not None else self.label
        if wanted is None or wanted not in self.model_.shares:
            names = ", ".join(self.model_.shares)
            raise InputError(f"name the column to predict with label= or column=: {names}.")
        codes = self._reader.read_known(X, but=wanted)
        rows = len(next(iter(codes.values())))
        return normalize(joint_logs(self.model_, wanted, codes, rows=rows))

    def predict(self, X: Any, *, column: str | None = None) -> NDArray[Any]:
        """Return the most likely value of the label (or of this column) in each row."""
        likely = np.argmax(self.predict_proba(X, column=column), axis=1)
        name = column if column is not None else self.label
        assert name is not None
        return self.points(name)[likely]

    def log_likelihood(self, X: Any) -> Array:
        """Return log P(row) of each row; columns that X does not have are summed out.

        It is about the rows that are given: on private rows it is not for release.
        """
        self._require_fitted()
        codes = self._reader.read_known(X)
        rows = len(next(iter(codes.values())))
        return log_likelihoods(self.model_, codes, rows=rows)

    def sample(self, rows: int, *, source: Source | None = None) -> dict[str, NDArray[Any]]:
        """Return made-up rows as one array for each column; this costs nothing more."""
        self._require_fitted()
        rows = whole_number(rows, name="rows", least=0)
        require_memory(rows, len(self.model_.shares))
        drawn = self.model_.draw(rows, source)
        return {n: np.asarray(self._reader.space(n).decode(drawn[n])) for n in self.model_.shares}


def _shares(counts: Array) -> Array:
    return counts / counts.sum()


Codes = Mapping[str, NDArray[Any]]


def joint_logs(model: TreeModel, column: str, codes: Codes, *, rows: int) -> Array:
    """Return log P(column = v, what is known of its tree), one row for each row.

    `codes` holds the columns that are known; the one in question may not be among them.
    """
    found = np.tile(np.log(model.shares[column]), (rows, 1))
    for near in _neighbors(model, column):
        found = found + _message(model, near, column, codes, rows)
    return found


def log_likelihoods(model: TreeModel, codes: Codes, *, rows: int) -> Array:
    """Return log P(what is known) of each row, over all trees of the model."""
    total = np.zeros(rows)
    for root, parent in model.steps:
        if parent is not None:
            continue
        logs = joint_logs(model, root, {n: c for n, c in codes.items() if n != root}, rows=rows)
        if root in codes:
            total += logs[np.arange(rows), codes[root]]
        else:
            total += _log_sum(logs)
    return total


def _message(model: TreeModel, column: str, towards: str, codes: Codes, rows: int) -> Array:
    """Return log P(what is known at `column` and behind it | towards = v)."""
    joint = model.joint(towards, column)
    given = joint / joint.sum(axis=1, keepdims=True)
    behind = np.zeros((rows, given.shape[1]))
    for near in _neighbors(model, column):
        if near != towards:
            behind = behind + _message(model, near, column, codes, rows)
    if column in codes:
        known = codes[column]
        return np.log(given).T[known] + behind[np.arange(rows), known][:, None]
    most = behind.max(axis=1, keepdims=True)
    return np.log(np.exp(behind - most) @ given.T) + most


def _neighbors(model: TreeModel, column: str) -> list[str]:
    return [b if a == column else a for a, b in model.edges if column in (a, b)]


def _log_sum(logs: Array) -> Array:
    most = logs.max(axis=1, keepdims=True)
    return (np.log(np.exp(logs - most).sum(axis=1, keepdims=True)) + most)[:, 0]


def normalize(logs: Array) -> Array:
    """Return probabilities from logarithms that lack a constant, row by row."""
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)
