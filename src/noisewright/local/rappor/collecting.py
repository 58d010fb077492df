"""RAPPOR as a collection: devices that keep their permanent response, and a server that counts.

A report is the cohort (2 bytes, least significant first) and the bits, eight to a byte. A device
with a memo keeps its cohort, and a permanent response for each value that it has had; each report
is drawn anew from the response. Without a memo a device forgets both, and every report gives away
as much as a first one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.certificates import Certificate, read_space
from noisewright.errors import InputError, ParameterError
from noisewright.estimation import normal_quantile, read_confidence
from noisewright.exact import Epsilon, as_text
from noisewright.local.collection import Collection, read_name
from noisewright.local.families.family import ByteStream
from noisewright.local.frequencies import FrequencyPlan
from noisewright.local.randomizer import ReportRandomizer
from noisewright.local.rappor.decoding import DecodedShares, decode
from noisewright.local.rappor.device import draw_permanent, draw_report
from noisewright.local.rappor.mechanism import Rappor
from noisewright.local.rappor.rappor import rappor
from noisewright.local.rappor.reports import RapporCounts, RapporReports
from noisewright.local.reports import Reports
from noisewright.local.shares import require_people
from noisewright.local.wire import OVERHEAD
from noisewright.mechanisms import Guarantee

if TYPE_CHECKING:
    from noisewright.local.memo import Memo

_HASH = "sha-256 words 1"
"""The name of the hash functions of `bloom.py`: devices that hash otherwise are foreign."""

_COHORT = 2
"""Bytes of the cohort."""


@final
@dataclass(frozen=True)
class RapporRandomizer(ReportRandomizer):
    """First reports of RAPPOR: cohort and bits. A code is a row of positions, cohort by cohort."""

    mechanism: Rappor

    @property
    def size(self) -> int:
        """How many positions a code has."""
        return self.mechanism.cohorts * self.mechanism.hashes

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """How a report is written."""
        return np.dtype((np.uint8, (_COHORT + self.mechanism.width,)))

    @cached_property
    def guarantee(self) -> Guarantee:
        """What holds for one report."""
        epsilon = self.mechanism.epsilon_one
        if epsilon is None:
            raise ParameterError(
                "some reports are possible for one value and impossible for another: no epsilon "
                "holds. Give f above 0, or 0 < p < q < 1."
            )
        return Guarantee(epsilon.brief())

    def draw(self, codes: NDArray[Any], source: sampling.Source | None = None) -> NDArray[Any]:
        """Return the first report of each code, in a cohort that is drawn for it."""
        made = self.mechanism
        table = codes.reshape(len(codes), made.cohorts, made.hashes).astype(np.int32)
        return pack(made.draw_from(table, np.arange(len(codes)), source=source))

    def draw_one(self, code: Any, stream: ByteStream) -> bytes:
        """Draw a cohort, a permanent response and a report, and keep nothing."""
        made = self.mechanism
        cohort = stream.below(made.cohorts)
        places = code.reshape(made.cohorts, made.hashes)[cohort].tolist()
        kept = draw_permanent(made, places, stream=stream)
        return _write(cohort) + draw_report(made, kept, stream=stream)

    def describe(self) -> dict[str, Any]:
        """Return the filter and its coins."""
        return {"form": "rappor", "parts": [self.mechanism.describe()]}

    def is_possible(self, payload: NDArray[Any]) -> NDArray[np.bool_]:
        """Tell which have a cohort that there is, and no bit beyond the last."""
        good = _read(payload) < self.mechanism.cohorts
        spare = 8 * self.mechanism.width - self.mechanism.bits
        return good & (payload[:, -1] >> (8 - spare) == 0) if spare else good

    def new_tally(self) -> NDArray[np.int64]:
        """Return for each cohort how many reports there are, and the ones of each bit."""
        return np.zeros((self.mechanism.cohorts, 1 + self.mechanism.bits), dtype=np.int64)

    def tally(self, payload: NDArray[Any], into: NDArray[np.int64]) -> None:
        """Count reports, and their ones."""
        bits = np.ascontiguousarray(payload[:, _COHORT:])
        found = RapporReports(_read(payload), bits, self.mechanism.bits)
        counts = self.mechanism.count(found)
        into[:, 0] += counts.people
        into[:, 1:] += counts.ones


@final
class RapporCollection(Collection):
    """Texts or categories by RAPPOR; the server decodes which candidates occur, and how often."""

    randomizer: RapporRandomizer
    keeps_answers = False  # but the permanent response; `Rappor.epsilon_after` says what that costs

    def __init__(self, mechanism: Rappor) -> None:
        self.mechanism = mechanism
        self.randomizer = RapporRandomizer(mechanism)
        self.name = read_name(mechanism.name)

    def settings(self) -> dict[str, Any]:
        """Return the kind, the filter, the chances and the categories if there are any."""
        made = self.mechanism
        return {
            "kind": "rappor",
            **{name: getattr(made, name) for name in ("bits", "hashes", "cohorts")},
            **{name: as_text(getattr(made, name)) for name in ("f", "p", "q")},
            "values": None if made.space is None else made.space.describe(),
            "hash": _HASH,
        }

    def encode(self, values: Any) -> NDArray[np.int64]:
        """Return for each value its positions, cohort by cohort."""
        table, codes = self.mechanism.look_up(values)
        return table[codes].reshape(codes.size, self.randomizer.size).astype(np.int64)

    def reports(self, values: Any, *, source: sampling.Source | None = None) -> Reports:
        """Return the first report of each person, drawn independently."""
        return Reports(self, pack(self.mechanism.reports(values, source=source)))

    def draw_payload(self, value: Any, stream: ByteStream, memo: Memo | None) -> bytes:
        """Return a report from the permanent response that the memo keeps, or from a new one."""
        if memo is None:
            return super().draw_payload(value, stream, memo)
        made = self.mechanism
        first = memo.keep("cohort", lambda: _write(stream.below(made.cohorts)))
        places = made.positions(value, cohort=int.from_bytes(first, "little"))
        # What is drawn depends on these alone, and the value itself need not be in the file.
        key = np.array(sorted(set(places)), dtype="<i4").tobytes()
        kept = memo.answer(key, lambda: draw_permanent(made, places, stream=stream))
        return first + draw_report(made, kept, stream=stream)

    def counts(self, tally: NDArray[np.int64]) -> RapporCounts:
        """Return the counts of a server, as decoding takes them."""
        return RapporCounts(tally[:, 1:], tally[:, 0])

    def estimate_from(self, tally: NDArray[np.int64], people: int, **options: Any) -> DecodedShares:
        """Return shares of candidates; options are candidates=, control=, level=, confidence=.

        They are about the population that these people are a sample of.
        """
        candidates = options.pop("candidates", None)
        if candidates is None and self.mechanism.space is None:
            raise InputError(
                "Bloom filters are decoded against candidates, and none were given. Give "
                "candidates=[…] (--candidates on the command line)."
            )
        if options.pop("about", "population") != "population":
            raise InputError("RAPPOR is decoded about='population' only.")
        return decode(self.mechanism, self.counts(tally), candidates, **options)

    def detect_from(self, tally: NDArray[np.int64], people: int, **options: Any) -> DecodedShares:
        """Return which candidates occur: as the estimate does."""
        return self.estimate_from(tally, people, **options)

    def plan(
        self, *, people: int, candidates: int = 100, confidence: float = 0.95, **options: Any
    ) -> FrequencyPlan:
        """Return what to expect for a rare one among so many candidates, few beside the bits."""
        people, made = require_people(people), self.mechanism
        low, gap = float(made.chance_unset), float(made.gap)
        if not gap:
            raise ParameterError("f is 1: reports do not depend on values, and say nothing.")
        variance = low * (1 - low) / gap**2 / made.hashes
        error = math.sqrt(variance / people)
        each = 1 - (1 - read_confidence(confidence)) / max(1, candidates)
        reach = normal_quantile(2 * each - 1) + normal_quantile(0.6)
        length = self.randomizer.length + OVERHEAD
        return FrequencyPlan(people, error, error * reach, length, variance)

    def certificate(self, *, reports: int | None = 1) -> Certificate:
        """Return the proof for so many reports of a value that never changes; None: any number."""
        return self.mechanism.certify(reports=reports)

    def __repr__(self) -> str:
        label = f" {self.name!r}" if self.name else ""
        return f"<collection{label} by {self.mechanism!r}, {self.guarantee} for one report>"


def from_settings(document: dict[str, Any], epsilon: Epsilon) -> RapporCollection:
    """Return the collection with these settings; ε follows from them."""
    shape = {name: document[name] for name in ("bits", "hashes", "cohorts")}
    if document["values"] is not None:
        shape = {"candidates": read_space(document["values"])}
    chances = {name: document[name] for name in ("f", "p", "q")}
    return RapporCollection(rappor(**shape, **chances, name=document["name"]))


def pack(reports: RapporReports) -> NDArray[np.uint8]:
    """Return cohort and bits of each report, as rows of bytes."""
    cohorts = reports.cohorts.astype("<u2").view(np.uint8).reshape(-1, _COHORT)
    return np.concatenate([cohorts, reports.payload], axis=1)


def _write(cohort: int) -> bytes:
    return cohort.to_bytes(_COHORT, "little")


def _read(payload: NDArray[Any]) -> NDArray[np.uint16]:
    first = np.ascontiguousarray(payload[:, :_COHORT])
    return first.view("<u2").reshape(-1).astype(np.uint16)
