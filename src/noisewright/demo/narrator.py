"""How a story reaches the user: the functions that print what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import final


@final
@dataclass(frozen=True, kw_only=True)
class Narrator:
    """How sentences and headings are shown, certificates checked, and what the program is called.

    `check` runs the stand-alone checker on a certificate, away from this package, and shows what it
    says.
    """

    say: Callable[[str], None]
    heading: Callable[[str], None]
    check: Callable[[Path], None]
    program: str
