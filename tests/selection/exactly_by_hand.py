"""The laws from their definitions, in decimals of 50 digits: nothing of the library takes part."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

from tests.exact.decimals import as_decimal, precise

CONTEXT = precise(60)


def power(x: Fraction) -> Fraction:
    return Fraction(CONTEXT.exp(as_decimal(x, CONTEXT)))


def by_powers(qualities: Sequence[Fraction], factor: Fraction) -> list[Fraction]:
    """P(y) = e^(factor q_y) / Σ e^(factor q_z)."""
    masses = [power(factor * quality) for quality in qualities]
    return [mass / sum(masses) for mass in masses]


def by_coins(qualities: Sequence[Fraction], factor: Fraction) -> list[Fraction]:
    """Permute and flip: through every order, until a coin comes up."""
    coins = [power(factor * (quality - max(qualities))) for quality in qualities]
    found = [Fraction(0)] * len(coins)
    orders = list(permutations(range(len(coins))))
    for order in orders:
        left = Fraction(1)
        for y in order:
            found[y] += left * coins[y] / len(orders)
            left *= 1 - coins[y]
    return found
