"""TableSampler: P(y | x) = weights[x][y] / total."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from noisewright.sampling import KeepOrUniform, TableSampler, uniform_below
from tests.distributions.alarm import Alarm


def rounded(matrix: list[list[float]], total: int) -> list[list[int]]:
    """Integer weights near a matrix; each row's largest weight takes up the slack."""
    table: list[list[int]] = []
    for row in matrix:
        whole = sum(map(Fraction, row))
        weights = [int(Fraction(p) / whole * total) for p in row]
        weights[weights.index(max(weights))] += total - sum(weights)
        table.append(weights)
    return table


def response(k: int, epsilon: float) -> list[list[float]]:
    return [[math.exp(epsilon * (i == j)) for j in range(k)] for i in range(k)]


def decaying(k: int, epsilon: float) -> list[list[float]]:
    return [[math.exp(-epsilon * abs(i - j)) for j in range(k)] for i in range(k)]


@pytest.mark.parametrize("epsilon", [1.0, 3.0])
@pytest.mark.parametrize("k", [2, 4, 16])
@pytest.mark.parametrize("total", [1 << 40, 10**18 + 9, 1 << 300], ids=int.bit_length)
def test_randomized_response_at_one_percent(
    alarm: Alarm, k: int, epsilon: float, total: int
) -> None:
    sampler = TableSampler(rounded(response(k, epsilon), total), total)

    def draw(n: int) -> list[int]:
        codes = uniform_below(k, n)
        out = sampler.draw(codes)
        joint = np.bincount(codes * k + out, minlength=k * k)
        return [int((out == codes).sum()), *joint.tolist()]

    def law(epsilon: float) -> list[float]:
        total = math.exp(epsilon) + k - 1
        joint = np.array(response(k, epsilon)) / total / k
        return [math.exp(epsilon) / total, *joint.ravel().tolist()]

    alarm.judge(draw, law(epsilon), [law(epsilon * 1.01), law(epsilon * 0.99)])


@pytest.mark.parametrize("k", [300, 600])
def test_keep_or_uniform_stands_in_for_large_tables(alarm: Alarm, k: int) -> None:
    total = 3**63
    other = rounded([response(k, 5.0)[0]], total)[0][1]
    table = np.full((k, k), other, dtype=object)
    np.fill_diagonal(table, total - (k - 1) * other)
    sampler = TableSampler(table, total)
    code = k - 2

    def draw(n: int) -> list[int]:
        out = sampler.draw(np.full(n, code))
        return [int(event.sum()) for event in (out == code, out < k // 3, out % 2, out == k - 1)]

    def law(epsilon: float) -> list[float]:
        total = math.exp(epsilon) + k - 1
        return [math.exp(epsilon) / total, k // 3 / total, k // 2 / total, 1 / total]

    alarm.judge(draw, law(5.0), [law(5.05), law(4.95)])


@pytest.mark.parametrize("total", [1 << 20, 10**30, 1 << 500], ids=int.bit_length)
def test_what_stands_in_for_a_large_table_has_its_weights(total: int) -> None:
    k = 300
    other = total // 450
    table = np.full((k, k), other, dtype=object)
    np.fill_diagonal(table, total - (k - 1) * other)
    stand_in = TableSampler(table, total)._keep
    assert stand_in is not None
    assert stand_in.keep + other == table[0, 0]
    assert Fraction(total - stand_in.keep, k) == other
    table[0, 1], table[0, 2] = other + 1, other - 1
    assert TableSampler(table, total)._keep is None


def test_keep_or_uniform_by_itself(alarm: Alarm) -> None:
    sampler = KeepOrUniform(5, 3**44, 2 * 3**44)

    def draw(n: int) -> NDArray[np.intp]:
        codes = uniform_below(5, n)
        return np.bincount(codes * 5 + sampler.draw(codes), minlength=25)

    def law(keep: float) -> NDArray[np.float64]:
        return (np.eye(5) * keep + (1 - keep) / 5).ravel() / 5

    alarm.judge(draw, law(0.5), [law(0.505), law(0.495)])


@pytest.mark.parametrize(("k", "epsilon"), [(16, 0.5), (16, 4.0), (200, 0.1)])
@pytest.mark.parametrize("total", [3**60, 1 << 6000], ids=int.bit_length)
def test_a_decaying_table_with_extreme_tails(
    alarm: Alarm, k: int, epsilon: float, total: int
) -> None:
    sampler = TableSampler(rounded(decaying(k, epsilon), total), total)
    middle = k // 2

    def law(epsilon: float) -> NDArray[np.float64]:
        row = np.array(decaying(k, epsilon)[middle])
        return np.array(row / row.sum())

    alarm.judge(
        lambda n: np.bincount(sampler.draw_row(middle, n), minlength=k),
        law(epsilon),
        [law(epsilon * 1.01), law(epsilon * 0.99)],
    )


@pytest.mark.parametrize(
    ("bits", "total"), [(None, 3**126), (1, 3**126), (4, 1 << 200), (8, 3**126), (16, 1 << 200)]
)
def test_an_arbitrary_table_entry_by_entry(alarm: Alarm, bits: int | None, total: int) -> None:
    matrix = np.random.default_rng().dirichlet(np.full(16, 0.5), size=16)
    sampler = TableSampler(rounded(matrix.tolist(), total), total, bits=bits)

    def draw(n: int) -> NDArray[np.intp]:
        codes = uniform_below(16, n)
        return np.bincount(codes * 16 + sampler.draw(codes), minlength=256)

    transposed = matrix.T / matrix.T.sum(axis=1, keepdims=True)
    alarm.judge(draw, matrix.ravel() / 16, [transposed.ravel() / 16, np.full(256, 1 / 256)])


@pytest.mark.parametrize(("total", "bits"), [(3, None), (9, None), (9, 1), (1000, 4), (31, 2)])
def test_a_total_that_no_power_of_two_divides_up(
    alarm: Alarm, total: int, bits: int | None
) -> None:
    """The truth has weights over the total; its neighbors moved one unit, the least there is."""
    row = [total // 3, total - 2 * (total // 3), total // 3]
    sampler = TableSampler([row], total, bits=bits)
    moved = [[row[0] + 1, row[1] - 1, row[2]], [row[0], row[1] + 1, row[2] - 1]]
    alarm.judge(
        lambda n: np.bincount(sampler.draw_row(0, n), minlength=3),
        [weight / total for weight in row],
        [[weight / total for weight in wrong] for wrong in moved],
    )
