"""The worst input on long lines of counts: a game of relabelings, proven like any other route."""

from fractions import Fraction
from typing import Any

import pytest

import noisewright as nw
from noisewright.designs.lines.game import by_game
from tests.designs.test_bound import problem_of


@pytest.mark.parametrize("loss", ["L1", "L2", "L0,1"])
@pytest.mark.parametrize("alpha", ["1/10", "0.7", "0.9"])
@pytest.mark.parametrize("n", [2, 7, 12])
def test_it_finds_what_the_program_over_all_entries_finds(n: int, alpha: str, loss: str) -> None:
    problem = problem_of(n=n, alpha=alpha, loss=loss, goal="worst")
    answer = by_game(problem, more_than=0)
    assert answer is not None
    program = nw.design(nw.Counts(n), alpha=alpha, loss=loss, goal="worst")
    assert "linear program" in program.route
    assert nw.verify(answer.mechanism, alpha=alpha).holds
    reached = nw.loss(answer.mechanism, loss, goal="worst")
    assert reached == pytest.approx(program.loss, rel=1e-7)
    assert float(answer.bound) <= program.loss
    assert float(answer.bound) == pytest.approx(program.loss, rel=1e-7)


def twice_above(x: int, y: int) -> int:
    """Too much costs twice as much as too little: not the same from both ends."""
    return max(2 * (y - x), x - y)


@pytest.mark.parametrize("n", [7, 12])
def test_costs_that_differ_from_both_ends(n: int) -> None:
    problem = problem_of(n=n, alpha="0.7", loss=twice_above, goal="worst")
    answer = by_game(problem, more_than=0)
    assert answer is not None
    program = nw.design(nw.Counts(n), alpha="0.7", loss=twice_above, goal="worst")
    reached = nw.loss(answer.mechanism, twice_above, goal="worst")
    assert reached == pytest.approx(program.loss, rel=1e-7)
    assert float(answer.bound) == pytest.approx(program.loss, rel=1e-7)


@pytest.mark.parametrize("n", [11, 12])
def test_costs_that_are_the_same_from_both_ends_give_such_a_mechanism(n: int) -> None:
    answer = by_game(problem_of(n=n, alpha="0.9", loss="L1", goal="worst"), more_than=0)
    assert answer is not None
    matrix = answer.mechanism.matrix
    assert matrix == pytest.approx(matrix[::-1, ::-1], abs=1e-12)


def test_many_counts_take_it_and_the_checker_proves_the_bound() -> None:
    found = nw.design(nw.Counts(90), alpha="0.9", loss="L1", goal="worst")
    assert "relabeled at random" in found.route
    assert found.gap <= 1e-7
    certificate = nw.certify(found)
    assert certificate.bound is not None
    assert nw.check(certificate).holds


def test_lines_so_long_that_columns_grow_beyond_all_digits() -> None:
    """A private column may be e^200 times as large at one end as at the other."""
    found = nw.design(nw.Counts(200), epsilon=1, loss="L1", goal="worst")
    assert "relabeled at random" in found.route
    assert found.gap <= 1e-7
    assert nw.check(nw.certify(found)).holds


@pytest.mark.parametrize("loss", ["L1", "L2"])
@pytest.mark.parametrize("alpha", ["1/10", "1/1000"])
def test_long_lines_with_a_prior_are_proven_too(alpha: str, loss: str) -> None:
    weights = [1 + j * 7919 % 13 for j in range(101)]
    prior = [Fraction(weight, sum(weights)) for weight in weights]
    found = nw.design(nw.Counts(100), alpha=alpha, loss=loss, prior=prior)
    assert "geometric" in found.route
    assert found.gap <= 1e-10
    assert nw.check(nw.certify(found)).holds


@pytest.mark.parametrize(
    "asked",
    [
        {"goal": "expected"},
        {"goal": "worst", "delta": "0.1"},
        {"goal": "worst", "properties": "F"},
    ],
)
def test_other_problems_are_left_to_other_routes(asked: dict[str, Any]) -> None:
    problem = problem_of(n=6, alpha="0.5", loss="L1", **asked)
    assert by_game(problem, more_than=0) is None


def test_costs_that_do_not_grow_with_distance_go_to_the_program() -> None:
    """The theorem behind the game needs that; without it the bound does not meet the loss."""
    costs = [[(3 * i + 5 * j) % 7 for i in range(6)] for j in range(6)]
    problem = problem_of(n=5, alpha="0.5", loss=costs, goal="worst")
    assert by_game(problem, more_than=0) is None
    found = nw.design(nw.Counts(5), alpha="0.5", loss=costs, goal="worst")
    assert "linear program" in found.route
    assert found.gap <= 1e-9
