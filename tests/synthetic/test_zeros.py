"""Structural zeros: what is possible, against a list of all rows; and that none ever appears."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError, OutsideSpaceError, TooLargeError
from noisewright.sampling import SeededSource
from noisewright.synthetic.bins import Bins
from noisewright.synthetic.by_points.by_points import ByPoints
from noisewright.synthetic.by_points.known_points import model_points
from noisewright.synthetic.graphs.graph_model import GraphModel
from noisewright.synthetic.knowledge.knowledge import PublicKnowledge
from noisewright.synthetic.knowledge.zeros import MOST_ZEROS, Zeros
from noisewright.synthetic.steps.run_budget import RunBudget
from noisewright.synthetic.tallies import Tallies
from noisewright.synthetic.workloads.counting_queries import Conjunction

Workload = nw.workloads.Workload
SIZES = {"a": 7, "b": 6, "c": 3}
GRID = Bins.of(nw.Records({name: nw.Counts(size - 1) for name, size in SIZES.items()}), 3)
WIDTHS = {name: dict(GRID.widths).get(name, 1) for name in SIZES}
"""Bins of three points, of two, and none."""

ROWS = {
    name: codes.reshape(-1)
    for name, codes in zip(SIZES, np.indices(tuple(SIZES.values())), strict=True)
}


def random_zeros(rng: np.random.Generator, count: int) -> tuple[Conjunction, ...]:
    found: list[Conjunction] = []
    for _ in range(count):
        names = [str(n) for n in rng.permutation(list(SIZES))[: rng.integers(1, 4)]]
        allowed = [
            tuple(sorted(rng.permutation(SIZES[n])[: rng.integers(1, SIZES[n] + 1)].tolist()))
            for n in names
        ]
        found.append(Conjunction(tuple(names), tuple(allowed)))
    return tuple(found)


def is_met(zeros: tuple[Conjunction, ...], row: dict[str, int]) -> bool:
    return any(
        all(row[n] in codes for n, codes in zip(zero.columns, zero.allowed, strict=True))
        for zero in zeros
    )


def some_zeros(rng: np.random.Generator, most: int) -> Zeros | None:
    """Random zeros, or None where they leave nothing; a list of all rows tells which."""
    listed = random_zeros(rng, int(rng.integers(1, most)))
    rows = [dict(zip(SIZES, row, strict=True)) for row in product(*map(range, SIZES.values()))]
    if not all(is_met(listed, row) for row in rows):
        return Zeros(GRID, listed)
    with pytest.raises(InputError, match="leave no row possible"):
        Zeros(GRID, listed)
    return None


def test_what_is_possible_is_what_a_list_of_all_rows_says() -> None:
    rng = np.random.default_rng()
    for _ in range(80):
        zeros = some_zeros(rng, 9)
        if zeros is None:
            continue
        good = [
            not is_met(zeros.listed, dict(zip(SIZES, row, strict=True)))
            for row in zip(*(codes.tolist() for codes in ROWS.values()), strict=True)
        ]
        met, _ = zeros.are_met(ROWS, len(good))
        assert met.tolist() == [not one for one in good]
        in_bins = GRID.codes(ROWS)
        possible = zeros.are_possible(in_bins, len(good))
        wanted = dict.fromkeys(zip(*(in_bins[name].tolist() for name in SIZES), strict=True), False)
        for cell, one in zip(
            zip(*(in_bins[name].tolist() for name in SIZES), strict=True), good, strict=True
        ):
            wanted[cell] |= one
        assert possible.tolist() == [
            wanted[cell] for cell in zip(*(in_bins[n].tolist() for n in SIZES), strict=True)
        ]


def test_rows_stay_in_their_bins_and_meet_no_zero() -> None:
    rng = np.random.default_rng()
    for _ in range(60):
        zeros = some_zeros(rng, 7)
        if zeros is None:
            continue
        codes = {name: rng.integers(0, size, 400) for name, size in SIZES.items()}
        kept = zeros.are_possible(GRID.codes(codes), 400)
        codes = {name: values[kept] for name, values in codes.items()}
        if not kept.any():
            continue
        made = zeros.keep_out(codes)
        assert not zeros.are_met(made, int(kept.sum()))[0].any()
        for name in SIZES:
            assert (made[name] // WIDTHS[name] == codes[name] // WIDTHS[name]).all()


@pytest.mark.parametrize("epsilon", [0.01, 5])
def test_no_synthetic_row_meets_a_zero_whatever_the_counts_say(epsilon: float) -> None:
    """Also where the data consist of nothing else: the guarantee does not need them to be true."""
    rng = np.random.default_rng()
    done = 0
    while done < 4:
        zeros = some_zeros(rng, 7)
        if zeros is None:
            continue
        done += 1
        domain = GRID.domain
        data = {name: rng.integers(0, space.size, 500) for name, space in domain.columns}
        made = ByPoints(
            domain,
            Workload.marginals(domain, ways=2),
            RunBudget.of(epsilon, 1e-9),
            GRID.counted,
            500,
            PublicKnowledge(zeros),
        )
        wide = data | {made: data[name] * WIDTHS[name] for name, made in GRID.points.items()}
        drawn = made.draw(
            Tallies.of([wide], GRID.wide, made.groupings), 2_000, source=SeededSource(done)
        )
        rows = zeros.keep_out(GRID.spread(drawn.codes, drawn.measurements))
        assert not zeros.are_met(rows, 2_000)[0].any()


def large_grid(columns: int = 9, points: int = 8) -> Bins:
    return Bins.of(nw.Records({f"c{n}": nw.Counts(points - 1) for n in range(columns)}), None)


def uniform_graph(grid: Bins) -> GraphModel:
    sizes = {name: space.size for name, space in grid.domain.columns}
    return GraphModel(sizes, tuple(((name,), np.zeros(size)) for name, size in sizes.items()))


def test_points_are_drawn_given_that_they_are_possible() -> None:
    """Not drawn first and dropped then: half of all cells of a pair are impossible here, and yet
    there are as many points as were asked for, and the rest keeps its proportions.
    """
    grid = large_grid()
    listed = tuple(Conjunction((f"c{n}", f"c{n + 1}"), ((0, 1, 2, 3),) * 2) for n in range(8))
    zeros = Zeros(grid, listed)
    points = model_points(uniform_graph(grid), 1 << 15, zeros, None)
    assert zeros.are_possible(points.codes, points.logs.size).all()
    assert points.logs.size > 30_000
    # Of the sequences of 9 bits without two 1s in a row, 89 in all, 34 begin with 1. Each of the
    # four low codes stands for a 1. The mean of so many draws is within 0.02 but for one run in
    # 10^12: its deviation is at most 0.0028.
    low = float(points.shares[points.codes["c0"] < 4].sum())
    assert low == pytest.approx(34 / 89, abs=0.02)


def test_points_are_found_where_hardly_any_row_is_possible() -> None:
    """Each column must be equal to the one before it: 8 rows of 8^9."""
    grid = large_grid()
    every = tuple(range(8))
    listed = tuple(
        Conjunction((f"c{n}", f"c{n + 1}"), ((code,), tuple(c for c in every if c != code)))
        for n in range(8)
        for code in every
    )
    points = model_points(uniform_graph(grid), 1 << 12, Zeros(grid, listed), None)
    assert points.logs.size == 8
    for name in points.codes:
        assert (points.codes[name] == points.codes["c0"]).all()


def test_one_point_that_only_a_search_finds() -> None:
    """All but one row is impossible, by zeros that a model of few cells cannot hold."""
    grid = large_grid(columns=12, points=4)
    names = tuple(f"c{n}" for n in range(12))
    listed = [
        Conjunction(names[:7], tuple((1, 2, 3) if n == k else (0, 1, 2, 3) for n in range(7)))
        for k in range(7)
    ]
    listed += [Conjunction(names[6:], ((0,), *((0, 1, 2, 3),) * 4, (0, 1, 2)))]
    points = model_points(uniform_graph(grid), 1 << 10, Zeros(grid, tuple(listed)), None)
    assert all((points.codes[name] == 0).all() for name in names[:7])
    assert (points.codes["c11"] == 3).all()


def test_a_row_of_the_data_that_meets_a_zero_is_named_and_not_shown() -> None:
    zeros = Zeros(GRID, (Conjunction(("a", "c"), ((6,), (2,)), "old and ill"),))
    batches: Any = iter([{n: np.array([0, 1]) for n in SIZES}, {n: ROWS[n][-1:] for n in SIZES}])
    with pytest.raises(
        OutsideSpaceError, match=r"row 3 of the data meets .* 'old and ill'"
    ) as info:
        list(zeros.require_unmet(batches, numbered=True))
    assert info.value.row == 2
    tallies = Tallies.of([GRID.codes(ROWS)], GRID.wide, zeros.groupings)
    with pytest.raises(OutsideSpaceError, match=r"^a row of the data"):
        zeros.require_none(tallies)
    zeros.require_none(
        Tallies.of([{n: [0] for n in GRID.wide.by_name}], GRID.wide, zeros.groupings)
    )


def test_too_much_is_refused() -> None:
    one = Conjunction(("c",), ((0,),))
    with pytest.raises(TooLargeError, match=f"at most {MOST_ZEROS:,}"):
        Zeros(GRID, (one,) * (MOST_ZEROS + 1))
    wide = Bins.of(nw.Records(a=nw.Interval(0, 1 << 23, step=1)), 32)
    with pytest.raises(TooLargeError, match="a coarser grid"):
        Zeros(wide, (Conjunction(("a",), ((0,),)),))
