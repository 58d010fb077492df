"""Bad input of each kind, and what the caller is told."""

import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import OutsideSpaceError, ParameterError, TableError
from noisewright.exact import Epsilon, Exp
from noisewright.sampling import (
    KeepOrUniform,
    SeededSource,
    TableSampler,
    balanced_geometric,
    bernoulli,
    discrete_gaussian,
    discrete_laplace,
    two_sided_geometric,
    uniform_below,
)

ONE = Epsilon.of("1")
PAIR = TableSampler([[3, 1], [1, 3]], 4)

SIZED: list[Callable[[Any], Any]] = [
    lambda size: uniform_below(6, size),
    lambda size: uniform_below(10**30, size),
    lambda size: bernoulli(0.5, size),
    lambda size: two_sided_geometric(ONE, size),
    lambda size: two_sided_geometric(Epsilon.of("1e-30"), size),
    lambda size: balanced_geometric(ONE, 3, size)[:, 0],
    lambda size: discrete_laplace(3, size),
    lambda size: discrete_gaussian(3, size),
    lambda size: PAIR.draw_row(0, size),
]


@pytest.mark.parametrize("draw", SIZED)
def test_sizes(draw: Callable[[Any], Any]) -> None:
    with pytest.raises(ParameterError, match=r"size is -1; it must be at least 0"):
        draw(-1)
    for size in (True, 2.0, "3", None):
        with pytest.raises(ParameterError, match=r"size is .*; it must be a whole number"):
            draw(size)
    for size in (0, 1, 5, np.int32(7), 70_000):
        assert draw(size).shape == (size,)


@pytest.mark.parametrize("p", [-0.1, 1.1, Fraction(3, 2), Exp(Fraction(1)), 2])
def test_probabilities_outside_of_the_unit_interval(p: Any) -> None:
    with pytest.raises(ParameterError, match=r"must lie in \[0, 1\]"):
        bernoulli(p, 1)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), True, "half", None, [1]])
def test_what_is_not_a_number(number: Any) -> None:
    for draw in (bernoulli, discrete_laplace, discrete_gaussian):
        with pytest.raises(ParameterError, match="must be"):
            draw(number, 1)


@pytest.mark.parametrize("scale", [0, -1, "-1/2"])
def test_scales_must_be_positive(scale: Any) -> None:
    with pytest.raises(ParameterError, match=r"scale is .*must be positive"):
        discrete_laplace(scale, 1)
    with pytest.raises(ParameterError, match=r"variance is .*must be positive"):
        discrete_gaussian(scale, 1)


def test_decay_must_be_positive() -> None:
    with pytest.raises(ParameterError, match="larger epsilon"):
        two_sided_geometric(Epsilon.of("0"), 1)
    with pytest.raises(ParameterError, match="larger epsilon"):
        balanced_geometric(Epsilon.of("0"), 2)


@pytest.mark.parametrize("cells", [0, -1, 1.5, True])
def test_noise_needs_cells(cells: Any) -> None:
    with pytest.raises(ParameterError, match="cells is"):
        balanced_geometric(ONE, cells)


@pytest.mark.parametrize("decay", ["1e-13", "1e-40", "3", "1e30"])
@pytest.mark.parametrize("cells", [1, 2, 300])
def test_balanced_noise_adds_up_to_0_at_any_scale(decay: str, cells: int) -> None:
    drawn = balanced_geometric(Epsilon.of(decay), cells, 3)
    assert drawn.shape == (3, cells)
    assert [sum(row) for row in drawn.tolist()] == [0, 0, 0]


@pytest.mark.parametrize("bound", [0, -5, 1.5, True, None])
def test_bounds_must_be_positive_integers(bound: Any) -> None:
    with pytest.raises(ParameterError, match=r"bound is .*at least 1"):
        uniform_below(bound, 1)


def test_sure_things() -> None:
    assert bernoulli(0, 1000).sum() == 0
    assert bernoulli(1, 1000).sum() == 1000
    assert uniform_below(1, 1000).sum() == 0
    assert TableSampler([[0, 1, 0]], 1).draw_row(0, 1000).tolist() == [1] * 1000
    assert TableSampler([[1]], 1).draw([0, 0]).tolist() == [0, 0]


@pytest.mark.parametrize("extreme", ["1e-9", "1e-400", "1e9"])
def test_extreme_scales_end(extreme: str) -> None:
    assert discrete_laplace(extreme, 10).shape == (10,)
    assert discrete_gaussian(extreme, 10).shape == (10,)
    assert two_sided_geometric(Epsilon.of(extreme), 10).shape == (10,)


@pytest.mark.parametrize(
    ("weights", "total", "said"),
    [
        ([], 16, "at least one row"),
        ([[]], 16, "at least one row"),
        ([[16], [8, 8]], 16, "different lengths"),
        ([[8, 7]], 16, "row 0 of the weights sums to less than 2\\^4"),
        ([[8, 8], [8, 9]], 16, "row 1 of the weights sums to more than 2\\^4"),
        ([[1, 1, 1], [1, 1, 0]], 3, "row 1 of the weights sums to less than 3;"),
        ([[17, -1]], 16, "at least 0"),
        ([[0.5, 0.5]], 1, "the weight is 0.5; it must be a whole number"),
        ([[float("nan"), 1]], 1, "the weight is nan; it must be a whole number"),
        ([[True, False]], 1, "the weight is True; it must be a whole number"),
        (np.array([[0.5, 0.5]]), 1, "0.5.; it must be a whole number"),
        (np.array([[True, False]]), 1, "True_; it must be a whole number"),
    ],
)
def test_tables(weights: Any, total: int, said: str) -> None:
    with pytest.raises(TableError, match=said):
        TableSampler(weights, total)


