"""What an engine does for a release: check every row, then draw."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, final

from noisewright.engines import embedded
from noisewright.engines.reading import open_table
from noisewright.engines.writing import MemoryWriter, open_writer
from noisewright.errors import DataError, TargetError
from noisewright.plans import Plan
from noisewright.releases.recipe import KEY, Recipe
from noisewright.sampling import Source

Progress = Callable[[str, int, int | None], None]
"""Called with "check" or "draw", how many rows are done, and how many there are if known."""

_ROOM = 1 << 20
"""Bytes for the files beside the data."""


class Engine(Protocol):
    """What carries out a plan on some data."""

    def check(self, progress: Progress | None) -> int:
        """Check every row without drawing; return how many will be released."""
        ...

    def open(self, path: Path, recipe: Recipe) -> AbstractContextManager[Any]:
        """Open the file to write, with its recipe; at the end of the block it is synced."""
        ...

    def draw(
        self, writer: Any, recipe: Recipe, progress: Progress | None, source: Source | None
    ) -> None:
        """Draw every row and write it."""
        ...


@final
@dataclass(frozen=True)
class Embedded:
    """The engine in this process."""

    reader: Any
    plan: Plan

    @classmethod
    def on(cls, data: Any, plan: Plan) -> Embedded:
        """Open the data; nothing but names, types and the number of rows is looked at."""
        return cls(open_table(data, plan=plan), plan)

    def check(self, progress: Progress | None) -> int:
        """Check every row without drawing; return how many will be released."""
        told = _told(progress, "check", self.reader.rows)
        return embedded.check(self.reader, self.plan, progress=told)

    def open(self, path: Path, recipe: Recipe) -> AbstractContextManager[Any]:
        """Open the file to write, with its recipe; at the end of the block it is synced."""
        schema = embedded.schema(self.reader, self.plan)
        return open_writer(path, schema, metadata={KEY: recipe.to_json()})

    def in_memory(self) -> MemoryWriter:
        """Return a writer that keeps the rows as a table."""
        return MemoryWriter(embedded.schema(self.reader, self.plan))

    def draw(
        self, writer: Any, recipe: Recipe, progress: Progress | None, source: Source | None
    ) -> None:
        """Draw every row and write it."""
        told = _told(progress, "draw", self.reader.rows)
        embedded.run(self.reader, self.plan, writer, progress=told, source=source)
        if writer.rows != recipe.rows:
            raise DataError(
                f"{recipe.rows:,} rows were checked, and {writer.rows:,} were there to draw from: "
                "the input was changed meanwhile. Release a copy that nobody writes to."
            )


def _told(progress: Progress | None, step: str, total: int | None) -> Callable[[int], None] | None:
    if progress is None:
        return None
    progress(step, 0, total)
    return lambda done: progress(step, done, total)


def require_space(folder: Path, plan: Plan, rows: int) -> None:
    """Refuse to start what would certainly not fit on the disk; a guess, and a low one."""
    bits = sum((part.mechanism.outputs.size - 1).bit_length() for part in plan.parts)
    # Half of what independent draws would need: skewed columns are compressed.
    least = math.ceil(rows * bits / 16) + _ROOM
    free = shutil.disk_usage(folder).free
    if free < least:
        raise TargetError(
            f"{rows:,} rows take at least {least >> 20:,} MB, and {str(folder)!r} has "
            f"{free >> 20:,} MB left. Free some space, or choose another disk. Nothing was spent."
        )
