"""What databases write differently: divisions, dates, digests, and numbers without bounds."""

from __future__ import annotations

from collections.abc import Sequence

from noisewright.relations.sql.terms import (
    Term,
    both,
    call,
    cast,
    coalesce,
    expressions,
    join,
    text,
    whole,
)

_EPOCH = "1970-01-01"


class Dialect:
    """DuckDB; the others say where they differ. Divisions are of numbers that are not negative."""

    name = "duckdb"
    moments = "TIMESTAMPTZ"
    """The type of moments, which are the same all over the world."""

    def quotient(self, a: Term, by: int) -> Term:
        """Return ⌊a / by⌋ for a ≥ 0."""
        return join("IntDiv", a, whole(by))

    def integer(self, truth: Term) -> Term:
        """Return 1, 0 or NULL for a condition."""
        return cast(truth, "BIGINT")

    def wide(self, a: Term) -> Term:
        """Return a whole number in a type whose sums do not overflow."""
        return a

    def is_nan(self, a: Term, *, decimal: bool) -> Term | None:
        """Return whether a number is NaN; None if there are none in its type."""
        return None if decimal else call("ISNAN", a)

    def comparable(self, a: Term, *, decimal: bool) -> tuple[Term, str]:
        """Return a number in a type in which it has room, and the name of the type."""
        return cast(a, "DOUBLE"), "DOUBLE"

    def as_double(self, a: Term, *, decimal: bool) -> Term:
        """Return a number, which is not too large for that, as a double."""
        return cast(a, "DOUBLE")

    def digest(self, a: Term) -> Term:
        """Return the first 32 bits of the MD5 of a text."""
        return cast(join("DPipe", text("0x"), self._hexadecimal(a)), "BIGINT")

    def _hexadecimal(self, a: Term) -> Term:
        exp = expressions()
        return exp.Substring(this=exp.MD5(this=a), start=whole(1), length=whole(8))

    def exact(self, a: Term) -> Term:
        """Return a text that equals texts of the same bytes only, whatever its own collation."""
        exp = expressions()
        return exp.Collate(
            this=cast(a, "TEXT"), expression=exp.Column(this=exp.to_identifier("C", quoted=True))
        )

    def utf_8(self, a: Term) -> Term:
        """Return the bytes of a text."""
        return call("ENCODE", cast(a, "TEXT"))

    def days(self, date: Term) -> Term:
        """Return the days of a date since 1970."""
        return cast(join("Sub", date, cast(text(_EPOCH), "DATE")), "BIGINT")

    def in_zone(self, moment: Term, zone: str) -> Term:
        """Return what clocks of a zone show at a moment, as a time without a zone."""
        return call("TIMEZONE", text(zone), moment)

    def date_of(self, time: Term) -> Term:
        """Return the date of a time."""
        return cast(time, "DATE")

    def element(self, cell: Term, place: int) -> Term:
        """Return what is at a place of a list, from 0 on; NULL if it is shorter."""
        return call("LIST_EXTRACT", cell, whole(place + 1))

    def length(self, cell: Term) -> Term:
        """Return how long a list is."""
        return call("LEN", cell)

    def holds(self, cell: Term, item: Term) -> Term:
        """Return whether an item is in a list that is not NULL."""
        return call("LIST_CONTAINS", cell, item)

    def holds_only(self, cell: Term, items: Sequence[Term]) -> Term:
        """Return whether a list holds some of these items and nothing else, no NULL either."""
        known = call("LIST_HAS_ALL", expressions().Array(expressions=list(items)), cell)
        there = coalesce(call("LIST_COUNT", cell.copy()), whole(0))
        return both(known, join("EQ", there, call("LEN", cell.copy())))

    def part(self, name: str, time: Term) -> Term:
        """Return the year, month, hour or minute of a time or of a date."""
        exp = expressions()
        return cast(exp.Extract(this=exp.var(name.upper()), expression=time), "BIGINT")


