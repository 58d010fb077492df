"""Sets and curves as several columns: exact, back together again, one row for one person."""

from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.curves import in_basis
from noisewright.errors import ParameterError, TooLargeError
from noisewright.sampling import SeededSource
from noisewright.synthetic import Bins, SplitColumns, Tallies
from noisewright.synthetic.split.item_columns import move_items
from noisewright.tables import Field

ITEMS = ("milk", "bread", "tea")
FIELDS = {
    "sex": Field(nw.Categories(["f", "m"])),
    "basket": Field(nw.Subsets(ITEMS, largest=2)),
    "load": nw.Column(nw.Curves([0, 1, 2], low=0, high=1, step=1), basis="values"),
}


def tallies_of(rows: Any) -> Tallies:
    """Count rows of (sex, basket, load) by up to three of the split columns, in bins."""
    split = SplitColumns(FIELDS)
    cells = {
        name: field.cells.encode([row[place] for row in rows])
        for place, (name, field) in enumerate(FIELDS.items())
    }
    grid = Bins.of(split.domain, 4)
    names = [name for name, _ in split.domain.columns]
    wanted = [some for ways in (1, 2, 3) for some in combinations(names, ways)]
    return Tallies.of([grid.codes(split.codes(cells, None))], grid.wide, wanted)


def test_names_and_order_of_the_columns() -> None:
    assert [name for name, _ in SplitColumns(FIELDS).domain.columns] == [
        "sex",
        *(f"basket: {item}" for item in ITEMS),
        *(f"load at {place}" for place in range(3)),
    ]


def test_a_name_that_is_taken_gets_a_mark() -> None:
    split = SplitColumns(
        {"b": Field(nw.Subsets(["x", "y"])), "b: x": Field(nw.Categories(["1", "2"]))}
    )
    assert [name for name, _ in split.domain.columns] == ["b: x'", "b: y", "b: x"]


def test_a_person_changes_one_row_of_every_table_of_counts() -> None:
    """All tables of two rows, over all sets and some curves, and all that replace one of them.

    A basket replaced changes many of the columns: each clique still loses one row and gets one.
    """
    baskets = [set(some) for size in range(3) for some in combinations(ITEMS, size)]
    curves = [[0, 0, 0], [1, 0, 1], [1, 1, 1]]
    people = list(product(["f", "m"], baskets, curves))
    other = people[17]
    tables = [tallies_of([one, other]) for one in people]
    for names in tables[0].counts:
        counts = np.stack([table.counts[names].reshape(-1) for table in tables])
        gaps = counts[:, None] - counts[None]
        assert (gaps.sum(axis=2) == 0).all()
        assert np.abs(gaps).sum(axis=2).max() == 2
        assert (gaps**2).sum(axis=2).max() == 2


@pytest.mark.parametrize("most", [1, 2, None])
def test_sets_come_back(most: int | None) -> None:
    space = nw.Subsets(ITEMS, largest=most)
    split, fields = SplitColumns({"basket": Field(space)}), Field(space)
    every = [set(space.point(code)) for code in range(space.size)]
    codes = split.codes({"basket": fields.cells.encode(every)}, None)
    back = split.cells(codes, None)["basket"]
    labels = [ITEMS[place] for place in back.indices]
    ends = back.offsets.tolist()
    assert [set(labels[a:b]) for a, b in pairwise(ends)] == every


def test_of_sets_that_are_too_large_a_random_part_counts() -> None:
    """Each of three pairs in 300 draws: one is missing once in 10^52 runs."""
    field = Field(nw.Subsets(ITEMS, largest=2), outside="sample")
    split = SplitColumns({"basket": field})
    cells = field.cells.encode([set(ITEMS)] * 300)
    codes = split.codes({"basket": cells}, None)
    held = np.stack(list(codes.values()))
    assert (held.sum(axis=0) == 2).all()
    assert len(np.unique(held, axis=1).T) == 3


