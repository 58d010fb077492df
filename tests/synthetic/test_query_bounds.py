"""Intervals for counting queries from noisy counts: by brute force over tables, and by coverage."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.sampling import SeededSource
from noisewright.synthetic import (
    MARGINAL,
    QUERY,
    Bins,
    ClassedQuery,
    Measurement,
    ModelDistance,
    Noise,
    QueryBound,
    Spend,
    bound_query,
)
from noisewright.synthetic.bounds import query_bounds
from noisewright.synthetic.bounds.counted_sums import known_sums, stages_of_counts

DOMAIN = nw.Records(a=nw.Counts(1), b=nw.Counts(2), c=nw.Counts(1))
SIZES = {"a": 2, "b": 3, "c": 2}
ORIGINS = {name: (name, 1) for name in SIZES}
NONE = Noise(Fraction(100), "epsilon", MARGINAL)
"""Noise that is never seen."""


def measure(joint: np.ndarray, groups: list[tuple[str, ...]], noise: Noise) -> list[Measurement]:
    found: list[Measurement] = []
    for names in groups:
        away = tuple(place for place, name in enumerate(SIZES) if name not in names)
        counts = joint.sum(axis=away)
        own = noise.on(counts.size)
        noisy = counts + own.draw(counts.size, None).reshape(counts.shape).astype(np.int64)
        found.append(Measurement(DOMAIN, names, noisy, own, int(joint.sum())))
    return found


def spends_of(counted: list[Measurement], *, chosen: int = 0) -> list[Spend]:
    """The steps of these counts, the last of them behind choices."""
    found: list[Spend] = []
    for place, one in enumerate(counted):
        if place >= len(counted) - chosen:
            found.append(Spend("choice", Fraction(1), "epsilon"))
        found.append(Spend(f"counts of {one.name}", Fraction(1), "epsilon"))
    return found


def bound(
    query: ClassedQuery, counted: list[Measurement], *, miss: float = 0.05, chosen: int = 0
) -> QueryBound:
    rows = counted[0].rows
    spends = spends_of(counted, chosen=chosen)
    return bound_query(query, counted, spends, ORIGINS, rows=rows, miss=miss)


def conjunction(**allowed: list[int]) -> ClassedQuery:
    return ClassedQuery.of_conditions(SIZES, allowed)


SINGLES = [("a",), ("b",), ("c",)]
PAIRS = list(combinations("abc", 2))


def tables(rows: int) -> np.ndarray:
    """All tables of so many rows on 2 × 2 × 2 points (b is 0 or 2)."""
    every = [case for case in product(range(rows + 1), repeat=7) if sum(case) <= rows]
    found = np.zeros((len(every), 2, 3, 2), dtype=np.int64)
    for place, case in enumerate(every):
        found[place][:, [0, 2], :] = np.array([*case, rows - sum(case)]).reshape(2, 2, 2)
    return found


@pytest.mark.parametrize("groups", [SINGLES, [*SINGLES, ("a", "b")], [*SINGLES, *PAIRS]])
def test_without_noise_bounds_are_those_over_all_tables_with_these_counts(
    groups: list[tuple[str, ...]],
) -> None:
    """The least and the largest answer, over all 330 tables of 4 rows that were counted alike."""
    every = tables(4)
    query = conjunction(a=[1], b=[0], c=[1])
    answers = every[:, 1, 0, 1]
    rng = np.random.default_rng(3)
    for place in rng.integers(0, len(every), 12):
        truth = every[place]
        alike = np.ones(len(every), dtype=np.bool_)
        for names in groups:
            away = tuple(1 + at for at, name in enumerate(SIZES) if name not in names)
            marginal = every.sum(axis=away)
            alike &= (marginal == marginal[place]).reshape(len(every), -1).all(axis=1)
        found = bound(query, measure(truth, groups, NONE))
        # Over the reals a bound may lie further out than over whole rows, never further in.
        assert found.low <= answers[alike].min()
        assert found.high >= answers[alike].max()
        assert found.high - answers[alike].max() <= 1
        assert answers[alike].min() - found.low <= 1


def test_exclusive_or_is_not_believed_to_be_independent() -> None:
    """Three pairs that look independent say nothing about their exclusive or."""
    joint = np.zeros((2, 3, 2), dtype=np.int64)
    joint[0, 0, 0] = joint[0, 2, 1] = joint[1, 0, 1] = joint[1, 2, 0] = 100
    counted = measure(joint, [*SINGLES, *PAIRS], NONE)
    found = bound(conjunction(a=[0], b=[0], c=[0]), counted)
    assert (found.low, found.high) == (0, 100)
    assert found.value is None
    found = bound(conjunction(a=[0], b=[2], c=[0]), counted)
    assert (found.low, found.high) == (0, 100)


def test_two_conditions_have_the_bounds_of_frechet() -> None:
    joint = np.zeros((2, 3, 2), dtype=np.int64)
    joint[0, 0, 0], joint[0, 1, 0], joint[1, 1, 0] = 30, 40, 30
    found = bound(conjunction(a=[0], b=[1, 2]), measure(joint, SINGLES, NONE))
    assert (found.low, found.high) == (70 + 70 - 100, 70)


def test_the_same_sum_of_one_table_counts_once_and_of_several_is_averaged() -> None:
    joint = np.full((2, 3, 2), 10)
    noise = Noise(Fraction(1), "rho", MARGINAL)
    counted = measure(joint, [("a",), ("a", "b"), ("a", "c")], noise)
    query = conjunction(a=[1])
    (known,) = known_sums(query, query, counted, spends_of(counted), ORIGINS).values()
    assert len(known.counted) == 3
    value, error = known.estimate()
    inverse = [1 / one.variance for one in known.counted]
    assert error == pytest.approx(sum(inverse) ** -0.5)
    # The public number of rows takes half of the variance of one of two cells.
    assert known.counted[0].variance == pytest.approx(counted[0].deviation ** 2 / 2)
    assert min(one.value for one in known.counted) <= value
    assert value <= max(one.value for one in known.counted)


def test_a_query_that_cuts_a_bin_has_what_lies_within_the_bin_as_its_bound() -> None:
    declared = nw.Records(x=nw.Counts(11))
    bins = Bins(declared, (("x", 4),), most_counted=0)
    counts = np.array([5, 7, 9])
    one = Measurement(bins.wide, ("x",), counts, NONE.on(3), 21)
    query = ClassedQuery.of_conditions({"x": 12}, {"x": list(range(2, 8))}).split_bins({"x": 4})
    found = bound_query(query, [one], spends_of([one]), bins.origins, rows=21, miss=0.05)
    assert (found.low, found.high, found.value) == (7, 12, None)
    whole = ClassedQuery.of_conditions({"x": 12}, {"x": list(range(4, 8))}).split_bins({"x": 4})
    found = bound_query(whole, [one], spends_of([one]), bins.origins, rows=21, miss=0.05)
    assert (found.low, found.high, found.value) == (7, 7, 7)


def test_what_was_not_counted_at_all_is_said_to_be_unbounded() -> None:
    joint = np.full((2, 3, 2), 10)
    found = bound(conjunction(c=[1]), measure(joint, [("a",)], NONE))
    assert found == QueryBound(0, 120, None, None, is_vacuous=True)


def test_all_rows_and_none_are_known() -> None:
    counted = measure(np.full((2, 3, 2), 10), SINGLES, NONE)
    assert bound(conjunction(), counted).low == 120
    assert bound(conjunction(a=[0, 1]), counted).high == 120
    nobody = ClassedQuery.of_cells(("a",), np.zeros(2, dtype=np.bool_))
    assert bound(nobody, counted).high == 0


def test_classes_of_any_cells_count_the_same_rows_as_the_cells() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        holds = rng.random((2, 3, 2)) < 0.5
        query = ClassedQuery.of_cells(("a", "b", "c"), holds)
        codes = {name: rng.integers(0, size, 200) for name, size in SIZES.items()}
        mine = query.counts.reshape(-1)[query.atoms_of(codes)] if query.columns else holds.any()
        assert (np.broadcast_to(mine, 200) == holds[codes["a"], codes["b"], codes["c"]]).all()
        more = query.both(conjunction(b=[0, 2]))
        both = more.counts.reshape(-1)[more.atoms_of(codes)]
        assert (both == (np.broadcast_to(mine, 200) & (codes["b"] != 1))).all()


def test_counts_behind_a_choice_are_told_from_others() -> None:
    counted = measure(np.full((2, 3, 2), 10), [*SINGLES, *PAIRS], NONE)
    assert stages_of_counts(spends_of(counted, chosen=2)) == [0] * 4 + [1, 2]


def test_counts_of_one_stage_are_averaged_and_those_of_different_stages_are_not() -> None:
    """Nine counts after the same choice have a third of the noise, with weights known before."""
    noise = Noise(Fraction(1, 5_000), "rho", MARGINAL).on(6)
    query = conjunction(a=[0], b=[1])
    counted = [Measurement(DOMAIN, ("a", "b"), np.full((2, 3), 2_000), noise, 12_000)] * 9
    one_choice = [Spend("choice", Fraction(1), "rho"), *spends_of(counted)]
    widths: list[float] = []
    for spends in (one_choice, spends_of(counted, chosen=9)):
        found = bound_query(query, counted, spends, ORIGINS, rows=12_000, miss=0.05)
        widths.append(found.high - found.low)
    alone = bound(query, counted[:1], chosen=1)
    assert widths[0] == pytest.approx((alone.high - alone.low) / 3, rel=0.05)
    assert widths[1] > 3 * widths[0]


def compared(joint: np.ndarray, expected: np.ndarray, noise: Noise) -> ModelDistance:
    counts = joint.sum(axis=2)
    drawn = int(noise.draw(1, None)[0])
    return ModelDistance(
        ("b", "a"),
        expected.T.astype(np.int64),
        int(np.maximum(counts - expected, 0).sum()) + drawn,
        noise,
    )


def test_a_distance_bounds_every_query_of_its_pair() -> None:
    """All tables of 5 rows on two columns that are so near to the model: none is excluded."""
    spread = np.array([case for case in product(range(6), repeat=6) if sum(case) == 5])
    every = spread.reshape(-1, 2, 3)
    rng = np.random.default_rng(6)
    for _ in range(25):
        # Rounding a model to whole numbers may change its total.
        is_whole = rng.random() < 0.5
        expected = rng.multinomial(5, np.ones(6) / 6) if is_whole else rng.integers(0, 3, 6)
        expected = expected.reshape(2, 3)
        holds = rng.random((2, 3)) < 0.5
        query = ClassedQuery.of_cells(("a", "b"), holds)
        if len(query.columns) < 2:
            continue
        apart = np.maximum(every - expected, 0).sum(axis=(1, 2))
        answers = every[:, holds].sum(axis=1)
        truth = every[rng.integers(len(every))]
        one = compared(truth[:, :, None], expected, Noise(Fraction(100), "epsilon", QUERY))
        found = bound_query(query, [], [], ORIGINS, rows=5, miss=0.05, comparisons=[one])
        near = answers[apart <= one.distance]
        assert found.low <= near.min() <= near.max() <= found.high
        if is_whole:
            assert (found.low, found.high) == (near.min(), near.max())


@pytest.mark.parametrize("moved", [200, -200])
def test_a_noisy_distance_misses_no_more_often_than_it_may(moved: int) -> None:
    """The worst case: all rows that the model misplaces move into the query, or out of it.

    A fifth of 10% may be missed: 2,000 runs miss 61 or more with a chance of 1 in 1,000, and with
    noise of twice the deviation they miss some 290.
    """
    query = conjunction(a=[0], b=[0, 1])
    expected = np.full((2, 3), 300)
    joint = expected.copy()
    joint[0, 0] += moved
    joint[1, 2] -= moved
    truth = int(joint[0, :2].sum())
    claimed = Noise(Fraction(1, 200), "rho", QUERY)
    missed: list[int] = []
    for noise in (claimed, Noise(Fraction(1, 800), "rho", QUERY)):
        times = 0
        for _ in range(2_000):
            one = replace(compared(joint[:, :, None], expected, noise), noise=claimed)
            found = bound_query(query, [], [], ORIGINS, rows=1_800, miss=0.1, comparisons=[one])
            times += not found.low <= truth <= found.high
        missed.append(times)
    assert missed[0] < 61 < 150 < missed[1]


def test_a_query_that_cuts_bins_is_bounded_by_cells_that_it_touches() -> None:
    bins = Bins.of(nw.Records(a=nw.Counts(7), b=nw.Counts(1)), 2)
    expected = np.array([[30, 10], [40, 20]])
    one = ModelDistance(("a", "b"), expected, 5, Noise(Fraction(100), "epsilon", QUERY))
    query = ClassedQuery.of_conditions({"a": 8, "b": 2}, {"a": [2, 3, 4], "b": [1]})
    found = bound_query(
        query.split_bins(dict(bins.widths)),
        [],
        [],
        bins.origins,
        rows=100,
        miss=0.05,
        comparisons=[one],
    )
    assert (found.low, found.high) == (0, 35)


def test_mixed_choices_are_bounded_for_whatever_might_have_been_chosen() -> None:
    """Chosen pairs and conditions alone do not show that a triple was not among the candidates."""
    noise = Noise(Fraction(1, 500), "rho", MARGINAL)
    query = conjunction(a=[0], b=[1], c=[1])
    counted = measure(np.full((2, 3, 2), 1_000), PAIRS, noise)
    spends = spends_of(counted, chosen=3)
    plain, mixed = (
        bound_query(query, counted, spends, ORIGINS, rows=12_000, miss=0.05, mixes=mixes)
        for mixes in (False, True)
    )
    assert mixed.low <= plain.low
    assert mixed.high > plain.high


@pytest.mark.parametrize("unit", ["epsilon", "rho"])
@pytest.mark.parametrize("amount", ["1/50", "1", "30"])
def test_intervals_hold_the_truth_on_skewed_and_linked_tables(unit: str, amount: str) -> None:
    """35 runs of four queries each: that one of them misses 11 has a chance of 1 in 20,000.

    The joint distribution is drawn once more in each run, far from even, with empty cells.
    """
    rng = np.random.default_rng(8)
    noise = Noise(Fraction(amount), unit, MARGINAL)  # type: ignore[arg-type]
    queries = [
        (conjunction(a=[1]), np.s_[1]),
        (conjunction(a=[1], b=[0, 2]), np.s_[1, [0, 2]]),
        (conjunction(a=[1], b=[0], c=[0]), np.s_[1, 0, 0]),
        (conjunction(b=[1], c=[1]), np.s_[:, 1, 1]),
    ]
    hits = np.zeros(len(queries))
    widths = np.zeros(len(queries))
    for run in range(35):
        joint = rng.multinomial(300, rng.dirichlet(np.full(12, 0.3))).reshape(2, 3, 2)
        counted = measure(joint, [*SINGLES, ("a", "b")], noise)
        for place, (query, where) in enumerate(queries):
            found = bound(query, counted, chosen=run % 2)
            truth = int(joint[where].sum())
            hits[place] += found.low <= truth <= found.high
            widths[place] += found.high - found.low
    assert (hits > 35 - 11).all()
    if amount == "30":
        # Little noise: what was counted is nearly certain, and the rest is bounded.
        assert (widths[:2] / 35 < 20).all()


def test_half_the_noise_would_be_found_out() -> None:
    """The same intervals miss noise of twice the size far more often than stated."""
    joint = np.full((2, 3, 2), 50)
    loud = Noise(Fraction(1, 40), "epsilon", MARGINAL)
    missed = 0
    for _ in range(150):
        (one,) = measure(joint, [("b",)], loud)
        claimed = Measurement(
            DOMAIN, ("b",), one.counts, Noise(Fraction(1, 20), "epsilon", MARGINAL).on(3), 600
        )
        found = bound(conjunction(b=[1]), [claimed])
        missed += not found.low <= 200 <= found.high
    # 95% intervals would miss more than 20 of 150 in one run of 20,000; these miss about 35.
    assert missed > 20


@pytest.mark.parametrize("limits", [{"a": 10}, {"a": 11}, {"a": 10, "b": 34}, {"a": 10, "b": 1}])
def test_what_may_be_missed_is_enough_for_all_sums(
    limits: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cut bin has sums point by point, in bins, and over all that the query treats alike."""
    spaces = {name: nw.Counts(79) for name in "abcdef"}
    rng = np.random.default_rng(1)
    data = {name: rng.integers(0, 80, 150) for name in spaces}
    made = nw.synthesize(data, spaces, epsilon=2, delta=1e-6, ledger=None, source=SeededSource(2))
    assert any(not one.is_count for one in made.spends)
    problem = query_bounds._Problem  # pyright: ignore[reportPrivateUsage]
    found: list[tuple[int, int]] = []

    def ends(self: Any) -> tuple[float, float]:
        found.append((len(self._sums[1]), self._possible_sums()))
        return 0.0, 1.0

    monkeypatch.setattr(problem, "ends", ends)
    made.query({name: {"at_most": most} for name, most in limits.items()})
    ((are, may_be),) = found
    assert are <= may_be
