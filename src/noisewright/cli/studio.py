"""`noisewright studio`: the same functions in a browser, served on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from noisewright.errors import InputError


def studio(
    place: Annotated[
        Path, typer.Argument(help="The folder to work in, or a table in it.")
    ] = Path(),
    host: Annotated[
        str,
        typer.Option(help="The address to listen on. Put a proxy in front of any but loopback."),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(help="The port; 0 picks a free one.", min=0, max=65535)
    ] = 8765,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address; do not open a browser.")
    ] = False,
    ledger: Annotated[
        str | None,
        typer.Option(
            help="Where the budget is kept: a file, or a PostgreSQL URL.",
            show_default="budget.db in the folder",
        ),
    ] = None,
) -> None:
    """Open the studio in your browser: declare, choose, ask, synthesize, release, check.

    It runs on this machine and calls the same functions as the other commands. It opens only files
    in the folder it was started in; the browser gets names and types of columns, and no value
    that was not paid for with budget. The address that it prints works once.

    Examples:
      noisewright studio
      noisewright studio survey.csv
      noisewright studio surveys/ --port 0 --no-browser --ledger budget.db
    """
    from noisewright.studio import serve

    if not host.strip():
        raise InputError("--host is empty; leave it out for this machine only.")
    serve(
        place,
        host=host,
        port=port,
        browser=not no_browser,
        ledger=ledger,
        say=lambda line: print(line, flush=True),
    )
