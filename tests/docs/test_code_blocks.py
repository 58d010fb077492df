"""Every Python block and every `$ noisewright` line of README.md and docs/ runs.

The blocks of one page run in order, in one namespace and one empty working directory, as a reader
would try them. A block that is not meant to run is fenced as `text`. A command line without signs
of the shell runs inside this process, which is quicker by a second and ends with the same code.
README.md runs without the libraries of the extras, as after a plain `pip install noisewright`.
"""

import os
import shlex
import subprocess
import sys
from importlib.abc import MetaPathFinder
from pathlib import Path

import pytest

from noisewright.cli.app import run
from tests.architecture.test_package import BROUGHT_BY_THE_CALLER, EXTRA_OF
from tests.docs.pages import ROOT, Block, blocks, guide_pages

PROMPT = "$ "
COMMAND = "noisewright"
SHELL = set("|&;<>$`*?~")


def commands(block: Block) -> list[str]:
    """The `$ noisewright …` lines of a console block, with continued lines joined."""
    lines = block.text.replace("\\\n", " ").splitlines()
    typed = [line.removeprefix(PROMPT) for line in lines if line.startswith(PROMPT)]
    return [line for line in typed if shlex.split(line, comments=True)[:1] == [COMMAND]]


def runnable(page: Path) -> list[Block]:
    return [
        block
        for block in blocks(page)
        if block.language == "python" or (block.language == "console" and commands(block))
    ]


def run_python(block: Block, page: Path, namespace: dict[str, object]) -> None:
    # Blank lines in front make a traceback point at the page's own line.
    source = "\n" * (block.line - 1) + block.text
    exec(compile(source, str(page), "exec", dont_inherit=True), namespace)


def run_console(block: Block, page: Path, capture: pytest.CaptureFixture[str]) -> None:
    for command in commands(block):
        code, said = in_shell(command) if SHELL & set(command) else here(command, capture)
        assert code == 0, (
            f"{page.relative_to(ROOT)}, block at line {block.line}: `{command}` "
            f"ended with code {code}.\n{said}"
        )


def here(command: str, capture: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = run(shlex.split(command, comments=True)[1:])
    return code, "".join(capture.readouterr())


def in_shell(command: str) -> tuple[int, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        command,
        shell=True,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


class Hidden(MetaPathFinder):
    """Libraries that are not installed, as far as Python can tell."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"{fullname} is of an extra", name=fullname)


def hide_the_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    # Typer asks for pydantic on its own.
    names = {*EXTRA_OF, *BROUGHT_BY_THE_CALLER} - {"pydantic"}
    for name in [one for one in sys.modules if one.partition(".")[0] in names]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Hidden(names), *sys.meta_path])


def test_there_is_code_to_run() -> None:
    assert (ROOT / "README.md").exists(), "README.md is missing."
    assert runnable(ROOT / "README.md"), "README.md has no block that runs."


@pytest.mark.parametrize(
    "page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in guide_pages()]
)
def test_the_code_of_a_page_runs(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    if page == ROOT / "README.md":
        hide_the_extras(monkeypatch)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in runnable(page):
        if block.language == "python":
            run_python(block, page, namespace)
        else:
            run_console(block, page, capsys)
