"""d-privacy against its definition: every two points, every event, in Fractions."""

import math
from fractions import Fraction
from random import Random
from typing import Any

import pytest

import noisewright as nw
from tests.oracles.brute_force import e_to_the, events, sign_of
from tests.spaces.metrics import METRICS

Rows = list[list[int]]


def space_of(name: str) -> nw.Categories:
    metric = METRICS[name]
    return nw.Categories(range(len(metric)), metric=metric, neighbors="metric")


def random_rows(random: Random, inputs: int, outputs: int) -> Rows:
    rows: Rows = []
    for _ in range(inputs):
        cuts = sorted(random.randint(0, 64) for _ in range(outputs - 1))
        rows.append([b - a for a, b in zip([0, *cuts], [*cuts, 64], strict=True)])
    return rows


def needs(rows: Rows, metric: Any, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether no event of any two points breaks (ε·d, δ)."""
    size = len(rows)
    every = [(a, b) for a in range(size) for b in range(a)]
    return all(
        sign_of(Fraction(p, 64), Fraction(q, 64), epsilon * metric[a][b], delta) <= 0
        for a, b, _, p, q in events(rows, every)
    )


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("seed", range(4))
def test_verdicts_and_the_least_of_each(name: str, seed: int) -> None:
    random = Random(f"{name} {seed}")
    metric = METRICS[name]
    rows = random_rows(random, len(metric), 3)
    mechanism = nw.from_matrix(space_of(name), rows, outputs=["x", "y", "z"])
    for epsilon in (Fraction(0), Fraction(1, 3), Fraction(2), Fraction(9)):
        for delta in (Fraction(0), Fraction(1, 10), Fraction(1, 2)):
            verdict = nw.verify(mechanism, epsilon=epsilon, delta=delta)
            assert verdict.holds == needs(rows, metric, epsilon, delta)
            if not verdict.holds:
                seen = verdict.witness
                assert seen is not None
                assert seen.distance == metric[seen.input][seen.neighbor]
                assert sign_of(seen.p, seen.q, epsilon * Fraction(seen.distance), delta) > 0
        least = nw.tight_delta(mechanism, epsilon=epsilon)
        assert least == pytest.approx(brute_delta(rows, metric, epsilon), abs=1e-14)
        assert nw.verify(mechanism, epsilon=epsilon, delta=least).holds
    for delta in (Fraction(0), Fraction(1, 10), Fraction(1, 2)):
        tight = nw.tight_epsilon(mechanism, delta=delta)
        assert tight == pytest.approx(brute_epsilon(rows, metric, delta), rel=1e-12, abs=1e-14)
        if 0 < tight < math.inf:
            assert nw.verify(mechanism, epsilon=tight, delta=delta).holds
            assert not nw.verify(mechanism, epsilon=tight * (1 - 1e-12), delta=delta).holds


def brute_delta(rows: Rows, metric: Any, epsilon: Fraction) -> float:
    size = len(rows)
    every = [(a, b) for a in range(size) for b in range(a)]
    return max(
        float(Fraction(p, 64) - e_to_the(epsilon * metric[a][b], 60)[0] * Fraction(q, 64))
        for a, b, _, p, q in events(rows, every)
    )


def brute_epsilon(rows: Rows, metric: Any, delta: Fraction) -> float:
    size = len(rows)
    every = [(a, b) for a in range(size) for b in range(a)]
    worst = 0.0
    for a, b, _, p, q in events(rows, every):
        left = Fraction(p, 64) - delta
        if left > 0 and q == 0:
            return math.inf
        if q and left * 64 > q:
            worst = max(worst, math.log(left * 64 / q) / float(metric[a][b]))
    return worst


@pytest.mark.parametrize("name", METRICS)
def test_alpha_with_fractional_distances(name: str) -> None:
    """ε = ln 2 and a ratio of exactly 2^d at distance d: private, and by no smaller α."""
    metric = METRICS[name]
    space = space_of(name)
    mechanism = nw.select.choice_table(space, lambda x, y: -space.distance(x, y), epsilon=1)
    tight = nw.tight_epsilon(mechanism)
    assert tight <= 1
    alpha = Fraction(math.exp(-tight))
    assert nw.verify(mechanism, alpha=alpha * (1 - Fraction(1, 10**9))).holds
    assert not nw.verify(mechanism, alpha=min(Fraction(1), alpha * (1 + Fraction(1, 10**9)))).holds
    assert len(metric) == space.size


def test_pairs_between_which_others_lie_are_implied() -> None:
    line = space_of("line")
    assert line.direct_codes().tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]
    star = space_of("star")
    assert star.direct_codes().tolist() == [[0, 1], [0, 2], [0, 3], [0, 4]]
    assert len(space_of("discrete").direct_codes()) == 6
    counts = nw.Counts(5, neighbors="metric")
    assert counts.direct_codes().tolist() == nw.Counts(5).neighbor_codes().tolist()


def test_a_long_line_is_proven_by_its_steps() -> None:
    counts = nw.Counts(520, neighbors="metric")
    mechanism = nw.geometric(counts, epsilon="1/10")
    assert nw.verify(mechanism, epsilon="1/10").holds
    assert nw.tight_epsilon(mechanism) == 0.1


def test_sufficient_sets_know_the_distance() -> None:
    space = nw.Counts(2, neighbors="metric")
    mechanism = nw.from_matrix(space, [[8, 4, 4], [4, 8, 4], [1, 5, 10]])
    far = nw.sufficient_sets(mechanism, 0, 2)
    assert far.distance == 2
    assert far.deciding(Fraction(1)) == (0,)  # 8 > e^2 · 1
    assert far.deciding(Fraction(11, 10)) == ()  # 8 < e^2.2
    assert nw.sufficient_sets(mechanism, 0, 1).distance == 1


def test_a_product_over_rows_is_as_private_as_a_row() -> None:
    row = nw.geometric(nw.Counts(2, neighbors="metric"), epsilon="1/2")
    both = row**2
    assert nw.tight_epsilon(both) == 0.5
    table = both.table()
    assert nw.verify(table, epsilon="1/2").holds
    assert nw.tight_epsilon(table) == 0.5
