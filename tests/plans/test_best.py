"""Plans with shares="best": against equal shares, and against every division on a grid."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import ParameterError

COLUMNS = {
    "job": nw.Column(list("abcdefgh")),
    "sex": nw.Column(["f", "m"]),
    "age": nw.Column(nw.Interval(0, 100, step=1)),
    "steps": nw.Column(nw.Counts(100)),
    "likes": nw.Column(nw.Subsets(range(12), largest=3)),
    "smokes": nw.Column([False, True]),
}


def some(*names: str) -> dict[str, nw.Column]:
    return {name: COLUMNS[name] for name in names}


def squared_error(plan: nw.Plan, of: tuple[str, ...], question: str) -> float:
    """The mean squared error of one estimate over its scale, by estimation itself."""
    parts = dict(plan.mechanism.columns)
    first, *others = of
    if others:
        planned = nw.planning.expected_error(plan.mechanism, people=1, of=of, about="people")
        return float((planned.standard_errors**2).mean())
    scale = 100.0 if question == "mean" else 1.0
    planned = nw.planning.expected_error(parts[first], people=1, of=question, about="people")
    return float(((planned.standard_errors / scale) ** 2).mean())


def objective(plan: nw.Plan, wanted: list[tuple[tuple[str, ...], str, float]]) -> float:
    return sum(weight * squared_error(plan, of, question) for of, question, weight in wanted)


CASES: dict[str, tuple[Any, dict[str, Any], list[tuple[tuple[str, ...], str, float]]]] = {
    "own estimates": (
        some("job", "sex"),
        {},
        [(("job",), "shares", 1), (("sex",), "shares", 1)],
    ),
    "three kinds": (
        some("job", "age", "likes"),
        {},
        [(("job",), "shares", 1), (("age",), "mean", 1), (("likes",), "items", 1)],
    ),
    "weights": (
        some("job", "age"),
        {"estimates": [nw.planning.Wanted("job", weight=9), "age"]},
        [(("job",), "shares", 9), (("age",), "mean", 1)],
    ),
    "a pair": (
        some("job", "sex", "smokes"),
        {"estimates": [("job", "sex"), "smokes"]},
        [(("job", "sex"), "shares", 1), (("smokes",), "shares", 1)],
    ),
}


@pytest.mark.parametrize("epsilon", [0.5, 6])
@pytest.mark.parametrize("case", CASES)
def test_no_division_on_a_grid_is_better(case: str, epsilon: float) -> None:
    columns, settings, wanted = CASES[case]
    best = nw.Plan(columns, epsilon=epsilon, shares="best", **settings)
    found = objective(best, wanted)
    assert found <= objective(nw.Plan(columns, epsilon=epsilon), wanted)
    steps = 20 if len(columns) == 2 else 7
    for counts in itertools.product(range(1, steps), repeat=len(columns) - 1):
        last = steps - sum(counts)
        if last > 0:
            divided = {
                name: nw.Column(
                    column.space, share=Fraction(count, steps), mechanism=column.mechanism
                )
                for (name, column), count in zip(columns.items(), (*counts, last), strict=True)
            }
            assert found <= objective(nw.Plan(divided, epsilon=epsilon), wanted) * (1 + 1e-5)


@pytest.mark.parametrize("together", [(), (("sex", "smokes"),)], ids=["apart", "together"])
def test_shares_are_kept_in_the_text_and_sum_to_one(together: Any) -> None:
    plan = nw.Plan(
        COLUMNS,
        epsilon="1/3",
        shares="best",
        together=together,
        estimates=[
            "job",
            ("job", "sex"),
            nw.planning.Wanted("age", weight="1/3", question="shares"),
        ],
    )
    columns: list[Any] = [column for _, column in plan.columns]
    assert sum(column.share for column in columns) == 1
    assert plan.guarantee == nw.accounting.Guarantee("1/3")
    again = nw.Plan.from_toml(plan.to_toml())
    assert again == plan
    assert again.to_toml() == plan.to_toml()
    assert [part.guarantee for part in again.parts] == [part.guarantee for part in plan.parts]
    assert "job × sex" in "\n".join(plan.words())


def test_what_has_an_epsilon_of_its_own_keeps_it() -> None:
    columns = {**some("job", "sex"), "age": nw.Column(COLUMNS["age"].space, epsilon="1/2")}
    plan = nw.Plan(columns, epsilon=2, shares="best", person=nw.Person("who", rows=2))
    spent = {part.name: part.guarantee.epsilon.rational for part in plan.parts}
    assert spent["age"] == Fraction(1, 4)
    assert spent["job"] + spent["sex"] == Fraction(3, 4)
    assert spent["job"] > spent["sex"]


def test_naming_estimates_means_best_and_unnamed_columns_are_not_lost() -> None:
    plan = nw.Plan(some("job", "sex", "smokes"), epsilon=4, estimates=["job"])
    assert plan.shares == "best"
    spent = [float(part.guarantee.epsilon) for part in plan.parts]
    assert spent[0] > 2
    assert spent[1] == pytest.approx(spent[2], abs=0.01)
    assert spent[1] > 0.1


def test_a_joint_part_is_weighed_by_its_marginals() -> None:
    """The closed form of one column of a joint response against estimation's marginal."""
    from noisewright.mechanisms import marginal
    from noisewright.plans.error_curves import kept_by_response, response_error

    plan = nw.Plan(some("job", "sex"), epsilon=2, together=[("job", "sex")])
    planned = nw.planning.expected_error(
        marginal(plan.parts[0].mechanism, "job"), people=1, about="people"
    ).standard_errors
    formula = response_error(16, kept_by_response(16, 2, 0), of=8) - 1 / 8
    assert formula == pytest.approx(float(np.mean(planned**2)))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"estimates": ["nobody"]}, "'nobody', which the plan does not randomize"),
        ({"estimates": "job"}, "estimates is a list"),
        ({"estimates": [("job", "likes")]}, "of 'likes' asks for shares"),
        ({"estimates": [nw.planning.Wanted("sex", question="mean")]}, "one can ask for shares"),
        ({"estimates": ["job"], "shares": "equal"}, "shares is 'equal'"),
        ({"shares": "fair"}, "it must be 'equal', "),
    ],
    ids=["unknown", "text", "sets", "mean", "equal", "word"],
)
def test_estimates_that_cannot_be_had(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        nw.Plan(COLUMNS, epsilon=1, **settings)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: nw.planning.Wanted([]), "of a column, or of a list"),
        (lambda: nw.planning.Wanted(["a", "a"]), "each column once"),
        (lambda: nw.planning.Wanted("a", weight=0), "above 0"),
        (lambda: nw.planning.Wanted("a", question="median"), "it must be 'shares', 'mean'"),
        (lambda: nw.planning.Wanted(["a", "b"], question="mean"), "a table of shares"),
    ],
    ids=["nothing", "twice", "weight", "question", "joint"],
)
def test_wishes_that_make_no_sense(make: Any, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        make()


def test_curves_are_weighed_by_their_noise() -> None:
    day = nw.Column(nw.Curves(range(12), low=0, high=5))
    plan = nw.Plan({"day": day, **some("sex")}, epsilon=4, shares="best")
    spent = [float(part.guarantee.epsilon) for part in plan.parts]
    assert spent[0] > 3 * spent[1]
    assert nw.Plan.from_toml(plan.to_toml()) == plan


@pytest.mark.parametrize("together", [(), (("sex", "smokes"),)], ids=["apart", "together"])
def test_never_worse_than_the_equal_shares_of_a_plan(together: Any) -> None:
    columns, wanted = some("job", "sex", "smokes"), [(("job",), "shares", 1.0)]
    best = nw.Plan(columns, epsilon=3, shares="best", together=together)
    equal = nw.Plan(columns, epsilon=3, together=together)
    if not together:
        wanted += [(("sex",), "shares", 1.0), (("smokes",), "shares", 1.0)]
        assert objective(best, wanted) < objective(equal, wanted)
        return
    from noisewright.mechanisms import marginal

    def total(plan: nw.Plan) -> float:
        pair = plan.parts[1].mechanism
        return objective(plan, wanted) + sum(
            float(
                (
                    nw.planning.expected_error(
                        marginal(pair, name), people=1, about="people"
                    ).standard_errors
                    ** 2
                ).mean()
            )
            for name in ("sex", "smokes")
        )

    assert total(best) < total(equal)


def test_half_of_the_shares_is_not_best() -> None:
    columns = {"a": nw.Column(["x", "y"], share=1), "b": nw.Column(["x", "y"])}
    with pytest.raises(ParameterError, match="'a' has a share while others have none"):
        nw.Plan(columns, epsilon=1, shares="best")
