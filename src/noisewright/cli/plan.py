"""`noisewright plan`: draft a plan for a table without looking at its values, or explain one."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import noisewright as nw
from noisewright import advice, plans
from noisewright.cli.advise import tell_better_tool
from noisewright.cli.input_files import TableOptions, given_table
from noisewright.cli.options import JsonOption, group_options
from noisewright.cli.say import align, answer, heading, say
from noisewright.errors import InputError, NoisewrightError
from noisewright.meanings import DELTA

_MOST_BYTES = 1 << 27


@group_options
def plan(
    source: Annotated[
        Path | None,
        typer.Argument(help="A table to draft a plan for, or a plan to explain.", metavar="file"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write the draft; printed if left out."),
    ] = None,
    codebook: Annotated[
        Path | None, typer.Option("--codebook", "-c", help="What the columns can hold.")
    ] = None,
    epsilon: Annotated[
        str | None,
        typer.Option(
            "--epsilon", "-e", help="The privacy budget per person, for all columns together."
        ),
    ] = None,
    delta: Annotated[
        str | None, typer.Option("--delta", "-d", help=DELTA, show_default="1e-9 if shuffled")
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            help="Columns that are not released, separated by commas.", show_default=False
        ),
    ] = None,
    public: Annotated[
        list[str] | None,
        typer.Option(help="Columns that everybody knows already.", show_default=False),
    ] = None,
    together: Annotated[
        list[str] | None,
        typer.Option(help="Columns to randomize as one, separated by commas.", show_default=False),
    ] = None,
    estimate: Annotated[
        list[str] | None,
        typer.Option(
            help="Divide the budget for the best estimate of this column, or of several separated "
            "by commas.",
            show_default=False,
        ),
    ] = None,
    shares: Annotated[
        Literal["equal", "given", "best"] | None,
        typer.Option(help="How the budget is divided.", show_default=False),
    ] = None,
    person: Annotated[
        str | None, typer.Option(help="The column that identifies people.", show_default=False)
    ] = None,
    rows_per_person: Annotated[
        int | None,
        typer.Option(help="How many rows of a person are released.", show_default=False),
    ] = None,
    keep: Annotated[Literal["first", "random"], typer.Option(help="Which of them.")] = "random",
    order: Annotated[
        Literal["kept", "shuffled"] | None,
        typer.Option(
            help="Whether rows keep their order, or are shuffled to hide among each other.",
            show_default="shuffled if each row is a person and no column is public",
        ),
    ] = None,
    people: Annotated[
        int | None,
        typer.Option(
            help="Print the errors of estimates from this many rows.", show_default=False, min=1
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output.")] = False,
    *,
    reading: TableOptions,
    no_input: Annotated[bool, typer.Option("--no-input", help="Never ask.")] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of plans, for editors.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Draft the plan of a release without looking at private values, or explain one.

    From a table only the names and types of its columns are read. What they can hold comes from a
    codebook (CSV, JSON Schema, Table Schema or TOML) or from you; what is still open is marked
    TODO. With a plan instead of a table, it checks the plan and prints what it will do.

    Examples:
      noisewright plan survey.csv -o plan.toml
      noisewright plan survey.parquet -c codes.csv --epsilon 8 -o plan.toml
      noisewright plan survey.parquet -c codes.csv -e 8 --estimate sex,job -o plan.toml
      noisewright plan visits.csv --person patient --rows-per-person 3 -o plan.toml
      noisewright plan plan.toml --people 50000
      noisewright plan --schema > plan-1.json
    """
    if schema:
        print(_schema(), end="")
        return
    if source is None:
        raise InputError("give a table to draft a plan for, or a plan to explain.")
    if source.suffix.lower() == ".toml":
        if output is not None:
            raise InputError(f"{source} is a plan already; there is nothing to draft to {output}.")
        _explain(source, people, as_json=as_json)
        return
    if output is not None and output.exists() and not overwrite:
        raise InputError(f"{output} exists. Choose another name, or pass --overwrite.")
    table = given_table(source, reading)
    draft = _draft(
        table,
        codebook=codebook,
        epsilon=epsilon,
        delta=delta,
        drop=_split(drop),
        public=_split(public),
        together=[_split([group]) for group in together or ()],
        estimates=[tuple(_split([group])) for group in estimate or ()],
        shares=shares,
        person=_person(person, rows_per_person, keep),
        order=order,
    )
    if not no_input and not as_json and not draft.is_finished and _is_terminal():
        from noisewright.cli.asking import ask

        draft = ask(draft)
    _show(draft, table, output, people, as_json=as_json)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _split(lists: list[str] | None) -> list[str]:
    return [name.strip() for text in lists or () for name in text.split(",") if name.strip()]


