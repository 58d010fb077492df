"""The report of a release: made from what was released, after it is safe.

A report is a convenience. It is written when the data, its recipe and its certificate have their
names and the ledger knows that they went out, so that nothing that goes wrong here, not even the
end of the process, takes anything from the release. It can be made again at any time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from noisewright.errors import InputError, NoisewrightError, ReleaseError
from noisewright.estimation import Estimate
from noisewright.files import save_whole
from noisewright.ledger import Balance
from noisewright.mechanisms import Guarantee
from noisewright.releases.files.target import TargetFiles
from noisewright.report import Advance, ReleaseFacts, ReleaseFile, release_page
from noisewright.transaction import Progress

if TYPE_CHECKING:
    from noisewright.releases.released import Release
    from noisewright.releases.synthesis.result import Synthesis

_WORDS = {
    "data": "the private copy",
    "certificate": "the proof; anyone can check it again",
    "recipe": "what an analyst needs to account for the noise",
}

_QUESTIONS = ("mean", "quantiles", "histogram", "items", "shares")


Made = TypeVar("Made", "Release", "Synthesis")


def with_report(made: Made, path: Path, progress: Progress | None = None) -> Made:
    """Write the report and return the release, or the synthetic table, with it.

    It is out and paid for: what goes wrong here is noted, and costs nothing else.
    """
    from noisewright.releases.released import Release
    from noisewright.releases.synthesis_report import write_synthesis_report

    is_release = isinstance(made, Release)
    write: Callable[..., Path] = write_report if is_release else write_synthesis_report
    again = (
        f"The {'release' if is_release else 'table'} is complete; only its report is missing, and "
        f"`noisewright report {made.path}` makes it"
    )
    try:
        if progress is not None:
            progress("page", 0, None)
        advance = None if progress is None else partial(progress, "page")
        written = write(made, path, balance=made.balance, made_again=False, advance=advance)
    except Exception as problem:
        said = str(problem) if isinstance(problem, NoisewrightError | OSError) else repr(problem)
        return replace(made, notes=(*made.notes, f"{again}. What went wrong: {said}"))
    except BaseException as problem:
        problem.add_note(f"{again}.")
        raise
    return replace(made, files={**made.files, "report": written})


def write_report(
    release: Release,
    path: str | os.PathLike[str] | None,
    *,
    balance: Balance | None,
    made_again: bool,
    advance: Advance | None = None,
) -> Path:
    """Write the page of a release, whole or not at all; by default beside its data."""

    def page() -> str:
        facts = facts_of(release, balance=balance, made_again=made_again)
        return release_page(facts, progress=advance)

    example = "release.report('private.report.html')"
    return write_page(page, path, release.path, called="release", example=example)


def write_page(
    page: Callable[[], str],
    path: str | os.PathLike[str] | None,
    data: Path | None,
    *,
    called: str,
    example: str,
) -> Path:
    """Write a page, whole or not at all, to a path or beside its data, and return where."""
    if path is not None:
        target = Path(path)
    elif data is not None:
        target = TargetFiles.at(data).report
    else:
        raise ReleaseError(
            f"this {called} is in memory, so there is no place beside it. Say where the report "
            f"goes: {example}."
        )
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"the report is a page; {target.name!r} must end in .html.")
    return save_whole(target, page().encode(), what="the report")


def _charged(release: Release, balance: Balance | None) -> Guarantee | None:
    if balance is None or release.charged is not None:
        return release.charged
    return balance.charge(
        release.guarantee, all_rows=release.plan.person is not None, independent=True
    )


def facts_of(release: Release, *, balance: Balance | None, made_again: bool) -> ReleaseFacts:
    """Return what the page tells of a release; all of it may leave the building."""
    if balance is not None:
        # What the ledger calls these people, and the numbers of its entries, stay inside.
        balance = replace(balance, dataset="", reserved=())
    estimates, notes = _estimates(release)
    return ReleaseFacts(
        plan=release.plan,
        data="private.parquet" if release.path is None else release.path.name,
        rows=release.rows,
        made=datetime.now(UTC),
        guarantee=release.guarantee,
        charged=_charged(release, balance),
        certificate_digest=release.recipe.document["certificate"]["digest"],
        estimates=estimates,
        notes=notes,
        balance=balance,
        accounted=release.is_accounted,
        files=tuple(_file(kind, path, release) for kind, path in _shown(release.files)),
        not_private=not release.is_private,
        made_again=made_again,
        version=release.recipe.document["made_by"].removeprefix("noisewright "),
    )


def _shown(files: Mapping[str, Path]) -> list[tuple[str, Path]]:
    return [(kind, files[kind]) for kind in _WORDS if kind in files]


def _file(kind: str, path: Path, release: Release) -> ReleaseFile:
    from noisewright.releases.released import file_digest

    known = release.recipe.file
    # The digest of the data was taken when it was written, and compared when it was opened.
    digest = known["sha256"] if kind == "data" and known is not None else file_digest(path)
    size = None if path.is_dir() else path.stat().st_size
    return ReleaseFile(path.name, _WORDS[kind], size, "" if path.is_dir() else digest)


def _estimates(release: Release) -> tuple[dict[str, list[Estimate]], tuple[str, ...]]:
    """Return the usual estimates of the private columns, by column, and notes on what is missing.

    They are about the released rows: noise is error, sampling is not.
    """
    if not release.rows:
        return {}, ()
    try:
        found = release.estimate(about="people")
    except NoisewrightError as problem:
        # A page without estimates is better than none.
        return {}, (f"Estimates are missing: {problem}",)
    by_column: dict[str, list[Estimate]] = {}
    for name in release.plan.private:
        titles = [name, *(f"{word} of {name}" for word in _QUESTIONS)]
        by_column[name] = [found[title] for title in titles if title in found]
    return by_column, found.notes
