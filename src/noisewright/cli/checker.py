"""`noisewright checker`: the stand-alone checker as one file, and run as others would run it."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from noisewright.cli.options import JsonOption
from noisewright.cli.say import answer, say
from noisewright.files import write_whole

_START = '''\
"""Starts the checker in this archive, if all of its parts are there and whole.

The checker is the folder `checker`: begin to read with the text of its `__init__.py`.
"""

import sys

if sys.version_info < (3, 11):
    sys.stderr.write("The checker needs Python 3.11 or newer.\\n")
    sys.exit(2)

import os
import zipfile
from hashlib import sha256

PARTS = {
%s}


def find_damage(path):
    """Say which part is missing or changed; against forgers, compare the digest of this file."""
    try:
        with zipfile.ZipFile(path) as archive:
            if sorted(archive.namelist()) != sorted(["__main__.py", *PARTS]):
                return "parts are missing, or there are too many"
            archive.read("__main__.py")
            for name, digest in PARTS.items():
                if sha256(archive.read(name)).hexdigest() != digest:
                    return name + " was changed"
    except Exception as problem:
        return str(problem) or "it cannot be read"


damage = find_damage(os.path.dirname(__file__))
if damage:
    sys.stderr.write("This checker is damaged (%%s): get it again.\\n" %% damage)
    sys.exit(2)

from checker.__main__ import main

sys.exit(main(sys.argv[1:]))
'''


def checker(
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")] = Path(
        "checker.pyz"
    ),
    as_json: JsonOption = False,
) -> None:
    """Write the stand-alone checker of certificates: one file that you can pass on.

    It needs Python 3.11 or newer, and nothing else: not this package, no network. It is an archive
    of plain Python files, which are meant to be read ([bold]unzip checker.pyz[/bold]); the
    docstring of checker/__init__.py says in which order. The same version always writes the same
    bytes.

    Examples:
      noisewright checker -o checker.pyz
      noisewright checker -o checker.pyz --json
      python checker.pyz m.json                  (then, anywhere)
    """
    archive = make_archive()
    write_whole(output, archive)
    digest = hashlib.sha256(archive).hexdigest()
    if as_json:
        answer({"checker": str(output), "sha256": digest})
        return
    say(f"{output}: the checker, which needs nothing from this package. SHA-256: {digest}")
    say(f"  python {output} certificate.json")


def make_archive() -> bytes:
    """Return the checker as a zip archive that Python runs, the same bytes each time.

    Its parts are stored as they are, so that no version of a compressor shows, and their digests
    are in the file that starts them.
    """
    folder = files("noisewright.checker")
    names = sorted(part.name for part in folder.iterdir() if part.name.endswith(".py"))
    parts = {f"checker/{name}": (folder / name).read_bytes() for name in names}
    lines = (
        f'    "{name}": "{hashlib.sha256(data).hexdigest()}",\n' for name, data in parts.items()
    )
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in {"__main__.py": (_START % "".join(lines)).encode(), **parts}.items():
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            archive.writestr(entry, data)
    return made.getvalue()


def say_what_the_checker_says(path: Path) -> None:
    """Check a certificate with the one file, in a process of its own, and say what it said."""
    say("The stand-alone checker, which uses nothing from this package, reports:")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "checker.pyz"
        program.write_bytes(make_archive())
        found = subprocess.run(
            [sys.executable, "-I", str(program), str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
    for line in (found.stdout or found.stderr).strip().splitlines():
        say(f"  {line}", style="green" if found.returncode == 0 else "red")
