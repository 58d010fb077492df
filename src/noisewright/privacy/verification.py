"""Is this mechanism (ε, δ)-private? Yes, or two neighbors and an event that say no.

`verify` decides; `prove` proves a claim, part by part where a mechanism consists of parts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from noisewright.errors import InputError, NotPrivateError, ParameterError
from noisewright.exact import Epsilon, Number, show
from noisewright.mechanisms import (
    Additive,
    ColumnProduct,
    CurveMechanism,
    Geometric,
    Guarantee,
    Mechanism,
    PersonMechanism,
    Response,
    SetMechanism,
    Staircase,
    Table,
)
from noisewright.privacy.by_distance import failing_event
from noisewright.privacy.events import Event, widest_event, worst_event
from noisewright.privacy.formulas.noise import as_noise, noise_needs_more, telling_half_line
from noisewright.privacy.formulas.sets import sets_within
from noisewright.privacy.subject import essential, parts_to_prove, subject_of
from noisewright.privacy.tight import change_of_all
from noisewright.public import public
from noisewright.spaces import Distance, Unit

_MOST_SETS_LISTED = 256


@dataclass(frozen=True)
class Witness:
    """Two neighboring inputs and an event with P(event | input) > e^ε P(event | neighbor) + δ.

    With neighbors="metric" it is e^(ε · distance); otherwise `distance` is 1.
    For a product over rows they are two values of one row. `p` and `q` are exact, except for
    a formula, whose probabilities are irrational: there they are rounded to 2^-128.
    """

    input: Any
    neighbor: Any
    event: tuple[Any, ...]
    p: Fraction
    q: Fraction
    distance: Distance = 1

    def __str__(self) -> str:
        event = ", ".join(map(repr, self.event[:6])) + (", …" if len(self.event) > 6 else "")
        away = "" if self.distance == 1 else f" at a distance of {self.distance}"
        return (
            f"input {self.input!r} gives an output in {{{event}}} with probability "
            f"{show(self.p)}, its neighbor {self.neighbor!r}{away} with probability "
            f"{show(self.q)}"
        )


@dataclass(frozen=True)
class Verdict:
    """The answer to `verify`; true when the guarantee holds.

    `unit` says which changes of the input it is about, and whether ε counts per unit of distance.
    The witness is None where its event is too large to list: some sets of very many.
    """

    holds: bool
    guarantee: Guarantee
    unit: Unit
    witness: Witness | None = None

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        if self.holds:
            return f"Proven for all events: {self.guarantee} {self.unit}."
        if self.witness is None:
            why = "The event that shows it has too many outputs to list"
        else:
            text = str(self.witness)
            why = text[:1].upper() + text[1:]
        return f"False: {self.guarantee} fails {self.unit}. {why}."


@public
def verify(
    mechanism: Mechanism,
    *,
    epsilon: Number | Epsilon | None = None,
    delta: Number = 0,
    alpha: Number | None = None,
) -> Verdict:
    """Decide in exact arithmetic whether a mechanism is (ε, δ)-private.

    Ensures: `holds` is the truth about the integers that are sampled, for all ordered pairs of
    neighbors and all events; with neighbors="metric", that P(A | x) ≤ e^(ε·d(x, z)) P(A | z) + δ
    for every two points. When it is false, `witness` is the worst such pair and event. This decides
    about a mechanism in memory; `check` proves a certificate file again.
    Source: Holohan–Leith–Mason 2016, Section 3, for which events decide; Theorem 6 and Corollary 3
    for products over rows, which are as private as one row.
    """
    guarantee = Guarantee(epsilon, delta, alpha=alpha)
    decision = _decide(essential(mechanism), guarantee)
    return Verdict(decision.holds, guarantee, mechanism.space.unit, decision.witness)


class Decision(NamedTuple):
    """Whether a guarantee holds, and what shows that it does not."""

    holds: bool
    witness: Witness | None = None


_PROVEN = Decision(True)


def _decide(part: Mechanism, guarantee: Guarantee) -> Decision:
    if isinstance(part, Geometric):
        return _verify_formula(part, guarantee)
    if isinstance(part, Additive):
        return _verify_additive(part, guarantee)
    if isinstance(part, (ColumnProduct, PersonMechanism)):
        if _adds_up(part, guarantee):
            return _PROVEN
        change = change_of_all(part) if guarantee.delta == 0 else None
        if change is not None and change.within(guarantee.epsilon):
            return _PROVEN
        if guarantee.delta == 0 and _is_tabular(part):
            return Decision(False, _widest(part))
    if isinstance(part, CurveMechanism):
        return _verify_curves(part, guarantee)
    if isinstance(part, SetMechanism) and guarantee.delta == 0:
        if sets_within(part, guarantee.epsilon):
            return _PROVEN
        return Decision(False, _witness_of_sets(part))
    if isinstance(part, SetMechanism):
        if part.within(guarantee):
            return _PROVEN
        if part.space.size > _MOST_SETS_LISTED:
            return Decision(False)
    table = subject_of(part)
    if isinstance(table, Table) and table.space.by_distance:
        failing = failing_event(table, guarantee)
        witness = None if failing is None else witness_of(table, failing)
        return Decision(failing is None, witness)
    if guarantee.delta == 0:
        # One output decides at δ = 0; the full event is worked out only to show it.
        widest = widest_event(table)
        if widest is None or not widest.exceeds(guarantee.epsilon, guarantee.delta):
            return _PROVEN
    worst = worst_event(table, guarantee.epsilon)
    if worst.exceeds(guarantee.epsilon, guarantee.delta):
        return Decision(False, witness_of(table, worst))
    return _PROVEN


def witness_of(table: Table | Response, event: Event) -> Witness:
    """Translate an event from codes to points and probabilities."""
    return Witness(
        input=table.space.point(event.input),
        neighbor=table.space.point(event.neighbor),
        event=tuple(table.outputs.point(y) for y in event.outputs),
        p=Fraction(event.p, event.total),
        q=Fraction(event.q, event.total),
        distance=table.space.neighbor_distance(event.input, event.neighbor),
    )


def _adds_up(whole: ColumnProduct | PersonMechanism, guarantee: Guarantee) -> bool:
    """Tell whether parts that are proven for any change of their value add up to no more."""
    total = whole.claim
    if total is None or not (total.epsilon <= guarantee.epsilon and total.delta <= guarantee.delta):
        return False
    return all(_holds(part, claim) for _, part, claim in parts_to_prove(whole))


def _holds(part: Mechanism, claim: Guarantee | None) -> bool:
    if part.space.neighbors != "replace" and not isinstance(part, Response):
        return claim is not None  # found for any change, from the formula or from the integers
    return claim is not None and bool(verify(part, epsilon=claim.epsilon, delta=claim.delta))


def _is_tabular(part: Mechanism) -> bool:
    """Tell whether integers decide about all parts, so that their widest ratios are reached."""
    if isinstance(part, ColumnProduct):
        return all(_is_tabular(column) for _, column in part.columns)
    if isinstance(part, PersonMechanism):
        return _is_tabular(part.row)
    return isinstance(part, (Table, Response))


def _widest(part: Mechanism) -> Witness:
    """Return the inputs whose every part changes to its worst, and the answer that tells."""
    if isinstance(part, ColumnProduct):
        return _join([_widest(column) for _, column in part.columns])
    if isinstance(part, PersonMechanism):
        return _join([_widest(part.row)] * part.count)
    assert isinstance(part, (Table, Response))
    same = Event(0, 0, (0,), 1, 1, 1)
    return witness_of(part, widest_event(part, any_two=True) or same)


def _join(parts: list[Witness]) -> Witness:
    return Witness(
        input=tuple(part.input for part in parts),
        neighbor=tuple(part.neighbor for part in parts),
        event=(tuple(part.event[0] for part in parts),),
        p=math.prod((part.p for part in parts), start=Fraction(1)),
        q=math.prod((part.q for part in parts), start=Fraction(1)),
    )


def _witness_of_sets(mechanism: SetMechanism) -> Witness:
    first, second, output = mechanism.worst_case()
    space, outputs = mechanism.space, mechanism.outputs
    return Witness(
        input=space.point(space.code_of_mask(first)),
        neighbor=space.point(space.code_of_mask(second)),
        event=(outputs.point(output),),
        p=mechanism.probability(first, output),
        q=mechanism.probability(second, output),
    )


def _verify_formula(mechanism: Geometric, guarantee: Guarantee) -> Decision:
    reach = mechanism.reach
    if mechanism.pure_epsilon(reach) <= guarantee.epsilon:
        return _PROVEN
    if guarantee.delta and reach > 1:
        return _verify_additive(as_noise(mechanism), guarantee)
    if guarantee.delta and not noise_needs_more(as_noise(mechanism), guarantee):
        return _PROVEN
    # P(0|0) = 1/(1+α) and P(0|t) = α^t/(1+α) tell the counts 0 and t apart as well as anything.
    low, high = mechanism.epsilon.alpha_bounds(128)
    alpha = Fraction(low + high, 1 << 129)
    far = Fraction(sum(mechanism.epsilon.alpha_bounds(128, times=reach)), 1 << 129)
    return Decision(False, Witness(0, reach, (0,), p=1 / (1 + alpha), q=far / (1 + alpha)))


def _verify_curves(mechanism: CurveMechanism, guarantee: Guarantee) -> Decision:
    if mechanism.within(guarantee):
        return _PROVEN
    if guarantee.delta == 0 and mechanism.is_tight:
        return Decision(False)
    raise InputError(
        f"{guarantee} cannot be decided for {mechanism!r}: how far curves move its numbers is "
        f"known only as a bound. Proven is {mechanism.claim}."
    )


def _verify_additive(mechanism: Additive, guarantee: Guarantee) -> Decision:
    if not noise_needs_more(mechanism, guarantee):
        return _PROVEN
    code, other, event, p, q = telling_half_line(mechanism, guarantee.epsilon)
    point = mechanism.space.point
    return Decision(False, Witness(point(code), point(other), (event,), p, q))


def prove(mechanism: Mechanism, guarantee: Guarantee) -> None:
    """Prove a guarantee, or raise NotPrivateError; parts are proven one by one and added up."""
    part = essential(mechanism)
    if isinstance(part, (ColumnProduct, PersonMechanism)):
        _prove_sum(part, guarantee)
        return
    pure = part.pure_epsilon(part.reach) if isinstance(part, (Geometric, Staircase)) else None
    if pure is not None and guarantee.delta and guarantee.epsilon < pure:
        raise ParameterError(
            f"a certificate of the formula {part!r} claims no smaller epsilon than its own, "
            "whatever delta is. To trade epsilon for delta, certify a table (table=True, or its "
            ".table())."
        )
    verdict = verify(part, epsilon=guarantee.epsilon, delta=guarantee.delta)
    if not verdict:
        raise NotPrivateError(
            f"{verdict} Claim a larger epsilon or delta (tight_epsilon tells the least).",
            witness=verdict.witness,
        )


def _prove_sum(whole: ColumnProduct | PersonMechanism, guarantee: Guarantee) -> None:
    """Prove each part for every change of its value; the sum is what is certified."""
    for name, mechanism, claim in parts_to_prove(whole):
        if claim is None:
            raise NotPrivateError(f"{name} has no finite epsilon between every two of its values.")
        # Otherwise the claim was found for any change, from the formula or from the integers.
        if mechanism.space.neighbors == "replace" or isinstance(mechanism, Response):
            prove(mechanism, claim)
    total = whole.claim
    if total is None or not (total.epsilon <= guarantee.epsilon and total.delta <= guarantee.delta):
        parts = "columns" if isinstance(whole, ColumnProduct) else f"{whole.count:,} rows"
        raise NotPrivateError(
            f"the {parts} together spend {total}, more than the {guarantee} that is claimed."
        )