@pytest.mark.parametrize("most", [1, 2, 5])
def test_items_move_to_sets_with_room(most: int) -> None:
    rng = np.random.default_rng(most)
    held = rng.random((12, 800)) < rng.uniform(0, 0.8 * most / 12, 12)[:, None] * 2
    before, small = held.copy(), held.sum(axis=0) <= most
    move_items(held, most, SeededSource(3))
    assert held.sum(axis=0).max() <= most
    if before.sum() <= most * 800 * 0.9:
        assert (held.sum(axis=1) == before.sum(axis=1)).all()
    assert (held[:, small] >= before[:, small]).all()


def test_items_that_find_no_room_are_left_out() -> None:
    held = np.ones((4, 10), dtype=np.bool_)
    move_items(held, 3, SeededSource(1))
    assert (held.sum(axis=0) == 3).all()


@pytest.mark.parametrize("basis", ["values", "fourier", "bspline", "bernstein"])
def test_coefficients_are_the_nearest_points_of_their_grids(basis: str) -> None:
    """In fractions, from the definition; the ends of what is possible are on the grid, too."""
    space = nw.Curves([0, 1, 2, 5], low=-1, high=2, step=Fraction(1, 2))
    options: dict[str, Any] = {} if basis == "values" else {"coefficients": 3}
    split = SplitColumns({"c": nw.Column(space, basis=basis, **options)})
    every = np.array(list(product(range(space.steps + 1), repeat=4)))[::7]
    codes = split.codes({"c": every}, None)
    made = in_basis(space, basis, options.get("coefficients"))
    bits = made.log2_scale
    for row, (name, coefficient) in zip(made.matrix.tolist(), split.domain.columns, strict=True):
        down = max(bits - 12, 0)
        weights = [Fraction((int(x) + (1 << down >> 1)) >> down, 1 << bits - down) for x in row]
        assert isinstance(coefficient, nw.Interval)
        for steps, code in zip(every.tolist(), codes[name].tolist(), strict=True):
            middle = [(Fraction(s) - Fraction(space.steps, 2)) * space.step for s in steps]
            true = sum(w * v for w, v in zip(weights, middle, strict=True))
            shown = coefficient.low + code * coefficient.step
            assert 0 <= code < coefficient.size
            assert abs(true - shown) <= coefficient.step / 2


@pytest.mark.parametrize(("basis", "count"), [("fourier", 5), ("bspline", 6), ("values", None)])
def test_smooth_curves_come_back(basis: str, count: int | None) -> None:
    space = nw.Curves(range(12), low=0, high=10)
    options: dict[str, Any] = {} if count is None else {"coefficients": count}
    split = SplitColumns({"c": nw.Column(space, basis=basis, **options)})
    rng = np.random.default_rng(2)
    shapes = in_basis(space, basis, count).functions.at(space.positions)
    given = np.clip(5 + rng.normal(0, 0.7, (50, shapes.shape[1])) @ shapes.T, 0.5, 9.5)
    codes = split.codes({"c": space.read(given)}, None)
    back = split.cells(codes, None)["c"]
    smooth = (given > 0.5).all(axis=1) & (given < 9.5).all(axis=1)
    assert smooth.sum() > 10
    # A step of a grid is at most 1/25: half of it for each of up to 6 coefficients, |ψ| ≤ 3.
    assert np.abs(back - given)[smooth].max() < 0.2
    assert ((back >= 0) & (back <= 10)).all()
    # Drawn again, they have the same coefficients.
    again = split.codes({"c": space.read(back[smooth])}, None)
    same = [again[name] == codes[name][smooth] for name in codes]
    assert np.mean(same) > 0.95


@pytest.mark.parametrize(
    ("field", "kind", "words"),
    [
        (nw.Column(nw.Curves(range(3), low=0, high=1)), ParameterError, "no basis is declared"),
        (nw.Column(nw.Curves(range(40), low=0, high=1), basis="values"), TooLargeError, "at most"),
        (nw.Column(nw.Subsets(range(300))), TooLargeError, "other=… for the rest"),
    ],
    ids=["no-basis", "coefficients", "items"],
)
def test_what_cannot_be_split_is_refused(field: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words):
        _ = SplitColumns({"c": field}).domain
