"""The stand-alone files, run by hand: what is asked of them, or how to run them, is said."""

import subprocess
import sys
from pathlib import Path

import pytest

import noisewright as nw
from tests.certificates.handmade import SOURCE


def run(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-S", str(SOURCE / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("what", ["bound", "curve", "formula", "steps"])
def test_a_file_that_only_helps_says_which_one_to_run(what: str) -> None:
    said = run(f"{what}_checker.py", "m.json")
    assert said.returncode == 2
    assert "run `python checker.py" in said.stderr


@pytest.mark.parametrize(
    ("arguments", "code"), [((), 2), (("--json",), 2), (("--help",), 0)], ids=repr
)
def test_how_to_run_it_is_said(arguments: tuple[str, ...], code: int) -> None:
    said = run("checker.py", *arguments)
    assert (said.returncode, said.stderr) == (code, "")
    assert "python checker.py a.json" in said.stdout
    assert len(said.stdout.splitlines()) == 1


@pytest.mark.parametrize("text", ['{"a": 1}', "[]", '{"format": "other", "version": 1}'])
def test_what_is_no_certificate_is_called_so(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    said = run("checker.py", path)
    assert said.returncode == 2
    assert "no certificate" in said.stdout
    assert "version" not in said.stdout.replace("'version'", "")


def test_another_version_asks_for_another_checker(tmp_path: Path) -> None:
    path = nw.certify(nw.geometric(nw.Counts(2), epsilon=1)).save(tmp_path / "m.json")
    path.write_text(path.read_text(encoding="utf-8").replace('"version": 1', '"version": 2'))
    said = run("checker.py", path)
    assert said.returncode == 2
    assert "newer checker" in said.stdout
