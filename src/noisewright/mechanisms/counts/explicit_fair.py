"""The explicit fair mechanism (EM): every count is reported truthfully with the same probability.

Every row is a permutation of the levels y, yα, yα, yα², yα², … (17). Cormode–Kulkarni–
Srivastava 2018, Theorem 6: best for L0 among fair mechanisms, with all seven properties. For
odd n the last level stands once, so y = (1−α) / ((1+α)(1−α^((n+1)/2))): the paper prints only
the even case, whose y would leave odd rows short of 1.
"""

from __future__ import annotations

from operator import mul

import numpy as np

from noisewright.exact import Epsilon, Number
from noisewright.mechanisms.counts.geometric import require_counts
from noisewright.mechanisms.decay import (
    decay_for,
    positive_epsilon,
    rational_alpha,
    require_gentle,
)
from noisewright.mechanisms.guarantee import Guarantee
from noisewright.mechanisms.mechanism import require_tabulable
from noisewright.mechanisms.table import Table
from noisewright.public import public
from noisewright.spaces import Counts


@public
def explicit_fair(
    space: Counts,
    *,
    epsilon: Number | Epsilon | None = None,
    alpha: Number | None = None,
) -> Table:
    """Return the explicit fair mechanism on counts 0..n.

    Requires: epsilon > 0 (or 0 < alpha < 1), neighbors that are adjacent counts (or "metric",
    which asks for the same).
    Ensures: ε-private, no smaller ε holds (to a relative 2^-56), and the table itself, not
    only its ideal, has all seven properties RH RM CH CM F WH S. At a rational α, as with
    alpha="10/11", it is exactly the ideal, unless the total would need more than 4,096 bits.
    Source: Cormode–Kulkarni–Srivastava 2018, Theorem 6, corrected for odd n.
    """
    require_counts(space, "explicit_fair")
    read = positive_epsilon(epsilon, alpha, instead="Use nw.uniform(space) for that.")
    require_tabulable(space, space, instead="Use a smaller n, or geometric(), which has a formula.")
    n = space.n
    deepest = (n + 1) // 2
    # How often each level stands in a row: once, twice …, and once again at the end if n is odd.
    often = [1] + [2] * deepest
    if n % 2:
        often[-1] = 1
    exact = rational_alpha(read, power=deepest, entries=space.size**2)
    if exact is None:
        levels = _rounded_levels(space, read, often)
    else:
        a, b = exact
        levels = [a**t * b ** (deepest - t) for t in range(deepest + 1)]
    require_gentle(levels, read)
    return Table(
        space,
        np.array(levels, dtype=object)[_level_of(n)],
        total=sum(map(mul, often, levels)),
        claim=Guarantee(read),
        name="explicit fair mechanism",
    )


def _rounded_levels(space: Counts, epsilon: Epsilon, often: list[int]) -> list[int]:
    """Return the levels for a total of 2^k; the truth takes up what rounding leaves."""
    decay = decay_for(epsilon, length=len(often) - 1, outputs=space.size)
    total = decay.total - space.size * decay.floor
    ideal = sum(map(mul, often, decay.powers))
    levels = [total * power // ideal for power in decay.powers]
    levels[0] = total - sum(map(mul, often[1:], levels[1:]))
    return [level + decay.floor for level in levels]


def _level_of(n: int) -> np.ndarray[tuple[int, int], np.dtype[np.intp]]:
    """Return the power of α in each entry, formula (17), rows being inputs here."""
    inputs = np.arange(n + 1)[:, None]
    away = np.abs(np.arange(n + 1)[None, :] - inputs)
    room = np.minimum(inputs, n - inputs)
    return np.where(away < room, away, (away + room + 1) // 2)
