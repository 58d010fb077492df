"""Readers of files that strangers write, fuzzed where coverage leads.

    make fuzz                                          each reader for SECONDS, in .venv-fuzz
    .venv-fuzz/bin/python -m tests.faults.fuzz plan 60
    .venv-fuzz/bin/python -m tests.faults.fuzz --keep  renew `corpus/` from what the runs reached

A reader ends in a result or in an error of ours, and soon. Where a document carries digests, it is
also sealed anew: digests keep mistakes out, not strangers.
"""

import contextlib
import importlib
import json
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(__file__).with_name("corpus")
WORK = ROOT / ".fuzz"
SECONDS = 10
"""A reader may take so long, instrumented and on a machine with other things to do."""

PLAN = """version = 1
epsilon = 5
[columns.a]
space = "categories"
labels = ["x", "y", "z z"]
null = "x"
[columns.b]
space = "counts"
n = 7
[columns.c]
space = "interval"
low = 0
high = 2
step = 0.5
outside = "clamp"
[columns.d]
space = "categories"
labels = [true, false]
"""

SETS = """version = 1
delta = 0.001
shares = "given"
[columns.d]
space = "subsets"
items = ["p", "q", 3]
largest = 2
epsilon = 1.5
[columns.e]
space = "curves"
grid = [0.0, 1.0, 2.5]
low = 0.0
high = 2.0
step = 1.0
share = 0.5
[person]
column = "w"
rows = 2
"""


def certificate(data: bytes, path: Path) -> None:
    import noisewright as nw
    from noisewright import checker
    from tests.certificates.documents import resealed

    _written(data, path, ".json")
    for _ in range(2):
        proven = bool(checker.check_file(path.with_suffix(".json")))
        try:
            nw.load(path.with_suffix(".json"))
            assert proven, "loaded, but not proven"
        except nw.errors.NoisewrightError:
            pass
        sealed = _parsed(data, resealed)
        if sealed is None:
            return
        _written(sealed, path, ".json")


def recipe(data: bytes, path: Path) -> None:
    from noisewright.errors import NoisewrightError
    from noisewright.releases.files.recipe import Recipe, digest_of

    def sealed(document: Any) -> Any:
        content = {key: value for key, value in document.items() if key != "digest"}
        return {**content, "digest": digest_of(content)}

    for text in (data, _parsed(data, sealed)):
        with contextlib.suppress(NoisewrightError):
            if text is not None:
                read = Recipe.read(text, where="it")
                str(read.guarantee)
                read.plan(where="it")


def plan(data: bytes, path: Path) -> None:
    import noisewright as nw

    _written(data, path, ".toml")
    with contextlib.suppress(nw.errors.NoisewrightError):
        read = nw.Plan.read(path.with_suffix(".toml"))
        assert nw.Plan.from_toml(read.to_toml()) == read, "it is written as another plan"
        str(read.mechanism)


def table(data: bytes, path: Path) -> None:
    import noisewright as nw
    from noisewright.errors import NoisewrightError
    from noisewright.plans.codebook import read_codebook
    from noisewright.tables import open_table

    declared = nw.Plan.from_toml(PLAN)
    _written(data, path, ".csv")
    for read in (
        lambda: sum(
            batch.num_rows
            for batch in open_table(path.with_suffix(".csv"), schema=declared.schema).batches()
        ),
        lambda: nw.planning.draft_plan(path.with_suffix(".csv")),
        lambda: read_codebook(path.with_suffix(".csv")),
    ):
        with contextlib.suppress(NoisewrightError):
            read()


READERS: dict[str, Callable[[bytes, Path], None]] = {
    "certificate": certificate,
    "recipe": recipe,
    "plan": plan,
    "table": table,
}
"""Each takes what may be in a file, and a path to write it to; it raises what is not ours."""


def _written(data: bytes, path: Path, suffix: str) -> None:
    path.with_suffix(suffix).write_bytes(data)


