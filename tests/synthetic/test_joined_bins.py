"""Bins that a pair is counted in together: how they are joined, and what a query learns of them."""

from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import noisewright as nw
from noisewright.sampling import SeededSource
from noisewright.synthetic import (
    MARGINAL,
    Bins,
    ClassedQuery,
    JoinedBins,
    Measurement,
    Noise,
    QueryBound,
    Spend,
    bound_query,
)
from noisewright.synthetic.bounds.query_bounds import _Problem
from noisewright.synthetic.by_points.joined_pairs import join_bins, spread_out
from noisewright.synthetic.steps.joined_bins import add_up, first_codes, joining_weights, repeat
from noisewright.synthetic.steps.measurement import add_noise

DECLARED = nw.Records(x=nw.Counts(11), y=nw.Counts(5), sex=nw.Categories(["f", "m"]))
BINS = Bins(DECLARED, (("x", 2),), most_counted=0)
RNG, SOURCE = np.random.default_rng(12), SeededSource(12)
SIZES = {"x": 12, "y": 6, "sex": 2}
NONE = Noise(Fraction(100), "epsilon", MARGINAL)
"""Noise that is never seen."""


def join_one_by_one(weights: list[float], least: float) -> tuple[int, ...]:
    """Join the lightest bin with its lighter neighbor until each weighs as much, on lists."""
    starts, held = list(range(len(weights))), list(weights)
    while len(held) > 1 and min(held) < least:
        place = held.index(min(held))
        left = held[place - 1] if place else np.inf
        right = held[place + 1] if place + 1 < len(held) else np.inf
        first = place - 1 if left <= right else place
        held[first : first + 2] = [held[first] + held[first + 1]]
        del starts[first + 1]
    return tuple(starts)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=12), st.integers(0, 100))
def test_bins_are_joined_as_one_by_one(weights: list[int], least: int) -> None:
    heights = joining_weights([float(one) for one in weights])
    found = first_codes(heights, least)
    assert found == join_one_by_one([float(one) for one in weights], least)
    sums = np.add.reduceat(weights, found)
    assert len(sums) == 1 or sums.min() >= least


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30), st.floats(0, 1e6), st.floats(0, 1e6))
def test_of_two_ways_to_join_bins_one_is_finer(
    weights: list[float], one: float, other: float
) -> None:
    heights = joining_weights(weights)
    finer, coarser = (first_codes(heights, least) for least in sorted([one, other]))
    assert {*coarser} <= {*finer}


def test_tables_in_joined_bins_are_sums_and_their_spread_keeps_them() -> None:
    table = np.arange(12).reshape(6, 2)
    joined = {"x": BINS.join("x", (0, 1, 4))}
    found = add_up(table, ("x", "sex"), joined)
    assert found.tolist() == [[0, 1], [12, 15], [18, 20]]
    back = repeat(found, ("x", "sex"), joined, {"x": 6, "sex": 2})
    assert back[:, 0].tolist() == [0, 12, 12, 12, 18, 18]
    assert [str(point) for point in joined["x"].space.points] == ["0 to 1", "2 to 7", "8 to 11"]
    one = Measurement(BINS.wide, ("x", "sex"), found, NONE, 66, joined=joined)
    shares = {"x": np.array([1, 2, 1, 1, 3, 1]) / 9, "sex": np.array([0.5, 0.5])}
    spread = spread_out(one, shares)
    assert spread.joined == {}
    np.testing.assert_allclose(spread.counts[:, 0], [0, 6, 3, 3, 13.5, 4.5])
    assert one.of_table(table).tolist() == found.tolist()


def singles_of(rows: dict[str, Any], noise: Noise = NONE) -> list[Measurement]:
    people = int(np.sum(rows["x"]))
    return [
        Measurement(BINS.wide, (name,), np.array(counts), noise.on(len(counts)), people)
        for name, counts in rows.items()
    ]


def test_bins_are_joined_by_noise_and_only_those_of_numbers() -> None:
    singles = singles_of(
        {"x": [500, 10, 10, 200, 10, 270], "y": [500, 100, 100, 100, 100, 100], "sex": [998, 2]}
    )
    pairs = [("x", "sex"), ("x", "y")]
    assert join_bins(singles, pairs, BINS, NONE) == {}
    some = join_bins(singles, pairs, BINS, Noise(Fraction(1, 2), "epsilon", MARGINAL))
    assert {name for joined in some.values() for name in joined} <= {"x", "y"}
    # With σ of 5.5 (two cells share the change of 1), 5 · 5.5 · √2 = 39 rows.
    assert some["x", "sex"]["x"].starts == (0, 1, 5)
    more = join_bins(singles, pairs, BINS, Noise(Fraction(1, 100), "epsilon", MARGINAL))
    for pair, joined in some.items():
        for name, bins in joined.items():
            assert {*more[pair][name].starts} <= {*bins.starts}
    # However large noise is, rows beside the heaviest bin are not all in one.
    assert all(len(one.starts) > 1 for joined in more.values() for one in joined.values())


