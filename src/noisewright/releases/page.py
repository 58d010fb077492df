"""The report beside a release: made of what was released, after it was released."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from noisewright.errors import NoisewrightError
from noisewright.estimation import Estimate
from noisewright.files import write_whole
from noisewright.plans import Plan
from noisewright.releases.estimates import estimates_of
from noisewright.releases.released import Release, file_digest
from noisewright.report import ReleaseFacts, ReleaseFile, release_page

_ABOUT_NUMBERS = ("mean", "histogram", "quantiles")

_WORDS = {
    "data": "the private copy",
    "certificate": "the proof; anyone can check it again",
    "recipe": "what an analyst needs to account for the noise",
}


def with_report(made: Release, path: Path) -> Release:
    """Write the report and return the release with it.

    The release is out and paid for: what goes wrong here is noted, and costs nothing else.
    """
    try:
        write_whole(path, release_page(facts_of(made)).encode())
    except Exception as problem:
        why = str(problem) if isinstance(problem, NoisewrightError | OSError) else repr(problem)
        note = f"The report could not be made, and everything else is there: {why}"
        return replace(made, notes=(*made.notes, note))
    return replace(made, files={**made.files, "report": path})


def facts_of(made: Release) -> ReleaseFacts:
    """Return what the report tells; all of it may leave the building."""
    assert made.path is not None
    balance = made.balance
    if balance is not None:
        # What the ledger calls these people, and the numbers of its entries, stay inside.
        balance = replace(balance, dataset="this dataset", reserved=())
    return ReleaseFacts(
        plan=made.plan,
        data=made.path.name,
        rows=made.rows,
        made=datetime.now(UTC),
        guarantee=made.guarantee,
        certificate_digest=made.certificate.digest,
        estimates=_estimates(made.plan, made.path),
        balance=balance,
        files=tuple(_file(kind, path) for kind, path in made.files.items()),
        not_private=not made.is_private,
    )


def _estimates(plan: Plan, path: Path) -> dict[str, list[Estimate]]:
    """Return the usual estimates about each column, from one pass over the released file."""
    found = estimates_of(plan, path)
    titles = {
        name: [name, *(f"{word} of {name}" for word in _ABOUT_NUMBERS)] for name in plan.private
    }
    return {name: [found[one] for one in names if one in found] for name, names in titles.items()}


def _file(kind: str, path: Path) -> ReleaseFile:
    size = path.stat().st_size if path.is_file() else None
    return ReleaseFile(path.name, _WORDS[kind], size, file_digest(path))
