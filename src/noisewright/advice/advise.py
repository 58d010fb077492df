"""`advise`: which tool fits a table, in predicted errors; costs nothing, and reads no value."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

from noisewright.advice.predictions import Errors, errors_of_copy, errors_of_synthesis
from noisewright.advice.questions import AdvisedQuestion, read_advised
from noisewright.advice.result import TOOLS, Advice, Tool, decide, name_of
from noisewright.errors import DataError, ParameterError
from noisewright.exact import Number
from noisewright.mechanisms import Guarantee, read_delta
from noisewright.plans import Column, Plan, read_columns, read_epsilon, read_settings, settings_at
from noisewright.public import public
from noisewright.releases import IMPOSSIBLE
from noisewright.spaces import Curves, Subsets, whole_number
from noisewright.synthetic import MOST_ITEMS, RunBudget
from noisewright.tables import Person, Schema, open_table, require_column_names

DELTA = Fraction(1, 10**9)
"""What tools may use that need a δ, unless somebody says otherwise."""


@final
@dataclass(frozen=True)
class Declaration:
    """What a plan says about columns, whatever it says about a budget."""

    columns: Mapping[str, Any]
    settings: Mapping[str, Any]

    @classmethod
    def of(cls, plan: Any) -> Declaration:
        """Read a Plan, the path of one, or a mapping from names to spaces, labels or Columns."""
        if isinstance(plan, Plan):
            names = ("together", "person", "others", "shares", "epsilon", "delta", "order", "rows")
            settings = {name: getattr(plan, name) for name in names}
            return cls(dict(plan.columns), settings)
        if isinstance(plan, str | os.PathLike):
            settings = settings_at(plan)
            return cls(settings.pop("columns"), settings)
        if not isinstance(plan, Mapping):
            raise ParameterError(
                f"the columns are declared by a {type(plan).__name__}; give a Plan, the path of "
                "one, or a mapping from names to spaces, lists of labels or Columns."
            )
        columns = {
            name: how if isinstance(how, Column) or how in ("drop", "public") else Column(how)
            for name, how in plan.items()
        }
        return cls(dict(read_columns(columns)), {"others": "drop"})

    @classmethod
    def from_toml(cls, text: str) -> Declaration:
        """Read the text of a plan; what its rows may give away is not worked out."""
        settings = read_settings(text, None)
        return cls(settings.pop("columns"), settings)

    @property
    def fields(self) -> dict[str, Column]:
        """The columns that are private."""
        return {name: how for name, how in self.columns.items() if isinstance(how, Column)}

    @property
    def single_valued(self) -> dict[str, Column]:
        """Those with one label or number in a cell, which can be counted."""
        return {
            name: field
            for name, field in self.fields.items()
            if not isinstance(field.space, Subsets | Curves)
        }

    @property
    def synthesized(self) -> dict[str, Column]:
        """Those that the prediction for a synthetic table is about: curves are left out."""
        return {
            name: field
            for name, field in self.fields.items()
            if not isinstance(field.space, Curves)
            and (not isinstance(field.space, Subsets) or len(field.space.items) <= MOST_ITEMS)
        }

    def serves(self, tool: Tool) -> bool:
        """Whether a tool has an answer to anything about the declared columns."""
        if tool == "asked":
            return bool(self.single_valued)
        return tool != "synthetic" or bool(self.synthesized)

    @property
    def person(self) -> Person | None:
        """The column that identifies people, where they have several rows."""
        return self.settings.get("person")

    @property
    def rows_per_person(self) -> int:
        """How many rows of a person count."""
        return 1 if self.person is None else self.person.rows

    def copy_plan(
        self,
        guarantee: Guarantee,
        order: str,
        rows: int,
        *,
        row_epsilon: Fraction | None = None,
    ) -> Plan:
        """Return the plan of a private copy with this budget, divided as the plan divides its own.

        In kept order, δ is used only as far as the plan itself has one. With a `row_epsilon`,
        shuffled rows get that, whatever they have together.
        """
        columns, settings = dict(self.columns), dict[str, Any](self.settings)
        if any(field.epsilon is not None for field in self.fields.values()):
            given = Plan(columns, **settings).for_rows(rows)
            for part in given.parts:
                share = part.guarantee.epsilon.rational / len(part.columns)
                columns |= {name: columns[name].with_share(share) for name in part.columns}
            settings["shares"] = "given"
        hidden, was = settings.pop("rows", None), settings.get("order", "kept")
        settings |= {
            "order": order,
            "epsilon": guarantee.epsilon.rational,
            "row_epsilon": row_epsilon,
        }
        if order == "kept":
            own = settings.get("delta", 0) if was == "kept" else 0
            settings["delta"] = min(own, guarantee.delta)
            return Plan(columns, **settings)
        if hidden is None and "public" in columns.values():
            raise ParameterError(
                "rows hide among those with the same public values, and nothing says how many "
                "these are at least. Set rows in the plan to the size of the smallest such group."
            )
        settings["delta"], settings["rows"] = guarantee.delta, hidden or rows
        return Plan(columns, **settings)


def count_rows(data: Any, plan: Any) -> int:
    """Return how many rows a table has; besides, only names and types are looked at."""
    declared = plan if isinstance(plan, Declaration) else Declaration.of(plan)
    uses = declared.columns.items()
    schema = Schema(
        declared.fields,
        declared.person,
        tuple(name for name, how in uses if how == "public"),
        tuple(name for name, how in uses if how == "drop"),
        declared.settings.get("others", "error"),
        names=tuple(declared.columns),
    )
    require_column_names(data, schema)
    reader = open_table(data, schema=schema)
    schema.require_present(reader.schema.names)
    schema.require_fit(reader.schema)
    if reader.rows is not None:
        return reader.rows
    return sum(batch.num_rows for batch in reader.batches([]))


@public
def advise(
    data: Any = None,
    plan: Any = None,
    *,
    epsilon: Number = 1,
    delta: Number | None = None,
    rows: int | None = None,
    questions: str | Sequence[str | Sequence[str]] | None = None,
) -> Advice:
    """Predict the errors of each tool side by side, and recommend one; costs nothing.

    The tools are a private copy of the rows (`release`), in kept order or shuffled, a synthetic
    table (`synthesize`), and the questions themselves, asked together (`ask`). `plan` declares
    what the columns hold: a Plan, the path of one, or a mapping from names to spaces, lists of
    labels or Columns. Of `data` its names, its types and the number of its rows are read, and no
    value; give `rows` instead if there is no data yet. `epsilon` and `delta` are the privacy
    budget of each person, for any one of the tools; δ is 1e-9 if left out.

    `questions` are what you want to know: "shares", "pairs", "mean", "median", "items" or "curve",
    for all columns that have them, or for named ones: "shares:job", "pairs:sex,job", "mean:age".
    Left out, all that is usual for the declared columns.

    Requires: the number of rows is public.
    Ensures: no value is read, nothing is drawn from private data, written or spent. Errors are
    about the people in the table. They assume numbers that are spread evenly over the declared
    range, and of a synthetic table that what it leaves out is weaker than its noise.
    """
    if plan is None:
        if data is None or not isinstance(data, Plan | Mapping | str | os.PathLike):
            raise ParameterError("nothing says what the columns hold; give a plan.")
        data, plan = None, data
    declared = Declaration.of(plan)
    asked = read_advised(questions, declared.fields)
    if not asked:
        raise ParameterError("all declared columns have one possible value; nothing can be asked.")
    if rows is None and data is None:
        raise ParameterError("give the data, or rows=, how many rows it has, which is public.")
    count = count_rows(data, declared) if rows is None else whole_number(rows, name="rows", least=1)
    if not count:
        raise DataError("the table has no rows; there is nothing to learn from it.")
    value = read_epsilon(epsilon)
    assert value is not None
    slack = DELTA if delta is None else read_delta(delta)
    return advise_on(declared, asked, Guarantee(value, slack), count)


def advise_on(
    declared: Declaration,
    questions: tuple[AdvisedQuestion, ...],
    guarantee: Guarantee,
    rows: int,
    tools: Collection[Tool] = tuple(TOOLS),
) -> Advice:
    """Return the advice about so many rows of declared columns, with some of the tools."""
    notes: list[str] = []
    found: dict[Tool, tuple[float | None, ...]] = {}
    for tool in TOOLS:
        if tool not in tools or not declared.serves(tool):
            continue
        errors, said = tool_errors(declared, questions, guarantee, rows, tool)
        notes += said
        if errors is not None:
            found[tool] = errors
    return compose_advice(declared, questions, guarantee, rows, found, tuple(notes))


def tool_errors(
    declared: Declaration,
    questions: tuple[AdvisedQuestion, ...],
    guarantee: Guarantee,
    rows: int,
    tool: Tool,
) -> tuple[tuple[float | None, ...] | None, tuple[str, ...]]:
    """Return the errors of one tool, or None, and what is to be said about them."""
    delta = guarantee.delta
    notes: list[str] = []

    def copying() -> Errors:
        return errors_of_copy(declared.copy_plan(guarantee, tool, rows), questions, rows)

    def synthesis() -> Errors:
        budget = RunBudget.of(
            guarantee.epsilon.rational, delta, rows_per_person=declared.rows_per_person
        )
        errors, note = errors_of_synthesis(declared.synthesized, questions, budget, rows)
        notes.extend([note] if note else [])
        return errors

    def asking() -> Errors:
        # A room of many files, which `better_tool` has no use for.
        from noisewright.advice.asking import errors_of_asking

        budget = (guarantee.epsilon.rational, delta)
        return errors_of_asking(declared.single_valued, declared.person, questions, budget, rows)

    work: dict[Tool, Callable[[], Errors]] = {
        "kept": copying,
        "shuffled": copying,
        "synthetic": synthesis,
        "asked": asking,
    }
    if tool == "shuffled" and not delta:
        return None, ("Without a delta, shuffling promises no more than keeping the order.",)
    try:
        errors = work[tool]()
    except IMPOSSIBLE as problem:
        return None, (f"No prediction for {name_of(tool)}: {problem}",)
    return tuple(errors[one] for one in questions), tuple(notes)


def compose_advice(
    declared: Declaration,
    questions: tuple[AdvisedQuestion, ...],
    guarantee: Guarantee,
    rows: int,
    found: Mapping[Tool, tuple[float | None, ...]],
    notes: tuple[str, ...],
) -> Advice:
    """Return the advice that follows from the errors of some tools."""
    recommended, why = decide(questions, found)
    return Advice(
        rows,
        guarantee,
        declared.rows_per_person,
        questions,
        found,
        recommended,
        why,
        (*notes, *_left_out(declared, rows)),
    )


def _left_out(declared: Declaration, rows: int) -> list[str]:
    said: list[str] = []
    split = [name for name in declared.fields if name not in declared.single_valued]
    if split:
        said.append(f"Asked counts do not cover sets and curves ({', '.join(split)}).")
    curves = [name for name, how in declared.fields.items() if isinstance(how.space, Curves)]
    if curves:
        said.append(
            f"Curves ({', '.join(curves)}) are predicted for private copies alone. A synthetic "
            "table can have them, and its other columns are then off by more than is predicted "
            "here."
        )
    large = [name for name in split if name not in {*declared.synthesized, *curves}]
    if large:
        said.append(
            f"A synthetic table has no sets of more than {MOST_ITEMS} items ({', '.join(large)})."
        )
    public = [name for name, how in declared.columns.items() if how == "public"]
    if public:
        said.append(
            f"Private copies include the public columns ({', '.join(public)}) unchanged; a "
            "synthetic table needs to be told what they can hold."
        )
    if declared.rows_per_person > 1:
        said.append(
            f"Of one person at most {declared.rows_per_person:,} rows count. Where people have "
            f"more, fewer than {rows:,} rows do, and errors are larger."
        )
    return said
