"""Unbiased shares and their variances, against every possible release of a few people."""

from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.estimation.channels.channel import (
    Channel,
    DenseChannel,
    ResponseChannel,
    channel_of,
    joint_second_moments,
)
from noisewright.estimation.intervals.intervals import Sample
from noisewright.estimation.intervals.spread import spread
from noisewright.estimation.result import Axis
from noisewright.estimation.shares.share_estimates import shares_from_counts
from tests.estimation.exact_expectations import dense, over_all_outputs, over_all_people

COLORS = nw.Categories(["red", "green", "blue"])

MECHANISMS = {
    "response": nw.randomized_response(COLORS, epsilon=1),
    "response by formula": nw.randomized_response(COLORS, epsilon=1, table=False),
    "geometric": nw.geometric(nw.Counts(2), epsilon=0.7),
    "geometric by formula": nw.geometric(nw.Counts(2), epsilon=0.7, table=False),
    "more outputs than inputs": nw.from_matrix(
        nw.Categories(["no", "yes"]),
        [["1/2", "1/4", "1/4"], ["1/8", "1/8", "3/4"]],
        outputs=["a", "b", "c"],
    ),
}


def matrix_of(mechanism: nw.Mechanism) -> Any:
    """The probabilities, for looking at; a formula is asked for each input by itself."""
    channel = channel_of(mechanism)
    return np.array([channel.push(row, 0) for row in np.eye(channel.inputs)])


def estimated(channels: list[Channel], counts: Any, about: str = "people") -> nw.results.Estimate:
    axes = tuple(Axis(f"c{i}", range(c.inputs)) for i, c in enumerate(channels))
    shaped = np.asarray(counts).reshape([channel.outputs for channel in channels])
    asked: Any = about
    return shares_from_counts(shaped, channels, axes, Sample(int(shaped.sum()), asked))


@pytest.mark.parametrize("name", sorted(MECHANISMS))
def test_shares_are_unbiased_and_their_variances_exact(name: str) -> None:
    channel = channel_of(MECHANISMS[name])
    matrix = matrix_of(MECHANISMS[name])
    people = [0, 1, 1, 0] if channel.inputs == 2 else [0, 1, 1, 2]
    shares = np.bincount(people, minlength=channel.inputs) / len(people)

    def answer(counts: Any) -> Any:
        return estimated([channel], counts).values

    mean, variance = over_all_outputs(matrix, people, answer)
    assert np.allclose(mean, shares, atol=1e-12)
    assert np.allclose(variance, spread(shares, [channel]).variances("people") / len(people))
    mean, variance = over_all_people(matrix, shares, 3, answer)
    assert np.allclose(mean, shares, atol=1e-12)
    assert np.allclose(variance, spread(shares, [channel]).variances("population") / 3)


def test_joint_shares_are_those_of_the_one_large_matrix() -> None:
    parts = [MECHANISMS["response"], MECHANISMS["more outputs than inputs"]]
    channels = [channel_of(part) for part in parts]
    matrix = dense([matrix_of(part) for part in parts])
    people = [0, 5, 3]
    shares = np.bincount(people, minlength=6) / 3

    def answer(counts: Any) -> Any:
        return estimated(channels, counts).values.reshape(-1)

    mean, variance = over_all_outputs(matrix, people, answer)
    assert np.allclose(mean, shares, atol=1e-12)
    expected = spread(shares.reshape(3, 2), channels)
    assert np.allclose(variance, expected.variances("people").reshape(-1) / 3)
    second = expected.own * expected.at + expected.others * (1 - expected.at)
    assert np.allclose(second, expected.second)


def test_three_columns_against_the_dense_inverse() -> None:
    table = nw.geometric(nw.Counts(3), epsilon=1)
    parts = [table, MECHANISMS["response"], nw.geometric(nw.Counts(4), epsilon=2, table=False)]
    channels = [channel_of(part) for part in parts]
    matrix = dense([matrix_of(part) for part in parts])
    counts = np.random.default_rng(1).integers(0, 50, matrix.shape[1])
    found = estimated(channels, counts).values
    assert np.allclose(found.reshape(-1), np.linalg.solve(matrix.T, counts / counts.sum()))
    assert np.allclose(found.sum(), 1)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 4])
