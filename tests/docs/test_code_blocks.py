"""Every Python block and every `$ noisewright` line of README.md and docs/ runs.

The blocks of one page run in order, in one namespace and one empty working directory, as a reader
would try them. A block that is not meant to run is fenced as `text`.
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, Block, blocks, guide_pages

PROMPT = "$ "
COMMAND = "noisewright"


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


def run_console(block: Block, page: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    for command in commands(block):
        done = subprocess.run(
            command,
            shell=True,
            env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (
            f"{page.relative_to(ROOT)}, block at line {block.line}: `{command}` "
            f"ended with code {done.returncode}.\n{done.stdout}{done.stderr}"
        )


def test_there_is_code_to_run() -> None:
    assert (ROOT / "README.md").exists(), "README.md is missing."
    assert runnable(ROOT / "README.md"), "README.md has no block that runs."


@pytest.mark.parametrize(
    "page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in guide_pages()]
)
def test_the_code_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in runnable(page):
        if block.language == "python":
            run_python(block, page, namespace)
        else:
            run_console(block, page)
