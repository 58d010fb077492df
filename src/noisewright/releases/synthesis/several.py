"""Several synthetic tables from the same noisy counts, and one answer from all of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, final

from noisewright.errors import ParameterError, ReleaseError
from noisewright.estimation import Estimate, pool_estimates, read_about
from noisewright.files import require_path
from noisewright.given import quantity, whole_number
from noisewright.public import public_methods
from noisewright.releases.synthesis.declared import Declared
from noisewright.sampling import Source, source_or_default
from noisewright.synthetic import refit_rows
from noisewright.tables import open_writer

if TYPE_CHECKING:
    from noisewright.releases.synthesis.result import Synthesis

_MOST_TABLES = 1000


@public_methods
@final
@dataclass(frozen=True, eq=False, repr=False)
class SyntheticTables:
    """Synthetic tables that differ by as much as the noise leaves open; see `Synthesis.tables`.

    Each stands for the table of `people` rows that was counted.
    """

    every: tuple[Any, ...]
    people: int

    def __len__(self) -> int:
        return len(self.every)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.every)

    def __getitem__(self, place: int) -> Any:
        return self.every[place]

    def estimate(
        self,
        statistic: Callable[[Any], Any],
        *,
        about: Literal["people", "population"] = "people",
        confidence: float = 0.95,
    ) -> Estimate:
        """Return a statistic of the original, from what a function returns for each table.

        About the people it returns a number, or several; about the population two: the number, or
        several, and the squared standard errors that the usual formulas give for this table.
        Ensures: the rules of `pool_estimates`.
        """
        if not callable(statistic):
            raise ParameterError(
                f"statistic is a {type(statistic).__name__}; give a function of a table, as in "
                "lambda table: table.to_pandas()['age'].mean()."
            )
        found = [statistic(table) for table in self.every]
        if read_about(about) == "people":
            return pool_estimates(found, people=self.people, confidence=confidence)
        if not all(isinstance(one, tuple) and len(one) == 2 for one in found):
            raise ParameterError(
                "about a population the function must return two things for each table: the "
                "statistic, and its squared standard error."
            )
        values, variances = ([one[place] for one in found] for place in (0, 1))
        return pool_estimates(values, variances, people=self.people, confidence=confidence)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> list[Path]:
        """Write each table to a file of its own, such as `people.table-1.parquet`."""
        require_path(path)
        names = names_of_tables(path, len(self.every))
        there = [name for name in names if name.exists()]
        if there and not overwrite:
            raise ReleaseError(
                f"{str(there[0])!r} exists already. Choose another name, or pass overwrite=True."
            )
        for name, table in zip(names, self.every, strict=True):
            with open_writer(name, table.schema, overwrite=overwrite) as writer:
                for batch in table.to_batches():
                    writer.write(batch)
        return names

    def __repr__(self) -> str:
        rows = self.every[0].num_rows
        many = quantity(len(self.every), "synthetic table")
        return f"<{many} of {rows:,} rows, from the same noisy counts>"


def names_of_tables(path: str | os.PathLike[str], count: int) -> list[Path]:
    """Return where several tables are written that go with one path."""
    base = Path(path)
    return [base.with_name(f"{base.stem}.table-{n}{base.suffix}") for n in range(1, count + 1)]


def draw_tables(made: Synthesis, count: int, source: Source | None) -> SyntheticTables:
    """Return several tables from the noisy counts of one; see `Synthesis.tables`."""
    many = whole_number(count, name="count", least=1, most=_MOST_TABLES)
    bits = source_or_default(source)
    if not made.measurements:
        raise ReleaseError(
            f"method={made.method!r} made no noisy counts that further tables could be drawn from. "
            "method='mst' does."
        )
    if made.knowledge and made.known is None:
        raise ReleaseError(
            f"this table was made with public knowledge ({', '.join(made.knowledge)}), which its "
            "files do not hold, and further tables would ignore it. Draw them where the table is "
            "made: nw.synthesize(…).tables(10), or --tables 10 in the shell."
        )
    declared = Declared.of(made.table, made.split.fields)
    every = tuple(
        declared.table(refit_rows(made.bins, made.measurements, made.rows, bits, made.known), bits)
        for _ in range(many)
    )
    return SyntheticTables(every, made.people)
