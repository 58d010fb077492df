"""Means, variances, histograms and quantiles of noisy numbers."""

import datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import (
    InputError,
    OutsideSpaceError,
    ParameterError,
    TooLargeError,
    UnidentifiableError,
)
from noisewright.estimation.channels.channel import _clamped_matrix, channel_of
from noisewright.estimation.channels.inverses import GeometricChannel
from noisewright.estimation.intervals.intervals import Sample
from noisewright.estimation.numbers.averages import averages, planned_variances, worst_variances
from noisewright.estimation.numbers.noisy_quantiles import (
    quantile_values,
    quantiles,
    ramps,
    soften,
)
from noisewright.estimation.numbers.number_estimates import answer_about_numbers
from tests.estimation.exact_expectations import over_all_outputs, over_all_people

GRID = nw.Interval(0, 3, step=1)
POINTS = np.arange(4.0)
MECHANISM = nw.randomized_response(GRID, epsilon=1)
TRUNCATED = nw.geometric(nw.Counts(3), epsilon=1)


def test_quantiles_of_several_releases_are_those_of_each() -> None:
    mechanism, points = nw.geometric(nw.Counts(40), epsilon=2), np.arange(41.0)
    channel, sample = channel_of(mechanism), Sample(500, "people", 0.95)
    levels = np.array([0.1, 0.25, 0.5, 0.75, 0.9])
    shares = np.random.default_rng(5).dirichlet(np.ones(41), size=12)
    found = quantile_values(shares, channel, points, levels, sample)
    alone = [quantiles(one, channel, points, levels, sample).values for one in shares]
    assert found.tolist() == np.array(alone).tolist()
    assert len({tuple(row) for row in found.tolist()}) > 6


@pytest.mark.parametrize("mechanism", [MECHANISM, TRUNCATED], ids=["response", "geometric"])
def test_means_are_unbiased_and_their_variances_too(mechanism: nw.Mechanism) -> None:
    channel = channel_of(mechanism)
    people = [0, 3, 3, 1]
    shares = np.bincount(people, minlength=4) / 4

    def value(counts: Any) -> Any:
        return averages(counts / 4, 4, channel, POINTS[:, None]).values

    def variance(counts: Any, about: Any) -> Any:
        rows = channel.undo(POINTS[:, None])
        observed = counts / counts.sum()
        if about == "people":
            return (observed @ rows**2 - observed @ channel.undo(POINTS[:, None] ** 2)) / 4
        return (observed @ rows**2 - (observed @ rows) ** 2) / (counts.sum() - 1)

    mean, true = over_all_outputs(mechanism.matrix, people, value)
    assert np.allclose(mean, shares @ POINTS)
    expected, _ = over_all_outputs(mechanism.matrix, people, lambda c: variance(c, "people"))
    assert np.allclose(expected, true)
    planned = planned_variances(shares, channel, POINTS[:, None], "people")
    assert np.allclose(planned / 4, true)

    mean, true = over_all_people(mechanism.matrix, shares, 4, value)
    expected, _ = over_all_people(mechanism.matrix, shares, 4, lambda c: variance(c, "population"))
    assert np.allclose(expected, true)
    planned = planned_variances(shares, channel, POINTS[:, None], "population")
    assert np.allclose(planned / 4, true)


def test_variances_are_unbiased() -> None:
    channel, people = channel_of(TRUNCATED), [0, 3, 3, 1]

    def value(counts: Any) -> Any:
        # Small samples give variances below zero; an average over all of them needs those too.
        sample = Sample(int(counts.sum()), "people")
        return answer_about_numbers(counts, channel, GRID, sample, of="variance").values

    def plain(counts: Any) -> Any:
        found = averages(counts / 4, 4, channel, np.stack([POINTS, POINTS**2], axis=1))
        mean = averages(counts / 4, 4, channel, POINTS[:, None])
        rows = channel.undo(POINTS[:, None])
        observed = counts / 4
        noise = (observed @ rows**2 - observed @ channel.undo(POINTS[:, None] ** 2)) / 4
        return found.values[1] - mean.values[0] ** 2 + noise

    expected, _ = over_all_outputs(TRUNCATED.matrix, people, plain)
    assert np.allclose(expected, np.var(people))
    # The estimate differs from the plain one only where the estimated noise is cut at zero.
    counts = np.array([3, 2, 4, 7])
    assert float(value(counts)) == pytest.approx(_variance_by_hand(counts, TRUNCATED.matrix))


