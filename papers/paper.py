"""A paper whose claims are computed again: which claims, in which order, and what the page says."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from noisewright.errors import InputError, NoisewrightError
from papers.claims import Check, Claim, Setting
from papers.data_files import DataFile, find
from papers.page import tally, write_page


@dataclass(frozen=True)
class Paper:
    """The claims of one paper by group, in its order; the data some need; the page around them."""

    name: str
    title: str
    introduction: Sequence[str]
    groups: Mapping[str, Mapping[str, Check]]
    data: Sequence[DataFile] = ()

    @property
    def output(self) -> Path:
        """The folder that a run writes to unless told otherwise."""
        return Path(__file__).resolve().parent / self.name / "output"

    def select(self, only: Iterable[str] = ()) -> dict[str, Check]:
        """Return the claims to compute: all, or those named by themselves or by their group."""
        everything = {n: check for group in self.groups.values() for n, check in group.items()}
        chosen: dict[str, Check] = {}
        for word in only:
            found = self.groups.get(word) or {n: c for n, c in everything.items() if n == word}
            if not found:
                raise InputError(
                    f"there is no claim {word!r}. The groups are {', '.join(self.groups)}; the "
                    f"claims are {', '.join(everything)}."
                )
            chosen |= found
        return {n: c for n, c in everything.items() if n in chosen} if chosen else everything

    def reproduce(
        self, out: Path, *, data: Path | None = None, quick: bool = False, only: Iterable[str] = ()
    ) -> dict[str, Claim]:
        """Compute the claims, write pictures and pages into `out`, and return what came out.

        Requires: `data`, if given, is a data file of the paper or a folder with some of them.
        Ensures: pages are whole or not there.
        """
        checks = self.select(only)
        files = find(self.data, data)
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise InputError(f"cannot make the folder {out}: {problem.strerror}.") from problem
        console = Console(highlight=False, soft_wrap=True)
        start = time.perf_counter()
        claims = _compute(checks, Setting(out, quick, files), console)
        took = time.perf_counter() - start
        notes = (
            "This is a quick run: fewer sizes and repetitions than a full one."
            if quick
            else f"A full run; it took {took:.0f} s."
        )
        markdown, page = write_page(
            out, claims, title=self.title, introduction=(*self.introduction, notes)
        )
        console.print()
        console.print(tally(claims))
        console.print(f"The page is in {page}, the same as Markdown in {markdown}.")
        return claims

    def main(self, arguments: list[str] | None = None) -> int:
        """Run as a program."""
        names = " or ".join(file.name for file in self.data)
        parser = argparse.ArgumentParser(description="Compute every claim of the paper again.")
        parser.add_argument("--out", type=Path, default=self.output, help="the folder to write to")
        parser.add_argument("--data", type=Path, help=f"{names}, or the folder that holds it")
        parser.add_argument("--quick", action="store_true", help="a small version of everything")
        parser.add_argument("--only", action="append", default=[], help="a claim or a group")
        given = parser.parse_args(arguments)
        try:
            self.reproduce(given.out, data=given.data, quick=given.quick, only=given.only)
        except NoisewrightError as problem:
            print(f"{parser.prog}: {problem}", file=sys.stderr)
            return 2
        return 0


def _compute(checks: Mapping[str, Check], setting: Setting, console: Console) -> dict[str, Claim]:
    claims: dict[str, Claim] = {}
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
            claim = claims[name] = check(setting)
            bar.advance(task)
            bar.console.print(f"{claim.verdict.value:24} {claim.place}: {claim.title}")
    return claims
