"""Detectable differences: found as often as stated, no oftener if there is none, and bad input."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import ParameterError
from noisewright.sampling import simulation

ROWS, RUNS = 2_000, 4_000


@cache
def kept(labels: str) -> Any:
    return nw.advise({"group": list(labels)}, rows=ROWS, epsilon=1, questions=["shares"])


def found(labels: str, apart: float, error: float, seed: str) -> float:
    """How often a test at 95% finds the difference of two shares in copies by ε = 1."""
    k, random = len(labels), simulation(seed)
    mechanism = nw.randomized_response(nw.Categories(list(labels)), epsilon=1)
    stay, move = np.asarray(mechanism.matrix, dtype=float)[0, :2]
    people = np.full(k, ROWS // k)
    people[:2] += np.array([1, -1]) * round(apart * ROWS / 2)
    seen = np.zeros((RUNS, k))
    for place, number in enumerate(people):
        chances = np.full(k, move)
        chances[place] = stay
        seen += random.multinomial(number, chances / chances.sum(), RUNS)
    difference = (seen[:, 0] - seen[:, 1]) / (stay - move) / ROWS
    spread = 1.959964 * np.sqrt(2 * k / (k - 1)) * error
    return float(np.mean(np.abs(difference) > spread))


@pytest.mark.parametrize("labels", ["ab", "abcde"])
def test_a_difference_of_that_size_is_found_in_four_of_five_releases(labels: str) -> None:
    """4,000 copies: each assertion alarms falsely with a probability below 1 in 10,000."""
    advice = kept(labels)
    error = advice.errors["kept"][0]
    least = advice.differences().column("kept")[0].as_py() / 100
    assert found(labels, least, error, "power") == pytest.approx(0.8, abs=0.03)
    assert found(labels, 0.0, error, "level") == pytest.approx(0.05, abs=0.016)
    # Neither of a smaller difference, nor of a larger one.
    assert found(labels, 0.9 * least, error, "less") < 0.74
    assert found(labels, 1.1 * least, error, "more") > 0.84


def test_more_confidence_and_power_need_a_larger_difference() -> None:
    advice = kept("abc")
    usual, surer, stronger = (
        advice.differences(**more).column("synthetic")[0].as_py()
        for more in ({}, {"confidence": 0.99}, {"power": 0.95})
    )
    assert usual < surer
    assert usual < stronger
    error = advice.table.column("synthetic")[0].as_py()
    assert usual == pytest.approx(2.801585 * np.sqrt(2 * 3 / 2) * error, rel=1e-5)
    assert "detectable difference" in advice.difference_lines()[0][0]


def test_no_difference_shows_where_noise_drowns_all() -> None:
    advice = nw.advise(
        {"age": nw.Counts(100), "group": list("ab")}, rows=3, epsilon="1/100", questions=["shares"]
    )
    assert advice.differences().column("kept").to_pylist()[0] is None
    assert "none" in advice.difference_lines()[1]


@pytest.mark.parametrize("odd", [0, 0.49, 1, 1.5, -1, float("nan"), "0.8", None, True])
def test_odd_powers_are_refused(odd: Any) -> None:
    with pytest.raises(ParameterError, match="power is"):
        kept("ab").differences(power=odd)


def test_odd_confidences_are_refused() -> None:
    for odd in (0, 1, 1.5, "much"):
        with pytest.raises(ParameterError):
            kept("ab").differences(confidence=odd)
