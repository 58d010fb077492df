"""What every space can tell: its points, its metric, its neighbors."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import wraps
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import OutsideSpaceError, ParameterError, TooLargeError
from noisewright.exact import as_text
from noisewright.given import amount
from noisewright.public import public_methods
from noisewright.spaces.metric import Distance, DistanceMatrix, Metric, between_free, read_metric
from noisewright.spaces.neighbors import (
    Neighbors,
    Pairs,
    Within,
    are_neighbors,
    pair_codes,
    pair_count,
    reach,
    read_neighbors,
)

if TYPE_CHECKING:
    from noisewright.spaces.rows import Rows
    from noisewright.spaces.unit import Unit

MOST_LISTED_POINTS = 10**7
"""Nobody looks through more points one by one: they would not fit into memory as a list."""

MOST_POINTS = 1 << 22
"""More points than this are not enumerated."""

_MOST_BETWEEN = 512
"""Up to this many points it is found out which lie between which others (n³ work)."""

MOST_LISTED = 1 << 16
"""More pairs of neighbors than this are not written into a certificate."""


@public_methods
class Space(ABC):
    """The set of values that one input of a mechanism may take.

    A point has a *code*, its position 0..size−1. Spaces are lazy: nothing is enumerated
    until `points` is asked for, and an absurd enumeration is refused with its size.
    """

    metric: Metric
    neighbors: Neighbors

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        public_methods(cls)
        if "decode" in vars(cls):
            cls.decode = _of_own_codes(cls.decode)

    def _read_relations(self, neighbors: Any, metric: Any, *, metrics: tuple[str, ...]) -> None:
        """Set the metric and the neighbors, once the points are known; called by constructors."""
        read = read_metric(
            metric, names=metrics, size=lambda: self.size, points=lambda: self.points
        )
        object.__setattr__(self, "metric", read)
        if isinstance(neighbors, str) and neighbors == "replace":
            # Said without counting the points, which may be infinitely many.
            object.__setattr__(self, "neighbors", "replace")
            return
        relation = read_neighbors(
            neighbors, size=self.size, code_of=self.code, ordered=self.ordered
        )
        object.__setattr__(self, "neighbors", relation)

    @property
    @abstractmethod
    def size(self) -> int:
        """How many points there are."""

    @property
    def ordered(self) -> bool:
        """Whether codes follow an order that means something (counts, numbers)."""
        return False

    @property
    def of_numbers(self) -> bool:
        """Whether a whole number may be a point, so that it is not read as a code."""
        return False

    @property
    def of_tuples(self) -> bool:
        """Whether a point is a tuple, so that a tuple is not read as many points."""
        return False

    @abstractmethod
    def point(self, code: int) -> Any:
        """Return the point with this code."""

    @abstractmethod
    def code(self, point: Any) -> int:
        """Return the code of a point, or raise OutsideSpaceError."""

    @abstractmethod
    def _named_distance(self, a: int, b: int) -> Distance:
        """Return the distance of two codes under this space's own metrics."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Return the points as a certificate writes them."""

    @property
    def points(self) -> Sequence[Any]:
        """Return all points in the order of their codes."""
        self.require_enumerable("its points")
        return tuple(self.point(code) for code in range(self.size))

    def require_enumerable(self, what: str, most: int = MOST_POINTS) -> None:
        """Raise TooLargeError when listing `what` would be absurd."""
        if self.size > most:
            raise TooLargeError(
                f"{self!r} has {amount(self.size)} points, too many to list {what} (at most "
                f"{most:,}). Work with single points or use a mechanism given by a formula.",
                size=self.size,
            )

    def __len__(self) -> int:
        self.require_enumerable("them", most=1 << 62)
        return self.size

    def __bool__(self) -> bool:
        # Without this, `if space` would ask for a length that may not exist.
        return True

    def __iter__(self) -> Iterator[Any]:
        self.require_enumerable("them", most=MOST_LISTED_POINTS)
        return iter(self.points)

    def __contains__(self, point: Any) -> bool:
        try:
            self.code(point)
        except OutsideSpaceError:
            return False
        return True

    def __pow__(self, rows: int) -> Rows:
        from noisewright.spaces.rows import Rows

        return Rows(self, rows)

    def distance(self, a: Any, b: Any) -> Distance:
        """Return the exact distance of two points."""
        return self._code_distance(self.code(a), self.code(b))

    def _code_distance(self, a: int, b: int) -> Distance:
        if isinstance(self.metric, DistanceMatrix):
            return self.metric.rows[a][b]
        return self._named_distance(a, b)

    def distances(self) -> NDArray[np.float64]:
        """Return all distances as a matrix of floats."""
        self.require_enumerable("all distances", most=1 << 13)
        codes = range(self.size)
        return np.array([[float(self._code_distance(a, b)) for b in codes] for a in codes])

    @property
    def diameter(self) -> Distance:
        """The largest distance of two points."""
        if isinstance(self.metric, DistanceMatrix):
            return max((d for row in self.metric.rows for d in row), default=0)
        return self._named_diameter()

    @property
    def separation(self) -> Distance:
        """The smallest distance of two different points (κ in Holohan–Leith–Mason 2015)."""
        if isinstance(self.metric, DistanceMatrix):
            return min((d for row in self.metric.rows for d in row if d), default=0)
        return self._named_separation()

    @abstractmethod
    def _named_diameter(self) -> Distance: ...

    @abstractmethod
    def _named_separation(self) -> Distance: ...

    @property
    def pair_count(self) -> int:
        """How many unordered pairs of points are neighbors."""
        return pair_count(self.neighbors, self.size)

    @property
    def reach(self) -> int:
        """The largest difference of the codes of two neighbors, for points with an order."""
        return reach(self.neighbors, self.size)

    def neighbor_codes(self) -> NDArray[np.intp]:
        """List the unordered pairs of neighbors as codes, one pair a row."""
        return pair_codes(self.neighbors, self.size)

    def direct_codes(self) -> NDArray[np.intp]:
        """List pairs of neighbors that imply all others when δ = 0.

        With neighbors="metric", what is promised from a to m and from m to b is promised from a
        to b when m lies between them; along a line only the steps are left.
        """
        if self.neighbors == "metric" and self.metric == "absolute":
            return pair_codes("adjacent", self.size)
        if self.neighbors != "metric" or self.size > _MOST_BETWEEN:
            return self.neighbor_codes()
        codes = range(self.size)
        rows = [[self._code_distance(a, b) for b in codes] for a in codes]
        return np.array(between_free(rows), dtype=np.intp).reshape(-1, 2)

    @property
    def by_distance(self) -> bool:
        """Whether ε counts per unit of distance, as neighbors="metric" says, or per neighbor."""
        return self.neighbors == "metric"

    @property
    def unit(self) -> Unit:
        """What an ε is counted for here: which changes of the input; its text says it in words."""
        from noisewright.spaces.unit import Unit

        match self.neighbors:
            case Pairs(pairs):
                return Unit(change="pairs", most=len(pairs))
            case Within(steps):
                return Unit(change="steps", most=steps)
            case "metric":
                return Unit(change="distance", most=Fraction(self.diameter))
            case relation:
                return Unit(change="step" if relation == "adjacent" else "any")

    def neighbor_distance(self, a: int, b: int) -> Distance:
        """Return how often ε counts between two neighbors, given by their codes."""
        return self._code_distance(a, b) if self.by_distance else 1

    def are_neighbors(self, a: Any, b: Any) -> bool:
        """Tell whether two points are neighbors."""
        return are_neighbors(self.neighbors, self.code(a), self.code(b))

    def having(self, neighbors: Any) -> Self:
        """Return the same points with other neighbors."""
        other = copy.copy(self)
        relation = read_neighbors(
            neighbors, size=self.size, code_of=self.code, ordered=self.ordered
        )
        object.__setattr__(other, "neighbors", relation)
        return other

    def describe_neighbors(self) -> dict[str, Any]:
        """Return the relation as a certificate writes it."""
        if isinstance(self.neighbors, Pairs):
            return {"relation": "pairs", "pairs": [list(pair) for pair in self.neighbors.pairs]}
        if self.by_distance:
            self.require_enumerable("all distances", most=1 << 13)
            codes = range(self.size)
            rows = [[as_text(Fraction(self._code_distance(a, b))) for b in codes] for a in codes]
            return {"relation": "metric", "distances": rows}
        if isinstance(self.neighbors, Within):
            if self.pair_count > MOST_LISTED:
                raise TooLargeError(
                    f"a certificate lists pairs of neighbors one by one, and {self!r} has "
                    f"{amount(self.pair_count)} of them (at most {MOST_LISTED:,}). Use "
                    "neighbors='replace' or 'adjacent', or a larger step.",
                    size=self.pair_count,
                )
            return {"relation": "pairs", "pairs": sorted(self.neighbor_codes().tolist())}
        return {"relation": self.neighbors}

    def outside(self, *, row: int | None = None, why: str = "") -> OutsideSpaceError:
        """Return the error for an input that is not a point; it never shows the value.

        `row` is the position of the input; people count rows from 1.
        """
        where = "the input" if row is None else f"the input at row {row + 1:,}"
        reason = f" ({why})" if why else ""
        return OutsideSpaceError(
            f"{where} is not a point of {self!r}{reason}. {self._advice()}", row=row, why=why
        )

    def _advice(self) -> str:
        return "Map it to a point first, or widen the space."

    def encode(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the codes of an array of points, one by one; `tables` reads columns of them."""
        codes = np.empty(len(values), dtype=object if self.size >> 62 else np.intp)
        for row, value in enumerate(values.tolist()):
            try:
                codes[row] = self.code(value)
            except OutsideSpaceError as problem:
                raise self.outside(row=row, why=problem.why) from problem
        return codes

    def read_codes(self, codes: Any) -> NDArray[Any]:
        """Return codes as a one-dimensional array of whole numbers.

        Ensures: each is the code of a point; others are refused, with their row.
        """
        read = whole_codes(codes)
        last = self.size - 1
        if read.size and not (read.min() >= 0 and read.max() <= last):
            row = int(np.argmax((read < 0) | (read > last)))
            raise OutsideSpaceError(
                f"the code at row {row + 1:,} is outside 0..{last}. Check that the codes were made "
                "from the same space, and replace missing values first.",
                row=row,
            )
        return read

    def decode(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Return the points with these codes as an array."""
        codes = self.read_codes(codes)
        points = np.empty(len(codes), dtype=object)
        for row, code in enumerate(codes.tolist()):
            points[row] = self.point(code)
        return points


def whole_codes(codes: Any) -> NDArray[Any]:
    """Return codes as a one-dimensional array of whole numbers, without a copy where possible."""
    try:
        array = np.asarray(codes)
    except ValueError:  # rows of different lengths
        array = np.empty((0, 0))
    if array.ndim == 1 and (
        array.dtype.kind in "iu"
        or (array.dtype.kind == "O" and all(type(code) is int for code in array.tolist()))
    ):
        return array
    if array.ndim == 1 and not array.size:
        # An empty list has no type of its own; numpy would call it a list of floats.
        return np.empty(0, dtype=np.intp)
    raise ParameterError(
        f"codes have {array.ndim} dimensions and type {array.dtype}; they must be a "
        "one-dimensional array of integers. Turn labels into codes first, and flatten."
    )


def _of_own_codes(decode: Any) -> Any:
    """Let a space decode the codes of its points, and refuse others instead of counting on."""

    @wraps(decode)
    def decode_checked(self: Space, codes: Any) -> NDArray[Any]:
        return decode(self, self.read_codes(codes))

    return decode_checked


def require_space(value: Any) -> None:
    """Raise ParameterError unless this is a space: labels and numbers have to be declared."""
    if isinstance(value, Space):
        return
    instead = "it must be a space such as nw.Counts(8)"
    if isinstance(value, list | tuple | set | frozenset | range):
        instead = "declare what these are: nw.Categories([…]) for labels, nw.Counts(n) for counts"
    raise ParameterError(f"space is of type {type(value).__name__}; {instead}.")
