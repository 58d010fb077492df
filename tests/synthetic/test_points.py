"""Weights of points: summed in blocks, fitted to counts, rounded to rows."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.sampling import SeededSource
from noisewright.synthetic.by_points.blocks import BlockedTables, cover
from noisewright.synthetic.by_points.points import WeightedPoints, draw_points, list_points
from noisewright.synthetic.by_points.tilted_points import tilt_points
from noisewright.synthetic.by_points.whole_rows import make_rows
from noisewright.synthetic.graphs.graph_model import GraphModel
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.steps.noise import MARGINAL
from noisewright.synthetic.steps.run_budget import RunBudget

SIZES = {"a": 3, "b": 4, "c": 2, "d": 5}
SHAPE = tuple(SIZES.values())
DOMAIN = nw.Records({name: nw.Counts(size - 1) for name, size in SIZES.items()})
TABLES = (("b", "a"), ("a", "c"), ("d", "b"), ("c", "d"), ("d", "c", "a"), ("b",))
ROWS = 2_000


def places(names: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(list(SIZES).index(name) for name in names)


def table_of(joint: Any, names: tuple[str, ...]) -> Any:
    """The sums of a full array by these columns, worked out by itself."""
    kept = sorted(places(names))
    sums = joint.sum(axis=tuple(place for place in range(len(SHAPE)) if place not in kept))
    return sums.transpose([kept.index(place) for place in places(names)])


def all_points(joint: Any) -> WeightedPoints:
    codes = dict(zip(SIZES, np.unravel_index(np.arange(joint.size), SHAPE), strict=True))
    return WeightedPoints(SIZES, codes, np.log(joint.reshape(-1) / joint.sum()))


def random_joint(seed: int) -> Any:
    joint = np.random.default_rng(seed).gamma(0.5, size=SHAPE) + 1e-3
    return joint / joint.sum()


@pytest.mark.parametrize("most", [1, 20, 10**6])
def test_every_table_lies_within_a_block(most: int) -> None:
    blocks = cover(SIZES, TABLES, most)
    for table in TABLES:
        assert any(set(table) <= set(block) for block in blocks)
    assert most < 10**6 or len(blocks) == 1


def test_twelve_blocks_or_fewer_hold_the_pairs_of_nine_columns() -> None:
    sizes = dict.fromkeys("abcdefghi", 10)
    assert len(cover(sizes, combinations(sizes, 2), 10**3)) <= 14


def test_sums_and_values_are_those_of_each_table_by_itself() -> None:
    joint = random_joint(1)
    blocked = BlockedTables(SIZES, all_points(joint).codes, TABLES)
    for names, found in zip(TABLES, blocked.sums(joint.reshape(-1)), strict=True):
        assert found == pytest.approx(table_of(joint, names))
    rng = np.random.default_rng(2)
    values = [rng.normal(size=[SIZES[name] for name in names]) for names in TABLES]
    expected = np.zeros(joint.size)
    for names, value in zip(TABLES, values, strict=True):
        expected += value[tuple(blocked.codes[name] for name in names)]
    assert blocked.spread(values) == pytest.approx(expected)


def test_points_of_a_model_have_its_shares() -> None:
    rng = np.random.default_rng(3)
    tables = tuple((names, rng.normal(size=[SIZES[n] for n in names])) for names in TABLES)
    model = GraphModel(SIZES, tables)
    every = list_points(model)
    assert every.shares.sum() == pytest.approx(1)
    some = draw_points(model, 200_000, SeededSource(1))
    assert len({tuple(int(c[i]) for c in some.codes.values()) for i in range(some.logs.size)}) == (
        some.logs.size
    )
    for names in TABLES:
        whole = model.marginal(names)
        assert every.tables((names,))[0] == pytest.approx(whole)
        assert some.tables((names,))[0] == pytest.approx(whole, abs=0.005)


def counted(joint: Any, names: tuple[str, ...], epsilon: float, seed: int) -> Measurement:
    noise = RunBudget.of(epsilon, 1e-9).noise(RunBudget.of(epsilon, 1e-9).total / 9, MARGINAL)
    shape = [SIZES[name] for name in names]
    size = int(np.prod(shape))
    drawn = noise.draw(size, SeededSource(seed)).reshape(shape)
    counts = np.rint(ROWS * table_of(joint, names)).astype(np.int64) + drawn
    return Measurement(DOMAIN, names, counts.astype(np.int64), noise.on(size), ROWS)


@pytest.mark.parametrize("epsilon", [0.3, 5])
def test_a_fit_is_where_nothing_is_left_to_gain(epsilon: float) -> None:
    """N p − y + τ σ² θ is 0 for each cell: p is found again from θ, over all points at once."""
    joint, simpler = random_joint(4), all_points(random_joint(5))
    seen = [counted(joint, names, epsilon, n) for n, names in enumerate(TABLES)]
    found = tilt_points(simpler, seen, steps=2_000)
    logs = np.log(simpler.shares).reshape(SHAPE)
    for names, numbers in found.numbers.items():
        shape = [SIZES[name] if name in names else 1 for name in SIZES]
        order = [names.index(name) for name in SIZES if name in names]
        logs = logs + numbers.transpose(order).reshape(shape)
    own = np.exp(logs - logs.max())
    own /= own.sum()
    assert found.points.shares == pytest.approx(own.reshape(-1))
    deviations = {names: one.noise.fit_deviation for names, one in zip(TABLES, seen, strict=True)}
    most = max(deviations.values())
    for names, one in zip(TABLES, seen, strict=True):
        ordered = tuple(sorted(names))
        numbers = found.numbers[ordered].transpose([ordered.index(name) for name in names])
        pull = 2.5 * deviations[names] ** 2 / most * numbers
        gap = ROWS * table_of(own, names) - one.counts + pull
        # The ten-thousandth part of what noise adds, for each count on average.
        assert np.abs(gap).max() < 0.2 * deviations[names]


def test_a_fit_may_start_from_an_earlier_one() -> None:
    joint, simpler = random_joint(6), all_points(random_joint(7))
    seen = [counted(joint, names, 3, n) for n, names in enumerate(TABLES)]
    first = tilt_points(simpler, seen[:4], steps=500)
    again = tilt_points(simpler, seen, steps=500, start=first.numbers)
    fresh = tilt_points(simpler, seen[::-1], steps=500)
    assert again.points.shares == pytest.approx(fresh.points.shares, abs=2e-4)


def pair_fits(linked: float, seed: int) -> tuple[float, float]:
    """Return the errors of a pair of 8 × 8 values, as usual and if it may be unlinked."""
    rng, rows = np.random.default_rng(seed), 50_000
    same, sizes = np.eye(8) / 8, {"v": 8, "w": 8}
    truth = rows * (linked * same + (1 - linked) / 64)
    domain = nw.Records({name: nw.Counts(7) for name in sizes})
    counts = {("v",): truth.sum(axis=1), ("w",): truth.sum(axis=0), ("v", "w"): truth}
    seen: list[Measurement] = []
    for names, table in counts.items():
        part = Fraction(1, 40 if len(names) == 1 else 4_000)
        noise = RunBudget.of(1, 1e-9).noise(part, MARGINAL)
        noisy = np.rint(table + rng.normal(0, noise.deviation, table.shape)).astype(np.int64)
        seen.append(Measurement(domain, names, noisy, noise, rows))
    even = list_points(GraphModel(sizes, tuple(((n,), np.zeros(8)) for n in sizes)))
    own, other = (
        tilt_points(even, seen, steps=500, holds_unlinked=holds).points.shares.reshape(8, 8)
        for holds in (False, True)
    )
    first, second = (float(np.abs(each * rows - truth).sum() / rows) for each in (own, other))
    return first, second


def test_pairs_that_look_independent_are_held_near_independence() -> None:
    """Errors fall to less than half where columns are independent, and stay where they are not."""
    for linked, least, most in ((0.0, 0.0, 0.6), (0.8, 0.9, 1.1)):
        found = np.array([pair_fits(linked, seed) for seed in range(20)]).mean(axis=0)
        assert least * found[0] <= found[1] <= most * found[0], (linked, found)


@pytest.mark.parametrize("rows", [1, 37, 5_000])
def test_each_point_occurs_within_one_of_its_share(rows: int) -> None:
    points = all_points(random_joint(8))
    made = make_rows(points, rows, TABLES, SeededSource(3))
    cells = np.ravel_multi_index([made[name] for name in SIZES], SHAPE)
    times = np.bincount(cells, minlength=points.logs.size)
    assert times.sum() == rows
    assert np.abs(times - rows * points.shares).max() < 1 + 1e-6


def test_exchanges_bring_tables_nearer_than_one_offset_does() -> None:
    points = all_points(random_joint(9))
    gaps: list[float] = []
    for tables in ((), TABLES):
        made = make_rows(points, 700, tables, SeededSource(4))
        cells = np.ravel_multi_index([made[name] for name in SIZES], SHAPE)
        own = np.bincount(cells, minlength=points.logs.size).reshape(SHAPE) - 700 * (
            points.shares.reshape(SHAPE)
        )
        gaps.append(sum(float((table_of(own, names) ** 2).sum()) for names in TABLES))
    assert gaps[1] < gaps[0] / 2


def test_rows_come_in_random_order_and_on_average_in_their_shares() -> None:
    """400 tables of 9 rows: the mean of each of 120 points is within 5 deviations of its share."""
    points = all_points(random_joint(10))
    times, first = np.zeros(points.logs.size), np.zeros(3)
    for seed in range(400):
        made = make_rows(points, 9, (("a",),), SeededSource(seed))
        times += np.bincount(
            np.ravel_multi_index([made[name] for name in SIZES], SHAPE), minlength=times.size
        )
        first[made["a"][0]] += 1
    expected = 400 * 9 * points.shares
    assert (np.abs(times - expected) < 5 * np.sqrt(expected + 1) + 0.02 * expected.max()).all()
    shares = points.tables((("a",),))[0]
    assert first / 400 == pytest.approx(shares, abs=0.12)
