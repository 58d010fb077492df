"""How a report travels: a frame of fixed length around what the randomizer drew.

    bytes   what
    2       "NW"
    1       the version of this format, 1
    8       the first bytes of the collection's digest
    8       a random number of this report, so that a report that arrives twice counts once
    n       the report itself, n bytes as the collection says
    4       CRC-32 of all bytes before, least significant byte first

All reports of a collection have one length, so that the length of a message tells nothing. The
random number is drawn for each report, also for one that is sent again from memory.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"NW"
VERSION = 1
DIGEST = slice(3, 11)
NUMBER = slice(11, 19)
BEFORE, AFTER = 19, 4
OVERHEAD = BEFORE + AFTER
"""Bytes of a frame that are not the report."""

_CHUNK = 1 << 15
_LONG = 120
"""Bytes from which on a call for each row costs less than its bytes one after the other."""


def _crc_table() -> NDArray[np.uint32]:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> np.uint32(1)) ^ np.uint32(0xEDB88320), table >> 1)
    return table.astype(np.uint32)


_TABLE = _crc_table()


def frame(digest: bytes, number: bytes, payload: bytes) -> bytes:
    """Return one report in its frame."""
    head = b"".join((MAGIC, bytes([VERSION]), digest[:8], number, payload))
    return head + zlib.crc32(head).to_bytes(AFTER, "little")


def frames(
    digest: bytes, numbers: NDArray[np.uint8], payloads: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Return many reports in their frames: a row of bytes for each."""
    count, length = payloads.shape
    out = np.empty((count, OVERHEAD + length), dtype=np.uint8)
    out[:, :BEFORE] = np.frombuffer(MAGIC + bytes([VERSION]) + digest[:8] + bytes(8), np.uint8)
    out[:, NUMBER] = numbers
    out[:, BEFORE:-AFTER] = payloads
    out[:, -AFTER:] = _checksums(out)
    return out


def _checksums(rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the CRC-32 of all but the last bytes of each row."""
    found = np.empty((len(rows), AFTER), dtype=np.uint8)
    for start in range(0, len(rows), _CHUNK):
        crc = _checksum_of(rows[start : start + _CHUNK, :-AFTER]).astype("<u4")
        found[start : start + _CHUNK] = crc.view(np.uint8).reshape(-1, AFTER)
    return found


def _checksum_of(rows: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return the CRC-32 of each row: all rows at once byte by byte, unless they are long."""
    if rows.shape[1] > _LONG:
        each = (zlib.crc32(row) for row in np.ascontiguousarray(rows))
        return np.fromiter(each, dtype=np.uint32, count=len(rows))
    crc = np.full(len(rows), 0xFFFFFFFF, dtype=np.uint32)
    for column in np.ascontiguousarray(rows.T):
        crc = _TABLE.take((crc ^ column) & 0xFF) ^ (crc >> np.uint32(8))
    return crc ^ np.uint32(0xFFFFFFFF)


@dataclass(frozen=True)
class Opened:
    """What is in frames: numbers and reports of those that are whole, and why others are not."""

    numbers: NDArray[np.uint64]
    payloads: NDArray[np.uint8]
    damaged: int
    foreign: int


def open_frames(rows: NDArray[np.uint8], digest: bytes) -> Opened:
    """Check frames of the right length; those of other collections are foreign."""
    whole, ours = (np.empty(len(rows), dtype=np.bool_) for _ in range(2))
    for start in range(0, len(rows), _CHUNK):
        here = slice(start, start + _CHUNK)
        crc = _checksum_of(rows[here, :-AFTER])
        columns = np.ascontiguousarray(rows[here, :BEFORE].T)
        last = np.ascontiguousarray(rows[here, -AFTER:].T)
        written = zip(last, range(0, 32, 8), strict=True)
        sums = [column == (crc >> np.uint32(shift)).astype(np.uint8) for column, shift in written]
        form = zip(columns, MAGIC + bytes([VERSION]), strict=False)
        whole[here] = np.logical_and.reduce([*sums, *(column == one for column, one in form)])
        own = zip(columns[DIGEST], digest[:8], strict=True)
        ours[here] = np.logical_and.reduce([column == one for column, one in own])
    both = whole & ours
    good = rows if both.all() else rows[both]
    numbers = np.ascontiguousarray(good[:, NUMBER]).view("<u8").reshape(-1)
    payloads = np.ascontiguousarray(good[:, BEFORE:-AFTER])
    return Opened(numbers, payloads, int((~whole).sum()), int((whole & ~ours).sum()))


def is_foreign(report: bytes, digest: bytes) -> bool:
    """Tell whether a report of another length is a whole one of another collection."""
    if len(report) < OVERHEAD or report[:3] != MAGIC + bytes([VERSION]):
        return False
    whole = zlib.crc32(report[:-AFTER]).to_bytes(AFTER, "little") == report[-AFTER:]
    return whole and report[DIGEST] != digest[:8]


def as_rows(values: NDArray[Any], length: int) -> NDArray[np.uint8]:
    """Return an array of reports as rows of bytes."""
    return np.ascontiguousarray(values).view(np.uint8).reshape(-1, length)
