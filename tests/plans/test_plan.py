"""Plans: what is refused, how the budget is divided, and that the text says it all."""

from fractions import Fraction
from typing import Any, cast

import pytest

import noisewright as nw

JOB = ["nurse", "baker", "clerk"]
DAY = nw.Curves(range(24), low=0, high=3)


def survey(**settings: Any) -> nw.Plan:
    columns: dict[str, Any] = {
        "id": "drop",
        "region": "public",
        "job": nw.Column(JOB, null="no answer", other="other"),
        "age": nw.Column(nw.Interval(0, 100, step="0.5"), outside="clamp", off_grid="round"),
        "children": nw.Column(nw.Counts(12)),
        "steps": nw.Column(nw.Counts(200)),
        "likes": nw.Column(nw.Subsets(["tv", "cars", "sport"], largest=2), null=["cars", "tv"]),
        "sex": nw.Column(["f", "m"]),
        "smokes": nw.Column([False, True]),
    }
    everything: dict[str, Any] = {"epsilon": 8, **settings}
    return nw.Plan(columns, **everything)


def test_equal_shares_add_up_exactly() -> None:
    plan = survey(epsilon="1/3")
    assert [part.guarantee.epsilon.rational for part in plan.parts] == [Fraction(1, 21)] * 7
    assert plan.guarantee == nw.accounting.Guarantee("1/3")


def test_a_group_gets_a_share_for_each_of_its_columns() -> None:
    plan = survey(epsilon=7, together=[("sex", "smokes")])
    assert {part.columns: part.guarantee.epsilon.rational for part in plan.parts}[
        ("sex", "smokes")
    ] == 2
    assert plan.guarantee == nw.accounting.Guarantee(7)
    assert plan.parts[-1].space == nw.Records(
        sex=nw.Categories(["f", "m"]), smokes=nw.Categories([False, True])
    )


def test_given_budgets_come_first_and_weights_divide_the_rest() -> None:
    plan = nw.Plan(
        {
            "a": nw.Column(JOB, epsilon="1/2", delta="1e-7"),
            "b": nw.Column(JOB, share=2),
            "c": nw.Column(JOB),
        },
        epsilon=2,
        delta="1e-6",
    )
    assert [p.guarantee.epsilon.rational for p in plan.parts] == [Fraction(1, 2), 1, Fraction(1, 2)]
    assert sum(p.guarantee.delta for p in plan.parts) == Fraction("1e-6")
    assert plan.shares == "given"


def test_all_rows_of_a_person_share_the_budget() -> None:
    plan = nw.Plan(
        {"a": nw.Column(JOB, epsilon=1), "b": nw.Column(JOB)},
        epsilon=3,
        delta="1e-6",
        person=nw.Person("who", rows=3),
    )
    assert [p.guarantee.epsilon.rational for p in plan.parts] == [Fraction(1, 3), Fraction(2, 3)]
    assert plan.row_guarantee.epsilon.rational == 1
    assert plan.guarantee == nw.accounting.Guarantee(3, "1e-6")
    assert plan.dropped == ("who",)


def test_null_and_other_are_declared_by_naming_them() -> None:
    column = nw.Column(JOB, null="no answer", other="other")
    assert column.space == nw.Categories([*JOB, "other", "no answer"])
    assert nw.Column(JOB, null="clerk").space == nw.Categories(JOB)


def test_counts_of_one_person_may_become_any_other() -> None:
    part = nw.Plan({"n": nw.Column(nw.Counts(100))}, epsilon=2).parts[0]
    table = part.mechanism.table()
    ratio = max(max(c) / min(c) for c in table.weights.T.tolist())
    assert ratio == pytest.approx(2.718281828459045**2)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"together": [("sex", "smokes")], "order": "shuffled", "title": 'a "title"\n'},
        {"person": nw.Person("who", rows=4, keep="first"), "others": "drop", "delta": "1e-9"},
    ],
    ids=["plain", "together", "person"],
)
def test_the_text_holds_the_whole_plan(settings) -> None:
    plan = survey(**settings)
    text = plan.to_toml()
    again = nw.Plan.from_toml(text)
    assert again == plan
    assert again.to_toml() == text
    assert [p.mechanism for p in again.parts] == [p.mechanism for p in plan.parts]


