"""Values of an open domain as numbers of a fixed number of bits: texts, or whole numbers.

A text is its UTF-8 bytes, filled up with zero bytes behind; its number has the first byte as the
most significant one. So texts have at most bits / 8 bytes and no zero character, and the number
tells the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import OutsideSpaceError, ParameterError
from noisewright.given import one_of, several, whole_number

KINDS = ("text", "numbers")
LONGER = ("refuse", "cut")


@dataclass(frozen=True)
class OpenValues:
    """Texts of up to bits / 8 bytes, or whole numbers below 2^bits, or below a smaller bound."""

    bits: int
    of: Literal["text", "numbers"]
    longer: Literal["refuse", "cut"] = "refuse"
    below: int | None = None

    def __post_init__(self) -> None:
        whole_number(self.bits, name="bits", least=1, most=64)
        one_of(self.of, KINDS, name="of")
        one_of(self.longer, LONGER, name="longer")
        if self.below is not None and (self.of == "text" or not 1 < self.below <= 1 << self.bits):
            raise ParameterError("below is for of='numbers'; it must be at least 2.")
        if self.of == "text" and self.bits % 8:
            raise ParameterError(
                f"bits is {self.bits}; texts have whole bytes: 8, 16, … 64. For numbers, say "
                "of='numbers'."
            )

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return self.below or 1 << self.bits

    @classmethod
    def of_description(cls, described: dict[str, Any]) -> OpenValues:
        """Return the values that a specification describes."""
        bits, count = described["bits"], described["count"]
        below = None if count == 1 << bits else count
        return cls(bits, described["of"], described["longer"], below)

    def describe(self) -> dict[str, Any]:
        """Return the values as specifications write them."""
        return {"of": self.of, "bits": self.bits, "longer": self.longer, "count": self.count}

    def encode(self, values: Any) -> NDArray[np.uint64]:
        """Return the numbers of values, or raise OutsideSpaceError."""
        if hasattr(values, "to_pylist"):  # Arrow
            values = values.to_pylist()
        if self.of == "text":
            return self._texts(several(values, name="values", of="texts"))
        return self._numbers(values)

    def _texts(self, values: list[Any]) -> NDArray[np.uint64]:
        size = self.bits // 8
        rows = bytearray()
        for row, value in enumerate(values):
            if not isinstance(value, str):
                raise _outside(row, "it is not a text")
            try:
                data = value.encode()
            except UnicodeEncodeError:
                raise _outside(row, "it has characters that UTF-8 cannot write") from None
            if 0 in data:
                raise _outside(row, "it has a zero character")
            if len(data) > size:
                if self.longer == "refuse":
                    why = (
                        f"it has more than {size} bytes in UTF-8. Cut texts with longer='cut', or "
                        "send numbers: a hash of each text, to look up in a list of texts"
                    )
                    raise _outside(row, why)
                data = data[:size].decode(errors="ignore").encode()
            rows += bytes(8 - size) + data.ljust(size, b"\0")
        return np.frombuffer(bytes(rows), dtype=">u8").astype(np.uint64)

    def _numbers(self, values: Any) -> NDArray[np.uint64]:
        if not (isinstance(values, np.ndarray) and values.dtype.kind in "ui" and values.ndim == 1):
            given = several(values, name="values", of="whole numbers")
            for row, value in enumerate(given):
                if isinstance(value, bool) or not isinstance(value, int | np.integer):
                    raise _outside(row, "it is not a whole number")
                if not 0 <= int(value) < self.count:
                    raise _outside(row, f"it is not in 0 … {self.count - 1:,}")
            return np.array([int(value) for value in given], dtype=np.uint64)
        low = values < 0 if values.dtype.kind == "i" else np.zeros(len(values), dtype=np.bool_)
        codes = values.astype(np.uint64)
        outside = low | (codes > np.uint64(self.count - 1))
        if outside.any():
            raise _outside(int(np.argmax(outside)), f"it is not in 0 … {self.count - 1:,}")
        return codes

    def decode(self, codes: NDArray[np.uint64]) -> list[Any]:
        """Return the values of numbers; None for those that no value has."""
        if self.of == "numbers":
            return [code if code < self.count else None for code in codes.tolist()]
        return [self._text(code) for code in codes.tolist()]

    def _text(self, code: int) -> str | None:
        data = code.to_bytes(self.bits // 8, "big").rstrip(b"\0")
        try:
            return None if 0 in data else data.decode()
        except UnicodeDecodeError:
            return None


def _outside(row: int, why: str) -> OutsideSpaceError:
    return OutsideSpaceError(f"value {row + 1} cannot be reported: {why}.", row=row, why=why)
