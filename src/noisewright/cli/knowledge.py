"""Options for what is public about a table before it is synthesized."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, final

import typer


@final
@dataclass(frozen=True)
class KnowledgeOptions:
    """The files of zeros, of a starting table and of totals; all are declared to be public."""

    zeros: Annotated[
        Path | None,
        typer.Option(help="Conditions that no row can meet: a workload of conjunctions, in TOML."),
    ] = None
    prior: Annotated[
        Path | None,
        typer.Option(
            help="A table to start from. It must be public or already released: rows of it may be "
            "shown."
        ),
    ] = None
    totals: Annotated[
        list[Path] | None,
        typer.Option(
            help="Public totals to keep: a table of some columns and 'count'. May be repeated."
        ),
    ] = None
