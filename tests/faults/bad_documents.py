"""Every leaf of every kind of document, replaced by what should not be there.

Run as a program in an empty folder, with a number k, it tries every k-th case. It prints one line
for each reader that raised something else than an error of ours, and dies with a traceback if a
reader takes longer than a few seconds.
"""

import copy
import faulthandler
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import noisewright as nw
from noisewright.errors import NoisewrightError
from noisewright.plans.codebook import read_codebook
from noisewright.releases import Release, Synthesis
from noisewright.releases.files.recipe import digest_of, embedded_recipe

SECONDS = 10
"""A reader may take so long on a machine with other things to do; it should take milliseconds."""

NUMBERS = ("1e999999999", "-1e999999999", "1e-999999999", "9" * 5000, str(1 << 63), "1e400", "nan")
"""As they are written; where numbers are texts, as texts."""

VALUES: tuple[Any, ...] = (*NUMBERS, -1, 0, 1 << 63, 1e300, None, True, "", [], {}, [[]])

TOML = """version = 1
epsilon = 5
delta = 0.001
shares = "given"

[columns.a]
space = "categories"
labels = ["x", "y", 0.5]
epsilon = 1.5

[columns.b]
space = "counts"
n = 7
share = 0.5

[columns.c]
space = "interval"
low = 0.0
high = 4.5
step = 0.5
null = 1.5

[columns.d]
space = "subsets"
items = ["p", "q", 3]
largest = 2

[columns.e]
space = "curves"
grid = [0.0, 1.0, 2.5]
low = 0.0
high = 2.0
step = 1.0

[person]
column = "w"
rows = 2
"""

WORKLOAD = """version = 1
[[queries]]
kind = "marginals"
ways = 1
[[queries]]
kind = "ranges"
columns = "b"
ends = [[0, 3], [2, 7]]
[[queries]]
kind = "conjunction"
name = "some"
where = {a = "x", b = {at_least = 2}}
"""

SCHEMA = {
    "type": "object",
    "properties": {
        "a": {"enum": ["x", "y", 0.5]},
        "b": {"type": "integer", "minimum": 0, "maximum": 7},
        "c": {"type": "number", "exclusiveMinimum": 0.5, "maximum": 4.5, "multipleOf": 0.25},
        "d": {"type": "array", "items": {"enum": ["p", "q"]}, "maxItems": 2},
        "e": {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3},
    },
}

MAPPING = {"a": ["x", 0.5], "c": {"low": 0.5, "high": 4.5, "step": 0.25, "largest": 2}}

CODEBOOK_CSV = (
    "column,label,low,high,step,largest\na,x,,,,\na,y,,,,\nb,,{0},7,1,\nc,,0,{0},0.5,{0}\n"
)

DOMAIN = nw.Records({"a": nw.Categories(["x", "y"]), "b": nw.Counts(7)})


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of each value of a document; of long lists the first ones."""
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value[:2]):
            yield from leaves(inner, (*path, place))


def changed(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Return a copy of a document with another value in one place."""
    if not path:
        return value
    document = copy.deepcopy(document)
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return document


class Run:
    """Calls readers, and tells what was wrong with them."""

    def __init__(self, every: int) -> None:
        self.every = every
        self.cases = self.refused = 0

    def skips(self) -> bool:
        """Tell whether the next case is not tried."""
        self.cases += 1
        return self.cases % self.every != 0

    def __call__(self, name: str, read: Callable[[], Any]) -> None:
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        try:
            read()
        except (NoisewrightError, OSError) as problem:
            self.refused += 1
            if not str(problem):
                print(f"{name}: an error without words")
        except Exception as problem:
            print(f"{name}: {type(problem).__name__}: {str(problem)[:200]}")
        finally:
            faulthandler.cancel_dump_traceback_later()


def plans(run: Run) -> None:
    lines = TOML.splitlines()
    for place, line in enumerate(lines):
        key, sign, value = line.partition(" = ")
        for number in (*NUMBERS, "0x" + "f" * 20_000, "true", "-1", '"1e999999999"', "2020-01-01"):
            if sign and not run.skips():
                inner = value.replace("0.5", number) if value.startswith("[") else number
                text = "\n".join([*lines[:place], f"{key} = {inner}", *lines[place + 1 :]])
                run(f"plan, {key} = {number[:20]}", lambda t=text: nw.Plan.from_toml(t))
                Path("book.toml").write_text(text, encoding="utf-8")
                run(f"codebook, {key} = {number[:20]}", lambda: read_codebook("book.toml"))
    for name, text in {
        "deep": "a = " + "[" * 100_000,
        "many dots": "a." * 30_000 + "b = 1",
        "many quoted dots": "'a'.\"b\" . " * 30_000 + "b = 1",
        "a deep table": "[" + "a." * 30_000 + "b]",
        "one long word": "a" * 1_000_000,
        "quotes": "\"'" * 300_000,
    }.items():
        run(f"plan, {name}", lambda t=text: nw.Plan.from_toml(t))
        run(f"workload, {name}", lambda t=text: nw.workloads.Workload.from_toml(t, DOMAIN))
    lines = WORKLOAD.splitlines()
    for place, line in enumerate(lines):
        for number in (*NUMBERS, "0x" + "f" * 20_000, "true", "-1", "[]", "1e308"):
            for old in ("1", "0", "3", "2", '"x"'):
                if run.skips():
                    continue
                text = "\n".join([*lines[:place], line.replace(old, number), *lines[place + 1 :]])
                run(
                    f"workload, {text[:90]}",
                    lambda t=text: nw.workloads.Workload.from_toml(t, DOMAIN),
                )


