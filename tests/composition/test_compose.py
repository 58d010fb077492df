"""`compose`: the worst over neighbors, against brute force; what counts as the same; edges."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from noisewright.errors import InputError, ParameterError
from noisewright.exact import Epsilon
from noisewright.mechanisms import (
    Guarantee,
    Table,
    from_matrix,
    geometric,
    product,
    randomized_response,
    uniform,
)
from noisewright.privacy.composition.compose import Composition, compose
from noisewright.privacy.composition.concentrated import ZeroConcentrated
from noisewright.privacy.profile import profile
from noisewright.spaces import Categories, Counts
from tests.composition.pairs_at_random import RATIOS, delta_of, delta_of_tables, rows, tables

FLIP = from_matrix(Categories(["yes", "no"]), [[0.714, 0.286], [0.286, 0.714]])


def encloses(found: Composition, ratio: Fraction, truth: Fraction) -> bool:
    low, high = found.delta_bounds(Epsilon.log(ratio))
    return Fraction(low) <= truth <= Fraction(high)


def random_table(seed: int, size: int = 10, outputs: int = 10) -> Table:
    matrix = np.random.default_rng(seed).random((size, outputs))
    return from_matrix(
        Categories(range(size)), matrix / matrix.sum(1, keepdims=True), outputs=range(outputs)
    )


def test_a_repeated_yes_no_question() -> None:
    """Holohan–Leith–Mason 2015, the repeated query: δ = 0.4194 at ε = 0.1 when asked twice."""
    found = compose(FLIP, times=2)
    assert found.exact
    assert found.delta(0.1) == pytest.approx(0.41939743958508435, abs=1e-15)
    assert compose(FLIP).delta(0.1) == profile(FLIP).delta(0.1)


def test_the_threshold_of_the_repeated_question() -> None:
    """At p = 0.286 one question is (0.1, 0.4)-private; two are not."""
    keep = Fraction("0.714985")
    asked = from_matrix(Categories(list("ab")), [[keep, 1 - keep], [1 - keep, keep]])
    assert compose(asked).delta("0.1") <= 0.4
    assert compose(asked, times=2).delta_bounds("0.1")[0] > 0.4


@given(tables(), st.integers(1, 3))
@settings(max_examples=50)
def test_powers_of_a_table(table: Table, times: int) -> None:
    found = compose(table, times=times)
    assert found.exact
    for ratio in RATIOS:
        assert encloses(found, ratio, delta_of_tables([(table, times)], ratio))


@given(st.integers(2, 3).flatmap(lambda n: st.tuples(tables(inputs=n), tables(inputs=n))))
@settings(max_examples=50)
def test_tables_on_one_space_face_the_same_two_inputs(parts: tuple[Table, Table]) -> None:
    found = compose([*parts, parts[0]])
    assert found.exact
    for ratio in RATIOS:
        truth = delta_of_tables([(parts[0], 2), (parts[1], 1)], ratio)
        assert encloses(found, ratio, truth)


@given(tables(), st.integers(1, 3))
@settings(max_examples=25)
def test_adaptive_choices_are_never_more_private(table: Table, times: int) -> None:
    fixed, adaptive = compose(table, times=times), compose(table, times=times, adaptive=True)
    for ratio in RATIOS:
        assert fixed.delta(Epsilon.log(ratio)) <= adaptive.delta(Epsilon.log(ratio))


@given(tables(inputs=2), tables(inputs=3))
@settings(max_examples=25)
def test_on_different_spaces_each_faces_its_own_worst(first: Table, second: Table) -> None:
    found = compose([first, second])
    for ratio in RATIOS:
        worst = Fraction(0)
        for x, y in [(0, 1), (1, 0)]:
            for a, b in second.space.neighbor_codes().tolist():
                for u, v in ((a, b), (b, a)):
                    both = [
                        (p * r, q * s)
                        for p, q in zip(first.weights[x], first.weights[y], strict=True)
                        for r, s in zip(second.weights[u], second.weights[v], strict=True)
                    ]
                    worst = max(worst, delta_of(both, first.total * second.total, ratio))
        assert encloses(found, ratio, worst)


@given(
    st.tuples(rows(3), rows(3)),
    st.fractions(1, 3, max_denominator=8),
    st.fractions(0, 1, max_denominator=20),
)
@settings(max_examples=50)
def test_a_table_with_a_guarantee(
    masses: tuple[list[int], list[int]], ratio: Fraction, delta: Fraction
) -> None:
    """The guarantee stands for its extremal pair, written out here."""
    weights = [[Fraction(w, 1024) for w in row] for row in masses]
    table = from_matrix(Categories(list("ab")), weights, outputs=range(3))
    found = compose([table, Guarantee(Epsilon.log(ratio), delta)])
    kept = (1 - delta) / (1 + ratio)
    extremal = [(delta, 0), (kept * ratio, kept), (kept, kept * ratio), (0, delta)]
    for level in RATIOS:
        deltas = [
            sum(
                (
                    max(p * r - level * q * s, Fraction(0))
                    for p, q in zip(weights[x], weights[1 - x], strict=True)
                    for r, s in extremal
                ),
                Fraction(0),
            )
            for x in (0, 1)
        ]
        assert encloses(found, level, max(deltas))


def test_a_list_counts_its_equal_members() -> None:
    again = from_matrix(Categories(["yes", "no"]), [[0.714, 0.286], [0.286, 0.714]])
    assert compose([FLIP, again, FLIP]) == compose(FLIP, times=3)
    assert compose([FLIP, Guarantee(1), FLIP, Guarantee("1")]) == compose(
        [FLIP, Guarantee(1)], times=2
    )


def test_a_product_over_rows_composes_like_one_row() -> None:
    assert compose(FLIP**5, times=3) == compose(FLIP, times=3)


def test_a_product_over_columns_is_a_composition() -> None:
    """Replacing a record changes every column at once."""
    together = compose(product(first=FLIP, second=FLIP))
    assert together.exact
    assert together.delta(0.5) == compose(FLIP, times=2).delta(0.5)


def test_a_wide_product_over_columns() -> None:
    columns = {f"column {n}": FLIP for n in range(12)}
    wide = compose(product(columns))
    assert wide.delta(3) == pytest.approx(compose(FLIP, times=12).delta(3), rel=1e-12)


def test_formulas_compose_like_their_tables() -> None:
    """A table is its formula up to rounding."""
    formula = compose(geometric(Counts(8), epsilon=0.1, table=False), times=50)
    table = compose(geometric(Counts(8), epsilon=0.1, table=True), times=50)
    assert formula.epsilon(1e-6) == pytest.approx(table.epsilon(1e-6), rel=1e-12)
    space = Categories(range(9))
    formula = compose(randomized_response(space, epsilon=1, delta=0.01, table=False), times=5)
    table = compose(randomized_response(space, epsilon=1, delta=0.01, table=True), times=5)
    assert formula.delta(2) == pytest.approx(table.delta(2), rel=1e-9)


def test_nothing_is_private() -> None:
    for found in (compose(FLIP, times=0), compose([]), compose(uniform(Counts(3)), times=7)):
        assert found.exact
        assert found.delta_bounds(0) == (0.0, 0.0)
        assert found.epsilon_bounds() == (0.0, 0.0)


def test_everything_is_given_away() -> None:
    identity = from_matrix(Categories(list("ab")), [[1, 0], [0, 1]])
    for found in (compose([identity, FLIP]), compose(Guarantee(1, 1), times=3)):
        assert found.delta_bounds(5) == (1.0, 1.0)
        assert found.epsilon_bounds(0.5) == (math.inf, math.inf)
        assert found.epsilon_bounds(1) == (0.0, 0.0)


def test_delta_of_a_guarantee_adds_up() -> None:
    found = compose(Guarantee("0.1", "1e-6"), times=20)
    low, high = found.delta_bounds(2)
    assert Fraction(low) <= 1 - (1 - Fraction(1, 10**6)) ** 20 <= Fraction(high)
    assert high - low <= 1e-18
    assert found.epsilon_bounds("1e-6") == (math.inf, math.inf)


def test_pure_privacy_adds_up_exactly() -> None:
    for times in (1, 7, 1000):
        table = compose(geometric(Counts(5), epsilon="0.1", table=False), times=times)
        low, high = table.epsilon_bounds()
        assert low <= times / 10 <= high
        assert high - low <= 1e-12 * high


def test_bounds_are_ordered_and_tight_for_a_random_table() -> None:
    found = compose(random_table(0, size=8, outputs=8), times=9, precision=1e-4)
    assert not found.exact
    assert found.gap <= 1e-3
    for epsilon in (0, 0.5, 1, 3, 8, 20):
        low, high = found.delta_bounds(epsilon)
        assert 0 <= low <= high <= 1
        assert high - low <= 1e-4


@pytest.mark.parametrize("seed", range(3))
def test_the_grid_agrees_with_the_exact_product(seed: int) -> None:
    """Two routes to one number: force the grid where the exact product is within reach."""
    table = random_table(seed, size=3, outputs=4)
    exact = compose(table, times=6)
    known = compose([table, Guarantee("0.000000001")], times=6)
    assert exact.exact
    assert not known.exact
    for delta in (0.5, 0.01, 1e-6):
        low, high = known.epsilon_bounds(delta)
        assert low - 1e-4 <= exact.epsilon(delta) <= high + 1e-9


def test_very_many_repetitions() -> None:
    """A million answers at ε = 0.001: within the bounds that zCDP gives, and far tighter."""
    found = compose(Guarantee("0.001"), times=10**6)
    low, high = found.epsilon_bounds(1e-6)
    assert high - low <= 1e-6
    assert high < ZeroConcentrated("0.5").epsilon(1e-6) < 10**6 * 0.001


def test_hopeless_repetitions_still_get_an_answer() -> None:
    found = compose(random_table(1), times=10**6)
    low, high = found.epsilon_bounds(1e-6)
    assert 1000 < low <= high < math.inf
    assert found.delta(1) == 1.0


def test_many_answers_of_binary_randomized_response_are_exact() -> None:
    found = compose(FLIP, times=1000)
    assert found.exact
    assert found.epsilon_bounds(1e-6)[0] == pytest.approx(511.9584672339, rel=1e-12)


def test_a_random_table_with_all_pairs_is_bounded() -> None:
    found = compose(random_table(0), times=10, precision=1e-4)
    assert found.gap <= 1e-3


def test_what_is_shown() -> None:
    assert "exact" in repr(compose(FLIP, times=2))
    shown = repr(compose(geometric(Counts(8), epsilon=0.1), times=100))
    assert "certified bounds" in shown
    assert "4.7745" in shown


@pytest.mark.parametrize("parts", [None, 3, "geometric", [FLIP, 0.1], [None], b"x"])
def test_other_parts_are_refused(parts: object) -> None:
    with pytest.raises(InputError, match=r"ZeroConcentrated\(rho\)"):
        compose(parts)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("times", [-1, 0.5, True, "2", None])
def test_times_must_be_whole(times: object) -> None:
    with pytest.raises(ParameterError, match="times is"):
        compose(FLIP, times=times)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("precision", [0, -1e-6, math.nan])
def test_precision_must_be_positive(precision: float) -> None:
    with pytest.raises(ParameterError, match="precision is"):
        compose(FLIP, precision=precision)


@pytest.mark.parametrize("delta", [-0.1, 1.5])
def test_delta_must_be_a_probability(delta: float) -> None:
    with pytest.raises(ParameterError, match="delta is"):
        compose(FLIP).epsilon(delta)
