"""The truncated geometric mechanism (GM): two-sided geometric noise, clamped to 0..n.

P(i | j) = x α^|i−j| at the ends i ∈ {0, n} and y α^|i−j| inside, with α = e^-ε,
x = 1/(1+α), y = (1−α)/(1+α). Cormode–Kulkarni–Srivastava 2018, Definition 4 (its noise has
mass (1−α)α^|z|/(1+α); the print drops a factor) and Theorem 5; after Ghosh–Roughgarden–
Sundararajan 2009.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import ParameterError, SpaceError, TooLargeError
from noisewright.exact import Epsilon, Number
from noisewright.given import brief
from noisewright.mechanisms.counts.clamped import clamped_geometric
from noisewright.mechanisms.decay import positive_epsilon, require_gentle
from noisewright.mechanisms.guarantee import Guarantee, describe_number
from noisewright.mechanisms.mechanism import MOST_ENTRIES, Structured, require_tabulable
from noisewright.mechanisms.noise.laplace_curve import laplace_delta
from noisewright.mechanisms.table import Table
from noisewright.public import public
from noisewright.spaces import Counts, Space


@public
def geometric(
    space: Counts,
    *,
    epsilon: Number | Epsilon | None = None,
    alpha: Number | None = None,
    table: bool | None = None,
) -> Table | Geometric:
    """Return the truncated geometric mechanism on counts 0..n.

    Requires: epsilon > 0 (or 0 < alpha < 1), neighbors that are adjacent counts (or "metric",
    which asks for the same).
    Ensures: ε-private, and no smaller ε holds (to a relative 2^-56). With `table=True` an
    integer table; with `table=False` the exact formula, which needs no memory; by default a
    table up to 2,047 people and the formula beyond. A table at a rational α, as with
    alpha="1/2", is exactly the formula, unless its total would need more than 4,096 bits.
    The promise is about one count. In a table of counts a person who moves from one group to
    another changes two, so a table at ε needs a mechanism with ε/2 for each count.
    Source: Ghosh–Roughgarden–Sundararajan 2009; Cormode–Kulkarni–Srivastava 2018, Definition 4.
    """
    require_counts(space, "geometric")
    read = positive_epsilon(epsilon, alpha, instead="Use nw.uniform(space) for that.")
    if table is None:
        table = space.by_distance or space.size * space.size <= MOST_ENTRIES
    if not table:
        return Geometric(space, read)
    require_tabulable(space, space, instead="Use table=False: the formula needs no table.")
    return _geometric_table(space, read, Guarantee(read))


def require_counts(space: Space, name: str) -> None:
    """Raise SpaceError unless the space is counts with adjacent neighbors.

    Their absolute distance counts the steps between them, so being ε-private for adjacent counts
    and being so per unit of that distance are the same.
    """
    if not isinstance(space, Counts):
        raise SpaceError(f"{name}() is for counts, as in Counts(8); got {brief(space)}.")
    if space.neighbors != "adjacent" and not (space.by_distance and space.metric == "absolute"):
        raise SpaceError(
            f"{name}() protects adjacent counts, but {space!r} has other neighbors. Use "
            "Counts(n), or randomized_response when the number is one person's own record."
        )


def _geometric_table(space: Counts, epsilon: Epsilon, claim: Guarantee) -> Table:
    made = clamped_geometric(space.n, epsilon)
    require_gentle(made.ends, epsilon)
    require_gentle(made.inside, epsilon)
    name = "geometric mechanism"
    return Table(space, made.weights(), total=made.total, claim=claim, name=name)


@final
@dataclass(frozen=True)
class Geometric(Structured):
    """The truncated geometric mechanism by its formula, exact and without a table.

    `epsilon` is what one step costs. A certificate may speak of any change instead, with
    neighbors="replace": that costs n steps.
    """

    space: Counts
    epsilon: Epsilon
    claim: Guarantee | None = field(default=None, repr=False, compare=False)  # pyright: ignore[reportIncompatibleVariableOverride]
    outputs: Counts = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.space, Counts) or self.space.neighbors != "replace":
            require_counts(self.space, "geometric")
        if self.space.by_distance:
            raise SpaceError(
                "the formula of geometric() is for adjacent neighbors. Without a delta that is the "
                "same promise as neighbors='metric': use Counts(n), or table=True."
            )
        if self.epsilon.is_zero:
            raise ParameterError("epsilon is 0; the geometric mechanism needs a positive one.")
        if self.space.n >> 62:
            raise TooLargeError(
                f"{self.space!r} has counts beyond 2^62, where counts and noise no longer add up "
                "in 64 bits. Use a smaller n.",
                size=self.space.size,
            )
        object.__setattr__(self, "outputs", self.space)
        pure = self.pure_epsilon(self.reach)
        if self.claim is None:
            object.__setattr__(self, "claim", Guarantee(pure))
        elif not pure <= self.claim.epsilon:
            needed = laplace_delta(self.epsilon, self.reach, self.claim.epsilon, 192)
            if needed.high > self.claim.delta:
                raise ParameterError(
                    f"geometric noise with epsilon {self.epsilon} for each step does not keep "
                    f"{self.claim} {self.space.unit}."
                )

    @property
    def reach(self) -> int:
        """How many steps apart two neighbors may be."""
        return self.space.reach

    def pure_epsilon(self, reach: int) -> Epsilon:
        """Return the least ε at δ = 0 for inputs `reach` steps apart.

        Inputs one step apart give every output with probabilities of ratio e^epsilon or less.
        """
        return self.epsilon.times(reach)

    def draw(self, codes: NDArray[Any], source: sampling.Source | None = None) -> NDArray[Any]:
        """Add exact two-sided geometric noise and clamp to 0..n."""
        noise = sampling.two_sided_geometric(self.epsilon, len(codes), source)
        return np.clip(codes.astype(np.int64) + noise, 0, self.space.n).astype(np.int64)

    def table(self) -> Table:
        """Return the integer table, for spaces small enough to have one.

        The table is the formula: exactly where α is rational and the table stays short, and
        otherwise rounded to a total of 2^k. It claims what the formula needs.
        """
        require_tabulable(self.space, self.space, instead="Sample from the formula instead.")
        return _geometric_table(self.space, self.epsilon, Guarantee(self.pure_epsilon(self.reach)))

    def __repr__(self) -> str:
        return f"<geometric mechanism on {self.space!r}, {self.claim}, by formula>"

    def describe(self) -> dict[str, Any]:
        """Return the formula as a certificate writes it."""
        points = self.space.describe()
        return {
            "form": "geometric",
            "inputs": points,
            "outputs": points,
            "parameter": describe_number(self.epsilon),
        }
