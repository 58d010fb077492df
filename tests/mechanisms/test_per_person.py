"""All rows of one person: k rows cost k times one row, and nothing less is true of them."""

from fractions import Fraction
from itertools import combinations, product as every
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.errors import (
    CertificateError,
    InputError,
    NotPrivateError,
    ParameterError,
    SpaceError,
    TooLargeError,
)
from noisewright.mechanisms import PersonMechanism, Table
from tests.laws.mechanisms import COLORS

KEEP = nw.randomized_response(COLORS, epsilon=1)


@settings(max_examples=30, deadline=None)
@given(
    weights=st.lists(st.integers(1, 13), min_size=6, max_size=6),
    rows=st.integers(1, 3),
)
def test_its_tight_epsilon_is_that_of_its_table(weights: list[int], rows: int) -> None:
    table = [[*weights[i : i + 2], 64 - sum(weights[i : i + 2])] for i in (0, 2, 4)]
    row = nw.from_matrix(COLORS, table)
    person = nw.combine.per_person(row, rows=rows)
    # By its definition: the widest ratio of P(y | x) and P(y | z) over all databases and outputs.
    databases = list(every(range(3), repeat=rows))
    whole = [
        [prod(table[a][b] for a, b in zip(x, y, strict=True)) for y in databases] for x in databases
    ]
    widest = max(
        Fraction(max(p, q), min(p, q))
        for a, b in combinations(whole, 2)
        for p, q in zip(a, b, strict=True)
    )
    assert nw.tight_epsilon(person) == nw.accounting.Epsilon.log(widest).ceiling()
    assert nw.tight_epsilon(person.table()) == nw.tight_epsilon(person)
    assert nw.verify(person, epsilon=nw.accounting.Epsilon.log(widest))
    less = widest * (1 - Fraction(1, 10**9))
    if less > 1:
        refuted = nw.verify(person, epsilon=nw.accounting.Epsilon.log(less))
        assert not refuted
        assert refuted.witness is not None
        assert refuted.witness.p == widest * refuted.witness.q
        assert refuted.witness.input in person.space


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_the_claim_with_a_delta_holds_of_the_table(rows: int) -> None:
    row = nw.randomized_response(COLORS, epsilon=1, delta="1/50")
    person = nw.combine.per_person(row, rows=rows)
    assert person.claim == nw.accounting.Guarantee(rows, Fraction(rows, 50))
    assert nw.verify(person.table(), epsilon=rows, delta=Fraction(rows, 50))
    # The rows together may have a smaller delta at this epsilon than the sum; the table decides.
    least = nw.tight_delta(person, epsilon=rows)
    assert least == nw.tight_delta(person.table(), epsilon=rows)
    assert least <= rows / 50 + 1e-15
    assert nw.verify(person, epsilon=rows, delta=least)
    assert not nw.verify(person, epsilon=rows, delta=least * 0.999)


def test_one_row_is_the_mechanism_itself() -> None:
    person = nw.combine.per_person(KEEP, rows=1)
    assert person.claim == KEEP.claim
    assert nw.tight_epsilon(person) == nw.tight_epsilon(KEEP)


def test_neighbors_are_all_databases_and_not_those_of_one_row() -> None:
    person = nw.combine.per_person(KEEP, rows=2)
    assert person.space.pair_count == 9 * 8 // 2
    assert len(person.space.neighbor_codes()) == 36
    assert person.space.are_neighbors(("red", "red"), ("blue", "green"))
    assert not person.space.are_neighbors(("red", "red"), ("red", "red"))
    assert person.space.describe_neighbors() == {"relation": "replace"}
    assert person.space != (KEEP**2).space
    one_row, all_rows = nw.tight_epsilon(KEEP**2), nw.tight_epsilon(person)
    assert all_rows == pytest.approx(2 * one_row)


def test_a_row_with_other_neighbors_counts_for_any_change() -> None:
    person = nw.combine.per_person(nw.geometric(nw.Counts(3), epsilon="1/2", table=False), rows=4)
    assert person.claim == nw.accounting.Guarantee(6)
    assert nw.verify(person, epsilon=6)
    near = nw.combine.per_person(nw.geometric(nw.Counts(3), epsilon="1/2"), rows=2)
    assert near.claim is not None
    assert near.claim.epsilon.ceiling() == pytest.approx(3)
    assert nw.tight_epsilon(near.table()) == near.claim.epsilon.ceiling()


def test_a_thousand_rows_are_not_listed() -> None:
    person = nw.combine.per_person(KEEP, rows=1000)
    assert person.claim == nw.accounting.Guarantee(1000)
    assert len(nw.certify(person).to_json()) < len(nw.certify(KEEP).to_json()) + 1000
    with pytest.raises(TooLargeError, match="entries"):
        person.table()


