"""`noisewright ask`: a question to a private table, answered with error bars and a certificate."""

from __future__ import annotations

import datetime
from contextlib import ExitStack
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, final

import typer

import noisewright as nw
from noisewright import queries, releases
from noisewright.cli.input_files import DataArgument, TableOptions, given_table
from noisewright.cli.options import JsonOption, group_options, number_option, split_commas
from noisewright.cli.paying import (
    PayingOptions,
    confirm_written,
    paying_ledger,
    show_notes,
    tell_cost,
    tell_notes,
)
from noisewright.cli.say import answer as answer_json, bars, heading, say
from noisewright.errors import InputError, NoisewrightError
from noisewright.exact import as_text
from noisewright.meanings import DELTA

_STEPS = {"draw": "Computing and drawing noise"}
_MOST_SHOWN = 100
_EXAMPLES = (
    'a question such as "SELECT sex, COUNT(*) FROM people GROUP BY sex", or --count --by sex'
)
_Columns = list[str] | None


@final
@dataclass(frozen=True, kw_only=True)
class AskedOptions:
    """What is asked without SQL."""

    count: Annotated[bool, typer.Option("--count", help="How many rows.")] = False
    sum: Annotated[_Columns, typer.Option(help="The sum of a column.")] = None
    mean: Annotated[_Columns, typer.Option(help="The mean of a column.")] = None
    median: Annotated[_Columns, typer.Option(help="The median of a column.")] = None
    quantiles: Annotated[_Columns, typer.Option(help="As in age:0.25,0.5,0.75.")] = None
    histogram: Annotated[_Columns, typer.Option(help="As in age:0,18,65,100.")] = None
    top: Annotated[_Columns, typer.Option(help="The most frequent labels, as in job:5.")] = None
    distinct: Annotated[_Columns, typer.Option(help="How many different values occur.")] = None
    by: Annotated[str | None, typer.Option(help="Columns to group by, separated by commas.")] = None
    where: Annotated[
        str | None, typer.Option(help="Which rows to use: a condition, as in SQL.")
    ] = None

    @property
    def given(self) -> list[str]:
        """The options that were typed."""
        return [f"--{one.name}" for one in fields(self) if getattr(self, one.name)]


