"""The best mechanism there is for a loss, a prior and a set of properties, with its proof."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

from noisewright.designs.closed_forms.relabeling import by_relabeling
from noisewright.designs.closed_forms.sets import by_flips, many_items
from noisewright.designs.closed_forms.zero_one import by_explicit_fair, by_response
from noisewright.designs.lines.diagonal import by_diagonal
from noisewright.designs.lines.ends import by_ends
from noisewright.designs.lines.game import by_game
from noisewright.designs.losses.loss import Loss, read_goal, read_loss
from noisewright.designs.problem import Problem, read_problem
from noisewright.designs.programs.by_program import by_program
from noisewright.designs.proofs.proof import Proof, Solution
from noisewright.errors import ParameterError
from noisewright.exact import Epsilon, Number, ceiling_float, floor_float
from noisewright.given import several
from noisewright.mechanisms import (
    Guarantee,
    SetFlips,
    Table,
    properties as structural,
    read_outputs,
    require_dependence,
    require_tabulable,
)
from noisewright.public import public
from noisewright.spaces import Space, require_space

_TIE_BREAK = "L1"


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
        """The dual values behind the bound, which a certificate carries."""
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
    Source: Cormode–Kulkarni–Srivastava 2018, Sections 3 and 4, for the linear program and its
    properties; `route` names the theorem of a closed form.
    """
    guarantee = Guarantee(epsilon, delta, alpha=alpha)
    require_dependence(guarantee)
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
    problem = read_problem(space, released, guarantee, loss, goal, prior, properties)
    if tie_break not in (None, _TIE_BREAK):
        # A name that means nothing is refused, also where no tie needs breaking.
        read_loss(tie_break, space, released)
    answer = (
        _closed_form(problem, tie_break)
        or by_diagonal(problem, tie_break)
        or by_ends(problem, tie_break)
        or by_game(problem)
        or by_program(problem, tie_break)
    )
    named = answer.mechanism.rename(f"{problem.goal}-{problem.loss.name} design", guarantee)
    # Costs are not negative, so neither is any loss.
    bound = max(answer.bound, Fraction(0))
    return Design(problem, named, problem.loss_of(named), bound, answer.route, answer.proof)


def _closed_form(problem: Problem, tie_break: str | None) -> Solution | None:
    relabeled = partial(by_relabeling, tie_break=tie_break)
    for route in (by_explicit_fair, by_response, by_flips, relabeled):
        answer = route(problem)
        if answer is not None and problem.properties <= structural(answer.mechanism):
            return answer
    return None


def _read_outputs(outputs: Any, space: Space) -> Space:
    if isinstance(outputs, Space):
        return outputs
    if isinstance(outputs, str) or not isinstance(outputs, Iterable):
        raise ParameterError("outputs must be a space, or a list of the points to release.")
    points = several(outputs, name="outputs", of="points")
    return read_outputs(points, columns=len(points), space=space)