def _person(column: str | None, rows: int | None, keep: str) -> Any:
    if column is None:
        if rows is not None:
            raise InputError("--rows-per-person needs --person, the column that identifies people.")
        return None
    if rows is None:
        raise InputError(
            f"--person {column} needs --rows-per-person: how many rows of one person may be "
            "released. All of them share the budget, so a small number gives better answers."
        )
    return nw.Person(column, rows=rows, keep=keep)


def _draft(source: Any, **settings: Any) -> plans.Draft:
    return nw.planning.draft_plan(source, **settings)


def _explain(path: Path, people: int | None, *, as_json: bool) -> None:
    plan = nw.Plan.read(path)
    if as_json:
        answer({"plan": str(path), **_plan_facts(plan, people)})
        return
    _say_plan(plan, people)
    if people is not None:
        tell_better_tool(plan, path, people)


def _say_plan(plan: plans.Plan, people: int | None) -> None:
    """Say what a plan will do: the promise, a table of its columns, and what holds for all."""
    plan = plan if people is None else plan.for_rows(people)
    say(plans.promise_words(plan))
    say()
    for line in align(plans.plan_rows(plan, rows=people), left=5):
        say(line)
    say()
    for paragraph in plans.rest_words(plan):
        say(paragraph)
    for text in plan.cautions(rows=people):
        say(f"Caution: {text}", style="yellow")


def _show(
    draft: plans.Draft,
    table: os.PathLike[str],
    output: Path | None,
    people: int | None,
    *,
    as_json: bool,
) -> None:
    from noisewright.files import write_whole

    text, plan = _carried_out(draft, output)
    if output is not None:
        write_whole(output, text.encode())
    if as_json:
        facts = {} if plan is None else _plan_facts(plan, people)
        answer(
            {
                "plan": None if output is None else str(output),
                "toml": text,
                "finished": draft.is_finished,
                "missing": list(draft.missing),
                "proposals": [_proposal_facts(p) for p in draft.proposals],
                **facts,
            }
        )
        return
    if output is None:
        print(text, end="")
        return
    rows = people
    if plan is not None and rows is None and Path(table).is_file() and _is_small(table):
        rows = advice.count_rows(table, plan)
    # How rows in random order are randomized depends on how many there are.
    _tell(draft, plan, output, rows if plan is not None and plan.is_central else people)
    if plan is not None and rows:
        tell_better_tool(plan, output, rows)


def _is_small(table: os.PathLike[str]) -> bool:
    """Tell whether the rows of a text are counted in no time."""
    return Path(table).stat().st_size <= _MOST_BYTES


def _carried_out(draft: plans.Draft, output: Path | None) -> tuple[str, plans.Plan | None]:
    """Return the text of a draft and its plan; what was answered is kept if it makes none."""
    from noisewright.files import write_whole

    if not draft.is_finished:
        return draft.to_toml(), None
    try:
        plan = draft.plan()
    except NoisewrightError as problem:
        if output is None:
            raise
        write_whole(output, plans.draft_text(draft, None).encode())
        raise InputError(f"{output} was written, but it is not a plan yet: {problem}") from problem
    return plans.draft_text(draft, plan), plan


