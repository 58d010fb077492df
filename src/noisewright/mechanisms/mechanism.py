"""A mechanism: one probability distribution over outputs for each input."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import TooLargeError
from noisewright.given import amount, of_kind
from noisewright.mechanisms.counts.several_counts import warn_of_several_counts
from noisewright.mechanisms.guarantee import Guarantee
from noisewright.public import public_methods
from noisewright.spaces import Space
from noisewright.tables import read_inputs

if TYPE_CHECKING:
    from noisewright.mechanisms.products.products import RowProduct
    from noisewright.mechanisms.table import Table

MOST_ENTRIES = 1 << 22
"""Tables larger than this are not built; such mechanisms are given by a formula."""


@public_methods
class Mechanism(ABC):
    """A map from the points of `space` to distributions over the points of `outputs`.

    `claim` is the guarantee that its maker proved, or None when nobody claimed one. It holds for
    neighbors of `space`, and in that unit: `space.unit` says it in words. `weights` are integers,
    one row per input, that sum to `total` in each row, which may be any integer; `matrix`
    shows the same probabilities as doubles, for looking at: nothing is decided by them.
    """

    space: Space
    outputs: Space
    claim: Guarantee | None
    weights: NDArray[Any]
    total: int
    matrix: NDArray[np.float64]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        public_methods(cls)
        if "draw" in vars(cls):
            cls.draw = _of_own_codes(cls.draw)

    @abstractmethod
    def draw(self, codes: NDArray[Any], source: sampling.Source | None = None) -> NDArray[Any]:
        """Draw one output code for each input code.

        Ensures: codes that no point of `space` has are refused: the claim is about its points.
        """

    def sample(self, inputs: Any, *, source: sampling.Source | None = None) -> Any:
        """Draw one output for each input, in the form in which the inputs came.

        Accepts one point, a list, a numpy array, or an Arrow array (plain or dictionary);
        whole numbers are taken as codes when they are not points themselves.

        The claim holds for each input by itself: for a person who has a part in several of them,
        it adds up. A table of counts is such a case, since who moves from one group to another
        changes two of them: counts that are labeled as such raise a SeveralCountsWarning.
        """
        warn_of_several_counts(self.space, self.claim, inputs)
        read = read_inputs(self.space, inputs)
        drawn = [self.draw(codes, source) for codes in read.pieces()]
        return read.restore(drawn, self.outputs)

    def sample_column(self, column: Any, *, source: sampling.Source | None = None) -> Any:
        """Draw one output for each cell of a column of a table: what `sample` gives, in most cases.

        Ensures: what comes back can stand in a table in place of the column.
        """
        return self.sample(column, source=source)

    @abstractmethod
    def table(self) -> Table:
        """Return the mechanism as one table of integers, or raise TooLargeError."""

    def then(
        self, step: Mapping[Any, Any] | Callable[[Any], Any] | Any, *, outputs: Any = None
    ) -> Table:
        """Post-process the output by a function, a mapping, another table or a matrix.

        Ensures: the guarantee is kept, since the step sees only what was released.
        """
        from noisewright.mechanisms.postprocess import postprocess

        return postprocess(self.table(), step, outputs=outputs)

    def __pow__(self, rows: int) -> RowProduct:
        from noisewright.mechanisms.products.products import RowProduct

        return RowProduct(self, rows)

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Return the mechanism as a certificate writes it."""


def _of_own_codes(draw: Any) -> Any:
    """Let a mechanism draw for codes of its space only."""

    @wraps(draw)
    def draw_checked(
        self: Mechanism, codes: Any, source: sampling.Source | None = None
    ) -> NDArray[Any]:
        return draw(self, self.space.read_codes(codes), source)

    return draw_checked


class Structured(Mechanism):
    """A mechanism known by its structure; its table is built when someone asks for it."""

    @property
    def weights(self) -> NDArray[Any]:
        """The integers of the table."""
        return self.table().weights

    @property
    def total(self) -> int:
        """What each row of the table sums to."""
        return self.table().total

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The probabilities of the table as doubles."""
        return self.table().matrix


def require_mechanism(value: Any, *, name: str = "mechanism") -> None:
    """Raise ParameterError unless this is a mechanism."""
    such_as = "a mechanism such as nw.geometric(nw.Counts(8), epsilon=1)"
    of_kind(value, Mechanism, name=name, such_as=such_as)


def require_tabulable(space: Space, outputs: Space, *, instead: str) -> None:
    """Raise TooLargeError when a table over these spaces would be absurd."""
    entries = space.size * outputs.size
    if entries > MOST_ENTRIES:
        raise TooLargeError(
            f"a table for {space!r} would have {amount(entries)} entries (at most "
            f"{MOST_ENTRIES:,}). {instead}",
            size=entries,
        )
