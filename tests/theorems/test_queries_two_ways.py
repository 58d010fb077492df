"""Holohan–Leith–Mason 2015, Theorem 4 and the remark after it: a sanitized database may be asked
any number of queries; with output perturbation, asking again spends again.
"""

import math
from fractions import Fraction
from itertools import product

import pytest

import noisewright as nw

P = Fraction(286, 1000)
COIN = nw.from_matrix(nw.Categories([0, 1]), [[1 - P, P], [P, 1 - P]])


def repeated(k: int, epsilon: float) -> float:
    """δ of k answers from the definition: all 2^k answers, one by one."""
    p = float(P)
    total = 0.0
    for answers in product((0, 1), repeat=k):
        ones = sum(answers)
        here, there = (1 - p) ** (k - ones) * p**ones, p ** (k - ones) * (1 - p) ** ones
        total += max(0.0, here - math.exp(epsilon) * there)
    return total


def test_the_example_of_the_paper() -> None:
    """Asked once, (0.1, 0.4) holds from p = 0.285012 on; asked twice it fails at p = 0.286."""
    assert (1 - 0.4) / (1 + math.exp(0.1)) == pytest.approx(0.285012, abs=1e-6)
    for p, holds in (("0.285013", True), ("0.285012", False)):
        chance = Fraction(p)
        coin = nw.from_matrix(nw.Categories([0, 1]), [[1 - chance, chance], [chance, 1 - chance]])
        asked = nw.analysis.OutputPerturbation(lambda database: database, coin)
        assert (asked.delta("1/10") <= 0.4) == holds
    asked = nw.analysis.OutputPerturbation(lambda database: int(sum(database) > 1), COIN)
    assert asked.delta("1/10") <= 0.4
    twice = float((1 - P) ** 2), math.exp(0.1) * float(P**2) + 0.4
    assert twice == (pytest.approx(0.509796, abs=1e-6), pytest.approx(0.490399, abs=1e-6))
    assert asked.delta("1/10", queries=2) == pytest.approx(0.41939743958508435, abs=1e-9)
    assert asked.affordable(epsilon="1/10", delta="2/5") == 1
    assert asked.affordable(epsilon="1/10", delta="0.42") == 2
    assert asked.affordable(epsilon="1/10", delta="0.1") == 0


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_the_whole_curve(epsilon: float) -> None:
    asked = nw.analysis.OutputPerturbation(lambda database: database, COIN)
    expected = [repeated(k, epsilon) for k in range(1, 11)]
    assert asked.deltas(epsilon, most=10) == pytest.approx(expected, abs=1e-12)
    assert asked.together(10).exact
    assert asked.epsilon(0, queries=3) == pytest.approx(3 * math.log(float((1 - P) / P)))
    assert asked.epsilon(0) == pytest.approx(math.log(float((1 - P) / P)))


def test_a_sanitized_database_answers_for_free() -> None:
    asked = nw.analysis.SanitizedResponse(COIN**4)
    once = asked.delta("1/10")
    assert once == pytest.approx(repeated(1, 0.1), abs=1e-12)
    assert {asked.delta("1/10", queries=k) for k in (1, 2, 100)} == {once}
    assert asked.epsilon("1/10", queries=50) == asked.epsilon("1/10")
    released = asked.release([0, 1, 1, 0], source=nw.randomness.SeededSource(1))
    assert [released.answer(sum) for _ in range(5)] == [sum(released.data)] * 5
    # Theorem 4 itself: whatever is computed from the output, the table is no less private.
    whole = (COIN**2).table()
    for query in (sum, max, lambda rows: rows[0], lambda rows: f"{sum(rows)} {max(rows)}"):
        assert nw.tight_delta(whole.then(query), epsilon="1/10") <= once + 1e-15
    assert nw.tight_delta(whole.then(str), epsilon="1/10") == once


def test_repeated_queries_with_laplace_noise() -> None:
    """The pair of the formula composes as its truncated table does."""
    space = nw.Interval(0, 1, step="1/5")
    formula = nw.analysis.OutputPerturbation(max, nw.laplace(space, epsilon=1))
    table = nw.analysis.OutputPerturbation(
        max, nw.laplace(space, epsilon=1, form="truncated", table=True)
    )
    for k in (1, 2, 6):
        for epsilon in (0.5, 2):
            assert formula.delta(epsilon, queries=k) == pytest.approx(
                table.delta(epsilon, queries=k), abs=1e-9
            )
        assert formula.epsilon(queries=k) == pytest.approx(k)


def test_the_query_is_checked_against_the_databases() -> None:
    databases = nw.Counts(3, neighbors="replace") ** 2
    near = nw.laplace(nw.Interval(0, 6, step=1), epsilon=1, sensitivity=3)
    assert nw.analysis.OutputPerturbation(sum, near, databases).answer((1, 2)) is not None
    too_near = nw.laplace(nw.Interval(0, 6, step=1), epsilon=1, sensitivity=2)
    with pytest.raises(nw.errors.NotPrivateError, match="not neighbors") as caught:
        nw.analysis.OutputPerturbation(sum, too_near, databases)
    assert caught.value.witness is not None


def test_what_is_refused() -> None:
    with pytest.raises(nw.errors.InputError, match="it must be a mechanism"):
        nw.analysis.SanitizedResponse(3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(nw.errors.InputError, match="function of the database"):
        nw.analysis.OutputPerturbation(3, COIN)  # pyright: ignore[reportArgumentType]
    for queries in (0, True, 1.5):
        with pytest.raises(nw.errors.ParameterError, match="queries"):
            nw.analysis.SanitizedResponse(COIN).delta(1, queries=queries)  # pyright: ignore[reportArgumentType]
