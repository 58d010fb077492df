"""What a browser can ask for that costs budget, and the same as Python and shell code."""

from __future__ import annotations

import shlex
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field as Given

from noisewright.studio.declaring import TableChoice
from noisewright.studio.failures import RefusalError

AGGREGATES = {
    "mean": "AVG",
    "sum": "SUM",
    "median": "MEDIAN",
    "distinct": "COUNT(DISTINCT",
}


class AskedAggregate(BaseModel):
    """One number of each group."""

    model_config = ConfigDict(extra="forbid")

    what: Literal["count", "mean", "sum", "median", "distinct"]
    column: str | None = None

    def in_sql(self) -> str:
        """Return the aggregate with a name of its own."""
        if self.what == "count":
            return 'COUNT(*) AS "count"'
        if not self.column:
            raise RefusalError(f"{self.what} needs a column.")
        opening = AGGREGATES[self.what]
        inside = f" {_name(self.column)})" if opening.endswith("T") else f"({_name(self.column)})"
        return f"{opening}{inside} AS {_name(f'{self.what}_{self.column}')}"


class AskedQuestion(BaseModel):
    """A question, put together from parts, or in SQL."""

    model_config = ConfigDict(extra="forbid")

    sql: str | None = Given(default=None, max_length=20_000)
    aggregates: list[AskedAggregate] = Given(default_factory=list[AskedAggregate], max_length=50)
    by: list[str] = Given(default_factory=list[str], max_length=20)
    where: str | None = Given(default=None, max_length=10_000)

    def in_sql(self) -> str:
        """Return the question in SQL."""
        if self.sql is not None and self.sql.strip():
            return self.sql.strip()
        if not self.aggregates:
            raise RefusalError("nothing is asked yet. Choose what to count or to average.")
        keys = [_name(key) for key in self.by]
        wanted = ", ".join([*keys, *(one.in_sql() for one in self.aggregates)])
        text = f"SELECT {wanted} FROM people"
        if self.where is not None and self.where.strip():
            text += f" WHERE {self.where.strip()}"
        return f"{text} GROUP BY {', '.join(keys)}" if keys else text


class WorkRequest(BaseModel):
    """Something to do with a table that costs budget."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["ask", "synthesize", "release"]
    table: TableChoice
    plan: str
    output: str
    epsilon: str | None = None
    delta: str | None = None
    question: AskedQuestion | None = None
    dataset: str | None = None
    without_ledger: bool = False

    @property
    def sql(self) -> str:
        """The question, in SQL."""
        if self.question is None:
            raise RefusalError("nothing is asked yet. Choose what to count or to average.")
        return self.question.in_sql()


def shell_code(request: WorkRequest, *, ledger: str) -> str:
    """Return the command that does the same, for a shell in the same folder; "" if none does."""
    if request.table.is_in_database:
        return ""
    words = ["noisewright", request.kind, request.table.file, *_reading_options(request.table)]
    words += ["--plan", request.plan]
    if request.kind != "release":
        words += _option("--epsilon", request.epsilon) + _option("--delta", request.delta)
    words += ["--output", request.output]
    words += ["--without-ledger"] if request.without_ledger else ["--ledger", ledger]
    words += _option("--dataset", None if request.without_ledger else request.dataset)
    words += [request.sql] if request.kind == "ask" else []
    return " ".join(map(shlex.quote, words))


def python_code(request: WorkRequest, *, ledger: str) -> str:
    """Return the lines of Python that do the same."""
    book = None if request.without_ledger else ledger
    named = "" if book is None or request.dataset is None else f", dataset={request.dataset!r}"
    table, out = _table_code(request.table), repr(request.output)
    budget = f"epsilon={request.epsilon!r}, delta={request.delta or '0'!r}"
    lines = ["import noisewright as nw", ""]
    if request.kind == "ask":
        lines += [
            f"people = nw.Private({table}, columns={request.plan!r}, ledger={book!r}{named})",
            f"question = people.sql({request.sql!r})",
            f"answer = question.release({budget})",
            f"answer.save({out})",
        ]
    elif request.kind == "synthesize":
        lines += [
            "made = nw.synthesize(",
            f"    {table}, {request.plan!r}, {budget},",
            f"    out={out}, ledger={book!r}{named},",
            ")",
        ]
    else:
        lines += [
            f"made = nw.release({table}, {request.plan!r}, out={out}, ledger={book!r}{named})"
        ]
    return "\n".join(lines)


def _table_code(table: TableChoice) -> str:
    if table.is_in_database:
        kind = "PostgreSQL" if "://" in table.file else "DuckDB"
        return f"nw.{kind}({table.file!r}, {table.table!r})"
    given: dict[str, Any] = {
        name: value
        for name in ("header", "delimiter", "encoding", "names", "sheet")
        if (value := getattr(table, name)) is not None
    }
    if not given and not table.file.endswith(".data"):
        return repr(table.file)
    options = "".join(f", {name}={value!r}" for name, value in given.items())
    kind = "Excel" if table.file.lower().endswith((".xlsx", ".xls", ".ods")) else "CSV"
    return f"nw.{kind}({table.file!r}{options})"


def _reading_options(table: TableChoice) -> list[str]:
    words = [] if table.header is None else ["--header" if table.header else "--no-header"]
    words += _option("--delimiter", table.delimiter) + _option("--encoding", table.encoding)
    words += _option("--names", None if table.names is None else ",".join(table.names))
    return words + _option("--sheet", table.sheet)


def _option(name: str, value: str | None) -> list[str]:
    return [] if value is None or value == "" else [name, value]


def _name(column: str) -> str:
    """Return a name as SQL quotes it."""
    quoted = column.replace('"', '""')
    return f'"{quoted}"'
