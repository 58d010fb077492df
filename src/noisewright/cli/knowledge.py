"""Options for what is public about a table before it is synthesized."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, final

import typer


@final
@dataclass(frozen=True)
class KnowledgeOptions:
    """The files of structural zeros, of a prior and of totals; all are declared to be public."""

    zeros: Annotated[
        Path | None,
        typer.Option(
            help="Structural zeros, which no row can meet: a workload of conjunctions in TOML."
        ),
    ] = None
    prior: Annotated[
        Path | None,
        typer.Option(
            help="A table as starting distribution. It must be public or already released: its "
            "rows may appear in the output."
        ),
    ] = None
    totals: Annotated[
        list[Path] | None,
        typer.Option(
            help="Public totals to keep exactly: a table of some columns and 'count'. May be "
            "repeated."
        ),
    ] = None
