"""What is planned is what is released: a space has one usual mechanism, whoever asks for it."""

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.errors import ParameterError, SpaceError
from noisewright.plans.epsilon_for import default_mechanism

LABELS = nw.Categories(["a", "b", "c"])
SPACES: dict[str, Any] = {
    "categories": LABELS,
    "few counts": nw.Counts(8),
    "counts, just few": nw.Counts(63),
    "counts, just many": nw.Counts(64),
    "counts of a person": nw.Counts(8, neighbors="replace"),
    "very many counts": nw.Counts(5_000),
    "interval": nw.Interval(0, 10, step=1),
    "fine interval": nw.Interval(0, 10**7, step=1),
    "sets": nw.Subsets(["tea", "gin", "rum"], largest=2),
    "curves": nw.Curves(range(5), low=0, high=10),
    "records": nw.Records(a=LABELS, b=nw.Counts(80), c=nw.Interval(-1, 1, step="0.5")),
}


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES.keys())
@given(epsilon=st.floats(0.01, 20))
@settings(max_examples=8, deadline=None)
def test_a_planned_mechanism_is_the_one_that_a_plan_releases(space: Any, epsilon: float) -> None:
    planned = default_mechanism(space, 0)(epsilon)
    columns = dict(space.columns) if isinstance(space, nw.Records) else {"value": space}
    plan = nw.Plan({name: nw.Column(one) for name, one in columns.items()}, epsilon=epsilon)
    released = plan.mechanism if isinstance(space, nw.Records) else plan.parts[0].mechanism
    assert type(planned) is type(released)
    assert planned.describe() == released.describe()
    assert planned.claim is not None
    assert planned.claim.epsilon <= plan.guarantee.epsilon


@pytest.mark.parametrize("name", ["categories", "few counts", "counts, just many", "interval"])
def test_epsilon_for_answers_with_what_a_plan_of_that_epsilon_releases(name: str) -> None:
    space = SPACES[name]
    target = {"categories": 0.02, "few counts": 0.05}.get(name, float(space.size) / 100)
    found = nw.planning.epsilon_for(
        space, target=target, people=5_000, about="people", tolerance=1e-3
    )
    plan = nw.Plan({"value": nw.Column(space)}, epsilon=found.epsilon)
    assert found.mechanism.describe() == plan.parts[0].mechanism.describe()
    assert float(plan.guarantee.epsilon) == pytest.approx(found.epsilon)


def test_counts_of_groups_are_planned_with_a_mechanism_that_is_named() -> None:
    groups = nw.Counts(8)
    found = nw.planning.epsilon_for(
        groups,
        target=0.05,
        people=5_000,
        mechanism=lambda e: nw.geometric(groups, epsilon=e),
        tolerance=1e-3,
    )
    assert found.mechanism.space == groups


def test_what_a_plan_refuses_is_not_planned() -> None:
    with pytest.raises(SpaceError, match="neighbors"):
        nw.planning.epsilon_for(nw.Interval(0, 9, step=1, neighbors=2), target=1, people=99)
    with pytest.raises(ParameterError, match="delta"):
        nw.planning.epsilon_for(nw.Counts(80), target=1, people=99, delta="1e-6")
