"""Public columns while rows are checked: written to nowhere, and their different values counted.

They leave as they are, so that whether their values can be written at all depends on values. The
writer that will write them tries before a budget is debited.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, final

from noisewright.errors import TargetError
from noisewright.tables import Sink, open_sink, public_type

if TYPE_CHECKING:
    from noisewright.plans import Plan
    from noisewright.tables import ArrowSchema

_MOST_COUNTED = 1 << 16
"""Different values of a column that are kept to be counted; more are many in any table."""


@final
class _Nowhere:
    """A file that keeps nothing but its length."""

    closed = False

    def __init__(self) -> None:
        self.length = 0

    def write(self, data: bytes) -> int:
        self.length += len(data)
        return len(data)

    def tell(self) -> int:
        return self.length

    def flush(self) -> None: ...

    def close(self) -> None: ...


@final
class PublicColumns:
    """Takes the public cells of a table batch by batch; `name` is that of the file to write.

    `different` says how many values each column has, and `bytes` how many bytes they take there.
    """

    def __init__(self, plan: Plan, given: ArrowSchema, name: str | None) -> None:
        import pyarrow as pa

        self._name = name
        self._schemas = [
            pa.schema([pa.field(column, public_type(given.field(column).type))])
            for column in plan.public
        ]
        self._files = [_Nowhere() for _ in self._schemas]
        self._sinks: list[Sink] = []
        self._seen: dict[str, Any] = {}
        self.different: dict[str, int] = {}
        if name is not None:
            for schema, file in zip(self._schemas, self._files, strict=True):
                # One for each column, so that an error says which column it is about.
                self._attempt(schema, lambda s=schema, f=file: self._open(s, f, name))

    @property
    def bytes(self) -> int:
        """How many bytes were written."""
        return sum(file.length for file in self._files)

    def put(self, arrays: Sequence[Any]) -> None:
        """Take the next rows; raises TargetError, with the column, if they cannot be written."""
        import pyarrow as pa

        for place, (schema, array) in enumerate(zip(self._schemas, arrays, strict=True)):
            self._count(schema.names[0], array)
            if self._sinks:
                batch = pa.RecordBatch.from_arrays([array], schema=schema)
                self._attempt(schema, lambda p=place, b=batch: self._sinks[p].write(b))

    def close(self) -> None:
        """Write what is left; raises as `put` does."""
        for schema, sink in zip(self._schemas, self._sinks, strict=False):
            self._attempt(schema, sink.close)

    def _open(self, schema: ArrowSchema, file: _Nowhere, name: str) -> None:
        import pyarrow as pa

        self._sinks.append(open_sink(pa.PythonFile(file, mode="w"), name, schema, metadata={}))

    def _attempt(self, schema: ArrowSchema, work: Any) -> None:
        import pyarrow as pa

        try:
            work()
        except TargetError:
            raise
        except (pa.ArrowException, ArithmeticError, OSError, RuntimeError, TypeError, ValueError):
            column = schema.field(0)
            failed = TargetError(
                f"the public column {column.name!r} has the type {column.type} and cannot be "
                f"written to {self._name}: pyarrow does not write such a type, or some of its "
                "values, in this format. Convert the column, to texts for example, drop it, or "
                "choose another format. Nothing was spent."
            )
        else:
            return
        # Outside of the handler: the message of pyarrow quotes values.
        raise failed

    def _count(self, name: str, array: Any) -> None:
        import pyarrow as pa

        if self.different.get(name, 0) > _MOST_COUNTED or pa.types.is_nested(array.type):
            return
        before = self._seen.get(name)
        joined = array if before is None else pa.concat_arrays([before, array.unique()])
        self._seen[name] = joined.unique()
        self.different[name] = len(self._seen[name])
