"""How large errors of rows will be, by counts of columns and pairs: before anything is counted.

A column is told about by its own counts, and by those of each pair that it is in. The fit combines
them. Contrasts of a table are independent of each other (Xiao, He, Zhang and Kifer 2023), so that
for columns A and B of a and b points, with noise of variance s² on A and p² on the pair,

    1 / v_A  =  1 / s² + Σ_B 1 / (b p²)      over the pairs that are counted
    a cell of A          v_A (1 − 1/a)
    a cell of A × B      v_A (1 − 1/a) / b² + v_B (1 − 1/b) / a² + p² (1 − 1/a) (1 − 1/b)

in squared rows. What counts of a pair say below its mean cell, N/(ab), the fit takes for noise: p²
stands for 1 / (1/p² + (ab/N)²) there. A pair that is not counted passes for one that is: it is left
out where its link is weaker than the noise that counting it would add. That no count is negative
helps besides, by how much depends on the data. Which pairs will be chosen is not known: those with
fewest cells, and so least noise, stand for them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from noisewright.synthetic.clique_synthesizer import CliqueSynthesizer
from noisewright.synthetic.graphs.forest import spanning_forest

Pair = tuple[str, str]


@final
@dataclass(frozen=True, eq=False)
class ExpectedFit:
    """Standard errors of shares of so many rows, by a synthesizer that has not run."""

    synthesizer: CliqueSynthesizer
    rows: int

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs that stand for those to be counted: a spanning tree, and as many more."""
        made = self.synthesizer
        ordered = sorted(made.pairs, key=made.cells)
        if made.pairs_to_count == len(ordered):
            return tuple(ordered)
        tree = set(spanning_forest(ordered))
        return tuple(sorted(ordered, key=lambda pair: pair not in tree))[: made.pairs_to_count]

    @cached_property
    def _variances(self) -> dict[str, float]:
        """What v is for each column that varies."""
        made = self.synthesizer
        found = {name: 1 / self._variance((name,)) for name in made.singles}
        for both in self.pairs:
            for name, other in (both, both[::-1]):
                found[name] += 1 / (made.sizes[other] * self._variance(both))
        return {name: 1 / precision for name, precision in found.items()}

    def _variance(self, names: tuple[str, ...]) -> float:
        noise = self.synthesizer.noise(names)
        assert noise is not None
        # With a huge ε, noise is 0 but for one draw in more than there will ever be.
        return max(noise.on(self.synthesizer.cells(names)).fit_deviation ** 2, 1e-200)

    def share(self, name: str) -> float:
        """Return the standard error of the share of a point, or a bin, of a column."""
        size = self._size(name)
        return 0.0 if size == 1 else math.sqrt(self._variances[name] * (1 - 1 / size)) / self.rows

    def share_of_pair(self, first: str, second: str) -> float:
        """Return the standard error of the share of a cell of two columns."""
        a, b = self._size(first), self._size(second)
        if a == 1 or b == 1:
            return self.share(second if a == 1 else first)
        one, two = self._variances[first], self._variances[second]
        mean = self.rows / (a * b)
        both = (1 - 1 / a) * (1 - 1 / b) / (1 / self._variance((first, second)) + mean**-2)
        return math.sqrt(one * (1 - 1 / a) / b**2 + two * (1 - 1 / b) / a**2 + both) / self.rows

    def sum_of_shares(self, name: str, weights: NDArray[np.float64]) -> float:
        """Return the standard error of a weighted sum of a column's shares, such as a mean."""
        if self._size(name) == 1:
            return 0.0
        apart = float(((weights - weights.mean()) ** 2).sum())
        return math.sqrt(self._variances[name] * apart) / self.rows

    def _size(self, name: str) -> int:
        return self.synthesizer.sizes[name]
