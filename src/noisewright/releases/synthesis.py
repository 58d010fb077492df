"""A synthetic table, what it was made from, and what it cost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, final

from noisewright.exact import as_text
from noisewright.ledger import Balance
from noisewright.mechanisms import Guarantee
from noisewright.privacy import Certificate
from noisewright.spaces import Records, Space
from noisewright.synthetic import (
    Measurement,
    PartError,
    Spend,
    Workload,
    WorkloadDistance,
    WorkloadErrors,
)
from noisewright.synthetic.bins import Bins
from noisewright.version import __version__

FORMAT, VERSION = "noisewright-synthesis", 1
_LISTED = 1 << 12


@final
@dataclass(frozen=True)
class Evaluation:
    """How far a synthetic table is from the raw data. NOT FOR RELEASE: it is not private."""

    distance: WorkloadDistance

    def __str__(self) -> str:
        return f"NOT FOR RELEASE, computed from raw data: {self.distance}"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Synthesis:
    """A synthetic table: private as a whole, for one person whose rows are replaced.

    `table` has the names, types and labels of the original, and `rows` rows. `measurements` are the
    noisy counts that it was made from, each with an `estimate`. `spends` says what each step took,
    of ε, or of ρ (zero-concentrated privacy) if there is a δ; they add up to `spent`, exactly, from
    which `guarantee` follows: `certificate` is the proof, made before the debit. `people` is how
    many rows were counted, which counts as public: all rows of the original, each of another
    person, or up to `rows_per_person` of each person where the plan says whose a row is. How many
    of these each one has counts as public then.

    `errors` says part by part of the workload what was expected before, by noise alone, and what is
    found after, between the table and its own noisy measurements; `expected_error` and
    `workload_error` are their means. They say nothing about the data that was not released.
    `evaluation` does, and is there only if it was asked for.
    """

    table: Any
    domain: Records
    workload: Workload
    method: str
    people: int
    guarantee: Guarantee
    certificate: Certificate
    spends: tuple[Spend, ...]
    measurements: tuple[Measurement, ...]
    errors: WorkloadErrors
    is_private: bool
    bins: Bins
    rows_per_person: int = 1
    evaluation: Evaluation | None = None
    is_accounted: bool = False
    balance: Balance | None = None
    entry: int | None = None
    notes: tuple[str, ...] = ()
    path: Path | None = None
    files: Mapping[str, Path] = field(default_factory=dict[str, Path])

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
            "rows": self.rows,
            "people": self.people,
            "neighbors": self.neighbors,
            "rows_per_person": self.rows_per_person,
            "guarantee": {
                "epsilon": as_text(self.guarantee.epsilon.rational),
                "delta": as_text(self.guarantee.delta),
            },
            "certificate": self.certificate.digest,
            "spent": {"unit": self.spent.unit, "amount": as_text(self.spent.amount)},
            "spends": [
                {"what": spend.what, "amount": as_text(spend.amount)} for spend in self.spends
            ],
            "expected_error": self.expected_error,
            "workload_error": self.workload_error,
            "errors": [_plain_error(part) for part in self.errors.parts],
            "columns": {name: _points(space) for name, space in self.domain.columns},
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
        }
        if file is not None:
            document["file"] = dict(file)
        return json.dumps(document, indent=1, ensure_ascii=False) + "\n"

    def __repr__(self) -> str:
        private = "" if self.is_private else ", NOT PRIVATE (a seeded test)"
        return (
            f"<{self.rows:,} synthetic rows by {self.method}, {len(self.measurements)} "
            f"measurements, {self.guarantee}{private}>"
        )


def _plain(one: Measurement) -> dict[str, Any]:
    return {
        "of": one.name,
        "columns": list(one.columns),
        "counts": one.counts.tolist(),
        "standard_error": one.deviation,
        "interval_95": one.noise.half_width,
    }


def _plain_error(part: PartError) -> dict[str, Any]:
    return {
        "of": part.name,
        "columns": list(part.columns),
        "queries": part.queries,
        "expected": part.expected,
        "counted": part.counted,
        "found": part.found,
        "in_workload": part.in_workload,
    }


def _points(space: Space) -> Any:
    """Return the points in the order of the counts; of long grids the ends."""
    if space.size <= _LISTED:
        return [_value(space.point(code)) for code in range(space.size)]
    ends = [_value(space.point(code)) for code in (0, space.size - 1)]
    return {"first": ends[0], "last": ends[1], "points": space.size}


def _value(point: Any) -> Any:
    if isinstance(point, str | bool | int):
        return point
    return point.decode("latin-1") if isinstance(point, bytes) else float(point)
