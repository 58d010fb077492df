"""RAPPOR as published: a Bloom filter, randomized once for good and once more for each report.

    B      the Bloom filter of a value in the cohort of its device, or one bit for each category
    B'     permanent: each bit is that of B with probability 1 − f, else a fair coin; kept for life
    S      a report: a bit is 1 with probability q where B' is 1, with p where it is 0

Source: Erlingsson, Pihur, Korolova 2014. One-time RAPPOR sends B' itself (p = 0, q = 1), or S
without a permanent step (f = 0). Basic RAPPOR has one bit for each category, and one cohort.
f, p and q are exactly the numbers that are given; all coins are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, ParameterError
from noisewright.exact import Epsilon, as_text, show
from noisewright.given import of_kind, whole_number
from noisewright.local.families.family import ByteStream
from noisewright.local.rappor.bloom import (
    MOST_BITS,
    MOST_COHORTS,
    MOST_HASHES,
    bloom_positions,
    bloom_table,
)
from noisewright.local.rappor.lifetime import Leak
from noisewright.local.rappor.reports import RapporCounts, RapporReports, put_coins
from noisewright.local.rappor.values import require_text, text_column
from noisewright.public import public_methods
from noisewright.sampling import (
    PackedCoins,
    Source,
    redone_after_fork,
    source_or_default,
    uniform_below,
)
from noisewright.spaces import Categories

if TYPE_CHECKING:
    from noisewright.certificates import Certificate
    from noisewright.estimation import Estimate
    from noisewright.local.rappor.association import Association
    from noisewright.local.rappor.collecting import RapporCollection
    from noisewright.local.rappor.decoding import DecodedShares

_ROWS = 1 << 12
"""People whose reports are drawn at once."""


@public_methods
@final
@dataclass(frozen=True)
class Rappor:
    """What a device draws and what it gives away; make it with `nw.local.rappor`."""

    bits: int
    hashes: int
    cohorts: int
    f: Fraction
    p: Fraction
    q: Fraction
    space: Categories | None = None
    """The categories of basic RAPPOR; None if texts go through Bloom filters."""
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        whole_number(self.bits, name="bits", least=2, most=MOST_BITS)
        whole_number(self.hashes, name="hashes", least=1, most=MOST_HASHES)
        whole_number(self.cohorts, name="cohorts", least=1, most=MOST_COHORTS)
        of_kind(self.name, str, name="name", such_as="a text")
        if not 0 <= self.f <= 1:
            raise ParameterError(
                f"f is {show(self.f)}; it must lie between 0 and 1: the share of the permanent "
                "bits that are fair coins."
            )
        if not 0 <= self.p < self.q <= 1:
            raise ParameterError(
                f"p is {show(self.p)} and q is {show(self.q)}; 0 <= p < q <= 1 is required. p is "
                "the chance of a one where the permanent bit is 0, q where it is 1."
            )
        shape = self.bits, self.hashes, self.cohorts
        if self.space is not None and shape != (self.space.size, 1, 1):
            raise ParameterError("basic RAPPOR has one bit for each category, and one cohort.")

    # What it gives away

    @cached_property
    def leak(self) -> Leak:
        """The exact loss, for any number of reports."""
        return Leak(self.bits, self.hashes, self.f, self.p, self.q)

    @property
    def epsilon_one(self) -> Epsilon | None:
        """The least ε for one report; None is infinity."""
        return self.epsilon_after(reports=1)

    def epsilon_after(self, *, reports: int) -> Epsilon | None:
        """Return the least ε for all of so many reports of a value that never changes.

        Requires: reports ≥ 1.
        Ensures: exact: no smaller ε holds for all values that there may be; None is infinity. It
        does not cover when a value changes: `lifetime.py` states the neighbors.
        Source: Erlingsson, Pihur, Korolova 2014, Theorem 2, for T reports in place of one.
        """
        return self.leak.after(whole_number(reports, name="reports", least=1))

    @property
    def epsilon_forever(self) -> Epsilon | None:
        """The least ε for any number of reports of a value that never changes; None is infinity.

        Source: Erlingsson, Pihur, Korolova 2014, Theorem 1.
        """
        return self.leak.forever

    def certify(self, *, reports: int | None = None) -> Certificate:
        """Return the certificate for so many reports, or for any number of them.

        Ensures: the stand-alone checker has proven it.
        """
        from noisewright.local.rappor.certifying import certify_parts

        return certify_parts([self], reports=reports)

    def describe(self) -> dict[str, Any]:
        """Return the filter and its coins as a certificate writes them, in whole numbers."""
        flip, low, high = self.f / 2, self.p, self.q
        total = np.lcm(low.denominator, high.denominator, dtype=object)
        return {
            "bits": self.bits,
            "hashes": self.hashes,
            "flip": f"{flip.numerator:x}",
            "flip_total": f"{flip.denominator:x}",
            "low": f"{int(low * total):x}",
            "high": f"{int(high * total):x}",
            "report_total": f"{int(total):x}",
        }

    def __repr__(self) -> str:
        what = f"{self.bits:,} bits, {self.hashes} hashes, {self.cohorts:,} cohorts"
        if self.space is not None:
            what = f"{self.bits:,} candidates"
        chances = ", ".join(f"{n}={as_text(getattr(self, n))}" for n in "fpq")
        return f"<RAPPOR: {what}, {chances}>"

    # What a server sees

    @property
    def chance_unset(self) -> Fraction:
        """P(1 | the bit of the value is 0) in one report: the p* of the paper, exactly."""
        return self.p + self.f / 2 * (self.q - self.p)

    @property
    def chance_set(self) -> Fraction:
        """P(1 | the bit of the value is 1) in one report: the q* of the paper, exactly."""
        return self.q - self.f / 2 * (self.q - self.p)

    @property
    def gap(self) -> Fraction:
        """By how much a set bit is likelier sent as 1: (1 − f)(q − p); 0 if nothing is learned."""
        return self.chance_set - self.chance_unset

    # What a device does

    def positions(self, value: Any, *, cohort: int = 0) -> list[int]:
        """Return the bits that a value sets in a cohort; some may be the same."""
        self._require_cohort(cohort)
        if self.space is not None:
            return [self.space.code(value)]
        require_text(value)
        return bloom_positions(value, cohort=cohort, bits=self.bits, hashes=self.hashes)

    def permanent(self, value: Any, *, cohort: int = 0, source: Source | None = None) -> bytes:
        """Draw the permanent response to a value, which a device must keep and use again.

        Drawn twice, it gives away the value twice; the client of a collection keeps it in a memo.
        """
        from noisewright.local.rappor.device import draw_permanent

        places = self.positions(value, cohort=cohort)
        return draw_permanent(self, places, stream=ByteStream(source))

    def report(self, permanent: bytes, *, source: Source | None = None) -> bytes:
        """Draw a report from the permanent response of a device."""
        from noisewright.local.rappor.device import draw_report

        return draw_report(self, permanent, stream=ByteStream(source))

    @redone_after_fork
    def instant(
        self, permanent: NDArray[np.uint8], *, source: Source | None = None
    ) -> NDArray[np.uint8]:
        """Draw a report from each of many permanent responses, a row of bytes each."""
        bits = source_or_default(source)
        high = self._fill(PackedCoins(self.q), len(permanent), bits)
        low = self._fill(PackedCoins(self.p), len(permanent), bits)
        return (permanent & high) | (~permanent & low)

    def permanents(
        self, values: Any, *, cohorts: NDArray[Any] | None = None, source: Source | None = None
    ) -> RapporReports:
        """Draw the permanent responses of many people, each in a cohort, at random unless given."""
        table, codes = self.look_up(values)
        chances = self.f / 2, 1 - self.f / 2
        return self.draw_from(table, codes, cohorts=cohorts, chances=chances, source=source)

    def reports(
        self, values: Any, *, cohorts: NDArray[Any] | None = None, source: Source | None = None
    ) -> RapporReports:
        """Draw the first report of each of many people.

        Requires: texts, or categories of basic RAPPOR: a list, an array or an Arrow column.
        Cohorts are drawn at random unless given.
        Ensures: each has the law of `report(permanent(value))`, and nothing is kept: for several
        reports of the same people, draw `permanents` once and `instant` for each report.
        """
        table, codes = self.look_up(values)
        return self.draw_from(table, codes, cohorts=cohorts, source=source)

    def count(self, reports: RapporReports) -> RapporCounts:
        """Count the ones of each bit, by cohort."""
        if reports.bits != self.bits:
            raise InputError(f"these reports have {reports.bits:,} bits, not {self.bits:,}.")
        return reports.count(self.cohorts)

    @cached_property
    def collection(self) -> RapporCollection:
        """The collection: `client(memo=)` for devices, `server()`, `save()` for others."""
        from noisewright.local.rappor.collecting import RapporCollection

        return RapporCollection(self)

    # What a server concludes

    def estimate_bits(self, counts: RapporCounts, *, confidence: float = 0.95) -> Estimate:
        """Return the share of people whose value sets a bit, for each cohort and bit.

        Ensures: unbiased; see `decoding.py`.
        """
        from noisewright.local.rappor.decoding import estimate_bits

        return estimate_bits(self, counts, confidence=confidence)

    def decode(
        self,
        counts: RapporCounts,
        candidates: Sequence[Any] | None = None,
        *,
        control: Literal["bonferroni", "fdr"] = "bonferroni",
        level: float = 0.05,
        confidence: float = 0.95,
        sparse: bool | None = None,
    ) -> DecodedShares:
        """Return which candidates occur, and their shares with intervals.

        Requires: different candidates; those of basic RAPPOR may be left out. `control` says what
        `level` bounds: the chance of any false detection, or the part of them that is false.
        Ensures: see `decoding.py`.
        Source: Erlingsson, Pihur, Korolova 2014, Section 4.
        """
        from noisewright.local.rappor.decoding import decode

        return decode(
            *(self, counts, candidates),
            control=control,
            level=level,
            confidence=confidence,
            sparse=sparse,
        )

    def associate(
        self,
        other: Rappor,
        *,
        reports: tuple[RapporReports, RapporReports],
        candidates: tuple[Sequence[Any] | None, Sequence[Any] | None] = (None, None),
        others: bool = True,
        confidence: float = 0.95,
    ) -> Association:
        """Return the joint shares of two variables of the same people, and test independence.

        Requires: the reports of both variables, in the same order of people; candidates of both,
        unless they are basic. `others` adds one class for values that are no candidates.
        Ensures: see `association.py`.
        Source: Fanti, Pihur, Erlingsson 2016, Section 3.
        """
        from noisewright.local.rappor.association import find_association

        first = self, reports[0], candidates[0]
        second = other, reports[1], candidates[1]
        return find_association(first, second, others=others, confidence=confidence)

    @property
    def width(self) -> int:
        """How many bytes a permanent response or a report has."""
        return -(-self.bits // 8)

    def _require_cohort(self, cohort: int) -> None:
        whole_number(cohort, name="cohort", least=0, most=self.cohorts - 1)

    def require(self, permanent: bytes) -> bytes:
        """Return a permanent response if it has the right length."""
        if len(permanent) != self.width:
            raise InputError(
                f"the permanent response has {len(permanent):,} bytes; {self.width:,} are "
                "required. Was it drawn for another collection?"
            )
        return permanent

    def _fill(self, coins: PackedCoins, rows: int, source: Source) -> NDArray[np.uint8]:
        out = np.empty((rows, self.width), dtype=np.uint8)
        coins.fill(out, source)
        if self.bits % 8:
            out[:, -1] &= (1 << self.bits % 8) - 1
        return out

    @redone_after_fork
    def draw_from(
        self,
        table: NDArray[np.int32],
        codes: NDArray[np.int64],
        *,
        cohorts: NDArray[Any] | None = None,
        chances: tuple[Fraction, Fraction] | None = None,
        source: Source | None = None,
    ) -> RapporReports:
        """Draw reports of values by their positions: [value, cohort, hash], and a value for each.

        `chances` are those of a one where the bit is not set, and where it is: of a first report
        unless given.
        """
        unset, is_set = chances or (self.chance_unset, self.chance_set)
        bits = source_or_default(source)
        groups = self._cohorts_of(codes.size, cohorts, bits)
        out = np.empty((codes.size, self.width), dtype=np.uint8)
        zeros, ones = PackedCoins(unset), PackedCoins(is_set)
        for start in range(0, codes.size, _ROWS):
            rows = slice(start, start + _ROWS)
            places = table[codes[rows], groups[rows]]
            out[rows] = self._fill(zeros, len(places), bits)
            coins = np.empty(-(-places.size // 8), dtype=np.uint8)
            ones.fill(coins, bits)
            drawn = np.unpackbits(coins, count=places.size).reshape(places.shape)
            put_coins(out[rows], places, drawn)
        return RapporReports(groups, out, self.bits)

    def _cohorts_of(
        self, people: int, cohorts: NDArray[Any] | None, source: Source
    ) -> NDArray[np.uint16]:
        if cohorts is None:
            return uniform_below(self.cohorts, people, source).astype(np.uint16)
        given = np.asarray(cohorts)
        whole = given.dtype.kind in "iu" and given.shape == (people,)
        if not whole or (people and not 0 <= int(given.min()) <= int(given.max()) < self.cohorts):
            raise ParameterError(
                f"cohorts must be {people:,} whole numbers from 0 to {self.cohorts - 1}, one for "
                "each value; leave them out to have them drawn."
            )
        return given.astype(np.uint16)

    def look_up(self, values: Any) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the positions of the different values, and which of them each row has."""
        if self.space is not None:
            codes = np.asarray(self.space.encode(np.asarray(values)), dtype=np.int64)
            return np.arange(self.bits, dtype=np.int32)[:, None, None], codes
        column = text_column(values).dictionary_encode()
        texts: list[str] = column.dictionary.to_pylist()
        table = self.table(texts) if texts else np.zeros((1, 1, 1), dtype=np.int32)
        return table, column.indices.to_numpy(zero_copy_only=False).astype(np.int64)

    def table(self, candidates: Sequence[Any]) -> NDArray[np.int32]:
        """Return the positions of each candidate in each cohort: [candidate, cohort, hash]."""
        if self.space is not None:
            codes = [self.space.code(one) for one in candidates]
            return np.array(codes, dtype=np.int32)[:, None, None]
        for one in candidates:
            require_text(one)
        return bloom_table(candidates, cohorts=self.cohorts, bits=self.bits, hashes=self.hashes)
