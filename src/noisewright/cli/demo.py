"""`noisewright demo`: the main job on a made-up survey, from raw table to checked estimates."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noisewright.cli.checker import say_what_the_checker_says
from noisewright.cli.say import heading, say

if TYPE_CHECKING:
    from noisewright.demo import Narrator


def demo(
    out: Annotated[Path, typer.Option(help="The folder that the demo writes to.")] = Path(
        "noisewright-demo"
    ),
    people: Annotated[
        int, typer.Option(min=100, max=5_000_000, help="How many made-up people to generate.")
    ] = 50_000,
) -> None:
    """Show all tools on a made-up survey: choose, ask, synthesize, release, compare with the truth.

    Examples:
      noisewright demo
      noisewright demo --people 200000 --out /tmp/demo
    """
    from noisewright.demo import tell_survey

    tell_survey(out, people=people, narrator=narrator())


def narrator() -> Narrator:
    """Return how stories are told on a terminal."""
    from noisewright.demo import Narrator

    program = "noisewright" if shutil.which("noisewright") else sys.argv[0]
    return Narrator(say=say, heading=heading, check=say_what_the_checker_says, program=program)
