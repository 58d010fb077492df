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
        typer.Option(help="The address to listen on. If it is not loopback, put a proxy in front."),
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
    database: Annotated[
        str | None,
        typer.Option(help="The URL of a PostgreSQL database whose tables can be opened too."),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(help="Add a user of a team, or renew their token, and print the token once."),
    ] = None,
    may: Annotated[
        str, typer.Option(help="What that user may do: look, spend or grant.")
    ] = "spend",
    remove_user: Annotated[
        str | None, typer.Option(help="Remove a user; their sessions end at once.")
    ] = None,
    users: Annotated[
        Path | None,
        typer.Option(
            help="The list of users: names, rights and hashes of tokens.",
            show_default="in the studio's own files in the folder",
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="A host name that browsers may use for the studio. May be repeated."),
    ] = None,
    trust_proxy: Annotated[
        bool,
        typer.Option(
            "--trust-proxy",
            help="Believe X-Forwarded-Proto, so that cookies are Secure behind a proxy with TLS.",
        ),
    ] = False,
) -> None:
    """Open the studio in your browser: declare, choose, ask, synthesize, release, check.

    It runs on this machine and calls the same functions as the other commands. It opens only files
    in the folder it was started in; the browser gets names and types of columns, and no value
    that was not paid for with budget. The address that it prints works once; with users, each one
    signs in with a token.

    Examples:
      noisewright studio
      noisewright studio survey.csv
      noisewright studio surveys/ --port 0 --no-browser --ledger budget.db
      noisewright studio surveys/ --user ann --may spend
      noisewright studio surveys/ --no-browser --allow-host privacy.example.org --trust-proxy
    """
    from noisewright import studio as rooms

    if not host.strip():
        raise InputError("--host is empty; leave it out for this machine only.")
    if user is not None:
        print(rooms.add_user(place, user, may=may, users=users))
        return
    if remove_user is not None:
        rooms.remove_user(place, remove_user, users=users)
        return
    rooms.serve(
        place,
        host=host,
        port=port,
        browser=not no_browser,
        ledger=ledger,
        database=database,
        users=users,
        allow_hosts=allow_host or [],
        trust_proxy=trust_proxy,
        say=lambda line: print(line, flush=True),
    )