def _variance_by_hand(counts: Any, matrix: Any) -> float:
    observed = counts / counts.sum()
    shares = np.linalg.solve(matrix.T, observed)
    mean = shares @ POINTS
    rows = np.linalg.solve(matrix, POINTS)
    noise = observed @ rows**2 - shares @ POINTS**2
    return float(shares @ POINTS**2 - mean**2 + noise / counts.sum())


@pytest.mark.parametrize("about", ["people", "population"])
def test_the_worst_shares_are_the_worst(about: Any) -> None:
    channel = channel_of(TRUNCATED)
    answers = np.stack([POINTS, (POINTS > 1) * 1.0], axis=1)
    worst = worst_variances(channel, answers, about)
    random = np.random.default_rng(5)
    corners = [
        *np.eye(4),
        *(np.eye(4)[a] / 2 + np.eye(4)[b] / 2 for a in range(4) for b in range(a)),
    ]
    tried = [*corners, *random.dirichlet(np.full(4, 0.3), size=2_000)]
    found = np.array([planned_variances(p, channel, answers, about) for p in tried])
    assert (found <= worst * (1 + 1e-9)).all()
    assert (found.max(axis=0) >= worst * 0.999).all()


def simulated(of: str, people: int, epsilon: float, releases: int) -> float:
    """How often the interval holds the truth, for wide noise on a grid of 21 numbers."""
    size = 21
    channel = GeometricChannel(
        size, float(np.exp(-epsilon / (size - 1))), float(-np.expm1(-epsilon / (size - 1)))
    )
    points = np.arange(size) / 2
    shares = np.exp(-(((points - 3) / 2) ** 2))
    shares /= shares.sum()
    random = np.random.default_rng(people)
    mean = shares @ points
    truth = {"mean": mean, "variance": shares @ (points - mean) ** 2}[of]
    hits = 0
    for _ in range(releases):
        found = answer_about_numbers(
            random.multinomial(people, channel.push(shares, 0)),
            channel,
            nw.Interval(0, 10, step=0.5),
            Sample(people, "population"),
            of=of,
        )
        hits += found.interval[0] <= truth <= found.interval[1]
    return hits / releases


@pytest.mark.parametrize("of", ["mean", "variance"])
@pytest.mark.parametrize("epsilon", [0.5, 3])
@pytest.mark.parametrize("people", [500, 50_000])
def test_intervals_of_means_cover(of: str, people: int, epsilon: float) -> None:
    assert 0.93 <= simulated(of, people, epsilon, 1_000) <= 0.97


def test_ramps_enclose_the_share_below() -> None:
    for width in (1, 2, 5):
        for t in range(12):
            below, above = ramps(12, [t, t + width - 1], width).T
            sharp = np.arange(12) <= t
            assert (below <= sharp).all()
            assert (sharp <= above).all()
    assert np.array_equal(ramps(4, [1], 1)[:, 0], [1, 1, 0, 0])


@pytest.mark.parametrize("width", [1, 2, 5, 30])
def test_softened_bins_enclose_sharp_ones(width: int) -> None:
    for first in range(12):
        for last in range(first, 12):
            sharp = (np.arange(12) >= first) & (np.arange(12) <= last)
            inner, outer = soften(sharp, width)
            assert (inner <= sharp + 1e-12).all()
            assert (sharp <= outer + 1e-12).all()
            assert inner.min() >= 0
            assert outer.max() <= 1
            if width == 1:
                assert np.array_equal(inner, sharp)
                assert np.array_equal(outer, sharp)


LINE = nw.Interval(0, 50, step=1)


@pytest.mark.parametrize("form", ["unbounded", "truncated", "bounded"])
def test_laplace_noise_in_every_form(form: Any) -> None:
    mechanism = nw.laplace(LINE, epsilon=4, form=form)
    random = np.random.default_rng(6)
    truth = np.rint(random.beta(2, 4, 3_000_000) * 50)
    released = mechanism.sample(truth, source=nw.randomness.SeededSource(5))
    mean = nw.estimate(released, mechanism, about="people")
    assert mean.what == "mean"
    assert abs(mean.value - truth.mean()) <= 5 * mean.standard_error
    assert mean.standard_error <= 0.2
    spread = nw.estimate(pa.array(released), mechanism, of="variance", about="people")
    assert abs(spread.value - truth.var()) <= 5 * spread.standard_error
    edges = [0, 10, 25, 50]
    exact = np.histogram(truth, edges)[0] / len(truth)
    for method in ("likelihood", "unbiased"):
        bins = nw.estimate(
            released,
            mechanism,
            of="histogram",
            at=edges,
            about="people",
            method=method,
            together=True,
        )
        assert ((bins.lows <= exact) & (exact <= bins.highs)).all()
    likely = nw.estimate(released, mechanism, of="histogram", at=edges, method="likelihood")
    assert (np.abs(likely.values - exact) <= 5 * likely.standard_errors).all()
    assert np.abs(likely.values - exact).max() <= 0.1
    assert (likely.highs - likely.lows).max() <= 0.6


