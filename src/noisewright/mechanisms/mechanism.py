"""A mechanism: one probability distribution over outputs for each input."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import TooLargeError
from noisewright.mechanisms.guarantee import Guarantee
from noisewright.mechanisms.inputs import read_inputs
from noisewright.spaces import Space

if TYPE_CHECKING:
    from noisewright.mechanisms.products import RowProduct
    from noisewright.sampling import Source

MOST_ENTRIES = 1 << 22
"""Tables larger than this are not built; such mechanisms are given by a formula."""


class Mechanism(ABC):
    """A map from the points of `space` to distributions over the points of `outputs`.

    `claim` is the guarantee that its maker proved, or None when nobody claimed one.
    """

    space: Space
    outputs: Space
    claim: Guarantee | None

    @abstractmethod
    def draw(self, codes: NDArray[Any], source: Source | None = None) -> NDArray[Any]:
        """Draw one output code for each input code."""

    def sample(self, inputs: Any, *, source: Source | None = None) -> Any:
        """Draw one output for each input, in the form in which the inputs came.

        Accepts one point, a list, a numpy array, or an Arrow array (plain or dictionary);
        whole numbers are taken as codes when they are not points themselves.
        """
        read = read_inputs(self.space, inputs)
        return read.restore(self.draw(read.codes, source), self.outputs)

    def __pow__(self, rows: int) -> RowProduct:
        from noisewright.mechanisms.products import RowProduct

        return RowProduct(self, rows)

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Return the mechanism as a certificate writes it."""


def require_tabulable(space: Space, outputs: Space, *, instead: str) -> None:
    """Raise TooLargeError when a table over these spaces would be absurd."""
    entries = space.size * outputs.size
    if entries > MOST_ENTRIES:
        amount = f"{entries:,}" if entries.bit_length() < 64 else f"2^{entries.bit_length() - 1}"
        raise TooLargeError(
            f"a table for {space!r} would have {amount} entries (at most {MOST_ENTRIES:,}). "
            f"{instead}",
            size=entries,
        )


def smallest_codes(codes: NDArray[np.intp], size: int) -> NDArray[Any]:
    """Return codes in the narrowest unsigned type that holds them."""
    return codes.astype(np.min_scalar_type(max(size - 1, 0)), copy=False)
