"""How the program speaks: sentences for people, JSON for machines."""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Any

from rich.console import Console
from rich.text import Text


def say(sentence: str = "", *, style: str = "") -> None:
    """Print one plain sentence."""
    # Made anew each time, because a console keeps the stream that it first saw.
    Console(highlight=False, soft_wrap=True).print(Text(sentence, style=style))


def heading(text: str) -> None:
    """Print a heading with some air above it."""
    say()
    say(text, style="bold")


def answer(values: dict[str, Any]) -> None:
    """Print an answer for machines: one JSON object, in ASCII, which any terminal can show."""
    print(json.dumps(values, indent=1))


def print_failure(message: str, *, as_json: bool) -> None:
    """Print why the program could not do its work: on the error stream, or as JSON."""
    if as_json:
        with contextlib.suppress(OSError):
            answer({"error": message})
            sys.stdout.flush()
            return
    # Where nothing can be printed, the exit code has to do.
    with contextlib.suppress(OSError):
        Console(stderr=True, highlight=False, soft_wrap=True).print(
            Text("noisewright: ", style="bold red"), Text(message), sep=""
        )
