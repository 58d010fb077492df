"""What one replaced row can change, over all small datasets, against what the noise is for."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.models.naive_bayes import choices
from noisewright.sampling import balanced_geometric
from noisewright.synthetic.by_mst.choose_pairs import independence_score
from noisewright.synthetic.tallies import Tallies

TINY = nw.Records(y=nw.Categories(["a", "b"]), f=nw.Categories(["p", "q", "r"]), g=nw.Counts(1))
TABLES = [("y", "f"), ("y", "g")]

Dataset = tuple[tuple[int, ...], ...]


def datasets(rows: int) -> Iterator[Dataset]:
    yield from product(product(range(2), range(3), range(2)), repeat=rows)


def replaced(data: Dataset) -> Iterator[Dataset]:
    for place, record in product(range(len(data)), product(range(2), range(3), range(2))):
        yield (*data[:place], record, *data[place + 1 :])


@cache
def tallied(data: Dataset, names: Any = tuple(TABLES)) -> Tallies:
    columns = {c: [row[i] for row in data] for i, c in enumerate(("y", "f", "g"))}
    return Tallies.of([columns], TINY, list(names))


def table_of(data: Dataset) -> dict[str, Any]:
    columns = zip(("y", "f", "g"), zip(*data, strict=True), strict=True)
    spaces = dict(TINY.columns)
    return {name: [spaces[name].point(code) for code in codes] for name, codes in columns}


def worst_loss(one: Tallies, other: Tallies, decays: list[Fraction]) -> Fraction:
    """The largest log of P(output | one) / P(output | other), over all outputs, exactly."""
    return sum(
        (
            decay * table_loss(tuple(one.counts[names].flat), tuple(other.counts[names].flat))
            for names, decay in zip(TABLES, decays, strict=True)
        ),
        start=Fraction(0),
    )


@cache
def noisy_tables(rows: int, cells: int) -> Any:
    """All noisy tables of so many rows, near to possible ones: noise adds up to 0."""
    listed = np.array(list(product(range(-1, rows + 2), repeat=cells)))
    return listed[listed.sum(axis=1) == rows]


@cache
def table_loss(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    """The largest |y − b| − |y − a|, where y has the total of a, and so has b."""
    y = noisy_tables(sum(a), len(a))
    assert sum(a) == sum(b)
    return int((np.abs(y - b).sum(axis=1) - np.abs(y - a).sum(axis=1)).max())


def decays(model: nw.models.PrivateNaiveBayes) -> list[Fraction]:
    return [one.noise.amount / one.noise.change for one in model.measurements_]


def test_replacing_a_row_costs_exactly_epsilon() -> None:
    """The largest loss over all datasets of two rows and all neighbors is ε, to the last bit."""
    epsilon = Fraction(3, 7)
    data = next(datasets(2))
    model = nw.models.PrivateNaiveBayes(TINY, label="y", epsilon=epsilon, ledger=None).fit(
        table_of(data)
    )
    found = decays(model)
    losses = {
        worst_loss(tallied(one), tallied(other), found)
        for one in datasets(2)
        for other in replaced(one)
    }
    assert max(losses) == epsilon


def test_one_row_more_is_not_hidden() -> None:
    """The number of rows is public: noisy tables add up to it, whatever the noise."""
    for rows in (2, 3):
        data = next(datasets(rows))
        model = nw.models.PrivateNaiveBayes(TINY, label="y", epsilon=1, ledger=None).fit(
            table_of(data)
        )
        assert {int(one.counts.sum()) for one in model.measurements_} == {rows}


def test_a_row_changes_two_cells_of_a_table_by_one() -> None:
    """So the squared change is 2 as well, which is what normal noise is scaled for."""
    changes = {
        int(((tallied(one).counts[names] - tallied(other).counts[names]) ** 2).sum())
        for one in datasets(2)
        for other in replaced(one)
        for names in TABLES
    }
    assert changes == {0, 2}


def test_the_measure_of_dependence_changes_by_at_most_two() -> None:
    shares = np.array([0.3, 0.7]), np.array([0.2, 0.2, 0.6])
    names = ("y", "f")
    scores = {
        data: independence_score(tallied(data, (names,)), names, *shares) for data in datasets(2)
    }
    changes = {abs(scores[one] - scores[other]) for one in scores for other in replaced(one)}
    assert max(changes) == 2


def test_the_noise_that_is_drawn_is_the_noise_that_was_proven() -> None:
    data = table_of(((0, 1, 0), (1, 2, 1), (1, 0, 0)))
    model = nw.models.PrivateNaiveBayes(
        TINY, label="y", epsilon=1, source=nw.randomness.SeededSource(5), ledger=None
    ).fit(data)
    source = nw.randomness.SeededSource(5)
    truth = tallied(((0, 1, 0), (1, 2, 1), (1, 0, 0)))
    for names, decay, table in zip(TABLES, decays(model), model.measurements_, strict=True):
        counts = truth.counts[names]
        (drawn,) = balanced_geometric(nw.accounting.Epsilon(rational=decay), counts.size, 1, source)
        assert (table.counts == counts + drawn.reshape(counts.shape)).all()


@pytest.mark.parametrize("model", [nw.models.PrivateNaiveBayes, nw.models.PrivateTree])
@pytest.mark.parametrize("delta", [0, Fraction(1, 10**6)], ids=["pure", "delta"])
def test_the_parts_add_up_to_what_was_asked(model: Any, delta: Fraction) -> None:
    epsilon = Fraction(1, 3)
    fitted = model(TINY, label="y", epsilon=epsilon, delta=delta, ledger=None).fit(
        table_of(((0, 1, 0), (1, 2, 1)) * 50)
    )
    spent = sum(spend.amount for spend in fitted.spends_)
    claim = fitted.guarantee_
    assert claim.epsilon == nw.accounting.Epsilon(rational=epsilon)
    if fitted.spends_[0].unit == "epsilon":
        assert spent == epsilon
        assert claim.delta == 0
    else:
        assert claim.delta == delta
        assert nw.accounting.ZeroConcentrated(spent).delta(claim.epsilon) <= delta


def test_the_better_noise_is_chosen() -> None:
    """Few tables: geometric noise. Many: normal noise, once there is a δ."""
    few = choices(1, Fraction(1, 10**9), [4, 4])
    many = choices(1, Fraction(1, 10**9), [4] * 100)
    assert [one.words for one in few] == ["two-sided geometric", "rounded normal"]
    assert [one.words for one in many] == ["rounded normal", "two-sided geometric"]
    assert few[0].expected_error < few[1].expected_error
    assert [one.words for one in choices(1, 0, [4] * 100)] == ["two-sided geometric"]


def test_shares_of_the_budget_are_the_best() -> None:
    """Moving some of the budget from one table to another makes the expected error larger."""
    (best,) = choices(Fraction(1, 10), 0, [4, 100, 900])
    for source, target in ((0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0)):
        amounts = list(best.amounts)
        amounts[source] -= amounts[source] / 20
        amounts[target] += best.amounts[source] / 20
        moved = type(best)(best.budget, tuple(amounts), best.cells)
        assert moved.expected_error > best.expected_error
