"""Fine grids in bins: declared spaces alone decide them, and points come back from noisy counts."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import noisewright as nw
from noisewright.errors import ParameterError, TooLargeError
from noisewright.synthetic.bins import Bins
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.steps.noise import MARGINAL, Noise
from noisewright.synthetic.tallies import Tallies

DOMAIN = nw.Records(
    sex=nw.Categories(["F", "M"]),
    age=nw.Interval(17, 90, step=1),
    town=nw.Categories([f"town {place}" for place in range(50)]),
    gain=nw.Counts(99_999),
    weight=nw.Counts(10**9),
    half=nw.Interval(0, 20, step="0.5"),
)


def measurement(name: str, counts: Any, rows: int) -> Measurement:
    domain = nw.Records({name: nw.Counts(len(counts) - 1)})
    noise = Noise(Fraction(1), "epsilon", MARGINAL)
    return Measurement(domain, (name,), np.array(counts, dtype=np.int64), noise, rows)


def test_grids_of_more_points_than_bins_are_grouped_and_labels_never() -> None:
    bins = Bins.of(DOMAIN, 32)
    assert bins.widths == (("age", 3), ("gain", 3125), ("weight", 31_250_001), ("half", 2))
    spaces = dict(bins.domain.columns)
    assert [spaces[name].size for name in ("age", "gain", "weight", "half")] == [25, 32, 32, 21]
    assert spaces["town"] == dict(DOMAIN.columns)["town"]
    assert [spaces["age"].point(place) for place in (0, 23, 24)] == [
        "17 to 19",
        "86 to 88",
        "89 to 90",
    ]
    assert [spaces["half"].point(place) for place in (0, 20)] == ["0 to 0.5", "20"]
    assert bins.counted == tuple(f"{name}, point by point" for name in ("age", "gain", "half"))
    assert dict(bins.wide.columns)["weight, point by point"] == nw.Counts(10**9)


def test_nothing_is_grouped_where_that_is_said() -> None:
    for bins in (Bins.of(DOMAIN, None), Bins.of(nw.Records(a=nw.Counts(31)), 32)):
        assert bins.widths == bins.counted == ()
        assert bins.domain == bins.wide == bins.declared
        assert bins.words() == []
    assert [name for name, _ in Bins.of(DOMAIN, 32, whole={"gain", "age"}).widths] == [
        "weight",
        "half",
    ]
    with pytest.raises(ParameterError, match="bins is 1"):
        Bins.of(DOMAIN, 1)
    with pytest.raises(TooLargeError, match=r"'a' has .* points"):
        Bins.of(nw.Records(a=nw.Counts(1 << 53)), 32)


def test_names_and_labels_that_are_taken_are_not_taken_twice() -> None:
    domain = nw.Records({"a": nw.Counts(9), "a, point by point": nw.Counts(1)})
    assert Bins.of(domain, 4).counted == ("a, point by point'",)
    close = nw.Records(a=nw.Interval(10**9, 10**9 + Fraction(1, 10**6), step=Fraction(1, 10**8)))
    assert dict(Bins.of(close, 20).domain.columns)["a"].point(0) == "bin 1"


@given(
    size=st.integers(3, 400), most=st.integers(2, 60), rows=st.integers(1, 60), seed=st.integers(0)
)
def test_rows_stay_in_their_bins_and_on_the_grid(
    size: int, most: int, rows: int, seed: int
) -> None:
    domain = nw.Records(a=nw.Counts(size - 1), b=nw.Counts(1))
    bins = Bins.of(domain, most)
    rng = np.random.default_rng(seed)
    codes = {"a": rng.integers(0, size, rows), "b": rng.integers(0, 2, rows)}
    wide = bins.codes(codes)
    coarse = {name: wide[name] for name in ("a", "b")}
    assert coarse["a"].max() < dict(bins.domain.columns)["a"].size <= max(most, 1)
    noisy = measurement("a, point by point", rng.integers(-9, 9, size), 50)
    for seen in ([], [noisy]):
        made = bins.spread(coarse, seen, nw.randomness.SeededSource(seed))
        assert 0 <= made["a"].min() <= made["a"].max() < size
        assert np.array_equal(bins.codes(made)["a"], wide["a"])
        assert np.array_equal(made["b"], codes["b"])


def test_spikes_survive_and_empty_points_stay_empty() -> None:
    bins = Bins.of(nw.Records(gain=nw.Counts(999), b=nw.Counts(1)), 10)
    counts = np.zeros(1000, dtype=np.int64)
    counts[0], counts[7], counts[999] = 900, -40, 100
    rng = np.random.default_rng(1)
    codes = {"gain": np.repeat([0, 9], [1800, 200]), "b": rng.integers(0, 2, 2000)}
    seen = [measurement("gain, point by point", counts, 1000)]
    made = bins.spread(codes, seen, nw.randomness.SeededSource(1))["gain"]
    assert np.unique(made, return_counts=True)[0].tolist() == [0, 999]
    # Twice as many rows as there were people, and noise that says 450 of 900 for another point.
    counts[50] = 450
    counts[0] = 450
    made = bins.spread(codes, [measurement("gain, point by point", counts, 1000)])["gain"]
    assert np.bincount(made[:1800])[[0, 50]].tolist() == [900, 900]
    # Which row gets which point does not follow the order of the rows.
    assert 300 < np.sum(made[:900] == 0) < 600


def test_points_follow_the_column_that_they_were_counted_with() -> None:
    """In one bin all women have one point and all men another one: rows keep to them."""
    bins = Bins.of(nw.Records(gain=nw.Counts(94), sex=nw.Categories(["F", "M"])), 10)
    both = np.zeros((95, 2), dtype=np.int64)
    both[3], both[8], both[94] = (600, 0), (0, 300), (40, 60)
    noise = Noise(Fraction(1), "epsilon", MARGINAL)
    joint = Measurement(bins.wide, ("gain, point by point", "sex"), both, noise, 1000)
    alone = measurement("gain, point by point", both.sum(axis=1), 1000)
    codes = {"gain": np.repeat([0, 0, 9, 9], [600, 300, 40, 60])}
    codes["sex"] = np.repeat([0, 1, 0, 1], [600, 300, 40, 60])
    made = bins.spread(codes, [alone, joint], nw.randomness.SeededSource(1))
    assert np.array_equal(made["gain"], np.repeat([3, 8, 94], [600, 300, 100]))
    # By themselves, points have the sexes in proportion.
    mixed = bins.spread(codes, [alone], nw.randomness.SeededSource(1))["gain"]
    assert 150 < np.sum(mixed[:600] == 8) < 250


@given(
    st.integers(3, 200), st.integers(2, 9), st.integers(2, 5), st.integers(1, 80), st.integers(0, 9)
)
def test_points_with_another_column_stay_in_their_bins(
    size: int, most: int, values: int, rows: int, seed: int
) -> None:
    labels = nw.Categories([f"label {place}" for place in range(values)])
    bins = Bins.of(nw.Records(a=nw.Counts(size - 1), b=labels), most)
    rng = np.random.default_rng(seed)
    codes = {"a": rng.integers(0, size, rows), "b": rng.integers(0, values, rows)}
    wide = bins.codes(codes)
    noise = Noise(Fraction(1), "epsilon", MARGINAL)
    names, noisy = ("a, point by point", "b"), rng.integers(-9, 9, (size, values))
    seen = [
        measurement(names[0], rng.integers(-9, 9, size), 50),
        Measurement(bins.wide, names, noisy, noise, 50),
    ]
    made = bins.spread({name: wide[name] for name in "ab"}, seen)
    assert np.array_equal(bins.codes(made)["a"], wide["a"])
    assert np.array_equal(made["b"], codes["b"])


def test_declared_spaces_alone_say_what_points_may_be_counted_with() -> None:
    found = Bins.of(DOMAIN, 32).partners
    assert found == {
        f"{name}, point by point": ((name, "sex"),) for name in ("age", "gain", "half")
    }
    # More cells than may be counted, and columns of too many values or of one.
    small = nw.Records(
        gain=nw.Counts(99_999), three=nw.Counts(2), nine=nw.Counts(8), one=nw.Categories(["a"])
    )
    assert Bins.of(small, 32).partners == {}
    many = nw.Records(gain=nw.Counts(99_999), **{f"c{n}": nw.Counts(1) for n in range(40)})
    (pairs,) = Bins.of(many, 32).partners.values()
    assert 0 < len(pairs) * 200_000 <= 1 << 22


def test_points_that_were_not_counted_are_equally_likely() -> None:
    """40,000 rows of a fixed seed in two bins: 5% is seven standard errors of a quarter's share."""
    bins = Bins.of(nw.Records(a=nw.Counts(10**12), b=nw.Counts(1)), 2)
    codes = {"a": np.repeat([0, 1], 20_000), "b": np.zeros(40_000, dtype=np.int64)}
    made = bins.spread(codes, [], nw.randomness.SeededSource(3))["a"]
    quarters = np.bincount(made * 4 // (10**12 + 1), minlength=4)
    assert quarters == pytest.approx([10_000] * 4, rel=0.05)
    assert len(np.unique(made)) > 39_900


def test_neighbors_differ_by_two_in_bins_too() -> None:
    """All tables of two rows over two columns, the first row replaced by all others."""
    domain = nw.Records(a=nw.Counts(4), b=nw.Counts(1))
    bins = Bins.of(domain, 2)
    names = ("a", "b"), ("a",), ("a, point by point",)
    points = list(product(range(5), range(2)))

    def tallies(rows: Any) -> Tallies:
        codes = {"a": np.array([r[0] for r in rows]), "b": np.array([r[1] for r in rows])}
        return Tallies.of(bins.batches([codes]), bins.wide, names)

    tables = {rows: tallies(rows) for rows in product(points, repeat=2)}
    assert tables[points[0], points[9]].counts["a", "b"].tolist() == [[1, 0], [0, 1]]
    for some in names:
        gaps = [
            table.counts[some] - tables[other, rows[1]].counts[some]
            for rows, table in tables.items()
            for other in points
        ]
        assert max(int(np.abs(gap).sum()) for gap in gaps) == 2
        assert max(int((gap**2).sum()) for gap in gaps) == 2


def test_queries_that_are_no_marginals_are_answered_by_points() -> None:
    domain = nw.Records(a=nw.Counts(99), b=nw.Counts(1))
    bins = Bins.of(domain, 8)
    wanted = (
        nw.workloads.Workload.prefixes(domain, "a")
        + nw.workloads.Workload.conjunctions(domain, [{"a": 7, "b": 1}])
        + nw.workloads.Workload.marginals(domain, ways=2)
    )
    rng = np.random.default_rng(5)
    codes = {"a": rng.integers(0, 100, 500), "b": rng.integers(0, 2, 500)}
    by_points = bins.workload(wanted, by_points=True)
    own = Tallies.of(bins.batches([codes]), bins.wide, by_points.groupings).answers(by_points)
    assert own.counts[:100].tolist() == wanted.answers(codes).counts[:100].tolist()
    assert own.sizes == (99, 1, 16)
    # Prefixes end with bins; the condition has less than half of any, so that its marginal counts.
    asked = bins.workload(wanted)
    assert asked.sizes == (7, 16, 16)
    assert asked.domain == bins.domain


def test_conditions_on_bins_are_those_on_points_where_ends_are_ends_of_bins() -> None:
    """Bins of 13 points, the last of 9: ends are moved to the nearest of 0, 13, 26, … 91, 100."""
    domain = nw.Records(a=nw.Counts(99), b=nw.Counts(1))
    bins = Bins.of(domain, 8)
    rng = np.random.default_rng(5)
    codes = {"a": rng.integers(0, 100, 500), "b": rng.integers(0, 2, 500)}
    same = [(0, 12), (13, 51), (91, 99), (0, 99)]
    near = [(1, 11), (8, 57), (95, 99), (0, 98)]
    truth = nw.workloads.Workload.ranges(domain, "a", same).answers(codes).counts.tolist()
    for ends in (same, near):
        asked = bins.workload(nw.workloads.Workload.ranges(domain, "a", ends))
        own = Tallies.of([bins.codes(codes)], bins.domain, asked.groupings)
        assert own.answers(asked).counts.tolist() == truth
        told = [{"a": {"at_least": low, "at_most": high}, "b": 1} for low, high in ends]
        both = nw.workloads.Workload.conjunctions(domain, told)
        in_bins = bins.workload(both)
        own = Tallies.of([bins.codes(codes)], bins.domain, in_bins.groupings)
        exact = nw.workloads.Workload.conjunctions(
            domain, [{"a": {"at_least": low, "at_most": high}, "b": 1} for low, high in same]
        )
        assert own.answers(in_bins).counts.tolist() == exact.answers(codes).counts.tolist()
        # They are called what they were called, unless they are only near to that.
        said = "" if ends == same else " (in whole bins of a)"
        assert in_bins.labels() == [f"{label}{said}" for label in both.labels()]
    assert bins.workload(nw.workloads.Workload.ranges(domain, "a", [(3, 5)])).sizes == (8,)
