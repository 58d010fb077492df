"""People with a few columns each, in small groups: what models are learned from in Section 8.

A table of two columns is counted in every group of n people; each cell of each group is released
by itself, and the groups are added up. Groups are declared, not chosen by the data: a person who
is replaced by another leaves the groups as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import noisewright as nw
from papers.counts.experiment import SEED
from papers.data_files import read_adult

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
Pair = tuple[str, str]

LABEL = "income"


def _number(cell: str) -> int:
    """Read a number; what is none counts as the least."""
    return int(cell) if cell.isdigit() else 0


def _cut(place: int, *limits: int) -> Callable[[list[str]], int]:
    return lambda row: sum(_number(row[place]) >= limit for limit in limits)


COLUMNS: Mapping[str, tuple[int, Callable[[list[str]], int]]] = {
    "sex": (2, lambda row: int(row[9] == "Female")),
    "married": (2, lambda row: int(row[5].startswith("Married"))),
    "degree": (2, _cut(4, 13)),
    "hours": (3, _cut(12, 35, 45)),
    "age": (3, _cut(0, 30, 45)),
    "gain": (2, _cut(10, 1)),
    LABEL: (2, lambda row: int(row[14].startswith(">50K"))),
}
"""How many values a column has, and which one a row of adult.data has; limits are declared here."""


@dataclass(frozen=True)
class People:
    """Coded columns of the same length, and how many values each has."""

    name: str
    codes: Mapping[str, Whole]
    sizes: Mapping[str, int]

    @property
    def rows(self) -> int:
        return len(self.codes[LABEL])

    def some(self, places: Whole) -> People:
        """Return these people alone, in this order."""
        return People(self.name, {c: v[places] for c, v in self.codes.items()}, self.sizes)

    def split(self, repetition: int, n: int) -> tuple[People, People]:
        """Return people to learn from, in whole groups of n, and a fifth to test on."""
        order = np.random.default_rng([SEED, repetition, n]).permutation(self.rows)
        held = self.rows // 5
        learned = (self.rows - held) // n * n
        return self.some(order[held : held + learned]), self.some(order[:held])

    def groups(self, pair: Pair, n: int) -> Whole:
        """Count each cell of two columns in each group: one row for each group."""
        first, second = (self.codes[name] for name in pair)
        cells = self.sizes[pair[0]] * self.sizes[pair[1]]
        where = np.arange(self.rows) // n * cells + first * self.sizes[pair[1]] + second
        return np.bincount(where, minlength=self.rows // n * cells).reshape(-1, cells)

    def table(self, pair: Pair) -> Array:
        """Count each cell over all people, without noise."""
        return self.shaped(pair, self.groups(pair, self.rows)[0])

    def shaped(self, pair: Pair, cells: NDArray[np.generic]) -> Array:
        """Return cells as a table with a row for each value of the first column."""
        return np.asarray(cells, dtype=float).reshape(self.sizes[pair[0]], self.sizes[pair[1]])

    @property
    def domain(self) -> dict[str, nw.Counts]:
        """The columns as spaces, for the models of the library."""
        return {name: nw.Counts(size - 1) for name, size in self.sizes.items()}


@lru_cache(maxsize=4)
def adult(path: Path) -> People:
    """Read seven columns of the Adult data."""
    rows = read_adult(path)
    codes = {name: np.array([of(row) for row in rows]) for name, (_, of) in COLUMNS.items()}
    return People("Adult", codes, {name: size for name, (size, _) in COLUMNS.items()})


@lru_cache(maxsize=4)
def made_up(rows: int) -> People:
    """Make people up: the label is a coin, and the other columns are binomial given the label."""
    generator = np.random.default_rng([SEED, rows])
    label = generator.binomial(1, 0.3, rows)
    codes: dict[str, Whole] = {LABEL: label}
    sizes = {LABEL: 2}
    for place, (low, high) in enumerate(((0.2, 0.6), (0.5, 0.8), (0.1, 0.3), (0.4, 0.5))):
        size = 2 + place % 2
        name = f"column {place + 1}"
        codes[name] = generator.binomial(size - 1, np.where(label == 1, high, low))
        sizes[name] = size
    return People(f"made up, {rows:,}", codes, sizes)


HOW = ("added up", "unbiased")


def values_of(mechanism: nw.Mechanism) -> Mapping[str, Array]:
    """Return what an output is taken for: itself, or the number that makes it unbiased.

    f with Σ_i P(i|j) f(i) = j for all j; of several the shortest, and the nearest if none is.
    """
    n = mechanism.space.size - 1
    counts = np.arange(n + 1, dtype=float)
    found = np.linalg.lstsq(np.asarray(mechanism.matrix), counts, rcond=1e-10)[0]
    return {HOW[0]: counts, HOW[1]: np.asarray(found, dtype=float)}


def released(
    people: People, pair: Pair, mechanism: nw.Mechanism, *, seed: str
) -> Mapping[str, Array]:
    """Release every cell of every group once, and add the groups up in both ways."""
    n = mechanism.space.size - 1
    counts = people.groups(pair, n)
    drawn = mechanism.sample(counts.ravel(), source=nw.randomness.SeededSource(seed))
    outputs = np.asarray(drawn).reshape(counts.shape)
    return {
        how: people.shaped(pair, values[outputs].sum(axis=0))
        for how, values in values_of(mechanism).items()
    }
