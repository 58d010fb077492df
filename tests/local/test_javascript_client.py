"""The JavaScript client: values that it reads and refuses, its memo, and its digest."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import OutsideSpaceError
from noisewright.exact import Epsilon
from noisewright.local.families.points import PointBlocks
from noisewright.local.randomizer import block_response
from tests.local.elsewhere import KINDS, LABELS, NEEDS_NODE, load_in_node, node, of_randomizer

pytestmark = NEEDS_NODE

SECRET = "a private diagnosis"
GRID = nw.Interval("-3/2", 2, step=0.25)
THIRDS = nw.Interval(0, 2, step="1/3")
SPACES = {
    "labels": LABELS,
    "counts": nw.Counts(9),
    "grid": GRID,
    "tenths": nw.Interval(-1, 1, step=0.1),
    "thirds": THIRDS,
    "clamped": GRID.reading(outside="clamp"),
    "rounded": GRID.reading(off_grid="round"),
    "both": THIRDS.reading(outside="clamp", off_grid="round"),
    "far": nw.Interval(10**9, 10**9 + 10, step=0.5).reading(off_grid="round"),
}
NUMBERS = [
    *[i / 8 for i in range(-20, 30)],
    *[round(0.1 * i, 1) for i in range(-11, 12)],
    *[i / 3 for i in range(-2, 8)],
    *[0.1 + 0.2, 1 / 3 + 2e-7, 0.25 + 1e-9, -1.5 - 1e-8, 2 + 1e-8, 2.001, 1 / 6, 0.5, 5e-324],
    *[1e9 + 0.25, 1e9 + 0.75, 1e9 + 9.75, 1e300, -1e300, -0.0, 9.0, 10.0, 7.0, -3.0],
]
OTHERS = [SECRET, "7", "red", "", "\u2028", True, False, None]


def python_code(space: nw.spaces.Space, value: Any) -> int | None:
    sure = of_randomizer(block_response(PointBlocks(space.size), Epsilon.of(1)), space)
    try:
        return int(sure.encode([value])[0])
    except OutsideSpaceError:
        return None


@pytest.mark.parametrize("name", SPACES)
def test_values_are_read_as_in_python(name: str, tmp_path: Path) -> None:
    """At ε = 60 a report is the value's code, but for one in 10^18."""
    space = SPACES[name]
    sure = of_randomizer(block_response(PointBlocks(space.size), Epsilon.of(60)), space)
    folder = sure.spec(tmp_path)
    values = [*NUMBERS, *OTHERS]
    program = load_in_node(folder) + (
        f"const client = nw.makeClient(), values = {json.dumps(values)};\n"
        "values.push(NaN, Infinity, -Infinity, undefined, 2n, {}, [], [1], () => 1);\n"
        "const codes = values.map((one) => { let code = null;\n"
        "  const message = fails(() => { code = client.report(one)[19]; });\n"
        f"  if (message && message.includes({json.dumps(SECRET)})) throw new Error('it shows');\n"
        "  return code; });\n"
        "console.log(JSON.stringify(codes));\n"
    )
    found = json.loads(node(program))
    expected = [python_code(space, value) for value in values]
    assert found[: len(values)] == expected
    nan, top, bottom, *odd = found[len(values) :]
    clamps = getattr(space, "clamps", False)
    assert nan is None
    assert top == (python_code(space, math.inf) if clamps else None)
    assert bottom == (0 if clamps else None)
    two = python_code(space, 2)
    assert odd == [None, two, None, None, None, None]
    assert any(code is not None for code in found)


RECORDS = [
    ('{"q0": 1, "q1": 2, "q2": 3}', True),
    ('{"q2": 12, "q1": 19, "q0": 0}', True),
    ('{"q0": 3, "q1": 2, "q2": 3}', False),
    ('{"q0": 1, "q1": 2}', False),
    ('{"q0": 1, "q1": 2, "q2": 3, "q3": 4}', False),
    ('{"q0": 1, "q1": 2, "__proto__": {"q2": 3}}', False),
    ("[1, 2, 3]", False),
    ("1", False),
    ("null", False),
]
SETS = [
    ("[]", True),
    ('["tv", "beer"]', True),
    ('new Set(["Öl"])', True),
    ('["tv", "tv"]', True),
    ('["tv", "plane"]', False),
    ('"tv"', False),
    ("{}", False),
    ("null", False),
]


@pytest.mark.parametrize(("kind", "cases"), [("several", RECORDS), ("items", SETS)])
def test_records_and_sets_are_read_or_refused(
    kind: str, cases: list[tuple[str, bool]], tmp_path: Path
) -> None:
    values = ", ".join(f"({text})" for text, _ in cases)
    program = load_in_node(KINDS[kind].spec(tmp_path)) + (
        "const client = nw.makeClient();\n"
        f"const found = [{values}].map((one) => fails(() => client.report(one)) === null);\n"
        "console.log(JSON.stringify(found));\n"
    )
    assert json.loads(node(program)) == [read for _, read in cases]