def test_totals() -> None:
    for total in (0, -1, 2.0, True):
        with pytest.raises(ParameterError, match="total is"):
            TableSampler([[1]], total)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ParameterError, match="smaller total"):
        TableSampler([[1]], 1 << 10**6)
    with pytest.raises(ParameterError, match="between 1 and 16"):
        TableSampler([[1]], 1, bits=17)


SAMPLERS = [PAIR, KeepOrUniform(2, 1, 4)]


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
def test_codes_outside_are_named_by_position_only(sampler: Any) -> None:
    codes = np.zeros(200_000, dtype=np.int64)
    for wrong in (2, -1, 987_654_321):
        codes[150_000] = wrong
        with pytest.raises(OutsideSpaceError, match=r"row 150,001 is outside 0\.\.1") as caught:
            sampler.draw(codes)
        assert caught.value.row == 150_000
        assert "987" not in str(caught.value)
    with pytest.raises(OutsideSpaceError):
        sampler.draw(np.array([2**64 - 1], dtype=np.uint64))


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
@pytest.mark.parametrize(
    "codes", [[0.0, 1.0], [True, False], ["0"], 1, [[0, 1]], np.zeros(0), [float("nan")], [None]]
)
def test_codes_of_the_wrong_kind(sampler: Any, codes: Any) -> None:
    with pytest.raises(ParameterError, match="one-dimensional array of integers"):
        sampler.draw(codes)


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
def test_codes_of_the_right_kind(sampler: Any) -> None:
    assert sampler.draw([]).shape == (0,)
    assert sampler.draw(np.zeros(0, dtype=np.int8)).shape == (0,)
    every = np.arange(300_000) % 2
    for dtype in ("u1", "i1", "u2", "i4", "i8", "u8", ">i4"):
        drawn = sampler.draw(every.astype(dtype), SeededSource(1))
        assert drawn.dtype == sampler.dtype == np.uint8
        assert (drawn == sampler.draw(every, SeededSource(1))).all()
    assert (sampler.draw(every.repeat(2)[::2], SeededSource(1)) == drawn).all()


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
def test_drawing_into_an_array(sampler: Any) -> None:
    codes = np.arange(100_000) % 2
    out = np.empty(200_000, dtype=np.uint8)[::2]
    sampler.draw_into(codes, out, SeededSource(1))
    assert (out == sampler.draw(codes, SeededSource(1))).all()
    with pytest.raises(ParameterError, match="must have shape"):
        sampler.draw_into(codes, out[1:])
    with pytest.raises(ParameterError, match="uint8"):
        sampler.draw_into(codes, np.empty(codes.shape, dtype=np.int64))
    small = codes.astype(np.uint8)
    with pytest.raises(ParameterError, match="overlaps"):
        sampler.draw_into(small, small)


def test_rows_and_keeps() -> None:
    with pytest.raises(ParameterError, match=r"rows 0\.\.1"):
        PAIR.draw_row(2, 1)
    with pytest.raises(ParameterError, match="at most 2"):
        KeepOrUniform(2**32 + 1, 0, 2)
    with pytest.raises(ParameterError, match="at most that"):
        KeepOrUniform(2, 3, 2)


@pytest.mark.parametrize(
    ("outputs", "dtype"), [(2, np.uint8), (255, np.uint8), (256, np.uint16), (70_000, np.uint32)]
)
def test_the_type_of_draws_holds_the_number_of_outputs(outputs: int, dtype: type) -> None:
    row = [0] * (outputs - 1) + [1 << 5]
    assert TableSampler([row], 32).draw([0]).tolist() == [outputs - 1]
    assert TableSampler([row], 32).dtype == KeepOrUniform(outputs, 0, 32).dtype == dtype


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
def test_samplers_can_be_sent_to_other_processes(sampler: Any) -> None:
    codes = np.arange(1000) % 2
    sent = pickle.loads(pickle.dumps(sampler))
    assert (sent.draw(codes, SeededSource(1)) == sampler.draw(codes, SeededSource(1))).all()
    assert "2 " in repr(sampler)


def test_weights_are_copied_and_fixed() -> None:
    weights = np.array([[16, 0]], dtype=object)
    sampler = TableSampler(weights, 16)
    weights[0, 0], weights[0, 1] = 0, 16
    assert sampler.draw_row(0, 100).tolist() == [0] * 100


@pytest.mark.parametrize("source", [7, 0, "seed", b""], ids=repr)
def test_what_is_no_source_is_refused_and_never_replaced(source: Any) -> None:
    choice = nw.exponential(["a", "b"], [1, 2], sensitivity=1, epsilon=1)
    with pytest.raises(ParameterError, match="source is of type"):
        choice.sample(source=source)
    with pytest.raises(ParameterError, match="source is of type"):
        nw.geometric(nw.Counts(5), epsilon=1).sample([2, 3], source=source)
    with pytest.raises(ParameterError, match="source is of type"):
        nw.laplace(nw.Interval(0, 9, step=1), epsilon=1).sample([2, 3], source=source)
