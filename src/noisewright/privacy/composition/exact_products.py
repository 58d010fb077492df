"""Exact products of pairs: the composition of finite mechanisms without any rounding.

The k-fold product of a pair with t atoms of finite loss has one atom for each multiset of k
of them, with a multinomial weight; atoms whose ratios are equal as rational numbers are
merged. Equality is decided in a *coprime base*: pairwise coprime integers b_1, b_2, … such
that every ratio is a product of their powers. Such a factorization is unique, so two ratios
are equal exactly if their exponents are, and comparing long fractions is never needed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from noisewright.exact import log_bounds
from noisewright.privacy.composition.pairs import Atom, Pair

Factor = tuple[Pair, int]
"""A pair and how many times it occurs."""

MOST_ATOMS = 200_000
MOST_BITS = 300_000_000
"""Beyond these sizes a product is not expanded exactly: 200,000 atoms, about 40 MB."""


def expanded_size(factors: Sequence[Factor]) -> int | None:
    """Return about how many atoms the exact product has; None when it is too large."""
    atoms = 1
    bits = 0
    for pair, times in factors:
        kinds = len(pair.finite)
        bits += times * pair.total.bit_length()
        if kinds > 1:
            # At least the smaller of `times` and `kinds` atoms: cheap to tell before the rest.
            if min(times, kinds - 1) > 20 and max(times, kinds - 1) > MOST_ATOMS:
                return None
            atoms *= math.comb(times + kinds - 1, min(kinds - 1, times))
        if atoms > MOST_ATOMS or 2 * atoms * bits > MOST_BITS:
            return None
    return atoms


def product(factors: Sequence[Factor]) -> tuple[list[Atom], int]:
    """Return the atoms of a product of powers of pairs, largest ratio first, and its total.

    Ensures: exact. Atoms (p, q) with p > 0, merged by ratio; the first one may have q = 0.
    What is left of Q up to the total is the mass of outputs that P never has.
    """
    total = 1
    clean = 1
    for pair, times in factors:
        total *= pair.total**times
        clean *= (pair.total - pair.certain) ** times
    given_away = total - clean
    bits = 192
    while True:
        atoms = _sorted_product(factors, bits)
        if atoms is not None:
            return ([(given_away, 0), *atoms] if given_away else atoms), total
        bits *= 2


def coprime_base(numbers: Sequence[int]) -> list[int]:
    """Return pairwise coprime integers > 1 whose powers make up all of the given ones.

    Requires: positive integers. Ensures: each is a product of powers of the result.
    """
    base: list[int] = []
    waiting = list(set(numbers))
    while waiting:
        number = waiting.pop()
        if number == 1:
            continue
        for index, known in enumerate(base):
            shared = math.gcd(number, known)
            if shared > 1:
                del base[index]
                waiting += [number // shared, known // shared, shared]
                break
        else:
            base.append(number)
    return sorted(base)


@dataclass(frozen=True)
class _Labeled:
    """An atom with its ratio twice over: as a key that is exact, as a logarithm that sorts."""

    key: int
    log: int
    p: int
    q: int

    def times(self, other: _Labeled) -> _Labeled:
        return _Labeled(
            self.key + other.key, self.log + other.log, self.p * other.p, self.q * other.q
        )


_ONE = _Labeled(0, 0, 1, 1)


def _sorted_product(factors: Sequence[Factor], bits: int) -> list[Atom] | None:
    """Expand, merge and sort; None when `bits` do not tell all the ratios apart.

    Distinct keys are distinct ratios, so enough bits always exist.
    """
    base = coprime_base([n for pair, _ in factors for atom in pair.finite for n in atom])
    logs = [log_bounds(Fraction(element), bits)[0] for element in base]
    exponents = {
        atom: _exponents(atom, base) for pair, times in factors if times for atom in pair.finite
    }
    depth = max((abs(e) for vector in exponents.values() for e in vector), default=0)
    times_in_all = sum(times for _, times in factors)
    # Digits of a mixed sign in a radix this large cannot carry into each other.
    radix = 2 * depth * times_in_all + 1
    merged = {0: _ONE}
    for pair, times in factors:
        atoms = [
            _Labeled(
                sum(e * radix**place for place, e in enumerate(exponents[atom])),
                sum(e * log for e, log in zip(exponents[atom], logs, strict=True)),
                *atom,
            )
            for atom in (pair.finite if times else ())
        ]
        power = _power(atoms, times)
        merged = _merge([a.times(b) for a in merged.values() for b in power.values()])
    falling = sorted(merged.values(), key=lambda atom: atom.log, reverse=True)
    # Each logarithm of the base is below the truth by at most one unit.
    slack = 2 * depth * times_in_all * len(base)
    if any(a.log - b.log <= slack for a, b in pairwise(falling)):
        return None
    return [(atom.p, atom.q) for atom in falling]


def _exponents(atom: Atom, base: Sequence[int]) -> list[int]:
    """Factor the ratio p/q in a coprime base."""
    p, q = atom
    result: list[int] = []
    for element in base:
        power = 0
        while p % element == 0:
            p //= element
            power += 1
        while q % element == 0:
            q //= element
            power -= 1
        result.append(power)
    return result


def _merge(atoms: Sequence[_Labeled]) -> dict[int, _Labeled]:
    result: dict[int, _Labeled] = {}
    for atom in atoms:
        same = result.get(atom.key)
        if same is not None:
            atom = _Labeled(atom.key, atom.log, same.p + atom.p, same.q + atom.q)
        result[atom.key] = atom
    return result


def _power(atoms: Sequence[_Labeled], times: int) -> dict[int, _Labeled]:
    """Expand (Σ atoms)^times, one atom for each multiset, and merge."""
    if times == 0:
        return {0: _ONE}
    if len(atoms) < 2:
        return _merge([_powers(atom, times)[-1] for atom in atoms])
    *others, a, b = atoms
    powers = [_powers(atom, times) for atom in others]
    endings = _powers(b, times)
    leaves: list[_Labeled] = []

    def extend(index: int, left: int, so_far: _Labeled) -> None:
        if index < len(powers):
            for count in range(left + 1):
                ways = math.comb(left, count)
                step = powers[index][count]
                chosen = _Labeled(step.key, step.log, ways * step.p, ways * step.q)
                extend(index + 1, left - count, so_far.times(chosen))
            return
        # comb(left, n) a^n b^(left − n) for all n: each from the one before by short factors,
        # since multiplying two long powers for each n would cost far more.
        leaf = so_far.times(endings[left])
        leaves.append(leaf)
        for n in range(left):
            leaf = _Labeled(
                leaf.key + a.key - b.key,
                leaf.log + a.log - b.log,
                leaf.p * (a.p * (left - n)) // (b.p * (n + 1)),
                leaf.q * (a.q * (left - n)) // (b.q * (n + 1)),
            )
            leaves.append(leaf)

    extend(0, times, _ONE)
    return _merge(leaves)


def _powers(atom: _Labeled, times: int) -> list[_Labeled]:
    result = [_ONE]
    for _ in range(times):
        result.append(result[-1].times(atom))
    return result
