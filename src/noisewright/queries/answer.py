"""The answer to a question: a table of values, with errors, intervals and a certificate."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.certificates import Certificate
from noisewright.errors import ParameterError
from noisewright.estimation import Axis, Estimate, read_confidence
from noisewright.files import require_path
from noisewright.given import brief, whole_number
from noisewright.mechanisms import Guarantee, epsilon_sum
from noisewright.public import public_methods
from noisewright.queries.answers.answered import Answered
from noisewright.queries.readings import AnswerColumn, Measured
from noisewright.sampling import source_or_default

if TYPE_CHECKING:
    from noisewright.ledger import Balance
    from noisewright.queries.question import Question
    from noisewright.sampling import Source
    from noisewright.transaction import Payment

SEEDED = "NOT PRIVATE (seeded noise): "


@public_methods
@final
@dataclass(frozen=True, eq=False, repr=False)
class Answer:
    """What was released: noisy whole numbers, and all that follows from them.

    `certificate` proves what these numbers cost, and `keys_certificate` what it cost to find the
    groups, where nobody declared them; `guarantee` is for both together.

    `table` has a row for each group, in the order of the declared keys, and a column for each
    aggregate. Counts are never negative and means never outside of their bounds; `unbiased` has
    the values before they were moved there, for sums over many groups.
    """

    question: Question
    measured: tuple[Measured, ...]
    certificate: Certificate
    entry: int | None = None
    charged: Guarantee | None = None
    balance: Balance | None = None
    paid_notes: tuple[str, ...] = ()
    keys_certificate: Certificate | None = None
    is_private: bool = True
    """Whether the noise came from private entropy; a seeded one promises nothing."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that belong to the values, and to what was paid for them."""
        found = [words for one in self._columns for words in one.answered.notes]
        gaps = [name for name, key in self.question.keys.items() if key.node.nullable]
        if gaps:
            found.append(
                f"Rows whose {' or '.join(gaps)} is empty or not declared are in no group."
            )
        return tuple(dict.fromkeys([*found, *self.paid_notes]))

    @property
    def is_accounted(self) -> bool:
        """Whether a ledger paid for it."""
        return self.entry is not None

    @property
    def guarantee(self) -> Guarantee:
        """What each person gave away, for the change that the table says."""
        found = self.certificate.guarantee
        if self.keys_certificate is None:
            return found
        keys = self.keys_certificate.guarantee
        return Guarantee(epsilon_sum([found.epsilon, keys.epsilon]), found.delta + keys.delta)

    def columns(self, confidence: float = 0.95) -> list[AnswerColumn]:
        """Return the columns of the answer, with errors and intervals of this confidence."""
        level = read_confidence(confidence)
        return [
            column
            for reading in self.question.asked.readings
            for column in self.measured[reading.place].read(reading, level)
        ]

    @cached_property
    def _columns(self) -> list[AnswerColumn]:
        return self.columns()

    @cached_property
    def table(self) -> Any:
        """The values, as an Arrow table."""
        return self._table(
            pair
            for one in self._columns
            for pair in one.pair_with_name(one.show(one.answered.values))
        )

    @property
    def unbiased(self) -> Any:
        """The values before they were rounded or moved to what is possible, as an Arrow table."""
        return self._table(
            pair for one in self._columns for pair in one.pair_with_name(one.answered.unbiased)
        )

    @property
    def standard_errors(self) -> Any:
        """The standard errors of the values, as an Arrow table."""
        return self._table(
            pair
            for one in self._columns
            for pair in one.pair_with_name(one.answered.standard_errors)
        )

    def intervals(self, confidence: float = 0.95) -> Any:
        """Return the values with the ends of their intervals, as an Arrow table.

        Each interval covers the true value with this probability, over the noise.
        """
        return self._table(
            pair
            for one in self.columns(confidence)
            for end, values in _ends(one.answered)
            for pair in one.pair_with_name(one.show(values), end)
        )

    def _table(self, columns: Iterable[tuple[str, Any]]) -> Any:
        import pyarrow as pa

        found = {name: _as_arrow(values) for name, values in self._keys().items()}
        found |= {name: _as_arrow(values) for name, values in columns}
        return pa.table(found)

    def _keys(self) -> dict[str, Sequence[Any]]:
        keys = self.question.keys
        rows = list(product(*(key.points for key in keys.values())))
        return {name: [row[place] for row in rows] for place, name in enumerate(keys)}

    def estimate(self, column: str | None = None, *, confidence: float = 0.95) -> Estimate:
        """Return one column with its errors as an Estimate, with an axis for each key."""
        found = {one.name: one for one in self.columns(confidence)}
        name = next(iter(found)) if column is None else column
        if name not in found:
            raise ParameterError(
                f"there is no column {brief(column)}; the answer has {', '.join(found)}."
            )
        one, keys = found[name].answered, self.question.keys
        shape = tuple(key.size for key in keys.values())
        arrays = {
            each: getattr(one, each).reshape(shape)
            for each in ("values", "standard_errors", "lows", "highs")
        }
        return Estimate(
            what=name,
            axes=tuple(Axis(each, key.points) for each, key in keys.items()),
            people=0,
            about="people",
            method="noise on whole numbers",
            confidence=one.confidence,
            **arrays,
        )

    def chart(self, column: str | None = None, *, confidence: float = 0.95) -> Any:
        """Draw one column, the first if none is named: each value as a dot on its interval.

        Requires: one or two keys.
        """
        from noisewright.report import estimate_chart

        return estimate_chart(self.estimate(column, confidence=confidence))

    def to_pandas(self) -> Any:
        """Return the values as a pandas frame."""
        return self.table.to_pandas()

    def to_polars(self) -> Any:
        """Return the values as a Polars frame."""
        import polars as pl

        return pl.from_arrow(self.table)

    @property
    def value(self) -> Any:
        """The one value, of a question with one aggregate and no groups."""
        if self.table.num_rows != 1 or len(self._columns) != 1:
            raise ParameterError("there are several values; see .table.")
        return self.table.column(self._columns[0].name)[0].as_py()

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the values with 95% intervals: .csv, .parquet or .arrow, by the name's end."""
        from noisewright.tables import open_writer

        require_path(path)
        table = self.intervals()
        with open_writer(path, table.schema, overwrite=overwrite) as writer:
            for batch in table.to_batches():
                writer.write(batch)
        return Path(path)

    def __repr__(self) -> str:
        notes = [f"Note: {note}" for note in self.notes]
        return "\n".join([self.as_text(), self._promise, *notes])

    @property
    def _promise(self) -> str:
        marked = "" if self.is_private else SEEDED
        return f"{marked}{self.guarantee}, {self.certificate.unit}"

    def as_text(self, rows: int = 20) -> str:
        """Return the first rows with 95% intervals, as a table for a terminal.

        An answer without groups has a line for each value.
        """
        shown = self.intervals()
        most = min(whole_number(rows, name="rows", least=1), shown.num_rows)
        first = shown.slice(0, most).to_pylist()
        lines = [shown.column_names, *(list(row.values()) for row in first)]
        if shown.num_rows == 1:
            (row,) = first
            ends = {name + end for name in row for end in _ENDS if name + end in row}
            values = [[name, *(row.get(name + end, "") for end in ("", *_ENDS))] for name in row]
            lines = [["", "value", "low", "high"], *(one for one in values if one[0] not in ends)]
        cells = [[_text(cell) for cell in line] for line in lines]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        rule = [zip(line, widths, strict=True) for line in cells]
        text = ["  ".join(c.rjust(w) for c, w in line).rstrip() for line in rule]
        more = [f"… {shown.num_rows - most:,} more rows"] if shown.num_rows > most else []
        return "\n".join([*text, *more])

    def _repr_html_(self) -> str:
        from html import escape

        shown = self.intervals()
        head = "".join(f"<th>{escape(name)}</th>" for name in shown.column_names)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_text(cell))}</td>" for cell in row.values()) + "</tr>"
            for row in shown.slice(0, 100).to_pylist()
        )
        foot = escape(self._promise)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{foot}</p>"


def with_payment(answer: Answer, payment: Payment, source: Source | None) -> Answer:
    """Return an answer with what the ledger was charged for it, what is left, and whose bits."""
    return replace(
        answer,
        is_private=source_or_default(source).private,
        entry=payment.entry,
        charged=payment.charged,
        balance=payment.balance,
        paid_notes=tuple(payment.notes),
    )


_ENDS = ("_low", "_high")


def _ends(answered: Answered) -> list[tuple[str, NDArray[Any]]]:
    return [("", answered.values), ("_low", answered.lows), ("_high", answered.highs)]


def _as_arrow(values: Any) -> Any:
    import pyarrow as pa

    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        return pa.array(values, from_pandas=True)  # NaN: there is no such value
    return pa.array(values)


def _text(cell: Any) -> str:
    if cell is None:
        return "–"
    return f"{cell:,.6g}" if isinstance(cell, float) else str(cell)
