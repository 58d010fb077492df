"""The program `noisewright`: its verbs, its errors and its exit codes.

Exit codes: 0 it holds, 1 it does not hold, 2 the input cannot be used, 3 a bug in this program,
130 interrupted. An unexpected error gets one plain line, and a traceback on request. Messages of
other libraries may quote a cell, so neither shows them: only the type of the error, and where it
was raised.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.main import get_command

from noisewright.cli import bound, collect, continual, design, ledger
from noisewright.cli.advise import advise
from noisewright.cli.ask import ask
from noisewright.cli.check import check
from noisewright.cli.checker import checker
from noisewright.cli.compare import compare
from noisewright.cli.demo import demo
from noisewright.cli.estimate import estimate
from noisewright.cli.options import as_help
from noisewright.cli.plan import plan
from noisewright.cli.query import query
from noisewright.cli.release import release
from noisewright.cli.report import report
from noisewright.cli.reproduce import reproduce
from noisewright.cli.say import print_failure
from noisewright.cli.studio import studio
from noisewright.cli.synthesize import synthesize
from noisewright.cli.tour import tour
from noisewright.cli.verify import verify
from noisewright.errors import NoisewrightError
from noisewright.version import version_line

app = typer.Typer(
    name="noisewright",
    help=(
        "Design, prove and release differentially private data.\n\n"
        "Start with [bold]noisewright demo[/bold]. Each verb has examples: "
        "[bold]noisewright verify --help[/bold].\n\n"
        "Exit codes: 0 it holds, 1 it does not hold, 2 the input cannot be used, 3 a bug in this "
        "program."
    ),
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
for verb in (
    demo,
    plan,
    advise,
    ask,
    verify,
    check,
    checker,
    release,
    synthesize,
    query,
    report,
    estimate,
    studio,
):
    app.command(verb.__name__, help=as_help(verb))(verb)
for name, group in {
    "design": design.app,
    "bound": bound.app,
    "ledger": ledger.app,
    "continual": continual.app,
    "collect": collect.app,
}.items():
    app.add_typer(group, name=name)
for verb in (compare, reproduce, tour):
    app.command(verb.__name__, help=as_help(verb))(verb)

BUG_CODE = 3
VARIABLE = "NOISEWRIGHT_TRACEBACK"

_NO_MEMORY = (
    "this machine has too little memory for that. Ask for fewer rows or columns or coarser grids, "
    "or use a machine with more."
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(version_line())
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Say which version."),
    ] = False,
) -> None:
    pass


@cache
def _command() -> Callable[..., Any]:
    """Return the program with all of its verbs, which takes a while to put together."""
    return get_command(app)


def run(arguments: list[str]) -> int:
    """Run the program; errors made on purpose become one plain sentence and exit code 2."""
    as_json = "--json" in arguments
    try:
        # Only for people does typer explain wrong arguments by itself; machines get JSON.
        code = _command()(arguments, prog_name="noisewright", standalone_mode=not as_json)
    except NoisewrightError as problem:
        # What became of a debit is noted on the error.
        print_failure(" ".join([str(problem), *getattr(problem, "__notes__", [])]), as_json=as_json)
        return 2
    except OSError as problem:
        if problem.strerror is None:
            return _report_unexpected(problem, as_json=as_json)
        where = problem.filename or "cannot write to standard output"
        notes = getattr(problem, "__notes__", [])
        print_failure(" ".join([f"{where}: {problem.strerror}.", *notes]), as_json=as_json)
        return 2
    except MemoryError as problem:
        notes = getattr(problem, "__notes__", [])
        print_failure(" ".join([_NO_MEMORY, *notes]), as_json=as_json)
        return 2
    except SystemExit as end:
        code = end.code
    except Exception as problem:
        # Errors about arguments have a message of their own; typer keeps their class to itself.
        format_message = getattr(problem, "format_message", None)
        if format_message is not None:
            print_failure(format_message(), as_json=as_json)
            return 2
        return _report_unexpected(problem, as_json=as_json)
    return code if isinstance(code, int) else 0


def _report_unexpected(problem: BaseException, *, as_json: bool) -> int:
    """Say that this program is at fault, and how to see where; return the exit code."""
    steps = traceback.extract_tb(problem.__traceback__)
    ours = [step for step in steps if "noisewright" in Path(step.filename).parts]
    last = (ours or steps or [None])[-1]
    where = "" if last is None else f" in {Path(last.filename).name}, line {last.lineno}"
    notes = getattr(problem, "__notes__", [])
    advice = (
        "This is a bug in noisewright, not a mistake of yours; please report it. To see the "
        f"traceback, which quotes no data, set {VARIABLE}=1 and run the command again."
    )
    print_failure(" ".join([f"{type(problem).__name__}{where}.", *notes, advice]), as_json=as_json)
    if os.environ.get(VARIABLE):
        _show_traceback(problem)
    return BUG_CODE


def _show_traceback(problem: BaseException | None) -> None:
    """Print the lines of code of an error and of those that it came from, without their words."""
    while problem is not None:
        print(*traceback.format_tb(problem.__traceback__), sep="", end="", file=sys.stderr)
        print(
            f"{type(problem).__name__} (message hidden, because it may quote data)",
            file=sys.stderr,
        )
        problem = problem.__cause__ or problem.__context__
