"""What goes wrong beside the work itself: words, exit codes, and never a cell of the data."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

import noisewright.cli.plan as plan_verb
from noisewright.cli.app import BUG_CODE, VARIABLE
from tests.cli.conftest import PLAIN, PROGRAM, Program

SECRET = "SECRETIVE"
PLAN = """version = 1
epsilon = 2
[columns.a]
space = "categories"
labels = ["x", "y"]
other = "x"
"""


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fails(*_: Any, **__: Any) -> None:
        try:
            raise KeyError(SECRET)
        except KeyError as problem:
            failure = ZeroDivisionError(SECRET)
            failure.add_note("What became of the debit.")
            raise failure from problem

    monkeypatch.setattr(plan_verb, "_explain", fails)
    (tmp_path / "p.toml").write_text(PLAN, encoding="utf-8")


@pytest.mark.usefixtures("broken")
def test_an_unexpected_error_ends_in_one_line_with_a_code_of_its_own(
    noisewright: Program,
) -> None:
    said = noisewright("plan", "p.toml")
    assert said.code == BUG_CODE == 3
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith("noisewright: ZeroDivisionError in plan.py, line ")
    assert "What became of the debit." in said.err
    assert VARIABLE in said.err
    assert SECRET not in said.err
    assert SECRET not in noisewright("plan", "p.toml", "--json").json["error"]


@pytest.mark.usefixtures("broken")
def test_a_traceback_on_request_shows_code_and_no_data(
    noisewright: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    said = noisewright("plan", "p.toml")
    assert said.code == BUG_CODE
    assert "in fails" in said.err
    assert "KeyError (message hidden" in said.err
    assert SECRET not in said.err


def test_an_error_of_the_system_without_words_is_not_called_none(
    noisewright: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise OSError(f"Could not deserialize {SECRET}")

    monkeypatch.setattr(plan_verb, "_explain", fails)
    (tmp_path / "p.toml").write_text(PLAN, encoding="utf-8")
    said = noisewright("plan", "p.toml")
    assert said.code == BUG_CODE
    assert "None" not in said.err
    assert SECRET not in said.err


@pytest.mark.parametrize("damage", [b"PAR1garbagePAR1", b"PAR1" + bytes(100) + b"PAR1", b"PAR1"])
def test_a_damaged_table_is_called_damaged(
    damage: bytes, noisewright: Program, tmp_path: Path
) -> None:
    (tmp_path / "d.parquet").write_bytes(damage)
    said = noisewright("plan", "d.parquet")
    assert said.code == 2
    assert "not a Parquet file, or it is cut off" in said.err


@pytest.mark.parametrize("words", ["plan p.toml", "plan p.toml --json", "--version", "--help"])
def test_an_output_that_is_full_is_said_on_the_error_stream(words: str, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(PLAN, encoding="utf-8")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [str(PROGRAM), *words.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env={**os.environ, **PLAIN},
            check=False,
        )
    assert done.returncode == 2, done
    assert (
        done.stderr.decode()
        == "noisewright: cannot write to standard output: No space left on device.\n"
    )


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_release_that_cannot_be_announced_is_said_to_stand(
    more: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "p.toml").write_text(PLAN, encoding="utf-8")
    (tmp_path / "d.csv").write_text("a\nx\ny\n", encoding="utf-8")
    release = (*("release", "d.csv", "-p", "p.toml", "-o", "out.csv"), "--without-ledger", *more)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [str(PROGRAM), *release],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env={**os.environ, **PLAIN},
            check=False,
        )
    assert done.returncode == 2, done
    said = done.stderr.decode()
    assert "cannot write to standard output: No space left on device. out.csv is complete" in said
    assert (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("rows", ['x\n"y\nx\ny\n', 'x\ny\nx\n"y\n', '"x\n\n' + "y\n" * 1000])
def test_a_quote_that_is_never_closed_is_refused(
    rows: str, noisewright: Program, tmp_path: Path
) -> None:
    (tmp_path / "p.toml").write_text(PLAN, encoding="utf-8")
    (tmp_path / "d.csv").write_text("a\n" + rows, encoding="utf-8")
    line = 2 + rows.split('"')[0].count("\n")
    said = noisewright(
        *["release", "d.csv", "-p", "p.toml", "-o", "o.csv", "--without-ledger", "--no-report"]
    )
    assert said.code == 2
    assert f"a quote in line {line} of" in said.err
    assert not (tmp_path / "o.csv").exists()


@pytest.mark.parametrize("rows", ['5" y\nx\n', '"x"\ny\n', '"say ""x"", ""y"""\n', "x\n" * 5])
def test_other_quotes_are_read(rows: str, noisewright: Program, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(PLAN, encoding="utf-8")
    (tmp_path / "d.csv").write_text("a\n" + rows, encoding="utf-8")
    said = noisewright(
        *["release", "d.csv", "-p", "p.toml", "-o", "o.csv", "--without-ledger", "--no-report"]
    )
    assert said.code == 0, said


def test_names_that_are_no_text_are_refused_before_anything_is_spent(
    noisewright: Program, tmp_path: Path
) -> None:
    (tmp_path / "p.toml").write_text(PLAN, encoding="utf-8")
    odd = os.fsdecode(b"d\xff.csv")
    for data, out in (("d.csv", odd), (odd, "o.csv")):
        (tmp_path / data).write_text("a\nx\n", encoding="utf-8")
        said = noisewright("release", data, "-p", "p.toml", "-o", out, "--without-ledger")
        assert said.code == 2
        assert "is not valid UTF-8" in said.err


@pytest.mark.parametrize("name", ["z.csv", "z.parquet", "z.feather"])
def test_a_device_is_no_table(name: str, noisewright: Program, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(PLAN, encoding="utf-8")
    (tmp_path / name).symlink_to("/dev/zero")
    for words in (f"plan {name}", f"release {name} -p p.toml -o o.csv --without-ledger"):
        said = noisewright(*words.split())
        assert said.code == 2
        assert "is a device" in said.err


def test_a_release_is_announced_before_its_report_is_drawn(
    noisewright: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def stopped(*_: Any, **__: Any) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr("noisewright.releases.page.write_report", stopped)
    (tmp_path / "p.toml").write_text(PLAN, encoding="utf-8")
    (tmp_path / "d.csv").write_text("a\nx\n", encoding="utf-8")
    said = noisewright("release", "d.csv", "-p", "p.toml", "-o", "o.csv", "--without-ledger")
    assert said.code == 130
    assert said.out.startswith("o.csv: 1 rows")
    assert "only its report is missing" in said.err
