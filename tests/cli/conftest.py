"""How the tests talk to the program: as a shell does."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from noisewright.cli.app import run


@dataclass(frozen=True)
class Said:
    """What the program printed, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Program = Callable[..., Said]

PROGRAM = Path(sys.executable).parent / "noisewright"
PLAIN = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}


@pytest.fixture
def noisewright(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Program:
    """Run the program in an empty folder, inside this process: quick."""
    monkeypatch.chdir(tmp_path)
    for name, value in PLAIN.items():
        monkeypatch.setenv(name, value)

    def within(*arguments: object) -> Said:
        code = run([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return Said(code, said.out, said.err)

    return within


@pytest.fixture
def shell(tmp_path: Path) -> Program:
    """Run the installed program in an empty folder, as a shell does."""

    def outside(*arguments: object) -> Said:
        done = subprocess.run(
            [str(PROGRAM), *map(str, arguments)],
            capture_output=True,
            cwd=tmp_path,
            env={**os.environ, **PLAIN},
            check=False,
        )
        return Said(done.returncode, done.stdout.decode(), done.stderr.decode())

    return outside
