"""The folder for other languages: vectors that reach every branch, and clients that agree."""

import hashlib
import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import noisewright as nw
from noisewright.errors import InputError, ParameterError
from noisewright.local.elsewhere.folder import FAMILIES, FORMS, POINTS, READINGS
from noisewright.local.families.family import ByteStream
from noisewright.local.families.windows import Windows
from noisewright.local.one_of_several import OneOfSeveral
from noisewright.local.randomizer import BlockResponse
from noisewright.sampling import Source
from tests.local.elsewhere import (
    GCC,
    KINDS,
    LABELS,
    NEEDS_GCC,
    NEEDS_NODE,
    WITHOUT_C,
    load_in_node,
    node,
    of_family,
    of_randomizer,
)

FILES = {"collection.json", "vectors.json", "client.js", "package.json", "README.md"}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("spec")
    return {kind: one.spec(place / kind) for kind, one in KINDS.items()}


class Replay(Source):
    """The bytes of a vector, and then no more."""

    def __init__(self, data: str) -> None:
        self.left = bytes.fromhex(data)

    def fill(self, buffer: NDArray[Any]) -> None:
        size = buffer.nbytes
        assert size <= len(self.left)
        buffer.view(np.uint8)[:] = np.frombuffer(self.left[:size], dtype=np.uint8)
        self.left = self.left[size:]


