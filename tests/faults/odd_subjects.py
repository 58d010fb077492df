"""Every public name with arguments that are right, to be made odd one at a time."""

import random
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pyarrow as pa

import noisewright as nw
from tests.faults.odd_values import OwnError

Call = tuple[tuple[Any, ...], dict[str, Any]]

COUNTS = nw.Counts(3)
COLORS = nw.Categories(["a", "b", "c"])
GRID = nw.Interval(0, 1, step="1/4")
SETS = nw.Subsets(["a", "b"])
CURVES = nw.Curves([0, 1, 2], low=0, high=1)
DOMAIN = nw.Records(a=nw.Counts(2, neighbors="replace"), b=COLORS)
TABLE = pd.DataFrame({"a": [0, 1, 2, 1] * 5, "b": ["a", "b", "c", "a"] * 5})
QUALITY = ["a", "b"], [1, 2]


@cache
def table() -> Any:
    return nw.geometric(COUNTS, epsilon=1)


@cache
def response() -> Any:
    return nw.randomized_response(COLORS, epsilon=1)


@cache
def plan() -> Any:
    return nw.Plan(
        {"a": nw.Column(nw.Counts(2, neighbors="replace")), "b": nw.Column(COLORS)}, epsilon=2
    )


@cache
def workload() -> Any:
    return nw.workloads.Workload.marginals(DOMAIN, ways=1)


@cache
def people() -> Any:
    return nw.Private(TABLE, columns=plan(), ledger=None)


@cache
def question() -> Any:
    return people().group_by("b").agg(n=nw.count(), m=nw.col("a").mean(), q=nw.col("a").median())


def truth_or_coin(value: Any, count: int) -> Any:
    """A client of others: half of its reports are true."""
    return [value if random.random() < 0.5 else random.randrange(2) for _ in range(count)]


def total(database: Any) -> int:
    """A query of the caller's own, whose errors are the caller's to see."""
    try:
        return min(3, sum(database))
    except Exception as problem:
        raise OwnError from problem


def a(*args: Any, **kwargs: Any) -> Call:
    return args, kwargs


FILTER: dict[str, Any] = {"f": "1/2", "p": "1/4", "q": "3/4"}

