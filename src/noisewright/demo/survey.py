"""A made-up survey: believable people, none of them real, a plan for them, and their true answers.

Its randomness is ordinary and seeded, because these records stand for the raw data. The noise
that protects them comes from elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.on_use import pa
from noisewright.plans import Column, Plan
from noisewright.spaces import Counts, Curves, Interval, Subsets

REGIONS = ("north", "east", "south", "west", "islands")
AGES = ("18-29", "30-44", "45-59", "60-74", "75+")
JOBS = ("care", "crafts", "education", "office", "retail", "transport", "none")
INTERESTS = (
    "cinema",
    "cooking",
    "cycling",
    "dancing",
    "football",
    "gaming",
    "gardening",
    "music",
    "reading",
    "theater",
    "travel",
    "walking",
)
MOST_INTERESTS = 3
MOST_CHILDREN = 6
LONGEST_COMMUTE = 120
MOST_POWER = 3
HOURS = 24
NO_ANSWER = "no answer"

_JOB_BY_AGE = np.array(
    [
        [0.10, 0.15, 0.06, 0.17, 0.25, 0.09, 0.18],
        [0.15, 0.15, 0.13, 0.27, 0.13, 0.08, 0.09],
        [0.16, 0.16, 0.13, 0.25, 0.12, 0.09, 0.09],
        [0.09, 0.08, 0.07, 0.13, 0.07, 0.05, 0.51],
        [0.01, 0.01, 0.01, 0.01, 0.01, 0.00, 0.95],
    ]
)
_CHILDREN_BY_AGE = np.array([0.3, 1.3, 1.7, 1.8, 2.1])
_LIKES = np.array([0.30, 0.33, 0.22, 0.12, 0.26, 0.21, 0.27, 0.35, 0.31, 0.08, 0.37, 0.45])
_LIKES_OF_YOUNG = np.array([2.0, 1.0, 1.4, 2.2, 1.7, 4.5, 0.4, 1.8, 0.8, 0.9, 1.2, 0.5])
_SHARE_WITHOUT_ANSWER = 0.04


def make_survey(people: int = 50_000, *, seed: int = 2026) -> Any:
    """Return the survey as an Arrow table, one row a person."""
    rng = np.random.default_rng(seed)
    region = rng.choice(len(REGIONS), people, p=[0.24, 0.21, 0.29, 0.2, 0.06])
    age = rng.choice(len(AGES), people, p=[0.19, 0.26, 0.26, 0.2, 0.09])
    job = _draw(rng, _JOB_BY_AGE[age])
    works = job < len(JOBS) - 1
    answered = rng.random(people) >= _SHARE_WITHOUT_ANSWER
    smokes = rng.random(people) < np.where(age < 3, 0.24, 0.11)
    children = np.minimum(rng.poisson(_CHILDREN_BY_AGE[age]), MOST_CHILDREN)
    commute = np.where(works, np.minimum(rng.gamma(2.2, 13, people), LONGEST_COMMUTE), 0)
    interests = _interests(rng, age)
    return pa.table(
        {
            "person": pa.array([f"P{number:06d}" for number in range(1, people + 1)]),
            "region": pa.array(np.array(REGIONS)[region]),
            "age_group": pa.array(np.array(AGES)[age]),
            "job": pa.array(np.array(JOBS)[job], mask=~answered),
            "smokes": pa.array(smokes),
            "children": pa.array(children.astype(np.int8)),
            "commute": pa.array(np.rint(commute).astype(np.int16)),
            "interests": pa.array(interests, type=pa.list_(pa.string())),
            "power": _power(rng, works, children),
        }
    )


def survey_columns() -> dict[str, Any]:
    """Return what each column can hold, by what everybody knows who has seen the form."""
    return {
        "person": "drop",
        "region": Column(REGIONS),
        "age_group": Column(AGES),
        "job": Column(JOBS, null=NO_ANSWER),
        "smokes": Column([False, True]),
        "children": Column(Counts(MOST_CHILDREN)),
        "commute": Column(Interval(0, LONGEST_COMMUTE, step=5), off_grid="round"),
        "interests": Column(Subsets(INTERESTS, largest=MOST_INTERESTS), share=2),
        "power": Column(
            Curves(range(HOURS), low=0, high=MOST_POWER), basis="fourier", coefficients=9, share=3
        ),
    }


def survey_plan(*, people: int, epsilon: int, delta: str) -> Plan:
    """Return the plan for a private copy of the survey in random order."""
    return Plan(
        survey_columns(),
        epsilon=epsilon,
        delta=delta,
        order="shuffled",
        rows=people,
        title="A survey of made-up people",
    )


def true_answers(table: Any, *, countable: bool = False) -> dict[str, NDArray[np.float64]]:
    """Return for each private column the answers that `Release.estimate` estimates.

    With `countable`, only for those with one label or number in a cell.
    """
    found = {
        "region": _shares(table["region"], REGIONS),
        "age_group": _shares(table["age_group"], AGES),
        "job": _shares(table["job"].fill_null(NO_ANSWER), (*JOBS, NO_ANSWER)),
        "smokes": _shares(table["smokes"], (False, True)),
        "children": _shares(table["children"], range(MOST_CHILDREN + 1)),
        "commute": np.asarray(table["commute"].to_numpy().mean()),
    }
    if countable:
        return found
    power = table["power"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    found["interests"] = _item_shares(table["interests"])
    found["power"] = power.reshape(-1, HOURS).mean(axis=0, dtype=np.float64)
    return found


def _draw(rng: np.random.Generator, shares: NDArray[np.float64]) -> NDArray[np.intp]:
    """Draw one column for each row of shares."""
    sums = np.cumsum(shares / shares.sum(axis=1, keepdims=True), axis=1)
    drawn = (rng.random((len(shares), 1)) >= sums).sum(axis=1)
    return np.minimum(drawn, shares.shape[1] - 1)


def _interests(rng: np.random.Generator, age: NDArray[np.intp]) -> list[list[str]]:
    odds = _LIKES * np.where(age[:, None] == 0, _LIKES_OF_YOUNG, 1)
    likes = rng.random(odds.shape) < np.minimum(odds * 0.85, 0.9)
    # Whoever likes more than fits on the form names a random part of it.
    order = np.argsort(rng.random(odds.shape) - likes, axis=1)[:, :MOST_INTERESTS]
    names = np.array(INTERESTS)
    return [
        sorted(names[[place for place in places if liked[place]]].tolist())
        for places, liked in zip(order.tolist(), likes, strict=True)
    ]


def _power(rng: np.random.Generator, works: NDArray[Any], children: NDArray[Any]) -> Any:
    """Return what each household draws in each hour of a day, in kilowatts."""
    hours = np.arange(HOURS)

    def peak(at: float, width: float) -> NDArray[np.float64]:
        # Midnight follows on 23 o'clock.
        apart = (hours - at + HOURS / 2) % HOURS - HOURS / 2
        return np.exp(-((apart / width) ** 2) / 2)

    people = len(works)
    size = rng.gamma(6.0, 1 / 6, (people, 1)) * (1 + 0.12 * children[:, None])
    morning = peak(7.6, 2.1) * np.where(works, 1.0, 0.5)[:, None]
    noon = peak(13.0, 2.8) * np.where(works, 0.15, 0.7)[:, None]
    evening = peak(19.0, 2.7) * 1.1
    wobble = rng.gamma(8.0, 1 / 8, (people, HOURS))
    power = np.minimum((0.22 + morning + noon + evening) * size * wobble, MOST_POWER)
    values = pa.array(np.round(power, 2).astype(np.float32).reshape(-1))
    return pa.FixedSizeListArray.from_arrays(values, HOURS)


def _shares(column: Any, labels: Any) -> NDArray[np.float64]:
    counted = {pair["values"]: pair["counts"] for pair in column.value_counts().to_pylist()}
    return np.array([counted.get(label, 0) for label in labels]) / len(column)


def _item_shares(column: Any) -> NDArray[np.float64]:
    named = column.combine_chunks().flatten()
    return _shares(named, INTERESTS) * len(named) / len(column)
