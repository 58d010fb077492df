"""`noisewright studio`: the same functions in a browser, served on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from noisewright.errors import InputError


def studio(
    place: Annotated[
        Path, typer.Argument(help="A folder, or a table in the folder to work in.")
    ] = Path(),
    host: Annotated[
        str, typer.Option(help="The address to listen on; others than loopback are for a proxy.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(help="The port; 0 takes a free one.", min=0, max=65535)
    ] = 8765,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address and open no browser.")
    ] = False,
    ledger: Annotated[
        str | None,
        typer.Option(
            help="Where the budget is kept: a file, or a PostgreSQL URL.",
            show_default="budget.db in the folder",
        ),
    ] = None,
) -> None:
    """Open a studio in the browser: declare, choose, ask, synthesize, release, check.

    It runs on this machine and calls the same functions as the other verbs. It opens files in the
    folder it was started in and no others; a browser learns names and types of columns, and no
    value that was not paid for. The address that it prints works once.

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
