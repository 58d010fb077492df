"""Private answers beside peers, in one run: errors on Adult, and processor time.

    python -m benchmarks.query_peers [path/of/adult.data] [--runs 5000] [--peer-runs 30]

ε = 1, a person is added or removed, hours lie between 0 and 100. Ours are released as users do it:
count, mean and variance of a group together at one ε, while peers have that ε for each. Peers run
in an environment of their own (`make peers`), as they need other versions of libraries than we.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

import noisewright as nw
from benchmarks.adult_release import HOW, PLACES
from benchmarks.peer_answers import GROUPS, PEERS, adult, million, processor_seconds

PYTHON = Path(__file__).parents[1] / ".venv-peers" / "bin" / "python"
BARS = {
    "mean of hours, women": 0.0100,
    "mean of hours, men": 0.0050,
    "variance of hours, women": 0.66,
    "variance of hours, men": 0.31,
    "variance of hours, all": 0.21,
    "counts by education": 1.39,
}
ADULT_SECONDS = 0.1
MORE_SECONDS = 0.1
FASTER = 10


def private(columns: Mapping[str, list[Any]]) -> nw.Private:
    """Adult as a private table."""
    declared = {"sex": sorted(set(columns["sex"])), "education": sorted(set(columns["education"]))}
    return nw.Private(
        pa.table(dict(columns)),
        columns={**declared, "hours": nw.Interval(0, 100, step=1)},
        change="add or remove",
        ledger=None,
    )


def errors(columns: Mapping[str, list[Any]], runs: int) -> dict[str, float]:
    """Return the root mean square errors of our answers."""
    people, hours = private(columns), nw.col("hours")
    both = people.group_by("sex").agg(n=nw.count(), mean=hours.mean(), variance=hours.var())
    values, sexes = np.array(columns["hours"]), np.array(columns["sex"])
    tables = [both.release(epsilon=1).table.to_pydict() for _ in range(runs)]
    found: dict[str, float] = {}
    for what, truth in (("mean", np.mean), ("variance", np.var), ("n", np.size)):
        for name, key in GROUPS.items():
            place = tables[0]["sex"].index(key)
            words = f"count of {name}, with them" if what == "n" else f"{what} of hours, {name}"
            answers = [table[what][place] for table in tables]
            found[words] = _error(answers, truth(values[sexes == key]))
    alone = people.agg(variance=hours.var())
    answers = [alone.release(epsilon=1).table["variance"][0].as_py() for _ in range(runs)]
    found["variance of hours, all"] = _error(answers, np.var(values))
    counts = np.unique(columns["education"], return_counts=True)[1]
    counted = people.group_by("education").count()
    rows = [counted.release(epsilon=1).table["count"].to_pylist() for _ in range(runs)]
    found["counts by education"] = _error(rows, counts)
    return found


def _error(answers: Sequence[Any], truth: Any) -> float:
    return float(np.sqrt(((np.array(answers, dtype=float) - truth) ** 2).mean()))


def seconds(columns: Mapping[str, list[Any]], many: Mapping[str, list[Any]]) -> dict[str, float]:
    """Return the processor seconds of a count by group, and of DuckDB's own."""
    asked = private(columns).group_by("education").count()
    found = {"Adult": processor_seconds(lambda: asked.release(epsilon=1))}
    with duckdb.connect() as connection:
        connection.register("given", pa.table(dict(many)))
        connection.execute("CREATE TABLE t AS FROM given")
        people = nw.Private(
            nw.DuckDB(connection, "t"),
            columns={"group": nw.Counts(19), "hours": nw.Counts(99)},
            change="add or remove",
            ledger=None,
        )
        counted = people.group_by("group").count()
        found["a million"] = processor_seconds(lambda: counted.release(epsilon=1), 15)
        plain = 'SELECT "group", count(*) FROM t GROUP BY "group"'
        found["DuckDB"] = processor_seconds(lambda: connection.execute(plain).fetchall(), 15)
    return found


def ask_peer(name: str, path: Path, runs: int) -> dict[str, Any] | None:
    """Return what a peer does; without it, say how to install it."""
    if not PYTHON.exists():
        print(f"{name} is not installed and is left out: `make peers` installs it.")
        return None
    script = Path(__file__).parent / "peer_answers.py"
    command = [str(PYTHON), str(script), name, str(path), str(runs)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        print(f"{name} does not run ({last}) and is left out: `make peers` installs it again.")
        return None
    return json.loads(done.stdout)


def compare(path: Path | None = None, *, runs: int = 5_000, peer_runs: int = 30) -> int:
    """Print both tables; return whether something is worse than required."""
    path = path or next((place for place in PLACES if place.exists()), None)
    if path is None:
        print(HOW.replace("adult_release", "query_peers"))
        return 2
    answered = {name: ask_peer(name, path, peer_runs) for name in PEERS}
    peers = {name: found for name, found in answered.items() if found is not None}
    titles = [f"{name} {found['version']}" for name, found in peers.items()]
    columns = adult(str(path))
    print("|".join(["| Adult, ε = 1: root mean square error ", " ours ", *titles, " required |"]))
    print("|---" * (3 + len(titles)) + "|")
    failed = 0
    for what, error in errors(columns, runs).items():
        theirs = [found["errors"].get(what) for found in peers.values()]
        cells = ["–" if one is None else f"{one:.4f}" for one in theirs]
        failed |= error > BARS.get(what, np.inf)
        print("|".join([f"| {what} ", f" {error:.4f} ", *cells, f" {BARS.get(what, '')} |"]))
    found = seconds(columns, million())
    print("|".join(["\n| processor seconds ", " ours ", *titles, " required |"]))
    print("|---" * (3 + len(titles)) + "|")
    limits = {"Adult": ADULT_SECONDS, "a million": found["DuckDB"] + MORE_SECONDS}
    words = {"Adult": "counts by education", "a million": "counts of 20 groups, a million rows"}
    for what, limit in limits.items():
        theirs = [one["seconds"][what] for one in peers.values()]
        cells = [f"{one:.3f} ({one / found[what]:.0f} times)" for one in theirs]
        failed |= found[what] > limit
        print("|".join([f"| {words[what]} ", f" {found[what]:.4f} ", *cells, f" {limit:.3f} |"]))
    print(f"\nDuckDB alone counts the 20 groups in {found['DuckDB']:.4f} s.")
    if "OpenDP" in peers:
        failed |= peers["OpenDP"]["seconds"]["a million"] < FASTER * found["a million"]
        print(f"Required: {FASTER} times faster than OpenDP on a million rows.")
    return int(failed)


def main() -> int:
    """Compare, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("path", nargs="?", type=Path, help="the file adult.data")
    parser.add_argument("--runs", type=int, default=5_000)
    parser.add_argument("--peer-runs", type=int, default=30)
    given = parser.parse_args()
    return compare(given.path, runs=given.runs, peer_runs=given.peer_runs)


if __name__ == "__main__":
    sys.exit(main())
