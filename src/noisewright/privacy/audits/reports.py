"""What the reports of a client look like: whole, in parts, as numbers, as bits.

Outputs are read once into columns, in which events are then counted. Whatever a column leaves out
costs power only: an event in it is an event of the reports.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError

WHOLE = "the report"
LENGTH = "the length of the report"
ONES = "the number of ones in the report"

_MOST_BITS = 1 << 14
"""Longer reports are not taken apart into bits."""

_FEW_BITS = 16
"""Vectors of at most so many bits are looked at as wholes, too."""

_MOST_PARTS = 16

_OTHER = 2
"""What stands for the bits of a report that has other ones than those before it."""


@dataclass(frozen=True, eq=False)
class ReportColumns:
    """Reports of one input: codes of what they are and have, numbers, and bits."""

    size: int
    codes: Mapping[str, NDArray[np.int64]]
    numbers: Mapping[str, NDArray[np.float64]]
    bits: NDArray[np.uint8] | None

    @classmethod
    def of_many(cls, pieces: Sequence[ReportColumns]) -> ReportColumns:
        """Join reports of one input."""
        first = pieces[0]
        if len(pieces) == 1:
            return first
        return cls(
            sum(piece.size for piece in pieces),
            {name: np.concatenate([p.codes[name] for p in pieces]) for name in first.codes},
            {name: np.concatenate([p.numbers[name] for p in pieces]) for name in first.numbers},
            None if first.bits is None else np.concatenate([_bits_of(p) for p in pieces]),
        )

    def between(self, start: int, stop: int) -> ReportColumns:
        """Return some of the reports."""
        return ReportColumns(
            max(0, min(stop, self.size) - start),
            {name: column[start:stop] for name, column in self.codes.items()},
            {name: column[start:stop] for name, column in self.numbers.items()},
            None if self.bits is None else self.bits[start:stop],
        )

    @cached_property
    def ones_by_bit(self) -> NDArray[np.int64]:
        """How many reports have a one at each bit."""
        return (_bits_of(self) == 1).sum(axis=0, dtype=np.int64)


def _bits_of(columns: ReportColumns) -> NDArray[np.uint8]:
    assert columns.bits is not None
    return columns.bits


class ReportReader:
    """How the reports of one client are read: found from the first ones, then kept.

    It numbers the values that it meets, so that a code means the same in all columns it reads.
    """

    def __init__(self, first: Sequence[Any], view: Callable[[Any], Any] | None) -> None:
        """Look at some outputs of each input."""
        self._view = view
        self._known: dict[str, dict[Hashable, int]] = {}
        seen = [self._through_view(outputs) for outputs in first]
        self.width = _common_width(seen)
        self._numeric = all(_numbers_of(outputs) is not None for outputs in seen)
        plain = [one for outputs in seen for one in _as_list(outputs)]
        self._sized = self.width is None and all(isinstance(o, str | bytes | tuple) for o in plain)
        lengths = {len(one) for one in plain} if self._sized else set[int]()
        parts = all(isinstance(one, tuple) for one in plain) and len(lengths) == 1
        self._parts = max(lengths) if parts and max(lengths) <= _MOST_PARTS else 0

    def read(self, outputs: Any) -> ReportColumns:
        """Return the columns of outputs."""
        outputs = self._through_view(outputs)
        size = len(outputs)
        codes: dict[str, NDArray[np.int64]] = {}
        numbers: dict[str, NDArray[np.float64]] = {}
        bits = None
        if self.width is not None:
            bits = _bit_rows(outputs, self.width)
            ones = (bits == 1).sum(axis=1, dtype=np.int64)
            codes[ONES] = ones
            numbers[ONES] = ones.astype(np.float64)
            if self.width <= _FEW_BITS:
                powers = 3 ** np.arange(self.width, dtype=np.int64)
                codes[WHOLE] = self._number(WHOLE, bits @ powers, _Ternary(self.width))
        if WHOLE not in codes and (self.width is None or not isinstance(outputs, np.ndarray)):
            codes[WHOLE] = self._number(WHOLE, outputs)
        if self._numeric and self.width is None:
            found = _numbers_of(outputs)
            numbers[WHOLE] = np.full(size, np.nan) if found is None else found
        if self._sized:
            plain = _as_list(outputs)
            lengths = np.array([_length(one) for one in plain], dtype=np.int64)
            codes[LENGTH], numbers[LENGTH] = lengths, lengths.astype(np.float64)
            for place in range(self._parts):
                name = f"part {place + 1} of the report"
                codes[name] = self._number(name, [_part(one, place) for one in plain])
        return ReportColumns(size, codes, numbers, bits)

    def value_of(self, column: str, code: int) -> Any:
        """Return the value that has this code in a column."""
        known = self._known.get(column)
        return code if known is None else list(known)[code]

    def _through_view(self, outputs: Any) -> Any:
        if self._view is not None:
            outputs = [self._view(one) for one in outputs]
        if isinstance(outputs, np.ndarray):
            return outputs if outputs.ndim <= 2 else [*outputs]
        return outputs

    def _number(
        self, column: str, values: Any, label: Callable[[int], Hashable] | None = None
    ) -> NDArray[np.int64]:
        """Return a number for each value: the same for equal values."""
        known = self._known.setdefault(column, {})
        if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "biufSU":
            distinct, places = np.unique(values, return_inverse=True)
            keys = [label(one) if label else _key(one) for one in distinct.tolist()]
            found = np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64)
            return found[places]
        keyed = (_key(one) for one in _as_list(values))
        return np.array([known.setdefault(key, len(known)) for key in keyed], dtype=np.int64)


@dataclass(frozen=True)
class _Ternary:
    """The bits that a number stands for."""

    width: int

    def __call__(self, code: int) -> Hashable:
        return tuple(code // 3**place % 3 for place in range(self.width))


def _key(value: Any) -> Hashable:
    """Return what stands for a value in a dictionary; True, 1 and 1.0 are the same output."""
    if isinstance(value, np.ndarray):
        return _key(value.tolist())
    if isinstance(value, float) and value != value:
        return "NaN"
    if isinstance(value, list | tuple):
        return tuple(_key(one) for one in value)
    if isinstance(value, set | frozenset):
        return frozenset(_key(one) for one in value)
    if isinstance(value, dict):
        return tuple((_key(name), _key(one)) for name, one in value.items())
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    try:
        hash(value)
    except TypeError:
        raise ParameterError(
            f"an output of the sampler is of type {type(value).__name__}, which cannot be counted. "
            "Give view=, a function that maps an output to a number, a text, bytes, a tuple or an "
            "array."
        ) from None
    return value


def _as_list(outputs: Any) -> list[Any]:
    """Return outputs as plain values that can be compared."""
    if isinstance(outputs, np.ndarray):
        listed: list[Any] = outputs.tolist()
        return [tuple(one) for one in listed] if outputs.ndim > 1 else listed
    return [_plain(one) for one in outputs]


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        listed = value.tolist()
        return tuple(listed) if value.ndim else listed
    if isinstance(value, list):
        return tuple(value)
    return bytes(value) if isinstance(value, bytearray | memoryview) else value


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str | bytes | tuple) else -1


def _part(value: Any, place: int) -> Any:
    return value[place] if isinstance(value, tuple) and place < len(value) else None


def _numbers_of(outputs: Any) -> NDArray[np.float64] | None:
    """Return outputs as doubles where they are numbers; only for thresholds."""
    if not isinstance(outputs, np.ndarray):
        if not all(isinstance(one, int | float | np.number) for one in outputs):
            return None
        try:
            outputs = np.array([float(one) for one in outputs])
        except OverflowError:
            return None
    if outputs.ndim != 1 or outputs.dtype.kind not in "biuf":
        return None
    return outputs.astype(np.float64)


def _common_width(seen: Iterable[Any]) -> int | None:
    """Return how many bits each output has, if all are vectors of equally many bits."""
    widths: set[int | None] = set()
    for outputs in seen:
        if isinstance(outputs, np.ndarray):
            fits = outputs.ndim == 2 and _is_binary(outputs)
            widths.add(outputs.shape[1] if fits else None)
        else:
            widths.update(_width_of(one) for one in outputs)
        if None in widths or len(widths) > 1:
            return None
    width = widths.pop() if widths else None
    return width if width and width <= _MOST_BITS else None


def _is_binary(array: NDArray[Any]) -> bool:
    return array.dtype.kind in "biuf" and bool(((array == 0) | (array == 1)).all())


def _width_of(value: Any) -> int | None:
    if isinstance(value, bytes | bytearray | memoryview):
        return 8 * len(value)
    if isinstance(value, np.ndarray):
        return value.size if value.ndim == 1 and _is_binary(value) else None
    if isinstance(value, list | tuple):
        bits = len(value) > 1 and all(
            isinstance(b, int | np.integer) and b in (0, 1) for b in value
        )
        return len(value) if bits else None
    return None


def _bit_rows(outputs: Any, width: int) -> NDArray[np.uint8]:
    """Return one row of bits for each output; bytes have their most significant bit first."""
    if isinstance(outputs, np.ndarray) and outputs.ndim == 2 and outputs.shape[1] == width:
        return np.where(outputs == 1, 1, np.where(outputs == 0, 0, _OTHER)).astype(np.uint8)
    rows = np.full((len(outputs), width), _OTHER, dtype=np.uint8)
    if all(isinstance(one, bytes) and len(one) * 8 == width for one in outputs):
        return np.unpackbits(np.frombuffer(b"".join(outputs), dtype=np.uint8)).reshape(-1, width)
    for place, one in enumerate(outputs):
        if _width_of(one) == width:
            packed = isinstance(one, bytes | bytearray | memoryview)
            rows[place] = np.unpackbits(np.frombuffer(one, dtype=np.uint8)) if packed else one
    return rows
