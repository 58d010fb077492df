"""What `compose` accepts, read as pairs of distributions.

A part is a finite mechanism (its rows, two at a time), or something of which only a
guarantee is known (the least private pair that the guarantee allows).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, TooLargeError
from noisewright.given import several
from noisewright.mechanisms import (
    Additive,
    ColumnProduct,
    CurveMechanism,
    Geometric,
    Guarantee,
    Laplace,
    Mechanism,
    PersonMechanism,
    Response,
    Staircase,
    Table,
    any_change,
)
from noisewright.privacy.composition.concentrated import ZeroConcentrated
from noisewright.privacy.composition.pairs import Pair, extremal
from noisewright.privacy.formulas.noise import laplace_pairs, staircase_pairs
from noisewright.privacy.subject import essential
from noisewright.privacy.verification import prove
from noisewright.spaces import Unit

Part = Mechanism | Guarantee | ZeroConcentrated
"""What can be composed."""

MOST_MASSES = 20_000_000
_SMALL_TABLE = 1 << 16

_MOST_STEPS = 128
"""Noise over more steps than this is composed by its claim: its pair is too long to multiply."""


@dataclass(frozen=True, eq=False)
class Finite:
    """A finite mechanism: one row of integers for each input, and which are neighbors."""

    rows: list[list[int]]
    total: int
    codes: NDArray[np.intp]

    @classmethod
    def of(cls, table: Table, codes: NDArray[np.intp] | None = None) -> Finite:
        """Read a table; its own neighbors unless pairs of codes are given."""
        unordered = table.space.neighbor_codes() if codes is None else codes
        both = np.concatenate([unordered, unordered[:, ::-1]])
        return cls(table.weights.tolist(), table.total, both)

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """The probabilities as doubles, for deciding where to look more closely."""
        return np.array([[w / self.total for w in row] for row in self.rows])

    def pair(self, index: int) -> Pair:
        """Return the exact pair of one ordered pair of neighbors."""
        x, y = self.codes[index]
        return Pair.of(zip(self.rows[x], self.rows[y], strict=True), self.total)


@dataclass(frozen=True)
class PairBounds:
    """Something known by a guarantee: pairs just below and above the least private one."""

    lower: Pair
    upper: Pair


@dataclass(frozen=True)
class Reading:
    """Parts and how often each occurs; `shared`: all face the same two inputs."""

    rows: list[tuple[Finite, int]]
    known: list[tuple[PairBounds, int]]
    rho: Fraction
    shared: bool
    units: tuple[Unit, ...]


TRIVIAL = Pair(((1, 1),), 1)


def read_parts(parts: Any, times: int) -> Reading:
    """Count equal parts and read each as pairs of distributions."""
    listed = [parts] if isinstance(parts, Part) else parts
    if isinstance(listed, (str, bytes)) or not isinstance(listed, Iterable):
        raise InputError(_refusal(parts))
    counts: dict[Part, int] = {}
    for part in several(listed, name="parts", of="mechanisms or guarantees"):
        if not isinstance(part, Part):
            raise InputError(_refusal(part))
        counts[part] = counts.get(part, 0) + times
    rho = Fraction(0)
    rows: list[tuple[Finite, int]] = []
    known: list[tuple[PairBounds, int]] = []
    spaces: list[object] = []
    for part, count in counts.items():
        if count == 0:
            continue
        if isinstance(part, ZeroConcentrated):
            rho += part.rho * count
        elif isinstance(part, Guarantee):
            known.append((PairBounds(*extremal(part.epsilon, part.delta)), count))
        else:
            for source, space in _sources(part):
                if isinstance(source, PairBounds):
                    known.append((source, count))
                else:
                    rows.append((source, count))
                    spaces.append(space)
    shared = all(space is not None and space == spaces[0] for space in spaces)
    mechanisms = (part for part, count in counts.items() if count and isinstance(part, Mechanism))
    units = tuple(dict.fromkeys(mechanism.space.unit for mechanism in mechanisms))
    return Reading(rows, known, rho, shared, units)


def _sources(mechanism: Mechanism) -> list[tuple[Finite | PairBounds, object]]:
    """Read a mechanism; with each table goes what must be equal for inputs to be shared."""
    inner = essential(mechanism)
    if inner.space.by_distance:
        raise InputError(
            "compose() compares neighbors at one epsilon; with neighbors='metric' each distance "
            "has its own. There the epsilons and the deltas of the parts add up, each per unit of "
            "distance: compose the Guarantee(epsilon, delta) of each for what inputs at a "
            "distance of 1 get, or the mechanism with neighbors='replace' for any change."
        )
    formula = _by_formula(inner)
    if formula is not None:
        return [(formula, None)]
    if isinstance(inner, ColumnProduct):
        if any(isinstance(column, (Additive, CurveMechanism)) for _, column in inner.columns):
            return [(_any_two_rows(column), None) for _, column in inner.columns]
        if inner.space.size * inner.outputs.size > _SMALL_TABLE:
            return [(_any_two_rows(column), None) for _, column in inner.columns]
        inner = inner.table()
    if isinstance(inner, PersonMechanism) and _is_small(inner):
        inner = inner.table()
    if isinstance(inner, Table) and inner.space.pair_count * inner.outputs.size <= MOST_MASSES:
        return [(Finite.of(inner), (mechanism.space, inner.space))]
    return [(_by_claim(inner, inner.claim), None)]


def _is_small(person: PersonMechanism) -> bool:
    """Tell whether all rows of a person are a table that is quick to look through."""
    tabular = isinstance(person.row, Table)
    return tabular and person.space.size * person.outputs.size <= _SMALL_TABLE


def _by_formula(mechanism: Mechanism) -> PairBounds | None:
    """Read a mechanism whose pair is the same for all neighbors."""
    if isinstance(mechanism, Response):
        pair = _response(mechanism)
        return PairBounds(pair, pair)
    if isinstance(mechanism, Geometric) and mechanism.reach > 1:
        if mechanism.reach > _MOST_STEPS:
            return None
        return PairBounds(*laplace_pairs(mechanism.epsilon, mechanism.reach))
    if isinstance(mechanism, Geometric):
        # Each output's ratio between adjacent counts is e^ε or e^-ε: the extremal pair.
        return PairBounds(*extremal(mechanism.epsilon, Fraction(0)))
    if isinstance(mechanism, Laplace) and mechanism.reach <= _MOST_STEPS:
        return PairBounds(*laplace_pairs(mechanism.decay, mechanism.reach))
    if isinstance(mechanism, Staircase) and mechanism.is_tight:
        return PairBounds(*staircase_pairs(mechanism))
    return None


def _response(mechanism: Response) -> Pair:
    """Return the pair of any two points: two outputs tell them apart, all others do not."""
    truth, other, total = mechanism.masses()
    rest = total - truth - other
    return Pair.of([(truth, other), (other, truth), (rest, rest)], total)


def _any_two_rows(column: Mechanism) -> Finite | PairBounds:
    """Read one column of a record: replacing the record may change its value into any other."""
    if isinstance(column, Response):
        return PairBounds(_response(column), _response(column))
    size = column.space.size
    if isinstance(column, Laplace) and size <= _MOST_STEPS:
        return PairBounds(*laplace_pairs(column.decay, size - 1))
    tabulable = isinstance(column, (Geometric, Table))
    if not tabulable or size * size * column.outputs.size > MOST_MASSES:
        return _by_claim(column, any_change(column))
    first, second = np.triu_indices(size, 1)
    return Finite.of(column.table(), np.stack([first, second], axis=1))


def _by_claim(mechanism: Mechanism, claim: Guarantee | None) -> PairBounds:
    """Read what a mechanism claims for its neighbors, once that is proven."""
    if claim is not None and (mechanism.space.neighbors == "replace" or claim == mechanism.claim):
        # Otherwise it was found for any change, from the formula or from the integers.
        prove(mechanism, claim)
    if claim is None:
        raise TooLargeError(
            f"{mechanism!r} has too many pairs of neighbors to compare all of them, and it "
            "claims no guarantee. Compose the Guarantee(epsilon, delta) that you know of it.",
            size=mechanism.space.size,
        )
    return PairBounds(TRIVIAL, extremal(claim.epsilon, claim.delta)[1])


def _refusal(part: object) -> str:
    return (
        f"compose() was given {type(part).__name__}; it takes finite mechanisms, "
        "Guarantee(epsilon, delta), ZeroConcentrated(rho), or a list of those."
    )
