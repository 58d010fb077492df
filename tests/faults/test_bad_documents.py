"""A small file must not stop its reader: every kind of document, with what should not be in it."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import settings

import noisewright as nw
from noisewright import checker
from noisewright.checker import certificate
from noisewright.errors import InputError, NoisewrightError
from noisewright.exact import exactly, parse_json, parse_toml
from tests.certificates.documents import resealed

ROOT = Path(__file__).parents[2]
EVERY = 13 if settings().derandomize else 1
"""The gate tries some cases of each kind; `make explore` all of them."""


@pytest.mark.parametrize("kind", ["plans", "codebooks", "recipes", "syntheses", "certificates"])
def test_nothing_in_a_document_hangs_its_reader_or_raises_raw(kind: str, tmp_path: Path) -> None:
    program = ROOT / "tests" / "faults" / "bad_documents.py"
    done = subprocess.run(
        [sys.executable, str(program), str(EVERY), kind],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *wrong, last = done.stdout.splitlines()
    assert wrong == []
    assert int(last.split()[2]) >= 5


@pytest.mark.parametrize(
    "number",
    ["1e999999999", "1e-999999999", "1_0e9_9_9_9_9_9_9", "0x" + "f" * 20_000, "9" * 5000],
)
def test_a_number_that_cannot_be_written_out_is_refused_at_once(number: str) -> None:
    start = time.process_time()
    with pytest.raises(InputError, match="the plan"):
        parse_toml(f"a = [1, {number}]", what="the plan")
    if "_" not in number and "x" not in number:
        with pytest.raises(InputError, match="the file"):
            parse_json(f"[1, {number}]", what="the file", exact=True)
        with pytest.raises(InputError):
            exactly(number)
    assert time.process_time() - start < 1


def test_keys_of_many_parts_are_refused_and_those_of_a_few_are_read() -> None:
    start = time.process_time()
    for key in ("a." * 30_000, "'a' . \"b\"." * 30_000, "[" + "a." * 30_000):
        with pytest.raises(InputError, match="joined by dots"):
            parse_toml(key + "b = 1", what="it")
    assert parse_toml("a.b.c = 1", what="it") == {"a": {"b": {"c": 1}}}
    words = "a" * 200_000
    assert parse_toml(f'b = "{words}"', what="it") == {"b": words}
    assert time.process_time() - start < 2


@pytest.mark.parametrize("name", ["a.toml", "a.json", "a.csv"])
def test_a_device_without_an_end_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.symlink_to("/dev/zero")
    domain = nw.Records({"a": nw.Counts(3)})
    start = time.process_time()
    data = pa.schema([("a", pa.int64())])
    for read in (
        lambda: nw.Plan.read(path),
        lambda: nw.load(path),
        lambda: nw.workloads.Workload.read(path, domain),
        lambda: nw.planning.draft_plan(data, codebook=path),
    ):
        with pytest.raises(NoisewrightError, match="device"):
            read()
    assert "device" in checker.check_file(path).failures[0].message
    assert time.process_time() - start < 1


def test_a_byte_order_mark_is_no_part_of_a_document(tmp_path: Path) -> None:
    plan = nw.Plan({"a": nw.Column(["x", "y"])}, epsilon=1)
    path = tmp_path / "plan.toml"
    path.write_text(plan.to_toml(), encoding="utf-8-sig")
    assert nw.Plan.read(path) == plan
    assert nw.Plan.from_toml("\ufeff" + plan.to_toml()) == plan
    certificate = tmp_path / "c.json"
    certificate.write_text(nw.certify(plan.mechanism).to_json(), encoding="utf-8-sig")
    assert nw.load(certificate)
    assert nw.check(certificate)


def test_a_text_in_another_encoding_says_so(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes("title = 'Größe'".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8 text"):
        nw.Plan.read(path)


@pytest.mark.parametrize("epsilon", ["0", "1/1" + "0" * 1200])
@pytest.mark.parametrize("decay", ["1/1" + "0" * 900, "1/1" + "0" * 3500])
def test_a_decay_that_no_double_holds_is_decided_all_the_same(epsilon: str, decay: str) -> None:
    """Noise that wide hides everything: with a δ it is private at any ε."""
    made = nw.laplace(nw.Interval(0, 1, step="0.5"), epsilon=1, delta="1e-3")
    document = json.loads(nw.certify(made).to_json())
    document["mechanism"]["decay"] = {"value": decay}
    document["claims"]["epsilon"] = {"value": epsilon}
    sealed = resealed(document)
    assert checker.check(sealed)
    sealed["mechanism"]["decay"] = {"value": "1"}
    assert not checker.check(resealed(sealed))


def test_what_the_checker_did_not_expect_is_not_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    def surprised(*_: object) -> None:
        raise OverflowError("too large")

    monkeypatch.setattr(certificate, "prove", surprised)
    report = checker.check(json.loads(nw.certify(nw.uniform(nw.Counts(2))).to_json()))
    assert not report
    assert "too large" in report.failures[-1].message
