"""The mechanisms of the paper, each designed and proven once per run.

WM is two things in the paper: Section 7.1 defines it as WH + RM + CM, while Figures 6 and 9 and
the word "converges" fit WH alone. Here WM is the former and WH the latter.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

import noisewright as nw

WM = ("WH", "RM", "CM")
SAME = 1e-9
"""Losses closer than this are taken as equal; designs are proven to about 1e-12."""


@lru_cache(maxsize=4096)
def best(
    n: int, alpha: str, loss: str = "L0", properties: tuple[str, ...] = ()
) -> nw.results.Design:
    """Return the proven optimum for a uniform prior."""
    return nw.design(nw.Counts(n), alpha=alpha, loss=loss, properties=properties)


@lru_cache(maxsize=65536)
def value(
    n: int, alpha: str, loss: str = "L0", properties: tuple[str, ...] = ()
) -> nw.results.Design:
    """Return a proven optimum without breaking ties, for those who need only its loss."""
    return nw.design(nw.Counts(n), alpha=alpha, loss=loss, properties=properties, tie_break=None)


def score(n: int, alpha: str, properties: tuple[str, ...] = ()) -> float:
    """Return the least rescaled L0: (n + 1)/n times the probability of a wrong answer."""
    return value(n, alpha, "L0", properties).loss * (n + 1) / n


def same(one: nw.results.Design, other: nw.results.Design) -> bool:
    """Whether two optima have the same loss, as far as their proofs can tell."""
    return max(one.bound, other.bound) <= min(one.loss, other.loss) + SAME


def closed_sets() -> list[tuple[str, ...]]:
    """Return the sets of properties that contain what they imply; all 128 come down to these."""
    codes = ("RH", "RM", "CH", "CM", "F", "WH", "S")
    found: set[tuple[str, ...]] = set()
    for mask in range(1 << len(codes)):
        held = {code for bit, code in enumerate(codes) if mask >> bit & 1}
        size = -1
        while size != len(held):
            size = len(held)
            held |= {"RH"} if "RM" in held or {"F", "CH"} <= held else set()
            held |= {"CH"} if "CM" in held or {"F", "RH"} <= held else set()
            held |= {"WH"} if "CH" in held else set()
        found.add(tuple(code for code in codes if code in held))
    return sorted(found, key=lambda one: (len(one), one))


def for_l0(n: int, alpha: str) -> dict[str, nw.Mechanism]:
    """Return the five mechanisms of Figures 9 to 14."""
    return {
        "GM": nw.geometric(nw.Counts(n), alpha=alpha),
        "WH": best(n, alpha, "L0", ("WH",)).mechanism,
        "WM": best(n, alpha, "L0", WM).mechanism,
        "EM": nw.explicit_fair(nw.Counts(n), alpha=alpha),
        "UM": nw.uniform(nw.Counts(n)),
    }


def for_loss(n: int, alpha: str, loss: str) -> dict[str, nw.Mechanism]:
    """Return the five mechanisms of Figures 15 to 18, optimal for L1 or L2."""
    return {
        "UCM": best(n, alpha, loss).mechanism,
        "WH": best(n, alpha, loss, ("WH",)).mechanism,
        "FM": best(n, alpha, loss, ("F",)).mechanism,
        "AM": best(n, alpha, loss, ("all",)).mechanism,
        "UM": nw.uniform(nw.Counts(n)),
    }


def away(n: int) -> NDArray[np.int64]:
    """Return |i − j| for each input (row) and output (column)."""
    points = np.arange(n + 1)
    return np.abs(points[:, None] - points)


def costs(n: int, loss: str, prior: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Return the weighted costs of L0, L0,1, L1 or L2 for the plain program."""
    power = {"L0": away(n) > 0, "L0,1": away(n) > 1, "L1": away(n), "L2": away(n) ** 2}[loss]
    weights = np.full(n + 1, 1 / (n + 1)) if prior is None else prior
    return np.asarray(weights[:, None] * power, dtype=float)
