"""Compute every claim of the paper again and write the page: `python papers/counts/run.py`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from noisewright.errors import InputError, NoisewrightError
from papers.counts import (
    adult,
    binomial,
    choices,
    combinations,
    definitions,
    fair_mechanism,
    geometric_mechanism,
    one_bit,
    other_losses,
    pathologies,
    symmetry,
)
from papers.counts.claim import Check, Claim, Setting
from papers.counts.page import tally, write_page

OUTPUT = Path(__file__).resolve().parent / "output"

# In the order of the paper.
GROUPS: dict[str, dict[str, Check]] = {
    "introduction": pathologies.CLAIMS,
    "definitions": definitions.CLAIMS,
    "properties": symmetry.CLAIMS,
    "one-bit": one_bit.CLAIMS,
    "geometric": geometric_mechanism.CLAIMS,
    "fair": fair_mechanism.CLAIMS,
    "choices": choices.CLAIMS,
    "combinations": combinations.CLAIMS,
    "adult": adult.CLAIMS,
    "binomial": binomial.CLAIMS,
    "other-losses": other_losses.CLAIMS,
}


def select(only: Iterable[str] = ()) -> dict[str, Check]:
    """Return the claims to compute: all, or those named by themselves or by their group."""
    everything = {name: check for group in GROUPS.values() for name, check in group.items()}
    chosen: dict[str, Check] = {}
    for word in only:
        found = GROUPS.get(word) or {n: c for n, c in everything.items() if n == word}
        if not found:
            raise InputError(
                f"there is no claim {word!r}. The groups are {', '.join(GROUPS)}; the claims are "
                f"{', '.join(everything)}."
            )
        chosen |= found
    return {n: c for n, c in everything.items() if n in chosen} if chosen else everything


def reproduce(
    out: Path, *, data: Path | None = None, quick: bool = False, only: Iterable[str] = ()
) -> dict[str, Claim]:
    """Compute the claims, write pictures and pages into `out`, and return what came out.

    Requires: `data`, if given, is the file adult.data. Ensures: pages are whole or not there.
    """
    checks = select(only)
    if data is not None:
        adult.read_targets(data)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"cannot make the folder {out}: {problem.strerror}.") from problem
    setting = Setting(out, quick, data)
    console = Console(highlight=False, soft_wrap=True)
    claims: dict[str, Claim] = {}
    start = time.perf_counter()
    bar = Progress(
        TextColumn("{task.description:24}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with bar:
        task = bar.add_task("", total=len(checks))
        for name, check in checks.items():
            bar.update(task, description=name)
            claims[name] = check(setting)
            bar.advance(task)
            claim = claims[name]
            bar.console.print(f"{claim.verdict.value:24} {claim.place}: {claim.title}")
    notes = (
        "This is a quick run: fewer sizes and repetitions than the paper's."
        if quick
        else (
            f"A full run, with the paper's repetitions; it took {time.perf_counter() - start:.0f} "
            "s."
        )
    )
    markdown, page = write_page(out, claims, notes=notes)
    console.print()
    console.print(tally(claims))
    console.print(f"The page is in {page}, the same as Markdown in {markdown}.")
    return claims


def main(arguments: list[str] | None = None) -> int:
    """Run as a program."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0] + ".")
    parser.add_argument("--out", type=Path, default=OUTPUT, help="the folder to write to")
    parser.add_argument("--data", type=Path, help="the file adult.data of UCI Adult")
    parser.add_argument("--quick", action="store_true", help="a small version of everything")
    parser.add_argument("--only", action="append", default=[], help="a claim or a group of claims")
    given = parser.parse_args(arguments)
    try:
        reproduce(given.out, data=given.data, quick=given.quick, only=given.only)
    except NoisewrightError as problem:
        print(f"{parser.prog}: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