def test_clamping_laplace_noise_loses_nothing() -> None:
    """Outputs beyond an end all have the same ratios between inputs, and the end has them too."""
    mechanism = nw.laplace(LINE, epsilon=4)
    released = np.array([-20.0, -1, 0, 3, 49, 50, 51, 99])
    clamped = nw.estimate(np.clip(released, 0, 50), mechanism, of="shares", about="people")
    whole = nw.estimate(released, mechanism, of="shares", about="people")
    assert np.array_equal(whole.values, clamped.values)
    assert np.array_equal(
        whole.values,
        nw.estimate(dict.fromkeys(released.tolist(), 1), mechanism, of="shares").values,
    )
    rows = np.array([channel_of(mechanism).push(row, 0) for row in np.eye(51)])
    assert np.allclose(rows, _clamped_matrix(mechanism), atol=1e-12)
    assert np.allclose(rows, nw.laplace(LINE, epsilon=4, form="truncated", table=True).matrix)


def test_numbers_off_the_lattice() -> None:
    mechanism = nw.laplace(LINE, epsilon=4)
    with pytest.raises(OutsideSpaceError, match=r"row 2 is not an output.*lattice"):
        nw.estimate([1.0, 1.5], mechanism)
    with pytest.raises(OutsideSpaceError, match="empty"):
        nw.estimate(pa.array([1.0, None]), mechanism)
    with pytest.raises(OutsideSpaceError, match="row 1"):
        nw.estimate([float("nan")], mechanism)
    with pytest.raises(OutsideSpaceError, match="numbers"):
        nw.estimate(["x"], mechanism)
    huge = nw.laplace(nw.Interval(0, 10**7, step=1), epsilon=1)
    with pytest.raises(TooLargeError):
        nw.estimate([1.0], huge, of="quantiles")
    with pytest.raises(OutsideSpaceError, match="row 2"):
        nw.estimate([1.0, 1.5], huge)
    found = nw.planning.epsilon_for(LINE, target=0.5, people=2_000, about="people")
    assert found.expected.standard_error == pytest.approx(0.5, rel=1e-4)


def test_a_mean_on_a_grid_too_fine_for_shares() -> None:
    mechanism = nw.laplace(nw.Interval(0, 10**7, step=1), epsilon=1)
    truth = np.random.default_rng(7).integers(0, 10**7, 5_000)
    released = mechanism.sample(truth, source=nw.randomness.SeededSource(6))
    found = nw.estimate(released, mechanism, about="people")
    assert found.value == pytest.approx(np.mean(released))
    assert found.standard_error == pytest.approx(2**0.5 * 1e7 / 5_000**0.5, rel=1e-6)
    assert abs(found.value - truth.mean()) <= 5 * found.standard_error
    wider = nw.estimate(released, mechanism)
    assert wider.standard_error == pytest.approx(np.std(released, ddof=1) / 5_000**0.5)


def test_the_rows_of_a_database_are_released_by_the_mechanism_of_one_row() -> None:
    rows = MECHANISM**3
    released = rows.sample([0.0, 1.0, 3.0], source=nw.randomness.SeededSource(7))
    assert nw.estimate(released, rows, about="people").value == pytest.approx(
        nw.estimate(released, MECHANISM, about="people").value
    )


def test_laplace_columns_of_a_table() -> None:
    mechanism = nw.combine.product(
        age=nw.laplace(nw.Interval(0, 4, step=1), epsilon=4),
        color=nw.randomized_response(nw.Categories(["red", "blue"]), epsilon=1),
    )
    released = {"age": [-3.0, 2, 4, 9], "color": ["red", "blue", "red", "red"]}
    found = nw.estimate(released, mechanism, of="pairs")
    assert found["age", "color"].values.shape == (5, 2)
    assert found["age"].values.sum() == pytest.approx(1)


@pytest.mark.parametrize("method", ["unbiased", "likelihood"])
def test_quantiles_of_many_people(method: str) -> None:
    ages = nw.Counts(20)
    mechanism = nw.geometric(ages, epsilon=0.3)
    random = np.random.default_rng(8)
    truth = random.binomial(20, 0.4, 20_000)
    released = mechanism.sample(truth, source=nw.randomness.SeededSource(1))
    levels = [0.1, 0.5, 0.9]
    found = nw.estimate(released, mechanism, of="quantiles", at=levels, method=method)
    expected = np.quantile(truth, levels, method="inverted_cdf")
    assert ((found.lows <= expected) & (expected <= found.highs)).all()
    assert np.abs(found.values - expected).max() <= 2
    assert (found.highs - found.lows).max() <= 8
    assert ((found.lows <= found.values) & (found.values <= found.highs)).all()


