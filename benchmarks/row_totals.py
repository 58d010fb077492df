"""What noise that adds up to 0 gains under pure epsilon, on small tables of binary columns.

    python -m benchmarks.row_totals [--runs 60]

Five features depend on a label. The same models and synthesizers count with independent noise and
with noise that keeps the number of rows, which cost the same epsilon. All is made up, and raw data
are compared with what was learned: nothing here is for release.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

import noisewright as nw
from noisewright.synthetic.by_mst.mst import Mst
from noisewright.synthetic.by_mwem.mwem import Mwem
from noisewright.synthetic.steps import noise
from noisewright.synthetic.steps.run_budget import RunBudget
from noisewright.synthetic.tallies import Tallies

Table = dict[str, NDArray[np.int64]]

LABEL, FEATURES = "y", tuple(f"f{place}" for place in range(5))
DOMAIN = nw.Records({name: nw.Counts(1) for name in (LABEL, *FEATURES)})
TESTED = 20_000


@dataclass(frozen=True)
class Gain:
    """A mean error with independent noise, and with noise that adds up to 0."""

    what: str
    independent: float
    balanced: float

    def __str__(self) -> str:
        less = 1 - self.balanced / self.independent
        return f"{self.what:<52} {self.independent:8.4f} {self.balanced:8.4f} {less:6.0%} less"


def people(rows: int, seed: int) -> Table:
    """Made-up people, whose features are more or less linked to the label."""
    rng = np.random.default_rng(seed)
    label = rng.random(rows) < 0.4
    made: Table = {LABEL: label.astype(np.int64)}
    for place, name in enumerate(FEATURES):
        chance = np.where(label, 0.35 + 0.08 * place, 0.3 - 0.04 * place)
        made[name] = (rng.random(rows) < chance).astype(np.int64)
    return made


def log_loss(rows: int, epsilon: float, seed: int) -> float:
    """How much worse than without noise naive Bayes foretells the label of other people."""
    model, best = (
        nw.models.PrivateNaiveBayes(
            DOMAIN, label=LABEL, epsilon=e, source=nw.randomness.SeededSource(seed), ledger=None
        )
        for e in (epsilon, 4_000)
    )
    given, others = people(rows, seed), people(TESTED, 10_000)
    features = {name: others[name] for name in FEATURES}
    losses = [
        -np.log(one.fit(given).predict_proba(features)[np.arange(TESTED), others[LABEL]]).mean()
        for one in (model, best)
    ]
    return float(losses[0] - losses[1])


def pair_error(method: type[Mst | Mwem], rows: int, epsilon: float, seed: int) -> float:
    """The mean L1 error of all pairs of columns."""
    names = tuple(name for name, _ in DOMAIN.columns)
    pairs = tuple(combinations(names, 2))
    given = people(rows, seed)
    steps = method(DOMAIN, nw.workloads.Workload.marginals(DOMAIN, ways=2), RunBudget.of(epsilon))
    tallies = Tallies.of([given], DOMAIN, steps.groupings)
    drawn = steps.draw(tallies, rows, source=nw.randomness.SeededSource(seed))
    truth, found = (Tallies.of([table], DOMAIN, pairs).counts for table in (given, drawn.codes))
    return float(np.mean([np.abs(truth[pair] - found[pair]).sum() / rows for pair in pairs]))


def compared(what: str, error: Callable[[int], float], runs: int) -> Gain:
    """Return mean errors with both kinds of noise."""
    balanced = [error(seed) for seed in range(runs)]
    with patch.object(noise, "MOST_CELLS", 0):
        independent = [error(seed) for seed in range(runs)]
    return Gain(what, float(np.mean(independent)), float(np.mean(balanced)))


def gains(runs: int) -> list[Gain]:
    """Return all comparisons."""
    found: list[Gain] = []
    for rows, epsilon in ((300, 1.0), (1_000, 0.3)):
        what = f"naive Bayes, {rows:,} rows, epsilon {epsilon}: excess log loss"
        found.append(compared(what, lambda s, r=rows, e=epsilon: log_loss(r, e, s), runs))
    methods: tuple[tuple[str, type[Mst | Mwem]], ...] = (("mst", Mst), ("mwem", Mwem))
    for name, method in methods:
        for rows in (300, 1_000):
            what = f"{name}, {rows:,} rows, epsilon 1: error of pairs"
            found.append(compared(what, lambda s, m=method, r=rows: pair_error(m, r, 1.0, s), runs))
    return found


def main() -> int:
    """Print what is gained; it fails where nothing is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=60)
    found = gains(parser.parse_args().runs)
    print(*found, sep="\n")
    return int(any(one.balanced >= one.independent for one in found))


if __name__ == "__main__":
    raise SystemExit(main())
