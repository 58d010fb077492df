"""What is said of keys, against two tables of which one has a person more, or another one."""

import itertools
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from tests.mutants.unit_truth import NOISE, Masses, UnjudgedError, UntrueError, excess

UNIT = re.compile(
    r"for (adding or removing|replacing) (?:all rows|the row) of one person(?: by any others?)?"
)
MOST_COINS, MOST_OUTPUTS, MOST_TABLES = 4, 3_000, 200

People = tuple[tuple[int, int], ...]
"""For each key that changes, how many people have it before and after."""


def require_keys(mechanism: Any, words: str, epsilon: Decimal, delta: Decimal) -> None:
    """Change the number of people of every key that one person can change."""
    unit, section = UNIT.fullmatch(words), mechanism["selection"]
    if unit is None:
        raise UntrueError(f"keys are about all rows of one person: {words}")
    total = Decimal(2) ** section["log2_total"]
    chances = [int(coin, 16) / total for coin in section["coins"]]
    chances.append(chances[-1])  # of one person more
    if chances[0] != 0 or max(chances) > 1:
        raise UntrueError("a key that nobody has may be kept, or a chance is none")
    groups = section["groups"]
    if groups * (1 + (unit[1] == "replacing")) > MOST_COINS:
        raise UnjudgedError
    for moves in itertools.islice(_changes(len(chances), groups, unit[1]), MOST_TABLES):
        joint: Masses = [(Decimal(1), Decimal(1))]
        for before, after in moves:
            p, q = chances[before], chances[after]
            joint = [(a * x, b * y) for a, b in joint for x, y in ((p, q), (1 - p, 1 - q))]
            if len(joint) > MOST_OUTPUTS:
                raise UnjudgedError
        if excess(joint, epsilon.exp()) > delta + NOISE:
            raise UntrueError(f"keys of {moves} people need more than delta {delta}")


def _changes(size: int, groups: int, change: str) -> Iterator[People]:
    """Yield what one person can do; first the same change to all of their keys."""
    more = [(n, n + 1) for n in range(size - 1)]
    less = [(b, a) for a, b in more]
    if change == "replacing":
        sides = [(less, groups), (more, groups)]
        yield from ((*[x] * groups, *[y] * groups) for x in less for y in more)
    else:
        sides = [(more, groups)]
        yield from ((x,) * groups for x in more + less)
    yield from itertools.product(*(one for one, often in sides for _ in range(often)))
