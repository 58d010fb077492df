"""Which of the things that were asked for cannot be had together.

The seven properties of the paper and OD never conflict: answering uniformly has them all. Being
unbiased may, with too few outputs for the privacy asked for. Whether a set of properties conflicts
is decided by a linear program whose dual values prove it in exact arithmetic (see `interior`); a
set that is only suspected to conflict is not called one.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

from noisewright.designs.losses.loss import Loss
from noisewright.designs.problem import Problem
from noisewright.designs.programs.interior import widest_margin
from noisewright.designs.property_names import WORDS
from noisewright.errors import InfeasibleError, ParameterError, UnsolvedError
from noisewright.exact import as_text
from noisewright.mechanisms import Guarantee
from noisewright.spaces import Counts, Interval, numbers

_COUNTED_UP_TO = 3
"""Up to this many properties the smallest conflict is found by trying all sets in turn."""

_SMALL = 1000
"""With more inequalities between neighbors than this no wider outputs are tried for the message."""


def require_feasible(problem: Problem) -> None:
    """Raise InfeasibleError with the smallest conflicting set if nothing can be designed.

    Ensures: what it names is proven to conflict. It is the smallest such set if it has up to three
    properties; otherwise dropping any one of them would resolve it.
    """
    if "U" not in problem.properties:
        return
    outside = _input_outside(problem)
    if outside is not None:
        raise InfeasibleError(
            f"no mechanism is unbiased (U) on the input {as_text(outside)} with the outputs "
            f"{problem.outputs!r}, all on one side of it. Give outputs around all inputs.",
            conflict=("U", "outputs"),
        )
    if _is_feasible(problem):
        return
    codes = _smallest(problem)
    anyway = replace(problem, properties=codes, guarantee=Guarantee(problem.guarantee.epsilon, 1))
    private = _is_feasible(anyway)
    raise InfeasibleError(
        _message(problem, codes, private=private),
        conflict=(*_in_order(codes), *(["privacy"] if private else []), "outputs"),
    )


def _is_feasible(problem: Problem) -> bool:
    """Tell whether there may be a mechanism; False only if it is proven that there is none."""
    try:
        widest_margin(problem)
    except InfeasibleError:
        return False
    except UnsolvedError:
        return True
    return True


def _smallest(problem: Problem) -> frozenset[str]:
    """Return the smallest set of the requested properties that conflicts, U among them."""
    asked = problem.properties
    others = _in_order(asked - {"U"})
    for size in range(min(_COUNTED_UP_TO, len(asked))):
        for chosen in combinations(others, size):
            codes = frozenset({"U", *chosen})
            if not _is_feasible(replace(problem, properties=codes)):
                return codes
    for code in others:
        if not _is_feasible(replace(problem, properties=asked - {code})):
            asked -= {code}
    return asked


def _in_order(codes: frozenset[str]) -> list[str]:
    return [code for code in WORDS if code in codes]


def _input_outside(problem: Problem) -> Fraction | None:
    outputs = numbers(problem.outputs)
    low, high = min(outputs), max(outputs)
    return next((x for x in numbers(problem.space) if not low <= x <= high), None)


def _message(problem: Problem, codes: frozenset[str], *, private: bool) -> str:
    named = [f"{code} ({WORDS[code]})" for code in _in_order(codes)]
    listed = " and ".join(filter(None, [", ".join(named[:-1]), named[-1]]))
    promise = f" with {problem.guarantee}" if private else ""
    why = ""
    if problem.certain and len(codes) == 1:
        end = as_text(numbers(problem.space)[min(problem.certain)])
        why = (
            f" On the input {end}, the end of the outputs, the answer would have to be {end} for "
            "certain, because no output on its other side could balance another one."
        )
    kept = "" if codes == problem.properties else " Nothing else that was asked for matters."
    wider = _wider(problem)
    advice = (
        f"Give wider outputs: outputs={wider} would do"
        if wider is not None
        else "Give wider outputs"
    )
    raised = ", or a larger epsilon or delta" if private and not why else ""
    dropped = "ask for fewer properties" if len(codes) > 1 else "leave U out"
    return (
        f"no mechanism from {problem.space!r} to {problem.outputs!r}{promise} has {listed}: proven "
        f"in exact arithmetic.{why}{kept} {advice}{raised}; or {dropped}."
    )


def _wider(problem: Problem) -> str | None:
    """Return the outputs around the inputs with the fewest steps more that would do, in words."""
    space = problem.space
    if not isinstance(space, (Counts, Interval)):
        return None
    line = numbers(space)
    low, high = line[0], line[-1]
    step = space.step if isinstance(space, Interval) else Fraction(1)

    def around(more: int) -> Interval:
        return Interval(low - more * step, high + more * step, step=step)

    def will_do(more: int) -> bool:
        outputs = around(more)
        nothing = Loss("none", ((0,) * outputs.size,) * space.size)
        try:
            widest_margin(replace(problem, outputs=outputs, loss=nothing, goal="worst"))
        except (InfeasibleError, UnsolvedError, ParameterError):
            return False
        return True

    fails, more = 0, 1
    while not will_do(more):
        fails, more = more, 2 * more
        if len(problem.pairs) * around(more).size > _SMALL:
            return None
    outputs = around(fails + 1 + bisect_left(range(fails + 1, more), True, key=will_do))
    ends = ", ".join(_literal(value) for value in (outputs.low, outputs.high))
    return f"nw.Interval({ends}, step={_literal(step)})"


def _literal(value: Fraction) -> str:
    return as_text(value) if value.denominator == 1 else f"'{as_text(value)}'"