def _parsed(data: bytes, sealed: Callable[[Any], Any]) -> bytes | None:
    """Return a document sealed anew; None where there is nothing to seal."""
    try:
        return json.dumps(sealed(json.loads(data))).encode()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def seeds(name: str) -> list[bytes]:
    """Return small documents of every form, from which a search starts."""
    import noisewright as nw

    if name == "plan":
        return [PLAN.encode(), SETS.encode()]
    if name == "table":
        return [
            b'a,b,c,d\nx,1,0.5,true\n"z z",7,,false\n,0,9e9,TRUE\n',
            b"column,label,low,high,step,largest\na,x,,,,\na,y,,,,\nb,,0,7,1,\nc,,0,3,0.5,2\n",
        ]
    if name == "recipe":
        from noisewright.releases.files.recipe import Recipe

        read = nw.Plan.from_toml(PLAN)
        proof = nw.certify(read.mechanism)
        made = Recipe.of(read, proof, rows=2, private=True, accounted=False)
        return [made.to_json().encode(), made.for_file("r.csv", "0" * 64).to_json().encode()]
    grid, labels = nw.Interval(0, 1, step="0.5"), nw.Categories(["a", "b"])
    mechanisms: list[Any] = [
        nw.geometric(nw.Counts(2), epsilon=1),
        nw.geometric(nw.Counts(5000), epsilon=1),
        nw.randomized_response(nw.Categories(range(9)), alpha="1/2", table=False),
        nw.explicit_fair(nw.Counts(2), epsilon=1),
        nw.randomized_response(labels, epsilon=1) ** 3,
        nw.combine.per_person(nw.randomized_response(labels, epsilon=1), rows=2),
        nw.laplace(grid, epsilon=1, delta="1e-6"),
        nw.staircase(grid, epsilon=1),
        nw.per_item(nw.Subsets(["a", "b"]), epsilon=1),
        nw.combine.product(a=nw.uniform(labels), b=nw.laplace(grid, epsilon=1)),
        nw.curves.curve_noise(nw.Curves([0, 1], low=0, high=1), epsilon=1),
    ]
    return [nw.certify(one).to_json().encode() for one in mechanisms]


def kept(name: str) -> list[bytes]:
    """Return what earlier runs found worth keeping, as texts in Latin-1: one letter, one byte."""
    texts = json.loads((CORPUS / f"{name}.json").read_text(encoding="utf-8"))
    return [text.encode("latin-1") for text in texts]


def main() -> None:
    """Fuzz one reader; libFuzzer writes what takes too long into the folder of its findings."""
    if sys.argv[1:] == ["--keep"]:
        _keep()
        return
    atheris: Any = importlib.import_module("atheris")  # only in .venv-fuzz

    name, seconds = sys.argv[1], int(sys.argv[2])
    reached, found = WORK / name / "reached", WORK / name / "found"
    for folder in (reached, found):
        folder.mkdir(parents=True, exist_ok=True)
    shared = Path("/dev/shm")
    path = Path(tempfile.mkdtemp(dir=shared if shared.is_dir() else None)) / "it"
    # Names load on first use, and only what loads in here is instrumented.
    with atheris.instrument_imports(include=["noisewright"]):
        for number, data in enumerate((*seeds(name), *kept(name))):
            (reached / f"seed-{number}").write_bytes(data)
            READERS[name](data, path)
    places: set[str] = set()

    def once(data: bytes) -> None:
        try:
            READERS[name](data, path)
        except BaseException as problem:
            place = traceback.extract_tb(problem.__traceback__)[-1]
            where = f"{type(problem).__name__} at {place.filename.split('/')[-1]}:{place.lineno}"
            if where not in places:
                places.add(where)
                (found / f"raised-{len(places)}-{time.time_ns()}").write_bytes(data)
                print(f"FOUND in {name}: {where}: {str(problem)[:200]}", flush=True)

    options = [f"-max_total_time={seconds}", f"-timeout={SECONDS}", "-max_len=6000"]
    options += ["-rss_limit_mb=4096", "-print_final_stats=1", "-verbosity=0"]
    options += [f"-artifact_prefix={found}{os.sep}"]
    atheris.Setup([sys.argv[0], *options, str(reached)], once)
    atheris.Fuzz()


def _keep() -> None:
    """Keep the smallest inputs that were reached, some thousand bytes of each kind."""
    for name in READERS:
        files = sorted((WORK / name / "reached").iterdir(), key=lambda file: file.stat().st_size)
        chosen: list[bytes] = []
        for file in files:
            if sum(map(len, chosen)) + file.stat().st_size < 3000 and len(chosen) < 40:
                chosen.append(file.read_bytes())
        texts = [data.decode("latin-1") for data in chosen]
        text = json.dumps(texts, indent=0, ensure_ascii=True) + "\n"
        (CORPUS / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
