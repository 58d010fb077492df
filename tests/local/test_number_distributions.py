"""Distributions of numbers in the local model: privacy, the channel, EM, and honest intervals."""

import math
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError, OutsideSpaceError, ParameterError
from noisewright.exact import Epsilon
from noisewright.local.families.windows import Windows
from noisewright.local.numbers.distribution import half_width
from noisewright.local.numbers.enclosing import quantile_ends, ramps
from noisewright.local.numbers.smoothing import most_likely_shares
from noisewright.local.numbers.window_channel import WindowChannel
from noisewright.local.randomizer import block_response
from tests.distributions.alarm import Alarm


def channel_and_matrix(
    values: int, width: int, stride: int, epsilon: float
) -> tuple[WindowChannel, np.ndarray[Any, Any]]:
    windows = Windows(values, width, stride)
    response = block_response(windows, Epsilon.of(epsilon))
    table = response.table()
    matrix = np.array([[int(w) / table.total for w in row] for row in table.weights])
    return WindowChannel(response, windows), matrix


@pytest.mark.parametrize("epsilon", ["1/2", 2])
def test_a_square_wave_is_private_as_a_whole_table(epsilon: Any) -> None:
    made = nw.local.distribution(nw.Counts(9), epsilon=epsilon)
    table = made.randomizer.table()
    assert nw.verify(table, epsilon=epsilon).holds
    assert not nw.verify(table, epsilon=float(Epsilon.of(epsilon)) * 0.999).holds
    assert made.certificate().guarantee == made.guarantee


def test_the_width_is_the_published_one() -> None:
    for epsilon in (0.002, 0.5, 1.0, 4.0):
        e = math.exp(epsilon)
        published = (epsilon * e - e + 1) / (2 * e * (e - 1 - epsilon))
        assert half_width(epsilon) == pytest.approx(published, rel=1e-6)
    assert half_width(1e-9) == pytest.approx(0.5)
    assert nw.local.distribution(nw.Counts(100), epsilon=1).windows.width == 51
    assert half_width(1e-3 - 1e-9) == pytest.approx(half_width(1e-3 + 1e-9), rel=1e-5)


@pytest.mark.parametrize(
    ("values", "width", "stride"), [(2, 1, 1), (7, 3, 1), (5, 4, 3), (9, 20, 2)]
)
def test_running_sums_do_what_the_matrix_does(values: int, width: int, stride: int) -> None:
    channel, matrix = channel_and_matrix(values, width, stride, 1)
    shares = np.arange(1.0, values + 1)
    outputs = np.arange(1.0, channel.outputs + 1) ** 2
    assert np.allclose(channel.push(shares), shares @ matrix)
    assert np.allclose(channel.pull(outputs), matrix @ outputs)
    functions = np.random.default_rng().random((values, 3))
    assert np.allclose(matrix @ channel.undo(functions), functions)


def test_reports_are_undone_on_the_finest_grid() -> None:
    """No digit that matters is lost: E[h | x] is φ(x), a sharp step, on 512 numbers."""
    made = nw.local.distribution(nw.Counts(511), epsilon=1)
    channel = WindowChannel(made.randomizer, made.windows)
    step = ramps(512, np.array([200]), 1)
    h = channel.undo(step)[:, 0]
    assert np.abs(channel.pull(h) - step[:, 0]).max() < 1e-8


def test_em_finds_the_most_likely_shares() -> None:
    """With expected counts for reports, these are the true shares; no neighbor is likelier."""
    channel, matrix = channel_and_matrix(5, 2, 1, 2)
    truth = np.array([0.1, 0.4, 0.05, 0.25, 0.2])
    counts = np.rint(1e9 * (truth @ matrix)).astype(np.int64)
    found = most_likely_shares(channel, counts, smooth=False, ratio=1e-3)
    assert np.abs(found - truth).max() < 1e-2
    best = float(counts @ np.log(found @ matrix))
    uniform = np.full(5, 0.2)
    assert best > float(counts @ np.log(uniform @ matrix))
    for other in np.eye(5):
        moved = 0.99 * found + 0.01 * other
        assert float(counts @ np.log(moved @ matrix)) < best + 1.0


def test_ramps_enclose_steps() -> None:
    for width in (1, 2, 5):
        for place in range(13):
            step = (np.arange(12) < place).astype(float)
            below, above = ramps(12, np.array([place, place + width - 1]), width).T
            assert (below <= step).all()
            assert (step <= above).all()


def test_quantiles_lie_where_bounds_allow() -> None:
    """With exact shares both ends are the quantile itself."""
    shares = np.array([0.1, 0.0, 0.4, 0.3, 0.2])
    below = np.concatenate([[0.0], np.cumsum(shares)])
    levels = np.array([0.05, 0.3, 0.6, 0.95])
    first, last = quantile_ends(below, below, levels)
    assert first.tolist() == last.tolist() == [0, 2, 3, 4]
    first, last = quantile_ends(below - 0.15, below + 0.15, levels)
    assert (first <= [0, 2, 3, 4]).all()
    assert (last >= [0, 2, 3, 4]).all()


def test_shares_come_near_a_smooth_distribution() -> None:
    """The distance of the distributions is some 0.005; 0.03 is far beyond what noise explains."""
    made = nw.local.distribution(nw.Interval(0, 1, step="0.002"), epsilon=1)
    values = np.round(np.random.default_rng().beta(5, 2, 100_000) * 500) / 500
    found = made.server().add(made.reports(values)).estimate()
    truth = np.cumsum(np.bincount(made.encode(values), minlength=made.bins)) / len(values)
    assert np.abs(np.cumsum(found.density) - truth).mean() < 0.03
    assert found.density.sum() == pytest.approx(1)
    assert found.numbers.size == found.density.size == made.bins
    assert abs(found.mean.value - values.mean()) < 7 * made.plan(people=100_000).standard_error
    assert "quantile" in repr(found)


