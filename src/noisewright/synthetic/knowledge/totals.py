"""Public totals that a synthetic table keeps exactly: the known number per region, for example.

Totals are counts of the public number of rows by some columns. Where as many rows are made as were
counted, cells of these columns occur exactly so often. Where more or fewer are made, each total is
scaled, and occurs rounded down or up.

Several tables of totals are met at once by whole numbers of rows for each cell of all their
columns, near to what the model says: by merging tables (`merged_totals.py`), or, where zeros
exclude cells or tables share columns in a circle, by an integer program (HiGHS). Whether there are
any is found before anything is spent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import inf, prod
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.designs import IntegerProgram
from noisewright.errors import InputError, TooLargeError
from noisewright.spaces import Records
from noisewright.synthetic.by_mwem.mwem import marginal_of
from noisewright.synthetic.knowledge.merged_totals import merge_totals
from noisewright.synthetic.knowledge.zeros import Zeros
from noisewright.synthetic.tallies import Names, shape_of
from noisewright.tables import Codes

Counts = NDArray[np.int64]

_MOST_CELLS = 1 << 16
"""Cells of all columns with totals together."""

_SECONDS = 20.0
_PASSES = 100
_CLOSE = 1e-9
_LEAST = 1e-150
"""How often weights are brought to totals, how near they come, and what no weight falls below."""


@final
@dataclass(frozen=True, eq=False)
class Totals:
    """Counts of all rows by some columns, each table with one axis for a column."""

    domain: Records
    tables: tuple[tuple[Names, Counts], ...]
    zeros: Zeros | None = None

    def __post_init__(self) -> None:
        if prod(self.shape) > _MOST_CELLS:
            raise TooLargeError(
                f"the columns with totals, {', '.join(self.columns)}, have {prod(self.shape):,} "
                f"cells together (at most {_MOST_CELLS:,}). Give totals of fewer columns, or of "
                "coarser ones.",
                size=prod(self.shape),
            )

    @cached_property
    def columns(self) -> Names:
        """The columns that some total is about."""
        return tuple(dict.fromkeys(name for names, _ in self.tables for name in names))

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """How many points each of these columns has."""
        return shape_of(self.domain, self.columns)

    def require_sum(self, people: int) -> None:
        """Refuse totals that do not add up to the public number of rows."""
        for names, counts in self.tables:
            whole = sum(counts.reshape(-1).tolist())
            if whole != people:
                raise InputError(
                    f"the totals by {' × '.join(names)} add up to {whole:,}, but {people:,} rows "
                    "are counted, which is public. Nothing was spent. Totals must cover every row "
                    "that is counted: add what is missing, or leave these totals out."
                )

        for (names, counts), (others, more) in combinations(self.tables, 2):
            shared = tuple(name for name in names if name in others)
            if not np.array_equal(
                marginal_of(counts, names, shared), marginal_of(more, others, shared)
            ):
                raise InputError(
                    f"the totals by {' × '.join(names)} and by {' × '.join(others)} disagree "
                    f"about {' × '.join(shared)}. Nothing was spent. Correct one of them."
                )

    def require_possible(self, people: int, rows: int) -> None:
        """Refuse totals that no table of so many rows can meet."""
        self.require_sum(people)
        _ = self.nearest(self._even(rows), people, rows)

    def places(self, codes: Codes, size: int) -> NDArray[np.int64]:
        """Return the cell of each point, or row, among the cells of all columns with totals."""
        found = np.zeros(size, dtype=np.int64)
        for name, points in zip(self.columns, self.shape, strict=True):
            found = found * points + (codes[name].astype(np.int64) if name in codes else 0)
        return found

    @cached_property
    def _cells(self) -> dict[str, NDArray[np.int64]]:
        """The codes of each cell."""
        cells = np.indices(self.shape).reshape(len(self.shape), -1)
        return dict(zip(self.columns, cells, strict=True))

    @cached_property
    def _with_rows(self) -> NDArray[np.bool_]:
        """Which cells every total allows."""
        found = np.ones(prod(self.shape), dtype=np.bool_)
        for names, counts in self.tables:
            found &= counts[tuple(self._cells[name] for name in names)] > 0
        return found

    @property
    def _is_free(self) -> bool:
        """Whether zeros exclude nothing that totals allow."""
        return bool((self._with_rows == self.possible.reshape(-1)).all())

    @cached_property
    def possible(self) -> NDArray[np.bool_]:
        """Which cells some possible row has, and every total allows."""
        named = self._cells
        found = self._with_rows.copy()
        if self.zeros is not None and found.any():
            held = self.zeros.held
            known: dict[tuple[int, ...], bool] = {}
            about = [name for name in self.columns if name in held]
            for place in np.flatnonzero(found).tolist():
                fixed = {name: held[name][int(named[name][place])] for name in about}
                key = tuple(fixed.values())
                if key not in known:
                    known[key] = self.zeros.narrow({**self.zeros.whole, **fixed}) is not None
                found[place] = known[key]
        return found.reshape(self.shape)

    def _bounds(self, people: int, rows: int) -> list[tuple[Names, Counts, Counts]]:
        """Return each table scaled to so many rows: rounded down, and up."""
        return [
            (names, counts * rows // people, -(-counts * rows // people))
            for names, counts in self.tables
        ]

    def nearest(self, wanted: NDArray[np.float64], people: int, rows: int) -> Counts:
        """Return how many rows each cell gets: as near to what is wanted as totals allow.

        Raises InputError if nothing meets all totals and no zero, and UnsolvedError if that was
        not found in time.
        """
        bounds = self._bounds(people, rows)
        if len(bounds) == 1:
            _, low, high = bounds[0]
            self._require_covered(high)
            return _round_up_some(low, high, wanted, rows)
        found = merge_totals(self.columns, bounds, wanted, rows) if self._is_free else None
        if found is None or not self.are_met_by(found, bounds):
            found = _whole_numbers(self, bounds, wanted, rows)
        if found is None:
            raise InputError(
                "no table meets all totals: those by "
                f"{', and by '.join(' × '.join(names) for names, _ in self.tables)} contradict "
                "each other, or the zeros. Nothing was spent. Correct them, or leave one out."
            )
        return found

    def nearest_or_any(self, wanted: NDArray[np.float64], people: int, rows: int) -> Counts:
        """Return the nearest, or what `require_possible` found: what was paid for is not lost."""
        try:
            return self.nearest(wanted, people, rows)
        except Exception:
            return self.nearest(self._even(rows), people, rows)

    def _even(self, rows: int) -> NDArray[np.float64]:
        return np.full(self.shape, rows / prod(self.shape))

    def are_met_by(self, cells: Counts, bounds: Sequence[tuple[Names, Counts, Counts]]) -> bool:
        """Tell whether numbers of rows for each cell meet all bounds."""
        for names, low, high in bounds:
            sums = marginal_of(cells, self.columns, names)
            if (sums < low).any() or (sums > high).any():
                return False
        return bool((cells >= 0).all())

    def _require_covered(self, counts: Counts) -> None:
        wrong = (counts > 0) & ~self.possible
        if wrong.any():
            place = np.unravel_index(int(wrong.argmax()), self.shape)
            spaces = self.domain.by_name
            cell = ", ".join(
                f"{name}={spaces[name].point(int(code))}"
                for name, code in zip(self.columns, place, strict=True)
            )
            raise InputError(
                f"the totals have rows with {cell}, which the zeros exclude. Nothing was spent. "
                "Correct the totals or the zeros."
            )

    def rake(self, places: NDArray[np.int64], weights: NDArray[np.float64]) -> Any:
        """Return weights in proportion whose sums are the totals, where points have such cells.

        Source: iterative proportional fitting (Deming and Stephan 1940).
        """
        found = weights / weights.sum()
        codes = dict(zip(self.columns, np.unravel_index(places, self.shape), strict=True))
        cells: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = []
        for names, counts in self.tables:
            place = np.ravel_multi_index([codes[name] for name in names], counts.shape)
            cells.append((place, counts.reshape(-1) / counts.sum()))
        for _ in range(_PASSES):
            moved = 0.0
            for place, shares in cells:
                sums = np.bincount(place, weights=found, minlength=shares.size)
                factors = np.divide(shares, sums, out=np.ones_like(sums), where=sums > _LEAST)
                moved = max(moved, float(np.abs(sums - shares).sum()))
                found = np.maximum(found * factors[place], _LEAST)
                found = found / found.sum()
            if moved < _CLOSE or len(cells) == 1:
                break
        return found


def _round_up_some(low: Counts, high: Counts, wanted: NDArray[np.float64], rows: int) -> Counts:
    """Return counts between two bounds that add up to so many rows, nearest to what is wanted."""
    found = low.reshape(-1).copy()
    left = rows - int(found.sum())
    (open_cells,) = np.nonzero((high > low).reshape(-1))
    gaps = (wanted.reshape(-1) - found)[open_cells]
    found[open_cells[np.argsort(-gaps, kind="stable")[:left]]] += 1
    return found.reshape(low.shape)


def _whole_numbers(
    totals: Totals,
    bounds: Sequence[tuple[Names, Counts, Counts]],
    wanted: NDArray[np.float64],
    rows: int,
) -> Counts | None:
    """Return whole numbers of rows for each cell that meet all bounds, nearest in L1; or None.

    Each is ⌊wanted⌋ + up + more − less, where up is 0 or 1.
    """
    (cells,) = np.nonzero(totals.possible.reshape(-1))
    if not cells.size:
        return None
    near = np.maximum(wanted.reshape(-1)[cells], 0.0)
    low = np.floor(near)
    codes: Mapping[str, Any] = dict(
        zip(totals.columns, np.unravel_index(cells, totals.shape), strict=True)
    )
    count = cells.size
    starts, indices = [0], list[NDArray[np.int64]]()
    lowest, highest = list[NDArray[np.float64]](), list[NDArray[np.float64]]()
    sides = [*bounds, ((), np.array(rows), np.array(rows))]
    for names, least, most in sides:
        place = (
            np.ravel_multi_index([codes[name] for name in names], least.shape)
            if names
            else np.zeros(count, dtype=np.int64)
        )
        sums = np.bincount(place, weights=low, minlength=least.size).astype(np.float64)
        order = np.argsort(place, kind="stable")
        sizes = np.bincount(place, minlength=least.size)
        starts += (starts[-1] + np.cumsum(sizes)).tolist()
        indices.append(order)
        lowest.append(least.reshape(-1) - sums)
        highest.append(most.reshape(-1) - sums)
    rows_of = np.concatenate(indices)
    triple = [rows_of, rows_of + count, rows_of + 2 * count]
    ones = np.ones(count)
    program = IntegerProgram(
        costs=np.concatenate([1 - 2 * (near - low), ones, ones]),
        upper=np.concatenate([ones, np.full(count, inf), low]),
        starts=3 * np.array(starts),
        places=np.stack(triple, axis=1).reshape(-1),
        values=np.tile([1.0, 1.0, -1.0], rows_of.size),
        lowest=np.concatenate(lowest),
        highest=np.concatenate(highest),
        # Each cell is in one sum of each table: two tables are a network.
        is_unimodular=len(bounds) == 2,
    )
    solved = program.solve(seconds=_SECONDS, what="to meet several tables of totals")
    if solved is None:
        return None
    up, more, less = solved.reshape(3, count)
    found = np.zeros(prod(totals.shape), dtype=np.int64)
    found[cells] = low.astype(np.int64) + up + more - less
    # A float proposed it; whole numbers decide.
    whole = found.reshape(totals.shape)
    return whole if totals.are_met_by(whole, bounds) else None
