"""What devices send, and what a server counts: bits of reports, by cohort."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError

_DENSE = 1 << 18
"""Bytes of bits at once, one byte each: they stay in the cache."""

_BLOCK = 255
"""So many ones fit into a byte."""


@final
@dataclass(frozen=True, eq=False)
class RapporReports:
    """Reports of people: the cohort of each, and its bits, eight to a byte, lowest bit first."""

    cohorts: NDArray[np.uint16]
    payload: NDArray[np.uint8]
    bits: int

    def __post_init__(self) -> None:
        width = -(-self.bits // 8)
        if self.cohorts.ndim != 1 or self.payload.shape != (self.cohorts.size, width):
            raise InputError(
                f"{self.cohorts.size:,} cohorts and an array of {self.payload.shape} bytes are no "
                f"reports; a report of {self.bits:,} bits takes {width:,} bytes."
            )
        spare = 8 * width - self.bits
        if spare and self.payload.size and int(self.payload[:, -1].max()) >> (8 - spare):
            raise InputError(f"a report has bits beyond the {self.bits:,} that it should have.")

    def __len__(self) -> int:
        return self.cohorts.size

    def __repr__(self) -> str:
        return f"<{len(self):,} reports of {self.bits:,} bits>"

    def dense(self, rows: slice) -> NDArray[np.uint8]:
        """Return the bits of some reports, one to a byte."""
        return np.unpackbits(self.payload[rows], axis=1, count=self.bits, bitorder="little")

    def count(self, cohorts: int) -> RapporCounts:
        """Count the ones of each bit, by cohort."""
        if len(self) and int(self.cohorts.max()) >= cohorts:
            raise InputError(f"a report names a cohort beyond the {cohorts:,} that there are.")
        people = np.bincount(self.cohorts, minlength=cohorts)
        ones = np.zeros((cohorts, self.bits), dtype=np.int64)
        order = np.argsort(self.cohorts, kind="stable") if cohorts > 1 else None
        start = 0
        for cohort, size in enumerate(people.tolist()):
            whole = slice(start, start + size)
            rows = self.payload[whole] if order is None else self.payload[order[whole]]
            ones[cohort] = _count_ones(rows, self.bits)
            start += size
        return RapporCounts(ones, people)


def _count_ones(payload: NDArray[np.uint8], bits: int) -> NDArray[np.int64]:
    ones = np.zeros(bits, dtype=np.int64)
    step = _BLOCK * max(1, _DENSE // (bits * _BLOCK))
    for start in range(0, len(payload), step):
        dense = np.unpackbits(payload[start : start + step], axis=1, count=bits, bitorder="little")
        for block in range(0, len(dense), _BLOCK):
            ones += np.add.reduce(dense[block : block + _BLOCK], axis=0, dtype=np.uint8)
    return ones


def put_coins(out: NDArray[np.uint8], places: NDArray[np.int32], drawn: NDArray[np.uint8]) -> None:
    """Set the bits of a value to their own coins; a bit that it sets twice has one coin."""
    row = np.arange(len(places))
    for j in range(places.shape[1]):
        again = (places[:, :j] == places[:, j : j + 1]).any(axis=1)
        rows, place, coin = row[~again], places[~again, j], drawn[~again, j]
        byte, bit = place >> 3, (place & 7).astype(np.uint8)
        out[rows, byte] = (out[rows, byte] & ~(np.uint8(1) << bit)) | (coin << bit)


@final
@dataclass(frozen=True, eq=False)
class RapporCounts:
    """How many reports each cohort sent, and how many of them had a one in each bit."""

    ones: NDArray[np.int64]
    people: NDArray[np.int64]

    def __post_init__(self) -> None:
        shape = self.ones.shape
        if len(shape) != 2 or self.people.shape != shape[:1]:
            raise InputError(
                f"ones has the shape {shape}, people {self.people.shape}; counts have one row of "
                "ones, and one number of people, for each cohort."
            )
        if shape[0] and ((self.ones < 0) | (self.ones > self.people[:, None])).any():
            raise InputError("a bit has fewer than 0 ones, or more than there are reports.")

    @property
    def total(self) -> int:
        """How many reports there are."""
        return int(self.people.sum())

    def __add__(self, other: RapporCounts) -> RapporCounts:
        """Return the counts of both collections together."""
        if self.ones.shape != other.ones.shape:
            raise InputError(
                f"counts of {self.ones.shape} and of {other.ones.shape} cohorts and bits are not "
                "those of one collection."
            )
        return RapporCounts(self.ones + other.ones, self.people + other.people)

    def __repr__(self) -> str:
        cohorts, bits = self.ones.shape
        return f"<counts of {self.total:,} reports: {cohorts:,} cohorts of {bits:,} bits>"
