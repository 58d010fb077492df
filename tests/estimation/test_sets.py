"""Shares of items and of pairs of items, from sets whose items were randomized."""

from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import InputError, OutsideSpaceError, ParameterError, TooLargeError
from noisewright.estimation.intervals.intervals import Sample
from noisewright.estimation.sets.item_shares import coins_of, item_variances, shares_of_pairs

ITEMS = ["tea", "milk", "bread", "salt"]
SPACE = nw.Subsets(ITEMS)
MECHANISM = nw.per_item(SPACE, epsilon=4)
BOUNDED = nw.per_item(nw.Subsets(ITEMS, largest=1), epsilon=2)


def released_pairs(people: list[set[str]]) -> Any:
    """All releases of these people, restricted to two items, with their probabilities."""
    p, q = float(BOUNDED.present), float(BOUNDED.absent)
    coins = [[p if item in one else q for item in ("tea", "milk")] for one in people]
    for bits in product([0, 1], repeat=2 * len(people)):
        flat = [coin for pair in coins for coin in pair]
        chance = np.prod([c if b else 1 - c for b, c in zip(bits, flat, strict=True)])
        sets = [
            {
                item
                for item, bit in zip(("tea", "milk"), bits[2 * i : 2 * i + 2], strict=True)
                if bit
            }
            for i in range(len(people))
        ]
        yield float(chance), sets


def test_shares_are_unbiased_and_the_variances_of_items_exact() -> None:
    people = [{"tea"}, {"tea", "milk"}, set[str]()]
    mean = square = np.zeros((2, 2))
    for chance, sets in released_pairs(people):
        values = nw.estimate(sets, BOUNDED, of=["tea", "milk"]).values
        mean, square = mean + chance * values, square + chance * values**2
    assert np.allclose(mean, [[2 / 3, 1 / 3], [1 / 3, 1 / 3]])
    expected = item_variances(np.array([2 / 3, 1 / 3]), coins_of(BOUNDED), "people") / 3
    assert np.allclose(np.diagonal(square - mean**2), expected)
    # Of a pair: E g² by hand, from who has both, one or none of the two.
    coins = coins_of(BOUNDED)
    second = (coins.inside * coins.outside + coins.inside**2 + coins.outside**2) / 3
    assert (square - mean**2)[0, 1] == pytest.approx((second - 1 / 3) / 3)


def baskets(people: int) -> Any:
    """Baskets in which milk goes with tea, and salt is rare."""
    random = np.random.default_rng(people)
    tea = random.random(people) < 0.5
    milk = random.random(people) < np.where(tea, 0.6, 0.1)
    others = random.random((people, 2)) < [0.2, 0.01]
    return np.column_stack([tea, milk, others])


def forms(mechanism: Any, truth: Any) -> dict[str, Any]:
    released = mechanism.sample(truth, source=nw.randomness.SeededSource(3))
    lists = [[ITEMS[i] for i in np.flatnonzero(row)] for row in released]
    arrow = pa.array(lists, pa.list_(pa.string()))
    ends = np.cumsum([0, *released.sum(axis=1).tolist()])
    return {
        "matrix": released,
        "lists": lists,
        "sets": [set(row) for row in lists],
        "arrow": arrow,
        "chunks": pa.chunked_array([arrow.slice(0, 77), arrow.slice(77)]),
        "pair of arrays": (np.nonzero(released)[1].astype(np.int32), ends),
        "bits": np.packbits(released, axis=1, bitorder="little"),
    }


