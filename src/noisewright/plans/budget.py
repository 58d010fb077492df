"""How a budget is divided among the parts of a row: exactly, whatever the numbers are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from noisewright.errors import ParameterError
from noisewright.exact import show

SHARES = ("equal", "given", "best")


@dataclass(frozen=True)
class BudgetRequest:
    """What one part asks for: a fixed ε and δ, or a weight against the other parts."""

    names: tuple[str, ...]
    epsilon: Fraction | None
    delta: Fraction | None
    weight: Fraction | None
    takes_delta: bool
    said_share: bool = False


def divide(
    requests: Sequence[BudgetRequest], epsilon: Fraction | None, delta: Fraction, shares: str
) -> list[tuple[Fraction, Fraction]]:
    """Return ε and δ of each part; together they are what was given, or less, never more.

    A fixed ε comes first; the rest is divided by weight, one for each column unless said
    otherwise. δ goes to the parts that can use it, in equal parts.
    """
    if shares == "equal" and any(r.said_share for r in requests):
        named = next(r for r in requests if r.said_share)
        raise ParameterError(
            f"shares is 'equal', but {', '.join(named.names)} has its own share. Set "
            "shares='given', or leave one of them out."
        )
    epsilons = _epsilons(requests, epsilon)
    deltas = _deltas(requests, delta)
    return list(zip(epsilons, deltas, strict=True))


def _epsilons(requests: Sequence[BudgetRequest], total: Fraction | None) -> list[Fraction]:
    fixed = sum((r.epsilon for r in requests if r.epsilon is not None), Fraction(0))
    open_weights = [r.weight or Fraction(0) for r in requests if r.epsilon is None]
    if total is None:
        if open_weights:
            name = next(", ".join(r.names) for r in requests if r.epsilon is None)
            raise ParameterError(
                f"the plan has no epsilon, and neither does the column {name}. Give the plan one."
            )
        total = fixed
    left = total - fixed
    if left < 0 or (open_weights and left == 0):
        raise ParameterError(
            f"the columns ask for epsilon={show(fixed)} in one row, and the plan has "
            f"{show(total)}{' with nothing left for the others' if left == 0 else ''}. Raise the "
            "plan's epsilon, or lower theirs."
        )
    whole = sum(open_weights, Fraction(0))
    return [
        r.epsilon if r.epsilon is not None else left * (r.weight or Fraction(0)) / whole
        for r in requests
    ]


def _deltas(requests: Sequence[BudgetRequest], total: Fraction) -> list[Fraction]:
    fixed = sum((r.delta for r in requests if r.delta is not None), Fraction(0))
    takers = sum(1 for r in requests if r.delta is None and r.takes_delta)
    left = total - fixed
    if left < 0:
        raise ParameterError(
            f"the columns ask for delta={show(fixed)} in one row, and the plan has "
            f"{show(total)}. Raise the plan's delta, or lower theirs."
        )
    if left > 0 and not takers and fixed == 0:
        raise ParameterError(
            f"delta is {show(total)}, but no column uses it: only randomized response and Laplace "
            "noise do. Leave delta out."
        )
    return [
        r.delta if r.delta is not None else (left / takers if r.takes_delta else Fraction(0))
        for r in requests
    ]
