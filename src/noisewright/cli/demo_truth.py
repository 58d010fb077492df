"""What the demo knows because it made the people up: the answers without noise."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.cli import survey

NO_ANSWER = "no answer"

TITLES = {
    "job": "Jobs",
    "children": "Children",
    "interests": "Interests",
    "power": "Power drawn in each hour, in kilowatts",
}


def truths(table: Any) -> dict[str, NDArray[np.float64]]:
    """Return for each private column the answers that `Release.estimate` estimates."""
    jobs = table["job"].fill_null(NO_ANSWER)
    power = table["power"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return {
        "age_group": _shares(table["age_group"], survey.AGES),
        "job": _shares(jobs, (*survey.JOBS, NO_ANSWER)),
        "smokes": _shares(table["smokes"], (False, True)),
        "children": _shares(table["children"], range(survey.MOST_CHILDREN + 1)),
        "commute": np.asarray(table["commute"].to_numpy().mean()),
        "interests": _item_shares(table["interests"]),
        "power": power.reshape(-1, survey.HOURS).mean(axis=0, dtype=np.float64),
    }


def _shares(column: Any, labels: Any) -> NDArray[np.float64]:
    counted = {pair["values"]: pair["counts"] for pair in column.value_counts().to_pylist()}
    return np.array([counted.get(label, 0) for label in labels]) / len(column)


def _item_shares(column: Any) -> NDArray[np.float64]:
    named = column.combine_chunks().flatten()
    return _shares(named, survey.INTERESTS) * len(named) / len(column)
