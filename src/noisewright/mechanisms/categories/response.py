"""Randomized response without a table, for spaces of many points.

Keep the truth with probability `keep` / `whole`, else draw any point uniformly: the family of
Holohan–Leith–Mason 2016, (19), with p = (1 − keep/whole) / number of points.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import SpaceError, TooLargeError
from noisewright.given import amount
from noisewright.mechanisms.guarantee import Guarantee
from noisewright.mechanisms.mechanism import Structured, require_tabulable
from noisewright.mechanisms.table import Table, described_total
from noisewright.spaces import Space

_MOST_POINTS = 1 << 32
"""Uniform points are drawn from 32 bits."""


@final
@dataclass(frozen=True)
class Response(Structured):
    """Randomized response by its formula, exact.

    P(y | x) = [x = y] · keep / whole + (1 − keep / whole) / number of points.
    """

    space: Space
    keep: int
    whole: int
    claim: Guarantee = field(compare=False)
    outputs: Space = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.space.by_distance:
            raise SpaceError(
                "randomized response by formula treats every two points alike, and "
                "neighbors='metric' does not. Use table=True."
            )
        if self.space.size > _MOST_POINTS:
            raise TooLargeError(
                f"{self.space!r} has {amount(self.space.size)} points; randomized response draws "
                f"from at most {amount(_MOST_POINTS)}. Use a product of smaller columns.",
                size=self.space.size,
            )
        object.__setattr__(self, "outputs", self.space)

    def masses(self) -> tuple[int, int, int]:
        """Return the weight of the truth, that of any other point, and the total."""
        return _masses(self.keep, self.whole, self.space.size)

    @cached_property
    def _sampler(self) -> sampling.KeepOrUniform:
        return sampling.KeepOrUniform(self.space.size, self.keep, self.whole)

    def draw(self, codes: NDArray[Any], source: sampling.Source | None = None) -> NDArray[Any]:
        """Keep each code or replace it by a uniform one."""
        return self._sampler.draw(codes, source)

    def table(self) -> Table:
        """Return the formula as a table, for spaces small enough to have one."""
        require_tabulable(self.space, self.space, instead="Sample from the formula instead.")
        _, other, total = self.masses()
        return response_table(self.space, other, total, self.claim)

    def __repr__(self) -> str:
        return f"<randomized response on {self.space!r}, {self.claim}, by formula>"

    def describe(self) -> dict[str, Any]:
        """Return the formula as a certificate writes it."""
        points = self.space.describe()
        return {
            "form": "response",
            "inputs": points,
            "outputs": points,
            **described_total(self.whole),
            "keep": f"{self.keep:x}",
        }


def response_table(space: Space, other: int, total: int, claim: Guarantee) -> Table:
    """Return the table in which every point but the truth has this weight."""
    weights = np.full((space.size, space.size), other, dtype=object)
    np.fill_diagonal(weights, total - (space.size - 1) * other)
    return Table(space, weights, total=total, claim=claim, name="randomized response")


def _masses(keep: int, whole: int, size: int) -> tuple[int, int, int]:
    rest = whole - keep
    return keep * size + rest, rest, size * whole


def most_kept(claim: Guarantee, size: int, bits: int) -> tuple[int, int]:
    """Return the largest keep / whole with P(truth) ≤ e^ε · P(other) + δ, decided exactly.

    That is (e^ε − 1 + δ·size) / (e^ε − 1 + size), Theorem 8 in other words. It is exactly that
    where e^ε is rational, and otherwise rounded down to a multiple of 2^-bits.
    """
    power = claim.epsilon.power
    if power is not None:
        share = (power - 1 + claim.delta * size) / (power - 1 + size)
        return share.as_integer_ratio()
    total = 1 << bits
    scale = bits + 64
    gain = claim.epsilon.ratio_bounds(scale)[0] - (1 << scale)
    share = (gain + claim.delta * (size << scale)) / (gain + (size << scale))
    keep = min(total, int(share * total) + 2)
    while _breaks(keep, total, size, claim):
        keep -= 1
    return keep, total


def _breaks(keep: int, whole: int, size: int, claim: Guarantee) -> bool:
    truth, other, total = _masses(keep, whole, size)
    spare = claim.delta * total
    scale = spare.denominator
    return claim.epsilon.sign(truth * scale - spare.numerator, other * scale) > 0
