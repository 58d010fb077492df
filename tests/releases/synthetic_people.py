"""Raw data to make synthetic tables from, and the ways to make them."""

from typing import Any

import numpy as np
import pyarrow as pa

import noisewright as nw

SPACES: dict[str, Any] = {
    "job": nw.Column(["clerk", "cook", "nurse"], null="not said", other="another"),
    "age": nw.Column(nw.Interval(18, 60, step=1), outside="clamp"),
    "smokes": [True, False],
    "visits": nw.Counts(5),
}
METHODS = [("mst", 0), ("mst", 1e-4), ("mwem", 0), ("mwem", 1e-4)]
IDS = [f"{method}-{'rho' if delta else 'epsilon'}" for method, delta in METHODS]


def people(rows: int = 4_000) -> pa.Table:
    """Raw data with links: age follows the job, visits follow smoking."""
    rng = np.random.default_rng(7)
    job = rng.integers(0, 3, rows)
    smokes = rng.random(rows) < 0.3
    visits = np.minimum(rng.poisson(np.where(smokes, 3.0, 0.5)), 5)
    labels = np.array(["clerk", "cook", "nurse"], dtype=object)[job]
    labels[:40] = None
    labels[40:60] = "Zebulon-Quux"
    return pa.table(
        {
            "name": [f"person {place}" for place in range(rows)],
            "visits": pa.array(visits, pa.uint8()),
            "job": pa.array(labels, pa.string()),
            "age": pa.array(20 + 10 * job + rng.integers(-2, 12, rows), pa.int16()),
            "smokes": smokes,
        }
    )


DATA = people()
