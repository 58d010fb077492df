"""True certificates of curves, of private steps, of designs and of groups, at the edge."""

import json
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import noisewright as nw
from noisewright.queries import design_groups
from noisewright.synthetic import ByPoints, RunBudget
from tests.certificates.handmade import (
    certificate,
    choice_step,
    counting_step,
    curve_of,
    law_step,
    one_person,
    sealed,
    steps_of,
)
from tests.mutants.forged_bases import above, base
from tests.mutants.query_truth import largest_loss
from tests.mutants.steps_truth import cost_of, implied
from tests.queries.random_plans import random_question


def curve(draw: Random) -> Any:
    positions, steps = draw.randint(1, 3), draw.randint(1, 3)
    matrix = [[draw.randint(-3, 3) for _ in range(positions)] for _ in range(draw.randint(1, 3))]
    shift, decay = draw.randint(0, 2), Fraction(draw.randint(1, 9), 10)
    weights = [draw.randint(1, 9) for _ in range(positions)] if draw.random() < 0.3 else ()
    made = curve_of(matrix, steps=steps, shift=shift, decay=decay, weights=weights)
    reach = max(
        sum(abs(sum(a * s for a, s in zip(row, signs, strict=True))) for row in matrix)
        for signs in ([1 - 2 * (n >> p & 1) for p in range(positions)] for n in range(8))
    )
    moved = Fraction(steps * reach, 1 << shift) + (len(matrix) if shift else 0)
    return certificate(made, "replace", moved * decay)


def step(draw: Random, unit: str, rows: int) -> Any:
    scale = Fraction(draw.randint(1, 8), 8)
    kind = draw.choice(["counts", "choice", "law"])
    if kind == "counts":
        chosen = draw.sample(["marginal", "query"], draw.randint(1, 2))
        deviation = Fraction(draw.randint(4, 40), 2)
        noise = scale if unit == "epsilon" else (deviation,)
        made = counting_step(1, **dict.fromkeys(chosen, noise))
    elif kind == "choice":
        made = choice_step(1, scale, draw.randint(1, 3))
    else:
        laws = ["exponential mechanism", "permute and flip", "noisy max"]
        by = draw.choice(laws) if unit == "epsilon" else laws[0]
        more: dict[str, Any] = {"step": "1/2"} if by == "noisy max" else {}
        if by == laws[0] and unit == "epsilon" and draw.random() < 0.5:
            more = {"candidates": draw.randint(2, 5), "width": str(Fraction(draw.randint(1, 9), 3))}
        moves = draw.choice(["both ways", "one way"])
        made = law_step(1, scale, Fraction(draw.randint(1, 6), 2), by=by, moves=moves, **more)
    made["amount"] = str(above(cost_of(made, unit, rows)))
    return made


def steps(draw: Random) -> Any:
    rows, unit = draw.randint(1, 3), draw.choice(["epsilon", "rho"])
    listed = [step(draw, unit, rows) for _ in range(draw.randint(1, 3))]
    if draw.random() < 0.3:
        listed = listed[:1] * draw.randint(1, 5)
    total = sum((Fraction(one["amount"]) for one in listed), Fraction(0))
    if unit == "epsilon":
        return certificate(steps_of(total, *listed), one_person(rows), total)
    epsilon = total + Fraction(draw.randint(1, 40), 10)
    orders = [Fraction(n, 20) for n in range(21, 200)]
    order = min(orders, key=lambda a: (a - 1) * (a * total - epsilon))
    delta = Fraction(min(1.0, 3 * implied(float(total), float(epsilon)) + 1e-9))
    made = steps_of(total, *listed, order=order)
    return certificate(made, one_person(rows), epsilon, str(delta.limit_denominator(10**12)))


