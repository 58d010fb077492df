"""Plans whose rows hide among each other: what epsilon means, and what each row may give away."""

from fractions import Fraction
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import InputError, NotPrivateError, ParameterError

COLUMNS: dict[str, Any] = {"job": nw.Column(["a", "b", "c"]), "age": nw.Column(nw.Counts(9))}
ROWS = 5_000
WANTED: dict[str, Any] = {"epsilon": 1, "delta": "1e-6", "order": "shuffled"}


def central_epsilon(plan: nw.Plan, rows: int = ROWS) -> float:
    found = nw.shuffled(
        mechanism=plan.mechanism,
        rows=rows,
        delta=plan.delta,
        rows_per_person=plan.rows_per_person,
    )
    return found.upper


@pytest.fixture(scope="module")
def settled() -> nw.Plan:
    return nw.Plan(COLUMNS, **WANTED).for_rows(ROWS)


def test_rows_get_the_largest_epsilon_with_which_the_table_has_the_wanted_one(
    settled: nw.Plan,
) -> None:
    assert settled.row_epsilon is not None
    assert settled.guarantee == nw.accounting.Guarantee(1, "1e-6")
    assert settled.guarantee_in_order == nw.accounting.Guarantee(settled.row_epsilon, 0)
    assert settled.row_epsilon > 4
    assert central_epsilon(settled) <= 1
    # A twentieth more would be too much, and the columns share all of it.
    more = nw.Plan(COLUMNS, **WANTED, row_epsilon=settled.row_epsilon * Fraction(21, 20))
    assert central_epsilon(more) > 1
    assert sum(part.guarantee.epsilon.rational for part in settled.parts) == settled.row_epsilon


def test_the_more_rows_the_less_noise_and_never_more_than_in_kept_order(settled: nw.Plan) -> None:
    few, kept = nw.Plan(COLUMNS, **WANTED).for_rows(3), nw.Plan(COLUMNS, epsilon=1)
    assert few.row_epsilon == 1
    assert few.guarantee == nw.accounting.Guarantee(1, 0)
    assert few.parts == kept.parts
    assert "too few of them (3) to hide among" in " ".join(few.words())
    errors = [plan.predict(people=ROWS)["job"].standard_errors[0] for plan in (kept, settled)]
    assert errors[1] < errors[0] / 4


def test_without_a_delta_the_order_changes_no_promise() -> None:
    shuffled = nw.Plan(COLUMNS, epsilon=1, order="shuffled")
    assert not shuffled.is_central
    assert shuffled.parts == nw.Plan(COLUMNS, epsilon=1).parts
    assert shuffled.guarantee == shuffled.guarantee_in_order == nw.accounting.Guarantee(1, 0)
    assert shuffled.for_rows(ROWS) is shuffled


def test_an_epsilon_of_rows_gives_that_of_the_table() -> None:
    plan = nw.Plan(COLUMNS, row_epsilon=3, delta="1e-6", order="shuffled")
    assert plan.guarantee_in_order == nw.accounting.Guarantee(3, 0)
    with pytest.raises(InputError, match="depends on how many there are"):
        _ = plan.guarantee
    assert "rows still to be counted" in repr(plan)
    assert "depends on the number of rows" in " ".join(plan.words())
    known = plan.for_rows(ROWS)
    assert known.guarantee.epsilon.rational == Fraction(repr(central_epsilon(known)))
    assert known.guarantee.delta == Fraction(1, 10**6)
    assert nw.check(known.certify())


def test_what_columns_are_given_is_part_of_what_rows_give_away() -> None:
    own: dict[str, Any] = {"job": nw.Column(["a", "b"], epsilon=2), "age": COLUMNS["age"]}
    plan = nw.Plan(own, **WANTED).for_rows(ROWS)
    assert plan.row_epsilon is not None
    assert [part.guarantee.epsilon.rational for part in plan.parts] == [2, plan.row_epsilon - 2]
    alone = nw.Plan({"job": nw.Column(["a", "b"], epsilon=2)}, delta="1e-6", order="shuffled")
    assert alone.for_rows(ROWS).guarantee_in_order == nw.accounting.Guarantee(2, 0)


def test_all_rows_of_a_person_together_have_the_wanted_epsilon() -> None:
    person = nw.Person("who", rows=3)
    plan = nw.Plan(COLUMNS, **WANTED, person=person).for_rows(ROWS)
    one = nw.Plan(COLUMNS, epsilon=Fraction(1, 3), delta="1e-7", order="shuffled").for_rows(ROWS)
    assert plan.row_epsilon is not None
    assert one.row_epsilon is not None
    assert Fraction(1, 3) < plan.row_epsilon
    # Group privacy: δ is taken about three times, so that a tenth of it is enough for each row.
    assert one.row_epsilon <= plan.row_epsilon
    assert plan.guarantee_in_order.epsilon.rational == 3 * plan.row_epsilon
    assert central_epsilon(plan) <= 1
    assert nw.check(plan.certify())


def test_a_settled_plan_comes_back_as_it_was(settled: nw.Plan) -> None:
    again = nw.Plan.from_toml(settled.to_toml())
    assert again == settled
    assert again.parts == settled.parts
    wished = nw.Plan(COLUMNS, **WANTED)
    assert nw.Plan.from_toml(wished.to_toml()) == wished
    assert "row_epsilon" not in wished.to_toml()


def test_both_guarantees_are_proven_and_said(settled: nw.Plan) -> None:
    proven = nw.check(settled.certify())
    assert proven
    said = " ".join([*settled.words(rows=ROWS), *proven.proved])
    assert "anyone who sees only the released rows: 5,000 in a random order" in said
    alone = float(settled.row_epsilon or 0)
    assert f"learns that order, only the noise in the rows protects people: epsilon={alone}" in said
    assert "against whoever sees only the published file" in said


def test_an_epsilon_that_does_not_hold_is_not_certified() -> None:
    plan = nw.Plan(COLUMNS, **WANTED, row_epsilon=8, rows=ROWS)
    with pytest.raises(NotPrivateError, match="Lower row_epsilon, or leave it out"):
        plan.certify()


def test_what_depends_on_rows_is_not_guessed() -> None:
    plan = nw.Plan(COLUMNS, **WANTED)
    assert plan.guarantee == nw.accounting.Guarantee(1, "1e-6")
    with pytest.raises(InputError, match="how many rows are shuffled"):
        _ = plan.parts
    with pytest.raises(InputError, match="how many rows are shuffled"):
        plan.certify()
    assert "The more rows are released, the less noise" in " ".join(plan.words())
    assert plan.predict(people=ROWS)["job"].people == ROWS


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"epsilon": 1, "rows": 9}, "rows is for plans with order = 'shuffled'"),
        ({"epsilon": 1, "row_epsilon": 2}, "row_epsilon is for plans with order = 'shuffled'"),
        ({**WANTED, "rows": 0}, "rows"),
        ({**WANTED, "row_epsilon": 0}, "row_epsilon is 0; it must be above 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        nw.Plan(COLUMNS, **settings)


def test_what_would_weaken_the_promise_is_refused() -> None:
    own: dict[str, Any] = {"job": nw.Column(["a", "b"], delta="1e-9")}
    with pytest.raises(ParameterError, match=r"job has a delta of 1e-9 of its own"):
        nw.Plan(own, **WANTED)
    split: dict[str, Any] = {**COLUMNS, "region": "public"}
    with pytest.raises(ParameterError, match="which rows remain of each group"):
        nw.Plan(split, **WANTED, person=nw.Person("who", rows=2))
    assert nw.Plan(split, **WANTED).is_split
