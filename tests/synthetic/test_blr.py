"""BLR: its probabilities against every sequence and multiset, its privacy, its accuracy."""

import itertools
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.errors import InputError, ParameterError, TooLargeError
from noisewright.synthetic.by_blr.multisets import (
    blocks,
    most_records,
    multiset_at,
    multiset_count,
    place_of,
    sequences_of,
)
from tests.selection.exactly_by_hand import power

Measure = Literal["multisets", "sequences"]
MEASURES: list[Measure] = ["multisets", "sequences"]
THREE = nw.Records(value=nw.Categories([0, 1, 2]))
ROWS = [(0,), (0,), (1,), (2,), (2,), (2,)]


def by_hand(
    data: list[int], points: int, m: int, masks: list[list[int]], epsilon: float, measure: Measure
) -> dict[tuple[int, ...], float]:
    """P of each multiset, from the definition: all sequences, or each multiset once."""
    n = len(data)
    shares = [sum(mask[x] for x in data) / n for mask in masks]

    def weight(database: tuple[int, ...]) -> float:
        errors = [
            abs(share - sum(mask[x] for x in database) / m)
            for share, mask in zip(shares, masks, strict=True)
        ]
        return math.exp(-epsilon * n * max(errors) / 2)

    listed = (
        itertools.product(range(points), repeat=m)
        if measure == "sequences"
        else itertools.combinations_with_replacement(range(points), m)
    )
    masses: Counter[tuple[int, ...]] = Counter()
    for database in listed:
        masses[tuple(database.count(x) for x in range(points))] += weight(database)  # pyright: ignore[reportArgumentType]
    total = sum(masses.values())
    return {counts: mass / total for counts, mass in masses.items()}


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(("m", "epsilon"), [(2, 1), (3, Fraction(1, 3)), (4, Fraction(5, 2))])
def test_probabilities_to_the_last_digit(measure: Measure, m: int, epsilon: Fraction) -> None:
    """Six rows over three points, all databases of m records, in exact shares and 50 digits."""
    data = [value for (value,) in ROWS]
    masses: Counter[tuple[int, ...]] = Counter()
    listed = (
        itertools.product(range(3), repeat=m)
        if measure == "sequences"
        else itertools.combinations_with_replacement(range(3), m)
    )
    for database in listed:
        error = max(abs(Fraction(data.count(x), 6) - Fraction(database.count(x), m)) for x in data)
        counts = tuple(database.count(x) for x in range(3))
        masses[counts] += power(-Fraction(epsilon) * 6 * error / 2)  # pyright: ignore[reportArgumentType]
    mechanism = nw.workloads.blr(
        ROWS, nw.workloads.Workload.marginals(THREE), epsilon=epsilon, m=m, measure=measure
    )
    total = sum(masses.values())
    for counts, mass in masses.items():
        assert abs(mechanism.probability(counts) / (mass / total) - 1) < Fraction(1, 2**50)


@pytest.mark.parametrize("measure", MEASURES)
@settings(max_examples=15, deadline=None)
@given(
    data=st.lists(st.integers(0, 3), min_size=1, max_size=9),
    m=st.integers(1, 5),
    epsilon=st.floats(0.01, 20),
)
def test_every_database_has_its_probability(
    measure: Measure, data: list[int], m: int, epsilon: float
) -> None:
    domain = nw.Records(a=nw.Counts(1), b=nw.Counts(1))
    workload = nw.workloads.Workload.marginals(domain) + nw.workloads.Workload.marginals(
        domain, ways=2
    )
    records = [divmod(x, 2) for x in data]
    mechanism = nw.workloads.blr(records, workload, epsilon=epsilon, m=m, measure=measure)
    expected = by_hand(data, 4, m, workload.matrix().tolist(), epsilon, measure)
    found = {counts: mechanism.probability(counts) for counts in expected}
    assert sum(found.values()) == 1
    for counts, chance in expected.items():
        assert float(found[counts]) == pytest.approx(chance, rel=1e-9)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(6)])
def test_the_integers_that_are_drawn_are_private(measure: Measure, epsilon: Fraction) -> None:
    """All databases of three rows, all their neighbors, all outputs, in exact arithmetic."""
    workload = nw.workloads.Workload.marginals(THREE)
    outputs = [tuple(counts.tolist()) for block in blocks(3, 3) for counts in block]
    inputs = list(itertools.product(range(3), repeat=3))
    rows = {
        data: [
            mechanism.probability(counts)
            for mechanism in [
                nw.workloads.blr(
                    [(x,) for x in data], workload, epsilon=epsilon, m=3, measure=measure
                )
            ]
            for counts in outputs
        ]
        for data in inputs
    }
    worst = max(
        p / q
        for a in inputs
        for b in inputs
        if sum(x != y for x, y in zip(a, b, strict=True)) == 1
        for p, q in zip(rows[a], rows[b], strict=True)
    )
    assert nw.accounting.Epsilon.of(epsilon).sign(worst.numerator, worst.denominator) <= 0
    assert math.log(worst) > 0.3 * float(epsilon)