def test_many_rows_of_a_logarithm_are_claimed_by_a_rational_above() -> None:
    row = nw.from_matrix(COLORS, [[2**60 - 3, 2, 1], [1, 2**60 - 3, 2], [2, 1, 2**60 - 3]])
    person = nw.combine.per_person(row, rows=1000)
    assert person.claim is not None
    assert person.claim.epsilon.ratio is None
    exact = nw.tight_epsilon(person)
    assert exact <= person.claim.epsilon.ceiling() <= exact * (1 + 1e-15)
    assert nw.check(nw.certify(person))


def test_it_samples_up_to_so_many_rows_in_the_form_they_came() -> None:
    person = nw.combine.per_person(KEEP, rows=3)
    for rows in (["red"], ["red", "blue", "red"]):
        released = person.sample(rows, source=nw.randomness.SeededSource(1))
        assert len(released) == len(rows)
        assert set(released) <= set(COLORS.labels)
    assert len(person.sample([])) == 0
    with pytest.raises(InputError, match="at most 3 rows here; got 4"):
        person.sample(["red"] * 4)
    with pytest.raises(InputError, match="no sequence of rows"):
        person.sample("red")
    table = nw.combine.per_person(nw.combine.product(c=KEEP, n=nw.uniform(nw.Counts(1))), rows=2)
    released = table.sample(
        {"c": ["red", "blue"], "n": [0, 1]}, source=nw.randomness.SeededSource(2)
    )
    assert [len(column) for column in released.values()] == [2, 2]


def test_it_draws_what_its_table_says() -> None:
    certain = nw.combine.per_person(nw.from_matrix(COLORS, np.eye(3)[[1, 2, 0]]), rows=2)
    released = certain.draw(np.array([certain.space.code(("red", "blue"))]))
    assert certain.outputs.point(int(released[0])) == ("green", "red")
    assert certain.table().probability(("red", "blue"), ("green", "red")) == 1


def test_what_it_refuses() -> None:
    with pytest.raises(InputError, match="mechanism of one row; got Counts"):
        nw.combine.per_person(nw.Counts(3), rows=2)  # pyright: ignore[reportArgumentType]
    for rows in (0, -1, 1.5, True):
        with pytest.raises(ParameterError, match="number of rows"):
            nw.combine.per_person(KEEP, rows=rows)  # pyright: ignore[reportArgumentType]
    zeros = nw.combine.per_person(nw.from_matrix(COLORS, np.eye(3)), rows=2)
    assert zeros.claim is None
    with pytest.raises(SpaceError, match="no guarantee for any change"):
        zeros.describe()
    with pytest.raises(NotPrivateError):
        nw.certify(zeros)


def test_a_smaller_claim_is_refused_and_a_larger_one_is_certified() -> None:
    person = nw.combine.per_person(nw.combine.product(c=KEEP, d=KEEP), rows=5)
    assert nw.certify(person, epsilon=11).guarantee == nw.accounting.Guarantee(11)
    with pytest.raises(NotPrivateError, match="5 rows together spend epsilon=10"):
        nw.certify(person, epsilon="9.99")


def test_a_row_without_a_form_is_named() -> None:
    normal = nw.curves.curve_noise(nw.Curves(range(4), low=0, high=1), epsilon=1, delta="1e-6")
    product = nw.combine.product(load=normal, c=KEEP)
    with pytest.raises(CertificateError, match="the column 'load': certificates have no form"):
        nw.certify(nw.combine.per_person(product, rows=2))


def test_sets_with_a_delta_have_no_certificate_inside_of_others_either() -> None:
    sets = nw.per_item(nw.Subsets(range(30), largest=2), epsilon=1, delta="1/1000")
    with pytest.raises(CertificateError, match=r"the column 'reads': .* without a delta only"):
        nw.certify(nw.combine.product(reads=sets, c=KEEP))
    with pytest.raises(CertificateError, match="without a delta only"):
        nw.certify(nw.combine.per_person(sets, rows=2))


def test_it_composes_by_its_table_or_its_claim() -> None:
    small, large = nw.combine.per_person(KEEP, rows=2), nw.combine.per_person(KEEP, rows=100)
    assert isinstance(KEEP, Table)
    assert nw.compose([small]).epsilon(delta=0) == pytest.approx(2)
    assert nw.compose([large, KEEP]).epsilon(delta=0) >= 101 - 1e-6
    assert isinstance(small, PersonMechanism)


def test_released_rows_are_estimated_as_those_of_one_mechanism() -> None:
    released = nw.combine.per_person(KEEP, rows=60).sample(
        ["red"] * 60, source=nw.randomness.SeededSource(3)
    )
    of_rows = nw.estimate(released, KEEP)
    of_person = nw.estimate(released, nw.combine.per_person(KEEP, rows=60))
    assert str(of_person) == str(of_rows)
