"""Synthetic tables of baskets and of curves: how far pairs of items and mean curves are off.

    python -m benchmarks.synthesis_kinds [folder] [--runs 3] [--items 40] [--only baskets]

All with delta = 1e-9, neighbors replace one basket, or one day. "baskets": the most frequent items
of groceries.csv and retail.dat (which ones they are is read off the data here, as nobody may do who
promises privacy), a set in each row; the mean over all pairs of items of the sum of |share − true
share| over the four cells, for weights of points and for a graph of columns. "curves": the days of
sa_electricity_demand_3556x48.csv in 7 coefficients of a Fourier basis; the root mean squared error
of the mean curve and of the deviation at each half hour, in parts of the declared range, and what
the basis alone loses of a curve.
The files are those of the R packages arules (Groceries) and fds (sa electricity demand), and
retail.dat of the FIMI repository.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import noisewright as nw

DELTA = 1e-9
EPSILONS = (0.1, 1.0, 10.0)
PLACES = (Path("../shared/data"), Path("data"))
BASKETS = {"groceries.csv": ",", "retail.dat": None}
DEMAND = "sa_electricity_demand_3556x48.csv"
LOW, HIGH, COEFFICIENTS = 600, 3_600, 7


def baskets_in(path: Path, separator: str | None, items: int) -> tuple[Any, list[str]]:
    """Return a table with one set in each row, of the most frequent items alone."""
    rows = [set(line.strip().split(separator)) for line in path.read_text().splitlines()]
    usual = [item for item, _ in Counter(i for row in rows for i in row).most_common(items)]
    kept = [[item for item in usual if item in row] for row in rows]
    return pa.table({"basket": pa.array(kept, pa.list_(pa.string()))}), usual


def pairs_of(table: Any, items: Sequence[str]) -> NDArray[np.float64]:
    """Return the shares of the four cells of each pair of items."""
    held = np.zeros((table.num_rows, len(items)))
    place = {item: number for number, item in enumerate(items)}
    for row, basket in enumerate(table["basket"].to_pylist()):
        held[row, [place[item] for item in basket]] = 1
    both, alone = held.T @ held / len(held), held.mean(axis=0)
    first, second = np.triu_indices(len(items), 1)
    a, b, two = alone[first], alone[second], both[first, second]
    return np.stack([two, a - two, b - two, 1 - a - b + two])


def basket_error(table: Any, items: Sequence[str], epsilon: float, inference: Any) -> float:
    """Return the mean error of all pairs of items in one synthetic table."""
    made = nw.synthesize(
        table,
        {"basket": nw.Subsets(items)},
        epsilon=epsilon,
        delta=DELTA,
        ledger=None,
        method=nw.planning.Method(inference=inference),
    )
    gaps = np.abs(pairs_of(made.table, items) - pairs_of(table, items))
    return float(gaps.sum(axis=0).mean())


def curve_errors(days: NDArray[np.float64], epsilon: float) -> tuple[float, float]:
    """Return the errors of the mean curve and of the deviations, in parts of the range."""
    space = nw.Curves(range(days.shape[1]), low=LOW, high=HIGH)
    column = nw.Column(space, outside="clamp", basis="fourier", coefficients=COEFFICIENTS)
    made = nw.synthesize(
        {"day": list(days)}, {"day": column}, epsilon=epsilon, delta=DELTA, ledger=None
    )
    drawn = np.array(made.table["day"].to_pylist())
    gaps = (drawn.mean(axis=0) - days.mean(axis=0), drawn.std(axis=0) - days.std(axis=0))
    mean, spread = (float(np.sqrt((gap**2).mean())) / (HIGH - LOW) for gap in gaps)
    return mean, spread


def basis_loss(days: NDArray[np.float64]) -> float:
    """Return what the basis alone loses of a usual curve, in parts of the range."""
    from noisewright.curves import in_basis

    space = nw.Curves(range(days.shape[1]), low=LOW, high=HIGH)
    shapes = in_basis(space, "fourier", COEFFICIENTS).functions.at(space.positions)
    near, *_ = np.linalg.lstsq(shapes, days.T, rcond=None)
    return float(np.sqrt(((shapes @ near - days.T) ** 2).mean())) / (HIGH - LOW)


def main() -> int:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, help="the folder with the files")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--items", type=int, default=40)
    parser.add_argument("--only", choices=["baskets", "curves"])
    given = parser.parse_args()
    folder = given.folder or next((place for place in PLACES if place.exists()), None)
    if folder is None:
        print(
            "Give the folder that has groceries.csv, retail.dat and the demand of South Australia."
        )
        return 2
    print("| what | epsilon | mean | from | to |\n|---|---|---|---|---|", flush=True)

    def show(what: str, epsilon: float, found: Sequence[float]) -> None:
        ends = f"{min(found):.4f} | {max(found):.4f}"
        print(f"| {what} | {epsilon:g} | {np.mean(found):.4f} | {ends} |", flush=True)

    for name, separator in BASKETS.items() if given.only != "curves" else ():
        table, items = baskets_in(folder / name, separator, given.items)
        for epsilon in EPSILONS:
            for inference in ("points", "graph"):
                errors = [basket_error(table, items, epsilon, inference) for _ in range(given.runs)]
                show(f"{name}, {inference}", epsilon, errors)
    if given.only != "baskets":
        days = np.loadtxt(folder / DEMAND, delimiter=",")
        print(f"| the basis alone | | {basis_loss(days):.4f} | | |", flush=True)
        for epsilon in EPSILONS:
            found = [curve_errors(days, epsilon) for _ in range(given.runs)]
            show("mean curve", epsilon, [mean for mean, _ in found])
            show("deviations", epsilon, [spread for _, spread in found])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
