"""The parts of a plan: columns, or groups of columns, that are randomized by one mechanism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

from noisewright.errors import ParameterError, SpaceError
from noisewright.exact import Epsilon
from noisewright.given import amount, several
from noisewright.mechanisms import Guarantee, Mechanism, any_change, randomized_response
from noisewright.plans.budget import BudgetRequest, divide
from noisewright.plans.column import Column
from noisewright.spaces import Curves, Records, Space, Subsets

_MOST_TOGETHER = 1 << 40
_BITS = 120


@final
@dataclass(frozen=True)
class Part:
    """One mechanism and the columns it takes: usually one, several when drawn together.

    `guarantee` holds for any change of all these columns of one row.
    """

    name: str
    columns: tuple[str, ...]
    treatments: tuple[Column, ...]
    space: Space
    mechanism: Mechanism
    guarantee: Guarantee

    @property
    def is_joint(self) -> bool:
        """Whether several columns are drawn together, as one point of Records."""
        return len(self.columns) > 1


def read_together(together: Any, columns: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """Read which columns are randomized together."""
    read: list[tuple[str, ...]] = []
    seen: set[str] = set()
    for group in several(together, name="together", of="groups of columns"):
        names = (
            (group,)
            if isinstance(group, str)
            else tuple(several(group, name="a group of together", of="columns"))
        )
        if not all(isinstance(name, str) for name in names):
            raise ParameterError(
                f"together names {names}; a group is a list of the names of columns."
            )
        if len(names) < 2:
            raise ParameterError(f"together names {names}; a group has at least two columns.")
        for name in names:
            column = columns.get(name)
            if not isinstance(column, Column):
                raise ParameterError(
                    f"together names {name!r}, which the plan does not randomize; declare it first."
                )
            if name in seen:
                raise ParameterError(f"together names {name!r} twice; a column is in one group.")
            if isinstance(column.space, (Subsets, Curves)) or column.mechanism not in (
                "response",
                "geometric",
                "laplace",
            ):
                raise ParameterError(
                    f"the column {name!r} cannot be randomized together with others: groups are "
                    "for categories, counts and grids, and get one randomized response."
                )
            seen.add(name)
        read.append(names)
    return tuple(read)


def requests_of(
    columns: Mapping[str, Column], together: Sequence[tuple[str, ...]], rows: int
) -> list[BudgetRequest]:
    """Return what each part asks for in one row, in the order of their first columns.

    What columns are given is for all of a person's rows, of which there may be `rows`.
    """
    group_of = {name: group for group in together for name in group}
    groups: list[tuple[str, ...]] = []
    for name in columns:
        group = group_of.get(name, (name,))
        if group not in groups:
            groups.append(group)
    return [_request(group, [columns[name] for name in group], rows) for group in groups]


def build_parts(
    columns: Mapping[str, Column],
    together: Sequence[tuple[str, ...]],
    epsilon: Fraction | None,
    delta: Fraction,
    shares: str,
    rows: int,
) -> tuple[Part, ...]:
    """Return the parts in the order of their first columns, each with its budget for one row.

    `epsilon` and `delta` are for one row, of which a person has `rows`.
    """
    requests = requests_of(columns, together, rows)
    budgets = divide(requests, epsilon, delta, shares)
    return tuple(
        _part(request.names, tuple(columns[name] for name in request.names), *budget)
        for request, budget in zip(requests, budgets, strict=True)
    )


def _request(group: tuple[str, ...], members: list[Column], rows: int) -> BudgetRequest:
    fixed = members[0].mechanism if len(members) == 1 else None
    if isinstance(fixed, Mechanism):
        claim = any_change(fixed)
        assert claim is not None
        return BudgetRequest(group, _above(claim.epsilon), claim.delta, None, takes_delta=False)
    epsilons = [m.epsilon for m in members if m.epsilon is not None]
    if epsilons and len(epsilons) < len(members):
        raise ParameterError(
            f"of the columns {', '.join(group)}, which are randomized together, some have an "
            "epsilon and some have none; give it to all (they add up) or to none."
        )
    deltas = [m.delta for m in members if m.delta is not None]
    shares = [m.share if m.share is not None else Fraction(1) for m in members]
    return BudgetRequest(
        group,
        sum(epsilons, Fraction(0)) / rows if epsilons else None,
        sum(deltas, Fraction(0)) / rows if deltas else None,
        sum(shares, Fraction(0)),
        takes_delta=len(members) > 1 or members[0].takes_delta,
        said_share=any(m.share is not None for m in members),
    )


def _above(epsilon: Epsilon) -> Fraction:
    """Return ε, or a rational above the logarithm that it is.

    It leaves room for the roundings of a sum of them, which are finer.
    """
    if epsilon.ratio is None:
        return epsilon.rational
    return Fraction(epsilon.bounds(_BITS)[1] + 1, 1 << _BITS)


def _part(
    names: tuple[str, ...], members: tuple[Column, ...], epsilon: Fraction, delta: Fraction
) -> Part:
    label = " × ".join(names)
    if len(members) == 1:
        _require_choice(label, members[0])
        space, mechanism = members[0].space, members[0].build(epsilon, delta)
    else:
        space = joint_space(members, names)
        if space.size > _MOST_TOGETHER:
            raise ParameterError(
                f"{label} have {amount(space.size)} values together, so the true one would almost "
                "never be released. Randomize fewer columns together."
            )
        mechanism = randomized_response(space, epsilon=epsilon, delta=delta)
    claim = any_change(mechanism)
    assert claim is not None
    return Part(label, names, members, space, mechanism, claim)


def joint_space(members: Sequence[Column], names: Sequence[str]) -> Space:
    """Return what a part holds: the space of its column, or records of several."""
    if len(members) == 1:
        return members[0].space
    return Records({name: member.space for name, member in zip(names, members, strict=True)})


def _require_choice(name: str, column: Column) -> None:
    if column.space.size == 1 and not isinstance(column.mechanism, Mechanism):
        raise SpaceError(
            f"the column {name!r} can hold only one value, so there is nothing to randomize. "
            "Declare it as 'public' if everybody knows it, or else as 'drop'."
        )
