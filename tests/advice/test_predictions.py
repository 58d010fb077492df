"""Predicted errors against those that are found when each tool is used many times.

Errors are roots of mean squares over 25 uses. Shares and pairs of these columns have at least 300
independent squares, so that the ratio to a right prediction deviates by 4% from 1; a mean has 25,
14%. A false alarm is rarer than 1 in 10^7 each: ratios of shares would be 7 deviations off, and
those of means outside of the quantiles of χ² with 25 degrees of freedom at 10^-8.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.advice import TOOLS, Advice
from tests.advice.simulated import DELTA, by_asking, by_copy, by_synthesis, found_errors

ROWS, TIMES = 3000, 25
JOBS, SEXES, AREAS = (
    [f"{word}{k}" for k in range(n)] for word, n in (("j", 6), ("s", 2), ("a", 9))
)
COLUMNS = {
    "job": nw.Column(JOBS),
    "sex": nw.Column(SEXES),
    "area": nw.Column(AREAS),
    "age": nw.Column(nw.Interval(0, 80, step=1)),
}
BANDS = {"shares": (0.68, 1.45), "pairs": (0.75, 1.35), "mean": (0.35, 1.95)}
QUESTIONS = list(BANDS)

TOOL: dict[str, Callable[[], Any]] = {
    "kept": lambda: by_copy(nw.Plan(COLUMNS, epsilon=1)),
    "shuffled": lambda: by_copy(
        nw.Plan(COLUMNS, epsilon=1, delta=DELTA, order="shuffled", rows=ROWS)
    ),
    "synthetic": lambda: by_synthesis(1),
    "asked": lambda: by_asking(1),
}


@pytest.fixture(scope="module")
def table() -> Any:
    """Rows with links between columns, as real ones have."""
    rng = np.random.default_rng()
    job, area = rng.integers(0, 6, ROWS), rng.integers(0, 9, ROWS)
    sex = (rng.random(ROWS) < 0.3 + 0.08 * job).astype(int)
    area = np.where(rng.random(ROWS) < 0.3, job, area)
    names = [
        np.array(labels)[codes] for labels, codes in ((JOBS, job), (SEXES, sex), (AREAS, area))
    ]
    return pa.table([*names, rng.integers(0, 81, ROWS)], names=list(COLUMNS))


def ratios(advice: Advice, tool: Any, found: list[float]) -> dict[str, float]:
    """Return found over predicted errors, by kind of question."""
    kinds: dict[str, list[tuple[float, float]]] = {}
    for question, predicted, error in zip(
        advice.questions, advice.errors[tool], found, strict=True
    ):
        assert predicted is not None
        kinds.setdefault(question.kind, []).append((predicted, error))
    roots = {kind: np.sqrt(np.mean(np.square(both), axis=0)) for kind, both in kinds.items()}
    return {kind: float(error / predicted) for kind, (predicted, error) in roots.items()}


@pytest.mark.filterwarnings("ignore::noisewright.errors.PlanWarning")
@pytest.mark.parametrize("tool", TOOL)
def test_predicted_errors_are_those_that_are_found(tool: str, table: Any) -> None:
    advice = nw.advise(table, COLUMNS, epsilon=1, questions=QUESTIONS)
    found = found_errors(TOOL[tool](), table, COLUMNS, advice.questions, times=TIMES)
    for kind, ratio in ratios(advice, tool, found).items():
        low, high = BANDS[kind]
        assert low < ratio < high, (kind, ratio)
    # A prediction for another guarantee is rejected, both ways.
    for epsilon, rejects in (("2/5", lambda r: r < BANDS["pairs"][0]), ("5/2", lambda r: r > 1.45)):
        other = nw.advise(table, COLUMNS, epsilon=epsilon, questions="pairs")
        pairs = [e for q, e in zip(advice.questions, found, strict=True) if q.kind == "pairs"]
        assert rejects(ratios(other, tool, pairs)["pairs"])


def test_tools_are_listed_in_one_place() -> None:
    assert set(nw.advise(COLUMNS, rows=ROWS).errors) <= set(TOOLS)
