"""The settings of a plan, read and checked one by one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any

from noisewright.errors import InputError, ParameterError
from noisewright.exact import Number, exactly, show
from noisewright.given import brief, one_of, whole_number
from noisewright.plans.budget import SHARES
from noisewright.plans.column import DROP, PUBLIC, Column, Treatment


def read_columns(columns: Any) -> tuple[tuple[str, Treatment], ...]:
    """Read what happens to each column, by name."""
    if not isinstance(columns, Mapping):
        raise InputError(
            f"a plan takes columns by name, as in Plan({{'job': Column([...])}}); got a "
            f"{type(columns).__name__}."
        )
    for name, treatment in columns.items():
        if not isinstance(name, str) or not name:
            raise InputError(f"a column is called {name!r}; names are texts that are not empty.")
        if not isinstance(treatment, Column) and treatment not in (DROP, PUBLIC):
            raise InputError(
                f"the column {name!r} is {treatment!r}; it must be a Column, 'drop' or 'public'."
            )
    if not any(isinstance(treatment, Column) for treatment in columns.values()):
        raise InputError("the plan randomizes no column; declare at least one Column.")
    return tuple(columns.items())


def read_title(title: Any) -> str:
    """Read the line for people."""
    if not isinstance(title, str):
        raise ParameterError(f"title is {brief(title)}; it must be a text.")
    return title


def read_epsilon(epsilon: Number | None) -> Fraction | None:
    """Read the privacy budget of each person; None stays None."""
    if epsilon is None:
        return None
    value = exactly(epsilon, name="epsilon")
    if value <= 0:
        raise ParameterError(
            f"epsilon is {show(value)}; it must be above 0. It is the privacy budget per person "
            "for all columns together; 1 to 10 is common for whole rows."
        )
    return value


def read_shares(
    shares: str | None, columns: Mapping[str, Column], estimates: Collection[Any]
) -> str:
    """Read how the budget is divided; estimates that are wanted, or columns, may say it."""
    if shares is None and estimates:
        return "best"
    if estimates and shares != "best":
        raise ParameterError(
            f"estimates are what shares='best' divides the budget for; shares is {shares!r}."
        )
    if shares is None:
        return "given" if any(c.epsilon or c.share for c in columns.values()) else "equal"
    return one_of(shares, SHARES, name="shares")


def read_shuffled(
    rows: Any, row_epsilon: Number | None, *, order: str
) -> tuple[int | None, Fraction | None]:
    """Read the settings that only shuffled plans have."""
    for name, value in (("rows", rows), ("row_epsilon", row_epsilon)):
        if value is not None and order != "shuffled":
            raise ParameterError(
                f"{name} is for plans with order = 'shuffled'; order is {order!r}, and epsilon "
                f"is what rows give away, however many there are. Leave {name} out, or shuffle."
            )
    count = None if rows is None else whole_number(rows, name="rows", least=1)
    if row_epsilon is None:
        return count, None
    value = exactly(row_epsilon, name="row_epsilon")
    if value <= 0:
        raise ParameterError(f"row_epsilon is {show(value)}; it must be above 0.")
    return count, value