def codebooks(run: Run) -> None:
    for document in (SCHEMA, MAPPING):
        for path in leaves(document):
            for value in VALUES:
                if run.skips():
                    continue
                text = json.dumps(changed(document, path, value))
                for written in {text, text.replace(json.dumps(value), str(value))}:
                    Path("book.json").write_text(written, encoding="utf-8")
                    run(f"codebook {path} = {str(value)[:20]}", lambda: _drafted("book.json"))
    for number in NUMBERS:
        Path("book.csv").write_text(CODEBOOK_CSV.format(number), encoding="utf-8")
        run(f"codebook, {number[:20]}", lambda: _drafted("book.csv"))
    Path("book.json").write_text("[" * 100_000, encoding="utf-8")
    run("codebook, deep", lambda: read_codebook("book.json"))


def _drafted(path: str) -> None:
    nw.planning.draft_plan("fields.parquet", codebook=path)


def recipes(run: Run) -> None:
    """What an analyst is sent: a file whose metadata anybody could have written."""
    plan = nw.Plan({"a": nw.Column(["x", "y"])}, epsilon=1)
    nw.release(
        pa.table({"a": ["x", "y"]}),
        plan,
        out=nw.planning.Output("r.parquet", report=False),
        ledger=None,
    )
    text = embedded_recipe(Path("r.parquet"))
    assert text is not None
    document = json.loads(text[0])
    table = pq.read_table("r.parquet")
    bad = [(path, value) for path in leaves(document) for value in VALUES]
    ratio = {"ln": "1e999999999"}
    bad += [(("guarantee", "epsilon"), {**ratio}), (("guarantee", "epsilon"), {"value": "1e99999"})]
    for line in ("epsilon = 1e999999999", "epsilon = 30000000", "epsilon = 1e-300"):
        bad.append((("plan",), document["plan"].replace("epsilon = 1", line)))
    for path, value in bad:
        if run.skips():
            continue
        forged = changed(document, path, value)
        if isinstance(forged, dict) and path != ("digest",):
            forged["digest"] = digest_of({k: v for k, v in forged.items() if k != "digest"})
        metadata = {b"noisewright.recipe": json.dumps(forged).encode()}
        pq.write_table(table.replace_schema_metadata(metadata), "forged.parquet")
        run(
            f"recipe {path} = {str(value)[-30:]}",
            lambda: Release.open("forged.parquet").estimate("a"),
        )


def syntheses(run: Run) -> None:
    data = pa.table({"a": ["x", "y"] * 20, "b": [1, 2, 3, 4] * 10})
    columns = {"a": nw.Categories(["x", "y"]), "b": nw.Counts(7)}
    nw.synthesize(
        data, columns, out=nw.planning.Output("s.parquet", report=False), epsilon=5, ledger=None
    )
    side = Path("s.synthesis.json")
    document = json.loads(side.read_bytes())
    Path("s.certificate.json").unlink()
    for path in leaves(document):
        for value in VALUES:
            if run.skips():
                continue
            side.write_text(json.dumps(changed(document, path, value)), encoding="utf-8")
            run(f"synthesis {path} = {str(value)[:20]}", lambda: Synthesis.open("s.parquet"))


def certificates(run: Run) -> None:
    space, grid = nw.Counts(3), nw.Interval(0, 2, step="0.5")
    made: dict[str, Any] = {
        "table": nw.design(space, epsilon=1).mechanism,
        "geometric": nw.geometric(nw.Counts(5000), epsilon=1),
        "response": nw.randomized_response(nw.Categories(range(5000)), epsilon=1),
        "rows": nw.randomized_response(nw.Categories(range(3)), epsilon=1) ** 3,
        "noise": nw.laplace(grid, epsilon=1, delta="1e-6"),
        "staircase": nw.staircase(grid, epsilon=1),
        "items": nw.per_item(nw.Subsets(["a", "b", "c"]), epsilon=1),
        "columns": nw.Plan.from_toml(TOML).mechanism,
    }
    for name, mechanism in made.items():
        certificate = nw.certify(mechanism)
        document = json.loads(certificate.to_json())
        for path in leaves({key: document[key] for key in ("mechanism", "neighbors", "claims")}):
            for value in (*VALUES, "1/" + "9" * 3990, "9" * 3990, "1e-900", "f" * 5000, 1 << 62):
                if run.skips() or not path:
                    continue
                forged = changed(document, path, value)
                for part in ("mechanism", "neighbors", "claims"):
                    forged["digests"][part] = digest_of(forged[part])
                forged["digest"] = digest_of({k: v for k, v in forged.items() if k != "digest"})
                Path("c.json").write_text(json.dumps(forged), encoding="utf-8")
                where = f"certificate of {name} {path} = {str(value)[:20]}"
                run(f"check, {where}", lambda: nw.check("c.json"))
                run(f"load, {where}", lambda: nw.load("c.json"))


def main() -> None:
    """Run everything; the last line says how many cases there were."""
    run = Run(int(sys.argv[1]))
    names = {"a": ["x"], "b": [1], "c": [0.5], "d": [["p"]], "e": [[0.0, 1.0, 2.0]]}
    pq.write_table(pa.table(names), "fields.parquet")
    for kind in (plans, codebooks, recipes, syntheses, certificates):
        if len(sys.argv) == 2 or kind.__name__ in sys.argv[2:]:
            kind(run)
    print(f"{run.cases} cases, {run.refused} refused")


if __name__ == "__main__":
    main()
