"""The checker as one file, run by hand: how to run it is said, and no part of it can be missing."""

import importlib
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from runpy import run_path

import pytest

import noisewright as nw
from noisewright.cli.checker import make_archive
from tests.certificates.handmade import CHECKER, sealed
from tests.mutants.forger import FORMS, base

PARTS = sorted(path.name for path in CHECKER.glob("*.py"))
ALONE = (sys.executable, "-I", "-S")


def run(*command: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*map(str, command)], capture_output=True, text=True, check=False, cwd=cwd
    )


@pytest.fixture(scope="module")
def proven(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A certificate of each form, all of them true."""
    folder = tmp_path_factory.mktemp("proven")
    paths = [folder / f"{form}.json" for form in FORMS]
    for path, form in zip(paths, FORMS, strict=True):
        path.write_text(json.dumps(base(Random(form), form)), encoding="utf-8")
    return paths


@pytest.fixture
def untrue(proven: list[Path], tmp_path: Path) -> Path:
    document = json.loads(proven[0].read_text(encoding="utf-8"))
    document["claims"] |= {"epsilon": {"value": "1/1000"}, "delta": "0"}
    path = tmp_path / "untrue.json"
    path.write_text(json.dumps(sealed(document)), encoding="utf-8")
    return path


def refuses(said: subprocess.CompletedProcess[str]) -> bool:
    return said.returncode != 0 and ": proven" not in said.stdout


@pytest.mark.parametrize(
    ("arguments", "code"), [((), 2), (("--json",), 2), (("--help",), 0)], ids=repr
)
def test_how_to_run_it_is_said(archive: Path, arguments: tuple[str, ...], code: int) -> None:
    said = run(*ALONE, archive, *arguments)
    assert (said.returncode, said.stderr) == (code, "")
    assert "python checker.pyz a.json" in said.stdout
    assert len(said.stdout.splitlines()) == 1


@pytest.mark.parametrize("text", ['{"a": 1}', "[]", '{"format": "other", "version": 1}'])
def test_what_is_no_certificate_is_called_so(archive: Path, text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    said = run(*ALONE, archive, path)
    assert said.returncode == 2
    assert "not a certificate" in said.stdout
    assert "version" not in said.stdout.replace("'version'", "")


def test_another_version_asks_for_another_checker(archive: Path, tmp_path: Path) -> None:
    path = nw.certify(nw.geometric(nw.Counts(2), epsilon=1)).save(tmp_path / "m.json")
    path.write_text(path.read_text(encoding="utf-8").replace('"version": 1', '"version": 2'))
    said = run(*ALONE, archive, path)
    assert said.returncode == 2
    assert "newer checker" in said.stdout


def test_file_folder_and_package_say_the_same(
    archive: Path, proven: list[Path], untrue: Path
) -> None:
    for arguments, code in ((proven, 0), ([*proven, untrue], 1)):
        one = run(*ALONE, archive, *arguments)
        assert (one.returncode, one.stderr) == (code, "")
        assert one.stdout.count(": proven") == len(FORMS)
        folder = run(sys.executable, "-S", "-m", "checker", *arguments, cwd=CHECKER.parent)
        package = run(sys.executable, "-m", "noisewright.checker", *arguments)
        assert folder.stdout == package.stdout == one.stdout
        assert folder.returncode == package.returncode == one.returncode


def copy_without(name: str, folder: Path) -> Path:
    copied = folder / "checker"
    shutil.copytree(CHECKER, copied, ignore=shutil.ignore_patterns("__pycache__"))
    (copied / name).unlink()
    return copied


@pytest.mark.parametrize("name", PARTS)
def test_a_folder_without_one_part_proves_nothing(
    name: str, proven: list[Path], untrue: Path, tmp_path: Path
) -> None:
    copy_without(name, tmp_path)
    assert refuses(run(sys.executable, "-S", "-m", "checker", *proven, untrue, cwd=tmp_path))


@pytest.mark.parametrize("name", sorted({*PARTS} - {"__init__.py", "__main__.py"}))
def test_a_folder_with_an_empty_part_cannot_be_loaded(name: str, tmp_path: Path) -> None:
    copied = copy_without(name, tmp_path)
    (copied / name).touch()
    alone = f"checker_without_{name.removesuffix('.py')}"
    shutil.move(copied, tmp_path / alone)
    sys.path.insert(0, str(tmp_path))
    try:
        with pytest.raises(ImportError, match=alone):
            importlib.import_module(alone)
    finally:
        sys.path.remove(str(tmp_path))


def rewritten(data: bytes, change: Callable[[str, bytes], bytes | None]) -> bytes:
    """The archive with some parts changed, or left out, and a directory that fits."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            part = change(name, old.read(name))
            if part is not None:
                new.writestr(name, part)
    return made.getvalue()


@pytest.mark.parametrize("name", [f"checker/{name}" for name in PARTS])
def test_an_archive_with_one_part_missing_or_changed_does_not_start(
    name: str, archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = archive.read_bytes()
    changed = (
        rewritten(whole, lambda part, data: None if part == name else data),
        rewritten(whole, lambda part, data: data[: len(data) // 2] if part == name else data),
        rewritten(whole, lambda part, data: data + b"\n" if part == name else data),
    )
    for number, data in enumerate(changed):
        other = tmp_path / f"{number}.pyz"
        other.write_bytes(data)
        with pytest.raises(SystemExit) as end:
            run_path(str(other), run_name="__main__")
        assert end.value.code == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert "This checker is damaged" in said.err


def test_an_archive_without_its_start_proves_nothing(
    archive: Path, proven: list[Path], tmp_path: Path
) -> None:
    """Whoever changes how it starts can do anything: against that, compare the file's digest."""
    whole, other = archive.read_bytes(), tmp_path / "checker.pyz"
    start = "__main__.py"
    for data in (
        rewritten(whole, lambda part, data: None if part == start else data),
        rewritten(whole, lambda part, data: data[: len(data) // 2] if part == start else data),
    ):
        other.write_bytes(data)
        assert refuses(run(*ALONE, other, *proven))


def test_a_damaged_archive_proves_nothing_untrue(
    archive: Path, untrue: Path, tmp_path: Path
) -> None:
    whole, other = archive.read_bytes(), tmp_path / "checker.pyz"
    draw = Random("each time the same")
    for _ in range(10):
        other.write_bytes(whole[: draw.randrange(len(whole))])
        assert refuses(run(*ALONE, other, untrue))
    for _ in range(30):
        changed = bytearray(whole)
        changed[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        other.write_bytes(changed)
        assert refuses(run(*ALONE, other, untrue))


def test_an_archive_is_the_same_bytes_each_time(archive: Path, tmp_path: Path) -> None:
    """Whoever has the version can make it again and compare; clocks and file times do not show."""
    out = tmp_path / "made.pyz"
    command = [sys.executable, "-m", "noisewright", "checker", "-o", str(out), "--json"]
    environment = {**os.environ, "TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": "1234567890"}
    said = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert out.read_bytes() == archive.read_bytes() == make_archive()
    assert json.loads(said.stdout)["checker"] == str(out)
    assert len(json.loads(said.stdout)["sha256"]) == 64