class PostgresDialect(Dialect):
    """PostgreSQL, where numeric has NaN and numbers that no double holds."""

    name = "postgres"

    def quotient(self, a: Term, by: int) -> Term:
        """Return ⌊a / by⌋ for a ≥ 0: the slash divides whole numbers so."""
        found = join("Div", a, whole(by))
        found.set("typed", True)
        return found

    def integer(self, truth: Term) -> Term:
        """Return 1, 0 or NULL for a condition."""
        return cast(cast(truth, "INT"), "BIGINT")

    def is_nan(self, a: Term, *, decimal: bool) -> Term | None:
        """Return whether a number is NaN, which equals itself here."""
        return join("EQ", a, cast(text("NaN"), "DECIMAL" if decimal else "DOUBLE"))

    def comparable(self, a: Term, *, decimal: bool) -> tuple[Term, str]:
        """Return a number in a type in which it has room."""
        kind = "DECIMAL" if decimal else "DOUBLE"
        return cast(a, kind), kind

    def as_double(self, a: Term, *, decimal: bool) -> Term:
        """Return a number as a double: one that is nearly 0 would be an error."""
        return cast(call("ROUND", a, whole(300)) if decimal else a, "DOUBLE")

    def utf_8(self, a: Term) -> Term:
        """Return the bytes of a text."""
        return call("CONVERT_TO", cast(a, "TEXT"), text("UTF8"))

    def element(self, cell: Term, place: int) -> Term:
        """Return what is at a place of an array, from 0 on; NULL if it is shorter."""
        exp = expressions()
        return exp.Bracket(this=exp.Paren(this=cell), expressions=[whole(place)], offset=0)

    def length(self, cell: Term) -> Term:
        """Return how long an array is."""
        return call("CARDINALITY", cell)

    def holds(self, cell: Term, item: Term) -> Term:
        """Return whether an item is in an array that is not NULL."""
        return self._is_part(self._array([item], item), self._array(cell, item))

    def holds_only(self, cell: Term, items: Sequence[Term]) -> Term:
        """Return whether an array holds some of these items and nothing else, no NULL either."""
        return self._is_part(self._array(cell, items[0]), self._array(items, items[0]))

    def _is_part(self, a: Term, b: Term) -> Term:
        return expressions().ArrayContainedBy(this=a, expression=b)

    def _array(self, given: Term | Sequence[Term], item: Term) -> Term:
        """Return an array of texts that are compared byte by byte, or of whole numbers."""
        exp = expressions()
        array = exp.Array(expressions=list(given)) if isinstance(given, list) else given
        if not item.is_string:
            return cast(array, "ARRAY<BIGINT>")
        plain = exp.to_identifier("C", quoted=True)
        return exp.Collate(this=cast(array, "ARRAY<TEXT>"), expression=plain)

    def digest(self, a: Term) -> Term:
        """Return the first 32 bits of the MD5 of a text, by way of a string of bits."""
        exp = expressions()
        bits = exp.Cast(
            this=join("DPipe", text("x"), self._hexadecimal(a)),
            to=exp.DataType.build("BIT(32)", dialect="postgres"),
        )
        return cast(bits, "BIGINT")