CALLS: dict[str, Callable[[], Call]] = {
    "frequencies": lambda: a(COLORS, epsilon=1),
    "mean": lambda: a(GRID, epsilon=1),
    "distribution": lambda: a(GRID, epsilon=1),
    "one_of": lambda: a({"x": nw.local.mean(GRID, epsilon=1)}),
    "items": lambda: a(["a", "b", "c"], largest=2, epsilon=1),
    "heavy_hitters": lambda: a(bits=16, epsilon=1),
    "succinct_histogram": lambda: a(bits=16, epsilon=1, people=100),
    "rappor": lambda: a(bits=8, **FILTER),
    "discovery": lambda: a(
        alphabet="ab",
        length=4,
        whole=nw.local.rappor(bits=8, **FILTER),
        part=nw.local.rappor(bits=8, **FILTER),
    ),
    "open_collection": lambda: a(nw.local.frequencies(COLORS, epsilon=1).specification),
    "Categories": lambda: a(["a", "b"]),
    "Column": lambda: a(COLORS),
    "Counts": lambda: a(3),
    "Curves": lambda: a([0, 1], low=0, high=1),
    "Epsilon": a,
    "Guarantee": lambda: a(1),
    "Interval": lambda: a(0, 1, step="1/4"),
    "OutputPerturbation": lambda: a(sum, table()),
    "Person": lambda: a("id", rows=2),
    "Plan": lambda: a({"a": nw.Column(COLORS)}, epsilon=1),
    "PrivateNaiveBayes": lambda: a(DOMAIN, label="b", epsilon=1),
    "PrivateTree": lambda: a(DOMAIN, label="b", epsilon=1),
    "Private": lambda: a(TABLE, columns=plan(), ledger=None),
    "Public": lambda: a({"a": [0, 1], "word": ["x", "y"]}, key="a"),
    "Records": lambda: a({"a": COUNTS}),
    "SanitizedResponse": lambda: a(response() ** 2),
    "SeededSource": lambda: a(1),
    "Subsets": lambda: a(["a", "b"]),
    "SystemSource": a,
    "Wanted": lambda: a("a"),
    "ZeroConcentrated": lambda: a(1),
    "advanced_composition": lambda: a(nw.accounting.Guarantee(1), times=2, slack="1e-6"),
    "advise": lambda: a(plan(), rows=100),
    "ask": lambda: a([question()], epsilon=1),
    "audit": lambda: a(truth_or_coin, [0, 1], draws=500),
    "basic_composition": lambda: a([nw.accounting.Guarantee(1)]),
    "bias": lambda: a(table()),
    "bias_by_input": lambda: a(table()),
    "binomial": lambda: a(3, "1/2"),
    "blr": lambda: a(TABLE, workload(), epsilon=1, m=2),
    "blr_accuracy": lambda: a(4, queries=4, rows=100, m=5, epsilon=1),
    "blr_size": lambda: a(4, within=0.5),
    "certify": lambda: a(table()),
    "check": lambda: a(nw.certify(table())),
    "col": lambda: a("a"),
    "compare": lambda: a({"GM": table()}),
    "compose": lambda: a([table()]),
    "count": a,
    "count_people": a,
    "curve_noise": lambda: a(CURVES, epsilon=1),
    "design": lambda: a(nw.Counts(2), epsilon=1),
    "discrete_exponential": lambda: a(COLORS, epsilon=1),
    "draft_plan": lambda: a(pa.Table.from_pandas(TABLE).schema),
    "empirical": lambda: a(COUNTS, [0, 1]),
    "epsilon_for": lambda: a(nw.Counts(2), target=0.5, loss="L0"),
    "epsilon_for_utility": lambda: a(4, within=1),
    "epsilon_before_shuffling": lambda: a(epsilon="1/2", rows=100, delta="1e-6"),
    "error_bound": lambda: a(COLORS, epsilon=1),
    "error_histogram": lambda: a(table()),
    "error_profile": lambda: a(table()),
    "error_report": lambda: a(table()),
    "estimate": lambda: a([0, 1, 2, 3, 1, 2], table()),
    "expected_error": lambda: a(table(), people=100),
    "explicit_fair": lambda: a(COUNTS, epsilon=1),
    "exponential": lambda: a(*QUALITY, sensitivity=1, epsilon=1),
    "choice_table": lambda: a(
        nw.Counts(2), [[0, 1], [1, 0], [1, 1]], candidates=["a", "b"], epsilon=1
    ),
    "from_matrix": lambda: a(nw.Counts(1), [[3, 1], [1, 3]]),
    "gaussian_process": lambda: a(CURVES, epsilon=1, delta=1e-6),
    "gaussian_rho": lambda: a(sensitivity=1, variance=2),
    "geometric": lambda: a(COUNTS, epsilon=1),
    "is_derivable": lambda: a(table(), epsilon=1),
    "keys": lambda: a(delta="1e-6"),
    "kernel_density": lambda: a(GRID, bandwidth=0.5, epsilon=1, delta=1e-6),
    "laplace": lambda: a(GRID, epsilon=1),
    "laplace_scale": lambda: a(1, epsilon=1),
    "load": lambda: a("m.json"),
    "loss": lambda: a(table()),
    "marginal": lambda: a(nw.combine.product(a=table(), b=response()), "a"),
    "mixture": lambda: a([table(), table()]),
    "noisy_max": lambda: a(*QUALITY, sensitivity=1, epsilon=1),
    "optimal_composition": lambda: a(nw.accounting.Guarantee(1), times=2),
    "per_item": lambda: a(SETS, epsilon=1),
    "per_person": lambda: a(table(), rows=2),
    "permute_and_flip": lambda: a(*QUALITY, sensitivity=1, epsilon=1),
    "plan_together": lambda: a([question()], epsilon=1),
    "pool_estimates": lambda: a([1.0, 2.0], people=10),
    "predict_synthesis": lambda: a(plan(), people=100),
    "price_of_properties": lambda: a(nw.Counts(2), epsilon=1),
    "private_median": lambda: a([1, 2, 3], COUNTS, epsilon=1),
    "private_quantile": lambda: a([1, 2, 3], COUNTS, at=0.5, epsilon=1),
    "product": lambda: a({"a": table()}),
    "profile": lambda: a(table()),
    "properties": lambda: a(table()),
    "randomized_response": lambda: a(COLORS, epsilon=1),
    "release": lambda: a(TABLE, plan(), ledger=None),
    "response_bounds": lambda: a(COLORS, epsilon=1),
    "rmse": lambda: a(table()),
    "staircase": lambda: a(GRID, epsilon=1),
    "shuffled": lambda: a(epsilon=1, rows=100, delta="1e-6"),
    "sufficient_sets": lambda: a(table(), 0, 1),
    "synthesize": lambda: a(TABLE, plan(), ledger=None),
    "synthesize_linked": lambda: a(
        TABLE.drop_duplicates("a"),
        TABLE,
        person="a",
        columns={"b": COLORS},
        linked_columns={"b": COLORS},
        most=2,
        epsilon=1,
        ledger=None,
    ),
    "tight_delta": lambda: a(table(), epsilon=1),
    "tight_epsilon": lambda: a(table()),
    "top_k": lambda: a(*QUALITY, k=1, sensitivity=1, epsilon=1),
    "uniform": lambda: a(COUNTS),
    "utility_bound": lambda: a(4, epsilon=1),
    "verify": lambda: a(table(), epsilon=1),
    "when": lambda: a(nw.col("a") > 1),
    "verify_projections": lambda: a(nw.curves.curve_noise(CURVES, epsilon=1), [(0.0,)]),
}
"""How each public function and constructor is called rightly."""

