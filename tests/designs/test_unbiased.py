"""Unbiased designs: exact means in integers, the optimum of a plain program, named conflicts."""

import math
from fractions import Fraction
from random import Random
from typing import Any

import pytest

import noisewright as nw
from noisewright.designs.programs.program import program_for
from noisewright.designs.programs.refine import BITS, Refined
from noisewright.designs.programs.repair import OutputScale
from noisewright.designs.proofs.lower_bound import lower_bound
from noisewright.errors import InfeasibleError
from tests.designs import wide
from tests.designs.test_bound import problem_of


def line(low: Any, high: Any, step: Any = 1) -> list[Fraction]:
    first, last, by = Fraction(low), Fraction(high), Fraction(step)
    return [first + k * by for k in range(int((last - first) / by) + 1)]


def costs(name: str, inputs: list[Fraction], outputs: list[Fraction]) -> Any:
    away = [[abs(x - y) for y in outputs] for x in inputs]
    if name == "L0":
        return [[int(d > 0) for d in row] for row in away]
    return [[d ** int(name[1]) for d in row] for row in away]


def agrees(found: nw.results.Design, ratio: Fraction, *, inputs: Any, outputs: Any) -> None:
    """The mean is exact, the properties hold, and a plain program finds no lower loss."""
    problem, table = found.problem, found.mechanism
    for x, row in zip(inputs, table.weights.tolist(), strict=True):
        assert sum(row) == table.total
        if "U" in problem.properties:
            assert sum(w * y for w, y in zip(row, outputs, strict=True)) == x * table.total
    for code in problem.properties:
        assert wide.holds(code, table, inputs, outputs, ratio)
    assert nw.verify(table, alpha=1 / ratio, delta=problem.guarantee.delta).holds
    optimum = wide.optimum(
        costs(problem.loss.name, inputs, outputs),
        inputs,
        outputs,
        ratio=float(ratio),
        delta=float(problem.guarantee.delta),
        goal=problem.goal,
        prior=problem.prior,
        properties=problem.properties,
        pairs=problem.space.neighbor_codes().tolist(),
    )
    assert optimum is not None
    assert found.bound <= optimum + 1e-9
    assert found.loss == pytest.approx(optimum, abs=1e-8)
    assert found.gap <= 1e-9


@pytest.mark.parametrize(
    "properties", ["U", "U,CM", "U,F", "U,WH,RH", "U,RM,S", "U,CH,OD", "all,U"]
)
@pytest.mark.parametrize("goal", ["expected", "worst"])
@pytest.mark.parametrize("delta", ["0", "1/12"])
def test_the_optimum_of_the_definitions(properties: str, goal: str, delta: str) -> None:
    for loss in ("L0", "L2"):
        found = nw.design(
            nw.Counts(4),
            outputs=nw.Interval(-4, 8, step=1),
            alpha="2/5",
            delta=delta,
            loss=loss,
            goal=goal,
            properties=properties,
        )
        agrees(found, Fraction(5, 2), inputs=line(0, 4), outputs=line(-4, 8))


def test_a_skewed_prior_and_other_neighbors() -> None:
    for neighbors in ("adjacent", "replace"):
        found = nw.design(
            nw.Counts(3, neighbors=neighbors),
            outputs=nw.Interval(-5, 8, step=1),
            alpha="1/2",
            loss="L1",
            prior=["1/2", "1/4", "1/8", "1/8"],
            properties="unbiased",
        )
        agrees(found, Fraction(2), inputs=line(0, 3), outputs=line(-5, 8))


@pytest.mark.parametrize(
    ("space", "outputs", "before", "after"),
    [
        (nw.Interval(0, 1, step="1/3"), nw.Interval(-1, 2, step="1/3"), (0, 1, "1/3"), None),
        (nw.Interval(0, 2, step="1/2"), nw.Interval(-3, 5, step=1), (0, 2, "1/2"), line(-3, 5)),
        (nw.Counts(2), [-3, 0, 2, 7], (0, 2), [Fraction(v) for v in (-3, 0, 2, 7)]),
        (nw.Counts(2), [9, -6, 1], (0, 2), [Fraction(v) for v in (9, -6, 1)]),
        (nw.Counts(3), nw.Counts(9), (0, 3), line(0, 9)),
    ],
    ids=["thirds", "coarser outputs", "uneven outputs", "few outputs in any order", "one side"],
)
def test_other_grids(space: Any, outputs: Any, before: Any, after: Any) -> None:
    inputs = line(*before)
    answers = line(-1, 2, "1/3") if after is None else after
    # One side only: the input 0 has to be answered with 0, which takes a δ.
    delta = "1/2" if min(answers) == 0 else "0"
    found = nw.design(
        space, outputs=outputs, alpha="1/4", delta=delta, loss="L1", properties="U", goal="worst"
    )
    agrees(found, Fraction(4), inputs=inputs, outputs=answers)


def test_other_outputs_have_properties_too() -> None:
    for properties in ("CM", "F,RM", "S,WH,CH", "OD"):
        found = nw.design(
            nw.Counts(3),
            outputs=nw.Interval(-2, 5, step="1/2"),
            alpha="1/2",
            loss="L2",
            properties=properties,
        )
        agrees(found, Fraction(2), inputs=line(0, 3), outputs=line(-2, 5, "1/2"))


def test_without_an_optimum_in_the_interior_there_is_no_trace_of_one() -> None:
    """With outputs 0..n and a large δ the ends are certain; they stay so, to the last unit."""
    found = nw.design(nw.Counts(3), epsilon=1, delta="3/4", loss="L2", properties="U")
    assert found.mechanism.weights[0].tolist() == [found.mechanism.total, 0, 0, 0]
    assert nw.analysis.bias_by_input(found.mechanism) == (0.0, 0.0, 0.0, 0.0)


