"""What an engine does for a release: check every row, then draw, in this process or on Spark."""

from __future__ import annotations

import math
import shutil
import warnings
from collections.abc import Generator, Iterable
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, final

from noisewright.engines import (
    KEPT,
    Checked,
    PublicColumns,
    Randomizer,
    check,
    is_spark_frame,
    run,
    too_small,
)
from noisewright.errors import EntropyError, InputError, ParameterError, PlanWarning, TargetError
from noisewright.plans import Plan, public_cautions
from noisewright.releases.files.recipe import KEY, Recipe
from noisewright.sampling import Source
from noisewright.spaces import (
    AnyCurves,
    Categories,
    Counts,
    Curves,
    Interval,
    Lattice,
    Records,
    Space,
    Subsets,
)
from noisewright.tables import MemoryWriter, is_text_format, open_table, open_writer
from noisewright.transaction import Progress

if TYPE_CHECKING:
    from noisewright.engines import SparkCheck

_ROOM = 1 << 16
"""Bytes for the files beside the data, at least."""

_WIDEST_WHOLE, _WIDEST_DOUBLE = 20, 24
"""Characters of a whole number of 64 bits, and of a double."""


@final
class Embedded:
    """The engine in this process: it checks first, then draws, once."""

    def __init__(self, data: Any, plan: Plan, name: str | None = None) -> None:
        self._reader = open_table(data, schema=plan.schema)
        self._plan = plan
        self._name = name
        Randomizer(plan).require_fit(self._reader.schema)
        self._checked: Checked | None = None

    def check(self, progress: Progress | None) -> tuple[int, int]:
        """Check every row without drawing; return how many will be released and hide together."""
        self._checked = check(self._reader, self._plan, progress, keep=KEPT, name=self._name)
        return self._checked.released, self._checked.together

    def use(self, plan: Plan) -> None:
        """Draw by this plan: the one that was checked, with its mechanisms."""
        assert self._checked is not None
        self._plan, self._checked = plan, self._checked.with_plan(plan)

    @property
    def reads_again(self) -> bool:
        """Whether drawing reads the input again: not if what was checked fits into memory."""
        return self._checked is None or self._checked.codes is None

    @property
    def public(self) -> PublicColumns | None:
        """What the check has seen of public columns."""
        return None if self._checked is None else self._checked.public

    def open(self, path: Path | None, recipe: Recipe) -> AbstractContextManager[Any]:
        """Open the file to write, with its recipe; at the end of the block it is synced.

        Without a path rows are kept in memory.
        """
        schema = Randomizer(self._plan).schema(self._reader.schema)
        if path is None:
            return nullcontext(MemoryWriter(schema))
        return open_writer(path, schema, metadata={KEY: recipe.to_json()})

    def draw(self, writer: Any, progress: Progress | None, source: Source | None) -> None:
        """Draw every row and write it."""
        run(
            self._reader,
            self._plan,
            writer,
            progress=progress,
            source=source,
            checked=self._checked,
        )


def for_table(plan: Plan, together: int) -> Plan:
    """Return the plan for a table of which at least so many rows are shuffled together."""
    if not plan.is_central:
        return plan
    if plan.rows is not None and together < plan.rows:
        raise InputError(
            f"the plan counts on {plan.rows:,} rows that are shuffled together, and there are only "
            f"{together:,}{' with the same public values' if plan.public else ''}. Say rows = "
            f"{together} in the plan, or leave rows out. Nothing was spent."
        )
    made = plan.for_rows(together)
    if plan.is_split and made.guarantee.delta == 0:
        raise too_small(plan.public, together)
    return made


def warn_of(plan: Plan, rows: int, public: PublicColumns | None) -> None:
    """Give the cautions as warnings; if these are turned into errors, the release stops here."""
    said = plan.cautions(rows=rows)
    if public is not None:
        said += public_cautions(public.different, rows)
    for text in said:
        warnings.warn(PlanWarning(text), stacklevel=6)


