"""Section 7.3: groups of people who each have the bit with probability p, released many times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from papers.claims import Setting
from papers.counts.experiment import (
    SEED,
    Errors,
    Measured,
    Score,
    beyond,
    binomial_groups,
    binomial_weights,
    observe,
    row_of,
)
from papers.counts.optima import for_l0, for_loss
from papers.counts.optimal_face import Range, faces

STRONG, WEAK = ALPHAS = ("10/11", "2/3")
"""The paper's 0.91 and 0.67: its list of typical values has 10/11 and 2/3."""

SIZES = (4, 8, 12)
BARS = (
    "Lines: exact, ties broken by L1. Shaded: the range over all optimal mechanisms. Points: "
    "simulated means with bars of one standard "
)


@lru_cache(maxsize=2048)
def errors_of(family: str, n: int, alpha: str, p: float, quick: bool) -> dict[str, Errors]:
    """Return the errors of five mechanisms on binomial groups; `family` is L0, L1 or L2."""
    repetitions, people = _amount(quick)
    truths = binomial_groups(n, p, people=people, repetitions=repetitions)
    mechanisms = for_l0(n, alpha) if family == "L0" else for_loss(n, alpha, family)
    weights = binomial_weights(n, p)
    free = faces(family, n, alpha)
    return {
        name: observe(
            m, truths, weights, seed=f"{SEED}/{family}/{n}/{alpha}/{p}/{name}", face=free.get(name)
        )
        for name, m in mechanisms.items()
    }


def _amount(quick: bool) -> tuple[int, int]:
    return (4, 1_200) if quick else (30, 10_000)


Cell = tuple[str, int, float]
"""α; n, or d where n is fixed; p."""

Ranges = dict[Cell, dict[str, Range]]


@dataclass(frozen=True)
class Measurements:
    """What a figure plots: rows for its chart, simulated means, and ranges over all optima."""

    rows: list[dict[str, Any]]
    measured: list[Measured]
    ranges: Ranges


def shares_of(setting: Setting) -> Sequence[float]:
    """Return the values of p."""
    return setting.pick([round(0.1 * k, 1) for k in range(1, 10)], [0.1, 0.5, 0.9])


def over_p(family: str, score: Score, setting: Setting) -> Measurements:
    """Measure a score for both α, each n and each p."""
    found = Measurements([], [], {})
    for alpha in ALPHAS:
        for n in SIZES:
            for p in shares_of(setting):
                for name, errors in errors_of(family, n, alpha, p, setting.quick).items():
                    one = errors.measure(score)
                    found.measured.append(one)
                    found.ranges.setdefault((alpha, n, p), {})[name] = one.over_optima
                    found.rows.append(row_of(one, α=alpha, n=n, p=p, mechanism=name))
    return found


def over_d(
    family: str, shares: Sequence[float], n: int, setting: Setting, power: int = 0
) -> Measurements:
    """Measure the mass more than d away, or its |error|^power; cells are (α, d, p)."""
    found = Measurements([], [], {})
    for p in shares:
        for alpha in ALPHAS:
            for d in range(n):
                for name, errors in errors_of(family, n, alpha, p, setting.quick).items():
                    one = errors.measure(beyond(d, power))
                    found.measured.append(one)
                    found.ranges.setdefault((alpha, d, p), {})[name] = one.over_optima
                    found.rows.append(row_of(one, α=alpha, n=n, p=p, d=d, mechanism=name))
    return found


def worded(setting: Setting) -> str:
    """Return how the data was made, as a sentence."""
    repetitions, people = _amount(setting.quick)
    return f"{people:,} people, {repetitions} repetitions, seed {SEED}; α = 10/11 and 2/3. "
