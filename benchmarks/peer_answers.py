"""What peers answer, in an environment of theirs: `make peers` makes it, `query_peers` asks.

    .venv-peers/bin/python benchmarks/peer_answers.py opendp path/of/adult.data 100

Each question has ε = 1 to itself; a person is added or removed, groups are public, and hours lie
between 0 and 100. Prints root mean square errors on Adult, and processor seconds.
"""

from __future__ import annotations

import csv
import json
import resource
import statistics
import sys
import warnings
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

Answers = Mapping[str, float]
Ask = Callable[[str, str], Answers]


def adult(path: str) -> dict[str, list[Any]]:
    """The columns that are asked about."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file, skipinitialspace=True) if len(row) == 15]
    columns: dict[str, list[Any]] = {"sex": [row[9] for row in rows]}
    columns["education"] = [row[3] for row in rows]
    columns["hours"] = [min(int(row[12]), 100) for row in rows]
    return columns


def million(rows: int = 1_000_000) -> dict[str, list[Any]]:
    """Rows in 20 groups, with a number each."""
    draw = np.random.default_rng(1)
    return {
        name: draw.integers(0, top, rows).tolist() for name, top in (("group", 20), ("hours", 100))
    }


def with_opendp(columns: Mapping[str, list[Any]]) -> Ask:
    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib", "honest-but-curious")
    data = pl.LazyFrame(dict(columns))
    rows = len(columns["hours"])

    def ask(what: str, by: str) -> Answers:
        if what == "variance":
            raise NotImplementedError("OpenDP 0.16 has no variance of groups in its queries.")
        margin = dp.polars.Margin(by=[by], invariant="keys", max_length=rows, max_groups=100)
        context = dp.Context.compositor(
            data=data,
            privacy_unit=dp.unit_of(contributions=1),
            privacy_loss=dp.loss_of(epsilon=1.0),
            split_evenly_over=1,
            margins=[margin],
        )
        hours = pl.col("hours").fill_null(0).dp.mean((0, 100)).alias("found")
        asked = dp.len().alias("found") if what == "count" else hours
        table = context.query().group_by(by).agg(asked).release().collect()
        return dict(zip(table[by].to_list(), table["found"].to_list(), strict=True))

    return ask


def with_pipelinedp(columns: Mapping[str, list[Any]]) -> Ask:
    import pipeline_dp as pdp

    metrics = {"count": pdp.Metrics.COUNT, "mean": pdp.Metrics.MEAN}
    metrics["variance"] = pdp.Metrics.VARIANCE

    def ask(what: str, by: str) -> Answers:
        accountant = pdp.NaiveBudgetAccountant(total_epsilon=1, total_delta=1e-10)
        engine = pdp.DPEngine(accountant, pdp.LocalBackend())
        asked = pdp.AggregateParams(
            noise_kind=pdp.NoiseKind.LAPLACE,
            metrics=[metrics[what]],
            max_partitions_contributed=1,
            max_contributions_per_partition=1,
            min_value=0,
            max_value=100,
        )
        read = pdp.DataExtractors(
            privacy_id_extractor=lambda row: row[0],
            partition_extractor=lambda row: row[1],
            value_extractor=lambda row: row[2],
        )
        rows = list(zip(range(len(columns[by])), columns[by], columns["hours"], strict=True))
        keys = sorted(set(columns[by]))
        found = engine.aggregate(rows, asked, read, public_partitions=keys)
        accountant.compute_budgets()
        return {key: float(one[0]) for key, one in found}

    return ask


PEERS: dict[str, tuple[str, Callable[[Mapping[str, list[Any]]], Ask]]] = {
    "OpenDP": ("opendp", with_opendp),
    "PipelineDP": ("pipeline-dp", with_pipelinedp),
}
GROUPS = {"women": "Female", "men": "Male"}


def errors(ask: Ask, columns: Mapping[str, list[Any]], runs: int) -> dict[str, float]:
    """Return the root mean square errors of what a peer can answer."""
    hours, found = np.array(columns["hours"]), {}
    for what, truth in (("mean", np.mean), ("variance", np.var)):
        try:
            answers = [ask(what, "sex") for _ in range(runs)]
        except NotImplementedError:
            continue
        for name, key in GROUPS.items():
            exact = truth(hours[np.array(columns["sex"]) == key])
            off = np.array([answer[key] for answer in answers]) - exact
            found[f"{what} of hours, {name}"] = float(np.sqrt((off**2).mean()))
    keys, counts = np.unique(columns["education"], return_counts=True)
    asked = [ask("count", "education") for _ in range(runs)]
    off = np.array([[answer[key] for key in keys] for answer in asked]) - counts
    found["counts by education"] = float(np.sqrt((off**2).mean()))
    return found


def processor_seconds(work: Callable[[], object], repeats: int = 5, *, warm: bool = True) -> float:
    """The median processor time of all threads, after a first run if it shall be warm."""
    if warm:
        work()
    times: list[float] = []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_SELF)
        work()
        after = resource.getrusage(resource.RUSAGE_SELF)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        times.append(max(spent, 1e-6))
    return statistics.median(times)


def main() -> None:
    """Print what a peer does, as JSON."""
    warnings.simplefilter("ignore")
    package, start = PEERS[sys.argv[1]]
    columns, runs = adult(sys.argv[2]), int(sys.argv[3])
    ask = start(columns)
    found: dict[str, Any] = {"version": version(package), "errors": errors(ask, columns, runs)}
    times = {"Adult": processor_seconds(lambda: ask("count", "education"), 3)}
    many = start(million())
    times["a million"] = processor_seconds(lambda: many("count", "group"), 3)
    print(json.dumps({**found, "seconds": times}))


if __name__ == "__main__":
    main()
