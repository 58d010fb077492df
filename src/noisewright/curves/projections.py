"""What a random function guarantees, seen through finitely many positions.

    π_t    takes a function to its values at the positions t_1, …, t_k
    Φ      the matrix of the functions ψ_k at these positions
    c      the difference of two inputs in the released coordinates

A mechanism whose outputs are functions is (ε, δ)-private if and only if all its projections
π_t are: sets that look at finitely many positions form an algebra that generates all events
(Holohan–Leith–Mason 2015, Theorem 3 and Example 4). Each projection is post-processing, so its δ
is at most that of the function, and more positions never have less.

Normal noise: the values at t are a normal vector with mean difference Φ c and covariance
s² Φ Φ', so their μ is |P c| / s, where P projects on the rows of Φ: exact linear algebra on
the doubles of Φ. Positions that tell all coordinates apart have the μ of the whole function.
Laplace noise: any v with Φ v = Φ c could have been the difference, so ε at t is at most
Σ|v_k| / b; v = c and v = P c are tried. With noise in the values P c is what is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np

from noisewright.curves.bases import Floats
from noisewright.curves.density import DensityNoise
from noisewright.curves.noise import CurveNoise, rounded_off
from noisewright.curves.sensitivity import widest_signs
from noisewright.errors import InputError
from noisewright.exact import Epsilon, Number, ceiling_float, exactly, sqrt_bounds
from noisewright.given import several
from noisewright.mechanisms import Guarantee, Mechanism
from noisewright.privacy import gaussian_delta, tight_delta
from noisewright.public import public
from noisewright.spaces import Curves

_ROOT_BITS = 80


@final
@dataclass(frozen=True)
class Projection:
    """What is proven of a mechanism seen at `positions`; None means everywhere.

    `guarantee` holds for the two inputs that were looked at (all neighbors, for a table).
    `is_exact` says that it is the least δ at its ε, up to rounding, and not only a bound.
    """

    positions: tuple[float, ...] | None
    guarantee: Guarantee
    is_exact: bool

    @property
    def delta(self) -> float:
        """δ, rounded up to a double."""
        return ceiling_float(self.guarantee.delta)

    @property
    def epsilon(self) -> float:
        """ε, rounded up to a double."""
        return self.guarantee.epsilon.ceiling()


@public
def verify_projections(
    mechanism: CurveNoise | DensityNoise | Mechanism,
    positions: Iterable[Sequence[float]],
    *,
    inputs: tuple[Any, Any] | None = None,
    epsilon: Number | Epsilon | None = None,
) -> tuple[Projection, ...]:
    """Return what is proven of a mechanism at each of several finite sets of positions.

    The last entry is about the whole function. For noise in curves and densities two inputs are
    looked at: those given, or two that are as far apart as a search finds; ε is that of the
    claim unless given, and Laplace noise gets the ε of each projection with δ = 0. A mechanism
    with a finite table, whose outputs are curves, is looked at for all neighbors.

    Requires: positions inside the grid; for a table, positions of its grid.
    Ensures: nested sets of positions have rising guarantees, none above that of the whole.
    Source: Holohan–Leith–Mason 2015, Theorem 3 and Example 4.
    """
    sets = [
        tuple(
            float(exactly(t, name="a position")) for t in several(one, name="a set", of="numbers")
        )
        for one in several(positions, name="positions", of="sets of positions")
    ]
    if not all(sets):
        raise InputError("a set of positions is empty; each needs at least one position.")
    if isinstance(mechanism, Mechanism) and not isinstance(mechanism, CurveNoise):
        return _of_table(mechanism, sets, epsilon)
    chosen = mechanism.claim.epsilon if epsilon is None else Epsilon.of(epsilon)
    first, second = widest_pair(mechanism) if inputs is None else inputs
    apart = _apart(mechanism, first, second)
    if isinstance(mechanism, CurveNoise):
        per_number = mechanism.unit / mechanism.scale
        functions, noise = mechanism.coordinates.functions, mechanism.noise
        _require_inside(sets, mechanism.space.positions)
    else:
        per_number, noise = 1 / mechanism.lattice_scale, "gaussian"
        functions = mechanism.functions
    difference = [x * per_number for x in apart]
    found = [
        Projection(
            chosen_set,
            *_guarantee_seen(functions.at(np.array(chosen_set)), difference, noise, chosen),
        )
        for chosen_set in sets
    ]
    if noise == "gaussian":
        whole = _normal(sum((x * x for x in difference), Fraction(0)), chosen)
    else:
        whole = _laplace(difference)
    return _tidy([*found, Projection(None, whole, True)], mechanism.claim)


def _tidy(found: list[Projection], claim: Guarantee) -> tuple[Projection, ...]:
    """Lower bounds to what is proven otherwise: by the claim, and by sets that hold more."""

    def is_part(a: Projection, b: Projection) -> bool:
        inside = b.positions is None or (
            a.positions is not None and set(a.positions) <= set(b.positions)
        )
        return inside and a is not b

    tidied: list[Projection] = []
    for one in found:
        held = [one.guarantee, *(b.guarantee for b in found if is_part(one, b))]
        if one.guarantee.epsilon == claim.epsilon:
            held.append(claim)
        least = min(held, key=lambda g: (float(g.epsilon), g.delta))
        tidied.append(Projection(one.positions, least, one.is_exact))
    return tuple(tidied)


def widest_pair(mechanism: CurveNoise | DensityNoise) -> tuple[Any, Any]:
    """Return two inputs that are as far apart in the coordinates as a search finds."""
    if isinstance(mechanism, DensityNoise):
        table = mechanism.table.astype(np.float64)
        squares = (table * table).sum(axis=1)
        apart = squares[:, None] + squares[None, :] - 2 * table @ table.T
        first, second = np.unravel_index(int(np.argmax(apart)), apart.shape)
        return mechanism.space.point(int(first)), mechanism.space.point(int(second))
    space = mechanism.space
    power = 2 if mechanism.noise == "gaussian" else 1
    signs = widest_signs(mechanism.coordinates.matrix.astype(np.float64), power)
    low, high = float(space.low), float(space.high)
    return np.where(signs > 0, high, low), np.where(signs > 0, low, high)


def _require_inside(sets: Iterable[Sequence[float]], grid: Floats) -> None:
    if any(not grid[0] <= t <= grid[-1] for chosen in sets for t in chosen):
        raise InputError(
            f"positions must lie between {grid[0]:g} and {grid[-1]:g}, where the curves are "
            "defined."
        )


def _apart(mechanism: CurveNoise | DensityNoise, first: Any, second: Any) -> list[int]:
    """Return the difference of two inputs in released whole numbers, before noise."""
    if isinstance(mechanism, DensityNoise):
        numbers = mechanism.numbers([first, second])
    else:
        steps = np.concatenate([mechanism.space.read(first), mechanism.space.read(second)])
        if len(steps) != 2:
            raise InputError(f"inputs must be two curves; got {len(steps):,}.")
        numbers = rounded_off(mechanism.exact(steps), mechanism.shift)
    return [int(a) - int(b) for a, b in zip(numbers[0], numbers[1], strict=True)]


def _guarantee_seen(
    drawn: Floats, difference: list[Fraction], noise: str, epsilon: Epsilon
) -> tuple[Guarantee, bool]:
    """Return the guarantee of Φ times the coordinates, and whether it is exact."""
    shadow, rank = project(drawn, difference)
    if noise == "gaussian":
        return _normal(sum((x * x for x in shadow), Fraction(0)), epsilon), True
    alone = bool((np.count_nonzero(drawn, axis=1) <= 1).all())
    if alone or rank == len(difference):
        return _laplace(shadow), True
    both = (_laplace(difference), _laplace(shadow))
    return min(both, key=lambda found: found.epsilon.rational), False


def project(drawn: Floats, vector: Sequence[Fraction]) -> tuple[list[Fraction], int]:
    """Return the orthogonal projection of a vector on the rows of a matrix, and their rank.

    Exact: doubles are the rationals they are. The steps are those of Gram and Schmidt.
    """
    shadow = [Fraction(0)] * len(vector)
    found: list[tuple[list[Fraction], Fraction]] = []
    for row in drawn.tolist():
        if len(found) == len(vector):
            return list(vector), len(found)
        rest = [Fraction(x) for x in row]
        for other, square in found:
            share = _dot(rest, other) / square
            rest = [a - share * b for a, b in zip(rest, other, strict=True)]
        square = _dot(rest, rest)
        if square:
            found.append((rest, square))
            share = _dot(vector, rest) / square
            shadow = [a + share * b for a, b in zip(shadow, rest, strict=True)]
    return shadow, len(found)


def _dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def _normal(square: Fraction, epsilon: Epsilon) -> Guarantee:
    ratio = Fraction(sqrt_bounds(square, _ROOT_BITS)[1], 1 << _ROOT_BITS)
    return Guarantee(epsilon, gaussian_delta(ratio=ratio, epsilon=epsilon).high)


def _laplace(difference: Sequence[Fraction]) -> Guarantee:
    return Guarantee(sum((abs(x) for x in difference), Fraction(0)))


def _of_table(
    mechanism: Mechanism, sets: list[tuple[float, ...]], epsilon: Number | Epsilon | None
) -> tuple[Projection, ...]:
    if not isinstance(mechanism.outputs, Curves):
        raise InputError(
            f"the outputs are {mechanism.outputs!r}; projections need outputs that are curves."
        )
    if epsilon is None and mechanism.claim is None:
        raise InputError(
            "this mechanism claims no guarantee; give the epsilon= at which to examine it."
        )
    assert epsilon is not None or mechanism.claim is not None
    chosen = mechanism.claim.epsilon if epsilon is None else Epsilon.of(epsilon)  # pyright: ignore[reportOptionalMemberAccess]
    places = {float(t): place for place, t in enumerate(mechanism.outputs.grid)}
    found: list[Projection] = []
    for positions in [*sets, None]:
        kept = list(places.values()) if positions is None else _places(positions, places)
        seen = mechanism.then(
            lambda curve, kept=kept: " ".join(repr(curve[place]) for place in kept)
        )
        delta = Fraction(tight_delta(seen, epsilon=chosen))
        found.append(Projection(positions, Guarantee(chosen, delta), True))
    return tuple(found)


def _places(positions: Sequence[float], places: dict[float, int]) -> list[int]:
    unknown = [t for t in positions if t not in places]
    if unknown:
        raise InputError(
            f"{unknown[0]:g} is not a position of the grid of the outputs, and a table has no "
            "others."
        )
    return [places[t] for t in positions]
