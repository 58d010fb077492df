"""`noisewright reproduce`: compute the claims of a paper again, from a checkout."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from noisewright.errors import MissingPartError


def reproduce(
    paper: Annotated[
        Literal["counts", "categorical", "metric", "survey"],
        typer.Argument(
            help="counts (Cormode, Kulkarni and Srivastava), categorical or metric (Holohan, "
            "Leith and Mason, 2016 and 2015), or survey (Hu and Zhou)."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="The folder for the page and its pictures; papers/PAPER/output by default.",
            show_default=False,
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="A published data file that the paper uses, e.g. adult.data, or a folder with "
            "several. Without it, the page says where to get the file, and leaves out the "
            "claims that need it.",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small version of everything, in seconds.")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this claim or group of claims, e.g. fig-7 or theorem-4; may be repeated.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Compute every figure and claim of a paper again, and write a page of the results.

    The page shows the paper's claims next to the computed results, and says which hold, which
    need a correction and which do not hold. It needs a checkout of the project: papers are not
    part of the installed package.

    Examples:
      noisewright reproduce counts
      noisewright reproduce counts --quick --out /tmp/counts
      noisewright reproduce counts --only fig-7 --only theorem-5
      noisewright reproduce counts --data adult.data
      noisewright reproduce categorical --quick
      noisewright reproduce metric --only theorem-6
      noisewright reproduce survey
    """
    root = find_checkout(paper)
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    found = importlib.import_module(f"papers.{paper}.run").PAPER
    found.reproduce(out or found.output, data=data, quick=quick, only=only or ())


def find_checkout(paper: str) -> Path:
    """Return the root of the project: where this code lies, or the folder one is in or below."""
    here = Path(__file__).resolve()
    places = [here.parents[3], Path.cwd(), *Path.cwd().parents]
    for place in places:
        if (place / "papers" / paper / "run.py").is_file() and (place / "src").is_dir():
            return place
    raise MissingPartError(
        f"the computations behind the paper {paper!r} are not part of the installed package, and "
        "no checkout of the project was found here. Clone the Noisewright repository and run this "
        "command in it, or `make papers` there."
    )
