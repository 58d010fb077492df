"""What products, proofs and certificates need to know of mechanisms for curves.

The room of curves makes them, above this one. What they release is endless: a number at each
position, without bounds, so there are neither codes nor a table.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, NoReturn

from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import InputError
from noisewright.exact import Epsilon
from noisewright.mechanisms.guarantee import Guarantee
from noisewright.mechanisms.mechanism import Structured
from noisewright.spaces import AnyCurves, Curves

if TYPE_CHECKING:
    from noisewright.mechanisms.table import Table


class CurveMechanism(Structured):
    """A mechanism that adds noise to whole numbers made from a curve by a fixed linear map."""

    space: Curves
    claim: Guarantee

    @property
    def outputs(self) -> AnyCurves:
        """All curves on the same positions."""
        return AnyCurves(self.space.grid)

    @abstractmethod
    def pure_epsilon(self) -> Epsilon | None:
        """Return an ε that holds at δ = 0 for every two curves; None for normal noise."""

    @property
    @abstractmethod
    def is_tight(self) -> bool:
        """Whether no smaller ε than `pure_epsilon` holds."""

    @abstractmethod
    def within(self, guarantee: Guarantee) -> bool:
        """Tell whether a guarantee can be proven; False may mean that it cannot be decided."""

    @abstractmethod
    def without_form(self) -> str | None:
        """Say why no certificate can be written; None if one can."""

    def draw(self, codes: NDArray[Any], source: sampling.Source | None = None) -> NoReturn:
        """Raise: released curves have no codes."""
        raise InputError("released curves have no codes; give curves to sample instead of codes.")

    def table(self) -> Table:
        """Raise: there is no table of endlessly many outputs."""
        raise InputError(
            f"{self!r} has no table, because its outputs are unbounded. certify and verify know "
            "its formula."
        )