def test_a_memo_keeps_answers_before_they_are_sent(tmp_path: Path) -> None:
    program = load_in_node(KINDS["points"].spec(tmp_path)) + (
        "const kept = new Map();\n"
        "const memo = nw.storageMemo({ getItem: (k) => kept.get(k) ?? null,\n"
        "  setItem: (k, v) => { kept.set(k, v); } });\n"
        "const hex = (report) => Buffer.from(report).toString('hex');\n"
        "const reports = [];\n"
        "for (let i = 0; i < 60; i += 1)\n"
        "  reports.push(hex(nw.makeClient({ memo }).report(i % 3)));\n"
        "const key = [...kept.keys()][0];\n"
        "const broken = ['zz', '', '0', '0000', 7].map((text) => { kept.set(key, text);\n"
        "  return fails(() => nw.makeClient({ memo }).report(0)); });\n"
        "const forgetful = { get: () => null, set: () => {} };\n"
        "broken.push(fails(() => nw.makeClient({ memo: forgetful }).report(0)));\n"
        "console.log(JSON.stringify({ reports, keys: [...kept.keys()], broken }));\n"
    )
    found = json.loads(node(program))
    payloads = [report[38:-8] for report in found["reports"]]
    assert len(set(found["reports"])) == 60
    assert payloads == payloads[:3] * 20
    digest = KINDS["points"].digest.hex()
    assert found["keys"] == [f"noisewright.{digest}.{code}" for code in range(3)]
    assert all("Nothing was sent" in message for message in found["broken"])
    server = KINDS["points"].server().add([bytes.fromhex(one) for one in found["reports"]])
    assert server.arrivals.counted == 60


def test_without_a_memo_answers_differ(tmp_path: Path) -> None:
    """64 answers are the same with probability below 2^-64: all 64 coins would show heads."""
    program = load_in_node(KINDS["many points"].spec(tmp_path)) + (
        "const client = nw.makeClient();\n"
        "console.log(new Set(Array.from({ length: 64 }, () => client.report(5)"
        ".slice(19, -4).join())).size);\n"
    )
    assert int(node(program)) > 1


def test_another_collection_than_its_digest_says_is_refused(tmp_path: Path) -> None:
    folder = KINDS["labels"].spec(tmp_path / "a")
    other = KINDS["grid"].spec(tmp_path / "b")
    text = (folder / "collection.json").read_text(encoding="utf-8")
    newer = [
        text.replace('"version":1', '"version":2'),
        text.replace('"form":"blocks"', '"form":"newer"'),
        text.replace('"kind":"projective"', '"kind":"constructor"'),
    ]
    program = load_in_node(folder) + (
        'import { createHash } from "node:crypto";\n'
        "const sha = (text) => createHash('sha256').update(text).digest('hex');\n"
        f"const text = {json.dumps(text)}, other = readFileSync("
        f"{json.dumps(str(other / 'collection.json'))}, 'utf8');\n"
        "const ours = nw.makeClient({ collection: text }).digest;\n"
        "const given = nw.makeClient({ collection: other, digest: sha(other) }).digest;\n"
        "const refused = [text + ' ', text.replace('red', 'Red'), other, ''].map((collection) =>\n"
        "  fails(() => nw.makeClient({ collection })));\n"
        f"const newer = {json.dumps(newer)}.map((collection) =>\n"
        "  fails(() => nw.makeClient({ collection, digest: sha(collection) })));\n"
        "console.log(JSON.stringify({ ours, given, refused, newer }));\n"
    )
    found = json.loads(node(program))
    assert found["ours"] == KINDS["labels"].digest.hex()
    assert found["given"] == KINDS["grid"].digest.hex()
    assert all("digest" in message for message in found["refused"])
    assert all("newer client.js" in message for message in found["newer"])


def test_its_sha_256_is_that_of_the_standard(tmp_path: Path) -> None:
    """Texts of each length around the ends of blocks, as collections that are refused later."""
    program = load_in_node(KINDS["points"].spec(tmp_path)) + (
        'import { createHash } from "node:crypto";\n'
        "const messages = new Set();\n"
        "for (let n = 0; n < 200; n += 1) {\n"
        "  const collection = JSON.stringify({ a: 'é'.repeat(n % 3) + 'x'.repeat(n) });\n"
        "  const digest = createHash('sha256').update(collection).digest('hex');\n"
        "  messages.add(fails(() => nw.makeClient({ collection, digest })));\n"
        "}\n"
        "console.log(JSON.stringify([...messages]));\n"
    )
    assert json.loads(node(program)) == [
        "this is not a collection of version 1. Take a newer client.js."
    ]
