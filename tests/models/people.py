"""Small made-up tables with a known law."""

from __future__ import annotations

from typing import Any

import numpy as np

import noisewright as nw

DOMAIN = nw.Records(
    sick=nw.Categories(["no", "yes"]),
    smokes=nw.Categories(["never", "some", "much"]),
    visits=nw.Counts(3),
    age=nw.Interval(20, 80, step=20).reading(outside="clamp", off_grid="round"),
)


def people(rows: int, seed: int = 0) -> dict[str, Any]:
    """Sickness depends on smoking, visits depend on sickness, age on nothing."""
    random = np.random.default_rng(seed)
    smokes = random.choice(3, size=rows, p=[0.5, 0.3, 0.2])
    sick = (random.random(rows) < np.array([0.1, 0.4, 0.8])[smokes]).astype(int)
    visits = random.binomial(3, np.array([0.2, 0.8])[sick])
    return {
        "smokes": np.array(["never", "some", "much"])[smokes],
        "visits": visits,
        "age": random.integers(15, 95, size=rows),
        "sick": np.array(["no", "yes"])[sick],
    }


def halves(rows: int) -> tuple[dict[str, Any], Any, dict[str, Any], Any]:
    """Features and labels to learn from, and to test on."""
    table = people(rows)
    y = table.pop("sick")
    cut = rows // 2
    first = {name: values[:cut] for name, values in table.items()}
    second = {name: values[cut:] for name, values in table.items()}
    return first, y[:cut], second, y[cut:]