@group_options
def ask(
    data: DataArgument,
    sql: Annotated[
        str | None, typer.Argument(help="The question, in SQL; or use the options below.")
    ] = None,
    *,
    plan: Annotated[
        Path, typer.Option("--plan", "-p", help="What each column holds: a plan in TOML.")
    ],
    asked: AskedOptions,
    epsilon: Annotated[
        str | None,
        typer.Option("--epsilon", "-e", help="The privacy budget of this answer, per person."),
    ] = None,
    delta: Annotated[str, typer.Option("--delta", "-d", help=DELTA)] = "0",
    change: Annotated[
        Literal["replace", "add or remove"],
        typer.Option(
            help="What the guarantee is about: replacing a person, or adding or removing one."
        ),
    ] = "replace",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Where to write the answer: .csv, .parquet or .feather.",
            show_default="the terminal",
        ),
    ] = None,
    paying: PayingOptions,
    reading: TableOptions,
    predict: Annotated[
        bool, typer.Option("--predict", help="Print the expected errors and spend nothing.")
    ] = False,
    people: Annotated[
        float | None, typer.Option(help="With --predict: about how many people there are.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print what would be computed and spend nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    r"""Ask a question about private rows: counts, means, quantiles …, each with its error.

    The columns are declared by a plan; what it says about mechanisms is not used. The answer is
    proven and debited before any row is read. All declared groups appear, including empty ones.

    Examples:
      noisewright ask survey.csv -p plan.toml --count --by job --epsilon 0.5 --ledger budget.db
      noisewright ask survey.csv -p plan.toml --top job:5 --epsilon 1 --without-ledger --json
      noisewright ask survey.csv -p plan.toml --epsilon 0.5 --ledger budget.db -o hours.csv \
        "SELECT sex, AVG(hours) FROM people WHERE age >= 25 GROUP BY sex"
      noisewright ask survey.csv -p plan.toml --mean hours --by sex --epsilon 0.5 \
        --predict --people 30000                (how large errors will be)
    """
    given = [name for name, flag in (("--predict", predict), ("--explain", explain)) if flag]
    if len(given) == 2:
        raise InputError("--predict and --explain cannot be combined; leave one out.")
    spent, slack = (
        number_option(epsilon, option="--epsilon"),
        number_option(delta, option="--delta"),
    )
    assert slack is not None
    book = None if given else paying_ledger(paying)
    table = nw.Private(
        given_table(data, reading),
        columns=plan,
        ledger=book,
        dataset=None if given else paying.dataset,
        change=change,
    )
    question = _question(table, sql, asked)
    if explain:
        _tell(question.explain(epsilon=spent, delta=slack), "explanation", as_json=as_json)
        return
    if spent is None:
        raise InputError(
            "--epsilon is missing: it is the privacy budget of this answer, per person. To see "
            "which errors an epsilon gives, add --predict."
        )
    if predict:
        if people is None:
            raise InputError(
                "--people is missing: --predict needs to know about how many people there are."
            )
        found = question.predict(epsilon=spent, delta=slack, people=people)
        words = f"{found!r}; epsilon {as_text(spent)} would be {question.guarantee_words}."
        _tell(words, "prediction", as_json=as_json, plain=found.table.to_pylist())
        return
    with show_notes(), ExitStack() as held:
        place = (
            None
            if output is None
            else held.enter_context(
                releases.answer_files(output, apart=[data, plan], overwrite=paying.overwrite)
            )
        )
        with bars(_STEPS, quiet=as_json) as progress:
            made = question.release(epsilon=spent, delta=slack, what=paying.what, progress=progress)
        try:
            written = {} if place is None else place(made)
        except (OSError, NoisewrightError) as problem:
            # What was paid for is not lost with the disk.
            print(made.as_text(made.table.num_rows))
            problem.add_note("The answer is printed above instead; its cost remains spent.")
            raise
    with confirm_written("The answer"):
        if as_json:
            answer_json(releases.plain_answer(made, written))
        else:
            _announce(made, written)


def _question(table: nw.Private, sql: str | None, asked: AskedOptions) -> queries.Question:
    """Return what is asked, in SQL or by options."""
    if sql is not None:
        if asked.given:
            raise InputError(
                f"{asked.given[0]} cannot be combined with SQL; leave one of them out."
            )
        return table.sql(sql)
    aggregates = _aggregates(asked)
    if not aggregates:
        raise InputError(f"nothing was asked. Give {_EXAMPLES}.")
    if asked.where is not None:
        table = table.filter(queries.condition_from_sql(table, asked.where))
    keys = [] if asked.by is None else split_commas(asked.by)
    return table.group_by(*keys).agg(**aggregates) if keys else table.agg(**aggregates)


def _aggregates(asked: AskedOptions) -> dict[str, queries.Aggregate]:
    found: dict[str, queries.Aggregate] = {"count": nw.count()} if asked.count else {}
    for option in ("sum", "mean", "median"):
        for name in getattr(asked, option) or ():
            found[f"{option}_{name}"] = getattr(nw.col(name), option)()
    for name in asked.distinct or ():
        found[f"distinct_{name}"] = nw.col(name).count_distinct()
    for option, read in (("quantiles", _number), ("histogram", _edge)):
        for text in getattr(asked, option) or ():
            name, parts = _named_list(text, option)
            values = [read(part, option) for part in parts]
            found[f"{option}_{name}"] = getattr(nw.col(name), option)(values)
    for text in asked.top or ():
        name, parts = _named_list(text, "top")
        if len(parts) != 1 or not parts[0].isdecimal():
            raise InputError(f"--top is {text!r}; add how many labels, as in job:5.")
        found[f"top_{name}"] = nw.col(name).top(int(parts[0]))
    return found


def _named_list(text: str, option: str) -> tuple[str, list[str]]:
    name, colon, rest = text.partition(":")
    parts = split_commas(rest)
    if not name or not colon or not parts:
        such_as = {"quantiles": "age:0.25,0.5", "histogram": "age:0,18,65", "top": "job:5"}[option]
        raise InputError(f"--{option} is {text!r}; write a column and numbers: {such_as}.")
    return name, parts


def _number(text: str, option: str) -> float:
    found = number_option(text, option=f"--{option}")
    assert found is not None
    return int(found) if found.denominator == 1 else float(found)


def _edge(text: str, option: str) -> Any:
    """Return a number, or a date as it was typed."""
    try:
        datetime.datetime.fromisoformat(text)
    except ValueError:
        return _number(text, option)
    return int(text) if text.isdecimal() else text


def _announce(made: queries.Answer, written: dict[str, str]) -> None:
    print(made.as_text(_MOST_SHOWN))
    say()
    say(
        "Low and high are the ends of intervals: each covers the true value with probability 95% "
        "over the noise."
    )
    unit = made.certificate.unit
    say(f"The privacy loss is at most {made.guarantee}, {unit}. This is proven.")
    tell_cost(made)
    tell_notes(made)
    if written:
        heading("Written")
        say(f"  {written['answer']}  the answer, with intervals")
        say(f"  {written['certificate']}  the proof; check it with noisewright check")


def _tell(words: str, name: str, *, as_json: bool, plain: Any = None) -> None:
    """Say what was found without spending anything."""
    if as_json:
        answer_json({name: words if plain is None else plain})
        return
    print(words)
    say("Nothing was drawn, written or spent.", style="bold green")
