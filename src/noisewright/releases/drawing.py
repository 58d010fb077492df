"""What an engine does for a release: check every row, then draw."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, final

from noisewright.engines import embedded
from noisewright.engines.reading import open_table
from noisewright.engines.writing import open_writer
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

    def draw(
        self, path: Path, recipe: Recipe, progress: Progress | None, source: Source | None
    ) -> None:
        """Draw, and write the released file with its recipe, whole and synced."""
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

    def draw(
        self, path: Path, recipe: Recipe, progress: Progress | None, source: Source | None
    ) -> None:
        """Draw, and write the released file with its recipe, whole and synced."""
        told = _told(progress, "draw", recipe.rows)
        metadata = {KEY: recipe.to_json().encode()}
        schema = embedded.schema(self.reader, self.plan)
        with open_writer(path, schema, metadata=metadata) as writer:
            drawn = embedded.run(self.reader, self.plan, writer, progress=told, source=source)
        _require_rows(drawn, recipe)

    def draw_table(self, recipe: Recipe, progress: Progress | None, source: Source | None) -> Any:
        """Draw into an Arrow table, which carries the recipe in its metadata."""
        import pyarrow as pa

        batches = _Collected([])
        told = _told(progress, "draw", recipe.rows)
        drawn = embedded.run(self.reader, self.plan, batches, progress=told, source=source)
        _require_rows(drawn, recipe)
        schema = embedded.schema(self.reader, self.plan)
        table = pa.Table.from_batches(batches.parts, schema)
        return table.replace_schema_metadata({KEY: recipe.to_json().encode()})


@final
@dataclass(frozen=True)
class _Collected:
    """A writer that keeps what it is given."""

    parts: list[Any]

    def write(self, batch: Any) -> None:
        self.parts.append(batch)


def _told(progress: Progress | None, step: str, total: int | None) -> Callable[[int], None] | None:
    if progress is None:
        return None
    progress(step, 0, total)
    return lambda done: progress(step, done, total)


def _require_rows(drawn: int, recipe: Recipe) -> None:
    if drawn != recipe.rows:
        raise DataError(
            f"{recipe.rows:,} rows were checked, and {drawn:,} rows were there to draw from: the "
            "input was changed meanwhile. Release a copy that nobody writes to."
        )


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
