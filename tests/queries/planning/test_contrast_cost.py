"""The cost of noisy contrasts, against every change of every small table, in fractions."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import given, settings, strategies as st

from noisewright.errors import ParameterError
from noisewright.queries.planning import contrast_cost as costs
from noisewright.queries.planning.attribute import Attribute
from noisewright.queries.planning.contrast_cost import Levels, Neighbors, contrast_cost
from tests.queries.planning.dense import contrast_rows

Parts = dict[Levels, Fraction]

FULL = [(2,), (3,), (2, 2), (4,)]
"""Branching without empty cells."""


def changes(records: int, neighbors: Neighbors) -> Iterator[list[int]]:
    """All d = u − v for what a person may have been (u) and may be (v)."""
    counts = range(neighbors.rows + 1)
    sets = [s for size in counts for s in combinations_with_replacement(range(records), size)]
    for one, other in product(sets, sets):
        if neighbors.change == "add or remove" and other:
            continue
        if neighbors.total_is_public and len(one) != len(other):
            continue
        yield [one.count(place) - other.count(place) for place in range(records)]


def by_definition(axes: Sequence[Attribute], parts: Parts, neighbors: Neighbors) -> Fraction:
    """The largest Σ_r ⟨h_r, d⟩² / (2 v_r) with v_r = m_r / p_B."""
    rows = [(row, p / norm) for part, p in parts.items() for row, norm in contrast_rows(axes, part)]
    records = len(rows[0][0])
    worst = Fraction(0)
    for change in changes(records, neighbors):
        moved = ((sum(a * b for a, b in zip(row, change, strict=True)), w) for row, w in rows)
        worst = max(worst, sum((w * by * by / 2 for by, w in moved), Fraction(0)))
    return worst


@st.composite
def plans(draw: st.DrawFn, *, padded: bool = False) -> tuple[tuple[Attribute, ...], Parts]:
    axes: list[Attribute] = []
    for name in "ab"[: draw(st.integers(1, 2))]:
        branching = draw(st.sampled_from(FULL))
        cells = Attribute("", 1, branching).widths[-1] - int(padded)
        axes.append(Attribute(name, cells, branching))
    levels = product(*(range(axis.height + 1) for axis in axes))
    precision = st.fractions(0, 4, max_denominator=8)
    parts = {part: draw(precision) for part in levels}
    return tuple(axes), parts


NEIGHBORS = [
    Neighbors("add or remove"),
    Neighbors("replace"),
    Neighbors("replace", total_is_public=True),
]


@pytest.mark.parametrize("neighbors", NEIGHBORS, ids=str)
@given(plan=plans())
@settings(max_examples=40, deadline=None)
def test_it_is_the_largest_of_all_changes(
    neighbors: Neighbors, plan: tuple[tuple[Attribute, ...], Parts]
) -> None:
    axes, parts = plan
    assert contrast_cost(axes, parts, neighbors) == by_definition(axes, parts, neighbors)


@pytest.mark.parametrize("neighbors", NEIGHBORS, ids=str)
@given(plan=plans(padded=True))
@settings(max_examples=15, deadline=None)
def test_empty_cells_cost_nothing_more(
    neighbors: Neighbors, plan: tuple[tuple[Attribute, ...], Parts]
) -> None:
    axes, parts = plan
    assert contrast_cost(axes, parts, neighbors) >= by_definition(axes, parts, neighbors)


@pytest.mark.parametrize("total_is_public", [False, True])
@pytest.mark.parametrize("change", ["replace", "add or remove"])
def test_several_rows_of_a_person(change: str, total_is_public: bool) -> None:
    axes = (Attribute("a", 2), Attribute("b", 3))
    parts = {
        (0, 0): Fraction(1, 3),
        (1, 0): Fraction(2),
        (0, 1): Fraction(1, 2),
        (1, 1): Fraction(5),
    }
    if total_is_public and change != "replace":
        with pytest.raises(ParameterError, match="where the total is public"):
            Neighbors(change, 2, total_is_public)  # pyright: ignore[reportArgumentType]
        return
    neighbors = Neighbors(change, 2, total_is_public)  # pyright: ignore[reportArgumentType]
    found = contrast_cost(axes, parts, neighbors)
    assert found == by_definition(axes, parts, neighbors)
    one = Neighbors(change, 1, total_is_public)  # pyright: ignore[reportArgumentType]
    assert found == 4 * contrast_cost(axes, parts, one)


@pytest.mark.parametrize("neighbors", NEIGHBORS, ids=str)
def test_too_many_kinds_of_pairs_are_charged_part_by_part(
    neighbors: Neighbors, monkeypatch: pytest.MonkeyPatch
) -> None:
    axes = (Attribute("a", 2), Attribute("b", 3), Attribute("c", 4, (2, 2)))
    levels = list(product(range(2), range(2), range(3)))
    each = {part: contrast_cost(axes, {part: Fraction(1)}, neighbors) for part in levels}
    parts = {part: Fraction(1 + place, 7) for place, part in enumerate(levels)}
    exact = contrast_cost(axes, parts, neighbors)
    monkeypatch.setattr(costs, "MOST_PAIRS", 1)
    assert {part: contrast_cost(axes, {part: Fraction(1)}, neighbors) for part in levels} == each
    above = contrast_cost(axes, parts, neighbors)
    assert exact <= above
    if neighbors.change == "replace":
        assert exact < above


@given(plan=plans(), more=st.fractions(0, 1, max_denominator=8), data=st.data())
@settings(max_examples=40, deadline=None)
def test_it_never_falls_when_a_precision_rises(
    plan: tuple[tuple[Attribute, ...], Parts], more: Fraction, data: st.DataObject
) -> None:
    axes, parts = plan
    part = data.draw(st.sampled_from(sorted(parts)))
    higher = parts | {part: parts[part] + more}
    for neighbors in NEIGHBORS:
        assert contrast_cost(axes, higher, neighbors) >= contrast_cost(axes, parts, neighbors)


@pytest.mark.parametrize(
    "arguments", [("swap",), ("replace", 0), ("replace", 1, 1), ("add or remove", 1, True)]
)
def test_neighbors_are_checked(arguments: tuple[object, ...]) -> None:
    with pytest.raises(ParameterError):
        Neighbors(*arguments)  # pyright: ignore[reportArgumentType]
