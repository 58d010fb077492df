"""Published data that some claims need: where it is, how to get it, and what it must look like.

The files are not part of the project. A run takes a path, or finds them next to the checkout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from noisewright.errors import InputError

BESIDE = Path(__file__).resolve().parents[1].parent / "shared" / "data"
"""Looked at when no path is given."""


@dataclass(frozen=True)
class DataFile:
    """A file by the name it is published under, with what it is and who publishes it."""

    name: str
    source: str

    @property
    def how_to_get_it(self) -> str:
        """What to do to have the file, as a sentence."""
        return (
            f"Get the file {self.name} ({self.source}), and give its path or its folder: "
            f"`--data {self.name}`."
        )

    @property
    def absence(self) -> str:
        """What a claim says when the file is not there."""
        return f"Not run: the data is not here. {self.how_to_get_it}"

    def read_lines(self, path: Path) -> list[str]:
        """Return the lines that are not empty; a file that cannot be read is an error."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            reason = getattr(problem, "strerror", None) or "it is not text"
            raise InputError(f"cannot read {path}: {reason}. {self.how_to_get_it}") from problem
        return [line for line in text.splitlines() if line.strip()]

    def refuse(self, path: Path, why: str) -> InputError:
        """Return the error for a file that is something else."""
        return InputError(f"{path} is not {self.name}: {why}. {self.how_to_get_it}")


ADULT = DataFile(
    "adult.data",
    "the UCI Adult data set of Becker and Kohavi, 1996, in the UCI Machine Learning Repository",
)
RETAIL = DataFile(
    "retail.dat",
    "the retail baskets of Brijs and others, 1999, in the Frequent Itemset Mining repository",
)
GROCERIES = DataFile(
    "groceries.csv",
    "the groceries baskets of Hahsler, Hornik and Reutterer, 2006, in the R package arules, one "
    "basket a line, articles between commas",
)
WEATHER = DataFile(
    "canadian_weather_temp_C.csv",
    "mean daily temperatures of 35 Canadian stations, the data set CanadianWeather of the R "
    "package fda, one row per station: place, region, 365 days",
)

_ADULT_COLUMNS = 15
ARTICLES = 16_471
"""The articles of the retail baskets are numbered 0 to 16,470."""

_DAYS = 365


def read_adult(path: Path) -> list[list[str]]:
    """Read the fifteen cells of each person."""
    rows = [[cell.strip() for cell in line.split(",")] for line in ADULT.read_lines(path)]
    wrong = next((n for n, row in enumerate(rows, 1) if len(row) != _ADULT_COLUMNS), None)
    if wrong is not None or not rows:
        raise ADULT.refuse(path, f"row {wrong or 1} must have {_ADULT_COLUMNS} cells")
    return rows


def read_baskets(path: Path) -> list[list[int]]:
    """Read the item numbers of each basket, one basket a line."""
    baskets: list[list[int]] = []
    for number, line in enumerate(RETAIL.read_lines(path), 1):
        words = line.split()
        if not all(word.isdigit() for word in words):
            raise RETAIL.refuse(path, f"line {number} must be item numbers between spaces")
        if any(int(word) >= ARTICLES for word in words):
            raise RETAIL.refuse(path, f"line {number} has an item number of {ARTICLES:,} or more")
        baskets.append(sorted({int(word) for word in words}))
    if not baskets:
        raise RETAIL.refuse(path, "it has no baskets")
    return baskets


def read_groceries(path: Path) -> list[list[str]]:
    """Read the articles of each basket, one basket a line."""
    lines = GROCERIES.read_lines(path)
    baskets = [sorted({cell.strip() for cell in line.split(",")}) for line in lines]
    wrong = next((n for n, basket in enumerate(baskets, 1) if "" in basket), None)
    if wrong is not None or not baskets:
        raise GROCERIES.refuse(path, f"line {wrong or 1} must be articles between commas")
    return baskets


def read_weather(path: Path) -> list[tuple[str, str, list[float]]]:
    """Read place, region and the temperature of each day; the first line names the columns."""
    stations: list[tuple[str, str, list[float]]] = []
    for number, line in enumerate(WEATHER.read_lines(path)[1:], 2):
        place, _, rest = line.partition(",")
        region, _, days = rest.partition(",")
        try:
            temperatures = [float(day) for day in days.split(",")]
        except ValueError:
            temperatures = []
        if len(temperatures) != _DAYS:
            raise WEATHER.refuse(path, f"line {number} must have {_DAYS} temperatures")
        stations.append((place.strip('" '), region.strip('" '), temperatures))
    if not stations:
        raise WEATHER.refuse(path, "it has no stations")
    return stations


READERS = {
    ADULT.name: read_adult,
    RETAIL.name: read_baskets,
    GROCERIES.name: read_groceries,
    WEATHER.name: read_weather,
}


def find(files: Sequence[DataFile], given: Path | None) -> Mapping[str, Path]:
    """Return where each file is, by name; what is not there is left out.

    Requires: `given`, if not None, is the one file, one of the files by its name, or a folder
    that holds some of them. Ensures: what was given has been read once without complaint.
    """
    if given is None:
        beside = {file.name: BESIDE / file.name for file in files}
        return {name: path for name, path in beside.items() if path.exists()}
    names = " and ".join(file.name for file in files)
    if not files:
        raise InputError(f"this paper needs no data; leave out --data {given}.")
    if given.is_dir():
        found = {file.name: given / file.name for file in files if (given / file.name).exists()}
        if not found:
            raise InputError(f"the folder {given} has no {names}. {files[0].how_to_get_it}")
    elif len(files) == 1:
        found = {files[0].name: given}
    elif given.name in READERS and given.name in {file.name for file in files}:
        found = {given.name: given}
    else:
        raise InputError(
            f"this paper uses {names}, and {given} has neither name. Give one of them by its "
            "name, or the folder that holds them."
        )
    for name, path in found.items():
        READERS[name](path)
    return found
