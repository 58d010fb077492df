"""A synthetic table, what it was made from, and what it cost."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.certificates import Certificate
from noisewright.errors import NoisewrightError, ReleaseError
from noisewright.estimation import Estimate
from noisewright.exact import as_text
from noisewright.given import quantity
from noisewright.ledger import Balance
from noisewright.mechanisms import Guarantee
from noisewright.public import public_methods
from noisewright.queries import Expression
from noisewright.releases.synthesis.plain_spaces import plain_points, plain_space
from noisewright.sampling import Source
from noisewright.spaces import Records
from noisewright.synthetic import (
    NOISES,
    Bins,
    JoinedBins,
    Measurement,
    ModelDistance,
    PublicKnowledge,
    Spend,
    SplitColumns,
    Workload,
    WorkloadDistance,
    WorkloadErrors,
    describe_method,
)
from noisewright.version import __version__

if TYPE_CHECKING:
    from noisewright.releases.synthesis.several import SyntheticTables

FORMAT, VERSION = "noisewright-synthesis", 1


@final
@dataclass(frozen=True)
class Evaluation:
    """How far a synthetic table is from the raw data. NOT FOR RELEASE: it is not private."""

    distance: WorkloadDistance

    def __str__(self) -> str:
        return f"NOT FOR RELEASE, computed from raw data: {self.distance}"


@public_methods
@final
@dataclass(frozen=True, eq=False, repr=False)
class Synthesis:
    """A synthetic table: private as a whole, for one person whose rows are replaced.

    `table` has the names, types and labels of the original, and `rows` rows. `measurements` are the
    noisy counts that it was made from, each with an `estimate`, and `comparisons` distances of
    pairs of columns from a model, with noise, where these decided what was counted. `spends` says
    what each step took, of ε, or of ρ (zero-concentrated privacy) if there is a δ; they add up to
    `spent`, exactly, from which `guarantee` follows: `certificate` is the proof, made before the
    debit. `people` is how many rows were counted, which counts as public: all rows of the original,
    each of another person, or up to `rows_per_person` of each person where the plan has a `person`.
    How many rows each person has then counts as public.

    `workload` is what should be answered well. `errors` says part by part of it what was expected
    before, by noise alone, and what is found after, between the table and its own noisy
    measurements; `expected_error` and `workload_error` are their means. They say nothing about the
    data that was not released. `evaluation` does, and is there only if it was asked for. `limits`
    says what the declared columns did not allow or the fit could not do; `notes` that, what was
    known before (`errors.remarks`), and what did not go smoothly. `knowledge` names what was
    declared public: zeros, prior, totals; `known` has it, but not of a table that was read back.
    """

    table: Any
    domain: Records
    method: str
    people: int
    guarantee: Guarantee
    certificate_digest: str
    spends: tuple[Spend, ...]
    measurements: tuple[Measurement, ...]
    errors: WorkloadErrors
    is_private: bool
    bins: Bins
    split: SplitColumns
    rows_per_person: int = 1
    inference: str = "tree"
    evaluation: Evaluation | None = None
    is_accounted: bool = False
    balance: Balance | None = None
    entry: int | None = None
    charged: Guarantee | None = None
    limits: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    comparisons: tuple[ModelDistance, ...] = ()
    path: Path | None = None
    files: Mapping[str, Path] = field(default_factory=dict[str, Path])
    knowledge: tuple[str, ...] = ()
    known: PublicKnowledge | None = None
    _workload: Workload | None = None
    _certificate: Certificate | None = None

    @property
    def workload(self) -> Workload:
        """What should be answered well; `errors` has its parts."""
        if self._workload is None:
            raise ReleaseError(
                "this workload has your own conditions, which are not in the file beside the "
                "table. Their names are in .errors."
            )
        return self._workload

    @property
    def certificate(self) -> Certificate:
        """The proof of the guarantee; of a table that was read back, the file beside it."""
        if self._certificate is None:
            raise ReleaseError(
                "the certificate is not beside the table. Ask the publisher for it; its digest is "
                f"{self.certificate_digest}."
            )
        return self._certificate

    @property
    def how(self) -> str:
        """How it was made, in a few words: the method, and what fitted the counts."""
        return describe_method(self.method, self.inference)

    @property
    def rows(self) -> int:
        """How many rows the synthetic table has."""
        return self.table.num_rows

    @property
    def expected_error(self) -> float:
        """The mean error over the parts of the workload by noise alone, known before.

        Each marginal's is added up over its cells, in shares; for "blr" it is the bound on the
        largest error of a query that holds with probability 95%.
        """
        return self.errors.expected

    @property
    def workload_error(self) -> float | None:
        """How far the table is from its own noisy counts, on average; None where there are none."""
        return self.errors.found

    @property
    def noise(self) -> str:
        """What the noise on counts is: two-sided geometric, rounded normal, or none for "blr"."""
        return "none" if self.method == "blr" else NOISES[self.spent.unit]

    @property
    def spent(self) -> Spend:
        """All steps together."""
        whole = sum((spend.amount for spend in self.spends), Fraction(0))
        return Spend("all steps", whole, self.spends[0].unit)

    @property
    def neighbors(self) -> str:
        """Which tables the guarantee compares, in words."""
        if self.rows_per_person == 1:
            return "one row replaced; the number of rows is public"
        return (
            f"all rows of one person replaced, of which at most {self.rows_per_person} count; how "
            "many each person has, up to that, is public"
        )

    def to_json(self, *, file: Mapping[str, str] | None = None) -> str:
        """Return all but the table as JSON; nothing in it was not released."""
        document: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "made_by": f"noisewright {__version__}",
            "method": self.method,
            "inference": self.inference,
            "rows": self.rows,
            "people": self.people,
            "neighbors": self.neighbors,
            "rows_per_person": self.rows_per_person,
            "guarantee": {
                "epsilon": as_text(self.guarantee.epsilon.rational),
                "delta": as_text(self.guarantee.delta),
            },
            "certificate": self.certificate_digest,
            "spent": {"unit": self.spent.unit, "amount": as_text(self.spent.amount)},
            "spends": [
                {"what": spend.what, "amount": as_text(spend.amount)} for spend in self.spends
            ],
            "expected_error": self.expected_error,
            "workload_error": self.workload_error,
            "workload": _plain_workload(self._workload),
            "errors": plain_errors(self.errors),
            "columns": {name: plain_points(space) for name, space in self.domain.columns},
            "spaces": {name: plain_space(space) for name, space in self.domain.columns},
            **({"split": self.split.describe()} if self.split.parts else {}),
            "bins": {
                name: {
                    "points": width,
                    "counted_as": self.bins.points[name]
                    if self.bins.points[name] in self.bins.counted
                    else None,
                }
                for name, width in self.bins.widths
            },
            "measurements": [_plain(one) for one in self.measurements],
            "private": self.is_private,
            "accounted": self.is_accounted,
            "limits": list(self.limits),
            "remarks": list(self.errors.remarks),
        }
        if self.comparisons:
            document["comparisons"] = [_plain_distance(one) for one in self.comparisons]
        if self.knowledge:
            document["knowledge"] = list(self.knowledge)
        if file is not None:
            document["file"] = dict(file)
        return json.dumps(document, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Synthesis:
        """Read a synthetic table back, from its file and the `.synthesis.json` beside it.

        Ensures: the file is the one that was written, according to its SHA-256, and holds what its
        columns are declared to; or ReleaseError.
        """
        from noisewright.releases.synthesis.reading_back import open_synthesis

        return open_synthesis(path)

    def query(
        self,
        where: Mapping[str, Any] | Expression | str | None = None,
        *,
        by: str | Sequence[str] = (),
        confidence: float = 0.95,
        about: Literal["people", "population"] = "people",
        together: bool = False,
    ) -> Estimate:
        """Return how many rows of the original meet a condition, with a confidence interval.

        `where` is a mapping from columns to what they must be, as in `Workload.conjunctions`, an
        expression such as `nw.col("age") >= 30`, or a text as after WHERE in SQL; left out, every
        row counts. `by` names columns: there is an answer for each of their declared values.
        Requires: a query that was not chosen because of what the noisy counts say of it.
        Ensures: each interval covers the true number of the counted rows with the confidence, over
        the noise, whatever the table is; with `together` all of them do simultaneously. A query
        that is a sum of cells of a counted marginal has the exact distribution of their noise, and
        a standard error. Any other has the bounds that follow from all that was counted, by a
        linear program; its value is that of the synthetic rows. Where these bounds say nothing,
        `notes` says so. With about="population" the people are a sample, and sampling error is
        included. It is computed from noisy counts and costs no further privacy.
        Source: Fréchet 1935 for bounds from marginals; Clopper and Pearson 1934 for populations.
        """
        from noisewright.releases.synthesis.asking import answer_query

        return answer_query(self, where, by, confidence=confidence, about=about, together=together)

    def noisy_counts(self) -> Any:
        """Return all noisy counts as an Arrow table, a row for each cell of what was counted.

        `table` says what was counted, and `time` which count of it this is, from 1: some are
        counted several times. `column_1`, `value_1`, `column_2` … name the cell, and `noisy_count`
        has the standard deviation and the 95% interval of its noise beside it. The ends of these
        intervals are whole numbers, or doubles where one of them is beyond 64 bits.
        """
        from noisewright.releases.synthesis.counts_table import counts_table

        return counts_table(self)

    def save_counts(
        self, path: str | os.PathLike[str] | None = None, *, overwrite: bool = False
    ) -> Path:
        """Write all noisy counts as CSV, beside the table or to a path; return where.

        Ensures: texts that a spreadsheet would take for formulas begin with an apostrophe.
        """
        from noisewright.releases.synthesis.counts_table import save_counts

        return save_counts(self, path, overwrite=overwrite)

    def tables(self, count: int, *, source: Source | None = None) -> SyntheticTables:
        """Return several synthetic tables from the same noisy counts, at no further cost.

        They differ by as much as the noise leaves open, so that `.estimate` of what is returned
        can say how far a statistic may be off. `count` of 10 to 20 is enough; each takes as long as
        a fit. This table is not among them.
        Requires: noisy counts of every column, as method="mst" makes them.
        Ensures: post-processing of what was released.
        Source: Bardsley, Solonen, Haario and Laine 2014 for the draws; Rubin 1987 for the rules.
        """
        from noisewright.releases.synthesis.several import draw_tables

        return draw_tables(self, count, source)

    def report(
        self, path: str | os.PathLike[str] | None = None, *, balance: Balance | None = None
    ) -> Path:
        """Write the page about this table again, beside it or to a path; return where.

        It is made from the table and its noisy counts, so that it costs no privacy, and it never
        holds an `evaluation`. `balance` is what the ledger says now, for a table that was read
        back: that of the spend itself is known only to who made it.
        """
        from noisewright.releases.page import write_report

        known = self.balance if balance is None else balance
        return write_report(self, path, balance=known, made_again=True)

    def __repr__(self) -> str:
        private = "" if self.is_private else ", NOT PRIVATE (a seeded test)"
        books = "" if self.is_accounted else ", no budget debited"
        return (
            f"<{quantity(self.rows, 'synthetic row')} by {self.how}, "
            f"{quantity(len(self.measurements), 'measurement')}, {self.guarantee}{books}{private}>"
        )


def _plain(one: Measurement) -> dict[str, Any]:
    return {
        "of": one.name,
        "columns": list(one.columns),
        "counts": one.counts.tolist(),
        "standard_error": one.deviation,
        "interval_95": one.noise.half_width,
        "spent": as_text(one.noise.amount),
        **({} if one.noise.balanced_cells is None else {"adds_up": True}),
        **({} if one.cells is None else _plain_query(one.query, one.cells)),
        **({} if not one.joined else {"joined": _plain_joined(one.joined)}),
    }


def _plain_distance(one: ModelDistance) -> dict[str, Any]:
    return {
        "columns": list(one.columns),
        "spent": as_text(one.noise.amount),
        "distance": one.distance,
        "expected": one.expected.reshape(-1).tolist(),
    }


def _plain_query(query: str, cells: NDArray[np.bool_]) -> dict[str, Any]:
    return {"query": query, "cells": np.flatnonzero(cells).tolist()}


def _plain_joined(joined: Mapping[str, JoinedBins]) -> dict[str, list[int]]:
    return {name: list(bins.starts) for name, bins in joined.items()}


def _plain_workload(workload: Workload | None) -> str | None:
    # Written when the budget is spent: what cannot be written must not fail now.
    try:
        return None if workload is None else workload.to_toml()
    except NoisewrightError:
        return None


def plain_errors(errors: WorkloadErrors) -> list[dict[str, Any]]:
    """Return the errors part by part as plain values."""
    return [
        {
            "of": part.name,
            "columns": list(part.columns),
            "queries": part.queries,
            "expected": part.expected,
            "counted": part.counted,
            "found": part.found,
            "in_workload": part.in_workload,
            **({} if part.before is None else {"before": part.before}),
        }
        for part in errors.parts
    ]