@cache
def rounds_of(pool: int) -> list[str]:
    """Runs by points, as they are certified: pairs chosen, all, screened, triples, conditions."""
    draw, found = Random(f"rounds {pool}"), list[str]()
    for number in range(8):
        names = "abcde"[: draw.randint(3, 5)]
        domain = nw.Records({name: nw.Counts(draw.randint(1, 3)) for name in names})
        asked = nw.workloads.Workload.marginals(domain, ways=draw.choice([2, 2, 3]))
        if draw.random() < 0.4:
            asked += nw.workloads.Workload.conjunctions(domain, [{"a": 0, "b": 1}, {"b": [0, 1]}])
        if draw.random() < 0.4:
            # Not all cliques are worth the same.
            asked += nw.workloads.Workload.marginals(domain, ways=2, columns=["a", "b"])
        delta = Fraction(number % 2, draw.choice([1000, 10**6]))
        budget = RunBudget.of(
            Fraction(draw.randint(1, 30), 10), delta, rows_per_person=draw.randint(1, 3)
        )
        made = ByPoints(domain, asked, budget, (), draw.choice([20, 200, 10**4, 10**6]))
        found.append(made.schedule.certificate.to_json())
    domain = nw.Records({name: nw.Counts(4) for name in "abcde"})
    asked, people = nw.workloads.Workload.marginals(domain, ways=2), draw.randint(1, 3)
    budget = RunBudget.of(draw.randint(2, 4), Fraction(1, 10**6), rows_per_person=people)
    made = ByPoints(domain, asked, budget, (), people * 4_000)
    assert made.division.screens
    found.append(made.schedule.certificate.to_json())
    return found


def rounds(draw: Random) -> Any:
    return json.loads(draw.choice(rounds_of(draw.randint(1, 8))))


@cache
def designs() -> list[str]:
    """A few optimal mechanisms with their proofs; making one takes longer than mutating it."""
    asked: list[dict[str, Any]] = [
        {"loss": "L0"},
        {"loss": "L1", "goal": "worst"},
        {"loss": "L1", "properties": {"CM"}},
        {"loss": "L2", "delta": "1/20"},
    ]
    spaces = [nw.Counts(2), nw.Counts(3, neighbors="replace")]
    return [
        nw.certify(nw.design(s, epsilon="1/2", **one)).to_json() for s in spaces for one in asked
    ]


def design(draw: Random) -> Any:
    return json.loads(draw.choice(designs()))


@cache
def designed_groups() -> list[str]:
    """Groups of designs, with properties and proofs of bounds."""
    asked: list[dict[str, Any]] = [
        {"properties": "all"},
        {"loss": "L1"},
        {"loss": "L2", "delta": "1/20"},
        {"mechanism": "WM"},
    ]
    sizes = {"a": 1, "b": 2, "c": 3, "d": 2}
    return [design_groups(sizes, epsilon="1/2", **one).certificate.to_json() for one in asked]


def groups(draw: Random) -> Any:
    if draw.random() < 0.5:
        return base(draw, "groups")
    return json.loads(draw.choice(designed_groups()))


@cache
def questions(pool: int) -> list[str]:
    """Questions to small tables, whose claims some change of a person nearly reaches."""
    draw, found = Random(pool), list[str]()
    while len(found) < 6:
        asked = random_question(draw)
        if asked is None:
            continue
        price = draw.choice([{"epsilon": "1"}, {"epsilon": "2", "delta": "1/100"}])
        document = json.loads(asked.certify(**price).to_json())
        mechanism = document["mechanism"]
        used = json.dumps(mechanism["measurements"])
        # Columns that nothing reads would only hide those that matter.
        mechanism["columns"] = {k: v for k, v in mechanism["columns"].items() if f'"{k}"' in used}
        reached = largest_loss(mechanism, document["neighbors"]["change"])
        if len(used) < 4000 and 2 * reached > Fraction(mechanism["total"]):
            found.append(json.dumps(sealed(document)))
    return found


def query(draw: Random) -> Any:
    # A few pools: whoever forges many certificates sees many questions.
    return json.loads(draw.choice(questions(draw.choice([1, 1, 1, 1, 2, 3]))))
