"""How long the best mechanism takes, with its proof, against plain solvers.

python -m benchmarks.designs
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from typing import Any

import numpy as np

import noisewright as nw
from benchmarks.measure import Result, report, seconds
from benchmarks.proofs import within


def closed_forms(people: int = 1000) -> list[Result]:
    """Problems without a program, table and proof included."""
    space = nw.Counts(people)
    prior = np.random.default_rng().dirichlet(np.ones(people + 1))
    cases: dict[str, dict[str, Any]] = {
        "L0, all properties": {"properties": "all"},
        "L1, any prior": {"loss": "L1", "prior": prior},
        "L2, any prior": {"loss": "L2", "prior": prior},
        "L0 with WH, RM, CM at epsilon 0.001": {"properties": {"WH", "RM", "CM"}, "epsilon": 0.001},
    }
    return [
        within(
            f"design for {people:,} people, {name}",
            lambda options=options: nw.design(space, **{"epsilon": 0.1, **options}),
            budget=5,
        )
        for name, options in cases.items()
    ]


def small_programs(people: int = 20) -> list[Result]:
    """Programs that a slider could drive."""
    space = nw.Counts(people)
    cases: dict[str, dict[str, Any]] = {
        "L0 with WH, RM, CM": {"properties": {"WH", "RM", "CM"}},
        "L2 with all properties": {"loss": "L2", "properties": "all"},
        "worst L1": {"loss": "L1", "goal": "worst"},
    }
    nw.design(nw.Counts(2), epsilon=1, loss="L1", goal="worst")
    return [
        within(
            f"design for {people} people, {name}",
            lambda options=options: nw.design(space, alpha="0.9", **options),
            budget=0.5,
        )
        for name, options in cases.items()
    ]


def many_people(people: int = 200) -> list[Result]:
    """Properties for more people than a plain program is solved for in a minute."""
    space = nw.Counts(people)
    cases: dict[str, tuple[float, dict[str, Any]]] = {
        "L0 with WH, RM, CM": (5, {"properties": {"WH", "RM", "CM"}}),
        "L1 with WH, RM, CM": (15, {"loss": "L1", "properties": {"WH", "RM", "CM"}}),
        "L2 with all properties": (60, {"loss": "L2", "properties": "all"}),
    }
    return [
        within(
            f"design for {people} people, {name}",
            lambda options=options: nw.design(space, alpha="0.9", **options),
            budget=budget,
        )
        for name, (budget, options) in cases.items()
    ]


def plain_program(people: int) -> None:
    """L0 with WH, RM and CM, α = 0.9, as one writes it down first: every entry, every row."""
    import highspy
    from scipy.sparse import coo_matrix

    size, alpha = people + 1, 0.9
    entry = np.arange(size * size).reshape(size, size)  # row = input
    pairs: list[tuple[int, int, float]] = []  # entry a ≤ factor · entry b
    for j in range(people):
        for i in range(size):
            pairs += [
                (entry[j, i], entry[j + 1, i], 1 / alpha),
                (entry[j + 1, i], entry[j, i], 1 / alpha),
            ]
            near, far = (j, j + 1) if i <= j else (j + 1, j)
            pairs.append((entry[far, i], entry[near, i], 1.0))
            pairs.append((entry[i, far], entry[i, near], 1.0))
    rows = np.arange(len(pairs))
    left, right, factor = (np.array(part) for part in zip(*pairs, strict=True))
    sums = len(pairs) + np.arange(size).repeat(size)
    honest = len(pairs) + size + np.arange(size)
    matrix = coo_matrix(
        (
            np.concatenate([np.ones(len(pairs)), -factor, np.ones(size * size), np.ones(size)]),
            (
                np.concatenate([rows, rows, sums, honest]),
                np.concatenate([left, right, entry.ravel(), entry.diagonal()]),
            ),
        )
    ).tocsr()
    low = np.concatenate([np.full(len(pairs), -np.inf), np.ones(size), np.full(size, 1 / size)])
    high = np.concatenate([np.zeros(len(pairs)), np.ones(size), np.full(size, np.inf)])
    lp: Any = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = size * size, matrix.shape[0]
    lp.col_cost_ = (1 - np.eye(size)).ravel() / size
    lp.col_lower_, lp.col_upper_ = np.zeros(size * size), np.ones(size * size)
    lp.row_lower_, lp.row_upper_ = low, high
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_, lp.a_matrix_.index_ = matrix.indptr, matrix.indices
    lp.a_matrix_.value_ = matrix.data
    highs: Any = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("solver", "ipm")
    highs.passModel(lp)
    highs.run()


def against_plain_highs(people: int = 100) -> list[Result]:
    """The same optimum with a proof, against HiGHS alone on the full program without one."""
    space = nw.Counts(people)
    ours = seconds(lambda: nw.design(space, alpha="0.9", properties={"WH", "RM", "CM"}), repeats=3)
    plain = seconds(lambda: plain_program(people), repeats=1)
    name = f"L0 with WH, RM, CM, {people} people, proven"
    return [Result(name, 1 / ours, plain / ours, "plain HiGHS, unproven", 10.0)]


LIBQIF = """
import sys, time
import numpy as np, qif
size = int(sys.argv[1]) + 1
prior = np.random.default_rng().dirichlet(np.ones(size))
start = time.perf_counter()
qif.mechanism.d_privacy.min_loss_given_d(
    prior, size, lambda x, z: 0.1 * abs(x - z), lambda w, x: float(abs(w - x))
)
print(time.perf_counter() - start)
"""
"""Its privacy grows with a distance, which on a path is the same as adjacent neighbors."""


def against_libqif(people: int = 100, *, patience: float = 60) -> list[Result]:
    """L1 with a prior for ten times as many people as libqif is asked for, if it is installed.

    libqif is given a process of its own and is not waited for longer than `patience` seconds;
    then the ratio is a lower bound.
    """
    if importlib.util.find_spec("qif") is None:
        return []
    try:
        done = subprocess.run(
            [sys.executable, "-c", LIBQIF, str(people)],
            capture_output=True,
            text=True,
            check=True,
            timeout=patience,
        )
        theirs, at_least = float(done.stdout), ""
    except subprocess.TimeoutExpired:
        theirs, at_least = patience, ", stopped"
    wide = nw.Counts(10 * people)
    prior = np.random.default_rng().dirichlet(np.ones(wide.size))
    ours = seconds(lambda: nw.design(wide, epsilon=0.1, loss="L1", prior=prior), repeats=1)
    name = f"L1 with a prior, {10 * people:,} people"
    return [Result(name, 1 / ours, theirs / ours, f"libqif, {people}{at_least}", 1.0)]


def run() -> list[Result]:
    """Measure everything about design."""
    return [
        *closed_forms(),
        *small_programs(),
        *many_people(),
        *against_plain_highs(),
        *against_libqif(),
    ]


if __name__ == "__main__":
    raise SystemExit(report(run()))
