"""Starts the studio: binds a port, prints the address on a line of its own, opens the browser."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path

from noisewright.errors import InputError, MissingPartError

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    place: str | os.PathLike[str] = ".",
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    browser: bool = True,
    ledger: str | None = None,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the studio for a folder, or for the folder of a table, until it is interrupted.

    Requires: the extra `studio`. `port` 0 takes a free one.
    Ensures: the address, with a token that works once, is said on a line of its own. Nothing
    outside of the folder is read or written, except a ledger elsewhere that was named.
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
    from noisewright.studio.folder import StudioFolder
    from noisewright.studio.guard import Guard

    given = Path(place)
    if not given.exists():
        raise InputError(f"{str(place)!r} does not exist; give a folder, or a table in one.")
    folder = StudioFolder.at(given if given.is_dir() else given.parent)
    data = None if given.is_dir() else given.name
    listener = _listen(host, port)
    number = listener.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host

    def address(token: str) -> str:
        return f"http://{shown}:{number}/?token={token}"

    def announce(token: str) -> None:
        say("That address has been used. For another browser:")
        say(address(token))

    if hasattr(signal, "SIGPIPE"):
        # The command line ends quietly when its reader leaves; a server outlives a browser.
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    doorkeeper = Doorkeeper(announce=announce)
    rooms = StudioRooms.of(folder, ledger=_ledger_of(ledger, folder.root), data=data)
    app = Guard(
        make_app(rooms),
        doorkeeper=doorkeeper,
        hosts=[host],
        # Cookies do not tell ports apart; studios do.
        cookie=f"noisewright_studio_{number}",
    )
    # Addresses hold the token, so that none is logged.
    config = uvicorn.Config(app, log_level="error", access_log=False, server_header=False)
    say(f"The studio for {folder.root} is open. Press Ctrl-C to close it.")
    if host not in _LOOPBACK:
        say("Caution: others on the network can reach it; put a proxy with TLS in front of it.")
    say(address(doorkeeper.token))
    if browser:
        threading.Timer(0.5, webbrowser.open, [address(doorkeeper.token)]).start()
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        rooms.desk.close()
        listener.close()


def _ledger_of(given: str | None, root: Path) -> str:
    """Return where the budget is kept: by default, budget.db in the folder."""
    if given is None:
        return str(root / "budget.db")
    return given if "://" in given else str(Path(given).resolve())


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
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
