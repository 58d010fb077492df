"""Synthetic tables of Adult by AIM and MST, as dpmm packages them, and by us.

    .venv-dpmm/bin/python benchmarks/synthesis_peers.py path/of/adult.data --method aim
        [--epsilon 1] [--runs 1] [--model-size 80] [--rounds 144] [--degree 2] [--iterations 1000]
    .venv/bin/python benchmarks/synthesis_peers.py path/of/adult.data --method ours [--degree 2]

dpmm 0.1.9 needs Python 3.10 or 3.11 and other versions of OpenDP and pandas than our peers of
queries do, so it gets an environment of its own: python3.11 -m venv .venv-dpmm, then
.venv-dpmm/bin/pip install dpmm==0.1.9.

Prints the mean over all pairs of the 9 columns of categories, and over all triples, of the sum of
|share − true share|, as benchmarks/synthesis_budgets.py does, the seconds of the processor and the
most memory that the process had so far. δ = 1e-9.

dpmm's neighbors add or remove one row; ours replace one. That changes a table of counts by √2 as
much (in L2), so its normal noise costs 2 times the ρ. Each score of a choice (an L1 distance)
changes by up to 2 instead of 1, so an exponential mechanism costs 4 times the ρ. AIM spends at most
a tenth of its ρ on choices, and MST a third. So AIM gets 1/2.2 of the ρ that we have at this ε and
δ, and MST 3/8 of it, each as the ε that dpmm converts to this ρ: what they make is then as private
for replacing a row as ours is. dpmm's conversion and ours agree to ten digits.

--model-size is AIM's limit of the junction tree in MB, --rounds how many rounds its budget would be
enough for at the initial noise (16 for each column if left out; with fewer than there are columns,
dpmm would spend more than its budget on these), --degree how many columns the tables of its
workload have, or of ours, and --iterations the steps of each fit (by default dpmm takes 1,000 for
AIM and 5,000 for MST). Everything else is as dpmm has it: rare labels are pooled, and AIM leaves
tables of more than 10,000 cells out of its workload, which is one of the 84 triples.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import math
import resource
import time
from importlib.metadata import version
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
CHOICES = {"aim": 0.1, "mst": 1 / 3}
"""The largest part of its ρ that the peer spends on choosing tables; the rest is for counts."""


def codes(path: str) -> dict[str, Any]:
    """Return the columns as whole numbers; labels are those that occur."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file, skipinitialspace=True) if len(row) == 15]
    return {
        name: np.unique([row[place] for row in rows], return_inverse=True)[1]
        for name, place in PLACES.items()
    }


def mean_error(made: Any, true: dict[str, Any], ways: int) -> float:
    """Return the mean error of a pair of columns, or of a triple."""
    errors: list[float] = []
    for names in combinations(true, ways):
        sizes = [int(true[name].max()) + 1 for name in names]
        shares: list[Any] = []
        for table in (made, true):
            places = np.ravel_multi_index([np.asarray(table[name]) for name in names], sizes)
            shares.append(np.bincount(places, minlength=math.prod(sizes)) / len(places))
        errors.append(float(np.abs(shares[0] - shares[1]).sum()))
    return float(np.mean(errors))


def cost_of_replacing(method: str) -> float:
    """Return how many times the ρ of adding or removing a row the peer spends on replacing one."""
    choices = CHOICES[method]
    return 2 * (1 - choices) + 4 * choices


def by_dpmm(true: dict[str, Any], given: argparse.Namespace) -> tuple[Any, str]:
    """Return a synthetic table, and what it was made with."""
    import pandas as pd  # pyright: ignore[reportMissingImports]
    from dpmm.models.aim import AIMGM  # pyright: ignore[reportMissingImports]
    from dpmm.models.base.mechanisms.cdp2adp import (  # pyright: ignore[reportMissingImports]
        cdp_eps,
        cdp_rho,
    )
    from dpmm.models.mst import MSTGM  # pyright: ignore[reportMissingImports]

    rho = cdp_rho(given.epsilon, DELTA) / cost_of_replacing(given.method)
    epsilon = cdp_eps(rho, DELTA)
    usual: Any = {"domain": {name: int(values.max()) + 1 for name, values in true.items()}}
    usual |= {"random_state": np.random.RandomState(), "n_jobs": 1, "compress": True}
    usual |= {"epsilon": epsilon, "delta": DELTA, "n_iters": given.iterations}
    limits: Any = {"max_model_size": given.model_size, "rounds": given.rounds}
    limits |= {"degree": given.degree}
    model: Any = AIMGM(**usual, **limits) if given.method == "aim" else MSTGM(**usual)
    model.fit(pd.DataFrame(true))
    words = f"dpmm {version('dpmm')}, {given.method}, epsilon {epsilon:.4f} (add or remove one row)"
    words += f" for {given.epsilon:g} (replace one), {given.iterations} steps"
    if given.method == "aim":
        made = model.generator
        words += f", tables of {given.degree} columns, at most {given.model_size:g} MB, budget for "
        words += f"{given.rounds or 16 * len(true)} rounds ({len(made.cliques) - len(true)} held, "
        words += f"{made.model.size * 8 / 2**20:.2f} MB)"
    return model.generate(len(true["sex"])), words


def by_us(true: dict[str, Any], given: argparse.Namespace) -> tuple[Any, str]:
    """Return a synthetic table, and what it was made with."""
    import noisewright as nw

    made = nw.synthesize(
        true,
        {name: list(range(int(values.max()) + 1)) for name, values in true.items()},
        ledger=None,
        epsilon=given.epsilon,
        delta=DELTA,
        workload=given.degree,
    )
    words = f"noisewright, epsilon {given.epsilon:g} (replace one), workload {given.degree}"
    return made.table, words


def main() -> int:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("path", help="the file adult.data")
    parser.add_argument("--method", choices=["aim", "mst", "ours"], default="mst")
    parser.add_argument("--epsilon", type=float, default=1)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--model-size", type=float, default=80)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--degree", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=1000)
    given = parser.parse_args()
    if given.rounds is not None and given.rounds < len(PLACES):
        parser.error(f"--rounds is below {len(PLACES)}: dpmm would spend more than its budget")
    if given.method != "ours" and importlib.util.find_spec("dpmm") is None:
        print("dpmm is not installed here. Run: .venv-dpmm/bin/pip install dpmm==0.1.9")
        return 2
    true = codes(given.path)
    for _ in range(given.runs):
        start = time.process_time()
        made, words = by_us(true, given) if given.method == "ours" else by_dpmm(true, given)
        seconds = time.process_time() - start
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        pairs, triples = (mean_error(made, true, ways) for ways in (2, 3))
        print(
            f"{words}: pairs {pairs:.4f}, triples {triples:.4f}, {seconds:.0f} s, {most} MB",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