def require_space(
    folder: Path,
    given: Iterable[Space],
    released: Iterable[Space],
    rows: int,
    *,
    name: str,
    public: PublicColumns | None = None,
) -> None:
    """Refuse to start what would not fit on the disk: rows of columns with these spaces.

    Texts take what declared labels and types allow at most. Other formats are compressed, which is
    guessed, and low. Public columns were written once, to nowhere.
    """
    if is_text_format(name):
        least, word = rows * sum(_widest(space) + 1 for space in released), "up to"
    else:
        # By what can go in: what comes out may have no end, as curves and numbers with noise.
        bits = sum((space.size - 1).bit_length() for space in given)
        # An eighth of what independent draws would need: skewed columns are compressed well.
        least, word = math.ceil(rows * bits / 64), "at least"
    least += _ROOM + (0 if public is None else public.bytes)
    free = shutil.disk_usage(folder).free
    if free < least:
        raise TargetError(
            f"{rows:,} rows take {word} {math.ceil(least / 1000):,} kB, and {str(folder)!r} has "
            f"{free // 1000:,} kB left. Free some space, or choose another disk. Nothing was spent."
        )


def released_spaces(plan: Plan) -> list[Space]:
    """Return what the cells of the randomized columns can be once they are released."""
    found: list[Space] = []
    for outputs in (part.mechanism.outputs for part in plan.parts):
        joint = isinstance(outputs, Records)
        found += [space for _, space in outputs.columns] if joint else [outputs]
    return found


def _widest(space: Space) -> int:
    """Return how many bytes a cell takes at most, written as text."""
    if isinstance(space, Categories):
        # Texts stand between quotes, and a quote inside is doubled.
        return max(len(str(label).replace('"', '""').encode()) for label in space.labels) + 2
    if isinstance(space, Counts):
        return len(str(space.n))
    if isinstance(space, Subsets):
        return sum(len(str(item).encode()) + 1 for item in space.items) + 2
    if isinstance(space, Curves | AnyCurves):
        return (_WIDEST_DOUBLE + 1) * len(space.grid)
    whole = isinstance(space, Interval | Lattice) and space.step.denominator == 1
    return _WIDEST_WHOLE if whole else _WIDEST_DOUBLE


@final
class OnSpark:
    """The engine on a cluster."""

    reads_again = True
    public = None

    def __init__(self, data: Any, plan: Plan, name: str | None = None) -> None:
        del name  # a folder of Parquet files
        from noisewright.engines import open_spark

        self._table = open_spark(data, plan)
        self._checked: SparkCheck | None = None

    def check(self, progress: Progress | None) -> tuple[int, int]:
        """Check every row without drawing; return how many will be released and hide together."""
        self._checked = self._table.check(progress=progress)
        return self._checked.rows, self._checked.together

    def use(self, plan: Plan) -> None:
        """Draw by this plan: the one that was checked, with its mechanisms."""
        assert self._checked is not None
        self._checked = self._checked.with_plan(plan)

    @contextmanager
    def open(self, path: Path | None, recipe: Recipe) -> Generator[tuple[Path, Recipe]]:
        """Keep the place and the recipe; the folder appears at the end of the draw, synced."""
        assert path is not None
        yield path, recipe

    def draw(
        self, writer: tuple[Path, Recipe], progress: Progress | None, source: Source | None
    ) -> None:
        """Draw every row, each task with entropy of its own, and write the folder."""
        require_possible(writer[0], source)
        assert self._checked is not None
        path, recipe = writer
        self._checked.draw(path, metadata={KEY: recipe.to_json()}, progress=progress)


Engine: TypeAlias = Embedded | OnSpark
"""What carries out a plan on some data."""


def is_for_spark(data: Any, engine: str | None) -> bool:
    """Tell which engine is meant: the one that was named, or the one whose data it is."""
    if engine not in (None, "arrow", "spark"):
        raise ParameterError(f"engine is {engine!r}; it must be 'arrow' or 'spark'.")
    if engine == "arrow" and is_spark_frame(data):
        raise ParameterError(
            "engine is 'arrow', but data is a DataFrame of Spark. Leave engine= out, or give "
            "data.toArrow(), which must fit into memory."
        )
    return engine == "spark" or is_spark_frame(data)


def require_possible(path: Path | None, source: Source | None) -> None:
    """Refuse what Spark cannot do, before anything is spent."""
    if source is not None:
        raise EntropyError(
            "source is given, but Spark tasks draw entropy from their own machines, and no stream "
            "is sent to them. Leave source= out; for seeded tests use engine='arrow'."
        )
    if path is None or path.suffix.lower() != ".parquet":
        name = "missing" if path is None else repr(path.name)
        raise TargetError(
            f"out is {name}; on Spark a release is a folder of Parquet files. Give a name that "
            "ends in .parquet."
        )
