"""Unbiased integers below any bound."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.sampling.arguments import CHUNK, checked_size, whole
from noisewright.sampling.entropy import Source, redone_after_fork, source_or_default

_LOW_32 = np.uint64((1 << 32) - 1)
_SORTED = 1 << 17
"""So many numbers are sorted at once: a few ties among them are likely, many are not."""


@redone_after_fork
def uniform_below(
    bound: SupportsIndex, size: SupportsIndex, source: Source | None = None
) -> NDArray[Any]:
    """Return `size` independent integers, each uniform on 0 … bound − 1.

    Requires: bound ≥ 1, of any length; size ≥ 0.
    Ensures: each value has probability exactly 1/bound. The type is int64 for bound ≤ 2^63,
    Python integers in an object array beyond.
    Source: Lemire 2019 (multiply and reject) for bounds up to 2^32; bits and reject above.
    """
    limit = whole(bound, name="bound", least=1)
    count = checked_size(size)
    bits = source_or_default(source)
    if limit > 1 << 63:
        return _long(limit, count, bits)
    out = np.empty(count, dtype=np.int64)
    for start in range(0, count, CHUNK):
        part = out[start : start + CHUNK]
        uniform_into(part, limit, bits)
    return out


@redone_after_fork
def uniform_below_each(
    bounds: NDArray[np.integer[Any]], source: Source | None = None
) -> NDArray[np.int64]:
    """Return independent integers, each uniform on 0 … its own bound − 1.

    Requires: 1 ≤ bounds ≤ 2^32.
    Ensures: a value has probability exactly 1/bound.
    """
    limits = np.asarray(bounds)
    if limits.size and not (limits.min() >= 1 and limits.max() <= 1 << 32):
        raise ParameterError("bounds must lie between 1 and 2^32, each of them.")
    bits = source_or_default(source)
    out = np.empty(limits.size, dtype=np.int64)
    pending = np.arange(limits.size)
    while pending.size:
        wanted = limits[pending].astype(np.uint64)
        product = bits.u32(pending.size).astype(np.uint64) * wanted
        accepted = (product & _LOW_32) >= np.uint64(1 << 32) % wanted
        out[pending[accepted]] = (product >> np.uint64(32))[accepted]
        pending = pending[~accepted]
    return out


@redone_after_fork
def permutation(size: SupportsIndex, source: Source | None = None) -> NDArray[np.intp]:
    """Return a permutation of 0 … size − 1, each with probability exactly 1/size!.

    Each number goes to one of 256 buckets, chosen uniformly, and each bucket is permuted (Rao 1961,
    Sandelius 1962). Few numbers are sorted by random keys; those with equal keys, of which every
    order is still equally likely, are permuted in turn.
    """
    count = checked_size(size)
    # Half as long where that is enough: most of the time goes into moving them.
    items = np.arange(count, dtype=np.int32 if count < 1 << 31 else np.intp)
    return _permute(items, source_or_default(source)).astype(np.intp)


def _permute(items: NDArray[Any], source: Source) -> NDArray[Any]:
    """Return the items in a uniformly random order."""
    if items.size > _SORTED:
        keys = source.u8(items.size)
        items = items[np.argsort(keys, kind="stable")]
        ends = np.cumsum(np.bincount(keys, minlength=256))
        runs = zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)
    else:
        keys = source.u32(items.size)
        # By halves, since numbers of 16 bits are sorted by counting them.
        order = np.argsort(keys.astype(np.uint16), kind="stable")
        order = order[np.argsort((keys >> np.uint32(16)).astype(np.uint16)[order], kind="stable")]
        items, keys = items[order], keys[order]
        runs = _runs(keys)
    for start, end in runs:
        items[start:end] = _permute(items[start:end], source)
    return items


def _runs(keys: NDArray[np.uint32]) -> list[tuple[int, int]]:
    """Return where several equal keys are, among sorted ones."""
    same = np.flatnonzero(keys[1:] == keys[:-1])
    if not same.size:
        return []
    firsts = same[np.flatnonzero(np.diff(same, prepend=-2) > 1)]
    lasts = same[np.flatnonzero(np.diff(same, append=keys.size + 1) > 1)]
    return [(int(first), int(last) + 2) for first, last in zip(firsts, lasts, strict=True)]


def uniform_into(out: NDArray[np.int64], limit: int, source: Source) -> None:
    """Fill `out` with integers uniform on 0 … limit − 1, for limit ≤ 2^63."""
    candidates = _by_product if limit <= 1 << 32 else _by_bits
    values, accepted = candidates(limit, out.size, source)
    out[:] = values
    pending = np.flatnonzero(~accepted)
    while pending.size:
        values, accepted = candidates(limit, pending.size, source)
        out[pending[accepted]] = values[accepted]
        pending = pending[~accepted]


def _by_product(
    limit: int, count: int, source: Source
) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    # r · limit falls into `limit` blocks of 2^32; dropping the first 2^32 mod limit of each
    # block leaves them all equally many values of r.
    product = source.u32(count).astype(np.uint64)
    product *= np.uint64(limit)
    accepted = (product & _LOW_32) >= np.uint64((1 << 32) % limit)
    product >>= np.uint64(32)
    return product, accepted


def _by_bits(
    limit: int, count: int, source: Source
) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    values = source.words(count)
    values >>= np.uint64(64 - (limit - 1).bit_length())
    return values, values < np.uint64(limit)


def _long(limit: int, count: int, source: Source) -> NDArray[Any]:
    bits = (limit - 1).bit_length()
    size = -(-bits // 8)
    spare = 8 * size - bits
    found: list[int] = []
    while len(found) < count:
        missing = min(count - len(found), CHUNK)
        data = source.u8(size * missing).tobytes()
        values = (
            int.from_bytes(data[start : start + size], "little") >> spare
            for start in range(0, len(data), size)
        )
        found.extend(value for value in values if value < limit)
    out = np.empty(count, dtype=object)
    out[:] = found
    return out