@pytest.mark.parametrize("step", ["day", "month", "hour"])
def test_quantiles_of_dates_are_dates(step: str) -> None:
    space = nw.Dates("2024-01-01", "2024-03-01", step=step)
    exact = nw.randomized_response(space, epsilon=40)
    released = space.decode(np.arange(space.size))
    found = nw.estimate(released, exact, of="quantiles", about="people")
    assert found.value.dtype == released.dtype
    assert found.value.tolist() == space.dates_at(found.values).tolist()
    assert found.value.tolist() == [found[level].value for level in (0.25, 0.5, 0.75)]
    assert abs(found.value[1] - released[(space.size - 1) // 2]) <= np.timedelta64(1, "D")
    lows, highs = found.interval
    assert (lows <= found.value).all()
    assert (found.value <= highs).all()
    middle = nw.estimate(released, exact, of="quantiles", at=0.5, about="people")
    assert isinstance(middle.value, datetime.date)
    assert (middle.value, middle.interval) == (found[0.5].value, found[0.5].interval)


def test_one_level_has_one_value() -> None:
    found = nw.estimate({0: 30, 1: 28, 2: 22, 3: 20}, MECHANISM, of="quantiles", at=0.5)
    assert (found.value, found.interval) == (found[0.5].value, found[0.5].interval)
    several = nw.estimate({0: 30, 1: 28, 2: 22, 3: 20}, MECHANISM, of="quantiles")
    with pytest.raises(InputError, match="3 answers"):
        _ = several.value


def test_a_histogram_is_made_of_sums_of_shares() -> None:
    counts = {0: 30, 1: 28, 2: 22, 3: 20}
    shares = nw.estimate(counts, MECHANISM, of="shares")
    found = nw.estimate(counts, MECHANISM, of="histogram", at=[0, 2, 3])
    assert np.allclose(found.values, [shares.values[:2].sum(), shares.values[2:].sum()])
    assert list(found.axes[0].labels) == ["[0, 2)", "[2, 3]"]
    likely = nw.estimate(counts, MECHANISM, of="histogram", at=[0, 2, 3], method="likelihood")
    assert np.allclose(likely.values, found.values, atol=1e-3)
    assert len(nw.estimate(counts, MECHANISM, of="histogram").values) == 4


def test_a_mean_may_be_told_where_shares_cannot() -> None:
    """Numbers 0, 1, 2 as a coin with bias x/2: the mean is known, the shares are not."""
    coin = nw.from_matrix(nw.Counts(2), [[1, 0], ["1/2", "1/2"], [0, 1]], outputs=nw.Counts(1))
    found = nw.estimate({0: 30, 1: 70}, coin, of="mean")
    assert found.value == pytest.approx(1.4)
    with pytest.raises(UnidentifiableError):
        nw.estimate({0: 30, 1: 70}, coin)
    with pytest.raises(UnidentifiableError):
        nw.estimate({0: 30, 1: 70}, coin, of="variance")


def test_what_numbers_cannot_answer() -> None:
    cases: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"of": "median"}, InputError, "'quantiles'"),
        ({"of": "quantiles", "at": [0.5, 1]}, ParameterError, "between 0 and 1"),
        ({"of": "histogram", "at": [0, 1]}, ParameterError, "hold all numbers"),
        ({"of": "histogram", "at": [3, 0]}, ParameterError, "rising"),
        ({"of": "mean", "at": [1]}, InputError, "a mean needs none"),
        ({"of": "shares", "at": [1]}, InputError, "shares need none"),
        ({"of": "mean", "method": "likelihood"}, ParameterError, "without bias"),
        ({"of": "quantiles", "method": "projected"}, ParameterError, "'likelihood'"),
    ]
    for given, kind, message in cases:
        with pytest.raises(kind, match=message):
            nw.estimate([0, 1, 2], MECHANISM, **given)
    with pytest.raises(ParameterError, match="about='people'"):
        nw.estimate([1], MECHANISM, of="mean")
    assert nw.estimate([1], MECHANISM, of="mean", about="people").people == 1
    with pytest.raises(InputError, match="'shares'"):
        nw.estimate(["a"], nw.randomized_response(nw.Categories(["a", "b"]), epsilon=1), of="mean")
