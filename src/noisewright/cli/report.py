"""`noisewright report`: the page about a release, made again from the released file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import noisewright as nw
from noisewright import releases
from noisewright.cli.options import JsonOption
from noisewright.cli.say import answer, say
from noisewright.errors import InputError

if TYPE_CHECKING:
    from noisewright.ledger import Balance


_DATA = (".parquet", ".csv", ".feather", ".arrow", ".ipc")
"""How names of released files end."""


def report(
    release: Annotated[
        Path,
        typer.Argument(
            help="A released file or a synthetic table, with the files beside it.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The page; beside the release if left out."),
    ] = None,
    ledger: Annotated[
        str | None,
        typer.Option(help="Where the budget is kept: a file, or a PostgreSQL URL."),
    ] = None,
    dataset: Annotated[str | None, typer.Option(help="The dataset that the budget is for.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Write the report of a release or a synthetic table again: one page for all readers.

    It is made from the released file and its recipe alone (of a synthetic table: from its noisy
    counts), costs no privacy, and can be read without a network. A release
    writes its report itself; this is for one that is missing, or made by another version.

    Examples:
      noisewright report private.parquet
      noisewright report private.parquet -o for-the-board.html
      noisewright report synthetic.parquet
      noisewright report private.parquet --ledger budget.db --dataset survey   (with what is left)
    """
    _require_data(release)
    kind = nw.results.Synthesis if releases.is_synthesis(release) else nw.results.Release
    opened = kind.open(release)
    path = opened.report(output, balance=_balance(ledger, dataset))
    if as_json:
        answer({"report": str(path), "private": opened.is_private, "bytes": path.stat().st_size})
        return
    if not opened.is_private:
        say("NOT PRIVATE: the noise came from a seed, for tests. Do not publish this.", style="red")
    what = "synthetic table" if isinstance(opened, nw.results.Synthesis) else "release"
    say(f"{path}: the {what} of {opened.rows:,} rows in plain words.", style="bold green")


def _require_data(release: Path) -> None:
    """Refuse a file that lies beside the data, and name the data."""
    for kind in (releases.CERTIFICATE, releases.RECIPE, releases.REPORT, releases.SYNTHESIS):
        stem = release.name.removesuffix(f".{kind}")
        if stem == release.name:
            continue
        data = [release.with_name(f"{stem}{end}") for end in _DATA]
        there = next((str(path) for path in data if path.is_file()), None)
        meant = f"that is {there!r}" if there else f"that is called {stem}.parquet or the like"
        raise InputError(
            f"{str(release)!r} lies beside a release; give the released file: {meant}."
        )


def _balance(ledger: str | None, dataset: str | None) -> Balance | None:
    if (ledger is None) != (dataset is None):
        raise InputError(
            "--ledger and --dataset go together: whose budget is to be shown, and where it is kept."
        )
    if ledger is None or dataset is None:
        return None
    return nw.Ledger.open(ledger).balance(dataset)