RESULTS: dict[str, Callable[[], Any]] = {
    "Categories": lambda: COLORS,
    "Counts": lambda: COUNTS,
    "Interval": lambda: GRID,
    "Subsets": lambda: SETS,
    "Curves": lambda: CURVES,
    "Records": lambda: DOMAIN,
    "Rows": lambda: COLORS**2,
    "Epsilon": lambda: nw.accounting.Epsilon.of(1),
    "Guarantee": lambda: nw.accounting.Guarantee(1, "1e-6"),
    "table": table,
    "formula": lambda: nw.geometric(COUNTS, epsilon=1, table=False),
    "response": lambda: nw.randomized_response(COLORS, epsilon=1, table=False),
    "laplace": lambda: nw.laplace(GRID, epsilon=1),
    "staircase": lambda: nw.staircase(GRID, epsilon=1),
    "rows": lambda: response() ** 3,
    "columns": lambda: nw.combine.product(a=table(), b=response()),
    "person": lambda: nw.combine.per_person(table(), rows=2),
    "per_item": lambda: nw.per_item(SETS, epsilon=1),
    "curve noise": lambda: nw.curves.curve_noise(CURVES, epsilon=1),
    "curve release": lambda: nw.curves.curve_noise(CURVES, epsilon=1).sample([(0, 0.5, 1)]),
    "density": lambda: nw.curves.kernel_density(GRID, bandwidth=0.5, epsilon=1, delta=1e-6),
    "design": lambda: nw.design(nw.Counts(2), epsilon=1),
    "comparison": lambda: nw.analysis.compare({"GM": table()}),
    "prices": lambda: nw.analysis.price_of_properties(nw.Counts(2), epsilon=1, properties={"WH"}),
    "composition": lambda: nw.compose([table()], times=2),
    "profile": lambda: nw.profile(table()),
    "certificate": lambda: nw.certify(table()),
    "verdict": lambda: nw.verify(table(), epsilon="1/2"),
    "sufficient": lambda: nw.sufficient_sets(table(), 0, 1),
    "shuffled": lambda: nw.shuffled(epsilon=1, rows=100, delta="1e-6"),
    "audit": lambda: nw.audit(truth_or_coin, [0, 1], draws=500),
    "zero concentrated": lambda: nw.accounting.ZeroConcentrated(1),
    "perturbation": lambda: nw.analysis.OutputPerturbation(total, table(), nw.Counts(1) ** 3),
    "sanitized": lambda: nw.analysis.SanitizedResponse(response() ** 2),
    "selection": lambda: nw.exponential(*QUALITY, sensitivity=1, epsilon=1),
    "top k": lambda: nw.select.top_k(*QUALITY, k=1, sensitivity=1, epsilon=1),
    "quantile": lambda: nw.select.private_median([1, 2, 3], COUNTS, epsilon=1),
    "error bound": lambda: nw.analysis.error_bound(COLORS, epsilon=1),
    "error report": lambda: nw.analysis.error_report(table()),
    "response bounds": lambda: nw.analysis.response_bounds(COLORS, epsilon=1),
    "planned": lambda: nw.planning.epsilon_for(COLORS, target=0.1, people=1000),
    "column": lambda: nw.Column(COLORS),
    "plan": plan,
    "draft": lambda: nw.planning.draft_plan(pa.Table.from_pandas(TABLE).schema),
    "estimate": lambda: nw.estimate([0, 1, 2, 3] * 9, table()),
    "release": lambda: nw.release(TABLE, plan(), ledger=None),
    "workload": workload,
    "answers": lambda: workload().answers(TABLE),
    "blr": lambda: nw.workloads.blr(TABLE, workload(), epsilon=1, m=2),
    "synthesis": lambda: nw.synthesize(
        TABLE, plan(), ledger=None, out=nw.planning.Output(report=False)
    ),
    "synthetic tables": lambda: result("synthesis").tables(2),
    "ledger": lambda: nw.Ledger.create(Path(tempfile.mkdtemp()) / "fresh.db"),
    "naive Bayes": lambda: nw.models.PrivateNaiveBayes(DOMAIN, label="b", epsilon=1, ledger=None),
    "tree": lambda: nw.models.PrivateTree(DOMAIN, label="b", epsilon=1, ledger=None),
    "seeded": lambda: nw.randomness.SeededSource(1),
    "private": people,
    "groups": lambda: people().group_by("b"),
    "question": question,
    "answer": lambda: question().release(epsilon=1),
    "advice": lambda: nw.advise(plan(), rows=100),
    "prediction": lambda: question().predict(epsilon=1, people=100),
    "expression": lambda: nw.col("a") + 1,
    "public": lambda: nw.Public({"a": [0, 1], "word": ["x", "y"]}, key="a"),
}
"""Values whose methods are called."""


