"""What every column that is split into several has: their names and spaces, and the way back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from noisewright.sampling import Source
from noisewright.spaces import Space
from noisewright.tables import Codes


class SplitColumn(ABC):
    """One declared column as several: each cell has one code in each of them.

    A row is still one row: whoever is replaced changes one row of the split table.
    """

    columns: Mapping[str, Space]
    """The columns that it is split into, in order."""

    @abstractmethod
    def split(self, cells: Any, source: Source | None) -> dict[str, NDArray[Any]]:
        """Return the codes of these columns for cells as `Cells` read them."""

    @abstractmethod
    def join(self, codes: Codes, source: Source | None) -> Any:
        """Return cells for codes, in the form that `Outputs` take; this is post-processing."""

    @abstractmethod
    def words(self) -> str:
        """Return what is lost by splitting, in a sentence; empty if nothing is."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Return what the column is, as plain values, so that it can be read back."""
