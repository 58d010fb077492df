"""A PostgreSQL server of one's own: in a folder, on a socket there, gone afterwards."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest


def program(name: str) -> str:
    """Where the server's program is: PostgreSQL keeps its own folder, by version."""
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    found = shutil.which(name) or next((str(place) for place in places), None)
    if found is None:
        pytest.skip(f"needs: PostgreSQL ({name} was not found)")
    return found


def as_whom() -> list[str]:
    """PostgreSQL refuses to run as root; the package brings a user of that name."""
    if os.geteuid() != 0:
        return []
    changer = shutil.which("setpriv")
    known = subprocess.run(["id", "postgres"], capture_output=True, check=False).returncode == 0
    if changer is None or not known:
        pytest.skip("needs: a user postgres and setpriv, because PostgreSQL refuses root")
    return [changer, "--reuid=postgres", "--regid=postgres", "--clear-groups"]


@contextmanager
def server() -> Generator[str]:
    """Run a server; give the address of its database."""
    initdb, control, whom = program("initdb"), program("pg_ctl"), as_whom()
    folder = Path(tempfile.mkdtemp(prefix="nw-pg-", dir="/tmp"))
    data, log = folder / "data", folder / "log"
    if whom:
        shutil.chown(folder, "postgres", "postgres")

    def run(*command: str) -> None:
        done = subprocess.run(
            [*whom, *command], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (done.stdout, done.stderr, log.exists() and log.read_text())

    try:
        run(initdb, "-D", str(data), "-U", "steward", "-A", "trust", "-E", "UTF8", "--no-sync")
        # No network at all: the socket in this folder is the only way in.
        settings = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        run(control, "-D", str(data), "-l", str(log), "-o", settings, "-w", "start")
        try:
            yield f"postgresql://steward@/postgres?host={quote(str(folder))}"
        finally:
            run(control, "-D", str(data), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
