"""How many of some candidates each person has: what decides to how many items sets are cut."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.estimation import Axis, Estimate
from noisewright.exact import Epsilon
from noisewright.local.choosing import choose_randomizer
from noisewright.local.item_collection import SetCollection
from noisewright.local.randomizer import PureRandomizer
from noisewright.local.shares import Support, estimate_shares
from noisewright.spaces import Subsets


@final
class SetSizeCollection(SetCollection):
    """The number of candidates in each person's set; the server estimates how often each occurs.

    Numbers above `most` count as `most`: rare ones are not worth the noise.
    """

    randomizer: PureRandomizer

    def __init__(
        self,
        space: Subsets,
        candidates: NDArray[np.int64],
        epsilon: Epsilon,
        name: str,
        *,
        most: int,
        before: tuple[SetCollection, ...] = (),
    ) -> None:
        self.most = min(most, candidates.size)
        choice = choose_randomizer(self.most + 1, epsilon, None)
        self.space = space
        self.candidates = candidates
        self.randomizer = choice.randomizer
        self.method = choice.method
        self.why = choice.why
        self.name = name
        self.before = before

    def settings(self) -> dict[str, Any]:
        """Return the kind, the method and the items."""
        sizes = {"method": self.method, "most": self.most}
        return {"kind": "set sizes", **sizes, **self.describe_sets()}

    def reading(self) -> dict[str, Any]:
        """Return how clients count the candidates in a set."""
        return {**self.describe_set_reading("set size"), "most": self.most}

    def encode(self, values: Any) -> NDArray[np.int64]:
        """Return how many of the candidates each set has."""
        return np.minimum(self.read(values).sizes, self.most)

    def estimate_from(self, tally: NDArray[np.int64], people: int, **options: Any) -> Estimate:
        """Return how many people have each number of candidates; options as for frequencies."""
        axis = Axis("size", list(range(self.most + 1)))
        supports = self.randomizer.supports(tally)
        return estimate_shares(Support.of(self.randomizer), supports, people, axis, **options)

    def padding(
        self, tally: NDArray[np.int64], people: int, *, covered: float
    ) -> tuple[int, float]:
        """Return the size that covers so many of the people who have any, and a correction.

        The correction is how many items people have, divided by how many of them count when sets
        are cut to that size (Wang, Li and Jha 2018, u(L)).
        """
        shares = self.estimate_from(tally, people, method="projected").values[1:]
        if not shares.sum() > 0:
            return 1, 1.0
        within = np.cumsum(shares) / shares.sum()
        length = int(np.argmax(within >= min(covered, 1 - 1e-12))) + 1
        sizes = np.arange(1, shares.size + 1)
        kept = float((shares * np.minimum(sizes, length)).sum())
        return length, float((shares * sizes).sum()) / kept

    def plan(self, *, people: int, **options: Any) -> Any:
        """Sizes are asked for between two other phases, and planned with these."""
        raise ParameterError("plan the protocol that this phase belongs to.")

    def __repr__(self) -> str:
        label = f" {self.name!r}" if self.name else ""
        return (
            f"<collection{label} of how many of {self.candidates.size:,} items people have, "
            f"{self.guarantee} per report>"
        )
