"""What an engine does for a release: check every row, then draw."""

from __future__ import annotations

import math
import shutil
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, final

from noisewright.engines.batches import Randomizer
from noisewright.engines.embedded import KEPT, Checked, Progress, check, run
from noisewright.engines.reading import open_table
from noisewright.engines.writing import MemoryWriter, open_writer
from noisewright.errors import TargetError
from noisewright.plans import Plan
from noisewright.releases.recipe import KEY, Recipe
from noisewright.sampling import Source

_ROOM = 1 << 16
"""Bytes for the files beside the data, at least."""


class Engine(Protocol):
    """What carries out a plan on some data; it checks first, then draws, once."""

    def check(self, progress: Progress | None) -> int:
        """Check every row without drawing; return how many will be released."""
        ...

    @property
    def reads_again(self) -> bool:
        """Whether drawing reads the input again, after it was checked."""
        ...

    def open(self, path: Path, recipe: Recipe) -> AbstractContextManager[Any]:
        """Open the file to write, with its recipe; at the end of the block it is synced."""
        ...

    def draw(self, writer: Any, progress: Progress | None, source: Source | None) -> None:
        """Draw every row and write it."""
        ...


@final
class Embedded:
    """The engine in this process."""

    def __init__(self, data: Any, plan: Plan) -> None:
        self._reader = open_table(data, plan=plan)
        self._plan = plan
        self._schema = Randomizer(plan).schema(self._reader.schema)
        self._checked: Checked | None = None

    def check(self, progress: Progress | None) -> int:
        """Check every row without drawing; return how many will be released."""
        self._checked = check(self._reader, self._plan, progress, keep=KEPT)
        return self._checked.released

    @property
    def reads_again(self) -> bool:
        """Whether drawing reads the input again: not if what was checked fits into memory."""
        return self._checked is None or self._checked.codes is None

    def open(self, path: Path, recipe: Recipe) -> AbstractContextManager[Any]:
        """Open the file to write, with its recipe; at the end of the block it is synced."""
        return open_writer(path, self._schema, metadata={KEY: recipe.to_json()})

    def in_memory(self) -> MemoryWriter:
        """Return a writer that keeps the rows as a table."""
        return MemoryWriter(self._schema)

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


def require_space(folder: Path, plan: Plan, rows: int) -> None:
    """Refuse to start what would certainly not fit on the disk; a guess, and a low one."""
    # By what can go in: what comes out may have no end, as curves and numbers with noise.
    bits = sum((part.space.size - 1).bit_length() for part in plan.parts)
    # An eighth of what independent draws would need: skewed columns are compressed well.
    least = math.ceil(rows * bits / 64) + _ROOM
    free = shutil.disk_usage(folder).free
    if free < least:
        raise TargetError(
            f"{rows:,} rows take at least {math.ceil(least / 1000):,} kB, and {str(folder)!r} has "
            f"{free // 1000:,} kB left. Free some space, or choose another disk. Nothing was spent."
        )