def test_a_formula_does_what_its_table_does(epsilon: float) -> None:
    values = np.random.default_rng(2).random((4, 12, 3))
    counts = nw.Counts(11)
    pairs = [
        (nw.geometric(counts, epsilon=epsilon), nw.geometric(counts, epsilon=epsilon, table=False)),
        (
            nw.randomized_response(counts, epsilon=epsilon),
            nw.randomized_response(counts, epsilon=epsilon, table=False),
        ),
    ]
    for table, formula in pairs:
        plain, structured = DenseChannel(table.matrix), channel_of(formula)
        assert not isinstance(structured, DenseChannel)
        for step in ("push", "pull", "solve"):
            slow, fast = getattr(plain, step)(values, 1), getattr(structured, step)(values, 1)
            assert np.allclose(slow, fast, rtol=1e-7, atol=1e-9 * np.abs(slow).max())
        for power in (2, 3):
            slow = plain.solve_powers(values, 1, power)
            assert np.allclose(slow, structured.solve_powers(values, 1, power), rtol=1e-7)
        slow, fast = plain.second_moments(), structured.second_moments()
        assert np.allclose(slow[0], fast[0], rtol=1e-7)
        assert (fast[1] <= slow[1] * (1 + 1e-9)).all()
        assert (fast[2] >= slow[2] * (1 - 1e-9)).all()


def test_second_moments_of_cells_are_bounded_by_those_of_columns() -> None:
    parts = [MECHANISMS["geometric"], MECHANISMS["response"], nw.geometric(nw.Counts(1), epsilon=1)]
    channels = [channel_of(part) for part in parts]
    own, least, most = joint_second_moments(channels)
    rows = dense([matrix_of(part) for part in parts])
    moments = rows @ np.linalg.inv(rows) ** 2
    assert np.allclose(own.reshape(-1), np.diagonal(moments))
    elsewhere = np.where(np.eye(len(rows), dtype=bool), np.nan, moments)
    assert np.allclose(least.reshape(-1), np.nanmin(elsewhere, axis=0))
    assert np.allclose(most.reshape(-1), np.nanmax(elsewhere, axis=0))


def test_randomized_response_is_recognized_by_its_integers() -> None:
    table = nw.randomized_response(COLORS, epsilon=1)
    assert isinstance(channel_of(table), ResponseChannel)
    weights = table.weights.copy()
    weights[0, 1] += 1
    weights[0, 2] -= 1
    almost = nw.from_matrix(COLORS, [[f"{w}/{table.total}" for w in row] for row in weights])
    assert isinstance(channel_of(almost), DenseChannel)


def test_without_noise_the_interval_is_wilsons() -> None:
    identity = nw.from_matrix(nw.Categories(["no", "yes"]), [[1, 0], [0, 1]])
    found = nw.estimate({"no": 370, "yes": 30}, identity)
    assert found["yes"].interval == pytest.approx(_wilson(30 / 400, 400), rel=1e-9)
    # Of three people one is a third: half of one on each side, as Yates has it, or a little less.
    few, (low, high) = nw.estimate({"no": 37, "yes": 3}, identity), _wilson(3 / 40, 40)
    assert few["yes"].interval[0] < low
    assert high < few["yes"].interval[1]
    assert _wilson(2.5 / 40, 40)[0] <= few["yes"].interval[0]
    assert few["yes"].interval[1] <= _wilson(3.5 / 40, 40)[1]
    p = 3 / 40
    exact = nw.estimate({"no": 37, "yes": 3}, identity, about="people")
    assert exact["yes"].interval == pytest.approx((p, p))
    assert exact["yes"].standard_error == 0


def _wilson(p: float, n: int) -> tuple[float, float]:
    z = 1.959963984540054
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return middle - reach, middle + reach