@pytest.mark.parametrize("noise", [NONE, Noise(Fraction(1, 100), "epsilon", MARGINAL)])
def test_bins_without_rows_are_joined_though_all_rows_are_in_one(noise: Noise) -> None:
    singles = singles_of({"x": [0, 0, 1000, 0, 0, 0], "y": [0, 400, 0, 0, 0, 600], "sex": [5, 995]})
    found = join_bins(singles, [("x", "sex"), ("y", "sex")], BINS, noise)
    assert found["x", "sex"]["x"].starts == (0,)
    assert found["x", "sex"]["x"].space.size == 1
    assert len(found["y", "sex"]["y"].starts) == 2


def measure(
    joint: np.ndarray, noise: Noise, joined: dict[tuple[str, ...], dict[str, JoinedBins]]
) -> list[Measurement]:
    """Count columns, then each of these pairs in its bins, of a table by points."""
    table = np.add.reduceat(joint, range(0, 12, 2), axis=0)
    found: list[Measurement] = []
    for names in [("x",), ("y",), ("sex",), *joined]:
        away = tuple(axis for axis, name in enumerate(SIZES) if name not in names)
        counts = add_up(table.sum(axis=away), names, joined.get(names, {}))
        own = noise.on(counts.size)
        noisy = add_noise(counts, own, SOURCE)
        made = Measurement(
            BINS.wide, names, noisy, own, int(joint.sum()), joined=joined.get(names, {})
        )
        found.append(made)
    return found


def spends_of(counted: list[Measurement]) -> list[Spend]:
    """The steps: columns by the list, and each pair after a choice."""
    found: list[Spend] = []
    for one in counted:
        if len(one.columns) > 1:
            found.append(Spend("choice", Fraction(1), "epsilon"))
        found.append(Spend(f"counts of {one.name}", Fraction(1), "epsilon"))
    return found


def asked(**allowed: list[int]) -> ClassedQuery:
    return ClassedQuery.of_conditions(SIZES, allowed).split_bins(dict(BINS.widths))


def bound(query: ClassedQuery, counted: list[Measurement], miss: float = 0.05) -> QueryBound:
    return bound_query(
        query,
        counted,
        spends_of(counted),
        BINS.origins,
        rows=counted[0].rows,
        miss=miss,
        may_join=BINS.ordered,
    )


JOINED = {("x", "sex"): {"x": BINS.join("x", (0, 2, 5))}}


@pytest.mark.parametrize(
    ("codes", "low", "high"),
    [
        # Points 0 to 3 are the first joined bin, 4 to 9 the second.
        (range(4), 40, 40),
        (range(4, 10), 90, 90),
        (range(10), 130, 130),
        # Points 0 to 5: the first, and 40 rows of the second, where 30 of all 120 are men.
        (range(6), 40 + 10, 40 + 40),
        # Points 2 to 9: the second, and 40 rows of the first, where 20 of all 60 are men.
        (range(2, 10), 90 + 20, 90 + 40),
        # One point more cuts a bin of the column: nothing more is known than that.
        (range(1, 10), 90 + 20, 90 + 40),
    ],
)
def test_without_noise_a_query_is_bounded_by_the_joined_bins_it_cuts(
    codes: Any, low: int, high: int
) -> None:
    """By hand: of women in the parts of a bin that is cut, and of rows that are known there."""
    joint = np.zeros((12, 6, 2), dtype=np.int64)
    joint[:, 0, 0] = [5, 5, 15, 15, 20, 20, 10, 10, 15, 15, 10, 10]
    joint[:, 0, 1] = [5, 5, 5, 5, 0, 0, 10, 10, 5, 5, 25, 25]
    counted = measure(joint, NONE, JOINED)
    found = bound(asked(x=[*codes], sex=[0]), counted)
    truth = joint[codes, :, 0].sum()
    assert found.low <= truth <= found.high
    assert (found.low, found.high) == (low, high)
    assert found.is_counted == (low == high)


