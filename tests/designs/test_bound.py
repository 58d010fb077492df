"""The lower bound holds for any duals whatsoever: only its quality comes from the solver."""

import random
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.designs.closed_forms.relabeling import best_relabeling, proven_bound
from noisewright.designs.losses.loss import read_loss
from noisewright.designs.losses.priors import read_prior
from noisewright.designs.problem import Problem
from noisewright.designs.programs.program import Program, program_for
from noisewright.designs.programs.refine import BITS, Refined
from noisewright.designs.proofs.lower_bound import _admissible, lower_bound
from noisewright.designs.property_names import read_properties
from noisewright.mechanisms import Guarantee
from tests.designs import definitions


def problem_of(
    n: int,
    alpha: str,
    *,
    loss: Any = "L0",
    goal: str = "expected",
    delta: Any = 0,
    properties: Any = "",
    prior: Any = None,
) -> Problem:
    space = nw.Counts(n)
    return Problem(
        space,
        space,
        Guarantee(alpha=alpha, delta=delta),
        read_loss(loss, space, space),
        goal,
        read_prior(prior, space),
        read_properties(properties, space, space),
    )


CASES: dict[str, dict[str, Any]] = {
    "symmetric": {"n": 3, "alpha": "1/2", "properties": "WH"},
    "even, all properties": {"n": 4, "alpha": "0.7", "loss": "L2", "properties": "all"},
    "skewed": {"n": 3, "alpha": "2/3", "prior": ["1/2", "1/4", "1/8", "1/8"], "properties": "S,F"},
    "worst": {"n": 3, "alpha": "0.6", "goal": "worst"},
    "worst, odd loss": {
        "n": 2,
        "alpha": "0.6",
        "goal": "worst",
        "loss": [[0, 2, 5], [1, 0, 4], [3, 3, 0]],
    },
    "delta": {"n": 3, "alpha": "0.6", "delta": "0.1"},
    "delta, even": {"n": 2, "alpha": "0.6", "delta": "0.1", "properties": "CM", "loss": "L0"},
    "delta, worst": {"n": 4, "alpha": "0.6", "delta": "0.05", "goal": "worst", "properties": "F"},
    "output privacy": {"n": 3, "alpha": "0.6", "properties": "OD,RH"},
}


def exact_reach(name: str) -> tuple[Program, Fraction]:
    """The program of a case and the loss of a mechanism that is feasible without doubt."""
    keywords = dict(CASES[name])
    problem = problem_of(**keywords)
    n = keywords.pop("n")
    found = nw.design(nw.Counts(n), **keywords)
    assert nw.verify(found.mechanism, alpha=keywords["alpha"], delta=keywords.get("delta", 0)).holds
    return program_for(problem), found.exact_loss


REACHED = {name: exact_reach(name) for name in CASES}


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=60)
@given(data=st.data())
def test_garbage_dual_values_prove_something_true(name: str, data: st.DataObject) -> None:
    program, loss = REACHED[name]
    seed = data.draw(st.integers(0, 2**32))
    size = data.draw(st.sampled_from([1, 3, 1 << 100, 1 << (BITS - 2), 1 << BITS, 1 << (BITS + 9)]))
    share = data.draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    dice = random.Random(seed)
    duals = [dice.randint(-size, size) if dice.random() < share else 0 for _ in program.constraints]
    assert lower_bound(program, Refined([], duals)) <= loss


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=30)
@given(data=st.data())
def test_dual_values_near_the_best_ones_prove_something_true(
    name: str, data: st.DataObject
) -> None:
    """Close to the optimum a wrong sign or rounding would show as a bound that is too high."""
    from noisewright.designs.programs.refine import sharp_solutions

    program, loss = REACHED[name]
    best = next(sharp_solutions(program))
    dice = random.Random(data.draw(st.integers(0, 2**32)))
    by = 1 << data.draw(st.integers(0, BITS))
    duals = [dual + dice.randint(-by, by) for dual in best.duals]
    assert lower_bound(program, Refined([], duals)) <= loss


@settings(max_examples=200)
@given(seed=st.integers(0, 2**32), size=st.sampled_from([2, 7, 1 << 40, 1 << BITS]))
def test_slack_variables_never_earn(seed: int, size: int) -> None:
    """Σ budgets that hold a slack ≥ Σ excesses that use it, after all rounding."""
    dice = random.Random(seed)
    for name in ("delta", "delta, even", "delta, worst"):
        program, _ = REACHED[name]
        duals = _admissible(program, [dice.randint(-size, size) for _ in program.constraints])
        charged: dict[int, Fraction] = {}
        for constraint, dual in zip(program.constraints, duals, strict=True):
            assert constraint.equal or dual >= 0
            for variable, rational, _ in constraint.terms:
                if variable >= program.entries and constraint.kind in ("excess", "budget"):
                    charged[variable] = charged.get(variable, Fraction(0)) + rational * dual
        assert charged
        assert min(charged.values()) >= 0


def test_the_best_dual_values_reach_the_optimum() -> None:
    from noisewright.designs.programs.refine import sharp_solutions

    for name, (program, loss) in REACHED.items():
        bound = lower_bound(program, next(sharp_solutions(program)))
        assert 0 <= loss - bound <= loss / 10**9, name


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("alpha", ["1/1000", "0.1", "0.9", "0.9999"])
def test_wrong_relabelings_prove_nothing_false(n: int, alpha: str) -> None:
    """Any map of the geometric mechanism's outputs gives no bound, or one that is true."""
    dice = random.Random(f"{n} {alpha}")
    epsilon = nw.accounting.Epsilon.of(alpha=alpha)
    size = n + 1
    for _ in range(40):
        costs = tuple(tuple(dice.randint(0, 6) for _ in range(size)) for _ in range(size))
        weights = [dice.choice([0, 0, 1, 5, 100]) for _ in range(size)]
        weights[dice.randrange(size)] += 1
        prior = tuple(Fraction(w, sum(weights)) for w in weights)
        relabeling = [dice.randrange(size) for _ in range(size)]
        if dice.random() < 0.5:
            relabeling = best_relabeling(epsilon, costs, prior)
        bound = proven_bound(epsilon, costs, prior, relabeling)
        if bound is None:
            continue
        ratio = float(1 / Fraction(alpha))
        optimum = definitions.optimum(costs, definitions.path(size), ratio=ratio, prior=prior)
        assert float(bound) <= optimum + 1e-8
