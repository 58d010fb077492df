"""DataFrames of Spark, which Spark SQL counts and sums on its cluster."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Any, final

from noisewright.on_use import pa
from noisewright.relations.sql.sql_tables import SqlTable, arrow_type
from noisewright.relations.sql.terms import Term, expressions


@final
class SparkSqlTable(SqlTable):
    """A DataFrame, which is seen under a name while a query runs."""

    engine, dialect = "Spark", "spark"

    def __init__(self, frame: Any) -> None:
        self.frame = frame
        self.name = "the DataFrame"
        self._alias = f"noisewright_{uuid.uuid4().hex}"
        columns = self._guard(lambda: frame.schema, "open")
        self.schema = pa.schema([(one.name, self._type_of(one.dataType)) for one in columns])

    def _type_of(self, kind: Any) -> Any:
        if kind.typeName() == "array":
            return pa.list_(self._type_of(kind.elementType))
        return arrow_type(kind.typeName(), self.engine)

    def term(self) -> Term:
        """Return the table as a part of a query."""
        return expressions().to_table(self._alias)

    def shares_engine(self, other: SqlTable) -> bool:
        """Tell whether one query can read both tables."""
        return (
            isinstance(other, SparkSqlTable) and other.frame.sparkSession is self.frame.sparkSession
        )

    def _run(self, query: str, tables: Sequence[SqlTable]) -> Iterable[Sequence[Any]]:
        session, ours = (
            self.frame.sparkSession,
            [one for one in tables if isinstance(one, SparkSqlTable)],
        )
        try:
            for table in ours:
                table.frame.createOrReplaceTempView(table._alias)
            return session.sql(query).collect()
        finally:
            for table in ours:
                session.catalog.dropTempView(table._alias)


def is_spark_frame(value: Any) -> bool:
    """Tell whether a value is a DataFrame of Spark, without loading Spark."""
    return any(
        kind.__name__ == "DataFrame" and kind.__module__.startswith("pyspark.sql")
        for kind in type(value).__mro__
    )
