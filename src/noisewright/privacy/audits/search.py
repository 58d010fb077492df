"""The events that tell two inputs apart best, as far as a first sample shows.

Nothing here has to be right: what is found is tested on draws that had no part in finding it. The
order of outputs and the weights of bits are fitted on one half of the sample, and where to cut is
chosen on the other, so that what only seems to tell does not win.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noisewright.given import brief
from noisewright.privacy.audits.events_of_reports import (
    AmongValues,
    BeyondThreshold,
    BitPattern,
    BitScore,
    ReportEvent,
)
from noisewright.privacy.audits.reports import ReportColumns, ReportReader

_MOST_THRESHOLDS = 256
_MOST_BITS_TOGETHER = 4
_FEW_VALUES = 1000
_LARGEST_SUM = 2.0**23
_SHOWN = 3

Doubles = NDArray[np.float64]


class FoundEvent(NamedTuple):
    """An event, and the ε that it promises to show between two inputs."""

    promise: float
    event: ReportEvent


@dataclass(frozen=True)
class TestOutlook:
    """What the bound will be, nearly, if the test finds the frequencies that were seen."""

    draws: int
    """How many draws of each input the test will have."""
    spread: float
    """How many standard deviations each bound keeps from its frequency."""
    delta: float

    def promises(self, p: Doubles, q: Doubles) -> Doubles:
        """Return ln((p↓ − δ) / q↑) for frequencies, by Wilson's bounds; −inf where it is void."""
        low, high = self._wilson(p, -1) - self.delta, self._wilson(q, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(low > 0, np.log(np.maximum(low, 0) / high), -np.inf)

    def _wilson(self, share: Doubles, side: int) -> Doubles:
        n, z = self.draws, self.spread
        middle = share + z * z / (2 * n)
        half = z * np.sqrt(np.maximum(share * (1 - share), 0) / n + z * z / (4.0 * n * n))
        return np.maximum(middle + side * half, 0) / (1 + z * z / n)


class EventSearch:
    """Looks for events that are likelier under one sample of reports than under another."""

    def __init__(self, reading: ReportReader, outlook: TestOutlook) -> None:
        self._reading = reading
        self._outlook = outlook

    def quickly(self, first: ReportColumns, second: ReportColumns) -> float:
        """Return what single values and single bits promise, to see which pairs are worth more."""
        found = [*self._single_values(first, second), *self._single_bits(first, second)]
        many = [name for name in first.numbers if _largest(first, second, name) > _FEW_VALUES]
        found += list(self._half_lines(first, second, many))
        return max((one.promise for one in found), default=-np.inf)

    def thoroughly(self, first: ReportColumns, second: ReportColumns) -> list[FoundEvent]:
        """Return the best event of each kind, the most promising first."""
        found = [
            *self._single_values(first, second),
            *self._level_sets(first, second),
            *self._half_lines(first, second, first.numbers),
            *self._single_bits(first, second),
            *self._several_bits(first, second),
            *self._bit_scores(first, second),
        ]
        return sorted(found, key=lambda one: -one.promise)

    def _single_values(self, first: ReportColumns, second: ReportColumns) -> Iterator[FoundEvent]:
        for name in first.codes:
            p, q = _frequencies(first.codes[name], second.codes[name])
            promises = self._outlook.promises(p, q)
            code = int(np.argmax(promises))
            value = brief(self._reading.value_of(name, code))
            yield FoundEvent(
                float(promises[code]), AmongValues(f"{name} is {value}", name, np.array([code]))
            )

    def _level_sets(self, first: ReportColumns, second: ReportColumns) -> Iterator[FoundEvent]:
        """Cut the outputs where the ratio of their probabilities is (Neyman–Pearson)."""
        (fit, choose), (other_fit, other_choose) = _halves(first), _halves(second)
        for name in first.codes:
            size = 1 + _largest(first, second, name)
            if size < 3:
                continue
            p, q = _frequencies(fit.codes[name], other_fit.codes[name], size=size)
            # Half a draw more for each keeps outputs that were hardly seen in the middle.
            ratios = (p + 0.5 / fit.size) / (q + 0.5 / other_fit.size)
            # Outputs that were not seen have no place in it: their codes tell who met them first.
            met = np.flatnonzero(p + q)
            order = met[np.argsort(-ratios[met], kind="stable")]
            p, q = _frequencies(choose.codes[name], other_choose.codes[name], size=size)
            promises = self._outlook.promises(np.cumsum(p[order]), np.cumsum(q[order]))
            cut = int(np.argmax(promises))
            codes = order[: cut + 1].astype(np.int64)
            if codes.size == 1:
                continue  # found as a single value
            yield FoundEvent(
                float(promises[cut]), AmongValues(self._list(name, codes), name, codes)
            )

    def _list(self, name: str, codes: NDArray[np.int64]) -> str:
        values = [brief(self._reading.value_of(name, int(code))) for code in codes[:_SHOWN]]
        more = codes.size - len(values)
        return f"{name} is one of {', '.join(values)}" + (f" and {more:,} others" if more else "")

    def _half_lines(
        self, first: ReportColumns, second: ReportColumns, names: Iterable[str]
    ) -> Iterator[FoundEvent]:
        for name in names:
            for found in _thresholds(first.numbers[name], second.numbers[name], self._outlook):
                yield FoundEvent(found[0], BeyondThreshold(name, found[1], found[2]))

    def _single_bits(self, first: ReportColumns, second: ReportColumns) -> Iterator[FoundEvent]:
        if first.bits is None:
            return
        promises = self._literals(first, second)
        value, place = np.unravel_index(int(np.argmax(promises)), promises.shape)
        yield FoundEvent(float(promises.max()), BitPattern((int(place),), (int(value),)))

    def _literals(
        self, first: ReportColumns, second: ReportColumns, *, kept: Any = None
    ) -> Doubles:
        """Return what "bit is 0" and "bit is 1" promise, among the reports that are kept."""
        tables = []
        for place, columns in enumerate((first, second)):
            assert columns.bits is not None
            if kept is None:
                ones, rows = columns.ones_by_bit, columns.size
            else:
                ones = (columns.bits[kept[place]] == 1).sum(axis=0, dtype=np.int64)
                rows = int(np.count_nonzero(kept[place]))
            tables.append(np.stack([rows - ones, ones]) / columns.size)
        return self._outlook.promises(tables[0], tables[1])

    def _several_bits(self, first: ReportColumns, second: ReportColumns) -> Iterator[FoundEvent]:
        """Add bits to the most telling one for as long as that promises more."""
        if first.bits is None or first.bits.shape[1] < 2:
            return
        best = next(self._single_bits(first, second))
        while isinstance(best.event, BitPattern) and len(best.event.places) < _MOST_BITS_TOGETHER:
            event = best.event
            kept = [event.happens(columns) for columns in (first, second)]
            promises = self._literals(first, second, kept=kept)
            promises[:, list(event.places)] = -np.inf
            value, place = np.unravel_index(int(np.argmax(promises)), promises.shape)
            if promises.max() <= best.promise:
                break
            wider = BitPattern((*event.places, int(place)), (*event.values, int(value)))
            best = FoundEvent(float(promises.max()), wider)
        yield best

    def _bit_scores(self, first: ReportColumns, second: ReportColumns) -> Iterator[FoundEvent]:
        """Weigh the bits as if they were independent (naive Bayes), and cut the sum."""
        if first.bits is None or first.bits.shape[1] < 2:
            return
        (fit, choose), (other_fit, other_choose) = _halves(first), _halves(second)
        p, q = ((half.ones_by_bit + 0.5) / (half.size + 1) for half in (fit, other_fit))
        weights = np.log(p / q) - np.log((1 - p) / (1 - q))
        weights = np.rint(weights * min(1000.0, _LARGEST_SUM / max(np.abs(weights).sum(), 1.0)))
        score = BitScore(weights, 0.0)
        both = score.scores(choose), score.scores(other_choose)
        for promise, threshold, upwards in _thresholds(*both, self._outlook):
            if upwards:
                yield FoundEvent(promise, BitScore(weights, threshold))


def _largest(first: ReportColumns, second: ReportColumns, name: str) -> int:
    return max(int(columns.codes[name].max()) for columns in (first, second))


def _frequencies(
    first: NDArray[np.int64], second: NDArray[np.int64], *, size: int = 0
) -> tuple[Doubles, Doubles]:
    size = size or 1 + int(max(first.max(), second.max()))
    p, q = (np.bincount(codes, minlength=size) / codes.size for codes in (first, second))
    return p, q


def _halves(columns: ReportColumns) -> tuple[ReportColumns, ReportColumns]:
    middle = (columns.size + 1) // 2
    return columns.between(0, middle), columns.between(middle, columns.size)


def _thresholds(
    first: Doubles, second: Doubles, outlook: TestOutlook
) -> Sequence[tuple[float, float, bool]]:
    """Return the best half-line upwards and the best downwards: promise, threshold, upwards."""
    both = np.concatenate([first, second])
    candidates = np.unique(both[np.isfinite(both)])
    if candidates.size > _MOST_THRESHOLDS:
        # Every so many of the ordered values, and the outermost ones of each side.
        inner = np.linspace(0, candidates.size - 1, _MOST_THRESHOLDS - 128).astype(np.intp)
        candidates = np.unique(np.r_[candidates[:64], candidates[inner], candidates[-64:]])
    if candidates.size < 2:
        return []
    found: list[tuple[float, float, bool]] = []
    ordered = [np.sort(numbers) for numbers in (first, second)]
    for upwards in (True, False):
        shares: list[Doubles] = []
        for numbers in ordered:
            finite = numbers[: numbers.size - int(np.count_nonzero(np.isnan(numbers)))]
            if upwards:
                hits = finite.size - np.searchsorted(finite, candidates, side="left")
            else:
                hits = np.searchsorted(finite, candidates, side="right")
            shares.append(hits / numbers.size)
        promises = outlook.promises(shares[0], shares[1])
        best = int(np.argmax(promises))
        found.append((float(promises[best]), float(candidates[best]), upwards))
    return found
