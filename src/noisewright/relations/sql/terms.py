"""Pieces of SQL: every operand in its own parentheses, every name and constant quoted.

Nothing here pastes texts: trees are built of nodes, and sqlglot writes names and constants in the
way of the dialect. Its own operators on nodes leave out parentheses that matter, so they are not
used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from noisewright.errors import MissingPartError, ParameterError
from noisewright.given import brief

Term = Any
"""A node of sqlglot, whose own types differ from release to release."""


def sqlglot() -> Any:
    """Return sqlglot, or say what to install."""
    try:
        import sqlglot
    except ImportError:
        raise MissingPartError(
            "tables in databases are asked with sqlglot, which comes with noisewright and is "
            "missing here: pip install sqlglot."
        ) from None
    return sqlglot


def expressions() -> Any:
    """Return the kinds of nodes."""
    return sqlglot().expressions


def column(name: str, table: str | None = None) -> Term:
    """Return a column by one of the names that are made here."""
    return expressions().column(name, table=table)


def stored_column(name: str) -> Term:
    """Return a column by the name that the table has for it."""
    return expressions().column(name, quoted=True)


def whole(number: int) -> Term:
    """Return a whole number."""
    return expressions().convert(int(number))


def text(words: str) -> Term:
    """Return a text."""
    return expressions().Literal.string(words)


def double(number: float) -> Term:
    """Return a double to the last bit: a bare number would be a decimal in some dialects."""
    return cast(text(repr(float(number))), "DOUBLE")


def null() -> Term:
    """Return NULL."""
    return expressions().Null()


def cast(term: Term, kind: str) -> Term:
    """Return a term in another type."""
    exp = expressions()
    return exp.Cast(this=term, to=exp.DataType.build(kind))


def call(function: str, *terms: Term) -> Term:
    """Return a call of a function that is written alike in the dialects that it is used for."""
    return expressions().Anonymous(this=function, expressions=list(terms))


def join(operator: str, a: Term, b: Term) -> Term:
    """Return a binary operator of sqlglot by its name, such as Add, Sub, Mul, Mod, LT, LTE, EQ."""
    return getattr(expressions(), operator)(this=_alone(a), expression=_alone(b))


def both(*terms: Term) -> Term:
    """Return whether all of some conditions are true."""
    found = terms[0]
    for term in terms[1:]:
        found = join("And", found, term)
    return found


def negation(term: Term) -> Term:
    """Return whether a condition is false."""
    return expressions().Not(this=_alone(term))


def is_null(term: Term) -> Term:
    """Return whether a term is NULL."""
    exp = expressions()
    return exp.Is(this=_alone(term), expression=exp.Null())


def among(term: Term, values: Sequence[int]) -> Term:
    """Return whether a term is one of at least one values."""
    return expressions().In(this=_alone(term), expressions=[whole(value) for value in values])


def case(*branches: tuple[Term, Term], otherwise: Term | None = None) -> Term:
    """Return the first term whose condition is true."""
    exp = expressions()
    ifs = [exp.If(this=condition, true=term) for condition, term in branches]
    return exp.Case(ifs=ifs, default=null() if otherwise is None else otherwise)


def coalesce(term: Term, otherwise: Term) -> Term:
    """Return the first term, or the other where that is NULL."""
    return expressions().Coalesce(this=term, expressions=[otherwise])


def table_term(table: Any) -> Term:
    """Return a table by its name; dots separate catalog, schema and table, or a tuple does."""
    parts = table.split(".") if isinstance(table, str) else table
    if (
        not isinstance(parts, list | tuple)
        or not 1 <= len(parts) <= 3
        or not all(isinstance(part, str) and part for part in parts)
    ):
        raise ParameterError(
            f"table is {brief(table)}; it must be a name such as 'people' or 'archive.people', or "
            "a tuple such as ('archive', 'people')."
        )
    exp = expressions()
    names = dict(zip(("this", "db", "catalog"), reversed(parts), strict=False))
    return exp.Table(**{key: exp.to_identifier(one, quoted=True) for key, one in names.items()})


def table_of(name: str, columns: Sequence[str], rows: Sequence[Sequence[Term]]) -> Term:
    """Return a small table of constants, with a name."""
    exp = expressions()
    names = [exp.to_identifier(word) for word in columns]
    as_name = exp.TableAlias(this=exp.to_identifier(name), columns=names)
    lines = [exp.Tuple(expressions=list(row)) for row in rows]
    return exp.Values(expressions=lines, alias=as_name)


def alias(term: Term, name: str) -> Term:
    """Return a term with a name."""
    exp = expressions()
    return exp.Alias(this=term, alias=exp.to_identifier(name))


def steps(term: Term, edges: Sequence[int], leaves: Sequence[Term]) -> Term:
    """Return leaves[i] where edges[i − 1] ≤ term < edges[i]; the term must not be NULL.

    By halves, so that a long list takes few comparisons.
    """
    if not edges:
        return leaves[0]
    middle = len(edges) // 2
    return case(
        (
            join("LT", term.copy(), whole(edges[middle])),
            steps(term, edges[:middle], leaves[: middle + 1]),
        ),
        otherwise=steps(term, edges[middle + 1 :], leaves[middle + 1 :]),
    )


def clamp(term: Term, low: int, high: int) -> Term:
    """Return the nearest number in low … high; the term must not be NULL."""
    return call("LEAST", call("GREATEST", term, whole(low)), whole(high))


def _alone(term: Term) -> Term:
    exp = expressions()
    if isinstance(term, exp.Binary | exp.Unary | exp.In | exp.Case) and not isinstance(
        term, exp.Paren | exp.Dot
    ):
        return exp.Paren(this=term)
    return term
