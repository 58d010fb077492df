"""How many people have each value of a column that is not declared, as one SQL query.

The rule is that of `KeyRequest`. Texts leave as bytes, so that no collation joins or orders them.
"""

from __future__ import annotations

from noisewright.on_use import pa
from noisewright.relations.rows import KeyRequest, SourceRows, needed_columns, sources
from noisewright.relations.sql.dialects import Dialect
from noisewright.relations.sql.rows_in_sql import TallyWriter
from noisewright.relations.sql.terms import (
    Term,
    alias,
    cast,
    column,
    expressions,
    is_null,
    negation,
    stored_column,
)

_KEY = "raw_key"


class KeyWriter(TallyWriter):
    """Writes the query of one request."""

    def __init__(self, dialect: Dialect, request: KeyRequest) -> None:
        super().__init__(dialect)
        self._request = request
        schema = sources(request.rows)[0].table.schema
        self._is_number = pa.types.is_integer(schema.field(request.name).type)

    def raw_columns(self, source: SourceRows) -> dict[str, Term]:
        """Return the key, as it is."""
        key = stored_column(self._request.name)
        return {_KEY: key if self._is_number else self._dialect.utf_8(key)}

    def query_of_keys(self) -> Term:
        """Return the query: keys, and how many people have each."""
        exp, request = expressions(), self._request
        part = self._rows(request.rows, needed_columns(request.rows))
        key, condition = column(_KEY), negation(is_null(column(_KEY)))
        if part.person is not None:
            pairs = exp.select(column("person"), key).distinct().from_(part.name).where(condition)
            part = self._add(pairs, {_KEY: _KEY}, part.person, "pairs")
            writer = self._writer(part)
            mark = self._dialect.digest(cast(key, "TEXT") if self._is_number else key)
            limit = request.limit
            numbers = writer.name(self._person_number(limit, part), mark, word="number")
            score = self._score(limit, writer, self._group_root(limit, *numbers))
            ranked = self._rank("RowNumber", [column("person")], [score, key])
            [rank] = writer.name(ranked, word="key_rank")
            part = self._with_levels(part, writer)
            condition = self._at_most(rank, request.groups)
        counted = alias(exp.Count(this=exp.Star()), "people")
        query = exp.select(key, counted).from_(part.name).where(condition).group_by(key)
        return self._with_parts(query)
