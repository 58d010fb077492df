"""Starts the studio: binds a port, prints the address on a line of its own, opens the browser."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from noisewright.errors import InputError, MissingPartError

if TYPE_CHECKING:
    from noisewright.studio.folder import StudioFolder
    from noisewright.studio.users import UserBook

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    place: str | os.PathLike[str] = ".",
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    browser: bool = True,
    ledger: str | None = None,
    database: str | None = None,
    users: str | os.PathLike[str] | None = None,
    allow_hosts: Sequence[str] = (),
    trust_proxy: bool = False,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the studio for a folder, or for the folder of a table, until it is interrupted.

    `database` is a PostgreSQL URL whose tables can be opened too.
    `users` is a list that `add_user` wrote; if left out, the one in the folder's own state, if it
    is there. `allow_hosts` are further names in the Host header, as a proxy passes them on;
    `trust_proxy` believes its X-Forwarded-Proto.

    Requires: the extra `studio`. `port` 0 takes a free one.
    Ensures: without users, the address, with a token that works once, is said on a line of its own.
    With users, only their tokens open the studio, and entries of the ledger name them. Nothing
    outside of the folder is read or written, except a ledger and a database that were named.
    """
    for name in ("fastapi", "uvicorn"):
        if importlib.util.find_spec(name) is None:
            raise MissingPartError(
                f"the studio needs {name}, which is not installed: pip install "
                "'noisewright[studio]'."
            )
    import uvicorn

    from noisewright.studio.app import StudioRooms, make_app
    from noisewright.studio.doorkeeper import Doorkeeper
    from noisewright.studio.guard import Guard

    folder = replace(_folder_of(place), database=_database_of(database))
    data = None if Path(place).is_dir() else Path(place).name
    team = _team_of(folder, users)
    listener = _listen(host, port)
    number = listener.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host

    def address(token: str) -> str:
        return f"http://{shown}:{number}/" + ("" if team is not None else f"?token={token}")

    def announce(token: str) -> None:
        say("That address has been used. For another browser:")
        say(address(token))

    if hasattr(signal, "SIGPIPE"):
        # The command line ends quietly when its reader leaves; a server outlives a browser.
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    doorkeeper = Doorkeeper(announce=announce, users=team)
    rooms = StudioRooms.of(folder, ledger=_ledger_of(ledger, folder.root), data=data)
    app = Guard(
        make_app(rooms),
        doorkeeper=doorkeeper,
        hosts=[host, *allow_hosts],
        trusts_proxy=trust_proxy,
        # Cookies do not tell ports apart; studios do.
        cookie=f"noisewright_studio_{number}",
    )
    # Addresses hold the token, so that none is logged.
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        server_header=False,
        # The guard decides whom to believe.
        proxy_headers=False,
    )
    say(f"The studio for {folder.root} is open. Press Ctrl-C to close it.")
    if team is not None:
        say(f"{len(team)} users may enter, each with a token. Serve them over TLS, by a proxy.")
    elif host not in _LOOPBACK:
        say("Caution: others on the network can reach it; put a proxy with TLS in front of it.")
    say(address(doorkeeper.token))
    if browser:
        threading.Timer(0.5, webbrowser.open, [address(doorkeeper.token)]).start()
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        rooms.desk.close()
        listener.close()


def add_user(
    place: str | os.PathLike[str],
    name: str,
    *,
    may: str = "spend",
    users: str | os.PathLike[str] | None = None,
) -> str:
    """Add a user of the studio of a folder, or renew their token; return the token.

    Requires: `may` is look, spend or grant, each of which includes those before it.
    Ensures: the token has 256 random bits; the file keeps its SHA-256 and nothing else of it.
    """
    return _book_of(_folder_of(place), users).add(name, may=may)


def remove_user(
    place: str | os.PathLike[str], name: str, *, users: str | os.PathLike[str] | None = None
) -> None:
    """Remove a user of the studio of a folder, whose sessions end at once."""
    _book_of(_folder_of(place), users).remove(name)


def _folder_of(place: str | os.PathLike[str]) -> StudioFolder:
    from noisewright.studio.folder import StudioFolder

    given = Path(place)
    if not given.exists():
        raise InputError(f"{str(place)!r} does not exist; give a folder, or a table in one.")
    return StudioFolder.at(given if given.is_dir() else given.parent)


def _book_of(folder: StudioFolder, given: str | os.PathLike[str] | None) -> UserBook:
    from noisewright.studio.users import UserBook

    return UserBook(folder.state / "users.json" if given is None else given)


def _team_of(folder: StudioFolder, given: str | os.PathLike[str] | None) -> UserBook | None:
    """Return the users; None where one person has the studio to themselves."""
    team = _book_of(folder, given)
    if len(team):
        return team
    if given is not None:
        raise InputError(
            f"there are no users in {str(given)!r}. Add one with noisewright studio --users "
            f"{str(given)!r} --user NAME."
        )
    return None


def _database_of(given: str | None) -> str | None:
    if given is not None and not given.startswith(("postgresql://", "postgres://")):
        raise InputError(
            "--database is not a PostgreSQL URL such as postgresql://steward@db.example/survey. "
            "Files of DuckDB in the folder need no option."
        )
    return given


def _ledger_of(given: str | None, root: Path) -> str:
    """Return where the budget is kept: by default, budget.db in the folder."""
    if given is None:
        return str(root / "budget.db")
    return given if "://" in given else str(Path(given).resolve())


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named, the protocol lets asyncio turn off Nagle's delay, which costs 40 ms for each answer.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen()  # before the address is shown: whoever opens it waits, and is not refused
    except OSError as problem:
        listener.close()
        raise InputError(
            f"cannot listen on {host}, port {port}: {problem.strerror}. Choose another one, or "
            "--port 0 for any that is free."
        ) from problem
    return listener
