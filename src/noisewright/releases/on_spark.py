"""A release by the tasks of a Spark cluster: a folder of Parquet files instead of one file."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, final

from noisewright.engines import Progress, SparkCheck, is_spark_frame, open_spark
from noisewright.errors import EntropyError, ParameterError, TargetError
from noisewright.plans import Plan
from noisewright.releases.recipe import KEY, Recipe
from noisewright.sampling import Source


@final
class OnSpark:
    """The engine on a cluster."""

    reads_again = True
    public = None

    def __init__(self, data: Any, plan: Plan, name: str | None = None) -> None:
        del name  # a folder of Parquet files
        self._table = open_spark(data, plan)
        self._checked: SparkCheck | None = None

    def check(self, progress: Progress | None) -> int:
        """Check every row without drawing; return how many will be released."""
        self._checked = self._table.check(progress=progress)
        return self._checked.rows

    @contextmanager
    def open(self, path: Path, recipe: Recipe) -> Generator[tuple[Path, Recipe]]:
        """Keep the place and the recipe; the folder appears at the end of the draw, synced."""
        yield path, recipe

    def draw(
        self, writer: tuple[Path, Recipe], progress: Progress | None, source: Source | None
    ) -> None:
        """Draw every row, each task with entropy of its own, and write the folder."""
        require_possible(writer[0], source)
        assert self._checked is not None
        path, recipe = writer
        self._checked.draw(path, metadata={KEY: recipe.to_json()}, progress=progress)


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
            "source is given, but tasks of Spark draw from entropy of their own machine, and no "
            "stream is sent to them. Leave source= out; for seeded tests use engine='arrow'."
        )
    if path is None or path.suffix.lower() != ".parquet":
        name = "missing" if path is None else repr(path.name)
        raise TargetError(
            f"out is {name}; on Spark a release is a folder of Parquet files. Give its name, which "
            "ends in .parquet."
        )
