"""Example 4: a random function is as private as its values at finitely many positions."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

import noisewright as nw
from noisewright.privacy.formulas.gaussian import gaussian_delta
from noisewright.report import loss_curves, save_chart
from papers.claims import Claim, Grid, Picture, Setting, judge

_LENGTH = 0.2
_EPSILON = 1.0


def normal_delta(mu: float, epsilon: float) -> float:
    """Return the least δ at ε of normal noise with shift / deviation = μ."""

    def below(x: float) -> float:
        return 0.5 * math.erfc(-x / math.sqrt(2))

    return below(mu / 2 - epsilon / mu) - math.exp(epsilon) * below(-mu / 2 - epsilon / mu)


def _difference(t: np.ndarray) -> np.ndarray:
    """Return the difference of the two answers: a slow wave."""
    return 0.5 + 0.3 * np.sin(2 * math.pi * t)


def _whole_path() -> float:
    """Return the norm of the difference in the Hilbert space of the kernel e^(−|s−t|/ℓ) on [0, 1].

    ‖h‖² = (h(0)² + h(1)²)/2 + (ℓ ∫h'² + ∫h²/ℓ)/2, with the integrals of a wave by hand.
    """
    ends = 0.5**2
    slope = (0.3 * 2 * math.pi) ** 2 / 2
    square = 0.5**2 + 0.3**2 / 2
    return math.sqrt(ends + (_LENGTH * slope + square / _LENGTH) / 2)


def example_4(setting: Setting) -> Claim:
    """δ of the values at k positions rises to δ of the whole path, and never passes it."""
    mu = _whole_path()
    limit = normal_delta(mu, _EPSILON)
    rows: list[dict[str, object]] = []
    table: list[list[object]] = []
    deltas: list[float] = []
    agree = True
    for doublings in setting.pick(range(11), range(8)):
        t = np.linspace(0, 1, 2**doublings + 1)
        covariance = np.exp(-np.abs(np.subtract.outer(t, t)) / _LENGTH)
        h = _difference(t)
        seen = math.sqrt(float(h @ np.linalg.solve(covariance, h)))
        delta = normal_delta(seen, _EPSILON)
        library = gaussian_delta(ratio=seen, epsilon=_EPSILON)
        agree &= abs(float(library.high) - delta) < 1e-9
        deltas.append(delta)
        rows.append({"positions": len(t), "looked at": "values at k positions", "δ": delta})
        rows.append({"positions": len(t), "looked at": "the whole function", "δ": limit})
        table.append([len(t), seen, delta, limit - delta])
    ours = nw.gaussian_process(
        nw.Curves(range(25), low=0, high=10), epsilon=1, delta="0.001", kernel="exponential"
    )
    nested = [[12], [0, 12, 24], [0, 6, 12, 18, 24], list(range(0, 25, 3))]
    projections = [found.delta for found in nw.curves.verify_projections(ours, nested)]
    proven = all(a <= b for a, b in pairwise(projections)) and projections[-1] <= 0.001
    rising = all(a <= b + 1e-12 for a, b in pairwise(deltas))
    below = all(delta <= limit + 1e-9 for delta in deltas)
    close = limit - deltas[-1] < setting.pick(1e-6, 1e-3)
    chart = loss_curves(
        [row for row in rows if int(str(row["positions"])) <= 33],
        x="positions",
        y="δ",
        color="looked at",
        y_title="least δ at ε = 1",
    )
    save_chart(chart, setting.out / "example-4.png")
    return Claim(
        "Example 4",
        "functions through finitely many positions",
        "A mechanism with values in C([0, 1]) is (ε, δ)-private if its values at any finitely many "
        "positions are: cylinder sets form an algebra that generates the Borel sets (Theorem 3).",
        "A path of the Gaussian process with covariance e^(−|s−t|/0.2) is added to an answer; two "
        "answers differ by 0.5 + 0.3 sin 2πt. Seen at k evenly spaced positions the δ at ε = 1 "
        f"rises with k to that of the whole function, {limit:.6f}, which is that of the norm of "
        f"the difference in the kernel's Hilbert space ({mu:.4f}); with {table[-1][0]} positions "
        f"it lacks {limit - deltas[-1]:.1e} and never passes it. `nw.curves.verify_projections` "
        "proves the same of the library's own process: a path claimed "
        "to be (1, 0.001)-private has δ = "
        + ", ".join(f"{delta:.1e}" for delta in projections)
        + " seen at 1, 3, 5 and 9 positions and everywhere, for two curves as far apart as a "
        "search finds.",
        judge(rising and below and close and agree and proven),
        grids=(Grid("Projections", ("positions", "shift / deviation", "δ", "missing"), table),),
        pictures=(
            Picture("example-4.png", "What finitely many positions show of the whole function."),
        ),
        numbers={"limit": limit, "finest": deltas[-1]},
    )


CLAIMS = {"example-4": example_4}