def test_a_mechanism_of_the_callers_own_travels_in_the_text() -> None:
    own = nw.randomized_response(nw.Categories(JOB), alpha="0.3")
    plan = nw.Plan({"a": nw.Column(JOB, mechanism=own), "b": nw.Column(JOB)}, epsilon=2)
    again = nw.Plan.from_toml(plan.to_toml())
    assert again.parts[0].mechanism == own
    assert again.to_toml() == plan.to_toml()
    assert plan.guarantee.epsilon <= nw.accounting.Epsilon.of(2)


@pytest.mark.parametrize("person", [None, nw.Person("who", rows=3)], ids=["one row", "rows"])
def test_the_certificate_claims_the_whole_budget(person) -> None:
    certificate = survey(person=person).certify()
    assert certificate.guarantee == nw.accounting.Guarantee(8)
    assert nw.check(certificate)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: nw.Plan({}, epsilon=1), "randomizes no column"),
        (lambda: nw.Plan({"a": "public"}, epsilon=1), "randomizes no column"),
        (lambda: nw.Plan({"a": cast(Any, "hide")}, epsilon=1), "'drop' or 'public'"),
        (lambda: nw.Plan({"a": nw.Column(JOB)}), "Give the plan one"),
        (lambda: nw.Plan({"a": nw.Column(JOB)}, epsilon=0), "above 0"),
        (lambda: nw.Plan({"a": nw.Column(JOB)}, epsilon=-1), "above 0"),
        (lambda: nw.Plan({"a": nw.Column(JOB, epsilon=3)}, epsilon=2), "ask for epsilon=3"),
        (lambda: nw.Plan({"n": nw.Column(nw.Counts(99))}, epsilon=1, delta=0.1), "Leave delta"),
        (lambda: survey(together=[("sex", "likes")]), "cannot be randomized together"),
        (lambda: survey(together=[("sex",)]), "at least two"),
        (lambda: survey(together=[("sex", "id")]), "does not randomize"),
        (lambda: survey(person=nw.Person("job", rows=2)), "would name them"),
        (lambda: nw.Column(JOB, mechanism="laplace"), "is not for"),
        (lambda: nw.Column(JOB, outside="clamp"), "must be 'error'"),
        (lambda: nw.Column(nw.Counts(3), other="x"), "no labels"),
        (lambda: nw.Column(nw.Counts(3), null=7), "not a point"),
        (lambda: nw.Column(nw.Counts(3), basis="fourier"), "no setting 'basis'"),
        (lambda: nw.Column("abc"), "list of labels"),
        (
            lambda: nw.Column(DAY, mechanism=cast(Any, nw.curves.curve_noise(DAY, epsilon=1))),
            "takes no mechanism of your own",
        ),
        (lambda: nw.Column(nw.Interval(0, 9, step=1, neighbors=1)), "leave neighbors"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_refusals_say_what_to_do(make, words) -> None:
    with pytest.raises(nw.errors.InputError, match=words):
        make()


@pytest.mark.parametrize("shares", ["equal", "given", "best"])
def test_a_resolved_plan_carries_its_designs_and_changes_nothing_else(shares: str) -> None:
    share = 3 if shares == "given" else None
    plan = nw.Plan(
        {
            "job": nw.Column(JOB, share=share),
            "visits": nw.Column(nw.Counts(5), mechanism="design", loss="L1", null=0),
            "age": nw.Column(nw.Interval(0, 90, step=5)),
            "sex": nw.Column(["f", "m"]),
            "power": nw.Column(
                nw.Curves(range(8), low=0, high=3), basis="fourier", coefficients=3, outside="clamp"
            ),
        },
        epsilon="7/3",
        delta="1e-6",
        shares=shares,
        person=nw.Person("who", rows=2),
        together=[("job", "sex")],
    )
    fixed = nw.Plan.from_toml(plan.resolved.to_toml())
    assert "certificate" in fixed.to_toml()
    assert "design" not in fixed.to_toml()
    assert [p.mechanism.describe() for p in fixed.parts] == [
        p.mechanism.describe() for p in plan.parts
    ]
    assert [p.guarantee for p in fixed.parts] == [p.guarantee for p in plan.parts]
    assert fixed.certify().document["mechanism"] == plan.certify().document["mechanism"]
    assert survey().resolved == survey()
