"""Counts, sums, means and variances: exact without noise, and intervals that cover with it."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from noisewright.errors import ParameterError
from noisewright.queries.answers.moments import answer_moments
from noisewright.queries.noise import CellNoise
from tests.queries.simulated import Values, misses, noise_of, noisy, sums_of

ALL: list[Any] = ["count", "sum", "mean", "var", "std"]
QUIET = CellNoise("epsilon", Fraction(50))
RUNS = 4_000


def truth(k: Values, what: str) -> float:
    found = {"count": k.size, "sum": k.sum(), "mean": k.mean(), "var": k.var(), "std": k.std()}
    return float(found["mean" if what == "share" else what])


@pytest.mark.parametrize(("low", "high"), [(0, 100), (-7, 12), (-9, -2), (5, 6)])
@pytest.mark.parametrize("degree", [1, 2])
def test_without_noise_answers_are_those_of_the_rows(low: int, high: int, degree: int) -> None:
    random = np.random.default_rng(1)
    groups = [random.integers(low, high + 1, size) for size in (1, 2, 5, 400)]
    sums = [sums_of(k, low, high, degree) for k in groups]
    for what in ALL[: 3 if degree == 1 else 5]:
        found = answer_moments(sums, QUIET, low=low, high=high, unit=Fraction(1, 4), what=what)
        scale = {"count": 1, "var": 1 / 16}.get(what, 1 / 4)
        expected = [truth(k, what) * scale for k in groups]
        for values in (found.values, found.unbiased):
            assert values == pytest.approx(expected, rel=1e-6, abs=1e-6)
        assert (found.lows <= found.values).all()
        assert (found.values <= found.highs).all()
        assert (found.highs - found.lows <= 1e-3 * (1 + np.abs(expected))).all()


def patterns(n: int, top: int) -> dict[str, Values]:
    last = np.arange(n) == n - 1
    return {
        "all at the end": np.zeros(n, dtype=np.int64),
        "all alike": np.full(n, top // 3),
        "at both ends": top * (np.arange(n) % 2),
        "all but one at the end": top * last.astype(np.int64),
        "spread": np.round((np.arange(n) + 0.5) / n * top).astype(np.int64),
    }


@pytest.mark.parametrize("epsilon", ["0.1", "1", "10"])
@pytest.mark.parametrize("n", [1, 5, 30])
def test_intervals_cover(n: int, epsilon: str) -> None:
    """Both sides may miss 5%, one of them 4%; six standard errors of 4,000 runs are 1.9%."""
    noise = noise_of(epsilon, 100**2)
    for name, k in patterns(n, 100).items():
        sums = noisy(sums_of(k, 0, 100, 2), noise, RUNS, f"{name} {n} {epsilon}")
        for what in ALL[:4]:
            found = answer_moments(sums, noise, low=0, high=100, unit=1, what=what)
            below, above = misses(found, truth(k, what))
            assert max(below, above) < 0.059, (name, what)
            assert below + above < 0.071, (name, what)
            least, most = found.possible
            assert ((least <= found.lows) & (found.highs <= most)).all()
            known = ~np.isnan(found.values)
            assert ((least <= found.values) & (found.values <= most))[known].all()
            inside = (found.lows - 1e-9 <= found.values) & (found.values <= found.highs + 1e-9)
            assert inside[known].mean() > 0.99, (name, what)


@pytest.mark.parametrize("unit", ["epsilon", "rho"])
def test_intervals_cover_no_more_than_asked_where_something_is_known(unit: Any) -> None:
    """95% within 2%: six standard errors of 4,000 runs. With a wrong deviation they do not."""
    k = patterns(50, 100)["spread"]
    noise = noise_of(3, 100**2, unit)
    sums = noisy(sums_of(k, 0, 100, 2), noise, RUNS, f"as asked {unit}")
    wrong = noise_of(Fraction(15, 4) if unit == "epsilon" else 4, 100**2, unit)
    for what in ALL:
        for law, right in ((noise, True), (wrong, False)):
            found = answer_moments(sums, law, low=0, high=100, unit=1, what=what)
            covered = 1 - sum(misses(found, truth(k, what)))
            assert (abs(covered - 0.95) < 0.021) == right, what


@pytest.mark.parametrize("epsilon", ["0.2", "1", "4"])
def test_shares_of_few_people(epsilon: str) -> None:
    """Of yes and no noise takes few values, so that intervals may cover more often, not less."""
    noise = noise_of(epsilon, 1)
    for yes, n in ((0, 1), (0, 5), (2, 5), (5, 5), (7, 40), (3, 7)):
        sums = noisy([n - yes, yes], noise, RUNS, f"share {yes} {n} {epsilon}")
        found = answer_moments(sums, noise, low=0, high=1, unit=1, what="share")
        below, above = misses(found, yes / n)
        assert below + above < 0.068, (yes, n)
        assert found.possible == (0, 1)


def test_an_empty_group_has_no_mean_and_no_negative_count() -> None:
    sums = [[-9000, 500, -3000], [0, 0, 0], [3000, 100, 200], [90_000, 20_000, 30_000]]
    noise = noise_of(1, 100**2)
    cases: list[tuple[Any, int]] = [("mean", 100), ("var", 2500), ("std", 50)]
    for what, most in cases:
        found = answer_moments(sums, noise, low=0, high=100, unit=1, what=what)
        assert np.isnan(found.values[:3]).all()
        assert np.isnan(found.standard_errors[:3]).all()
        assert found.lows[:3].tolist() == [0, 0, 0]
        assert found.highs[:3] == pytest.approx([most] * 3)
        assert not np.isnan([found.values[3], found.standard_errors[3]]).any()
    counts = answer_moments(sums, noise, low=0, high=100, unit=1, what="count")
    assert counts.values.tolist() == [0, 0, 0, 14]
    assert counts.unbiased[0] == pytest.approx(-1.15)
    assert (counts.lows >= 0).all()


def test_an_answer_does_not_depend_on_the_other_groups() -> None:
    """Nor on how many are worked on at a time."""
    sums = np.random.default_rng(8).integers(-5_000, 90_000, size=(2_500, 3))
    noise = noise_of(2, 100**2)
    for what in ALL:
        options: dict[str, Any] = {"low": 0, "high": 100, "unit": 1, "what": what}
        together, some = (answer_moments(each, noise, **options) for each in (sums, sums[::7]))
        for name in ("values", "standard_errors", "lows", "highs", "unbiased"):
            np.testing.assert_array_equal(getattr(together, name)[::7], getattr(some, name))


def test_sums_that_outgrow_64_bits() -> None:
    """Python integers give what smaller units give."""
    k = np.arange(0, 10**7, 10_007, dtype=object)
    large = answer_moments(
        [sums_of(k, 0, 10**12, 2)], QUIET, low=0, high=10**12, unit=1, what="var"
    )
    assert large.values[0] == pytest.approx(float(np.var(k.astype(float))), rel=1e-2)


@pytest.mark.parametrize(
    ("what", "sums", "high"), [("var", [[1, 2]], 9), ("mean", [[1]], 9), ("mean", [[1, 2]], 0)]
)
def test_what_sums_cannot_answer_is_refused(what: Any, sums: Any, high: int) -> None:
    with pytest.raises(ParameterError, match="was asked of sums of degree"):
        answer_moments(sums, QUIET, low=0, high=high, unit=1, what=what)


def test_counts_alone_have_exact_intervals() -> None:
    found = answer_moments([[-3], [0], [7]], noise_of(1, 1), low=0, high=0, unit=1, what="count")
    assert found.values.tolist() == [0, 0, 7]
    assert found.lows.tolist() == [0, 0, 5]
    assert found.highs.tolist() == [0, 3, 10]
    assert found.unbiased.tolist() == [-3, 0, 7]
