"""Mechanisms asked for with the wrong space, parameter or matrix: what the user is told."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import (
    InputError,
    NoisewrightError,
    ParameterError,
    SpaceError,
    TableError,
    TooLargeError,
)
from noisewright.mechanisms import Geometric, Table

COLORS = nw.Categories(["red", "green", "blue"])
FAIR = [[0.5, 0.5], [0.5, 0.5]]

MATRICES: list[tuple[Any, str]] = [
    ([[0.5, 0.6], [0.5, 0.5]], r"row 0 sums to 1\.1; each row must sum to 1"),
    ([[0.5, 0.5], [0.5, 0.5 - 1e-6]], r"row 1 sums to 0\.999999; .*transpose the matrix"),
    ([[0.9, 0.3], [0.1, 0.7]], r"row 0 sums to 1\.2; .*if the columns sum to 1, transpose"),
    ([[1.5, -0.5], [0.5, 0.5]], r"row 0, column 1 is -0\.5; probabilities are at least 0"),
    ([[3, 1], [-1, 5]], r"row 1, column 0 is -1; probabilities are at least 0"),
    ([[Fraction(3, 2), Fraction(-1, 2)], [1, 0]], r"row 0, column 1 is -1/2; probabilities"),
    ([[0.5, 0.5], [float("nan"), 0.5]], r"row 1, column 0 is nan; probabilities are finite"),
    ([[0.5, float("inf")], [0.5, 0.5]], r"row 0, column 1 is inf; probabilities are finite"),
    ([[1, 0], [float("nan"), 0.5]], r"the entry at row 1, column 0 is nan; it must be finite"),
    ([[Decimal("inf"), 0], [0, 1]], r"the entry at row 0, column 0 is Infinity; it must be finite"),
    ([[1.7e308, 1.7e308], [0.5, 0.5]], r"row 0 sums to about 2\^1024; each row must sum to 1"),
    (
        [[1, 2], [2, 2]],
        "row 1 of integer weights sums to 4, row 0 to 3; .* one common positive sum",
    ),
    ([[0, 0], [0, 0]], "one common positive sum"),
    ([[0.5, 0.5], [1.0]], "row 1 has 1 entries, row 0 has 2"),
    ([], "the matrix is empty"),
    ([[], []], "the matrix is empty"),
    (np.empty((0, 2)), "the matrix is empty"),
    ([0.5, 0.5], "must be a list of rows of numbers"),
    (np.array([0.5, 0.5]), "the matrix has 1 dimensions; it must have two"),
    (np.ones((1, 2, 2)), "the matrix has 3 dimensions; it must have two"),
    ([[1.0, 0.0]], r"the matrix has 1 rows; Counts\(1\) has 2 points, and each needs one row"),
    (np.eye(3), "the matrix has 3 rows"),
    ("eye", "the matrix is a str; give a list of rows"),
    (["10", "01"], "a row is a text"),
    (None, "the matrix is a NoneType; give a list of rows"),
    (7, "the matrix is a int; give a list of rows"),
    ([["half", "half"], FAIR[0]], r"the entry at row 0, column 0 is 'half'; it must be a float"),
    ([[None, 1], FAIR[0]], r"the entry at row 0, column 0 is of type NoneType"),
    ([[True, False], [False, True]], r"the entry at row 0, column 0 is True; it must be a float"),
    (np.eye(2, dtype=bool), r"the entry at row 0, column 0 is True; it must be a float"),
    ([[1j, 0], FAIR[0]], r"the entry at row 0, column 0 is of type complex"),
]


@pytest.mark.parametrize(("matrix", "message"), MATRICES)
def test_a_matrix_that_is_no_mechanism(matrix: Any, message: str) -> None:
    with pytest.raises(TableError, match=message):
        nw.from_matrix(nw.Counts(1), matrix)


def test_a_matrix_without_a_space_or_with_wrong_outputs() -> None:
    with pytest.raises(TableError, match="the first argument is a list; it must be a space"):
        nw.from_matrix(FAIR, nw.Counts(1))  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="there are 3 outputs but 2 columns"):
        nw.from_matrix(nw.Counts(1), FAIR, outputs=["a", "b", "c"])
    with pytest.raises(SpaceError, match="the label 'a' is given twice"):
        nw.from_matrix(nw.Counts(1), FAIR, outputs=["a", "a"])
    with pytest.raises(TableError, match=r"has 2\^16000 or more points"):
        nw.from_matrix(nw.Subsets(range(16_000)), FAIR)


def table(weights: Any, total: Any = 4) -> Table:
    return Table(nw.Counts(1), np.array(weights, dtype=object), total=total)


TABLES: list[tuple[Callable[[], Any], str]] = [
    (lambda: table([[2, 2], [3, 2]]), r"row 1 sums to 2\^2 \+ 1; each row must sum to exactly"),
    (lambda: table([[2, 2], [3, 0]]), r"row 1 sums to 2\^2 − 1; each row"),
    (lambda: table([[2, 1], [2, 2]], 3), r"row 1 sums to 3 \+ 1; each row must sum to exactly 3,"),
    (lambda: table([[0, 0], [0, 0]], 0), r"the total is 0; it must be an integer of at least 1"),
    (lambda: table([[2, 2], [2, 2]], 4.0), r"the total is 4\.0; it must be an integer"),
    (lambda: table([[1, 1], [1, 1]], 1 << 20_000), r"row 0 sums to 2\^20000 − about 2\^19999"),
    (
        lambda: table([[5, -1], [2, 2]]),
        "row 0, column 1 is -1; it must be an integer of at least 0",
    ),
    (lambda: table([[2.0, 2], [2, 2]]), r"row 0, column 0 is 2\.0; it must be an integer"),
    (lambda: table([[True, 3], [2, 2]]), "row 0, column 0 is True; it must be an integer"),
    (lambda: table([[2, 2]]), r"shape \(1, 2\); 2 inputs and 2 outputs need one row per input"),
]


@pytest.mark.parametrize(("make", "message"), TABLES)
def test_a_table_checks_itself(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(TableError, match=message):
        make()


CALLS: list[tuple[Callable[[], Any], type[NoisewrightError], str]] = [
    (lambda: nw.geometric(nw.Counts(8)), ParameterError, "give epsilon= or alpha="),
    (lambda: nw.geometric(nw.Counts(8), epsilon=0), ParameterError, r"Use nw\.uniform\(space\)"),
    (lambda: nw.geometric(nw.Counts(8), alpha=1), ParameterError, r"Use nw\.uniform\(space\)"),
    (lambda: nw.geometric(nw.Counts(8), epsilon=-1), ParameterError, "must be at least 0"),
    (lambda: nw.geometric(nw.Counts(8), epsilon=True), ParameterError, "epsilon is True"),
    (lambda: nw.geometric(COLORS, epsilon=1), SpaceError, r"is for counts, as in Counts\(8\)"),  # pyright: ignore[reportArgumentType]
    (
        lambda: nw.geometric(nw.Counts(8, neighbors="replace"), epsilon=1),
        SpaceError,
        "protects adjacent counts, .* randomized_response",
    ),
    (
        lambda: nw.geometric(nw.Counts(10**6), epsilon=1, table=True),
        TooLargeError,
        "Use table=False: the formula needs no table",
    ),
    (lambda: nw.geometric(nw.Counts(2**63), epsilon=1), TooLargeError, r"beyond 2\^62"),
    (lambda: Geometric(nw.Counts(8), nw.accounting.Epsilon.of(0)), ParameterError, "epsilon is 0"),
    (lambda: nw.explicit_fair(COLORS, epsilon=1), SpaceError, "is for counts"),  # pyright: ignore[reportArgumentType]
    (lambda: nw.explicit_fair(nw.Counts(8), epsilon=0), ParameterError, r"Use nw\.uniform"),
    (lambda: nw.explicit_fair(nw.Counts(10**6), epsilon=1), TooLargeError, "Use a smaller n"),
    (
        lambda: nw.randomized_response(nw.Categories(["one"]), epsilon=1),
        SpaceError,
        "needs at least two points",
    ),
    (
        lambda: nw.randomized_response(COLORS, epsilon=0),
        ParameterError,
        r"epsilon and delta are both 0.*Use nw\.uniform",
    ),
    (
        lambda: nw.randomized_response(COLORS, epsilon=1, delta=1.5),
        ParameterError,
        r"delta is 1\.5; it must lie between 0 and 1",
    ),
    (
        lambda: nw.randomized_response(COLORS, epsilon=1, delta=-0.1),
        ParameterError,
        r"delta is -0\.1; it must lie between 0 and 1",
    ),
    (
        lambda: nw.randomized_response(nw.Counts(10**6), epsilon=1, table=True),
        TooLargeError,
        "Use table=False",
    ),
    (
        lambda: nw.randomized_response(nw.Subsets(range(16_000)), epsilon=1),
        TooLargeError,
        r"has 2\^16000 or more points; .*Use a product of smaller columns",
    ),
    (lambda: nw.uniform(nw.Counts(10**6)), TooLargeError, "Use fewer points"),
    (lambda: (nw.uniform(COLORS) ** 30).table(), TooLargeError, "Sample row by row"),
    (lambda: nw.uniform(COLORS) ** 0, ParameterError, "the number of rows is 0"),
    (lambda: nw.combine.product(), InputError, r"at least one column, as in product\(job="),
    (lambda: nw.combine.product(a=5), InputError, "the column 'a' is not a mechanism"),  # pyright: ignore[reportArgumentType]
    (lambda: nw.combine.mixture([]), InputError, "at least one mechanism"),
    (lambda: nw.combine.mixture([5]), InputError, "takes finite mechanisms; got 5"),  # pyright: ignore[reportArgumentType]
    (
        lambda: nw.combine.mixture([nw.uniform(COLORS), nw.uniform(nw.Counts(2))]),
        SpaceError,
        "the same inputs and outputs",
    ),
    (
        lambda: nw.combine.mixture([nw.uniform(COLORS)], [1, 0]),
        ParameterError,
        "needs 1 weights of at least 0",
    ),
    (
        lambda: nw.combine.mixture([nw.uniform(COLORS)] * 2, [2, -1]),
        ParameterError,
        "weights of at least 0",
    ),
    (
        lambda: nw.combine.mixture([nw.uniform(COLORS)] * 2, [0.5, 0.6]),
        ParameterError,
        r"the weights sum to 1\.1; they must sum to 1",
    ),
    (lambda: nw.uniform(COLORS).then(5), InputError, "a function, a mapping, a finite mechanism"),
    (
        lambda: nw.uniform(COLORS).then({"red": 1}),
        InputError,
        "the mapping has no entry for the output 'green'",
    ),
    (
        lambda: nw.uniform(COLORS).then(nw.uniform(nw.Counts(2))),
        SpaceError,
        "They must be the same points",
    ),
    (lambda: nw.uniform(COLORS).then([[1, 0], [0, 1]]), TableError, "the matrix has 2 rows"),
    (lambda: nw.uniform(COLORS).then(lambda _: None), SpaceError, r"labels\[0\] is None"),
    (
        lambda: nw.uniform(COLORS).then(str.upper, outputs=["RED"]),
        InputError,
        r"not a point of Categories\(\['RED'\]\)",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), CALLS)
def test_what_cannot_be_made(
    call: Callable[[], Any], error: type[NoisewrightError], message: str
) -> None:
    with pytest.raises(error, match=message):
        call()


MADE_FROM_A_SPACE: list[Callable[..., Any]] = [
    nw.randomized_response,
    nw.discrete_exponential,
    nw.design,
    nw.analysis.error_bound,
    lambda space, **_: nw.uniform(space),
]


@pytest.mark.parametrize("make", MADE_FROM_A_SPACE, ids=["rr", "dem", "design", "bound", "uniform"])
def test_values_are_no_space(make: Callable[..., Any]) -> None:
    with pytest.raises(ParameterError, match="declare what these are"):
        make(["yes", "no"], epsilon=1)
    with pytest.raises(ParameterError, match="space is of type int"):
        make(8, epsilon=1)