def test_certificates_claim_what_the_checker_knows() -> None:
    found = nw.design(nw.Counts(3), outputs=nw.Interval(-3, 6, step=1), epsilon=1, properties="U")
    certificate = nw.certify(found)
    assert nw.check(certificate)
    assert "U" not in certificate.properties


@pytest.mark.parametrize("seed", range(20))
def test_no_dual_value_proves_too_much(seed: int) -> None:
    """Any duals, right or wrong, prove at most the optimum, and nothing of what is possible."""
    random = Random(seed)
    found = nw.design(
        nw.Counts(3), outputs=nw.Interval(-3, 6, step=1), epsilon=1, loss="L1", properties="U,WH"
    )
    program = program_for(found.problem)
    for size in (8, 80, 150, 165):
        duals = [random.randint(-(1 << size), 1 << size) for _ in program.constraints]
        bound = lower_bound(program, Refined([], duals))
        assert bound <= found.exact_loss
        program.costs = [Fraction(0)] * program.variables
        assert lower_bound(program, Refined([], duals)) <= 0
        program = program_for(found.problem)
    assert BITS == 160


def test_units_are_moved_to_an_exact_mean() -> None:
    random = Random(7)
    problem = nw.design(
        nw.Counts(2), outputs=[-7, 0, 3, 4, 11], epsilon=3, loss="L1", properties="U"
    ).problem
    scale = OutputScale.of(problem)
    for _ in range(200):
        row = [random.randint(10**6, 10**7) for _ in range(5)]
        total = sum(row) + random.randint(-50, 50)
        x, fixed = random.randint(0, 2), random.choice([None, 1])
        done = scale.balance(x, row, total, fixed)
        assert sum(done) == total
        assert sum(w * v for w, v in zip(done, [-7, 0, 3, 4, 11], strict=True)) == x * total
        assert fixed is None or done[fixed] == row[fixed]


CASES: dict[str, tuple[Any, ...]] = {
    "outputs are the inputs": (4, 0, 1.0, 0.0, ["U"]),
    "and everything else": (3, 0, 1.0, 0.0, ["RM", "CM", "F", "OD", "U"]),
    "a small delta does not help": (4, 0, 1.0, 0.1, ["U", "WH"]),
    "too narrow": (4, 1, 0.1, 0.0, ["WH", "S", "U"]),
    "honesty needs more room": (5, 4, 0.2, 0.01, ["WH", "CH", "F", "U"]),
    "monotony needs more room": (3, 2, 0.5, 0.0, ["RM", "CM", "U"]),
    "fairness needs more room": (4, 2, 0.4, 0.0, ["F", "S", "U"]),
    "weak honesty needs more room": (6, 3, 0.3, 0.0, ["WH", "RH", "U"]),
    "output privacy needs more room": (3, 1, 0.9, 0.0, ["OD", "RH", "U"]),
}


@pytest.mark.parametrize("name", CASES)
def test_the_smallest_conflict_is_named(name: str) -> None:
    n, more, epsilon, delta, asked = CASES[name]
    inputs, outputs = line(0, n), line(-more, n + more)
    conflicts = wide.smallest_conflicts(
        inputs, outputs, epsilon=epsilon, delta=delta, properties=asked
    )
    released = nw.Interval(-more, n + more, step=1)
    options: Any = {"epsilon": epsilon, "delta": delta, "outputs": released, "properties": asked}
    if not conflicts:
        assert nw.design(nw.Counts(n), **options).gap <= 1e-9
        return
    with pytest.raises(InfeasibleError) as problem:
        nw.design(nw.Counts(n), **options)
    named = set(problem.value.conflict)
    assert {"outputs", "privacy"} <= named
    assert named - {"outputs", "privacy"} in conflicts
    for code in named - {"outputs", "privacy"}:
        assert f"{code} (" in str(problem.value)


def test_what_is_advised_works_and_nothing_narrower() -> None:
    with pytest.raises(InfeasibleError, match=r"outputs=nw.Interval\(-5, 13, step=1\) would do"):
        nw.design(nw.Counts(8), epsilon=0.2, properties="U")
    nw.design(nw.Counts(8), outputs=nw.Interval(-5, 13, step=1), epsilon=0.2, properties="U")
    narrower = wide.optimum(
        costs("L0", line(0, 8), line(-4, 12)),
        line(0, 8),
        line(-4, 12),
        ratio=math.exp(0.2),
        properties=["U"],
    )
    assert narrower is None


def test_what_conflicts_whatever_the_privacy() -> None:
    with pytest.raises(InfeasibleError) as problem:
        nw.design(nw.Counts(4), epsilon="1/2", delta=1, properties="U,OD")
    assert problem.value.conflict == ("OD", "U", "outputs")
    with pytest.raises(InfeasibleError, match="all on one side of it") as problem:
        nw.design(nw.Counts(4), outputs=nw.Counts(3), epsilon=1, properties="U")
    assert problem.value.conflict == ("U", "outputs")


def test_a_loss_of_nothing_has_a_gap_of_next_to_nothing() -> None:
    found = nw.design(nw.Counts(3), epsilon=1, delta=1, loss="L2", properties="WH")
    assert found.bound == 0
    assert found.gap == found.loss < 1e-20


def test_a_problem_of_the_paper_never_conflicts() -> None:
    problem = problem_of(3, "0.5", properties="all")
    assert problem.certain == {}
