"""A mechanism on records, seen at some columns: against sums over every record."""

from fractions import Fraction
from itertools import product as every

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError, SpaceError
from noisewright.mechanisms import ColumnProduct, Mechanism, Response, Table

JOINT = nw.Records(
    sex=nw.Categories(["f", "m"]), job=nw.Categories(["a", "b", "c"]), kids=nw.Counts(3)
)
WANTED = ["sex", "job", "kids", ["sex"], ["job", "kids"], ["kids", "sex"], ["kids", "job", "sex"]]


def probability(mechanism: Mechanism, x: object, y: object) -> Fraction:
    """Return P(y | x), from the formula for a response and from the table else."""
    if isinstance(mechanism, Response):
        own, other, total = mechanism.masses()
        return Fraction(own if x == y else other, total)
    return mechanism.table().probability(x, y)


def seen(names: str | list[str], record: tuple[object, ...]) -> object:
    """Return a record's value at these columns."""
    places = {name: place for place, (name, _) in enumerate(JOINT.columns)}
    if isinstance(names, str):
        return record[places[names]]
    return tuple(record[places[name]] for name in names)


@pytest.mark.parametrize("names", WANTED, ids=str)
@pytest.mark.parametrize("by_table", [True, False], ids=["table", "formula"])
def test_the_marginal_of_a_joint_response_is_the_sum_over_the_other_columns(
    names: str | list[str], by_table: bool
) -> None:
    joint = nw.randomized_response(JOINT, epsilon=1.5, delta="1/100", table=by_table)
    part = nw.analysis.marginal(joint, names)
    assert type(part) is (Table if by_table else Response)
    for x, y in every(JOINT.points, part.outputs.points):
        whole = sum(
            (probability(joint, x, z) for z in JOINT.points if seen(names, z) == y), Fraction(0)
        )
        assert probability(part, seen(names, x), y) == whole


def test_it_is_the_formula_of_the_two_probabilities() -> None:
    joint = nw.randomized_response(JOINT, epsilon=1, table=True)
    part = nw.analysis.marginal(joint, "job").table()
    p, q = Fraction(joint.weights[0, 0], joint.total), Fraction(joint.weights[0, 1], joint.total)
    assert part.probability("a", "a") == p + 7 * q
    assert part.probability("a", "b") == 8 * q


@pytest.mark.parametrize("by_table", [True, False], ids=["table", "formula"])
def test_its_claim_holds(by_table: bool) -> None:
    joint = nw.randomized_response(JOINT, epsilon=1.5, delta="1/100", table=by_table)
    for names in WANTED:
        part = nw.analysis.marginal(joint, names)
        assert part.claim == joint.claim
        assert nw.verify(part, epsilon=1.5, delta="1/100")


def test_a_marginal_of_a_product_is_the_product_of_these_columns() -> None:
    job, kids = (
        nw.randomized_response(nw.Categories(["a", "b"]), epsilon=1),
        nw.uniform(nw.Counts(2)),
    )
    both = nw.combine.product(job=job, kids=kids)
    assert nw.analysis.marginal(both, "kids") is kids
    other_way = nw.analysis.marginal(both, ["kids", "job"])
    assert isinstance(other_way, ColumnProduct)
    assert [name for name, _ in other_way.columns] == ["kids", "job"]
    summed = nw.analysis.marginal(both.table(), "job")
    assert summed == nw.analysis.marginal(both, "job").table()


def test_a_table_whose_columns_leak_into_each_other_has_no_marginal() -> None:
    space = nw.Records(a=nw.Counts(1), b=nw.Counts(1))
    swapped = nw.from_matrix(space, np.eye(4)[[0, 2, 1, 3]])
    with pytest.raises(InputError, match=r"'a' depends on other columns"):
        nw.analysis.marginal(swapped, "a")
    assert nw.analysis.marginal(swapped, ["b", "a"]).table().probability((0, 1), (1, 0)) == 1


def test_without_a_promise_for_any_change_the_widest_ratio_is_claimed() -> None:
    space = nw.Records(a=nw.Counts(1), b=nw.Counts(1), neighbors=[((0, 0), (0, 1))])
    joint = nw.randomized_response(space, epsilon=1, table=True)
    part = nw.analysis.marginal(joint, "a")
    assert part.claim is not None
    assert nw.verify(part, epsilon=part.claim.epsilon)


def test_what_it_does_not_take() -> None:
    joint = nw.randomized_response(JOINT, epsilon=1)
    with pytest.raises(InputError, match="records to records"):
        nw.analysis.marginal(nw.uniform(nw.Counts(2)), "sex")
    with pytest.raises(InputError, match="different names out of"):
        nw.analysis.marginal(joint, "age")
    with pytest.raises(InputError, match="different names out of"):
        nw.analysis.marginal(joint, ["sex", "sex"])
    with pytest.raises(InputError, match="different names out of"):
        nw.analysis.marginal(joint, [])
    near = nw.Records(a=nw.Counts(3, neighbors="metric"), b=nw.Counts(1))
    with pytest.raises(SpaceError, match="neighbors='metric'"):
        nw.analysis.marginal(nw.randomized_response(near, epsilon=1), "a")
    other = nw.from_matrix(
        nw.Records(a=nw.Counts(1)), np.eye(2), outputs=nw.Records(b=nw.Counts(1))
    )
    with pytest.raises(InputError, match="other columns"):
        nw.analysis.marginal(other, "a")
