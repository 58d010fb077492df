"""Means in the local model: exact laws, privacy of the whole table, errors as stated."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.checker.blocks import prove_blocks
from noisewright.checker.claim import PrivacyClaim, read_epsilon_delta
from noisewright.checker.report import NotProvenError
from noisewright.errors import InputError, OutsideSpaceError, ParameterError
from noisewright.exact import Epsilon
from noisewright.local import MeanCollection
from noisewright.local.families.ends import Ends
from noisewright.local.families.family import ByteStream
from noisewright.local.families.summed import SummedWindows, sums_in
from noisewright.local.families.windows import Windows
from noisewright.local.numbers.moments import Contribution, MeanLaw
from noisewright.local.randomizer import BlockResponse, block_response
from noisewright.sampling import SeededSource
from tests.distributions.alarm import Alarm

METHODS = ("duchi", "piecewise", "hybrid")
EPSILONS = (0.5, 1, 2, 4)


def responses(made: MeanCollection) -> list[tuple[BlockResponse, Contribution, Fraction]]:
    ways: Any = made.randomizer
    parts = getattr(ways, "parts", (ways,))
    return list(zip(parts, made.law.parts, made.law.chances, strict=True))


def rows(response: BlockResponse) -> list[list[Fraction]]:
    table = response.table()
    return [[Fraction(int(w), table.total) for w in row] for row in table.weights]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("points", [2, 3, 4, 9])
@pytest.mark.parametrize("epsilon", ["1/4", 1, 3])
def test_reports_are_unbiased_and_vary_as_the_law_says(
    method: str, points: int, epsilon: Any
) -> None:
    """By the sum over all outputs, in rationals."""
    made = nw.local.mean(nw.Counts(points - 1), epsilon=epsilon, method=method)
    assert sum(made.law.chances) == 1
    variances: list[Fraction] = []
    for code in range(points):
        first = second = Fraction(0)
        for response, part, chance in responses(made):
            for output, p in enumerate(rows(response)[code]):
                first += chance * p * part.value(output)
                second += chance * p * part.value(output) ** 2
        assert first == code
        assert second - first**2 == made.law.variance(code)
        variances.append(second - first**2)
    assert max(variances) == made.law.worst


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("epsilon", ["1/4", 1, 3])
def test_every_way_to_report_is_private_as_a_whole_table(method: str, epsilon: Any) -> None:
    """Numbers that are rounded at random have rows that are mixtures; these are looked through."""
    made = nw.local.mean(nw.Counts(6), epsilon=epsilon, method=method)
    for response, _, _ in responses(made):
        table = response.table()
        assert nw.verify(table, epsilon=epsilon).holds
        assert not nw.verify(table, epsilon=float(Fraction(epsilon)) * 0.999).holds
    assert made.certificate().guarantee == made.guarantee


def test_the_checker_refuses_a_coin_that_is_too_good() -> None:
    response = block_response(Ends(7), Epsilon.of(1))
    part = response.describe()
    epsilon, delta = read_epsilon_delta(response.guarantee.describe())
    claim = PrivacyClaim(part, {"relation": "replace"}, epsilon, delta)
    assert "2 outputs" in " ".join(map(str, prove_blocks(claim)))
    forged = {**part, "keep": f"{response.keep + 1:x}"}
    with pytest.raises(NotProvenError):
        list(prove_blocks(replace(claim, mechanism=forged)))


def test_rows_of_rounded_numbers_are_mixtures_of_the_rows_of_the_ends() -> None:
    response = block_response(Ends(5), Epsilon.of(1))
    found = rows(response)
    low, high = found[0], found[-1]
    for code, row in enumerate(found):
        share = Fraction(code, 4)
        assert row == [(1 - share) * a + share * b for a, b in zip(low, high, strict=True)]
    assert high[1] == response.own


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_published_variances_are_met_or_beaten(epsilon: float) -> None:
    """Those of Duchi et al. and of Wang et al., on [−1, 1]; the grid is fine."""
    e, root, last = math.exp(epsilon), math.exp(epsilon / 2), 10_000
    scale = 4 / last**2
    worst: dict[str, float] = {}
    for method in METHODS:
        law = nw.local.mean(nw.Counts(last), epsilon=epsilon, method=method).law
        worst[method] = scale * float(law.worst)
    duchi = nw.local.mean(nw.Counts(last), epsilon=epsilon, method="duchi").law
    for code in (0, 2_500, 5_000, 9_000):
        t = 2 * code / last - 1
        assert scale * float(duchi.variance(code)) == pytest.approx(
            ((e + 1) / (e - 1)) ** 2 - t**2, rel=1e-6
        )
    windows = Windows(last + 1, round(last / root), 1)
    part = Contribution.of(block_response(windows, Epsilon.of(epsilon)))
    published = MeanLaw((part,), (Fraction(1),), last)
    for code in (0, 2_500, 5_000, 9_000):
        t = 2 * code / last - 1
        formula = t**2 / (root - 1) + (root + 3) / (3 * (root - 1) ** 2)
        assert scale * float(published.variance(code)) == pytest.approx(formula, rel=1e-3)
    assert worst["piecewise"] <= scale * float(published.worst)
    share = 1 - math.exp(-epsilon / 2) if epsilon > 0.61 else 0.0
    mixed = share * (root + 3) / (3 * (root - 1) ** 2) + (1 - share) * ((e + 1) / (e - 1)) ** 2
    assert worst["hybrid"] <= mixed * 1.0001
    best = nw.local.mean(nw.Counts(last), epsilon=epsilon)
    assert scale * float(best.law.worst) == min(worst.values())


@pytest.mark.parametrize("last", [1, 2, 3, 5])
def test_no_other_width_or_stride_is_better_on_a_small_grid(last: int) -> None:
    epsilon = Epsilon.of(1)
    found = nw.local.mean(nw.Counts(last), epsilon=1, method="piecewise").law.worst
    for stride in range(1, 9):
        for width in range(1, 4 * last * stride):
            part = Contribution.of(block_response(Windows(last + 1, width, stride), epsilon))
            assert found <= MeanLaw((part,), (Fraction(1),), last).worst


def test_the_choice_says_why() -> None:
    small = nw.local.mean(nw.Interval(0, 1, step="0.01"), epsilon="0.3")
    assert small.method == "duchi"
    assert "least variance" in small.why
    large = nw.local.mean(nw.Interval(0, 1, step="0.01"), epsilon=2)
    assert large.method == "hybrid"
    assert "duchi is 1.7" in large.why
    asked = nw.local.mean(nw.Counts(9), epsilon="0.3", method="hybrid")
    assert isinstance(asked.randomizer, BlockResponse)
    assert "Duchi's alone" in asked.why


@pytest.mark.parametrize("points", [2, 3, 101, 10**6])
@pytest.mark.parametrize("method", METHODS)
def test_coarse_and_fine_grids(points: int, method: str) -> None:
    """Variances within 5% of the law: for 100,000 reports, 6.7 standard deviations or more."""
    made = nw.local.mean(nw.Counts(points - 1), epsilon=2, method=method)
    server = made.server()
    for code in (0, points // 2):
        payload = made.randomizer.draw(np.full(100_000, code))
        tally = made.randomizer.new_tally()
        made.randomizer.tally(payload, tally)
        reading = made.read(tally, 100_000)
        variance = float(made.law.variance(code))
        assert abs(reading.first - code) < 7 * math.sqrt(variance / 100_000)
        assert reading.second - reading.first**2 == pytest.approx(variance, rel=0.05)
        server.add(nw.local.Reports(made, payload))
    assert server.people == 200_000
    assert abs(server.estimate().value - points // 2 / 2) < 0.1 * points


def test_sums_of_large_outputs_are_exact() -> None:
    windows = SummedWindows(1 << 20, 1 << 31, 1 << 10)
    outputs = np.array([0, 1, windows.outputs - 1, (1 << 31) + 12345] * 40_000, dtype=np.uint32)
    tally = windows.new_tally()
    windows.tally(outputs, tally)
    exact = [int(one) for one in outputs[:4]]
    assert sums_in(tally) == (40_000 * sum(exact), 40_000 * sum(one**2 for one in exact))
    with pytest.raises(ParameterError, match="2\\^32"):
        SummedWindows(1 << 20, 1 << 31, 1 << 12)
    with pytest.raises(ParameterError, match="single numbers"):
        windows.supports(tally)


@pytest.mark.parametrize("method", METHODS)
def test_draws_have_the_law_of_the_table(method: str) -> None:
    """False alarms at 1e-12 a test; a number beside it and another ε are told apart."""
    made = nw.local.mean(nw.Counts(4), epsilon=1, method=method)
    other = nw.local.mean(nw.Counts(4), epsilon="1.3", method=method)

    def law(one: MeanCollection, code: int) -> np.ndarray[Any, Any]:
        parts = [float(c) * np.array(rows(r)[code], dtype=float) for r, _, c in responses(one)]
        return np.concatenate(parts)

    def draw(count: int) -> np.ndarray[Any, Any]:
        payload = made.randomizer.draw(np.full(count, 3))
        if isinstance(made.randomizer, BlockResponse):
            return np.bincount(payload, minlength=made.randomizer.family.outputs)
        ways = made.randomizer
        sizes = [one.family.outputs for one, _, _ in responses(made)]
        found = [np.bincount(ways.payloads(payload, i), minlength=k) for i, k in enumerate(sizes)]
        return np.concatenate(found)

    wrong = [law(made, 2), law(made, 4)]
    if law(other, 3).shape == law(made, 3).shape:
        wrong.append(law(other, 3))
    Alarm().judge(draw, law(made, 3), wrong)


@pytest.mark.parametrize("points", [2, 5])
def test_one_client_draws_what_many_do(points: int) -> None:
    """False alarms at 1e-12."""
    response = block_response(Ends(points), Epsilon.of(1))
    stream = ByteStream(SeededSource(7))
    count = 20_000
    ups = sum(response.draw_one(1, stream)[0] for _ in range(count))
    truth = float(rows(response)[1][1])
    assert Alarm().accepts([count - ups, ups], count, [1 - truth, truth])


@pytest.mark.parametrize(
    ("method", "epsilon", "about"),
    [
        ("duchi", 4, "population"),
        ("piecewise", 2, "people"),
        ("hybrid", 1, "people"),
    ],
)
def test_intervals_cover(method: str, epsilon: float, about: str) -> None:
    """2,500 collections of 400 people; from 0.945 to 0.96, these limits have 2e-11 (Chernoff)."""
    made = nw.local.mean(nw.Interval(-1, 1, step="0.05"), epsilon=epsilon, method=method)
    people, times = 400, 2_500
    chance = np.random.default_rng()
    codes = chance.binomial(40, 0.4, people) if about == "people" else None
    truth = -1 + 0.05 * (16 if codes is None else float(codes.mean()))
    everybody = chance.binomial(40, 0.4, people * times) if codes is None else np.tile(codes, times)
    payload = made.randomizer.draw(everybody)
    hits, errors, values = 0, [], []
    for start in range(0, people * times, people):
        tally = made.randomizer.new_tally()
        made.randomizer.tally(payload[start : start + people], tally)
        found = made.estimate_from(tally, people, about=about)
        low, high = found.interval
        hits += low <= truth <= high
        errors.append(found.standard_error)
        values.append(found.value)
        assert low >= -1 or low == found.value
    assert 0.91 <= hits / times <= 0.985
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.1)


def test_one_bit_allows_for_numbers_that_are_all_alike() -> None:
    """Nobody can tell ones and zeros from halves by one bit: intervals are for the worse."""
    made = nw.local.mean(nw.Counts(100), epsilon=4, method="duchi")
    halves = made.server().add(made.reports([50] * 1000)).estimate().standard_error
    ends = made.server().add(made.reports([0, 100] * 500)).estimate().standard_error
    assert ends == pytest.approx(halves, rel=0.02)


def test_two_points_leave_no_doubt_about_noise() -> None:
    """Zeros and ones are their own squares: one bit tells their noise."""
    made = nw.local.mean(nw.Counts(1), epsilon=2, method="duchi")
    found = made.server().add(made.reports([0, 1] * 5_000)).estimate()
    assert found.standard_error == pytest.approx(made.plan(people=10_000).standard_error)


@pytest.mark.parametrize("epsilon", ["1e-6", 40, 800])
@pytest.mark.parametrize("points", [2, 3, 1_000])
def test_extreme_epsilons(epsilon: Any, points: int) -> None:
    made = nw.local.mean(nw.Counts(points - 1), epsilon=epsilon)
    assert made.certificate().guarantee == made.guarantee
    found = made.server().add(made.reports([0, points - 1] * 50)).estimate()
    assert np.isfinite(found.value)
    assert epsilon == "1e-6" or abs(found.value - (points - 1) / 2) < 0.01


def test_plans() -> None:
    made = nw.local.mean(nw.Interval(0, 10, step="0.5"), epsilon=1)
    plan = made.plan(people=10_000)
    assert plan.standard_error == pytest.approx(0.5 * math.sqrt(float(made.law.worst) / 10_000))
    assert plan.people_for(plan.standard_error * 1.000001) <= 10_000
    assert plan.people_for(plan.standard_error / 2) == pytest.approx(40_000, abs=1)
    assert plan.bytes_per_report == len(made.client().report(3.5))
    assert "10,000 people" in str(plan)
    whole = made.plan(people=10_000, about="population")
    assert plan.standard_error < whole.standard_error
    # No distribution has a larger variance about a population: those on the ends and the middle.
    c0, c1, c2 = map(float, made.law.squares)
    for share in np.linspace(0, 1, 11):
        for x in (20, 10, 5):
            first, second = share * x, share * x**2
            assert c0 + c1 * first + c2 * second - first**2 <= whole.variance / 0.25 * (1 + 1e-12)
    with pytest.raises(ParameterError, match="above 0"):
        plan.people_for(0)


@pytest.mark.parametrize("method", METHODS)
def test_fakes_cannot_leave_the_interval(method: str) -> None:
    made = nw.local.mean(nw.Counts(100), epsilon=1, method=method)
    codes = np.full(9_500, 30)
    honest = made.server().add(made.reports(codes))
    gains: list[float] = []
    for extreme in (0, -1):
        server = made.server().merge(honest)
        reports = made.reports(np.full(60_000, -extreme * 100))
        ways: Any = made.randomizer
        if isinstance(ways, BlockResponse):
            outputs = reports.payload.astype(np.int64)
        else:
            outputs = reports.payload["report"].astype(np.int64)
            part = reports.payload["part"] == 0
            outputs = np.where(part, outputs[:, 0] + 256 * outputs[:, -1], 0)
        order = np.argsort(outputs, kind="stable")
        fakes = reports.payload[order[:500] if extreme == 0 else order[-500:]]
        server.add(nw.local.Reports(made, fakes))
        found = server.robust(fakes=0.05, confidence=1 - 1e-11)
        low, high = found.estimate.interval
        assert low <= 30 <= high
        gains.append(abs(server.estimate().value - honest.estimate().value))
        assert "allowing for 500" in found.estimate.method
        assert "fake" in repr(found)
    # 5% of reports can move the mean by far more than 5% of the grid.
    assert max(gains) > 5
    assert found.gain > 2


def test_reports_beyond_what_numbers_lead_to_are_told() -> None:
    made = nw.local.mean(nw.Counts(10), epsilon=1, method="piecewise")
    family: Any = made.randomizer
    payload = np.full(1_000, family.family.outputs - 1, dtype=made.randomizer.dtype)
    found = made.server().add(nw.local.Reports(made, payload)).robust(fakes=0.01)
    assert found.p_value < 1e-9
    assert "not all reports are" in found.note
    honest = made.server().add(made.reports([10] * 1_000)).robust(fakes=0.0)
    assert honest.p_value > 1e-9


def test_dates_have_a_mean() -> None:
    made = nw.local.mean(nw.Dates("2020-01-01", "2020-12-31"), epsilon=8)
    found = made.server().add(made.reports(["2020-07-01"] * 20_000)).estimate()
    assert abs((found.value - np.datetime64("2020-07-01").astype(object)).days) < 15


def test_a_client_a_memo_and_a_saved_state(tmp_path: Path) -> None:
    made = nw.local.mean(nw.Interval(0, 1, step="0.25"), epsilon=3, name="dose")
    client = made.client(memo=tmp_path / "memo")
    assert client.report(0.25)[19:-4] == client.report(0.25)[19:-4]
    server = made.server()
    fresh = made.client()
    for value in (0, 0.25, 0.5, 0.75, 1.0) * 40:
        server.add(fresh.report(value))
    server.save(tmp_path / "state")
    again = nw.local.open_collection(made.specification).server(tmp_path / "state")
    assert again.estimate().value == server.estimate().value
    assert again.arrivals == server.arrivals
    assert again.people == 200
    renamed = nw.local.mean(nw.Interval(0, 1, step="0.25"), epsilon=3, name="other")
    assert renamed.digest != made.digest


def test_bad_input() -> None:
    made = nw.local.mean(nw.Interval(0, 10, step=1), epsilon=1)
    for value in (11, -1, 0.5, float("nan"), None):
        with pytest.raises(OutsideSpaceError) as raised:
            made.reports([3, value])
        assert str(value) not in str(raised.value).partition("row")[0]
    clamped = nw.local.mean(nw.Interval(0, 10, step=1).reading(outside="clamp"), epsilon=1)
    assert clamped.encode([99]).tolist() == [10]
    with pytest.raises(ParameterError, match="method"):
        nw.local.mean(nw.Counts(4), epsilon=1, method="laplace")
    with pytest.raises(ParameterError, match="grid"):
        nw.local.mean(nw.Categories(["a", "b"]), epsilon=1)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ParameterError, match="0"):
        nw.local.mean(nw.Counts(4), epsilon=0)
    with pytest.raises(ParameterError, match="2\\^28"):
        nw.local.mean(nw.Counts(1 << 30), epsilon=1, method="piecewise")
    assert nw.local.mean(nw.Counts(1 << 40), epsilon=4).method == "duchi"
    server = made.server()
    with pytest.raises(InputError, match="no report"):
        server.estimate()
    server.add(made.reports([5]))
    with pytest.raises(InputError, match="one report"):
        server.estimate(about="population")
    with pytest.raises(ParameterError, match="of="):
        server.estimate(of="median")
    points: Any = nw.local.frequencies(nw.Counts(2), epsilon=1, method="response")
    with pytest.raises(ParameterError, match="linear"):
        Contribution.of(points.randomizer)


def test_larger_epsilon_means_less_variance() -> None:
    for method in METHODS:
        laws = [nw.local.mean(nw.Counts(50), epsilon=e, method=method).law for e in EPSILONS]
        assert all(b.worst < a.worst for a, b in pairwise(laws))
