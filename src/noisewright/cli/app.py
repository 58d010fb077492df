"""The program `noisewright`: its verbs, its errors and its exit codes.

Exit codes: 0 it holds, 1 it does not hold, 2 the input cannot be used, 130 interrupted.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from noisewright.cli import check, demo, verify
from noisewright.cli.say import failed
from noisewright.errors import NoisewrightError
from noisewright.version import __version__

app = typer.Typer(
    name="noisewright",
    help=(
        "Design, prove and release differentially private data.\n\n"
        "Start with [bold]noisewright demo[/bold]. Exit codes: 0 it holds, 1 it does not hold, "
        "2 the input cannot be used."
    ),
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
app.command(name="demo")(demo.demo)
app.command(name="verify")(verify.verify)
app.command(name="check")(check.check)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"noisewright {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Say which version."),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the program; errors made on purpose become one plain sentence and exit code 2."""
    try:
        app()
    except NoisewrightError as problem:
        failed(str(problem), as_json="--json" in sys.argv[1:])
        sys.exit(2)
    except KeyboardInterrupt:
        failed("Interrupted; nothing was written.", as_json=False)
        sys.exit(130)
    except BrokenPipeError:
        # The reader (head, less) has seen enough.
        sys.stderr.close()
        sys.exit(0)
