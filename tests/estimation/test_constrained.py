"""The most likely shares and the nearest shares, against other ways to find them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays

import noisewright as nw
from noisewright.errors import UnidentifiableError
from noisewright.estimation.channels.channel import ResponseChannel, channel_of
from noisewright.estimation.intervals.spread import project_to_simplex
from noisewright.estimation.shares.likelihood import most_likely

finite = st.floats(-5, 5, allow_nan=False, width=32)


@given(arrays.arrays(np.float64, st.integers(1, 12), elements=finite))
def test_the_projection_is_the_nearest_point(values: Any) -> None:
    nearest = project_to_simplex(values)
    assert nearest.min() >= 0
    assert nearest.sum() == pytest.approx(1)
    # No corner of the simplex lies in a direction that comes closer.
    slopes = (values - nearest)[None, :] @ (np.eye(len(values)) - nearest).T
    assert slopes.max() <= 1e-9


def water_filled(counts: Any, channel: ResponseChannel) -> Any:
    """The most likely shares under randomized response: q_i = max(other, c_i / λ)."""
    observed = counts / counts.sum()
    low, high = 1e-9, 1e9
    for _ in range(300):
        level = (low * high) ** 0.5
        if np.maximum(channel.other, observed / level).sum() > 1:
            low = level
        else:
            high = level
    return (np.maximum(channel.other, observed / low) - channel.other) / channel.gap


@pytest.mark.parametrize("epsilon", [0.5, 1, 3])
@pytest.mark.parametrize("people", [50, 5_000])
def test_the_most_likely_shares_of_randomized_response(epsilon: float, people: int) -> None:
    channel = channel_of(nw.randomized_response(nw.Categories(range(20)), epsilon=epsilon))
    assert isinstance(channel, ResponseChannel)
    random = np.random.default_rng(people)
    for shares in random.dirichlet(np.full(20, 0.2), size=10):
        counts = random.multinomial(people, channel.push(shares, 0))
        found = most_likely(counts / people, [channel], people)
        # A log-likelihood of 1e-3 moves shares by a small part of their error.
        error = np.sqrt(1 / people) / channel.gap
        assert np.abs(found - water_filled(counts, channel)).max() <= 0.05 * error
        assert found.sum() == pytest.approx(1)


def test_the_most_likely_shares_are_the_unbiased_ones_when_these_are_shares() -> None:
    colors = nw.Categories(["red", "green", "blue"])
    mechanism = nw.randomized_response(colors, epsilon=2)
    counts = {"red": 500, "green": 300, "blue": 200}
    unbiased = nw.estimate(counts, mechanism)
    likely = nw.estimate(counts, mechanism, method="likelihood")
    assert np.array_equal(likely.values, unbiased.values)
    channel = channel_of(mechanism)
    climbed = most_likely(np.array([0.5, 0.3, 0.2]), [channel], 10**9)
    assert np.allclose(climbed, unbiased.values, atol=1e-6)


def test_joint_most_likely_shares_have_no_way_up() -> None:
    mechanism = nw.combine.product(
        a=nw.randomized_response(nw.Categories(range(4)), epsilon=1),
        b=nw.geometric(nw.Counts(3), epsilon=1),
    )
    random = np.random.default_rng(3)
    released = {"a": random.integers(0, 4, 300), "b": random.integers(0, 4, 300)}
    found = nw.estimate(released, mechanism, method="likelihood")
    counts = np.zeros((4, 4))
    np.add.at(counts, (released["a"], released["b"]), 1)
    rows = np.kron(*(part.table().matrix for _, part in mechanism.columns))
    gradient = rows @ (counts.reshape(-1) / 300 / (found.values.reshape(-1) @ rows))
    # Concave, so 300 · (largest slope − 1) bounds what is left of the log-likelihood.
    assert 300 * (gradient.max() - 1) <= 2e-3


@pytest.mark.parametrize("people", [500, 50_000])
def test_wide_noise_on_a_fine_grid_leaves_no_way_up(people: int) -> None:
    """Plain steps would need tens of thousands of rounds here; a few points carry the answer."""
    table = nw.geometric(nw.Counts(100), epsilon=0.02)
    random = np.random.default_rng(people)
    released = table.sample(random.binomial(100, 0.3, people), source=nw.randomness.SeededSource(2))
    found = nw.estimate(released, table, method="likelihood").values
    observed = np.bincount(released, minlength=101) / people
    slopes = table.matrix @ (observed / (found @ table.matrix))
    assert people * (slopes.max() - 1) <= 2e-3
    assert found.sum() == pytest.approx(1)
    assert found.min() >= 0
    assert np.count_nonzero(found) < 15


@pytest.mark.parametrize("method", ["likelihood", "projected"])
def test_constrained_answers_are_shares_inside_of_their_intervals(method: str) -> None:
    mechanism = nw.randomized_response(nw.Categories(range(30)), epsilon=0.5)
    counts = dict(enumerate(np.random.default_rng(4).multinomial(200, np.full(30, 1 / 30))))
    found = nw.estimate(counts, mechanism, method=method)
    unbiased = nw.estimate(counts, mechanism)
    assert unbiased.values.min() < 0
    assert found.values.min() == pytest.approx(0, abs=1e-6)
    assert found.values.sum() == pytest.approx(1)
    assert ((found.lows <= found.values) & (found.values <= found.highs)).all()
    assert found.lows.min() >= 0
    assert found.highs.max() <= 1
    # Whatever of the unbiased interval is possible stays in.
    assert (found.highs >= np.clip(unbiased.highs, 0, 1)).all()
    assert (found.lows <= np.clip(unbiased.lows, 0, 1)).all()


ALIKE = nw.from_matrix(
    nw.Categories(["a", "b", "c"]),
    [["1/2", "1/2", 0], ["1/2", "1/2", 0], ["1/8", "1/8", "3/4"]],
)


def test_what_cannot_be_told_is_named() -> None:
    with pytest.raises(UnidentifiableError, match=r"'a' with .* 'b'") as caught:
        nw.estimate(["a", "b", "c"], ALIKE)
    (change,) = caught.value.combinations  # pyright: ignore[reportGeneralTypeIssues]
    assert set(change) == {"a", "b"}
    assert sum(change.values()) == pytest.approx(0)
    with pytest.raises(UnidentifiableError):
        nw.estimate(["a", "b", "c"], ALIKE, method="projected")


def test_likelihood_leaves_open_what_cannot_be_told() -> None:
    found = nw.estimate({"a": 300, "b": 290, "c": 410}, ALIKE, method="likelihood")
    assert found["a"].interval == found["b"].interval == (0, 1)
    assert found["a"].standard_error == np.inf
    told = nw.estimate(
        {"ab": 590, "c": 410},
        nw.from_matrix(nw.Categories(["ab", "c"]), [[1, 0], ["1/4", "3/4"]], outputs=["ab", "c"]),
    )
    assert found["c"].value == pytest.approx(told["c"].value, abs=1e-4)
    assert found["c"].standard_error == pytest.approx(told["c"].standard_error, rel=1e-2)


def test_a_mechanism_that_tells_nothing() -> None:
    uniform = nw.uniform(nw.Categories(["a", "b"]))
    with pytest.raises(UnidentifiableError):
        nw.estimate(["a"], uniform)
    found = nw.estimate(["a"], uniform, method="likelihood")
    assert found.intervals.tolist() == [[0, 1], [0, 1]]
