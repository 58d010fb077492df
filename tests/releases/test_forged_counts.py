"""Files whose noisy counts are not those of the certified steps, however they were edited."""

import copy
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import ReleaseError
from tests.synthetic.test_screening import NAMES, chain

SPACES: dict[str, Any] = {
    "a": [0, 1, 2, 3],
    "b": [0, 1, 2, 3],
    "x": nw.Counts(19),
    "y": nw.Counts(99),
    "s": [0, 1],
}
ROWS = 3_000
ASKED = [{"a": [1, 2], "s": 0}]
Document = dict[str, Any]


def people() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    sizes = {"a": 4, "b": 4, "x": 20, "y": 100, "s": 2}
    return {name: rng.integers(0, size, ROWS) for name, size in sizes.items()}


RECORDS: dict[str, Any] = {
    name: nw.Categories(space) if isinstance(space, list) else space
    for name, space in SPACES.items()
}
RUNS: dict[str, dict[str, Any]] = {
    "chosen": {"epsilon": 0.3, "delta": 1e-9},
    "chosen, pure": {"epsilon": 0.3},
    "all": {"epsilon": 30, "delta": 1e-9},
    "graph": {"epsilon": 1, "method": nw.planning.Method(inference="graph")},
    "mwem": {"epsilon": 1, "method": nw.planning.Method("mwem", bins=4, rounds=3)},
    "blr": {"epsilon": 1, "method": nw.planning.Method("blr", bins=2, rows=3)},
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: Any) -> Callable[[str], Path]:
    """Return the folder of a run, which is made once."""
    known: dict[str, Path] = {}

    def folder(run: str) -> Path:
        if run not in known:
            known[run] = tmp_path_factory.mktemp("made")
            out = nw.planning.Output(known[run] / "made.parquet", report=False)
            if run == "screened":
                spaces: Any = {name: nw.Counts(4) for name in NAMES}
                nw.synthesize(chain(), spaces, epsilon=2, delta=1e-9, ledger=None, out=out)
            elif run == "conditions":
                workload = nw.workloads.Workload.conjunctions(nw.Records(**RECORDS), ASKED)
                nw.synthesize(people(), epsilon=1, ledger=None, out=out, workload=workload)
            else:
                columns = dict(list(SPACES.items())[2:]) if run == "blr" else SPACES
                data = {name: people()[name] for name in columns}
                nw.synthesize(data, columns, ledger=None, out=out, **RUNS[run])
        return known[run]

    return folder


def counts_of(document: Document, *columns: str) -> Document:
    return next(one for one in document["measurements"] if one["columns"] == [*columns])


def last_pair(document: Document) -> Document:
    return [one for one in document["measurements"] if len(one["columns"]) == 2][-1]


def rename(document: Document, one: Document, columns: list[str]) -> None:
    """Say of some counts, and of their step, that they are of these columns."""
    place = next(n for n, each in enumerate(document["measurements"]) if each is one)
    steps = [each for each in document["spends"] if each["what"].startswith("counts of ")]
    one["columns"], one["of"] = columns, " × ".join(columns)
    steps[place]["what"] = f"counts of {one['of']}"


def become(document: Document, one: Document, columns: list[str]) -> None:
    """Put other counts in the place of some, with noise as its own."""
    sizes = {"a": 4, "b": 4, "x": 20, "y": 25, "s": 2}
    cells = int(np.prod([sizes[name] for name in columns]))
    one.pop("joined", None)
    one["counts"] = [ROWS - cells + 1, *[1] * (cells - 1)]
    if "adds_up" in one and cells > 4096:
        one.pop("adds_up")
    rename(document, one, columns)


def copied(document: Document) -> None:
    second = counts_of(document, "b")
    second["counts"] = copy.deepcopy(counts_of(document, "a")["counts"])
    rename(document, second, ["a"])


def swapped(document: Document) -> None:
    one, other = counts_of(document, "a"), counts_of(document, "b")
    one["counts"], other["counts"] = other["counts"], one["counts"]
    rename(document, one, ["b"])
    rename(document, other, ["a"])


def independent(document: Document) -> None:
    for one in document["measurements"]:
        one.pop("adds_up", None)


def scheduled_pair_turned(document: Document) -> None:
    rename(document, counts_of(document, "a", "b"), ["b", "a"])


def column_twice(document: Document) -> None:
    rename(document, counts_of(document, "a", "b"), ["a", "a"])


def partner_of_many_values(document: Document) -> None:
    one = next(each for each in document["measurements"] if "point by point ×" in each["of"])
    one["counts"] = [ROWS] + [0] * 1999
    rename(document, one, ["y, point by point", "x"])


def no_partner(document: Document) -> None:
    one = next(each for each in document["measurements"] if "point by point ×" in each["of"])
    one["counts"] = [ROWS - 99, *[1] * 99]
    rename(document, one, ["y, point by point"])


