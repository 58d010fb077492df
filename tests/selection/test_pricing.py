"""The pricing example: its numbers to the last digit, and what calibration gains."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from tests.selection.exactly_by_hand import by_coins, by_powers
from tests.selection.pricing import BIDS, DATABASES, PRICES, REVENUES, revenue

CODE = DATABASES.code(BIDS)
MAKERS: dict[str, tuple[Callable[..., Any], dict[str, str]]] = {
    "exponential": (nw.exponential, {}),
    "permute and flip": (nw.select.permute_and_flip, {}),
    "noisy max": (nw.select.noisy_max, {"step": "0.1"}),
}


@cache
def table(name: str, **choices: bool | None) -> nw.Mechanism:
    maker, options = MAKERS[name]
    given: dict[str, Any] = {"method": maker.__name__, "epsilon": 1, **choices, **options}
    return nw.select.choice_table(DATABASES, revenue, candidates=PRICES, **given)


def expected_revenue(table: nw.Mechanism) -> float:
    return float(table.matrix[CODE] @ np.array([float(r) for r in REVENUES]))


def test_the_survey_prints_a_wrong_revenue() -> None:
    assert [4, 3, Fraction("3.1"), 0] == REVENUES


@pytest.mark.parametrize("epsilon", ["0.1", "1", "7/3"])
def test_the_probabilities_by_hand(epsilon: str) -> None:
    factor = Fraction(epsilon) / (2 * Fraction("3.2"))
    choice = nw.exponential(PRICES, REVENUES, sensitivity="3.2", epsilon=epsilon)
    truth = by_powers(REVENUES, factor)
    assert choice.claim == nw.accounting.Guarantee(epsilon)
    assert choice.weights is not None
    for place, price in enumerate(PRICES):
        assert choice.probability(price) == pytest.approx(float(truth[place]), rel=1e-14)
        drawn = Fraction(choice.weights[place], sum(choice.weights))
        assert abs(drawn / truth[place] - 1) < Fraction(1, 2**50)
    coins = nw.select.permute_and_flip(PRICES, REVENUES, sensitivity="3.2", epsilon=epsilon)
    expected = [float(p) for p in by_coins(REVENUES, factor)]
    assert coins.probabilities.tolist() == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("name", MAKERS)
def test_one_dataset_is_a_row_of_the_table(name: str) -> None:
    maker, options = MAKERS[name]
    whole = table(name, monotonic=False)
    one = maker(PRICES, REVENUES, sensitivity="3.2", epsilon=1, **options)
    assert np.allclose(whole.matrix[CODE], one.probabilities, rtol=1e-12, atol=0)
    assert one.expected_quality == pytest.approx(expected_revenue(whole), rel=1e-12)


def test_the_usual_factor_spends_less_than_half() -> None:
    usual = table("exponential", monotonic=False)
    assert nw.tight_epsilon(usual) == pytest.approx(0.4610440684632769, rel=1e-9)


@pytest.mark.parametrize("name", MAKERS)
def test_calibration_spends_all_of_it_and_earns_more(name: str) -> None:
    best = table(name, calibrated=True)
    assert nw.verify(best, epsilon=1)
    assert nw.tight_epsilon(best) > 1 - 1e-12
    assert expected_revenue(best) > expected_revenue(table(name, monotonic=False)) + 0.2


def test_revenue_is_recognized_as_monotonic() -> None:
    recognized = table("exponential")
    assert recognized == table("exponential", monotonic=True)
    assert 0.98 < nw.tight_epsilon(recognized) <= 1


def test_permute_and_flip_earns_more_than_the_exponential_mechanism() -> None:
    revenues = [expected_revenue(table(name)) for name in MAKERS]
    assert revenues == sorted(revenues)


def test_a_choice_is_certified_like_any_table(tmp_path: Path) -> None:
    best = table("exponential", calibrated=True)
    path = tmp_path / "price.json"
    nw.certify(best).save(path)
    assert nw.check(path)
    assert (nw.load(path).weights == best.weights).all()
