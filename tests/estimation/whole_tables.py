"""A small table with a column of each kind, its plan, and releases of it."""

from typing import Any

import numpy as np
import pyarrow as pa

import noisewright as nw

JOBS = ["nurse", "baker", "smith"]
ITEMS = ["tea", "milk", "salt"]
REGIONS = ["north", "south", "west"]
HOURS = list(range(12))


def people(count: int, seed: int) -> dict[str, Any]:
    """Return raw columns that depend on each other."""
    random = np.random.default_rng(seed)
    job = random.choice(3, count, p=[0.5, 0.3, 0.2])
    sex = (random.random(count) < np.where(job == 0, 0.2, 0.7)).astype(int)
    region = random.choice(3, count, p=[0.2, 0.3, 0.5])
    kids = np.minimum(random.poisson(1 + region, count), 5)
    has = random.random((count, 3)) < np.array([[0.6, 0.3, 0.05]]) + 0.2 * sex[:, None]
    return {
        "job": np.array(JOBS)[job],
        "sex": np.array(["f", "m"])[sex],
        "kids": kids,
        "hours": np.round(2 * random.normal(35, 8, count).clip(0, 60)) / 2,
        "wealth": random.integers(0, 10**7, count).astype(float),
        "likes": [[item for item, own in zip(ITEMS, row, strict=True) if own] for row in has],
        "day": 4 + 2 * np.sin(np.array(HOURS) / 3) + random.uniform(-1, 1, (count, 1)),
        "region": np.array(REGIONS)[region],
    }


def plan() -> nw.Plan:
    """Return a plan with two columns together and one public."""
    columns: dict[str, Any] = {
        "job": nw.Column(JOBS),
        "sex": nw.Column(["f", "m"]),
        "kids": nw.Column(nw.Counts(5)),
        "hours": nw.Column(nw.Interval(0, 60, step="1/2")),
        "wealth": nw.Column(nw.Interval(0, 10**7, step=1)),
        "likes": nw.Column(nw.Subsets(ITEMS)),
        "day": nw.Column(nw.Curves(HOURS, low=0, high=10), basis="fourier", coefficients=5),
        "region": "public",
    }
    return nw.Plan(columns, epsilon=28, together=[("job", "sex")])


def released(of: Any, raw: dict[str, Any], seed: int) -> pa.Table:
    """Draw a release of the raw columns by the mechanisms of the plan, part by part."""
    source = nw.randomness.SeededSource(seed)
    drawn: dict[str, Any] = {name: raw[name] for name in of.public}
    for part in of.parts:
        if len(part.columns) > 1:
            records = list(zip(*(raw[name].tolist() for name in part.columns), strict=True))
            columns = zip(*part.mechanism.sample(records, source=source), strict=True)
            drawn |= {
                name: list(column) for name, column in zip(part.columns, columns, strict=True)
            }
            continue
        (name,) = part.columns
        values: Any = part.mechanism.sample(raw[name], source=source)
        if isinstance(part.space, nw.Subsets):
            values = [sorted(one) for one in values]
        if isinstance(part.space, nw.Curves):
            values = list(values.values)
        drawn[name] = values
    return pa.table(drawn)