def test_without_noise_bounds_hold_for_all_tables_that_were_counted_alike() -> None:
    """Two pairs in different bins of one column, by a linear program over all cells of points."""
    from scipy.optimize import linprog

    joined = {
        ("x", "sex"): {"x": BINS.join("x", (0, 2, 4))},
        ("x", "y"): {"x": BINS.join("x", (0, 4)), "y": BINS.join("y", (0, 3))},
        ("y", "sex"): {},
    }
    cells = np.arange(12 * 6 * 2).reshape(12, 6, 2)
    for _ in range(12):
        joint = RNG.multinomial(300, RNG.dirichlet(np.full(144, 0.2))).reshape(12, 6, 2)
        counted = measure(joint, NONE, joined)
        first, last = sorted(RNG.integers(0, 12, 2))
        query = asked(x=[*range(first, last + 1)], y=[0, 1, 2, 3], sex=[1])
        inside = np.zeros((12, 6, 2))
        inside[first : last + 1, :4, 1] = 1
        rows: list[Any] = []
        for one in counted:
            for cell in np.ndindex(one.counts.shape):
                marks = np.zeros(144)
                for at in cells.reshape(-1):
                    place = np.unravel_index(at, cells.shape)
                    base = {"x": place[0] // 2, "y": place[1], "sex": place[2]}
                    is_in = all(
                        (np.searchsorted(one.joined[name].starts, base[name], "right") - 1) == which
                        if name in one.joined
                        else base[name] == which
                        for name, which in zip(one.columns, cell, strict=True)
                    )
                    marks[at] = is_in
                rows.append((marks, one.counts[cell]))
        found = bound(query, counted)
        for sign, end in ((1, found.low), (-1, found.high)):
            best: Any = linprog(
                sign * inside.reshape(-1),
                A_eq=np.array([marks for marks, _ in rows]),
                b_eq=[count for _, count in rows],
            )
            # Classes know less than all cells of points do, so they bound no better.
            assert sign * (sign * best.fun) >= sign * end - 1e-6
        assert found.low <= (inside * joint).sum() <= found.high


def diagonal() -> tuple[ClassedQuery, np.ndarray]:
    """A query that cuts joined bins of both columns but no others, and its points."""
    x, y = np.indices((12, 6))
    inside = x // 2 + y <= 6
    return ClassedQuery.of_cells(("x", "y"), inside).split_bins(dict(BINS.widths)), inside


def test_a_diagonal_query_is_bounded_by_all_joined_cells_in_it_and_all_that_touch_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Too many sums for a program: bounds by inclusion, counted by hand over points."""
    monkeypatch.setattr("noisewright.synthetic.bounds.query_bounds._MOST_SUMS", 0)
    joined = {"x": BINS.join("x", (0, 2, 4)), "y": BINS.join("y", (0, 3))}
    query, inside = diagonal()
    joint = people()
    found = bound(query, measure(joint, NONE, {("x", "y"): joined}))
    table, low, high = joint.sum(axis=2), 0, 0
    for rows, columns in product((range(4), range(4, 8), range(8, 12)), (range(3), range(3, 6))):
        cell = np.ix_(rows, columns)
        low += table[cell].sum() if inside[cell].all() else 0
        high += table[cell].sum() if inside[cell].any() else 0
    assert 0 < low < table[inside].sum() < high < 2000
    assert (found.low, found.high) == (low, high)


def people() -> np.ndarray:
    """2,000 rows, most of them in few bins."""
    rng = np.random.default_rng(4)
    shares = rng.dirichlet(np.full(144, 0.3)).reshape(12, 6, 2)
    shares *= np.repeat([20, 1, 1, 20, 2, 20], 2)[:, None, None]
    return rng.multinomial(2000, (shares / shares.sum()).reshape(-1)).reshape(12, 6, 2)


def decide(joint: np.ndarray, noise: Noise) -> list[Measurement]:
    """Count columns, join bins by noisy counts, and count pairs in these bins."""
    singles = measure(joint, noise, {})
    pairs = [("x", "sex"), ("x", "y")]
    joined = join_bins(singles, pairs, BINS, noise)
    counted = measure(joint, noise, {pair: joined.get(pair, {}) for pair in pairs})
    return [*singles, *counted[3:]]


@pytest.mark.parametrize(
    "allowed",
    [
        {"x": [0, 1, 2, 3, 4], "sex": [0]},
        {"x": [2, 3, 4, 5], "y": [0, 1]},
        {"x": [6, 7]},
        {"x": [4, 5, 6, 7], "y": [2, 3, 4], "sex": [1]},
    ],
    ids=["range-and-sex", "two-ranges", "bin", "three"],
)
def test_intervals_cover_though_noise_decides_the_bins(allowed: dict[str, list[int]]) -> None:
    """300 runs at 80%: each is wide enough, whatever noise made of the bins."""
    joint, noise = people(), Noise(Fraction(1, 10), "epsilon", MARGINAL)
    truth = joint[
        np.ix_(allowed["x"], allowed.get("y", range(6)), allowed.get("sex", range(2)))
    ].sum()
    runs, held, joins = 300, 0, 0
    for _ in range(runs):
        counted = decide(joint, noise)
        joins += any(one.joined for one in counted)
        found = bound(asked(**allowed), counted, miss=0.2)
        held += found.low <= truth <= found.high
    assert joins == runs
    # 80% and three standard errors: what misses one time in four is seen.
    assert held / runs >= 0.8 - 3 * 0.0231


@pytest.mark.parametrize("most_sums", [0, 1 << 20], ids=["by-inclusion", "by-program"])
def test_intervals_of_a_diagonal_query_cover(
    monkeypatch: pytest.MonkeyPatch, most_sums: int
) -> None:
    """200 runs at 80%, as above."""
    monkeypatch.setattr("noisewright.synthetic.bounds.query_bounds._MOST_SUMS", most_sums)
    joint, noise, (query, inside) = (
        people(),
        Noise(Fraction(1, 10), "epsilon", MARGINAL),
        diagonal(),
    )
    truth, runs = joint[inside].sum(), 200
    found = [bound(query, decide(joint, noise), miss=0.2) for _ in range(runs)]
    assert sum(one.low <= truth <= one.high for one in found) / runs >= 0.8 - 3 * 0.0283
    assert np.mean([one.high - one.low for one in found]) < 1600


def test_noise_that_is_larger_than_stated_is_seen() -> None:
    """The test above with five times the noise: it must fail, or it could not."""
    joint = people()
    noise, stated = (Noise(Fraction(1, many), "epsilon", MARGINAL) for many in (50, 10))
    truth, held, runs = joint[6:8].sum(), 0, 200
    for _ in range(runs):
        counted = [
            Measurement(one.domain, one.columns, one.counts, stated.on(one.counts.size), 2000)
            for one in decide(joint, noise)[:3]
        ]
        found = bound(asked(x=[6, 7]), counted, miss=0.2)
        held += found.low <= truth <= found.high
    assert held / runs < 0.7


def nested_ways() -> list[list[tuple[int, ...]]]:
    """Chains of ways to join six bins, from fine to coarse."""
    every = [(0, *s) for s in product(*[[0, k] for k in range(1, 6)])]
    ways = sorted({tuple(sorted({*one})) for one in every}, key=len, reverse=True)
    chains: list[list[tuple[int, ...]]] = []
    for _ in range(30):
        chain = [ways[0]]
        while len(chain[-1]) > 1:
            inner = chain[-1][1:]
            gone = inner[RNG.integers(len(inner))]
            chain.append(tuple(code for code in chain[-1] if code != gone))
        chains.append(chain)
    return chains


def test_there_are_never_more_sums_than_what_may_be_missed_is_divided_by() -> None:
    """Over chains of ways to join, all of them counted with other columns: the public number."""
    joint = np.ones((12, 6, 2), dtype=np.int64)
    queries = [
        asked(x=[3, 4, 5, 6], sex=[0]),
        asked(x=[0, 3, 7, 11], y=[1, 3]),
        asked(x=[2, 3], y=[2], sex=[0]),
        asked(x=[1, 6, 7]),
        diagonal()[0],
    ]
    for chain, query in product(nested_ways(), queries):
        for one, other in [*pairwise(chain), (chain[0], chain[-1])]:
            joined = {
                ("x", "sex"): {"x": BINS.join("x", one)},
                ("x", "y"): {"x": BINS.join("x", other), "y": BINS.join("y", (0, 2, 4))},
                ("y", "sex"): {"y": BINS.join("y", (0, 4))},
            }
            counted = measure(joint, NONE, joined)
            problem = _Problem(
                query, counted, spends_of(counted), BINS.origins, 144, 0.05, False, BINS.ordered
            )
            assert len(problem._sums[1]) <= problem._possible_sums()