class Watched(ByteStream):
    """Counts what coins show, and how often a number is drawn again."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.seen = Counter[str]()

    def below(self, bound: int) -> int:
        before = len(self._source.left)  # type: ignore[attr-defined]
        found = super().below(bound)
        size = -(-(bound - 1).bit_length() // 8)
        after = len(self._source.left)  # type: ignore[attr-defined]
        self.seen["again"] += before - after > size
        self.seen["may repeat"] += bound & (bound - 1) != 0
        return found

    def coin(self, heads: int, log2_total: int) -> bool:
        found = super().coin(heads, log2_total)
        self.seen[f"heads {found}"] += 1
        return found


def vectors_of(folder: Path) -> list[dict[str, Any]]:
    return json.loads((folder / "vectors.json").read_text(encoding="utf-8"))["vectors"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_files_say_what_the_collection_is(folders: dict[str, Path], kind: str) -> None:
    folder, collection = folders[kind], KINDS[kind]
    with_c = {"client.c"} if kind not in WITHOUT_C else set[str]()
    assert {path.name for path in folder.iterdir()} == FILES | with_c
    text = (folder / "collection.json").read_bytes()
    assert hashlib.sha256(text).digest() == collection.digest
    assert json.loads(text) == collection.specification
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert collection.digest.hex() in page
    assert ("client.c" in page) == bool(with_c)
    for name in ("README.md", "client.c", "client.js"):
        if (folder / name).exists():
            left = re.findall("@[A-Z_]+@", (folder / name).read_text(encoding="utf-8"))
            assert set(left) <= {"@DIGEST@"} if kind == "labels" else left == []


@pytest.mark.parametrize("kind", KINDS)
def test_vectors_are_what_the_client_sends_and_reach_every_branch(
    folders: dict[str, Path], kind: str
) -> None:
    collection, seen, parts = KINDS[kind], Counter[str](), Counter[int]()
    for vector in vectors_of(folders[kind]):
        source = Replay(vector["random"])
        report = collection.client(source=source).report(vector["value"])
        assert report.hex() == vector["report"]
        assert source.left == b""
        stream = Watched(Replay(vector["random"]))
        payload = collection.randomizer.draw_one(collection.encode([vector["value"]])[0], stream)
        assert payload == report[19:-4]
        seen += stream.seen
        parts[int.from_bytes(payload[:2], "little")] += 1
    assert seen["heads True"]
    assert seen["heads False"]
    assert (seen["again"] > 0) == (seen["may repeat"] > 0)
    if isinstance(collection.randomizer, OneOfSeveral):
        assert set(parts) == set(range(len(collection.randomizer.parts)))
    server = collection.server().add(
        [bytes.fromhex(v["report"]) for v in vectors_of(folders[kind])]
    )
    assert server.arrivals.counted == len(vectors_of(folders[kind]))


def test_vectors_are_the_same_everywhere(folders: dict[str, Path], tmp_path: Path) -> None:
    again = KINDS["labels"].spec(tmp_path)
    for name in FILES:
        assert (again / name).read_bytes() == (folders["labels"] / name).read_bytes()


@NEEDS_NODE
@pytest.mark.parametrize("kind", KINDS)
def test_node_sends_the_same_bytes(folders: dict[str, Path], kind: str) -> None:
    folder = folders[kind]
    program = load_in_node(folder) + (
        "console.log(nw.checkVectors(vectors));\n"
        "console.log(nw.makeClient().report(vectors.vectors[0].value).length);\n"
        "const third = vectors.vectors[3];\n"
        "third.report = third.report.replace(/.$/, (c) => c === '0' ? '1' : '0');\n"
        "console.log(fails(() => nw.checkVectors(vectors)));\n"
        "vectors.digest = vectors.digest.replace(/^./, (c) => c === '0' ? '1' : '0');\n"
        "console.log(fails(() => nw.checkVectors(vectors)));\n"
    )
    count, length, changed, foreign = node(program).splitlines()
    assert int(count) == len(vectors_of(folder))
    assert int(length) == KINDS[kind].randomizer.length + 23
    assert "vector 3" in changed
    assert "another collection" in foreign


HARNESS = r"""
#include "client.c"
#include <stdio.h>
static const char *left;
static int replay(uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++, left += 2) {
        unsigned one;
        if (sscanf(left, "%2x", &one) != 1) return -1;
        bytes[i] = (uint8_t)one;
    }
    return 0;
}
int main(void) {
    static char line[1 << 20];
    unsigned long long code;
    int used;
    uint8_t report[NOISEWRIGHT_BYTES];
    random_bytes = replay;
    while (fgets(line, sizeof line, stdin) && sscanf(line, "%llu %n", &code, &used) == 1) {
        left = line + used;
        if (noisewright_report(code, report) != 0 || *left != '\n') return 1;
        for (int i = 0; i < NOISEWRIGHT_BYTES; i++) printf("%02x", report[i]);
        printf("\n");
    }
    random_bytes = system_bytes;
    if (noisewright_report(0, report) != 0) return 2;
    if (noisewright_report(VALUES, report) != -1) return 3;
    left = "00";
    random_bytes = replay;
    if (noisewright_report(0, report) != -1) return 4;
    return 0;
}
"""


@NEEDS_GCC
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in WITHOUT_C])
def test_c_sends_the_same_bytes(folders: dict[str, Path], kind: str, tmp_path: Path) -> None:
    assert GCC is not None
    folder, collection = folders[kind], KINDS[kind]
    (tmp_path / "harness.c").write_text(HARNESS)
    strict = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
    checked = ["-fsanitize=undefined", "-fno-sanitize-recover"]
    command = [GCC, *strict, *checked, f"-I{folder}", "harness.c", "-o", "harness"]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    vectors = vectors_of(folder)
    codes = collection.encode([vector["value"] for vector in vectors]).tolist()
    lines = [f"{code} {one['random']}\n" for code, one in zip(codes, vectors, strict=True)]
    done = subprocess.run(
        [tmp_path / "harness"], input="".join(lines), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [vector["report"] for vector in vectors]


FORBIDDEN = (
    *("Math.random", "Date", "eval", "Function", "require", "import", "process", "setTimeout"),
    *("fetch", "XMLHttpRequest", "WebSocket", "EventSource", "sendBeacon", "postMessage"),
    *("document", "window", "innerHTML"),
)


def test_the_programs_take_secret_bits_and_send_nothing() -> None:
    place = Path(str(nw.__file__)).parent / "local" / "elsewhere"
    script = (place / "client.js").read_text(encoding="utf-8")
    code = re.sub(r"//[^\n]*|/\*.*?\*/", "", script, flags=re.DOTALL)
    for word in FORBIDDEN:
        assert re.search(rf"\b{re.escape(word)}\b", code) is None, word
    assert code.count("getRandomValues") == 3  # looked for, used, and named in the error
    program = (place / "client.c").read_text(encoding="utf-8")
    for word in ("rand(", "srand", "random(", "time(", "socket", "float", "double"):
        assert not re.search(rf"(?<!get){re.escape(word)}", program), word
    assert len(program.splitlines()) < 300


def test_what_is_there_is_kept(tmp_path: Path) -> None:
    collection = KINDS["points"]
    folder = collection.spec(tmp_path / "a" / "b")
    before = (folder / "collection.json").read_bytes()
    with pytest.raises(InputError, match="overwrite=True"):
        KINDS["several"].spec(folder)
    assert (folder / "collection.json").read_bytes() == before
    KINDS["several"].spec(folder, overwrite=True)
    assert (folder / "collection.json").read_bytes() != before
    assert not (folder / "client.c").exists()
    with pytest.raises(ParameterError, match="overwrite"):
        collection.spec(folder, overwrite="yes")  # type: ignore[arg-type]
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be a folder"):
        collection.spec(tmp_path / "file")


def test_what_clients_elsewhere_cannot_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(space: Any, match: str) -> None:
        with pytest.raises(ParameterError, match=match):
            nw.local.frequencies(space, epsilon=1, method="response").spec(tmp_path / "none")

    refuses(nw.Categories([1, 1 << 53]), "2\\^53")
    refuses(nw.Dates("2026-01-01", "2026-01-31"), "dates")
    refuses(nw.Subsets(["a", "b"]), "labels")
    refuses(nw.Categories([b"a", b"b"]), "labels")
    with pytest.raises(ParameterError, match="2\\^53"):
        of_family(Windows(3, 1 << 54, 1)).spec(tmp_path / "none")
    with pytest.raises(ParameterError, match="2\\^53"):
        of_family(Windows(1 << 30, 5, 1 << 30)).spec(tmp_path / "none")

    class Newer(BlockResponse):
        def describe_for_clients(self) -> dict[str, Any]:
            return {"form": "newer"}

    known = KINDS["points"].randomizer
    assert isinstance(known, BlockResponse)
    newer = Newer(known.family, known.keep, known.guarantee)
    with pytest.raises(ParameterError, match="'newer'"):
        of_randomizer(newer).spec(tmp_path / "none")
    unread = of_randomizer(known)
    monkeypatch.setattr(type(unread), "reading", lambda self: None)
    with pytest.raises(ParameterError, match="no clients in other languages"):
        unread.spec(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_python_knows_what_the_program_knows() -> None:
    place = Path(str(nw.__file__)).parent / "local" / "elsewhere"
    script = (place / "client.js").read_text(encoding="utf-8")
    known = {"FORMS": FORMS, "FAMILIES": FAMILIES, "READINGS": READINGS, "POINTS": POINTS}
    for table, names in known.items():
        (body,) = re.findall(rf"^const {table} = {{\n(.*?)^}};", script, re.DOTALL | re.MULTILINE)
        assert tuple(re.findall(r'^  "?([a-z][a-z ]+)"?\(', body, re.MULTILINE)) == names


@pytest.mark.parametrize("value", [*LABELS.labels, 7.0, np.int64(7), np.str_("red"), np.True_])
def test_one_value_is_read_as_many_are(value: Any) -> None:
    collection = KINDS["labels"]
    one, many = collection.encode_one(value), collection.encode([value])[0]
    assert one == many
    assert one.tobytes() == many.tobytes()
