"""Proof for private steps, one after the other: a synthetic table, a fitted model, private choices.

**Statement.** A list of steps is fixed beforehand: how many there are, the kind of each, its
noise, and its part of the whole. What a step counts, or chooses from, may depend on the answers
of all steps before it; what it costs may not. If no step costs more than its part, all of them
together cost the total.

**Why.** Parts of ε add up (basic composition, which holds for adaptive steps; Dwork and Roth
2014, Section 3.5), and so do parts of ρ, which is zero-concentrated privacy (Bun and Steinke
2016, Lemma 1.7). What a step costs is proven in `counts.py` and `choices.py`; what the total
implies in `composition.py`.

**Neighbors.** All rows of one person, up to `rows_per_person`, are replaced by any others.

**On trust.** What no certificate can show is said in sentences that begin with "Assuming": how
many rows a person has, how far a person moves the scores that a choice is made by, and that the
number of rows is public where noise keeps it.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from typing import Any

from .choices import BOTH_WAYS, cost_of_choice
from .claim import PrivacyClaim
from .composition import prove_equal_parts, prove_rho
from .counts import cost_of_counts
from .document import brief, read_fields
from .numbers import Number, read_positive
from .report import Findings, fail, need

_SHAPES = (
    "form: steps, unit: epsilon, total: fraction, steps: list",
    "form: steps, unit: rho, total: fraction, steps: list, order: fraction",
)
_KINDS = {"epsilon": ("geometric", "choice"), "rho": ("normal", "choice")}
_MOST_STEPS = 2**16
_MOST_BITS = 2**18  # of all different denominators; sensible parts share theirs


def prove_steps(claim: PrivacyClaim) -> Findings:
    """Prove what each step costs, that the parts add up, and what the total implies."""
    _, unit, total, steps, *order = read_fields(claim.mechanism, "mechanism", *_SHAPES)
    shape = "relation: one person, rows_per_person: whole"
    _, rows = read_fields(claim.neighbors, "neighbors", shape)
    need(rows > 0, "neighbors", "need at least one row for each person")
    need(0 < len(steps) <= _MOST_STEPS, "steps", f"found {len(steps)}; need 1 to {_MOST_STEPS}")
    parts = [_prove_step(step, unit, rows, f"step {n}") for n, step in enumerate(steps, start=1)]
    choices = sum(step["kind"] == "choice" for step in steps)
    yield (
        f"No step costs more than its part (steps with noisy counts: {len(steps) - choices}; "
        f"choices: {choices}; rows of one person: up to {rows})."
    )
    for assumed in _assumptions(steps, rows):
        yield f"Assuming: {assumed}."
    total, found = read_positive(total, "total"), _exact_sum(parts)
    if found != total:
        fail("total", f"the parts add up to {Number(found)}, which is not the total")
    shown = Number(total).to_decimal(digits=6)
    yield f"Whatever earlier steps released, the parts add up to {shown} {unit}."
    if unit == "rho":
        yield from prove_rho(claim, total, order[0])
    elif not claim.covers(Number(total)):
        alike = claim.delta > 0 and len({*parts}) == 1
        need(alike, "epsilon", f"{Number(total)} is needed; claimed is {claim.epsilon}")
        yield prove_equal_parts(claim, parts[0], len(parts))


def _prove_step(step: Any, unit: str, rows: int, name: str) -> Fraction:
    """Return the part of one step, which costs no more than that.

    A step of noise may list several, of which one is used, by what was chosen before: all of them
    must fit into its part.
    """
    kind: Any = step.get("kind") if isinstance(step, dict) else None
    message = f"found {brief(kind)}; parts of {unit} need {' or '.join(_KINDS[unit])}"
    need(kind in _KINDS[unit], name, message)
    if kind == "choice":
        amount, cost = cost_of_choice(step, unit, rows, name)
    else:
        shape = f"kind: {kind}, what: text, amount: fraction, noise: list"
        _, _, amount, listed = read_fields(step, name, shape)
        need(0 < len(listed) <= 2, name, "need noise for a marginal, for a query, or for both")
        cost = max(cost_of_counts(noise, kind, rows, name) for noise in listed)
        amount = read_positive(amount, name)
    if cost > amount:
        fail(name, f"costs {Number(cost)}; its part is less")
    return amount


def _exact_sum(parts: list[Fraction]) -> Fraction:
    """Return the sum, over one denominator for all."""
    denominators = {part.denominator for part in parts}
    ok = sum(map(int.bit_length, denominators)) <= _MOST_BITS
    need(ok, "total", "the parts have too many different denominators to add them up")
    whole = lcm(*denominators)
    return Fraction(sum(part.numerator * (whole // part.denominator) for part in parts), whole)


def _assumptions(steps: list[Any], rows: int) -> Iterator[str]:
    """Yield what the steps take on trust, each different one once."""
    if rows > 1 or any("noise" in step for step in steps):  # else a score is moved by a person
        yield f"one person has {'one row' if rows == 1 else f'up to {rows} rows'}"
    yield from dict.fromkeys(words for step in steps for words in _assumptions_of(step, rows))


def _assumptions_of(step: dict[str, Any], rows: int) -> Iterator[str]:
    if any("balanced_cells" in noise for noise in step.get("noise", ())):
        yield "the number of rows is public (noise on small marginals adds up to 0)"
    if step["kind"] == "choice":
        who = "one person" if rows == 1 else "each row of a person"
        way = step.get("moves", BOTH_WAYS)
        yield f"{who} changes a quality by at most {_shorten(step['change'])}, {way}"
    if "width" in step:
        yield f"qualities lie in a range of width {_shorten(step['width'])}"
    if "step" in step:
        yield f"qualities are whole multiples of {_shorten(step['step'])}"


def _shorten(number: Any) -> str:
    """Return a fraction as it is written, or its first digits where that is long."""
    text = str(number)
    return text if len(text) <= 40 else f"about {Number(Fraction(text))}"