@pytest.mark.parametrize("of", ["items", "pairs"])
def test_every_form_of_sets_gives_the_same_answers(
    of: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("noisewright.estimation.sets.item_shares.BATCH", 50)
    monkeypatch.setattr("noisewright.estimation.sets.item_shares._DENSE", 120)
    found = {
        name: nw.estimate(form, MECHANISM, of=of).values
        for name, form in forms(MECHANISM, baskets(300)).items()
    }
    for name, values in found.items():
        assert np.array_equal(values, found["matrix"]), name


def test_pairs_have_the_items_on_their_diagonal() -> None:
    released = MECHANISM.sample(baskets(500), source=nw.randomness.SeededSource(4))
    pairs = nw.estimate(released, MECHANISM, of="pairs")
    items = nw.estimate(released, MECHANISM)
    assert np.allclose(np.diagonal(pairs.values), items.values)
    assert np.allclose(np.diagonal(pairs.highs), items.highs)
    assert np.allclose(pairs.values, pairs.values.T)
    some = nw.estimate(released, MECHANISM, of=["salt", "tea"])
    assert some["salt", "tea"].interval == pytest.approx(pairs["salt", "tea"].interval)
    assert list(items.top(2).axes[0].labels) == ["tea", "milk"]


@pytest.mark.parametrize("about", ["people", "population"])
@pytest.mark.parametrize("epsilon", [2, 12])
@pytest.mark.parametrize("people", [500, 50_000])
def test_intervals_cover(people: int, epsilon: float, about: str) -> None:
    """400 releases, seeded; ε = 12 for four items is 3 for each of them."""
    mechanism = nw.per_item(SPACE, epsilon=epsilon)
    p, q = float(mechanism.present), float(mechanism.absent)
    random = np.random.default_rng(people)
    truth = baskets(people)
    cells = np.array(list(product([0, 1], repeat=4)))
    shares = np.bincount(truth @ [8, 4, 2, 1], minlength=16) / people
    chances = np.where(cells[:, None, :] == 1, p, q)
    rows = np.where(cells[None, :, :] == 1, chances, 1 - chances).prod(axis=2)
    target = (shares[:, None, None] * cells[:, :, None] * cells[:, None, :]).sum(axis=0)
    hits = np.zeros((4, 4))
    for _ in range(400):
        if about == "people":
            counts = random.multinomial((shares * people).round().astype(int), rows).sum(axis=0)
        else:
            counts = random.multinomial(people, shares @ rows)
        found = _from_cells(counts, cells, mechanism, about)
        hits += (found.lows <= target) & (target <= found.highs)
    covered = hits / 400
    assert 0.935 <= covered.mean() <= 0.965
    assert 0.91 <= covered.min() <= covered.max() <= 0.985


def _from_cells(counts: Any, cells: Any, mechanism: Any, about: Any) -> Any:
    both = (counts[:, None, None] * cells[:, :, None] * cells[:, None, :]).sum(axis=0)
    people = int(counts.sum())
    return shares_of_pairs(both, coins_of(mechanism), ITEMS, Sample(people, about))


def test_plans_for_items() -> None:
    planned = nw.planning.expected_error(MECHANISM, people=400, shares={"tea": 0.5})
    p, q = float(MECHANISM.present), float(MECHANISM.absent)
    seen = (p + q) / 2
    assert planned["tea"].standard_error == pytest.approx(
        np.sqrt(seen * (1 - seen) / 400) / (p - q)
    )
    for about in ("people", "population"):
        worst = nw.planning.expected_error(MECHANISM, people=400, shares="worst", about=about)
        tried = [
            nw.planning.expected_error(MECHANISM, people=400, shares=share, about=about)[
                "tea"
            ].standard_error
            for share in np.linspace(0, 1, 41)
        ]
        assert max(tried) == pytest.approx(worst["tea"].standard_error, rel=1e-3)
    found = nw.planning.epsilon_for(nw.Subsets(ITEMS, largest=2), target=0.02, people=10_000)
    assert found.expected.standard_errors.max() == pytest.approx(0.02, rel=1e-4)


def test_what_sets_cannot_answer() -> None:
    many = nw.per_item(nw.Subsets(range(5_000), largest=1), epsilon=1)
    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: nw.estimate([{"tea"}, {"gin"}], MECHANISM), OutsideSpaceError, "row 2"),
        (lambda: nw.estimate(pa.array([["tea"], None]), MECHANISM), OutsideSpaceError, "empty"),
        (lambda: nw.estimate([], MECHANISM), ParameterError, "no released"),
        (lambda: nw.estimate([{"tea"}], MECHANISM, of=["gin"]), InputError, "'gin'"),
        (lambda: nw.estimate([{"tea"}], MECHANISM, of="tea"), InputError, "list of the items"),
        (lambda: nw.estimate([{"tea"}], MECHANISM, method="likelihood"), InputError, "unbiased"),
        (lambda: nw.estimate([{1}], many, of="pairs"), TooLargeError, "Name the items"),
        (lambda: nw.estimate(np.zeros((2, 9), np.uint8), MECHANISM), InputError, "9 bytes"),
        (
            lambda: nw.planning.expected_error(MECHANISM, people=9, of="pairs"),
            InputError,
            "'items'",
        ),
        (
            lambda: nw.planning.expected_error(MECHANISM, people=9, shares=2),
            ParameterError,
            "0 and 1",
        ),
        (
            lambda: nw.planning.expected_error(MECHANISM, people=9, shares={"gin": 1}),
            InputError,
            "'gin'",
        ),
    ]
    for call, kind, message in cases:
        with pytest.raises(kind, match=message):
            call()
