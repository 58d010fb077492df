"""The best precisions, against a general optimizer that knows nothing of their form."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy import optimize

from noisewright.queries.planning.attribute import Attribute, Floats
from noisewright.queries.planning.best_precisions import Goal, best_precisions
from noisewright.queries.planning.contrast_cost import Neighbors
from noisewright.queries.planning.question_parts import QuestionParts, TableQuestion
from tests.queries.planning.dense import contrast_rows

SMALL = (Attribute("a", 2), Attribute("b", 3), Attribute("c", 4, (2, 2)))

WORKLOADS = {
    "one table": [TableQuestion(("a", "b"))],
    "pairs": [TableQuestion(pair) for pair in combinations("abc", 2)],
    "weights": [TableQuestion(("a",), 9.0), TableQuestion(("b", "c")), TableQuestion((), 0.5)],
    "prefixes": [TableQuestion(("b", "c"), 1.0, ("cells", "prefixes")), TableQuestion(("a",))],
}


def pair_rows(asked: QuestionParts, neighbors: Neighbors) -> Floats:
    """What each precision adds to the squared change: by definition, for all pairs of records."""
    shape = [axis.cells for axis in asked.axes]
    records = int(np.prod(shape))
    found: list[list[float]] = []
    projections: list[Floats] = []
    for part in asked.parts:
        rows = list(contrast_rows(asked.axes, part))
        scaled = [np.array(row) / np.sqrt(norm) for row, norm in rows]
        projections.append(np.array(scaled))
    for one, other in product(range(records), range(-1, records)):
        if one == other or (other < 0 and neighbors.total_is_public):
            continue
        if other >= 0 and neighbors.change == "add or remove":
            continue
        change = np.eye(records)[one] - (np.eye(records)[other] if other >= 0 else 0)
        found.append([float(np.sum((p @ change) ** 2)) for p in projections])
    return np.array(sorted({tuple(round(each, 12) for each in row) for row in found}))


@pytest.mark.parametrize("goal", ["total", "worst"])
@pytest.mark.parametrize("total_is_public", [False, True])
@pytest.mark.parametrize("change", ["add or remove", "replace"])
@pytest.mark.parametrize("name", WORKLOADS)
def test_nothing_is_better(name: str, change: str, total_is_public: bool, goal: Goal) -> None:
    if total_is_public and change == "add or remove":
        return
    neighbors = Neighbors(change, 1, total_is_public)  # pyright: ignore[reportArgumentType]
    names = {name for question in WORKLOADS[name] for name in question.attributes}
    axes = tuple(axis for axis in SMALL if axis.name in names)
    asked = QuestionParts(axes, tuple(WORKLOADS[name]))
    found = best_precisions(asked, neighbors, goal)
    assert np.isinf(found).tolist() == [total_is_public and not any(p) for p in asked.parts]
    kept = np.isfinite(found)
    rows = pair_rows(asked, neighbors)[:, kept]
    losses = asked.losses[:, kept] * asked.weights[:, None]
    losses = losses[losses.any(axis=1)]
    if goal == "worst":
        losses = losses / asked.answers[asked.losses[:, kept].any(axis=1), None]

    def loss(p: Floats) -> float:
        scaled = p / (rows @ p).max()
        each = losses @ (1 / scaled)
        return float(each.max() if goal == "worst" else each.sum())

    # In logarithms, precisions of a cost of 1 with the least loss: a smooth, convex program.
    k = kept.sum()
    result = optimize.minimize(
        lambda x: x[-1],
        np.append(np.log(found[kept]) + np.linspace(-0.5, 0.5, k), np.log(2 * loss(found[kept]))),
        constraints=[
            {"type": "ineq", "fun": lambda x: -np.log(rows @ np.exp(x[:-1]))},
            {
                "type": "ineq",
                "fun": lambda x: (
                    x[-1]
                    - np.log(
                        losses @ np.exp(-x[:-1])
                        if goal == "worst"
                        else [(losses @ np.exp(-x[:-1])).sum()]
                    )
                ),
            },
        ],
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    assert result.success
    best = loss(np.exp(result.x[:-1]))
    assert (rows @ found[kept]).max() == pytest.approx(1, abs=3e-4)
    assert loss(found[kept]) <= best * (1 + 5e-4)
    # And it is no better by more than the optimizer may miss: both have the same losses.
    assert loss(found[kept]) >= best * (1 - 5e-4)


def test_one_table_of_counts_has_the_same_precision_in_all_parts() -> None:
    """Alone, a table is best measured by independent noise on its cells."""
    asked = QuestionParts(SMALL, (TableQuestion(("a", "b", "c")),))
    found = best_precisions(asked, Neighbors("add or remove"), "total")
    sizes = [
        np.prod([axis.block_sizes[lv] for axis, lv in zip(SMALL, part, strict=True)])
        for part in asked.parts
    ]
    np.testing.assert_allclose(found * np.array(sizes), 1.0)
