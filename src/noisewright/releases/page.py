"""The report of a release or a synthetic table: made from what was released, after it is safe.

A report is a convenience. It is written when the data, its recipe and its certificate have their
names and the ledger knows that they went out, so that nothing that goes wrong here, not even the
end of the process, takes anything from the release. It can be made again at any time.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from noisewright.errors import InputError, NoisewrightError, ReleaseError
from noisewright.estimation import Estimate
from noisewright.files import save_whole
from noisewright.ledger import Balance
from noisewright.releases.comparison import compare_shares
from noisewright.releases.files.target import TargetFiles
from noisewright.releases.released import Release, file_digest
from noisewright.releases.synthesis.declared import Declared
from noisewright.releases.synthesis.result import Synthesis
from noisewright.report import (
    Advance,
    ReleaseFacts,
    ReleaseFile,
    SynthesisFacts,
    compare_counts,
    release_page,
    synthesis_page,
)
from noisewright.synthetic import Tallies
from noisewright.transaction import Progress

_PROOF = "the proof; anyone can check it again"

_WORDS = {
    "data": "the private copy",
    "certificate": _PROOF,
    "recipe": "what an analyst needs to account for the noise",
}

_WORDS_OF_SYNTHESIS = {
    "data": "the synthetic rows",
    "synthesis": "the noisy counts behind them, and what each step spent",
    "counts": "the noisy counts as CSV",
    "certificate": _PROOF,
}

_QUESTIONS = ("mean", "quantiles", "histogram", "items", "shares")


Made = TypeVar("Made", Release, Synthesis)


def with_report(made: Made, path: Path, progress: Progress | None = None) -> Made:
    """Write the report and return the release, or the synthetic table, with it.

    It is out and paid for: what goes wrong here is noted, and costs nothing else.
    """
    again = (
        f"The {_noun(made)} is complete; only its report is missing, and "
        f"`noisewright report {made.path}` makes it"
    )
    try:
        if progress is not None:
            progress("page", 0, None)
        advance = None if progress is None else partial(progress, "page")
        written = write_report(made, path, balance=made.balance, made_again=False, advance=advance)
    except Exception as problem:
        said = str(problem) if isinstance(problem, NoisewrightError | OSError) else repr(problem)
        return replace(made, notes=(*made.notes, f"{again}. What went wrong: {said}"))
    except BaseException as problem:
        problem.add_note(f"{again}.")
        raise
    return replace(made, files={**made.files, "report": written})


def _noun(made: Release | Synthesis) -> str:
    return "release" if isinstance(made, Release) else "table"


def write_report(
    made: Release | Synthesis,
    path: str | os.PathLike[str] | None,
    *,
    balance: Balance | None,
    made_again: bool,
    advance: Advance | None = None,
) -> Path:
    """Write the page of a release or a synthetic table, whole or not at all, and return where.

    By default that is beside its data.
    """
    if path is not None:
        target = Path(path)
    elif made.path is not None:
        target = TargetFiles.at(made.path).report
    else:
        raise ReleaseError(
            f"this {_noun(made)} is in memory, so there is no folder for the report. Give a path: "
            ".report('private.report.html')."
        )
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"the report is a page; {target.name!r} must end in .html.")
    if isinstance(made, Release):
        facts = facts_of(made, balance=balance, made_again=made_again)
        page = release_page(facts, progress=advance)
    else:
        counted = facts_of_synthesis(made, balance=balance, made_again=made_again)
        page = synthesis_page(counted, progress=advance)
    return save_whole(target, page.encode(), what="the report")


def facts_of(release: Release, *, balance: Balance | None, made_again: bool) -> ReleaseFacts:
    """Return what the page tells of a release; all of it may leave the building."""
    estimates, notes = _estimates(release)
    document, known = release.recipe.document, release.recipe.file
    # The digest of the data was taken when it was written, and compared when it was opened.
    digests = {} if known is None else {"data": known["sha256"]}
    charge = {
        "all_rows": release.plan.person is not None,
        "independent": not release.plan.is_central,
    }
    return ReleaseFacts(
        **_common_facts(release, balance, charge),
        data="private.parquet" if release.path is None else release.path.name,
        files=_files(release.files, _WORDS, digests),
        made_again=made_again,
        plan=release.plan,
        others=compare_shares(release.plan, release.rows),
        certificate_digest=document["certificate"]["digest"],
        estimates=estimates,
        notes=notes,
        version=document["made_by"].removeprefix("noisewright "),
    )


def facts_of_synthesis(
    made: Synthesis, *, balance: Balance | None, made_again: bool
) -> SynthesisFacts:
    """Return what the page tells of a synthetic table; an evaluation is none of it."""
    counts = _own_counts(made)
    return SynthesisFacts(
        **_common_facts(made, balance, {"all_rows": made.rows_per_person > 1}),
        data="" if made.path is None else made.path.name,
        files=_files(made.files, _WORDS_OF_SYNTHESIS, {}),
        made_again=made_again,
        method=made.method,
        domain=made.domain,
        people=made.people,
        rows_per_person=made.rows_per_person,
        spends=made.spends,
        counted=compare_counts(made.measurements, counts, made.rows),
        errors=made.errors,
        inference=made.inference,
        limits=made.limits,
        columns=tuple(made.split.fields),
        certificate_digest=made.certificate_digest,
    )


def _common_facts(
    made: Release | Synthesis, balance: Balance | None, charge: Mapping[str, bool]
) -> dict[str, Any]:
    """Return what both pages tell of the guarantee, and of what it took from the budget."""
    charged = made.charged
    if balance is not None:
        # What the ledger calls these people, and the numbers of its entries, stay inside.
        balance = replace(balance, dataset="", reserved=())
        charged = balance.charge(made.guarantee, **charge) if charged is None else charged
    return {
        "rows": made.rows,
        "made": datetime.now(UTC),
        "guarantee": made.guarantee,
        "charged": charged,
        "balance": balance,
        "accounted": made.is_accounted,
        "not_private": not made.is_private,
    }


def _files(
    files: Mapping[str, Path], words: Mapping[str, str], digests: Mapping[str, str]
) -> tuple[ReleaseFile, ...]:
    found: list[ReleaseFile] = []
    for kind, path in ((kind, files[kind]) for kind in words if kind in files):
        if path.is_dir():
            found.append(ReleaseFile(path.name, words[kind]))
        else:
            digest = digests.get(kind) or file_digest(path)
            found.append(ReleaseFile(path.name, words[kind], path.stat().st_size, digest))
    return tuple(found)


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


def _own_counts(made: Synthesis) -> dict[tuple[str, ...], Any]:
    """Count the synthetic rows as the data was counted."""
    groupings = tuple({one.columns: None for one in made.measurements})
    if not groupings:
        return {}
    try:
        batches = made.bins.batches(Declared.of(made.table, made.split.fields).batches(None))
        return dict(Tallies.of(batches, made.bins.wide, groupings).counts)
    except NoisewrightError:
        # A page with noisy counts only is better than none.
        return {}
