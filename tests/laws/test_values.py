"""Mechanisms are values: equal by what they do, hashable, frozen, and they travel."""

import copy
import pickle

import numpy as np
import pytest

import noisewright as nw
from noisewright.mechanisms import Mechanism, Table
from tests.laws.mechanisms import ALL, COLORS, TABLES


@pytest.mark.parametrize("mechanism", ALL.values(), ids=ALL)
def test_a_copy_is_equal_and_as_frozen(mechanism: Mechanism) -> None:
    for other in (pickle.loads(pickle.dumps(mechanism)), copy.deepcopy(mechanism)):
        assert other == mechanism
        assert hash(other) == hash(mechanism)
        assert other.claim == mechanism.claim
        assert repr(other) == repr(mechanism)
        if isinstance(other, Table):
            assert not other.weights.flags.writeable
            assert all(type(weight) is int for weight in other.weights.flat)


@pytest.mark.parametrize("mechanism", ALL.values(), ids=ALL)
def test_nothing_can_be_set(mechanism: Mechanism) -> None:
    for name in ("space", "outputs", "claim", "weights", "matrix", "total", "anything"):
        with pytest.raises(AttributeError):
            setattr(mechanism, name, None)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_weights_are_read_only(table: Table) -> None:
    with pytest.raises(ValueError, match="read-only"):
        table.weights[0, 0] = 0
    with pytest.raises(ValueError, match="read-only"):
        table.matrix[0, 0] = 0


def test_what_was_given_may_change_without_harm() -> None:
    given = np.array([[3, 1], [1, 3]], dtype=object)
    table = Table(nw.Counts(1), given, total=4)
    given[0, 0] = 0
    assert table.weights.tolist() == [[3, 1], [1, 3]]


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_equal_means_the_same_probabilities(table: Table) -> None:
    finer = Table(table.space, table.weights * 24, total=table.total * 24, outputs=table.outputs)
    assert finer == table
    assert hash(finer) == hash(table)
    renamed = {point: f"output {place}" for place, point in enumerate(table.outputs.points)}
    assert finer != table.then(renamed)
    changed = table.weights.copy()
    changed[0, 0] += 1
    changed[0, -1] -= 1
    if changed[0, -1] >= 0 and table.outputs.size > 1:
        assert table != Table(table.space, changed, total=table.total, outputs=table.outputs)


def test_unequal_in_other_ways() -> None:
    table = nw.uniform(COLORS)
    assert table != nw.uniform(nw.Categories(["a", "b", "c"]))
    assert table != 5
    # Python says that True == 1, but they are different labels.
    flags, ones = nw.Categories([False, True]), nw.Categories([0, 1])
    assert flags != ones
    assert nw.uniform(flags) != nw.uniform(ones)
    assert flags == nw.Categories([False, True])
    assert table**2 == table**2
    assert table**2 != table**3
    assert len({table**2, table**2, table**3}) == 2
    by_formula = nw.geometric(nw.Counts(8), epsilon=1, table=False)
    assert by_formula == nw.geometric(nw.Counts(8), epsilon="1", table=False)
    assert by_formula != nw.geometric(nw.Counts(8), epsilon=2, table=False)


def test_what_they_say() -> None:
    colors = "Categories(['red', 'green', 'blue'])"
    response = nw.randomized_response(COLORS, epsilon=1, delta="1/20")
    assert repr(response).startswith(
        f"<randomized response on {colors}, epsilon=1, delta=0.05, total=2^"
    )
    assert repr(nw.geometric(nw.Counts(10**6), epsilon=0.1)) == (
        "<geometric mechanism on Counts(1000000), epsilon=0.1, by formula>"
    )
    assert repr(nw.geometric(nw.Counts(8), alpha="10/11")) == (
        "<geometric mechanism on Counts(8), epsilon=ln(11/10), total=409230591>"
    )
    assert repr(nw.geometric(nw.Counts(80), alpha="10/11")).endswith(
        "total=an integer of 278 bits>"
    )
    assert repr(TABLES["weights"]) == (
        "<mechanism on Counts(1) → Categories(['no', 'yes']), total=2^2>"
    )
    assert repr(nw.uniform(COLORS) ** 3).endswith(" ** 3>")
    assert repr(nw.combine.product(a=nw.uniform(COLORS))).startswith(
        "<product of a=<uniform mechanism"
    )


@pytest.mark.parametrize("mechanism", ALL.values(), ids=ALL)
def test_a_repr_stays_on_the_screen(mechanism: Mechanism) -> None:
    assert "\n" not in repr(mechanism)
    assert len(repr(mechanism)) < 200 * 50
