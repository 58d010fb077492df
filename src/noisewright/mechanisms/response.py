"""Randomized response without a table, for spaces of many points.

Keep the truth with probability `keep` / 2^k, else draw any point uniformly: the family of
Holohan–Leith–Mason 2016, (19), with p = (1 − keep/2^k) / number of points.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

from numpy.typing import NDArray

from noisewright.errors import InputError, SpaceError, TooLargeError
from noisewright.mechanisms.guarantee import Guarantee
from noisewright.mechanisms.mechanism import Structured
from noisewright.mechanisms.table import Table
from noisewright.spaces import Space, amount

if TYPE_CHECKING:
    from noisewright.sampling import KeepOrUniform, Source

_MOST_POINTS = 1 << 32
"""Uniform points are drawn from 32 bits."""


@final
@dataclass(frozen=True)
class Response(Structured):
    """Randomized response by its formula, exact.

    P(y | x) = [x = y] · keep / 2^log2_keep + (1 − keep / 2^log2_keep) / number of points.
    """

    space: Space
    keep: int
    log2_keep: int
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
        return _masses(self.keep, self.log2_keep, self.space.size)

    @cached_property
    def _sampler(self) -> KeepOrUniform:
        from noisewright.sampling import KeepOrUniform

        return KeepOrUniform(self.space.size, self.keep, 1 << self.log2_keep)

    def draw(self, codes: NDArray[Any], source: Source | None = None) -> NDArray[Any]:
        """Keep each code or replace it by a uniform one."""
        return self._sampler.draw(codes, source)

    def table(self) -> Table:
        """Raise: uniform draws over these points need not be whole over a power of two."""
        raise InputError(
            f"{self!r} has no table of integers. Build it with table=True if the space is small."
        )

    def __repr__(self) -> str:
        return f"<randomized response on {self.space!r}, {self.claim}, by formula>"

    def describe(self) -> dict[str, Any]:
        """Return the formula as a certificate writes it."""
        points = self.space.describe()
        return {
            "form": "response",
            "inputs": points,
            "outputs": points,
            "log2_total": self.log2_keep,
            "keep": f"{self.keep:x}",
        }


def _masses(keep: int, bits: int, size: int) -> tuple[int, int, int]:
    rest = (1 << bits) - keep
    return keep * size + rest, rest, size << bits


def most_kept(claim: Guarantee, size: int, bits: int) -> int:
    """Return the largest `keep` with P(truth) ≤ e^ε · P(other) + δ, decided exactly.

    That is keep = ⌊total (e^ε − 1 + δ·size) / (e^ε − 1 + size)⌋, Theorem 8 in other words.
    """
    total = 1 << bits
    scale = bits + 64
    gain = claim.epsilon.ratio_bounds(scale)[0] - (1 << scale)
    share = (gain + claim.delta * (size << scale)) / (gain + (size << scale))
    keep = min(total, int(share * total) + 2)
    while _breaks(keep, bits, size, claim):
        keep -= 1
    return keep


def _breaks(keep: int, bits: int, size: int, claim: Guarantee) -> bool:
    truth, other, total = _masses(keep, bits, size)
    spare = claim.delta * total
    scale = spare.denominator
    return claim.epsilon.sign(truth * scale - spare.numerator, other * scale) > 0