def public_names() -> dict[str, Any]:
    """Everything that is public: on top, and in the modules that are named there."""
    found: dict[str, Any] = {}
    for name in vars(nw)["__all__"]:
        value = getattr(nw, name)
        inside = vars(value).get("__all__", ()) if isinstance(value, ModuleType) else ()
        found.update({each: getattr(value, each) for each in inside} or {name: value})
    return found


@cache
def result(name: str) -> Any:
    """Return the value whose methods are called; one for all calls."""
    return RESULTS[name]()


GOOD: dict[str, Any] = {
    "inputs": [1, 2],
    "codes": [0, 1],
    "x": 0,
    "a": 0,
    "b": 1,
    "point": 0,
    "database": [1, 0, 1],
    "path": "out.json",
    "where": "out.db",
    "dataset": "d",
    "epsilon": 1,
    "delta": 0,
    "what": "w",
    "data": TABLE,
    "table": TABLE,
    "values": [0, 1],
    "X": TABLE,
    "y": None,
    "text": "SELECT COUNT(*) FROM people",
    "people": 100,
    "value": 1,
    "low": 0,
    "high": 1,
    "edges": [0, 1],
    "shares": [0.5],
    "share": 0.5,
    "k": 1,
    "by": "b",
    "key": "a",
    "count": 1,
    "statistic": len,
}
"""What stands for a required argument of a method while another is odd, by its name."""
