"""The staircase mechanism: the best noise to add to a number at δ = 0 (Geng–Viswanath 2016)."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, final

from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import ParameterError
from noisewright.exact import Enclosure, Epsilon, Number, exactly
from noisewright.given import one_of
from noisewright.mechanisms.counts.clamped import clamped_noise
from noisewright.mechanisms.decay import decay_for, positive_epsilon
from noisewright.mechanisms.guarantee import Guarantee, describe_number
from noisewright.mechanisms.mechanism import require_tabulable
from noisewright.mechanisms.noise.additive import Additive, Form, declare_interval
from noisewright.mechanisms.noise.bounded_laplace import proven_table
from noisewright.mechanisms.noise.laplace_curve import enclose_log
from noisewright.mechanisms.noise.staircase_curve import Stairs, best_upper
from noisewright.mechanisms.table import Table
from noisewright.public import public
from noisewright.spaces import Interval, Lattice

_POWERS = {"L1": 1, "L2": 2}


@public
def staircase(
    space: Interval,
    *,
    epsilon: Number | Epsilon | None = None,
    alpha: Number | None = None,
    delta: Number = 0,
    sensitivity: Number | None = None,
    loss: Literal["L1", "L2"] = "L1",
    form: Literal["unbounded", "truncated"] = "unbounded",
    outside: Literal["error", "clamp"] | None = None,
    off_grid: Literal["error", "round"] | None = None,
) -> Staircase:
    """Return the staircase mechanism on the grid of an interval: the best noise to add at δ = 0.

    Requires: epsilon > 0 and delta = 0. `loss` says which error to make least: the mean
    distance ("L1") or the mean square ("L2"). The rest is as for `laplace`.
    Ensures: ε-private, and no smaller ε holds. Among all noise that does not depend on the input
    the unbounded form has the least error for that ε (Geng–Viswanath 2016, for integers). At small
    ε it hardly differs from Laplace; from about ε = 2 on it errs much less.
    """
    if exactly(delta, name="delta") != 0:
        raise ParameterError(
            f"delta is {delta}; the staircase is the best noise for delta=0 and has no use for "
            "more. Use nw.laplace, whose scale shrinks with delta, or nw.design on a small grid."
        )
    read = positive_epsilon(epsilon, alpha, instead="Use nw.uniform(space) for that.")
    one_of(loss, tuple(_POWERS), name="loss")
    interval = declare_interval(
        space,
        name="staircase",
        sensitivity=sensitivity,
        outside=outside,
        off_grid=off_grid,
        form=form,
        forms=("unbounded", "truncated"),
    )
    return Staircase(interval, read, best_upper(read, interval.reach, _POWERS[loss]), form)


@final
@dataclass(frozen=True)
class Staircase(Additive):
    """Staircase noise on a grid by its formula, exact; see `staircase`.

    P(Z = z) falls by e^-epsilon at |z| = upper and every `width` steps from there. A stair is as
    wide as neighbors are apart, unless a certificate speaks of others: those cost epsilon for each
    stair that they begin.
    """

    space: Interval
    epsilon: Epsilon
    upper: int
    form: Form = "unbounded"
    width: int = 0
    claim: Guarantee | None = field(default=None, compare=False)  # pyright: ignore[reportIncompatibleVariableOverride]
    outputs: Interval | Lattice = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "width", self.width or self.reach)
        if self.epsilon.is_zero or not 1 <= self.upper <= self.width:
            raise ParameterError(
                f"the staircase needs a positive epsilon and 1 ≤ upper ≤ {self.width}; got upper "
                f"{self.upper}."
            )
        self._read_spaces(self.epsilon)
        pure = self.pure_epsilon(self.reach)
        if self.claim is None:
            object.__setattr__(self, "claim", Guarantee(pure))
        elif not pure <= self.claim.epsilon:
            raise ParameterError(
                f"this staircase costs epsilon={pure} {self.space.unit}; {self.claim} is less."
            )

    @property
    def is_tight(self) -> bool:
        """Whether the whole privacy curve is known: stairs are as wide as neighbors are apart."""
        return self.width == self.reach

    @property
    def stairs(self) -> Stairs:
        """The distribution of the noise, in steps."""
        return Stairs(self.epsilon, self.width, self.upper)

    def moment(self, power: int, bits: int) -> Enclosure:
        """Enclose E|Z|^power in steps, for power 1 or 2."""
        return self.stairs.moment(power, bits)

    def clamped_moment(self, room: int, power: int, bits: int) -> Enclosure:
        """Enclose E min(Z⁺, room)^power in steps: the error towards one side."""
        return self.stairs.clamped_moment(room, power, bits)

    def noise(self, count: int, source: sampling.Source | None = None) -> NDArray[Any]:
        """Draw independent staircase noise, in steps."""
        return sampling.staircase_noise(self.epsilon, self.width, self.upper, count, source)

    def pure_epsilon(self, reach: int) -> Epsilon:
        """Return the ε at δ = 0 for inputs `reach` steps apart: one for each stair begun."""
        return self.epsilon.times(-(-reach // self.width))

    def half_line(self, epsilon: Epsilon) -> int:
        """Return i: the outputs up to i above the lower of two neighbors decide."""
        return self.stairs.half_line

    def cumulative(self, steps: int, bits: int) -> Enclosure:
        """Enclose the probability that the noise is at most `steps`."""
        if steps < 0:
            return self.stairs.tail(-steps, bits)
        return -self.stairs.tail(steps + 1, bits) + 1

    def delta_enclosure(self, epsilon: Epsilon, bits: int) -> Enclosure:
        """Enclose the least δ at ε': A (1 − e^(ε' − ε))."""
        if self.epsilon <= epsilon:
            return Enclosure.point(0)
        told = self.cumulative(self.stairs.half_line, bits)
        left = -(epsilon.power_enclosure(bits) * self.stairs.drop(bits)) + 1
        return (told * left).or_more(0)

    def epsilon_enclosure(self, delta: Fraction, bits: int) -> Enclosure | None:
        """Enclose the least ε' at δ: e^ε' = e^ε (1 − δ/A)."""
        delta = exactly(delta, name="delta")
        told = self.cumulative(self.stairs.half_line, bits)
        ratio = (-(Enclosure.point(delta) / told) + 1) / self.stairs.drop(bits)
        if ratio.high <= 1:
            return Enclosure.point(0)
        if ratio.low < 1:
            return None
        return enclose_log(ratio, bits)

    def table(self) -> Table:
        """Return the truncated mechanism as a table of integers, rounded and proven anew."""
        claim = self._require_finite()
        require_tabulable(self.space, self.space, instead="Sample from the formula instead.")
        n, stairs = self.space.size - 1, self.stairs
        plan = decay_for(
            self.epsilon, length=stairs.level(n) + 1, outputs=self.space.size * self.width
        )
        total = plan.total - self.space.size * plan.floor
        drop = plan.powers[1]
        first = (self.upper << plan.scale) + drop * (self.width - self.upper)
        rest = plan.one - drop
        norm = 2 * first - rest
        levels = [total * rest * power // (norm << plan.scale) for power in plan.powers]
        masses = [levels[stairs.level(m)] for m in range(n + 1)]
        # P(Z ≥ n) of the same rounded b, in closed form.
        blocks, place = divmod(n, self.width)
        high = max(self.upper - place, 0) << plan.scale
        low = drop * (self.width - max(self.upper, place))
        share = (high + low) * rest + drop * first
        last = total * plan.powers[blocks] * share // (norm << (2 * plan.scale))
        made = clamped_noise(masses, last, plan)
        return proven_table(self.space, made.weights(), made.total, claim, "staircase mechanism")

    def __repr__(self) -> str:
        kind = "" if self.form == "unbounded" else f"{self.form} "
        return f"<{kind}staircase mechanism on {self.space!r}, {self.claim}>"

    def describe(self) -> dict[str, Any]:
        """Return the formula as a certificate writes it."""
        return {
            "form": "staircase",
            "inputs": self.space.describe(),
            "outputs": self.outputs.describe(),
            "parameter": describe_number(self.epsilon),
            "width": self.width,
            "upper": self.upper,
        }
