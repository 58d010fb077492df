"""The report of a synthetic table: made from what was released, after it is safe.

It is a convenience, as that of a release is: written when the table is published and debited, so
that nothing that goes wrong here takes anything from it. It can be made again at any time.
"""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from noisewright.errors import NoisewrightError
from noisewright.ledger import Balance
from noisewright.releases.page import write_page
from noisewright.releases.released import file_digest
from noisewright.releases.synthesis.declared import Declared
from noisewright.releases.synthesis.result import Synthesis
from noisewright.report import Advance, ReleaseFile, SynthesisFacts, compare_counts, synthesis_page
from noisewright.synthetic import Tallies

_WORDS = {
    "data": "the synthetic rows",
    "synthesis": "the noisy counts behind them, and what each step spent",
    "certificate": "the proof; anyone can check it again",
}


def write_synthesis_report(
    made: Synthesis,
    path: str | os.PathLike[str] | None,
    *,
    balance: Balance | None,
    made_again: bool,
    advance: Advance | None = None,
) -> Path:
    """Write the page of a synthetic table, whole or not at all; by default beside it."""

    def page() -> str:
        facts = facts_of_synthesis(made, balance=balance, made_again=made_again)
        return synthesis_page(facts, progress=advance)

    example = "made.report('synthetic.report.html')"
    return write_page(page, path, made.path, called="table", example=example)


def facts_of_synthesis(
    made: Synthesis, *, balance: Balance | None, made_again: bool
) -> SynthesisFacts:
    """Return what the page tells of a synthetic table; an evaluation is none of it."""
    if balance is not None:
        # What the ledger calls these people, and the numbers of its entries, stay inside.
        balance = replace(balance, dataset="", reserved=())
    charged = made.charged
    if balance is not None and charged is None:
        charged = balance.charge(made.guarantee, all_rows=made.rows_per_person > 1)
    counts = _own_counts(made)
    return SynthesisFacts(
        data="" if made.path is None else made.path.name,
        method=made.method,
        domain=made.domain,
        rows=made.rows,
        people=made.people,
        rows_per_person=made.rows_per_person,
        made=datetime.now(UTC),
        guarantee=made.guarantee,
        charged=charged,
        spends=made.spends,
        counted=tuple(
            compare_counts(one, counts.get(one.columns), made.rows) for one in made.measurements
        ),
        errors=made.errors,
        inference=made.inference,
        limits=made.limits,
        balance=balance,
        accounted=made.is_accounted,
        certificate_digest=made.certificate_digest,
        files=tuple(_file(kind, made.files[kind]) for kind in _WORDS if kind in made.files),
        not_private=not made.is_private,
        made_again=made_again,
    )


def _own_counts(made: Synthesis) -> dict[tuple[str, ...], Any]:
    """Count the synthetic rows as the data was counted."""
    groupings = tuple({one.columns: None for one in made.measurements})
    if not groupings:
        return {}
    try:
        batches = made.bins.batches(Declared.of(made.table, made.domain).batches(None))
        return dict(Tallies.of(batches, made.bins.wide, groupings).counts)
    except NoisewrightError:
        # A page with noisy counts only is better than none.
        return {}


def _file(kind: str, path: Path) -> ReleaseFile:
    return ReleaseFile(path.name, _WORDS[kind], path.stat().st_size, file_digest(path))
