"""What a private choice among candidates costs, in one of many steps.

Each candidate has a score, and one row of a person changes each score by at most `change`. With f
the factor, let e = 2 f change rows; or e = f change rows if scores move one way, which means that
a person makes all of them larger, or all of them smaller.

**exponential mechanism**: a candidate is drawn in proportion to e^(f score). The logarithms of
the ratios of probabilities lie in a range of width e. So it costs ε = e, or ρ = e²/8 (Cesar and
Rogers 2021, Lemma 3.2).

**permute and flip**: in a random order, the first candidate whose coin comes up, which it does
with probability e^(f (score − best)). It costs ε = e (McKenna and Sheldon 2020, Theorem 1).

**noisy max**: the largest score plus noise in whole steps, P(z steps) proportional to e^(−f step
z), z ≥ 0; of equal ones the first. Scores are whole numbers of steps. Fix the noise of all
others: what a candidate needs to win moves by at most e / f, so that it costs ε = e.

**exponential mechanism, scores in a range of some width, n candidates.** Let d be the changes of
scores. A candidate y of probability p gets likelier by

    e^(f d_y) / (p e^(f d_y) + Σ_z≠y P(z) e^(f d_z)) ≤ r / (p r + 1 − p),   r = e^a,

where a = e, or what e would be if `change` rows were the width, in case that is less. The bound
falls as p grows, and p is at least 1 / (1 + m), m = (n − 1) e^(f width). So ε = amount is enough
if r (1 + m) ≤ e^amount (r + m). A relative 2^−56 of the amount is left as rounding slack, for the
weights that are drawn from.
"""

from fractions import Fraction
from typing import Any

from .document import brief, read_fields
from .numbers import LARGEST_EXPONENT, Number, exp_bounds, read_positive
from .report import need

BOTH_WAYS = "both ways"
"""How scores move unless a step says otherwise."""

_EXPONENTIAL = "exponential mechanism"
_WAYS = {BOTH_WAYS: 2, "one way": 1}
_LAWS: dict[str, tuple[str, ...]] = {
    "epsilon": (_EXPONENTIAL, "permute and flip", "noisy max"),
    "rho": (_EXPONENTIAL,),  # the others have no bounded range
}
_START = "kind: choice, what: text, amount: fraction"
_LONG = f"{_START}, by: text, moves: text, factor: fraction, change: fraction"
_SHAPES = (
    f"{_START}, factor: fraction, change: whole",
    _LONG,
    f"{_LONG}, step: fraction",
    f"{_LONG}, candidates: whole, width: fraction",
)
_ROUNDING_SLACK = Fraction(1, 2**56)


def cost_of_choice(step: Any, unit: str, rows: int, name: str) -> tuple[Fraction, Fraction]:
    """Return the part of a choice, and what it costs, or a bound of that: ε or ρ."""
    read_fields(step, name, *_SHAPES)
    law, moves = step.get("by", _EXPONENTIAL), step.get("moves", BOTH_WAYS)
    laws = _LAWS[unit]
    need(law in laws, name, f"found {brief(law)}; need {' or '.join(laws)}")
    need(moves in _WAYS, name, f"found {brief(moves)}; need {' or '.join(_WAYS)}")
    stepwise = (law == "noisy max") == ("step" in step)
    need(stepwise, name, "noisy max needs a step, others have none")
    fields = ("amount", "factor", "change", *({"step", "width"} & {*step}))
    amount, factor, change, *_ = (read_positive(str(step[field]), name) for field in fields)
    change *= rows
    if "width" in step:
        need(unit == "epsilon" and law == _EXPONENTIAL, name, "a range is of no use here")
        need(step["candidates"] > 1, name, "need two candidates")
        change = min(change, Fraction(step["width"]))
    cost = _WAYS[moves] * factor * change
    if "width" in step and cost > amount:
        _prove_range(step, factor, cost, amount, name)
        cost = amount
    return amount, cost if unit == "epsilon" else cost**2 / 8


def _prove_range(step: Any, factor: Fraction, a: Fraction, amount: Fraction, name: str) -> None:
    """Prove r (1 + m) ≤ e^amount (r + m) for scores in a range; each power on its safe side."""
    others, width = step["candidates"] - 1, Fraction(step["width"])
    w, less = factor * width, amount * (1 - _ROUNDING_SLACK)
    ok = a + w + amount <= LARGEST_EXPONENT
    need(ok, name, f"exponents must be at most {LARGEST_EXPONENT}")
    left = exp_bounds(a, 256)[1] + others * exp_bounds(a + w, 256)[1]
    right = exp_bounds(a + less, 256)[0] + others * exp_bounds(w + less, 256)[0]
    message = f"costs more than its part, with scores in a range of {Number(width)}"
    need(left <= right, name, message)
