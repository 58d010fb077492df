"""Laws of gains: what decides how much a shuffled table gives away about one row.

**Hiding among blankets** (Balle, Bell, Gascón and Nissim 2019, Lemma 5.3). Let B(y) be at most
P(y | x) for every record x: with probability ΣB a row is drawn from B whatever its record is. Tell
the observer which of the other rows were not; the rest of them hide the row that differs. Its
records are a and b, and with u = P(y|a) / B(y), v = P(y|b) / B(y) the observer has

    δ(ε) = (1/n) E[max(0, G₁ + … + Gₙ)],   G = u − e^ε v with mass B(y), and 0 with the rest,

at most, and exactly that if all other rows have one record x and B = P(· | x). All gains have the
mean 1 − e^ε. If a law is larger in the convex order, so are its sums: δ grows (Jensen).

**Any ε₀-private row**, p = e^ε₀. B = max(P(·|a), P(·|b)) / p will do: splitting each output into a
part of ratio p and a part of ratio 1 gives the atoms (u, v) = (p, 1) and (1, p) with mass α each,
(p, p) with mass (1 − (p+1) α) / p, and 0. For 1 ≤ e^ε ≤ p the gains of (p, 1) and (1, p) enclose 0
and that of (p, p), so the law grows with α, up to 1/(p+1). This is the bound of "stronger clones"
(Feldman, McMillan and Talwar 2023): C ~ Bin(n − 1, 2/(p+1)).

**k-ary response**: (p, 1) and (1, p) with mass 1/(p+k−1) each, (1, 1) with (k−2)/(p+k−1), and 0.

**Blocks**: each record has a block of s of K outputs; those inside are likelier by r than those
outside, each of which has the probability c. B = c will do. Two blocks that share λ outputs give
(r, 1) and (1, r) with mass (s − λ) c each, (r, r) with λ c and (1, 1) with (K − 2 s + λ) c. A
smaller λ gives a larger law: the gains of (r, 1) and (1, r) enclose those of (r, r) and (1, 1), and
have the same sum. So the least λ of any two records counts, and records whose blocks agree are no
worse. If the record is drawn at random first, as one item of a set, then gains are means of those
of records, and Jensen's inequality applies. Blocks that are drawn beforehand, by hash functions or
as one of several parts, mix such laws: the largest of them is above all mixtures.

**One item of a padded set**, by k-ary response with ratio r, of M ≥ ℓ of K values: u is
1 + (r − 1) / M on the set, which is the mean over its parts of ℓ items of 1 + (r − 1) / ℓ on the
part. So the law is below that of blocks of s = ℓ outputs with the ratio (r + ℓ − 1) / ℓ and
λ = max(0, 2 ℓ − K).

**Bits**, of which that of the record is set with p and every other one with q < p. With
B = (1 − p) / (1 − q) times what bits have that are all set with q, u = R where the own bit is set
and 1 where it is not, R = p (1 − q) / (q (1 − p)). Of the mass of B, (R, 1) and (1, R) have
q (1 − q) each, (R, R) has q² and (1, 1) has (1 − q)².

**Columns** are independent: u, v and masses multiply. The records a and b may agree in a column.
With a response in it, that is no worse than if they differ: the gains p u − v and u − p v enclose
p (u − v) and u − v, and have the same sum, for any u, v ≥ 0 of the other columns. For the other
columns together, of which only an ε is used, the law is linear in α. So the largest of the two
bounds E[max(0, G − t)] at α = 0 and at α = 1/(p+1), for each t, belongs to a law that is above all.
A response with a larger p and as many labels has a larger law: the smaller p is a post-processing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, comb, prod

from noisewright.errors import InputError, NotPrivateError
from noisewright.exact import Epsilon
from noisewright.mechanisms import (
    ColumnProduct,
    Mechanism,
    PersonMechanism,
    Response,
    Table,
    any_change,
    epsilon_sum,
    require_mechanism,
)
from noisewright.privacy.shuffling.sums import Law
from noisewright.privacy.subject import essential

Atom = tuple[Fraction, Fraction, Fraction]
"""u, v, and the mass of the blanket there."""

_FixedAtom = tuple[int, int, int]
"""An atom in whole parts of 2^-128."""

BlockMasses = tuple[Fraction, Fraction, Fraction, Fraction]
"""r, and the masses of (r, 1), which (1, r) has too, of (r, r), and of (1, 1)."""

_BITS = 128
_MOST_ATOMS = 3000
_MOST_MASSES = 1 << 18
"""A table is looked through pair by pair while all its pairs have no more atoms."""


@dataclass(frozen=True)
class RowLaw:
    """What is used of a row mechanism: its responses and the ε of everything else, or its table."""

    responses: tuple[tuple[Fraction, int], ...] = ()
    """p = P(y|y) / P(y|x) and the number of labels, of each column that is a k-ary response."""
    rest: Epsilon = field(default_factory=Epsilon)
    """The ε of all other columns together, for any change of them."""
    table: tuple[tuple[int, ...], ...] = ()
    claimed: Epsilon | None = None
    """The ε for any change of a row that the mechanism was made for, if it is known."""
    blocks: tuple[BlockMasses, ...] = ()
    """The blocks of outputs of reports, of which the worst counts; nothing else is used then."""

    @property
    def reduction(self) -> str:
        """Which proof is used: "blocks", "table", "responses" (variation ratio) or "clones"."""
        if self.table or self.blocks:
            return "table" if self.table else "blocks"
        return "responses" if self.responses else "clones"

    @property
    def epsilon(self) -> Epsilon:
        """The ε of one row in kept order, for any change of it."""
        if self.claimed is not None:
            return self.claimed
        if self.table:
            columns = list(zip(*self.table, strict=True))
            return Epsilon.log(max(Fraction(max(c), min(c)) for c in columns if any(c))).brief()
        if self.blocks:
            return Epsilon.log(max(one[0] for one in self.blocks)).brief()
        return epsilon_sum([self.rest, *(Epsilon.log(p) for p, _ in self.responses)])

    @cached_property
    def atoms(self) -> list[list[Atom]]:
        """The laws of (u, v), of which one is the worst for each purpose."""
        if self.table:
            return list(_pairs_of(self.table))
        if self.blocks:
            return [_atoms_of(*masses) for masses in self.blocks]
        columns = _columns_of(self.responses)
        if self.rest.is_zero:
            return [_in_fractions(columns)]
        p = Fraction(self.rest.ratio_bounds(_BITS)[1], 1 << _BITS)
        half = 1 / (p + 1)
        apart: list[Atom] = [(p, Fraction(1), half), (Fraction(1), p, half)]
        if not self.responses:
            return [apart]
        together: list[Atom] = [(p, p, 1 / p)]
        return [_in_fractions(_times(columns, other)) for other in (apart, together)]


def block_masses(ratio: Fraction, outputs: int, inside: int, shared: int) -> BlockMasses:
    """Return the law of blocks of so many of all outputs, any two of which share so many or more.

    Requires: ratio ≥ 1, how much likelier outputs inside are than those outside.
    """
    outside = 1 / (ratio * inside + outputs - inside)
    apart, neither = inside - shared, outputs - 2 * inside + shared
    return ratio, apart * outside, shared * outside, neither * outside


def bit_masses(present: Fraction, absent: Fraction) -> BlockMasses:
    """Return the law of bits, the own one set with probability `present`, others with `absent`."""
    ratio = present * (1 - absent) / (absent * (1 - present))
    mass = (1 - present) / (1 - absent)
    return ratio, mass * absent * (1 - absent), mass * absent**2, mass * (1 - absent) ** 2


def _atoms_of(ratio: Fraction, apart: Fraction, both: Fraction, neither: Fraction) -> list[Atom]:
    """Return the atoms of blocks, which are exact."""
    one = Fraction(1)
    found = [(ratio, one, apart), (one, ratio, apart), (ratio, ratio, both), (one, one, neither)]
    return [atom for atom in found if atom[2]]


def gains(atoms: Sequence[Atom], power: Fraction) -> Law:
    """Return the law of G = u − E v."""
    return [(u - power * v, mass) for u, v, mass in atoms]


def row_law(mechanism: Mechanism) -> RowLaw:
    """Return what is used of a row mechanism.

    Requires: ε-private for *any* change of the record, with δ = 0.
    """
    require_mechanism(mechanism)
    part = essential(mechanism)
    if part is not mechanism or isinstance(part, PersonMechanism):
        raise InputError(
            f"{mechanism!r} sanitizes several rows; give the mechanism of one row, and say with "
            "rows= how many there are."
        )
    if isinstance(part, Table) and _response_of(part) is None:
        rows = tuple(tuple(int(w) for w in row) for row in part.weights.tolist())
        pure = _require_pure(part)
        if len(rows) ** 2 * len(rows[0]) > _MOST_MASSES:
            return RowLaw(rest=pure)
        return RowLaw(table=rows, claimed=pure)
    claim = any_change(part)
    claimed = claim.epsilon if claim is not None and not claim.delta else None
    responses: list[tuple[Fraction, int]] = []
    rest: list[Epsilon] = []
    for column in _columns(part):
        response = _response_of(column)
        if response is None:
            rest.append(_require_pure(column))
        elif response[1] > 1:
            responses.append(response)
    return RowLaw(tuple(sorted(responses)), epsilon_sum(rest) if rest else Epsilon(), (), claimed)


def _columns(mechanism: Mechanism) -> Iterator[Mechanism]:
    if isinstance(mechanism, ColumnProduct):
        for _, inner in mechanism.columns:
            yield from _columns(inner)
    else:
        yield mechanism


def _response_of(column: Mechanism) -> tuple[Fraction, int] | None:
    """Return p and the number of labels of a k-ary response, also of one that is a table."""
    if isinstance(column, Response):
        own, other, _ = column.masses()
        return (Fraction(own, other), column.space.size) if other else None
    if not isinstance(column, Table) or column.outputs.size != column.space.size:
        return None
    size, weights = column.space.size, column.weights
    own, other = int(weights[0][0]), int(weights[0][size - 1])
    alike = (weights.diagonal() == own).all() and (weights == other).sum() >= size * (size - 1)
    return (Fraction(own, other), size) if alike and own >= other > 0 else None


def _require_pure(column: Mechanism) -> Epsilon:
    """Return the ε for any change of a column, with δ = 0."""
    claim = any_change(column)
    if claim is None:
        raise NotPrivateError(
            f"{column!r} has no epsilon for replacing a record by any other, which shuffling "
            "needs. Use a mechanism whose outputs are possible for every input."
        )
    if claim.delta:
        raise InputError(
            f"{column!r} has {claim}; shuffling needs row mechanisms with delta=0, because delta "
            "would count once for each of the rows. Use one with a pure epsilon."
        )
    return claim.epsilon


def _columns_of(responses: Sequence[tuple[Fraction, int]]) -> list[_FixedAtom]:
    """Return the atoms of several responses, those with equal p together."""
    ratios = [Fraction(ceil(p * (1 << _BITS)), 1 << _BITS) for p, _ in responses]
    while prod(comb(ratios.count(p) + 2, 2) for p in set(ratios)) > _MOST_ATOMS:
        # The two that are nearest become one, the larger: that only adds to what is seen.
        near, above = min(pairwise(sorted(set(ratios))), key=lambda pair: pair[1] / pair[0])
        ratios = [above if p == near else p for p in ratios]
    atoms: list[_FixedAtom] = [(1 << _BITS, 1 << _BITS, 1 << _BITS)]
    for p, (_, labels) in zip(ratios, responses, strict=True):
        one, mass = Fraction(1), 1 / (p + labels - 1)
        column = [(p, one, mass), (one, p, mass)]
        atoms = _times(atoms, [*column, (one, one, (labels - 2) * mass)] if labels > 2 else column)
    return atoms


def _times(left: Sequence[_FixedAtom], right: Sequence[Atom]) -> list[_FixedAtom]:
    """Return the atoms of two independent parts; those that meet are added up."""
    masses: dict[tuple[int, int], int] = {}
    parts = [[value.as_integer_ratio() for value in atom] for atom in right]
    for u, v, mass in left:
        for (x, x_below), (y, y_below), (other, other_below) in parts:
            # u is rounded up and v down, masses up: more is seen, never less.
            at = -(-u * x // x_below), v * y // y_below
            masses[at] = masses.get(at, 0) - (-mass * other // other_below)
    return [(u, v, mass) for (u, v), mass in masses.items()]


def _in_fractions(atoms: Sequence[_FixedAtom]) -> list[Atom]:
    below = 1 << _BITS
    return [(Fraction(u, below), Fraction(v, below), Fraction(mass, below)) for u, v, mass in atoms]


def _pairs_of(rows: Sequence[Sequence[int]]) -> Iterator[list[Atom]]:
    """Return the atoms of every two rows of a table, in both orders; equal laws once."""
    total = sum(rows[0])
    blanket = [min(column) for column in zip(*rows, strict=True)]
    seen: set[tuple[tuple[int, int, int], ...]] = set()
    for a in rows:
        for b in rows:
            law = tuple(sorted((x, y, z) for x, y, z in zip(a, b, blanket, strict=True) if z))
            if a is not b and law not in seen:
                seen.add(law)
                yield [(Fraction(x, z), Fraction(y, z), Fraction(z, total)) for x, y, z in law]