def test_it_is_a_row_of_the_exponential_mechanism() -> None:
    workload = nw.workloads.Workload.marginals(THREE)
    outputs = [tuple(counts.tolist()) for block in blocks(3, 2) for counts in block]
    space = nw.Categories([0, 1, 2]) ** 4

    def quality(data: tuple[int, ...], name: str) -> Fraction:
        counts = outputs[int(name)]
        return -max(abs(Fraction(data.count(x), 4) - Fraction(counts[x], 2)) for x in range(3))

    table = nw.select.choice_table(
        space,
        quality,
        candidates=[str(i) for i in range(len(outputs))],
        epsilon=2,
        sensitivity="1/4",
        monotonic=False,
    )
    assert nw.verify(table, epsilon=2)
    for data in [(0, 0, 0, 0), (0, 1, 2, 2), (1, 1, 2, 1)]:
        mechanism = nw.workloads.blr([(x,) for x in data], workload, epsilon=2, m=2)
        found = [float(mechanism.probability(counts)) for counts in outputs]
        assert np.allclose(table.matrix[space.code(data)], found, rtol=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
@settings(max_examples=15, deadline=None)
@given(
    data=st.lists(st.integers(0, 3), min_size=5, max_size=60),
    m=st.integers(1, 12),
    epsilon=st.floats(0.1, 5),
    beta=st.floats(0.001, 0.9),
)
def test_the_accuracy_theorem(
    measure: Measure, data: list[int], m: int, epsilon: float, beta: float
) -> None:
    domain = nw.Records(a=nw.Counts(1), b=nw.Counts(1))
    workload = nw.workloads.Workload.marginals(domain, ways=2)
    records = [divmod(x, 2) for x in data]
    mechanism = nw.workloads.blr(records, workload, epsilon=epsilon, m=m, measure=measure)
    promised = mechanism.accuracy(beta=beta)
    # Exact probabilities, not draws: nothing here can happen to be lucky.
    assert mechanism.chance_within(promised) >= 1 - Fraction(beta)
    existence = math.sqrt(math.log(8) / (2 * m))
    assert float(mechanism.least_error) <= existence * (1 + 1e-12)


def test_eight_points_and_twenty_records() -> None:
    domain = nw.Records(a=nw.Counts(1), b=nw.Counts(1), c=nw.Counts(1))
    workload = nw.workloads.Workload.marginals(domain, ways=2)
    rng = np.random.default_rng(3)
    table = {name: rng.integers(0, 2, 1000) for name in "abc"}
    mechanism = nw.workloads.blr(table, workload, epsilon=1, m=20)
    assert sum(mechanism.members) == 888_030
    drawn = mechanism.sample(source=nw.randomness.SeededSource(4))
    assert drawn.rows == 20
    error = drawn.answers(workload).distance(workload.answers(table)).largest
    assert error <= mechanism.accuracy(beta=0.05)


def test_sequences_are_counted_to_the_last() -> None:
    rng = np.random.default_rng(3)
    domain = nw.Records(a=nw.Counts(1), b=nw.Counts(1))
    table = {name: rng.integers(0, 2, 1000) for name in "ab"}
    mechanism = nw.workloads.blr(
        table, nw.workloads.Workload.marginals(domain), epsilon=1, m=60, measure="sequences"
    )
    assert sum(mechanism.members) == 39_711
    candidates = sum(o * n for o, n in zip(mechanism.orders, mechanism.members, strict=True))
    assert candidates == 4**60


@pytest.mark.parametrize(("points", "m"), [(1, 5), (2, 7), (4, 6), (6, 3)])
def test_the_list_of_multisets(points: int, m: int) -> None:
    rows = [tuple(row.tolist()) for block in blocks(points, m) for row in block]
    expected = sorted(
        {
            tuple(chosen.count(x) for x in range(points))
            for chosen in itertools.combinations_with_replacement(range(points), m)
        }
    )
    assert rows == expected
    assert len(rows) == multiset_count(points, m)
    assert [place_of(row) for row in rows] == list(range(len(rows)))
    assert [tuple(multiset_at(i, points, m).tolist()) for i in range(len(rows))] == rows
    assert sum(sequences_of(row) for row in rows) == points**m


def test_long_lists_come_in_blocks() -> None:
    sizes = [len(block) for block in blocks(8, 16)]
    assert sum(sizes) == multiset_count(8, 16)
    assert len(sizes) > 1


@pytest.mark.parametrize(("points", "m"), [(4, 389), (8, 29), (16, 11)])
def test_what_ten_million_allow(points: int, m: int) -> None:
    assert most_records(points) == m


def test_sizes_of_the_synthetic_database() -> None:
    assert nw.workloads.blr_size(100, within=0.2) == math.ceil(2 * math.log(200) / 0.2**2)
    assert nw.workloads.blr_size(100, within=0.2, bound="survey") == math.ceil(
        32 * math.log(100) / 0.2**2
    )
    assert nw.workloads.blr_size(1, within=1, bound="survey") == 1


@pytest.mark.parametrize("measure", MEASURES)
def test_the_accuracy_of_universes_that_nobody_lists(measure: Measure) -> None:
    """ln C(a, b) by the gamma function in doubles; bounds of it cost no more than a moment."""

    def formula(points: int, m: int) -> float:
        listed = math.lgamma(points + m) - math.lgamma(points) - math.lgamma(m + 1)
        size = m * math.log(points) if measure == "sequences" else listed
        return math.sqrt(math.log(200) / (2 * m)) + 2 / 5000 * (size + math.log(20))

    for points, m in [(8, 20), (1000, 9_000), (30_000, 30_000), (10**9, 10**6)]:
        found = nw.workloads.blr_accuracy(
            points, queries=100, rows=5000, m=m, epsilon=1, measure=measure
        )
        assert formula(points, m) * (1 - 1e-9) <= found <= formula(points, m) * (1 + 1e-3)
    with pytest.raises(ParameterError, match="beta is 0"):
        nw.workloads.blr_accuracy(8, queries=1, rows=1, m=1, epsilon=1, beta=0)
    with pytest.raises(ParameterError, match="epsilon is 0"):
        nw.workloads.blr_accuracy(8, queries=1, rows=1, m=1, epsilon=0)


def test_what_is_drawn_is_a_table() -> None:
    domain = nw.Records(sex=nw.Categories(["F", "M"]), kids=nw.Counts(2))
    workload = nw.workloads.Workload.marginals(domain, ways=2)
    data = [("F", 1)] * 50 + [("M", 2)] * 50
    drawn = nw.workloads.blr(data, workload, epsilon=100, m=4).sample(
        source=nw.randomness.SeededSource(1)
    )
    assert drawn.records == [("F", 1), ("F", 1), ("M", 2), ("M", 2)]
    assert drawn.columns["sex"].tolist() == ["F", "F", "M", "M"]
    assert drawn.columns["kids"].tolist() == [1, 1, 2, 2]
    assert drawn.answers(workload).distance(workload.answers(data)).largest == 0
    assert repr(drawn).startswith("<4 synthetic records of Records(")


def made(**changes: Any) -> Any:
    given: dict[str, Any] = {"table": ROWS, "workload": nw.workloads.Workload.marginals(THREE)}
    given |= {"epsilon": 1, "m": 2, **changes}
    return nw.workloads.blr(given.pop("table"), given.pop("workload"), **given)


BAD: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: made(m=None), ParameterError, "give m="),
    (lambda: made(within=0.1), ParameterError, "give m="),
    (lambda: made(m=0), InputError, "m is 0"),
    (lambda: made(epsilon=0), ParameterError, "epsilon is 0"),
    (lambda: made(table=[]), InputError, "no rows"),
    (lambda: made(workload=nw.workloads.Workload(THREE, ())), InputError, "has no queries"),
    (lambda: made(workload="all"), InputError, "workload is of type str; give a Workload"),
    (lambda: made(measure="sets"), ParameterError, "'multisets' or 'sequences'"),
    (lambda: made().probability([1, 1, 1]), InputError, "add up to 2"),
    (lambda: nw.workloads.blr_size(3, within=0), ParameterError, "within is 0"),
    (lambda: nw.workloads.blr_size(3, within=1, bound="best"), ParameterError, "bound is 'best'"),  # pyright: ignore[reportArgumentType]
    (
        lambda: made(m=10_000),
        TooLargeError,
        r"50,015,001 multisets .* m can be at most 4470, .* or MWEM",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD)
def test_bad_input(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_m_follows_from_the_error() -> None:
    assert made(m=None, within=0.5).m == nw.workloads.blr_size(3, within=0.5)
