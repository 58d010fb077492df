"""How the program speaks: sentences for people, JSON for machines."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console
from rich.text import Text

_OUT = Console(highlight=False, soft_wrap=True)


def say(sentence: str = "", *, style: str = "") -> None:
    """Print one plain sentence."""
    _OUT.print(Text(sentence, style=style))


def heading(text: str) -> None:
    """Print a heading with some air above it."""
    say()
    say(text, style="bold")


def answer(values: dict[str, Any]) -> None:
    """Print an answer for machines."""
    print(json.dumps(values, indent=1, ensure_ascii=False))


def failed(message: str, *, as_json: bool) -> None:
    """Print why the program could not do its work, on the error stream."""
    if as_json:
        print(json.dumps({"error": message}, ensure_ascii=False), file=sys.stderr)
    else:
        Console(stderr=True, highlight=False, soft_wrap=True).print(
            Text("noisewright: ", style="bold red"), Text(message), sep=""
        )
