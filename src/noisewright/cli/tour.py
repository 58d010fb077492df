"""`noisewright tour`: a walk in sentences, from a mechanism to a caught forgery."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from noisewright import demo
from noisewright.cli.demo import narrator


def tour(
    out: Annotated[Path, typer.Option(help="The folder that the tour writes to.")] = Path(
        "noisewright-tour"
    ),
) -> None:
    """Build a mechanism, prove it, certify it, sample it, and catch a forgery.

    Examples:
      noisewright tour
      noisewright tour --out /tmp/tour
    """
    demo.tell_tour(out, narrator=narrator())
