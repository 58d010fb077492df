"""Laplace noise on a grid: discrete, exact, with the smallest scale that (ε, δ) allows.

P(Z = z) = (1 − α)/(1 + α) · α^|z| with α = e^(−step/b), the discrete Laplace distribution. It is
sampled exactly on cryptographic bits, so the attacks on double-precision noise (Mironov 2012)
have nothing to work on. See `laplace_curve` for the privacy and the scale.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, final, overload

from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import ParameterError
from noisewright.exact import Enclosure, Epsilon, Number, ceiling_float
from noisewright.mechanisms.guarantee import Guarantee, describe_number
from noisewright.mechanisms.noise.additive import FORMS, Additive, Form, declare_interval
from noisewright.mechanisms.noise.bounded_laplace import bounded_laplace, truncated_laplace
from noisewright.mechanisms.noise.laplace_curve import (
    Rule,
    best_half_line,
    laplace_decay,
    laplace_delta,
    laplace_epsilon,
    power_of_alpha,
)
from noisewright.mechanisms.table import Table
from noisewright.public import public
from noisewright.spaces import Interval, Lattice

_MOST_BITS = 1 << 15
"""What is closer to a claimed δ than so many bits can tell is not proven."""


@overload
def laplace(
    space: Interval,
    *,
    epsilon: Number | Epsilon | None = None,
    delta: Number = 0,
    alpha: Number | None = None,
    sensitivity: Number | None = None,
    scale: Rule = "exact",
    form: Literal["unbounded", "truncated"] = "unbounded",
    outside: Literal["error", "clamp"] | None = None,
    off_grid: Literal["error", "round"] | None = None,
    table: Literal[False] = False,
) -> Laplace: ...
@overload
def laplace(
    space: Interval,
    *,
    epsilon: Number | Epsilon | None = None,
    delta: Number = 0,
    alpha: Number | None = None,
    sensitivity: Number | None = None,
    scale: Rule = "exact",
    form: Form = "unbounded",
    outside: Literal["error", "clamp"] | None = None,
    off_grid: Literal["error", "round"] | None = None,
    table: bool = False,
) -> Laplace | Table: ...
@public
def laplace(
    space: Interval,
    *,
    epsilon: Number | Epsilon | None = None,
    delta: Number = 0,
    alpha: Number | None = None,
    sensitivity: Number | None = None,
    scale: Rule = "exact",
    form: Form = "unbounded",
    outside: Literal["error", "clamp"] | None = None,
    off_grid: Literal["error", "round"] | None = None,
    table: bool = False,
) -> Laplace | Table:
    """Return the Laplace mechanism on the grid of an interval, with discrete noise.

    Requires: epsilon > 0 or 0 < delta < 1. `sensitivity` declares that neighbors are numbers at
    most that far apart; without it the neighbors of the space count, and by default those
    are all pairs, so the noise covers the whole diameter.
    `form`: "unbounded" outputs lie on the lattice of the grid; "truncated" ones are clamped to
    the interval; "bounded" noise is drawn anew until the output lies inside, a table with its
    own proof. `outside` and `off_grid` say how to read values that are not points of the grid
    (see Interval.reading); by default as the space says. `table=True` gives a truncated
    mechanism as a table of integers, for a small grid.
    Ensures: (ε, δ)-private. With scale="exact" no smaller scale is, to a relative 2^-56; with
    scale="paper" it is the b = diam/(ε − ln(1−δ)) of Holohan–Leith–Mason 2015, Example 5.
    """
    guarantee = Guarantee(epsilon, delta, alpha=alpha)
    interval = declare_interval(
        space,
        name="laplace",
        sensitivity=sensitivity,
        outside=outside,
        off_grid=off_grid,
        form=form,
        forms=FORMS,
    )
    if form == "bounded":
        if scale != "exact":
            raise ParameterError("scale='paper' is for the forms 'unbounded' and 'truncated'.")
        return bounded_laplace(interval, guarantee)
    decay = laplace_decay(guarantee, interval.reach, scale)
    made = Laplace(interval, decay, form, guarantee)
    return made.table() if table else made


@final
@dataclass(frozen=True)
class Laplace(Additive):
    """Discrete Laplace noise on a grid by its formula, exact; see `laplace`.

    `decay` is step/b: one step away from the truth costs a factor of e^-decay.
    """

    space: Interval
    decay: Epsilon
    form: Form = "unbounded"
    claim: Guarantee | None = field(default=None, compare=False)  # pyright: ignore[reportIncompatibleVariableOverride]
    outputs: Interval | Lattice = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.decay.is_zero:
            raise ParameterError("the decay is 0; Laplace noise needs a positive one.")
        self._read_spaces(self.decay)
        if self.decay.ratio is not None and self.reach > 1:
            raise ParameterError(
                "the decay is the log of a rational, but neighbors are several steps apart. Give "
                "a rational decay; nw.laplace(space, alpha=…) finds one."
            )
        if self.claim is None:
            object.__setattr__(self, "claim", Guarantee(self.pure_epsilon(self.reach)))
            return
        bits = 192
        needed = self.delta_enclosure(self.claim.epsilon, bits)
        while needed.low <= self.claim.delta < needed.high and bits < _MOST_BITS:
            # With a large ε the probabilities beyond it are small.
            bits *= 2
            needed = self.delta_enclosure(self.claim.epsilon, bits)
        if needed.high > self.claim.delta:
            raise ParameterError(
                f"noise with decay {self.decay} per step is not private with {self.claim} on "
                f"{self.space!r}. Use nw.laplace, which finds the scale."
            )

    @property
    def scale(self) -> float:
        """The scale b = step/decay in the units of the numbers, rounded up."""
        bits = 192
        low = Fraction(self.decay.bounds(bits)[0], 1 << bits)
        return ceiling_float(self.space.step / low)

    def noise(self, count: int, source: sampling.Source | None = None) -> NDArray[Any]:
        """Draw independent discrete Laplace noise, in steps."""
        return sampling.two_sided_geometric(self.decay, count, source)

    def noise_within(
        self, reach: int, count: int, source: sampling.Source | None = None
    ) -> NDArray[Any]:
        """Draw independent discrete Laplace noise in steps, clamped to −reach … reach."""
        return sampling.clamped_geometric(self.decay, reach, count, source)

    def pure_epsilon(self, reach: int) -> Epsilon:
        """Return the least ε at δ = 0 for inputs `reach` steps apart."""
        return self.decay.times(reach)

    def delta_enclosure(self, epsilon: Epsilon, bits: int) -> Enclosure:
        """Enclose the least δ at ε for neighbors."""
        return laplace_delta(self.decay, self.reach, epsilon, bits)

    def epsilon_enclosure(self, delta: Fraction, bits: int) -> Enclosure | None:
        """Enclose the least ε at δ for neighbors."""
        return laplace_epsilon(self.decay, self.reach, delta, bits)

    def half_line(self, epsilon: Epsilon) -> int:
        """Return i: the outputs up to i above the lower of two neighbors decide at ε."""
        return best_half_line(self.decay, self.reach, epsilon)

    def cumulative(self, steps: int, bits: int) -> Enclosure:
        """Enclose P(Z ≤ steps): 1 − α^(steps+1)/(1+α) from 0 on, α^-steps/(1+α) below."""
        alpha = power_of_alpha(self.decay, 1, bits)
        if steps < 0:
            return power_of_alpha(self.decay, -steps, bits) / (alpha + 1)
        return Enclosure.point(1) - power_of_alpha(self.decay, steps + 1, bits) / (alpha + 1)

    def moment(self, power: int, bits: int) -> Enclosure:
        """Enclose E|Z| = 2α/(1 − α²) or E Z² = 2α/(1 − α)²."""
        alpha = power_of_alpha(self.decay, 1, bits)
        return alpha * 2 / ((-alpha + 1) * (alpha + 1 if power == 1 else -alpha + 1))

    def clamped_moment(self, room: int, power: int, bits: int) -> Enclosure:
        """Enclose E min(Z⁺, room)^power, the error towards one side.

        P(Z ≥ k) = α^k/(1+α) for k ≥ 1, and a moment is Σ_k (k^power − (k−1)^power) P(Z ≥ k):
        (α − α^(d+1))/(1−α) / (1+α) for power 1, Σ (2k − 1) α^k / (1+α) for power 2.
        """
        alpha = power_of_alpha(self.decay, 1, bits)
        last = power_of_alpha(self.decay, room + 1, bits)
        rest = -alpha + 1
        first = (alpha - last) / rest
        if power == 1:
            return first / (alpha + 1)
        # Σ_{k=1..d} k α^k = (α(1 − α^d)/(1−α) − d α^(d+1)) / (1−α)
        weighted = (first - last * room) / rest
        return (weighted * 2 - first) / (alpha + 1)

    def table(self) -> Table:
        """Return the truncated mechanism as a table of integers, rounded and proven anew."""
        return truncated_laplace(self.space, self.decay, self._require_finite())

    def __repr__(self) -> str:
        kind = "" if self.form == "unbounded" else f"{self.form} "
        return f"<{kind}Laplace mechanism on {self.space!r}, {self.claim}, scale={self.scale:.6g}>"

    def describe(self) -> dict[str, Any]:
        """Return the formula as a certificate writes it."""
        return {
            "form": "noise",
            "inputs": self.space.describe(),
            "outputs": self.outputs.describe(),
            "decay": describe_number(self.decay),
        }
