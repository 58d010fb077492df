"""A text of SQL: its tree, and errors that point at the word they are about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, final

from noisewright.errors import MissingPartError, ParameterError
from noisewright.given import brief

SqlNode = Any
"""A node of sqlglot, whose own types differ from release to release."""

_LONGEST = 20_000
_DIALECT = "duckdb"


def _sqlglot() -> Any:
    """Return sqlglot, or say what to install."""
    try:
        import sqlglot
    except ImportError:
        raise MissingPartError(
            "SQL is read with sqlglot, which comes with noisewright and is missing here: "
            "pip install sqlglot, or ask in Python, as in .agg(n=nw.count())."
        ) from None
    return sqlglot


@final
class SqlText:
    """What somebody typed, in the words that DuckDB and PostgreSQL share."""

    def __init__(self, text: str, *, such_as: str) -> None:
        if not isinstance(text, str) or not text.strip():
            raise ParameterError(f"the SQL is {brief(text)}; write a text such as {such_as}.")
        if len(text) > _LONGEST:
            raise ParameterError(
                f"the SQL has {len(text):,} characters; at most {_LONGEST:,} are read."
            )
        self.text = text
        glot = _sqlglot()
        self.kinds = glot.exp
        self.tokens: list[Any] = self._guard(lambda: glot.tokenize(text, dialect=_DIALECT))
        if not self.tokens:
            raise ParameterError(f"the SQL is empty; write a text such as {such_as}.")

    def parse_select(self) -> SqlNode:
        """Return the tree of the one SELECT that was typed."""
        # Other statements are refused before the parser sees them: it has warnings about some.
        if self.tokens[0].text.upper() != "SELECT":
            raise self.error("a question starts with SELECT, and asks one thing.", self._span(0))
        found = self._guard(lambda: _sqlglot().parse(self.text, dialect=_DIALECT))
        self._require_one_statement()
        if not isinstance(found[0], self.kinds.Select):
            raise self.error(
                "answers cannot be combined in SQL; ask each SELECT by itself.",
                self.find("UNION", "EXCEPT", "INTERSECT"),
            )
        return found[0]

    def parse_condition(self) -> SqlNode:
        """Return the tree of a condition."""
        self._require_one_statement()
        return self._guard(
            lambda: _sqlglot().parse_one(self.text, dialect=_DIALECT, into=self.kinds.Condition)
        )

    def _require_one_statement(self) -> None:
        places = [place for place, token in enumerate(self.tokens) if token.text == ";"]
        for place in places:
            if place + 1 < len(self.tokens) and place + 1 not in places:
                raise self.error("there is more than one statement.", self._span(place + 1))

    def _guard(self, parse: Any) -> Any:
        errors = _sqlglot().errors
        try:
            return parse()
        except errors.ParseError as problem:
            raise self._unreadable(problem.errors[0] if problem.errors else {}) from None
        except errors.SqlglotError:
            raise ParameterError(
                "the SQL cannot be read; is there a quote that is not closed?"
            ) from None
        except RecursionError:
            raise ParameterError("the SQL is nested too deeply; ask something simpler.") from None

    def _unreadable(self, said: dict[str, Any]) -> ParameterError:
        if not said.get("line"):
            return ParameterError("the SQL cannot be read.")
        word = said["highlight"]
        lines = self.text.split("\n")[: said["line"] - 1]
        start = sum(len(line) + 1 for line in lines) + max(said["col"] - len(word), 0)
        told = str(said["description"])
        if "missing for" in told:
            why = f"something is missing after {word!r}"
        elif told.startswith("Expecting"):
            why = f"{told[len('Expecting ') :]!r} was expected here"
        else:
            why = f"{word!r} is not expected here"
        return self.error(f"the SQL cannot be read: {why}.", (start, start + len(word)))

    def error(self, problem: str, where: SqlNode | tuple[int, int]) -> ParameterError:
        """Return an error that points at a node, or at characters."""
        start, end = where if isinstance(where, tuple) else self.place(where)
        before = self.text[:start]
        line, column = before.count("\n") + 1, start - (before.rfind("\n") + 1)
        shown = self.text.split("\n")[line - 1]
        width = max(1, min(end - start, len(shown) - column))
        # Tabs stay, so that the marks stand below what they are about.
        indent = "".join("\t" if mark == "\t" else " " for mark in shown[:column])
        marks = "^" * width
        return ParameterError(
            f"line {line}, column {column + 1}: {problem}\n  {shown}\n  {indent}{marks}"
        )

    def _span(self, place: int) -> tuple[int, int]:
        token = self.tokens[place]
        return token.start, token.end + 1

    def find(self, *words: str, after: int = 0) -> tuple[int, int]:
        """Return where the first of these words stands, from a place on."""
        for place, token in enumerate(self.tokens):
            if token.start >= after and token.text.upper() in words:
                return self._span(place)
        return self._span(0)

    def place(self, node: SqlNode) -> tuple[int, int]:
        """Return where a node stands; the parser says so for names, constants and functions."""
        own = node.meta
        if "start" in own:
            return own["start"], own["end"] + 1
        spans = list(self._spans(node))
        start = min((one for one, _ in spans), default=len(self.text))
        before = [place for place, token in enumerate(self.tokens) if token.start < start]
        names = self._words(node)
        for place in reversed(before):
            if self.tokens[place].text.upper() in names:
                return self._span(place)
        if spans and isinstance(node, self.kinds.AggFunc):
            # A function by a name that the parser has another one for.
            while len(before) > 1 and self.tokens[before[-1]].text == "(":
                before.pop()
            return self._span(before[-1])
        return (start, max(end for _, end in spans)) if spans else self._span(0)

    def _spans(self, node: SqlNode) -> Iterator[tuple[int, int]]:
        for one in node.walk():
            if "start" in one.meta:
                yield one.meta["start"], one.meta["end"] + 1

    def _words(self, node: SqlNode) -> tuple[str, ...]:
        """Return by which words a node starts whose place is not known."""
        kinds = self.kinds
        if isinstance(node, kinds.Subquery | kinds.Select | kinds.Exists):
            return ("SELECT",)
        if isinstance(node, kinds.Boolean | kinds.Null):
            return (str(node.sql()).upper(),)
        if isinstance(node, kinds.Placeholder | kinds.Parameter):
            return ("?", "$", ":")
        if isinstance(node, kinds.Func) and not isinstance(node, kinds.Binary):
            return tuple(name.upper() for name in node.sql_names())
        return ()
