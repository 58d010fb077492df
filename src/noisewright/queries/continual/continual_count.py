"""`ContinualCount`: how many so far, published again and again under one guarantee."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from fractions import Fraction
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

from noisewright.certificates import Certificate
from noisewright.errors import InputError, ParameterError
from noisewright.estimation import read_confidence
from noisewright.files import require_path
from noisewright.given import quantity
from noisewright.mechanisms import Guarantee
from noisewright.public import public_methods
from noisewright.queries.answer import SEEDED
from noisewright.queries.answers.counts import answer_counts
from noisewright.queries.continual.count_file import read_facts, read_nodes, transaction
from noisewright.queries.continual.count_scheme import CountScheme, PricedCount
from noisewright.queries.continual.creation import CreationJob
from noisewright.queries.measurements import Change
from noisewright.sampling import require_private, source_or_default
from noisewright.tables import Person
from noisewright.transaction import LedgerLike, transact

if TYPE_CHECKING:
    from noisewright.exact import Number
    from noisewright.sampling import Source

_LARGEST = 1 << 53
_LONGEST_LABEL = 200


@final
@dataclass(frozen=True)
class PublishedStep:
    """What was published for one step: its own count, and the total of all steps up to it."""

    step: int
    label: str
    count: int
    total: int
    total_low: int
    total_high: int


@public_methods
@final
@dataclass(frozen=True, eq=False, repr=False)
class ContinualCount:
    """A running count of people, published step by step under one guarantee for all steps.

    `create` debits the budget once, for all steps; `add` takes the true count of the next step,
    such as the new cases of a day, and publishes that count and the total so far, both with noise.
    The noise is on the nodes of a tree over the steps, chosen so that totals have the least mean
    variance. Neighbors differ in one person, who is counted once in all steps (or up to `rows`
    times, of a Person); later counts may depend on what was published before.

    The file is private: it holds counts without noise. Keep one copy: whoever goes on from two
    copies publishes two counts of the same people.
    """

    path: Path

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        *,
        steps: int,
        epsilon: Number,
        ledger: LedgerLike,
        delta: Number = 0,
        person: Person | None = None,
        change: Change = "replace",
        dataset: str | None = None,
        what: str = "",
        source: Source | None = None,
    ) -> ContinualCount:
        """Prove, debit, and write the file of a count of so many steps; no noise is drawn yet.

        `person` says that people may be counted several times: at most `rows` in all steps.
        Requires: a budget of `dataset` in the ledger, if there is one; no file at `path`.
        Ensures: all that is ever published of it is (ε, δ)-private together, for replacing (or for
        adding or removing) one person.
        """
        require_path(path)
        priced = PricedCount.of(steps, epsilon, delta, person, change)
        job = CreationJob(
            Path(path).absolute(), priced, what or f"continual count of {steps:,} steps"
        )
        return cls(transact(job, ledger=ledger, dataset=dataset, source=source))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> ContinualCount:
        """Open the file of a count, to go on with it."""
        require_path(path)
        found = cls(Path(path).absolute())
        found._facts()
        return found

    @staticmethod
    def predict(
        *,
        steps: int,
        epsilon: Number,
        delta: Number = 0,
        person: Person | None = None,
        change: Change = "replace",
        confidence: float = 0.95,
    ) -> Any:
        """Return how far totals will be off after each step, as an Arrow table; nothing is spent.

        The columns are `step`, `standard_error` and `within`: with the given confidence the total
        is within so many.
        """
        import pyarrow as pa

        priced = PricedCount.of(steps, epsilon, delta, person, change)
        every = np.arange(1, steps + 1)
        second, _ = priced.scheme.law.spread(every)
        within = priced.scheme.half_widths(every, read_confidence(confidence))
        return pa.table({"step": every, "standard_error": np.sqrt(second), "within": within})

    def add(
        self,
        count: int,
        *,
        step: int | None = None,
        label: str = "",
        source: Source | None = None,
    ) -> PublishedStep:
        """Take the true count of the next step, and publish it and the total so far, with noise.

        `step` guards against doubling: it must be the number of the next step, from 1 on. `label`
        is published along, such as a date.
        """
        number = -1 if isinstance(count, bool) or not hasattr(count, "__index__") else index(count)
        if not 0 <= number <= _LARGEST:
            # The count is private, so it is not quoted.
            raise ParameterError("count must be a whole number of at least 0; it is not shown.")
        if not isinstance(label, str) or len(label) > _LONGEST_LABEL or not label.isprintable():
            raise ParameterError(
                f"label must be a printable text of at most {_LONGEST_LABEL} characters."
            )
        with transaction(self.path) as file:
            facts = read_facts(file, self.path)
            scheme = CountScheme.from_facts(facts)
            if facts["entry"] is not None:
                require_private(source)
            ((done,),) = file.execute("select count(*) from steps")
            if done >= scheme.tree.bins:
                raise InputError(
                    f"all {quantity(done, 'step')} are published. Create another continual count, "
                    "which has its own price."
                )
            if step is not None and step != done + 1:
                raise ParameterError(
                    f"step is {step}, but the next step is {done + 1:,}. Nothing was published."
                )
            partial = {level: int(held) for level, held in file.execute("select * from partial")}
            for level, width in enumerate(scheme.tree.widths):
                held = partial.get(level, 0) + number
                if (done + 1) % width == 0:
                    noisy = held + int(scheme.noise.draw(1, source)[0])
                    place = done // width
                    file.execute("insert into nodes values (?, ?, ?)", [level, place, str(noisy)])
                    held = 0
                file.execute("insert or replace into partial values (?, ?)", [level, str(held)])
            file.execute("insert into steps values (?, ?)", [done + 1, label])
            if not source_or_default(source).private:
                file.execute("update facts set json = ?", [json.dumps(facts | {"seeded": True})])
            rows = read_published(file, scheme, 0.95).slice(done).to_pylist()
        return PublishedStep(**{name: rows[0][name] for name in PublishedStep.__match_args__})

    @property
    def table(self) -> Any:
        """All that was published, with 95% intervals, as an Arrow table."""
        return self.intervals()

    def intervals(self, confidence: float = 0.95) -> Any:
        """Return counts and totals of all published steps with the ends of their intervals."""
        level = read_confidence(confidence)
        with transaction(self.path) as file:
            return read_published(file, CountScheme.from_facts(read_facts(file, self.path)), level)

    @property
    def steps(self) -> int:
        """For how many steps it was paid."""
        return CountScheme.from_facts(self._facts()).tree.bins

    @property
    def published(self) -> int:
        """How many steps are published."""
        with transaction(self.path) as file:
            return int(file.execute("select count(*) from steps").fetchone()[0])

    @property
    def entry(self) -> int | None:
        """The number of the debit in the ledger; None if no ledger paid."""
        return self._facts()["entry"]

    @property
    def is_private(self) -> bool:
        """Whether all noise came from private entropy; a seeded one promises nothing."""
        return "seeded" not in self._facts()

    @property
    def certificate(self) -> Certificate:
        """What proves the guarantee of all steps together."""
        facts = self._facts()
        spent = Guarantee(Fraction(facts["epsilon"]), Fraction(facts["delta"]))
        return Certificate(facts["certificate"], spent)

    @property
    def guarantee(self) -> Guarantee:
        """The privacy loss of each person over all steps, for the certificate's change."""
        return self.certificate.guarantee

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write what was published: .csv, .parquet or .arrow, by the name's end."""
        from noisewright.tables import open_writer

        require_path(path)
        shown = self.table
        with open_writer(path, shown.schema, overwrite=overwrite) as writer:
            for batch in shown.to_batches():
                writer.write(batch)
        return Path(path)

    def _facts(self) -> dict[str, Any]:
        with transaction(self.path) as file:
            return read_facts(file, self.path)

    def __repr__(self) -> str:
        certificate, marked = self.certificate, "" if self.is_private else SEEDED
        return (
            f"<continual count {os.fspath(self.path)!r}: {self.published:,} of "
            f"{quantity(self.steps, 'step')} published; {marked}{certificate.guarantee} for all "
            f"steps together, {certificate.unit}>"
        )


def read_published(file: Any, scheme: CountScheme, confidence: float) -> Any:
    """Return all that a file has published, as an Arrow table."""
    import pyarrow as pa

    labels = [label for (label,) in file.execute("select label from steps order by step")]
    levels = read_nodes(file, len(scheme.tree.widths))
    every = np.arange(1, len(labels) + 1)
    law = scheme.law
    totals, (second, _) = law.totals(levels, every), law.spread(every)
    half = scheme.half_widths(every, confidence)
    counts = answer_counts(levels[-1], scheme.noise, confidence=confidence)
    whole = {
        "count": counts.values,
        "count_low": counts.lows,
        "count_high": counts.highs,
        "total": np.maximum(np.rint(totals), 0),
        "total_low": np.maximum(np.ceil(totals - half), 0),
        "total_high": np.maximum(np.floor(totals + half), 0),
    }
    return pa.table(
        {
            "step": every,
            "label": pa.array(labels, pa.string()),
            **{name: values.astype(np.int64) for name, values in whole.items()},
            "total_standard_error": np.sqrt(second),
        }
    )
