"""`noisewright check`: certificates proven again, forgeries named, exit codes for scripts."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import noisewright as nw
from tests.certificates.documents import resealed
from tests.cli.conftest import Program


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    return nw.certify(nw.geometric(nw.Counts(5), epsilon="1/2")).save(tmp_path / "m.json")


@pytest.fixture
def forgery(certificate: Path, tmp_path: Path) -> Path:
    document = json.loads(certificate.read_text(encoding="utf-8"))
    document["claims"]["epsilon"] = {"value": "49/100"}
    path = tmp_path / "forged.json"
    path.write_text(json.dumps(resealed(document)), encoding="utf-8")
    return path


def digest(path: Path) -> str:
    return json.loads(path.read_text(encoding="utf-8"))["digest"]


def test_a_sound_certificate_ends_with_0(
    noisewright: Program, shell: Program, certificate: Path
) -> None:
    said = shell("check", certificate)
    assert said.code == 0
    assert f"{certificate}: proven." in said.out
    assert len(said.out.splitlines()) > 2
    answer = noisewright("check", certificate, "--json").json
    assert answer["holds"] is True
    assert answer["certificates"][0]["failures"] == []
    assert answer["certificates"][0]["proved"]


def test_a_forgery_ends_with_1_and_is_named(
    noisewright: Program, shell: Program, forgery: Path
) -> None:
    said = shell("check", forgery)
    assert said.code == 1
    assert "NOT proven" in said.out
    assert "epsilon: " in said.out
    answer = noisewright("check", forgery, "--json")
    assert answer.code == 1
    assert answer.json["certificates"][0]["failures"][0]["part"] == "epsilon"


def test_what_is_no_certificate_ends_with_2(
    noisewright: Program, certificate: Path, forgery: Path, tmp_path: Path
) -> None:
    (tmp_path / "text.json").write_text("hello", encoding="utf-8")
    (tmp_path / "binary.json").write_bytes(bytes(range(256)))
    for name in ("text.json", "binary.json", "missing.json", "."):
        said = noisewright("check", name)
        assert said.code == 2, said
        assert "Traceback" not in said.err
        assert noisewright("check", name, "--json").json["holds"] is False
    assert "there is no such file" in noisewright("check", "missing.json").out
    # Several files: each gets its answer, and the worst one sets the exit code.
    said = noisewright("check", certificate, forgery, "missing.json", "--json")
    assert said.code == 2
    assert [one["holds"] for one in said.json["certificates"]] == [True, False, False]
    assert noisewright("check", certificate, forgery).code == 1
    assert noisewright("check", certificate, certificate).code == 0


def test_an_announced_digest(noisewright: Program, certificate: Path, forgery: Path) -> None:
    right = digest(certificate)
    assert noisewright("check", certificate, "--digest", right).code == 0
    assert noisewright("check", certificate, "--digest", f"sha256:{right.upper()}").code == 0
    wrong = noisewright("check", certificate, "--digest", digest(forgery))
    assert wrong.code == 1
    assert "a different certificate" in wrong.out
    assert (
        noisewright("check", certificate, "--digest", digest(forgery), "--json").json[
            "certificates"
        ][0]["failures"][0]["part"]
        == "digest"
    )
    for senseless in ("", "abc", right[:16], "z" * 64):
        said = noisewright("check", certificate, "--digest", senseless)
        assert said.code == 2
        assert "64 hexadecimal digits" in said.err
    both = noisewright("check", certificate, forgery, "--digest", right)
    assert both.code == 2
    assert "one certificate" in both.err


def test_labels_of_any_language_and_terminals_of_any_age(
    noisewright: Program, tmp_path: Path
) -> None:
    matrix = nw.from_matrix(nw.Categories(["grün", "blå"]), [[0.75, 0.25], [0.25, 0.75]])
    document = nw.certify(matrix).document
    forged = resealed({**document, "claims": {**document["claims"], "epsilon": {"value": "1"}}})
    (tmp_path / "m.json").write_text(json.dumps(forged), encoding="utf-8")
    assert noisewright("check", "m.json").code == 1


@pytest.mark.parametrize("sensitivity", ["1", "1/1000000"])
def test_what_a_certificate_takes_on_trust_is_said(
    noisewright: Program, tmp_path: Path, sensitivity: str
) -> None:
    choice = nw.exponential(["a", "b"], [1, 2], sensitivity=sensitivity, epsilon=1, monotonic=True)
    choice.certificate.save(tmp_path / "e.json")
    words = f"one person changes a quality by at most {sensitivity}, one way."
    said = noisewright("check", "e.json")
    assert said.code == 0
    assert f"  Assuming: {words}\n" in said.out
    (answer,) = noisewright("check", "e.json", "--json").json["certificates"]
    assert answer["assuming"] == [words]
    assert not any(line.startswith("Assuming") for line in answer["proved"])


def test_the_checker_is_written_whole_or_not_at_all(
    noisewright: Program, certificate: Path, tmp_path: Path
) -> None:
    written = tmp_path / "checker.pyz"
    written.write_text("an old one", encoding="utf-8")
    said = noisewright("checker", "-o", written)
    assert said.code == 0
    digest = hashlib.sha256(written.read_bytes()).hexdigest()
    assert digest in said.out
    assert noisewright("checker", "-o", written, "--json").json["sha256"] == digest
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checker.pyz", "m.json"]
    alone = subprocess.run(
        [sys.executable, "-I", str(written), str(certificate)], capture_output=True, check=False
    )
    assert alone.returncode == 0
    said = noisewright("checker", "-o", tmp_path / "none" / "checker.pyz")
    assert said.code == 2
    assert "none" in said.err
