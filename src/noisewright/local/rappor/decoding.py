"""From counts of bits back to shares of candidates: which of them occur, and how often.

    s_ij    the share of the people of cohort j whose value sets bit i
    t_ij    (c_ij / N_j − p*) / (q* − p*): its unbiased estimate from c_ij ones among N_j reports
    β       shares of candidates; x_ijv is 1 if candidate v sets bit i in cohort j; s = Xβ + rest
    rest    values that are no candidates: the same in all bits on average, one more coefficient

1. Errors of t are known up to s: Var c/N = P(1 − P)/N with P = p* + (q* − p*) s, and two bits of a
   cohort go together as far as one value sets both. Rows are weighted by 1/Var.
2. Where candidates are many beside the rows (more than a quarter), a lasso with β ≥ 0 selects some.
   Its penalty is 3/2 errors of a coefficient by itself: what is dropped would not pass the test
   below. Fewer candidates all stay, as selecting by the same data makes small shares look larger.
3. Weighted least squares on the selected, with the rest. Its covariance is (X'WX)⁻¹ X'W V W X
   (X'WX)⁻¹ with the V of step 1 at these shares, times χ²/df where the fit is worse than its noise,
   as it is if common values are missing among the candidates. What was not selected is estimated
   as if it alone were added.
4. A candidate is detected if β_v / error is too large for chance, one-sided: by Bonferroni over all
   candidates that were given, not only the selected, or by Benjamini and Hochberg (1995).

Source: Erlingsson, Pihur, Korolova 2014, Section 4; the covariance of step 3 and the test over all
candidates are ours, and so is testing one-sided: shares are not negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, ParameterError, UnidentifiableError
from noisewright.estimation import Axis, Estimate, normal_quantile, read_confidence
from noisewright.given import flag, of_kind, one_of, several
from noisewright.local.rappor.mechanism import Rappor
from noisewright.local.rappor.reports import RapporCounts
from noisewright.local.rappor.sparse import lasso

Array = NDArray[np.float64]
Control = Literal["bonferroni", "fdr"]
_CONTROLS: tuple[Control, ...] = ("bonferroni", "fdr")

_PENALTY = 1.5
"""In units of the error of a coefficient by itself."""

_POOR = 1.5
"""χ²/df above which a fit does not explain the reports."""

_FEW = 4
"""So many rows for each candidate are enough for least squares without a selection."""


@final
@dataclass(frozen=True, eq=False)
class DecodedShares:
    """Shares of all candidates, the probability of each under chance, and which are detected."""

    estimate: Estimate
    """Shares of the candidates with intervals, in the order given."""
    p_values: Array
    """How likely noise alone gives so large a share, one candidate at a time."""
    selected: NDArray[np.bool_]
    detected: NDArray[np.bool_]
    rest: float
    """The estimated share of people whose value is no candidate."""
    misfit: float
    """χ²/df: well above 1 if common values are missing among the candidates."""
    control: Control
    level: float

    @property
    def found(self) -> list[Any]:
        """The candidates that are detected, the most frequent first."""
        order = np.argsort(-self.estimate.values, kind="stable")
        labels = self.estimate.axes[0].labels
        return [labels[place] for place in order.tolist() if self.detected[place]]

    def __repr__(self) -> str:
        count = int(self.detected.sum())
        head = f"{count:,} of {self.detected.size:,} candidates detected"
        return f"{head} ({self.control}, level {self.level:g})\n{self.estimate.top(count or 1)!r}"


def estimate_bits(mechanism: Rappor, counts: RapporCounts, *, confidence: float = 0.95) -> Estimate:
    """Return for each cohort and bit the share of people whose value sets it, with its error.

    Ensures: unbiased; intervals are about the people who sent the reports: noise is error.
    Source: Erlingsson, Pihur, Korolova 2014, Section 4.
    """
    _require_counts(mechanism, counts)
    confidence = read_confidence(confidence)
    shares, people = _bit_shares(mechanism, counts), counts.people[:, None]
    low, gap = float(mechanism.chance_unset), float(mechanism.gap)
    likely, high = np.clip(shares, 0.0, 1.0), float(mechanism.chance_set)
    noise = likely * high * (1 - high) + (1 - likely) * low * (1 - low)
    errors = np.sqrt(noise / np.maximum(people, 1)) / gap
    reach = normal_quantile(confidence) * errors
    axes = Axis("cohort", range(mechanism.cohorts)), Axis("bit", range(mechanism.bits))
    return Estimate(
        *("share", axes, shares, errors, shares - reach, shares + reach),
        *(counts.total, "people", "unbiased", confidence),
    )


def decode(
    mechanism: Rappor,
    counts: RapporCounts,
    candidates: Sequence[Any] | None = None,
    *,
    control: Control = "bonferroni",
    level: float = 0.05,
    confidence: float = 0.95,
    sparse: bool | None = None,
) -> DecodedShares:
    """Return which candidates occur, and their shares.

    Requires: different candidates; those of basic RAPPOR may be left out. (1 − f)(q − p) > 0.
    `sparse` selects some of them by a lasso first; by default if they are many.
    Ensures: with control="bonferroni", the chance that any candidate that nobody has is detected
    is about `level` at most; with "fdr", so large a part of the detected on average. Intervals are
    about the population that the people were sampled from, one candidate at a time.
    Source: Erlingsson, Pihur, Korolova 2014, Section 4; see the top of this file.
    """
    _require_counts(mechanism, counts)
    control = one_of(control, _CONTROLS, name="control")
    level, confidence = read_confidence(level), read_confidence(confidence)
    labels = _candidates(mechanism, candidates)
    used = counts.people > 0
    if not used.any():
        raise InputError("there are no reports to decode.")
    if mechanism.space is not None:
        shares, errors = _direct(mechanism, counts, labels)
        selected, rest, misfit = np.ones(len(labels), dtype=bool), 0.0, 1.0
    else:
        fit = _Fit(mechanism, counts, _design(mechanism, labels)[:, used], used)
        if sparse is None:
            sparse = _FEW * len(labels) > int(used.sum()) * mechanism.bits
        every = np.ones(len(labels), dtype=bool)
        selected = fit.select() if flag(sparse, name="sparse") else every
        shares, errors, rest, misfit = fit.solve(selected)
    method = "least squares" if selected.all() else "sparse regression"
    normal = NormalDist()
    p_values = np.array([normal.cdf(-b / e) for b, e in zip(shares, errors, strict=True)])
    reach = normal_quantile(confidence) * errors
    found = Estimate(
        *("share", (Axis("candidate", labels),), shares, errors, shares - reach, shares + reach),
        *(counts.total, "population", method, confidence),
        notes=_notes(selected, misfit),
    )
    passed = _detect(p_values, control, level)
    return DecodedShares(found, p_values, selected, passed, rest, misfit, control, level)


def _direct(mechanism: Rappor, counts: RapporCounts, labels: Sequence[Any]) -> tuple[Array, Array]:
    """Return shares and errors where each candidate has a bit of its own."""
    places = mechanism.table(labels)[:, 0, 0]
    shares = _bit_shares(mechanism, counts)[0, places]
    chance = float(mechanism.chance_unset) + float(mechanism.gap) * np.clip(shares, 0.0, 1.0)
    variances = chance * (1 - chance) / counts.total
    # Where all reports are alike by chance, as if one had been otherwise.
    return shares, np.sqrt(np.maximum(variances, 1 / counts.total**2)) / float(mechanism.gap)


class _Fit:
    """Weighted regression of the shares of bits on candidates."""

    def __init__(
        self,
        mechanism: Rappor,
        counts: RapporCounts,
        design: NDArray[np.bool_],
        used: NDArray[np.bool_],
    ) -> None:
        self._bits = mechanism.bits
        self._people = counts.people[used].astype(float)
        self._low, self._gap = float(mechanism.chance_unset), float(mechanism.gap)
        self._shares = _bit_shares(mechanism, counts)[used]
        likely = np.clip(self._shares, 0.0, 1.0)
        self._variances = self._bit_variances(likely)
        # [cohort · bit, candidate], rows divided by their errors.
        self._plain = design.reshape(len(design), -1).T.astype(float)
        self._weights = 1 / self._variances.reshape(-1)
        root = np.sqrt(self._weights)
        self._rows = self._plain * root[:, None]
        self._target = self._shares.reshape(-1) * root
        self._ones = root[:, None]

    def _bit_variances(self, shares: Array) -> Array:
        chance = self._low + self._gap * shares
        return chance * (1 - chance) / self._people[:, None] / self._gap**2

    def select(self) -> NDArray[np.bool_]:
        """Return what a lasso keeps; the rest is free of a penalty."""
        count = self._rows.shape[1]
        full = np.concatenate([self._rows, self._ones], axis=1)
        gram = full.T @ full
        penalties = _PENALTY * np.sqrt(np.diagonal(gram))
        penalties[count] = 0.0
        kept = lasso(gram, full.T @ self._target, penalties)[:count] > 0
        # Least squares needs more rows than columns; the largest products come first.
        most = max(1, full.shape[0] // 2)
        if kept.sum() > most:
            strength = np.where(kept, full.T[:count] @ self._target, -np.inf)
            kept = np.zeros(count, dtype=bool)
            kept[np.argsort(-strength)[:most]] = True
        return kept

    def solve(self, selected: NDArray[np.bool_]) -> tuple[Array, Array, float, float]:
        """Return shares and errors of all candidates, the share of others, and the misfit."""
        places = np.flatnonzero(selected)
        columns = np.concatenate([self._rows[:, places], self._ones], axis=1)
        inverse = np.linalg.pinv(columns.T @ columns, hermitian=True)
        found = inverse @ (columns.T @ self._target)
        residual = self._target - columns @ found
        shares, errors = self._add_alone(columns, inverse, residual)
        shares[places] = found[: places.size]
        freedom = max(1, residual.size - found.size)
        misfit = float(residual @ residual) / freedom
        spread = inverse @ columns.T
        likely = np.where(selected, shares, 0.0)
        covariance = spread @ self._whiten(likely) @ spread.T * max(1.0, misfit)
        errors *= np.sqrt(max(1.0, misfit))
        errors[places] = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))[: places.size]
        # One person more with another value sets as many bits as a candidate does.
        rest = float(found[-1] / self._plain.mean())
        return shares, errors, rest, misfit

    def _add_alone(self, columns: Array, inverse: Array, residual: Array) -> tuple[Array, Array]:
        """Return shares and errors of candidates, each added alone to the columns of a fit."""
        apart = self._rows - columns @ (inverse @ (columns.T @ self._rows))
        size = (apart**2).sum(axis=0)
        known = size > 1e-9 * (self._rows**2).sum(axis=0)
        size = np.where(known, size, 1.0)
        shares = np.where(known, (self._rows.T @ residual) / size, 0.0)
        return shares, np.where(known, 1 / np.sqrt(size), np.inf)

    def _whiten(self, shares: Array) -> Array:
        """Return the covariance of the weighted rows: bits that one value sets go together."""
        likely = np.maximum(shares, 0.0)
        likely /= max(1.0, likely.sum())
        size = self._target.size
        out = np.zeros((size, size))
        root = np.sqrt(self._weights)
        for j, people in enumerate(self._people):
            block = slice(j * self._bits, (j + 1) * self._bits)
            part = self._plain[block]
            single = part @ likely
            together = ((part * likely) @ part.T - np.outer(single, single)) / people
            np.fill_diagonal(together, self._variances[j])
            out[block, block] = together * np.outer(root[block], root[block])
        return out


def _notes(selected: NDArray[np.bool_], misfit: float) -> tuple[str, ...]:
    notes: list[str] = []
    if not selected.all():
        notes.append(
            f"{int((~selected).sum()):,} candidates were not selected; each is estimated as if it "
            "alone were added."
        )
    if misfit > _POOR:
        notes.append(
            f"The fit is {misfit:.1f} times as far off as noise explains: common values are "
            "missing among the candidates, and shares may be off by more than their errors say."
        )
    return tuple(notes)


def _detect(p_values: Array, control: Control, level: float) -> NDArray[np.bool_]:
    count = p_values.size
    if control == "bonferroni":
        return p_values <= level / count
    order = np.argsort(p_values)
    passes = np.flatnonzero(p_values[order] <= level * np.arange(1, count + 1) / count)
    out = np.zeros(count, dtype=bool)
    if passes.size:
        out[order[: passes[-1] + 1]] = True
    return out


def _bit_shares(mechanism: Rappor, counts: RapporCounts) -> Array:
    rate = counts.ones / np.maximum(counts.people, 1)[:, None]
    return (rate - float(mechanism.chance_unset)) / float(mechanism.gap)


def _design(mechanism: Rappor, labels: Sequence[Any]) -> NDArray[np.bool_]:
    """Return which bits each candidate sets: [candidate, cohort, bit]."""
    table = mechanism.table(labels)
    design = np.zeros((len(labels), mechanism.cohorts, mechanism.bits), dtype=np.bool_)
    np.put_along_axis(design, table.astype(np.intp), True, axis=2)
    return design


def _candidates(mechanism: Rappor, candidates: Sequence[Any] | None) -> list[Any]:
    if candidates is None:
        if mechanism.space is None:
            raise ParameterError("candidates is missing; give the texts to look for.")
        return list(mechanism.space.labels)
    labels = several(candidates, name="candidates", of="texts")
    if not labels or len(set(labels)) < len(labels):
        raise ParameterError("candidates must be at least one, and no two of them the same.")
    return labels


def _require_counts(mechanism: Rappor, counts: RapporCounts) -> None:
    of_kind(mechanism, Rappor, name="mechanism", such_as="nw.local.rappor(…)")
    of_kind(counts, RapporCounts, name="counts", such_as="counts of RAPPOR")
    if counts.ones.shape != (mechanism.cohorts, mechanism.bits):
        raise InputError(
            f"these counts are of {counts.ones.shape} cohorts and bits; the collection has "
            f"{(mechanism.cohorts, mechanism.bits)}."
        )
    if mechanism.gap == 0:
        raise UnidentifiableError("f is 1: reports do not depend on values, and say nothing.")