def as_method(**said: Any) -> Callable[[Document], Any]:
    return lambda document: document.update(said)


def joined_of_distances(document: Document) -> None:
    """Join bins of every count of a pair, as if a choice had selected it."""
    pair = last_pair(document)["columns"]
    for one in document["measurements"]:
        if one["columns"] == pair:
            table = np.array(one["counts"]).reshape(5, 5)
            one["joined"] = {pair[0]: [0, 2]}
            one["counts"] = np.add.reduceat(table, [0, 2], axis=0).tolist()


def pair_without_distance(document: Document) -> None:
    rename(document, last_pair(document), ["b", "a"])


def other_cells(document: Document) -> None:
    one = next(each for each in document["measurements"] if "query" in each)
    one["cells"] = [0]


def parts_exchanged(document: Document) -> None:
    first, *_, last = document["measurements"]
    first["spent"], last["spent"] = last["spent"], first["spent"]


IN_THE_PLACE, FIRST, NOT_WHAT = "in the place of", "first counts each column", "are not what method"

FORGED: dict[str, tuple[str, Callable[[Document], Any], str]] = {
    "a copy": ("chosen", copied, FIRST),
    "a copy, pure": ("chosen, pure", copied, FIRST),
    "swapped": ("all", swapped, FIRST),
    "swapped, pure": ("chosen, pure", swapped, FIRST),
    "independent noise": ("chosen, pure", independent, "adds up to 0 only in one of them"),
    "one column twice": ("all", column_twice, "of one twice"),
    "axes turned": ("all", scheduled_pair_turned, NOT_WHAT),
    "a partner of many values": ("all", partner_of_many_values, NOT_WHAT),
    "points instead of a partner": ("all", no_partner, "does not describe"),
    "a column for a chosen pair": (
        "chosen",
        lambda d: become(d, last_pair(d), ["a"]),
        NOT_WHAT,
    ),
    "three columns for a chosen pair": (
        "chosen",
        lambda d: become(d, last_pair(d), ["a", "b", "s"]),
        NOT_WHAT,
    ),
    "three columns for a chosen pair, pure": (
        "chosen, pure",
        lambda d: become(d, last_pair(d), ["a", "b", "s"]),
        NOT_WHAT,
    ),
    "three columns for a pair of a graph": (
        "graph",
        lambda d: become(d, last_pair(d), ["a", "b", "s"]),
        NOT_WHAT,
    ),
    "mwem": ("chosen", as_method(method="mwem"), "inference is 'points'"),
    "mwem on a tree": (
        "chosen",
        as_method(method="mwem", inference="tree"),
        "in joined bins|first",
    ),
    "mwem, all": ("all", as_method(method="mwem", inference="tree"), FIRST),
    "mwem, graph": ("graph", as_method(method="mwem"), FIRST),
    "blr": ("chosen", as_method(method="blr", inference="tree"), "joined bins|counts nothing"),
    "blr, graph": ("graph", as_method(method="blr", inference="tree"), "counts nothing"),
    "nonsense": ("chosen", as_method(method="nonsense"), "method is 'nonsense'"),
    "a list of methods": ("chosen", as_method(method=["mst"]), "it must be 'mst', 'mwem' or 'blr'"),
    "mst of blr": ("blr", as_method(method="mst"), "first counts|choice that"),
    "mst of mwem": ("mwem", as_method(method="mst"), FIRST),
    "a graph as points": ("graph", as_method(inference="points"), IN_THE_PLACE),
    "points as a graph": ("chosen, pure", as_method(inference="graph"), "joined|in the place of"),
    "a tree of distances": ("screened", as_method(inference="tree"), "distances from a model are"),
    "joined after distances": ("screened", joined_of_distances, "only pairs that a choice"),
    "a pair without a distance": ("screened", pair_without_distance, NOT_WHAT),
    "a column for a round of mwem": (
        "mwem",
        lambda d: become(d, last_pair(d), ["s"]),
        NOT_WHAT,
    ),
    "cells of another condition": ("conditions", other_cells, NOT_WHAT),
    "parts exchanged": ("chosen", parts_exchanged, "not those of its steps"),
}


@pytest.mark.parametrize("kind", FORGED)
def test_counts_that_are_not_those_of_the_steps_are_refused(
    kind: str, folders: Callable[[str], Path], tmp_path: Path
) -> None:
    run, change, words = FORGED[kind]
    for file in folders(run).iterdir():
        shutil.copy(file, tmp_path)
    nw.results.Synthesis.open(tmp_path / "made.parquet")
    side = tmp_path / "made.synthesis.json"
    document = json.loads(side.read_text(encoding="utf-8"))
    change(document)
    side.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ReleaseError, match=words):
        nw.results.Synthesis.open(tmp_path / "made.parquet")
