"""TableSampler: P(y | x) = weights[x][y] / 2^k."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from noisewright.sampling import KeepOrUniform, TableSampler, uniform_below
from tests.distributions.alarm import Alarm


def rounded(matrix: list[list[float]], log2_total: int) -> list[list[int]]:
    """Integer weights near a matrix; each row's largest weight takes up the slack."""
    table: list[list[int]] = []
    for row in matrix:
        total = sum(map(Fraction, row))
        weights = [int(Fraction(p) / total * (1 << log2_total)) for p in row]
        weights[weights.index(max(weights))] += (1 << log2_total) - sum(weights)
        table.append(weights)
    return table


def response(k: int, epsilon: float) -> list[list[float]]:
    return [[math.exp(epsilon * (i == j)) for j in range(k)] for i in range(k)]


def decaying(k: int, epsilon: float) -> list[list[float]]:
    return [[math.exp(-epsilon * abs(i - j)) for j in range(k)] for i in range(k)]


@pytest.mark.parametrize("epsilon", [1.0, 3.0])
@pytest.mark.parametrize("k", [2, 4, 16])
@pytest.mark.parametrize("log2_total", [40, 64, 300])
def test_randomized_response_at_one_percent(
    alarm: Alarm, k: int, epsilon: float, log2_total: int
) -> None:
    sampler = TableSampler(rounded(response(k, epsilon), log2_total), log2_total)

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
    other = rounded([response(k, 5.0)[0]], 100)[0][1]
    table = np.full((k, k), other, dtype=object)
    np.fill_diagonal(table, (1 << 100) - (k - 1) * other)
    sampler = TableSampler(table, 100)
    code = k - 2

    def draw(n: int) -> list[int]:
        out = sampler.draw(np.full(n, code))
        return [int(event.sum()) for event in (out == code, out < k // 3, out % 2, out == k - 1)]

    def law(epsilon: float) -> list[float]:
        total = math.exp(epsilon) + k - 1
        return [math.exp(epsilon) / total, k // 3 / total, k // 2 / total, 1 / total]

    alarm.judge(draw, law(5.0), [law(5.05), law(4.95)])


@pytest.mark.parametrize("log2_total", [20, 100, 500])
def test_what_stands_in_for_a_large_table_has_its_weights(log2_total: int) -> None:
    k, total = 300, 1 << log2_total
    other = total // 450
    table = np.full((k, k), other, dtype=object)
    np.fill_diagonal(table, total - (k - 1) * other)
    stand_in = TableSampler(table, log2_total)._keep
    assert stand_in is not None
    assert stand_in.keep + other == table[0, 0]
    assert Fraction(total - stand_in.keep, k) == other
    table[0, 1], table[0, 2] = other + 1, other - 1
    assert TableSampler(table, log2_total)._keep is None


def test_keep_or_uniform_by_itself(alarm: Alarm) -> None:
    sampler = KeepOrUniform(5, 1 << 70, 71)

    def draw(n: int) -> NDArray[np.intp]:
        codes = uniform_below(5, n)
        return np.bincount(codes * 5 + sampler.draw(codes), minlength=25)

    def law(keep: float) -> NDArray[np.float64]:
        return (np.eye(5) * keep + (1 - keep) / 5).ravel() / 5

    alarm.judge(draw, law(0.5), [law(0.505), law(0.495)])


@pytest.mark.parametrize(("k", "epsilon"), [(16, 0.5), (16, 4.0), (200, 0.1)])
@pytest.mark.parametrize("log2_total", [90, 6000])
def test_a_decaying_table_with_extreme_tails(
    alarm: Alarm, k: int, epsilon: float, log2_total: int
) -> None:
    sampler = TableSampler(rounded(decaying(k, epsilon), log2_total), log2_total)
    middle = k // 2

    def law(epsilon: float) -> NDArray[np.float64]:
        row = np.array(decaying(k, epsilon)[middle])
        return np.array(row / row.sum())

    alarm.judge(
        lambda n: np.bincount(sampler.draw_row(middle, n), minlength=k),
        law(epsilon),
        [law(epsilon * 1.01), law(epsilon * 0.99)],
    )


@pytest.mark.parametrize("bits", [None, 1, 4, 8, 16])
def test_an_arbitrary_table_entry_by_entry(alarm: Alarm, bits: int | None) -> None:
    matrix = np.random.default_rng().dirichlet(np.full(16, 0.5), size=16)
    sampler = TableSampler(rounded(matrix.tolist(), 200), 200, bits=bits)

    def draw(n: int) -> NDArray[np.intp]:
        codes = uniform_below(16, n)
        return np.bincount(codes * 16 + sampler.draw(codes), minlength=256)

    transposed = matrix.T / matrix.T.sum(axis=1, keepdims=True)
    alarm.judge(draw, matrix.ravel() / 16, [transposed.ravel() / 16, np.full(256, 1 / 256)])
