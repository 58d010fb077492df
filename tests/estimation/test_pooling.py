"""One answer from several tables: Rubin's rules by hand, coverage, and bad input."""

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import ParameterError

pool = nw.analysis.pool_estimates


def test_the_rules_by_hand() -> None:
    found = pool([1.0, 2.0, 3.0], people=100)
    assert found.value == 2
    assert found.standard_error == pytest.approx(np.sqrt(4 / 3))
    # Student's t of 2 degrees of freedom.
    assert found.interval[1] - 2 == pytest.approx(4.302653 * np.sqrt(4 / 3), rel=1e-5)
    assert found.about == "people"
    wide = pool([1.0, 2.0, 3.0], [0.5, 0.7, 0.6], people=100)
    assert wide.standard_error == pytest.approx(np.sqrt(0.6 + 4 / 3))
    assert wide.about == "population"
    same = pool([2.0, 2.0], [0.25, 0.25], people=100)
    assert same.interval == pytest.approx((2 - 1.959964 / 2, 2 + 1.959964 / 2))


def test_several_answers_are_pooled_each() -> None:
    found = pool([[1.0, 10.0], [3.0, 10.0]], people=5)
    assert found.values.tolist() == [2, 10]
    assert found.standard_errors.tolist() == pytest.approx([np.sqrt(3), 0])


def test_pooled_intervals_hold_as_often_as_stated_and_miss_if_tables_vary_too_little() -> None:
    """4,000 runs of normal noise: the share of 95% is off by 2 points in one run of 10^8."""
    rng = np.random.default_rng(1)
    noisy = rng.normal(0, 1, 4000)
    tables = noisy + rng.normal(0, 1, (10, 4000))
    found = pool(tables, people=50)
    hits = np.mean((found.lows <= 0) & (found.highs >= 0))
    assert abs(hits - 0.95) < 0.02
    narrow = pool(noisy + rng.normal(0, 0.6, (10, 4000)), people=50)
    assert np.mean((narrow.lows <= 0) & (narrow.highs >= 0)) < 0.88


@pytest.mark.parametrize(
    ("values", "variances", "words"),
    [
        ([1.0], None, "two tables"),
        ([], None, "finite number"),
        ([1.0, np.nan], None, "finite number"),
        (["a", "b"], None, "finite number"),
        ([[1.0], [1.0, 2.0]], None, "finite number"),
        ([1.0, 2.0], [1.0], "shape"),
        ([1.0, 2.0], [1.0, -1.0], "not negative"),
    ],
)
def test_what_cannot_be_pooled_is_refused(values: object, variances: object, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        pool(values, variances, people=10)  # type: ignore[arg-type]
