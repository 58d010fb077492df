"""Expressions over columns, as people write them: `nw.col("age") >= 25`.

An expression is a value. Nothing is known of the columns until it meets a table; then `binding.py`
finds what its values are, and refuses what makes no sense. There are no functions of your own:
what one row can add must be known beforehand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, final

from noisewright.errors import ParameterError
from noisewright.given import brief, several, whole_number
from noisewright.public import public, public_methods

Function = Literal[
    "count",
    "count_people",
    "sum",
    "mean",
    "var",
    "std",
    "share",
    "quantiles",
    "histogram",
    "count_distinct",
    "top",
]


@final
@dataclass(frozen=True)
class Aggregate:
    """What is asked about each group: a function of an expression, with its parameters."""

    function: Function
    of: Expression | None = None
    parameters: tuple[Any, ...] = ()

    def __str__(self) -> str:
        inside = ", ".join(map(repr, self.parameters))
        return (
            f"{self.function}({inside})"
            if self.of is None
            else f"{self.of}.{self.function}({inside})"
        )


@public_methods
@final
@dataclass(frozen=True, eq=False)
class Expression:
    """A value for each row: a column, a constant, or an operator of others.

    `&`, `|` and `~` combine conditions. A cell that is empty or cannot be read is null, and what
    depends on it is null too, as in SQL and Polars.
    """

    operator: str
    operands: tuple[Any, ...]

    # Arithmetic.
    def __add__(self, other: Any) -> Expression:
        return Expression("+", (self, other))

    def __radd__(self, other: Any) -> Expression:
        return Expression("+", (other, self))

    def __sub__(self, other: Any) -> Expression:
        return Expression("-", (self, other))

    def __rsub__(self, other: Any) -> Expression:
        return Expression("-", (other, self))

    def __mul__(self, other: Any) -> Expression:
        return Expression("*", (self, other))

    def __rmul__(self, other: Any) -> Expression:
        return Expression("*", (other, self))

    def __truediv__(self, other: Any) -> Expression:
        return Expression("/", (self, other))

    def __floordiv__(self, other: Any) -> Expression:
        return Expression("//", (self, other))

    def __mod__(self, other: Any) -> Expression:
        return Expression("%", (self, other))

    def __neg__(self) -> Expression:
        return Expression("*", (self, -1))

    # Comparisons.
    def __lt__(self, other: Any) -> Expression:
        return Expression("<", (self, other))

    def __le__(self, other: Any) -> Expression:
        return Expression("<=", (self, other))

    def __gt__(self, other: Any) -> Expression:
        return Expression(">", (self, other))

    def __ge__(self, other: Any) -> Expression:
        return Expression(">=", (self, other))

    def __eq__(self, other: Any) -> Expression:  # pyright: ignore[reportIncompatibleMethodOverride]
        return Expression("==", (self, other))

    def __ne__(self, other: Any) -> Expression:  # pyright: ignore[reportIncompatibleMethodOverride]
        return Expression("!=", (self, other))

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    # Logic.
    def __and__(self, other: Any) -> Expression:
        return Expression("&", (self, other))

    def __rand__(self, other: Any) -> Expression:
        return Expression("&", (other, self))

    def __or__(self, other: Any) -> Expression:
        return Expression("|", (self, other))

    def __ror__(self, other: Any) -> Expression:
        return Expression("|", (other, self))

    def __invert__(self) -> Expression:
        return Expression("~", (self,))

    def __bool__(self) -> bool:
        raise ParameterError(
            "an expression is neither true nor false until it is evaluated on rows. Combine "
            "conditions with &, | and ~ instead of and, or and not, and put each in parentheses."
        )

    def is_null(self) -> Expression:
        """Whether it is null."""
        return Expression("is_null", (self,))

    def is_not_null(self) -> Expression:
        """Whether it is not null."""
        return ~self.is_null()

    def fill_null(self, value: Any) -> Expression:
        """The value where it is null."""
        return Expression("fill_null", (self, value))

    def is_in(self, values: Iterable[Any]) -> Expression:
        """Whether it is one of these values."""
        return Expression("is_in", (self, tuple(several(values, name="values", of="values"))))

    def is_between(self, low: Any, high: Any) -> Expression:
        """Whether it is at least `low` and at most `high`."""
        return (self >= low) & (self <= high)

    def clip(self, low: Any, high: Any) -> Expression:
        """The nearest value between two bounds: what one row adds to a sum depends on them."""
        return Expression("clip", (self, low, high))

    def cut(self, edges: Sequence[Any], labels: Sequence[str] | None = None) -> Expression:
        """In which bin it is: below the first edge, from one edge to below the next, or beyond.

        Bins are named like "[25, 45)" unless `labels` name them, one more than there are edges.
        """
        names = None if labels is None else tuple(several(labels, name="labels", of="names"))
        return Expression("cut", (self, tuple(several(edges, name="edges", of="numbers")), names))

    @property
    def dt(self) -> DateParts:
        """Parts of a date: `.dt.year()`, `.dt.month()`, `.dt.weekday()`."""
        return DateParts(self)

    # Aggregates.
    def count(self) -> Aggregate:
        """How many rows have a value: not null."""
        return Aggregate("count", self)

    def sum(self) -> Aggregate:
        """The sum; of a condition, how many rows fulfill it."""
        return Aggregate("sum", self)

    def mean(self) -> Aggregate:
        """The mean."""
        return Aggregate("mean", self)

    def var(self) -> Aggregate:
        """The variance of the rows themselves, with n below the sum."""
        return Aggregate("var", self)

    def std(self) -> Aggregate:
        """The standard deviation, the root of `var`."""
        return Aggregate("std", self)

    def share(self) -> Aggregate:
        """Of a condition: the share of rows that fulfill it, among those for which it is known."""
        return Aggregate("share", self)

    def quantiles(self, shares: Iterable[float]) -> Aggregate:
        """The least values that are not exceeded by these shares of the rows."""
        found = tuple(several(shares, name="shares", of="numbers"))
        for share in found:
            if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
                raise ParameterError(
                    f"{brief(share)} is not a share; it must be a number from 0 to 1."
                )
        if not found:
            raise ParameterError("no shares were given; try [0.25, 0.5, 0.75].")
        return Aggregate("quantiles", self, tuple(float(share) for share in found))

    def quantile(self, share: float) -> Aggregate:
        """The least value that is not exceeded by this share of the rows."""
        return self.quantiles([share])

    def median(self) -> Aggregate:
        """The value in the middle."""
        return self.quantiles([0.5])

    def min(self) -> Aggregate:
        """The smallest value, as the quantile of share 0: see `quantiles`."""
        return self.quantiles([0.0])

    def max(self) -> Aggregate:
        """The largest value, as the quantile of share 1: see `quantiles`."""
        return self.quantiles([1.0])

    def histogram(self, edges: Sequence[Any]) -> Aggregate:
        """How many rows are from each edge to below the next; the last edge belongs to its bin."""
        found = tuple(several(edges, name="edges", of="numbers"))
        if len(found) < 2:
            raise ParameterError("a histogram needs at least two edges.")
        return Aggregate("histogram", self, found)

    def count_distinct(self) -> Aggregate:
        """How many of the declared values occur."""
        return Aggregate("count_distinct", self)

    n_unique = count_distinct

    def top(self, k: int) -> Aggregate:
        """The k most frequent labels."""
        return Aggregate("top", self, (whole_number(k, name="k", least=1),))

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        match self.operator, self.operands:
            case "column", (name,):
                return name if name.isidentifier() else repr(name)
            case "~", (a,):
                return f"~({a})"
            case "when", (condition, a, b):
                return f"when({condition}).then({_show(a)}).otherwise({_show(b)})"
            case operator, (a, b) if not operator.isidentifier():
                return f"({_show(a)} {operator} {_show(b)})"
            case operator, (a, *rest):
                return f"{a}.{operator}({', '.join(_show(one) for one in rest if one is not None)})"
            case operator, _:
                return operator


@final
@dataclass(frozen=True)
class DateParts:
    """Parts of a date."""

    of: Expression

    def year(self) -> Expression:
        """The year."""
        return Expression("year", (self.of,))

    def month(self) -> Expression:
        """The month, 1 to 12."""
        return Expression("month", (self.of,))

    def weekday(self) -> Expression:
        """The day of the week, from 1 for Monday to 7 for Sunday."""
        return Expression("weekday", (self.of,))


def _show(operand: Any) -> str:
    if isinstance(operand, tuple):
        return f"[{', '.join(map(_show, operand))}]"
    return str(operand) if isinstance(operand, Expression) else repr(operand)


@public
def col(name: str) -> Expression:
    """Return a column of a private table, for `filter`, `with_columns`, `group_by` and `agg`."""
    if not isinstance(name, str) or not name:
        raise ParameterError(f"the column is {brief(name)}; it must be a column's name.")
    return Expression("column", (name,))


@final
@dataclass(frozen=True)
class When:
    """A condition that waits for what holds if it is true."""

    branches: tuple[tuple[Any, Any], ...]
    condition: Any

    def then(self, value: Any) -> Then:
        """What holds where the condition is true: an expression, a number or a label."""
        return Then((*self.branches, (self.condition, value)))


@final
@dataclass(frozen=True)
class Then:
    """Branches that wait for another one, or for what holds otherwise."""

    branches: tuple[tuple[Any, Any], ...]

    def when(self, condition: Any) -> When:
        """Another condition, for the rows where none before it is true."""
        return When(self.branches, condition)

    def otherwise(self, value: Any) -> Expression:
        """What holds where no condition is true; None for null."""
        for condition, chosen in reversed(self.branches):
            value = Expression("when", (condition, chosen, value))
        return value


@public
def when(condition: Any) -> When:
    """Begin a choice: `nw.when(nw.col("age") < 30).then("young").otherwise("old")`."""
    return When((), condition)


@public
def count() -> Aggregate:
    """Return the number of rows of each group."""
    return Aggregate("count")


@public
def count_people() -> Aggregate:
    """Return the number of people of each group, however many rows they have there."""
    return Aggregate("count_people")
