"""Errors before a release are those that releases have."""

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError
from noisewright.releases.released import estimates_of
from tests.estimation.whole_tables import JOBS, people, plan, released

PLAN = plan()


def test_predicted_errors_are_those_of_many_releases() -> None:
    """80 seeded releases; a root mean square over 80 draws is 8% off on average."""
    raw = people(500, 5)
    shares = {
        "job": {job: float((raw["job"] == job).mean()) for job in JOBS},
        "sex": {sex: float((raw["sex"] == sex).mean()) for sex in "fm"},
        "kids": {kids: float((raw["kids"] == kids).mean()) for kids in range(6)},
        "likes": {"tea": 0.7, "milk": 0.4, "salt": 0.15},
    }
    planned = PLAN.predict(people=500, shares=shares, about="people")
    truth = {
        "job": np.array(list(shares["job"].values())),
        "sex": np.array(list(shares["sex"].values())),
        "kids": np.array(list(shares["kids"].values())),
        "mean of kids": raw["kids"].mean(),
        "hours": raw["hours"].mean(),
        "wealth": raw["wealth"].mean(),
        "likes": np.array(
            [np.mean([i in one for one in raw["likes"]]) for i in planned["likes"].axes[0].labels]
        ),
    }
    assert planned.keys() == {*truth, "day"}
    assert planned["day"].standard_errors == pytest.approx(
        estimates_of(PLAN, released(PLAN, raw, 0), "day", about="people").standard_errors
    )
    words = {"kids": ["shares", "mean"]}
    asked = [name for name in PLAN.private if name != "day"]
    errors: dict[object, list[float]] = {key: [] for key in truth}
    for seed in range(80):
        table = released(PLAN, raw, seed)
        found = estimates_of(PLAN, table, asked, question=words, about="people")
        found["kids"] = found["shares of kids"]
        for key, values in truth.items():
            here = (found[key].values - values) / planned[key].standard_errors
            errors[key].append(float(np.mean(here**2)))
    for key, squares in errors.items():
        assert np.mean(squares) ** 0.5 == pytest.approx(1, abs=0.25), key


def test_a_joint_part_is_predicted_column_by_column() -> None:
    found = PLAN.predict(people=1_000)
    joint = next(part.mechanism for part in PLAN.parts if part.is_joint)
    whole = nw.planning.expected_error(joint, people=1_000)
    # The variance of a sum of cells whose contributions are randomized response of the margin.
    assert found["sex"].standard_errors.shape == (2,)
    assert found["job"].values == pytest.approx([1 / 3] * 3)
    assert whole.standard_errors.shape == (6,)
    cells = float(whole.standard_errors[0] ** 2)
    covariance = -cells / 5
    assert float(found["sex"].standard_errors[0]) ** 2 == pytest.approx(
        3 * cells + 6 * covariance, rel=1e-9
    )


def test_worst_shares_are_never_better() -> None:
    even, worst = PLAN.predict(people=1_000), PLAN.predict(people=1_000, shares="worst")
    for key, found in even.items():
        assert (worst[key].standard_errors >= found.standard_errors * (1 - 1e-12)).all(), key


def test_several_rows_of_a_person_make_errors_about_a_population_larger() -> None:
    columns = {"job": nw.Column(JOBS)}
    single = nw.Plan(columns, epsilon=2)
    several = nw.Plan(columns, epsilon=6, person=nw.Person("who", rows=3))
    noise = single.predict(people=900, about="people")["job"].standard_errors
    assert several.predict(people=900, about="people")["job"].standard_errors == pytest.approx(
        noise
    )
    one = single.predict(people=900)["job"].standard_errors
    found = several.predict(people=900)["job"].standard_errors
    assert found**2 == pytest.approx(noise**2 + 3 * (one**2 - noise**2))


def test_guesses_are_by_column() -> None:
    with pytest.raises(InputError, match="shares name 'town'; the private columns are 'job'"):
        PLAN.predict(people=10, shares={"town": [1]})
    with pytest.raises(InputError, match="shares are given by column"):
        PLAN.predict(people=10, shares=[0.5, 0.5])  # type: ignore[arg-type]