@pytest.mark.parametrize("kind", ["spikes", "smooth"])
def test_intervals_cover_whatever_the_distribution_is(kind: str) -> None:
    """250 collections, intervals at 0.95 or more: fewer than 0.82 have 1e-12 (Chernoff), each."""
    made = nw.local.distribution(nw.Counts(79), epsilon=2)
    people = 1_500
    chance = np.random.default_rng()
    values = (
        chance.choice([20, 21, 79], people)
        if kind == "spikes"
        else chance.binomial(79, 0.6, people)
    )
    edges = np.arange(11) * 8
    shares = np.histogram(values, [*edges[:-1], 80])[0] / people
    levels = np.array([0.25, 0.5, 0.9])
    quantiles = np.sort(values)[np.ceil(levels * people).astype(int) - 1]
    hits = np.zeros(14)
    for _ in range(250):
        tally = made.randomizer.new_tally()
        made.randomizer.tally(made.randomizer.draw(values), tally)
        found = made.estimate_from(tally, people, bins=10, levels=levels.tolist())
        low, high = found.mean.interval
        hits[0] += low <= values.mean() <= high
        hits[1:4] += (found.quantiles.lows <= quantiles) & (quantiles <= found.quantiles.highs)
        hits[4:] += (found.shares.lows <= shares + 1e-12) & (shares <= found.shares.highs + 1e-12)
        assert (found.shares.lows <= found.shares.values).all()
    assert (hits >= 0.82 * 250).all()


def test_draws_have_the_law_of_the_table() -> None:
    """False alarms at 1e-12; windows that start one place off, or another ε, are told apart."""
    made = nw.local.distribution(nw.Counts(9), epsilon=2)
    wider = nw.local.distribution(nw.Counts(9), epsilon="2.4")
    assert made.windows == wider.windows
    rows = [np.array(one.randomizer.table().weights, dtype=float) for one in (made, wider)]
    laws = [one / one.sum(axis=1, keepdims=True) for one in rows]

    def draw(count: int) -> np.ndarray[Any, Any]:
        payload = made.randomizer.draw(np.full(count, 4))
        return np.bincount(payload, minlength=made.windows.outputs)

    Alarm().judge(draw, laws[0][4], [laws[0][3], laws[0][5], laws[1][4]])


def test_fine_grids_are_read_in_bins() -> None:
    made = nw.local.distribution(nw.Interval(0, 999_999, step=1), epsilon=4)
    assert (made.bins, made.group) == (512, 1_954)
    assert made.encode([0, 1_953, 1_954, 999_999]).tolist() == [0, 0, 1, 511]
    found = made.server().add(made.reports([500_000] * 5_000)).estimate(confidence=1 - 1e-11)
    low, high = found.mean.interval
    assert low <= 500_000 <= high
    assert "bins of 1,954" in found.mean.notes[0]
    middle = found.quantiles[0.5]
    assert middle.interval[0] <= 500_000 <= middle.interval[1]
    again = nw.local.open_collection(made.specification)
    assert again.digest == made.digest


def test_answers_have_the_bins_that_were_asked_for() -> None:
    made = nw.local.distribution(nw.Interval(0, 10, step="0.1"), epsilon=2)
    server = made.server().add(made.reports([1.0, 9.0] * 500))
    found = server.estimate(bins=[0, 2, 10], levels=[0.5])
    assert found.shares.axes[0].labels == ["0 to 1.9", "2 to 10"]
    assert found.quantiles.axes[0].labels == [0.5]
    assert found.shares.values.sum() == pytest.approx(1)
    few = nw.local.distribution(nw.Counts(3), epsilon=2)
    points = few.server().add(few.reports([0, 1, 2, 3] * 100)).estimate()
    assert list(points.shares.axes[0].labels) == [0, 1, 2, 3]
    for bins in (0, "many", [2, 1], [1, 2, 11], [0, 0.01, 0.02, 11], [0, 5]):
        with pytest.raises(ParameterError, match="bins"):
            server.estimate(bins=bins)
    for levels in ([], [0], [1.5]):
        with pytest.raises(ParameterError, match="levels"):
            server.estimate(levels=levels)
    with pytest.raises(ParameterError, match="method="):
        server.estimate(method="unbiased")


def test_plans_and_fakes() -> None:
    made = nw.local.distribution(nw.Counts(100), epsilon=1)
    plan = made.plan(people=10_000)
    assert plan.people_for(plan.standard_error) == pytest.approx(10_000, abs=1)
    assert made.plan(people=40_000).standard_error == pytest.approx(plan.standard_error / 2)
    assert made.plan(people=10**6).share_reach < plan.share_reach < 0.5
    assert plan.bytes_per_report == len(made.client().report(7))
    assert "10,000 people" in str(plan)
    with pytest.raises(ParameterError, match="above 0"):
        plan.people_for(-1)
    server = made.server().add(made.reports([30] * 5_000))
    found = server.robust(fakes=0.02)
    assert found.estimate.lows < server.estimate().mean.lows
    assert found.estimate.highs > server.estimate().mean.highs


def test_bad_input() -> None:
    made = nw.local.distribution(nw.Interval(0, 10, step=1), epsilon=1)
    with pytest.raises(OutsideSpaceError):
        made.reports([11])
    with pytest.raises(ParameterError, match="grid"):
        nw.local.distribution(nw.Categories(["a", "b"]), epsilon=1)  # pyright: ignore[reportArgumentType]
    server = made.server().add(made.reports([1]))
    with pytest.raises(InputError, match="one report"):
        server.estimate(about="population")
    assert server.estimate().mean.people == 1
