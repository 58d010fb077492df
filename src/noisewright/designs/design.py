"""The best mechanism there is for a loss, a prior and a set of properties, with its proof."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt
from typing import Any

from noisewright.designs.answer import Answer
from noisewright.designs.bound import lower_bound, proof_of
from noisewright.designs.closed_forms import closed_form, is_path
from noisewright.designs.conflicts import require_feasible
from noisewright.designs.diagonal import by_diagonal
from noisewright.designs.ends import by_ends
from noisewright.designs.flips import many_items
from noisewright.designs.game import by_game
from noisewright.designs.loss import exact_loss, read_goal
from noisewright.designs.losses import Loss, read_loss, read_prior
from noisewright.designs.names import read_properties
from noisewright.designs.problem import Problem
from noisewright.designs.program import Program, program_for
from noisewright.designs.proof import Proof
from noisewright.designs.refine import Refined, sharp_solutions
from noisewright.designs.repair import repaired
from noisewright.errors import NoisewrightError, ParameterError, TooLargeError, UnrepairedError
from noisewright.exact import Epsilon, Number, ceiling_float, floor_float
from noisewright.given import several
from noisewright.mechanisms import Guarantee, SetFlips, Table, read_outputs, require_tabulable
from noisewright.public import public
from noisewright.spaces import Space, require_space

_AS_GOOD = Fraction(1, 1 << 31)
"""A tie may be broken at a relative cost of 5e-10, below what a design promises to prove."""

_LARGEST_TIE_BREAK = 3000
"""Programs with more variables are not solved a second time to break ties."""

_CLOSE, _CLOSE_IF_LARGE = Fraction(1, 10**11), Fraction(1, 10**8)
"""A table is good enough when its loss is above the bound by this fraction at most."""

_TIE_BREAK = "L1"

_MOST_ROWS = 500_000
"""Beyond this a program takes hours: some 500 counts, or 80 points that are all neighbors."""


@dataclass(frozen=True)
class Design:
    """An optimal mechanism with the proof that nothing is much better.

    `mechanism` satisfies the guarantee and every requested property exactly. No mechanism that
    does has a loss below `bound`; `gap` is how far apart they are, relative to the bound
    unless that is nearly 0.
    """

    problem: Problem
    mechanism: Table | SetFlips
    exact_loss: Fraction
    exact_bound: Fraction
    route: str
    prove: Callable[[], Proof | None] | None = field(default=None, repr=False, compare=False)

    @property
    def proof(self) -> Proof | None:
        """The prices behind the bound, which a certificate carries."""
        return None if self.prove is None else self.prove()

    @property
    def loss(self) -> float:
        """The loss of the mechanism, rounded up."""
        return ceiling_float(self.exact_loss)

    @property
    def bound(self) -> float:
        """A proven lower bound on the loss of every feasible mechanism, rounded down."""
        return floor_float(self.exact_bound)

    @property
    def gap(self) -> float:
        """(loss − bound) / bound, rounded up; loss − bound itself where it is above the bound.

        A loss of nothing, or nearly, may be possible: when δ > 0, or where a prior has only
        inputs far apart. Then a loss of 2^-100 is no worse than that relative to anything, and the
        difference is what there is to say.
        """
        above = self.exact_loss - self.exact_bound
        if self.exact_bound < above:
            return ceiling_float(above)
        return ceiling_float(above / self.exact_bound) if above else 0.0

    @property
    def properties(self) -> frozenset[str]:
        """The properties that were asked for, and hold."""
        return self.problem.properties

    def __repr__(self) -> str:
        asked = ", ".join(sorted(self.properties)) or "no properties"
        return (
            f"<design for {self.problem.space!r}, {self.problem.guarantee}: "
            f"{self.problem.goal} {self.problem.loss.name} {self.loss:.9g} with {asked}, proven "
            f"to within {self.gap:.1e}>"
        )


@public
def design(
    space: Space,
    *,
    epsilon: Number | Epsilon | None = None,
    alpha: Number | None = None,
    delta: Number = 0,
    loss: Any = "L0",
    goal: str = "expected",
    prior: Any = None,
    properties: Any = (),
    outputs: Any = None,
    tie_break: str | None = _TIE_BREAK,
) -> Design:
    """Find the mechanism with the least loss among all that keep a promise.

    Requires: epsilon > 0 or alpha < 1, or delta > 0; a loss by name ("L0", "L1", "L2", "L0,d",
    "distance"), matrix or function of (input, output); `goal`, "expected" under the prior
    (uniform by default) or "worst", for which a prior decides at most among equally good
    mechanisms, by the `tie_break`; properties by code or word, or "all". `tie_break` is the
    loss that decides among equally good mechanisms where a program is solved.
    Ensures: the mechanism is an integer table with the guarantee and all properties exactly;
    `bound` is proven in exact arithmetic. Cheap routes come first; `route` says which was used.
    On all subsets of more than eight items it is a formula instead of a table.
    """
    guarantee = Guarantee(epsilon, delta, alpha=alpha)
    if guarantee.epsilon.is_zero and guarantee.delta == 0:
        raise ParameterError(
            "epsilon and delta are both 0, so outputs may not depend on inputs at all. Use "
            "nw.uniform(space) for that."
        )
    require_space(space)
    formula = many_items(
        space, guarantee, loss, prior=prior, properties=properties, outputs=outputs
    )
    if formula is not None:
        mechanism, paid, bound, route = formula
        # Losses and priors of so many points are not written out.
        stated = Problem(space, space, guarantee, Loss(loss, ()), read_goal(goal), (), frozenset())
        return Design(stated, mechanism, paid, bound, route)
    released = space if outputs is None else _read_outputs(outputs, space)
    require_tabulable(space, released, instead="Design for fewer points, or group them.")
    problem = Problem(
        space,
        released,
        guarantee,
        read_loss(loss, space, released),
        read_goal(goal),
        read_prior(prior, space),
        read_properties(properties, space, released),
    )
    if tie_break not in (None, _TIE_BREAK):
        # A name that means nothing is refused, also where no tie needs breaking.
        read_loss(tie_break, space, released)
    answer = (
        closed_form(problem, tie_break)
        or by_diagonal(problem, tie_break)
        or by_ends(problem, tie_break)
        or by_game(problem)
        or _by_program(problem, tie_break)
    )
    named = answer.mechanism.named(f"{problem.goal}-{problem.loss.name} design", guarantee)
    # Costs are not negative, so neither is any loss.
    bound = max(answer.bound, Fraction(0))
    return Design(problem, named, _loss(problem, named), bound, answer.route, answer.proof)


def _read_outputs(outputs: Any, space: Space) -> Space:
    if isinstance(outputs, Space):
        return outputs
    if isinstance(outputs, str) or not isinstance(outputs, Iterable):
        raise ParameterError("outputs must be a space, or a list of the points to release.")
    points = several(outputs, name="outputs", of="points")
    return read_outputs(points, columns=len(points), space=space)


def _loss(problem: Problem, table: Table) -> Fraction:
    return exact_loss(table, problem.loss, goal=problem.goal, prior=problem.prior)


def _by_program(problem: Problem, tie_break: str | None) -> Answer:
    _require_solvable(problem)
    program = program_for(problem)
    best, bound, behind = _solved(problem, program)
    symmetry = ", one variable per mirrored pair" if problem.is_centrosymmetric else ""
    route = (
        f"linear program of {program.variables:,} variables and {len(program.constraints):,} "
        f"constraints{symmetry}; solved by HiGHS, sharpened and proven in exact arithmetic"
    )
    if tie_break is not None and program.variables <= _LARGEST_TIE_BREAK:
        best = _tie_broken(problem, program, best, tie_break)
    return Answer(best, bound, lambda: proof_of(program, behind), route)


def _require_solvable(problem: Problem) -> None:
    """Refuse what cannot be solved, or has one answer that needs no program."""
    rows = 2 * len(problem.pairs) * problem.outputs.size
    if rows > _MOST_ROWS:
        raise TooLargeError(
            f"the linear program for {problem.space!r} would have {rows:,} privacy constraints "
            f"(at most {_MOST_ROWS:,}). {_what_is_small_enough(problem)}",
            size=rows,
        )
    require_feasible(problem)
    if "OD" in problem.properties and problem.guarantee.epsilon.is_zero:
        raise ParameterError(
            "OD (output privacy) with epsilon=0 makes all outputs equally likely. Give an epsilon "
            "above 0, leave OD out, or use nw.uniform(space)."
        )


def _what_is_small_enough(problem: Problem) -> str:
    if not is_path(problem):
        return "Design for fewer points, or declare fewer neighbors."
    # 2 n (n + 1) constraints for n + 1 counts.
    largest = (isqrt(1 + 2 * _MOST_ROWS) - 1) // 2
    few = f"Design for fewer points: up to nw.Counts({largest})"
    if not problem.properties:
        return f"{few}. Losses that grow with the distance need no program on a line of counts."
    return f"{few}; or leave the properties out: many losses need no program then."


def _solved(problem: Problem, program: Program) -> tuple[Table, Fraction, Refined]:
    """Look at a program until its best table and its best bound meet.

    The third value is the solution that proves the bound.
    """
    close = _CLOSE if program.variables <= _LARGEST_TIE_BREAK else _CLOSE_IF_LARGE
    best: Table | None = None
    failure: UnrepairedError | None = None
    # Costs are not negative, so neither is any loss; no prices at all prove that.
    least, bound = Fraction(0), Fraction(0)
    behind = Refined([], [0] * len(program.constraints))
    for look in sharp_solutions(program):
        proven = lower_bound(program, look)
        if proven > bound:
            bound, behind = proven, look
        try:
            table = repaired(program, look)
        except UnrepairedError as problem_with_it:
            failure = problem_with_it
            continue
        reached = _loss(problem, table)
        if best is None or reached < least:
            best, least = table, reached
        if least <= bound * (1 + close):
            break
    if best is None:
        raise failure or UnrepairedError("the solver had no answer that could be proven.")
    return best, bound, behind


def _tie_broken(problem: Problem, program: Program, first: Table, tie_break: str) -> Table:
    """Among mechanisms as good as the first, look for one with the least second loss."""
    try:
        second = read_loss(tie_break, problem.space, problem.outputs)
    except ParameterError:
        # The default needs a distance, which not all pairs of spaces have.
        return first
    if second.costs == problem.loss.costs:
        return first
    reached = _loss(problem, first)
    again = program.with_second_goal(second, limit=reached * (1 + Fraction(1, 1 << 40)))
    unbroken = exact_loss(first, second, prior=problem.prior)
    try:
        for look in sharp_solutions(again, attempts=3):
            table = repaired(again, look)
            if _loss(problem, table) <= reached * (1 + _AS_GOOD):
                better = exact_loss(table, second, prior=problem.prior) < unbroken
                return table if better else first
    except NoisewrightError:
        # The second program lives within a hair of the first optimum; without an answer there
        # the first one stands.
        return first
    return first
