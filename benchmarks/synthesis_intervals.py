"""How often the intervals of `Synthesis.query` cover, and how wide they are, on made-up tables.

    python -m benchmarks.synthesis_intervals --runs 100

Each table is synthesized again and again. Queries are drawn once for each run, before the noise: of
one column, of two, of three, with cuts through bins, and with OR. For each kind the share of
intervals that hold the truth is printed, their mean width as a share of all rows, and how many say
nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

import noisewright as nw

Frame = dict[str, np.ndarray]
COLUMNS = {"a": nw.Counts(1), "b": nw.Counts(2), "c": nw.Counts(4), "d": nw.Counts(79)}


def independent(n: int, rng: Any) -> Frame:
    return {name: rng.integers(0, space.size, n) for name, space in COLUMNS.items()}


def linked(n: int, rng: Any) -> Frame:
    d = np.minimum(rng.poisson(20, n), 79)
    return {"a": (d > 20) * 1, "b": np.minimum(d // 14, 2), "c": np.minimum(d // 9, 4), "d": d}


def exclusive_or(n: int, rng: Any) -> Frame:
    a, b = rng.integers(0, 2, n), rng.integers(0, 2, n)
    return {"a": a, "b": b, "c": (a ^ b) * 4, "d": rng.integers(0, 80, n)}


def skewed(n: int, rng: Any) -> Frame:
    return {
        name: np.minimum(rng.geometric(0.9, n) - 1, space.size - 1)
        for name, space in COLUMNS.items()
    }


def constant(n: int, rng: Any) -> Frame:
    return {name: np.zeros(n, dtype=np.int64) for name in COLUMNS}


TABLES: dict[str, Callable[[int, Any], Frame]] = {
    "independent": independent,
    "linked": linked,
    "exclusive or": exclusive_or,
    "skewed": skewed,
    "constant": constant,
}
SETTINGS = [
    (2000, 1, 0),
    (2000, 1, 1e-9),
    (2000, 8, 0),
    (500, 50, 1e-9),
    (2000, 0.01, 0),
    (12, 1, 0),
]


def conditions(rng: Any) -> Iterator[tuple[str, Any, Callable[[Frame], Any]]]:
    """Yield kinds of queries, the query, and which rows it counts."""
    names = rng.permutation(list(COLUMNS)).tolist()
    limits = {
        name: tuple(sorted(rng.integers(0, COLUMNS[name].size, 2).tolist())) for name in names
    }
    for kind, many in (("one column", 1), ("two columns", 2), ("three columns", 3)):
        chosen = names[:many]
        where = {n: {"at_least": limits[n][0], "at_most": limits[n][1]} for n in chosen}

        def holds(table: Frame, chosen: list[str] = chosen) -> Any:
            return np.logical_and.reduce(
                [(table[n] >= limits[n][0]) & (table[n] <= limits[n][1]) for n in chosen]
            )

        yield kind, where, holds
    one, two = names[0], names[1]
    low, high = limits[one][0], limits[two][1]
    yield (
        "or",
        (nw.col(one) <= low) | (nw.col(two) >= high),
        lambda table: (table[one] <= low) | (table[two] >= high),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tables", nargs="*", default=list(TABLES))
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    print("table         rows  epsilon  delta   kind           covered  width  says nothing")
    for n, epsilon, delta in SETTINGS:
        for name in given.tables:
            seen: dict[str, list[tuple[bool, float, bool]]] = {}
            for _ in range(given.runs):
                table = TABLES[name](n, rng)
                asked = list(conditions(rng))
                made = nw.synthesize(
                    pa.table(table), COLUMNS, epsilon=epsilon, delta=delta, ledger=None
                )
                for kind, where, holds in asked:
                    truth = int(np.sum(holds(table)))
                    low, high = made.query(where).interval
                    row = (low <= truth <= high, (high - low) / n, low == 0 and high == n)
                    seen.setdefault(kind, []).append(row)
            for kind, rows in seen.items():
                covered, width, empty = np.mean(np.array(rows, dtype=float), axis=0)
                print(
                    f"{name:13} {n:5,}  {epsilon:7}  {delta:5}   {kind:13}  {covered:7.1%}  "
                    f"{width:5.3f}  {empty:8.0%}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
