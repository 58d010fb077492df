"""The data room: which table, what its columns hold, and whose a row is; saved as a plan.

What a browser learns here is what `noisewright plan` reads: the names and types of columns.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field as Given

from noisewright import advice, plans, relations, tables
from noisewright.errors import NoisewrightError
from noisewright.exact import parse_toml, show
from noisewright.files import read_text, save_whole
from noisewright.plans import CodebookEntry, Column, Draft, NamedType, Treatment
from noisewright.spaces import Categories, Counts, Curves, Dates, Interval, Subsets
from noisewright.studio.failures import RefusalError
from noisewright.studio.folder import DUCKDB, StudioFolder

_MOST_LABELS = 10_000
_SHOWN = {"version", "columns", "person", "epsilon", "delta", "order", "others", "title"}
"""What a plan may say that the data room shows, or that a draft says anew."""


class _Request(BaseModel):
    """A request with a field that nobody knows is a slip, and refused."""

    model_config = ConfigDict(extra="forbid")


class TableChoice(_Request):
    """A file in the folder and how it is to be read, or a table of a database."""

    file: str
    table: str | None = Given(default=None, max_length=200)
    header: bool | None = None
    delimiter: str | None = None
    encoding: str | None = None
    names: list[str] | None = None
    sheet: str | None = None

    @property
    def is_in_database(self) -> bool:
        """Whether a database has the rows: a file of DuckDB, or the one of the studio."""
        return "://" in self.file or self.file.lower().endswith(DUCKDB)

    def paths(self, folder: StudioFolder) -> list[Path]:
        """Return the files that hold the table."""
        return [] if "://" in self.file else [folder.existing(self.file)]

    def open(self, folder: StudioFolder) -> Any:
        """Return the table as the library takes it."""
        if self.is_in_database:
            return self._open_in_database(folder)
        path = folder.existing(self.file)
        if tables.as_excel(path) is not None:
            return tables.Excel(path, sheet=self.sheet, header=self.header, names=self.names)
        is_text = tables.as_csv(path) is not None or path.suffix == ".data"
        if not is_text or path.is_dir():
            return path
        delimiter = "\t" if self.delimiter in ("tab", "\\t") else self.delimiter
        return tables.CSV(
            path,
            delimiter=delimiter,
            encoding=self.encoding,
            header=self.header,
            names=self.names,
        )

    def _open_in_database(self, folder: StudioFolder) -> relations.SqlTable:
        if not self.table:
            raise RefusalError(f"{self.file} has several tables; name one of them, or a view.")
        if "://" in self.file:
            return relations.PostgreSQL(folder.address_of(self.file), self.table)
        return relations.DuckDB(folder.existing(self.file), self.table)


class ColumnChoice(_Request):
    """What a column can hold, as somebody typed it."""

    kind: Literal["labels", "numbers", "dates", "sets", "curves", "drop", "public"]
    labels: list[str] = Given(default_factory=list[str], max_length=_MOST_LABELS)
    low: str | None = None
    high: str | None = None
    step: str | None = None
    largest: int | None = None
    positions: int | None = None
    separator: str | None = Given(default=None, max_length=10)
    null: str | None = None
    other: str | None = None
    outside: Literal["error", "clamp"] = "error"

    def treatment(self, field: NamedType) -> Treatment:
        """Return what happens to the column, read as an answer on the command line is."""
        if self.kind in ("drop", "public"):
            return self.kind
        kinds = {"labels": "categories", "sets": "subsets", "numbers": ""}
        entry = CodebookEntry(
            f"the declaration of {field.name!r}",
            kinds.get(self.kind, self.kind),
            tuple(self.labels),
            self.low or None,
            self.high or None,
            self.step or None,
            largest=self.largest,
            positions=self.positions,
            null=self.null,
            other=self.other,
        )
        domain = plans.domain_of(entry, field)
        if domain is None:
            needed = "its labels" if self.kind in ("labels", "sets") else "its bounds"
            raise RefusalError(
                f"the column {field.name!r} needs {needed}, from what is known of it."
            )
        numeric = self.kind in ("numbers", "dates")
        return Column(
            domain.space,
            null=domain.null if not numeric else self.null,
            other=domain.other,
            off_grid=domain.off_grid,
            **({} if self.separator is None else {"separator": self.separator}),
            **({"outside": self.outside} if numeric else {}),
        )


class PersonChoice(_Request):
    """The column that identifies people, and how many rows of one count."""

    column: str
    rows: int = Given(ge=1)


class DraftRequest(_Request):
    """A table and what is known of its columns so far."""

    table: TableChoice
    codebook: str | None = None
    columns: dict[str, ColumnChoice] = Given(default_factory=dict[str, ColumnChoice])
    person: PersonChoice | None = None
    epsilon: str | None = "1"
    delta: str | None = None
    order: Literal["kept", "shuffled"] | None = None

    def draft(self, folder: StudioFolder) -> Draft:
        """Draft the plan; no value of the table is read."""
        book = None if self.codebook is None else folder.existing(self.codebook)
        if book is not None and book in self.table.paths(folder):
            raise RefusalError("the codebook is the table itself. Choose another file, or none.")
        person = self.person
        opened = self.table.open(folder)
        drafted = plans.draft_plan(
            opened.schema if self.table.is_in_database else opened,
            codebook=book,
            person=None if person is None else tables.Person(person.column, rows=person.rows),
            epsilon=self.epsilon or None,
            delta=self.delta or None,
            order=self.order,
        )
        fields = {one.field.name: one.field for one in drafted.proposals}
        for name, choice in self.columns.items():
            if name not in fields:
                raise RefusalError(f"{name!r} is declared, but the table has no such column.")
            if person is None or name != person.column:
                drafted = drafted.declare(name, choice.treatment(fields[name]), "as you said")
        return drafted


class SavedPlan(DraftRequest):
    """A draft, and the name of the file to keep it in."""

    file: str
    overwrite: bool = False


def describe_draft(draft: Draft) -> dict[str, Any]:
    """Return a draft as a page shows it: column by column, in words and as TOML."""
    plan, problem = None, None
    if draft.is_finished:
        try:
            plan = draft.plan()
        except NoisewrightError as found:
            problem = str(found)
    return {
        "source": draft.source,
        "columns": [_column(one) for one in draft.proposals],
        "missing": list(draft.missing),
        "persons": list(draft.persons),
        # By number: those of a table that is no codebook would be its cells.
        "unused": len(draft.unused),
        "finished": plan is not None,
        "problem": problem,
        "toml": plans.draft_text(draft, plan),
        "promise": None if plan is None else plans.promise_words(plan),
        "rest": [] if plan is None else list(plans.rest_words(plan)),
    }


def save_plan(request: SavedPlan, folder: StudioFolder) -> dict[str, Any]:
    """Write the plan, finished or not, and describe it."""
    path = folder.target(request.file)
    if path.suffix != ".toml":
        raise RefusalError(f"{request.file!r} should end in .toml, as plans do.")
    if path.exists() and not request.overwrite:
        raise RefusalError(
            f"{request.file!r} exists. Choose another name, or overwrite it.", status=409
        )
    made = describe_draft(request.draft(folder))
    save_whole(path, made["toml"].encode(), what="the plan")
    return {"file": request.file, **made}


def reopen_plan(file: str, folder: StudioFolder) -> dict[str, Any]:
    """Return what a saved plan says besides its columns, and what the data room has no field for.

    Its columns are read as those of a codebook are.
    """
    path = folder.existing(file)
    if path.suffix != ".toml":
        raise RefusalError(f"{file!r} should end in .toml, as plans do.")
    document = parse_toml(read_text(path, what="the plan"), what=file)
    if "version" not in document or not isinstance(document.get("columns"), dict):
        raise RefusalError(
            f"{file!r} is no plan: it has no version or no columns. Choose another file."
        )
    person = document.get("person")
    named = person if isinstance(person, dict) and {"column", "rows"} <= set(person) else None
    amounts = {
        name: str(document[name])
        for name in ("epsilon", "delta", "order")
        if isinstance(document.get(name), int | float | str | Fraction) and document[name] != "TODO"
    }
    return {
        **amounts,
        "file": file,
        "person": None
        if named is None
        else {"column": str(named["column"]), "rows": int(named["rows"])},
        "unknown": sorted(
            name
            for name, said in document.items()
            if name not in _SHOWN and (name, said) != ("shares", "equal")
        ),
    }


def count_people(table: TableChoice, plan: str, folder: StudioFolder) -> int:
    """Return how many rows a table has, which is public; besides, names and types are read."""
    declared = folder.existing(plan)
    if not table.is_in_database:
        return advice.count_rows(table.open(folder), declared)
    rows = relations.open_source(table.open(folder), {})
    return int(relations.tally(relations.TallyRequest(rows))[0][0])


def _column(one: plans.Proposal) -> dict[str, Any]:
    """Return what is proposed for a column, so that a form can show it."""
    treatment = one.treatment
    shown: dict[str, Any] = {
        "name": one.field.name,
        "type": one.field.written or one.field.type,
        "why": one.why,
        "kind": None,
    }
    if isinstance(treatment, str):
        words = {"drop": "not released", "public": "released as it is"}[treatment]
        return shown | {"kind": treatment, "words": words}
    if treatment is None:
        return shown | {"words": "to be declared"}
    more = {"null": _text(treatment.null), "other": _text(treatment.other)}
    return shown | _space(treatment.space) | more | {"words": plans.space_words(treatment.space)}


def _space(space: Any) -> dict[str, Any]:
    if isinstance(space, Categories):
        return {"kind": "labels", "labels": list(map(str, space.labels[:_MOST_LABELS]))}
    if isinstance(space, Subsets):
        return {"kind": "sets", "labels": list(map(str, space.items)), "largest": space.largest}
    if isinstance(space, Curves):
        ends = {"low": space.low, "high": space.high}
        shown = {name: show(Fraction(end)) for name, end in ends.items()}
        return {"kind": "curves", "positions": len(space.grid), **shown}
    if isinstance(space, Counts):
        return {"kind": "numbers", "low": "0", "high": str(space.n), "step": "1"}
    if isinstance(space, Dates):
        ends = {"low": space.show(space.low), "high": space.show(space.high)}
        return {"kind": "dates", **ends, "step": space.every}
    if isinstance(space, Interval):
        ends = {"low": space.low, "high": space.high, "step": space.step}
        return {"kind": "numbers", **{name: show(Fraction(end)) for name, end in ends.items()}}
    return {"kind": None}


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
