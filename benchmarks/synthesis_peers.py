"""Synthetic tables of Adult by AIM and MST, as dpmm packages them.

    .venv-peers/bin/python benchmarks/synthesis_peers.py path/of/adult.data --method mst
        [--epsilon 1] [--runs 1] [--model-size 80] [--rounds 144] [--iterations 1000]

Needs dpmm in the environment of the peers: .venv-peers/bin/pip install dpmm. Prints the mean over
all pairs of the 9 columns of categories of the sum of |share − true share|, as
benchmarks/synthesis_budgets.py does, the seconds and the most memory.

dpmm's neighbors add or remove one row; ours replace one, which changes a table of counts by √2 as
much (in L2). So it gets the ε at which its ρ is half of what ours has: its counts then have the
noise that our relation requires. Its choices, whose scores change by twice as much, would have to
be noisier than they are: the comparison favors the peer.

--model-size is AIM's limit of the junction tree in MB (80 for official comparisons, which may take
hours), --rounds how many rounds its budget is divided into (16 for each column if left out), and
--iterations the steps of each fit.
"""

from __future__ import annotations

import argparse
import csv
import resource
import time
from importlib.metadata import PackageNotFoundError, version
from itertools import combinations
from typing import Any

import numpy as np

PLACES = {
    "workclass": 1,
    "education": 3,
    "marital-status": 5,
    "occupation": 6,
    "relationship": 7,
    "race": 8,
    "sex": 9,
    "native-country": 13,
    "income": 14,
}
DELTA = 1e-9


def codes(path: str) -> dict[str, Any]:
    """Return the columns as whole numbers; labels are those that occur."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file, skipinitialspace=True) if len(row) == 15]
    return {
        name: np.unique([row[place] for row in rows], return_inverse=True)[1]
        for name, place in PLACES.items()
    }


def mean_error(made: Any, true: dict[str, Any]) -> float:
    """Return the mean error of a pair."""
    errors: list[float] = []
    for one, two in combinations(true, 2):
        size = int(true[two].max()) + 1
        cells = (int(true[one].max()) + 1) * size
        shares = [
            np.bincount(np.asarray(table[one]) * size + np.asarray(table[two]), minlength=cells)
            / len(table[one])
            for table in (made, true)
        ]
        errors.append(float(np.abs(shares[0] - shares[1]).sum()))
    return float(np.mean(errors))


def matching_epsilon(epsilon: float) -> float:
    """Return the ε at which the peer's ρ is half of that of this ε."""
    from dpmm.models.base.mechanisms.cdp2adp import cdp_rho  # pyright: ignore[reportMissingImports]

    wanted = cdp_rho(epsilon, DELTA) / 2
    low, high = 0.0, float(epsilon)
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if cdp_rho(middle, DELTA) < wanted else (low, middle)
    return low


def main() -> int:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("path", help="the file adult.data")
    parser.add_argument("--method", choices=["aim", "mst"], default="mst")
    parser.add_argument("--epsilon", type=float, default=1)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--model-size", type=float, default=80)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--iterations", type=int, default=1000)
    given = parser.parse_args()
    try:
        found = version("dpmm")
    except PackageNotFoundError:
        print("dpmm is not installed here. Run: .venv-peers/bin/pip install dpmm")
        return 2
    import pandas as pd  # pyright: ignore[reportMissingImports]
    from dpmm.models.aim import AIMGM  # pyright: ignore[reportMissingImports]
    from dpmm.models.mst import MSTGM  # pyright: ignore[reportMissingImports]

    true = codes(given.path)
    domain = {name: int(values.max()) + 1 for name, values in true.items()}
    epsilon = matching_epsilon(given.epsilon)
    for _ in range(given.runs):
        start, draw = time.process_time(), np.random.RandomState()
        usual: Any = {"domain": domain, "random_state": draw, "n_jobs": 1, "compress": True}
        usual |= {"epsilon": epsilon, "delta": DELTA, "n_iters": given.iterations}
        limits: Any = {"max_model_size": given.model_size, "rounds": given.rounds}
        model: Any = AIMGM(**usual, **limits) if given.method == "aim" else MSTGM(**usual)
        model.fit(pd.DataFrame(true))
        made = model.generate(len(true["sex"]))
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        seconds, error = time.process_time() - start, mean_error(made, true)
        settings = f", {given.model_size:g} MB, rounds {given.rounds}"
        print(
            f"dpmm {found}, {given.method}, epsilon {epsilon:.4f} (add or remove one row) for "
            f"{given.epsilon:g} (replace one), {given.iterations} steps"
            + (settings if given.method == "aim" else "")
            + f": pairs {error:.4f}, {seconds:.0f} s, {most} MB",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