def _tell(draft: plans.Draft, plan: plans.Plan | None, output: Path, people: int | None) -> None:
    say(f"{output}: a plan for {len(draft.proposals)} columns, drafted without reading any value.")
    for name in draft.unused:
        say(f"The codebook also describes {name}, which the table does not have.")
    for name in draft.persons:
        say(
            f"{name} looks like a column that identifies people. If a person may have several "
            f"rows, draft again with --person {shlex.quote(name)} --rows-per-person 3 "
            "(or another bound)."
        )
    if plan is not None:
        heading("What it will do")
        _say_plan(plan, people)
        heading(f"Edit {output} as you like; noisewright plan {output} explains it again.")
        return
    heading("Column by column")
    for proposal in draft.proposals:
        facts = _proposal_facts(proposal)
        why = f" ({facts['why']})" if facts["why"] else ""
        say(f"{facts['column']}: {facts['proposal']}{why}")
    heading(f"Open: {output} has a TODO for each decision that is still to be made")
    if draft.missing:
        names = ", ".join(draft.missing)
        say(f"Declare what these can hold, from what is known without the data: {names}.")
    if draft.settings.get("epsilon") is None:
        say("Choose epsilon, the privacy budget per person for all columns together.")
    say(f"Then: noisewright plan {output}")


def _schema() -> str:
    from importlib import resources

    return (resources.files("noisewright") / "schemas" / "plan-1.json").read_text(encoding="utf-8")


def _proposal_facts(proposal: plans.Proposal) -> dict[str, Any]:
    """Return what a draft proposes for one column."""
    treatment = proposal.treatment
    if treatment is None:
        words = "to be declared"
    elif isinstance(treatment, str):
        words = {"drop": "not released", "public": "released as it is"}[treatment]
    else:
        words = f"randomized, as {plans.space_words(treatment.space)}"
    return {
        "column": proposal.field.name,
        "type": proposal.field.written or None,
        "proposal": words,
        "why": proposal.why,
    }


def _guarantee_facts(plan: plans.Plan) -> dict[str, Any]:
    """Return what is promised, against whom; None where it depends on the number of rows."""
    known = plan.epsilon is not None or plan.rows is not None or not plan.is_central
    in_order = plan.guarantee_in_order if plan.has_mechanisms else None
    return {
        "order": plan.order,
        "epsilon": str(plan.guarantee.epsilon) if known else None,
        "delta": str(plan.guarantee.delta if known else plan.delta),
        "epsilon_in_order": None if in_order is None else str(in_order.epsilon),
        "rows": plan.rows,
    }


def _plan_facts(plan: plans.Plan, people: int | None) -> dict[str, Any]:
    """Return what a plan will do, part by part, and its words."""
    plan = plan if people is None else plan.for_rows(people)
    parts: list[dict[str, Any]] = []
    for part in plan.parts if plan.has_mechanisms else ():
        outlook = plans.outlook_of(part)
        errors = {}
        for name in part.columns if people is not None else ():
            planned = plans.planned_error(part, name, rows=people or 1)
            if planned is not None:
                errors[name] = {"question": planned.question, "standard_error": planned.error}
        parts.append(
            {
                "columns": list(part.columns),
                "epsilon": str(part.guarantee.epsilon.rational)
                if part.guarantee.epsilon.ratio is None
                else str(part.guarantee.epsilon),
                "delta": str(part.guarantee.delta),
                "truth": None if outlook.truth is None else list(outlook.truth),
                "off_by": outlook.off,
                "kept": outlook.kept,
                "added": outlook.added,
                "noise": outlook.noise,
                "errors": errors,
            }
        )
    return {
        "digest": plan.digest,
        **_guarantee_facts(plan),
        "rows_per_person": plan.rows_per_person,
        "shares": plan.shares,
        "private": list(plan.private),
        "public": list(plan.public),
        "dropped": list(plan.dropped),
        "parts": parts,
        "words": list(plan.words(rows=people)),
        "cautions": list(plan.cautions(rows=people)),
        "better_tool": None if people is None else advice.better_tool(plan, rows=people),
    }