class SparkDialect(Dialect):
    """Spark SQL, whose moments are shown in the zone of the session unless one takes care."""

    name = "spark"
    moments = "TIMESTAMPLTZ"

    def wide(self, a: Term) -> Term:
        """Return a whole number as a decimal: sums of 64 bits overflow."""
        return cast(a, "DECIMAL(38, 0)")

    def exact(self, a: Term) -> Term:
        """Return a text that equals texts of the same bytes only: the bytes."""
        return cast(a, "BINARY")

    utf_8 = exact

    def element(self, cell: Term, place: int) -> Term:
        """Return what is at a place of an array, from 0 on; NULL if it is shorter."""
        return call("GET", cell, whole(place))

    def length(self, cell: Term) -> Term:
        """Return how long an array is."""
        return call("SIZE", cell)

    def holds(self, cell: Term, item: Term) -> Term:
        """Return whether an item is in an array that is not NULL; a NULL in it is no item."""
        return coalesce(call("ARRAY_CONTAINS", cell, item), expressions().false())

    def holds_only(self, cell: Term, items: Sequence[Term]) -> Term:
        """Return whether an array holds some of these items and nothing else, no NULL either."""
        known = expressions().Array(expressions=list(items))
        return join("EQ", call("SIZE", call("ARRAY_EXCEPT", cell, known)), whole(0))

    def digest(self, a: Term) -> Term:
        """Return the first 32 bits of the MD5 of a text."""
        return cast(call("CONV", self._hexadecimal(a), whole(16), whole(10)), "BIGINT")

    def days(self, date: Term) -> Term:
        """Return the days of a date since 1970."""
        return cast(call("UNIX_DATE", date), "BIGINT")

    def in_zone(self, moment: Term, zone: str) -> Term:
        """Return what clocks of a zone show, by way of seconds: these know no session."""
        seconds = call("UNIX_SECONDS", call("FROM_UTC_TIMESTAMP", moment, text(zone)))
        none = [whole(0)] * 3
        since = call("MAKE_DT_INTERVAL", *none, cast(seconds, "DECIMAL(18, 6)"))
        return join("Add", cast(text(f"{_EPOCH} 00:00:00"), "TIMESTAMPNTZ"), since)


class BigQueryDialect(Dialect):
    """BigQuery, as text: what is written for it is parsed in tests, and not executed."""

    name = "bigquery"

    def wide(self, a: Term) -> Term:
        """Return a whole number as a decimal: sums of 64 bits overflow."""
        return cast(a, "DECIMAL(38, 0)")

    def is_nan(self, a: Term, *, decimal: bool) -> Term | None:
        """Return whether a number is NaN; None if there are none in its type."""
        return None if decimal else call("IS_NAN", a)

    def days(self, date: Term) -> Term:
        """Return the days of a date since 1970."""
        return call("UNIX_DATE", date)

    def in_zone(self, moment: Term, zone: str) -> Term:
        """Return what clocks of a zone show at a moment."""
        return call("DATETIME", moment, text(zone))


class SnowflakeDialect(Dialect):
    """Snowflake, as text: what is written for it is parsed in tests, and not executed."""

    name = "snowflake"

    def quotient(self, a: Term, by: int) -> Term:
        """Return ⌊a / by⌋ for a ≥ 0, of what divides: quotients are decimals and are rounded."""
        rest = join("Mod", a, whole(by))
        found = join("Div", join("Sub", a.copy(), rest), whole(by))
        found.set("typed", True)
        return cast(found, "BIGINT")

    def wide(self, a: Term) -> Term:
        """Return a whole number as a decimal."""
        return cast(a, "DECIMAL(38, 0)")

    def is_nan(self, a: Term, *, decimal: bool) -> Term | None:
        """Return whether a number is NaN, which equals itself here."""
        return None if decimal else join("EQ", a, cast(text("NaN"), "DOUBLE"))

    def digest(self, a: Term) -> Term:
        """Return the first 32 bits of the MD5 of a text."""
        return call("TO_NUMBER", self._hexadecimal(a), text("XXXXXXXX"))

    def days(self, date: Term) -> Term:
        """Return the days of a date since 1970."""
        return call("DATEDIFF", expressions().var("DAY"), cast(text(_EPOCH), "DATE"), date)

    def in_zone(self, moment: Term, zone: str) -> Term:
        """Return what clocks of a zone show at a moment."""
        return cast(call("CONVERT_TIMEZONE", text(zone), moment), "TIMESTAMPNTZ")


DIALECTS: dict[str, Dialect] = {
    made.name: made
    for made in (
        Dialect(),
        PostgresDialect(),
        SparkDialect(),
        BigQueryDialect(),
        SnowflakeDialect(),
    )
}
