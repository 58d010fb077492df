"""Windows as a channel: what is reported by whom, and functions of reports that tell averages.

With f the shares of codes, output y has the probability q + (a − q) · (share of the codes whose
window holds y). Windows hold neighbors, so that these shares are differences of running sums: one
pass over codes and outputs, without a matrix.

**Unbiased averages.** For any function φ of codes there are functions h of outputs with
E[h | x] = φ(x): the windows of different codes are linearly independent. Of these, the one is taken
that has the least mean square if all codes are equally frequent,
h = D⁻¹ Pᵀ (P D⁻¹ Pᵀ)⁻¹ φ with D the probabilities of outputs. It does not depend on the reports, so
that the mean of h over reports is unbiased for the mean of φ over people.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.local.families.windows import Windows
from noisewright.local.randomizer import BlockResponse

Array = NDArray[np.float64]


class WindowChannel:
    """The law of the outputs of a response on windows, in doubles."""

    def __init__(self, response: BlockResponse, windows: Windows) -> None:
        outside = windows.outputs - windows.width
        self.codes, self.outputs = windows.values, windows.outputs
        self.base = float((1 - response.own) / outside)
        self.more = float(response.own / windows.width) - self.base
        self._starts = np.arange(self.codes) * windows.stride
        self._ends = self._starts + windows.width
        places = np.arange(self.outputs)
        self._until = np.searchsorted(self._starts, places, side="right")
        self._from = np.searchsorted(self._ends, places, side="right")

    def push(self, shares: Array) -> Array:
        """Return the probabilities of outputs for these shares of codes."""
        ends = np.concatenate([[0.0], np.cumsum(shares)])
        return self.base * ends[-1] + self.more * (ends[self._until] - ends[self._from])

    def pull(self, values: Array) -> Array:
        """Return for each code the mean of these values of outputs."""
        ends = np.concatenate([[0.0], np.cumsum(values)])
        return self.base * ends[-1] + self.more * (ends[self._ends] - ends[self._starts])

    @cached_property
    def _matrix(self) -> Array:
        inside = np.zeros((self.codes, self.outputs), dtype=np.bool_)
        for code, (start, end) in enumerate(zip(self._starts, self._ends, strict=True)):
            inside[code, start:end] = True
        return np.where(inside, self.base + self.more, self.base).astype(np.float64)

    @cached_property
    def _weighted(self) -> tuple[Array, Array]:
        """Return D⁻¹ Pᵀ, and the inverse of P D⁻¹ Pᵀ."""
        matrix = self._matrix
        law = self.push(np.full(self.codes, 1 / self.codes))
        weighted: Array = matrix.T / law[:, None]
        inverse: Any = np.linalg.inv(matrix @ weighted)
        return weighted, inverse

    def undo(self, functions: Array) -> Array:
        """Return a column of h, one value an output, for each column φ, one value a code."""
        weighted, inverse = self._weighted
        found = weighted @ (inverse @ functions)
        # One step of refinement: the inverse has lost some digits.
        return found + weighted @ (inverse @ (functions - self._matrix @ found))
