"""One small mechanism of each kind: the laws are run over all of them."""

import noisewright as nw
from noisewright.mechanisms import Mechanism, Table

COLORS = nw.Categories(["red", "green", "blue"])

TABLES: dict[str, Table] = {
    name: mechanism.table()
    for name, mechanism in {
        "geometric": nw.geometric(nw.Counts(4), epsilon=0.7),
        "explicit fair": nw.explicit_fair(nw.Counts(5), alpha="10/11"),
        "uniform": nw.uniform(COLORS),
        "randomized response": nw.randomized_response(COLORS, epsilon=1, delta="1/20"),
        "exponential": nw.select.choice_table(nw.Counts(3), lambda x, y: -abs(x - y), epsilon=2),
        "permute and flip": nw.select.choice_table(
            nw.Counts(3), lambda x, y: -abs(x - y), method="permute_and_flip", epsilon=2
        ),
        "noisy max": nw.select.choice_table(
            nw.Counts(3), lambda x, y: -abs(x - y), method="noisy_max", epsilon=2
        ),
        "floats": nw.from_matrix(COLORS, [[0.5, 0.25, 0.25], [0.1, 0.2, 0.7], [1, 0, 0]]),
        "weights": nw.from_matrix(nw.Counts(1), [[3, 1], [0, 4]], outputs=["no", "yes"]),
        "post-processed": nw.geometric(nw.Counts(4), epsilon=1).then(lambda count: count > 2),
        "mixture": nw.combine.mixture(
            [nw.uniform(COLORS), nw.randomized_response(COLORS, epsilon=1).table()], ["1/3", "2/3"]
        ),
        "discrete exponential": nw.discrete_exponential(
            nw.Counts(1), lambda d, e: -abs(d[0] - e[0]) - int(d != e), epsilon=1, rows=2
        ),
        "per item, bounded": nw.per_item(nw.Subsets(["a", "b", "c"], largest=1), epsilon=1),
        "person": nw.combine.per_person(nw.randomized_response(COLORS, epsilon=1), rows=2),
        "rows": (nw.uniform(nw.Counts(1)) ** 2).table(),
        "columns": nw.combine.product(
            c=nw.randomized_response(COLORS, epsilon=1), n=nw.geometric(nw.Counts(1), epsilon=1)
        ),
    }.items()
}

FORMULAS: dict[str, Mechanism] = {
    "geometric, by formula": nw.geometric(nw.Counts(10**6), epsilon=0.1),
    "laplace": nw.laplace(nw.Interval(0, 1, step="1/8"), epsilon=0.5, delta=0.01),
    "laplace, truncated": nw.laplace(nw.Interval(0, 1, step="1/8"), epsilon=1, form="truncated"),
    "staircase": nw.staircase(nw.Interval(0, 1, step="1/8"), epsilon=2),
    "response, by formula": nw.randomized_response(nw.Counts(10**6), epsilon=0.1),
    "per item": nw.per_item(nw.Subsets(range(3000), largest=5), epsilon=1),
    "flipped sets": nw.design(nw.Subsets(range(30)), epsilon=1, loss="distance").mechanism,
    "rows of a person": nw.combine.per_person(nw.randomized_response(COLORS, epsilon=1), rows=1000),
    "rows, lazily": nw.geometric(nw.Counts(3), epsilon=1) ** 1000,
    "columns, lazily": nw.combine.product({f"c{i}": nw.uniform(COLORS) for i in range(50)}),
}

ALL: dict[str, Mechanism] = {**TABLES, **FORMULAS}
