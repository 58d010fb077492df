"""Errors before the release, and the epsilon that a wanted error needs."""

from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError, ParameterError

COLORS = nw.Categories(["red", "green", "blue"])
RESPONSE = nw.randomized_response(COLORS, epsilon=1)
SHARES = {"red": 0.7, "green": 0.25, "blue": 0.05}


@pytest.mark.parametrize("about", ["people", "population"])
def test_the_plan_is_what_many_releases_show(about: str) -> None:
    """800 simulated releases, seeded; their spread is known to some three percent."""
    planned = nw.planning.expected_error(RESPONSE, people=400, shares=SHARES, about=about)
    random = np.random.default_rng(9)
    shares = np.array(list(SHARES.values()))
    found: list[Any] = []
    for _ in range(800):
        if about == "people":
            counts = random.multinomial((400 * shares).astype(int), RESPONSE.matrix).sum(axis=0)
        else:
            counts = random.multinomial(400, shares @ RESPONSE.matrix)
        named = dict(zip(COLORS.labels, counts.tolist(), strict=True))
        found.append(nw.estimate(named, RESPONSE, about=about))
    spread = np.std([one.values for one in found], axis=0)
    assert np.allclose(spread, planned.standard_errors, rtol=0.08)
    stated = np.mean([one.standard_errors for one in found], axis=0)
    assert np.allclose(stated, planned.standard_errors, rtol=0.04)


def test_randomized_response_by_its_textbook_formula() -> None:
    truth, other = RESPONSE.matrix[0, :2]
    planned = nw.planning.expected_error(RESPONSE, people=100, shares=SHARES)
    seen = other + (truth - other) * np.array([0.7, 0.25, 0.05])
    assert np.allclose(planned.standard_errors, np.sqrt(seen * (1 - seen) / 100) / (truth - other))


@pytest.mark.parametrize("about", ["people", "population"])
def test_no_shares_are_worse_than_the_worst(about: str) -> None:
    table = nw.geometric(nw.Counts(3), epsilon=1)
    for mechanism in (RESPONSE, table, nw.combine.product(a=RESPONSE, b=table)):
        worst = nw.planning.expected_error(mechanism, people=10, shares="worst", about=about)
        shape = worst.values.shape
        random = np.random.default_rng(3)
        cells = int(np.prod(shape))
        best = np.zeros(shape)
        for shares in [*np.eye(cells), *random.dirichlet(np.full(cells, 0.2), size=300)]:
            given = shares.reshape(shape)
            planned = nw.planning.expected_error(mechanism, people=10, shares=given, about=about)
            assert (planned.standard_errors <= worst.standard_errors * (1 + 1e-9)).all()
            best = np.maximum(best, planned.standard_errors)
        assert (best >= worst.standard_errors * 0.9).all()


def test_plans_for_tables_and_numbers() -> None:
    grid = nw.Interval(0, 10, step=1)
    both = nw.combine.product(color=RESPONSE, size=nw.randomized_response(grid, epsilon=2))
    plans = nw.planning.expected_error(both, people=1_000, of="pairs")
    assert list(plans) == ["color", "size", ("color", "size")]
    assert plans["color", "size"].standard_errors.shape == (3, 11)
    alone = nw.planning.expected_error(RESPONSE, people=1_000)
    assert np.allclose(plans["color"].standard_errors, alone.standard_errors)
    mean = nw.planning.expected_error(nw.randomized_response(grid, epsilon=2), people=1_000)
    assert mean.what == "mean"
    assert mean.value == pytest.approx(5)
    four = nw.planning.expected_error(nw.randomized_response(grid, epsilon=2), people=4_000)
    assert four.standard_error == pytest.approx(mean.standard_error / 2)


@pytest.mark.parametrize(
    ("space", "given"),
    [
        (COLORS, {}),
        (COLORS, {"shares": SHARES, "about": "people"}),
        (COLORS, {"confidence": 0.95, "shares": "worst"}),
        (nw.Records(a=COLORS, b=COLORS), {}),
        (nw.Counts(10), {"of": "mean", "target": 0.05}),
        (COLORS, {"mechanism": lambda e: nw.randomized_response(COLORS, epsilon=e / 2)}),
    ],
    ids=["plain", "people", "half-width", "records", "mean", "own mechanism"],
)
def test_epsilon_for_inverts_the_plan(space: Any, given: dict[str, Any]) -> None:
    target = given.pop("target", 0.02)
    found = nw.planning.epsilon_for(space, target=target, people=20_000, **given)
    assert found.lower < found.epsilon <= found.lower * (1 + 1e-5)
    error = found.expected.standard_errors.max()
    if "confidence" in given:
        error *= 1.959963984540054
    assert error == pytest.approx(target, rel=1e-4)
    assert error <= target
    claim = found.mechanism.claim
    assert claim is not None
    scale = 2 if "mechanism" in given else 1
    assert float(claim.epsilon) * scale == pytest.approx(found.epsilon, rel=1e-9)
    assert "20,000 people" in str(found)


def test_epsilon_for_a_loss_is_as_before() -> None:
    found = nw.planning.epsilon_for(nw.Counts(4), target=0.3, loss="L0")
    assert found.design.loss <= 0.3


def test_what_cannot_be_planned() -> None:
    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: nw.planning.expected_error(RESPONSE, people=0), ParameterError, "people is 0"),
        (
            lambda: nw.planning.expected_error(RESPONSE, people=9, shares="bad"),
            ParameterError,
            "worst",
        ),
        (
            lambda: nw.planning.expected_error(RESPONSE, people=9, shares=[1, 1, 1]),
            ParameterError,
            "sum",
        ),
        (
            lambda: nw.planning.expected_error(RESPONSE, people=9, shares=[1, 0]),
            InputError,
            "shape",
        ),
        (
            lambda: nw.planning.expected_error(
                nw.randomized_response(nw.Counts(3), epsilon=1), people=9, of="quantiles"
            ),
            InputError,
            "cannot be planned",
        ),
        (lambda: nw.planning.epsilon_for(COLORS, target=0, people=9), ParameterError, "above 0"),
        (lambda: nw.planning.epsilon_for(COLORS, target=1e-3, people=99), ParameterError, "sample"),
        (
            lambda: nw.planning.epsilon_for(COLORS, target=1, people=9, loss="L1"),
            InputError,
            "loss",
        ),
        (
            lambda: nw.planning.epsilon_for(
                nw.Records(a=COLORS, b=COLORS), target=1, people=9, of="pairs"
            ),
            InputError,
            "one table",
        ),
    ]
    for call, kind, message in cases:
        with pytest.raises(kind, match=message):
            call()
