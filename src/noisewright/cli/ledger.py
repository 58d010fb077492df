"""`noisewright ledger`: budgets, and what was spent of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

import noisewright as nw
from noisewright import exact, ledger as books
from noisewright.cli.options import JsonOption
from noisewright.cli.say import answer, say
from noisewright.errors import AlteredLedgerError, InputError
from noisewright.meanings import DELTA

if TYPE_CHECKING:
    from noisewright.ledger import Ledger, LedgerEntry, RhoBudget
    from noisewright.privacy import ZeroConcentrated

HELP = """Grant budgets, see what was spent and what is left, and verify the record.

A ledger is a file, or a PostgreSQL URL such as postgresql://user@host/database. Spends are made \
by releases, never by hand.

\b
Examples:
  noisewright ledger create budget.db
  noisewright ledger grant budget.db survey --epsilon 2 --delta 1e-6 --data survey.csv
  noisewright ledger grant budget.db visits --epsilon 5 --person patient --rows 3
  noisewright ledger grant budget.db clinic --rho 1/2 --rows 1 --change "add or remove"
  noisewright ledger show budget.db
  noisewright ledger history budget.db survey --json
  noisewright ledger export budget.db -o ledger.jsonl
  noisewright ledger verify budget.db --head 12:9f86d08…  (from a place you trust)
  noisewright ledger waste budget.db 7 --why "the release crashed"
"""

app = typer.Typer(help=HELP, no_args_is_help=True, rich_markup_mode="rich")

WhereArgument = Annotated[
    str, typer.Argument(metavar="ledger", help="A file, or a PostgreSQL URL.", show_default=False)
]
DatasetArgument = Annotated[
    str | None, typer.Argument(help="One dataset; all if left out.", show_default=False)
]
WhoOption = Annotated[
    str | None, typer.Option(help="Who is doing this; user@host if left out.", show_default=False)
]
KeyOption = Annotated[
    Path | None,
    typer.Option(
        "--key-file",
        help="A file with the key of the fingerprints (hexadecimal), if the ledger does not keep "
        "it itself.",
    ),
]


def read_key_file(path: Path | None) -> str | None:
    """Return the key in a file, if there is one."""
    if path is None:
        return None
    try:
        return path.read_text(encoding="ascii").strip()
    except UnicodeDecodeError as problem:
        raise InputError(f"{path} holds no key: hexadecimal digits were expected.") from problem


def _open(where: str, key: Path | None = None, who: str | None = None) -> Ledger:
    return nw.Ledger.open(where, key=read_key_file(key), who=who)


@app.command()
def create(where: WhereArgument, key_file: KeyOption = None, as_json: JsonOption = False) -> None:
    """Start an empty ledger where there is none."""
    ledger = nw.Ledger.create(where, key=read_key_file(key_file))
    if as_json:
        answer({"ledger": ledger.where, "head": ledger.head})
    else:
        say(f"{ledger.where}: an empty ledger. Grant a budget before the first release.")


@app.command()
def grant(
    where: WhereArgument,
    dataset: Annotated[str, typer.Argument(help="A name for the people that the data is about.")],
    epsilon: Annotated[str, typer.Option("--epsilon", "-e", help="Epsilon to add.")] = "0",
    delta: Annotated[str, typer.Option("--delta", "-d", help=f"Delta to add. {DELTA}")] = "0",
    rho: Annotated[
        str | None,
        typer.Option(
            help="Rho to add, for a budget of zero-concentrated privacy, which has no epsilon and "
            "delta."
        ),
    ] = None,
    person: Annotated[
        str | None,
        typer.Option(help="The column that identifies people, if one may have several rows."),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(
            help="The most rows that a person has in the data; 1 if each row is a person."
        ),
    ] = None,
    change: Annotated[
        Literal["replace", "add or remove"] | None,
        typer.Option(
            help="What neighboring data differ in: one person is replaced by another (the number "
            "of people is public), or a person is added or removed.",
            show_default="replace",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="A file or folder that draws on this budget from now on."),
    ] = None,
    why: Annotated[str, typer.Option(help="The reason, for those who read the record later.")] = "",
    who: WhoOption = None,
    key_file: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add to the budget of a dataset, or register another file about the same people.

    The budget is for each person, in --epsilon and --delta or in --rho. Use --person and --rows to
    say what counts as a person in the data; otherwise the first spend decides. A release whose
    guarantee is for one row is then charged --rows times. --change says whether the budget is for
    replacing people, or for adding or removing them.
    """
    ledger = _open(where, key_file, who)
    if data is not None and epsilon == delta == "0" and {rho, person, rows, change} == {None}:
        balance = ledger.register(dataset, data)
    else:
        balance = ledger.grant(
            dataset,
            epsilon=epsilon,
            delta=delta,
            rho=rho,
            person=person,
            rows=rows,
            change=change,
            why=why,
            data=data,
        )
    if as_json:
        answer({"ledger": ledger.where, "head": ledger.head, **books.plain_balance(balance)})
    else:
        say(f"{balance}.")


@app.command()
def show(
    where: WhereArgument,
    dataset: DatasetArgument = None,
    delta: Annotated[
        str,
        typer.Option(
            "--delta", "-d", help="For budgets in rho: the delta to state an epsilon for."
        ),
    ] = "1e-6",
    as_json: JsonOption = False,
) -> None:
    """Show what was granted, what is spent and what is left."""
    from noisewright.ledger import rounded_down

    ledger = _open(where)
    balances = ledger.balances() if dataset is None else (ledger.balance(dataset),)
    if as_json:
        rows = [books.plain_balance(balance) for balance in balances]
        for row, budget in zip(rows, (balance.rho for balance in balances), strict=True):
            if budget is not None:
                spent = _epsilon_at(budget.spent, delta).ceiling()
                row["spent"] |= {"implies": {"epsilon": spent, "delta": delta}}
        answer({"ledger": ledger.where, "head": ledger.head, "datasets": rows})
        return
    if not balances:
        say(f"{ledger.where}: no budget has been granted yet.")
        return
    grid = Grid(show_edge=False, pad_edge=False)
    for title in ("dataset", "", "epsilon", "delta"):
        grid.add_column(title, overflow="fold")
    for balance in balances:
        if balance.rho is not None:
            for row in _rho_rows(balance.dataset, balance.rho, delta):
                grid.add_row(*map(Text, row), end_section=row[1] == "left")
            continue
        name, left = balance.dataset, balance.left
        for what, guarantee in (("granted", balance.granted), ("spent", balance.spent)):
            row = (name, what, str(guarantee.epsilon), exact.show(guarantee.delta))
            grid.add_row(*map(Text, row))
            name = ""
        # What is left is rounded down: typed back, it fits.
        texts = rounded_down(left.epsilon.rational), rounded_down(left.delta)
        grid.add_row("", "left", *texts, end_section=True)
    Console(highlight=False).print(grid)
    for balance in balances:
        say(f"{balance.dataset}: for each person; {balance.unit_text}.")
        if balance.reserved:
            numbers = ", ".join(map(str, balance.reserved))
            say(
                f"{balance.dataset}: reserved in entry {numbers}, in progress or interrupted by a "
                "crash. It counts as spent."
            )
    say(f"Head: {ledger.head}")


@app.command()
def history(
    where: WhereArgument,
    dataset: DatasetArgument = None,
    as_json: JsonOption = False,
) -> None:
    """List the entries: what, when, who, under which certificate."""
    ledger = _open(where)
    entries = ledger.history(dataset)
    states = {e.sequence: "reserved" for e in entries if e.kind == "spend"}
    states |= {e.about: e.kind for e in entries if e.about is not None}
    if as_json:
        rows = [{**e.as_row(), "state": states.get(e.sequence)} for e in entries]
        answer({"ledger": ledger.where, "head": ledger.head, "entries": rows})
        return
    for entry in entries:
        say(_sentence(entry, states.get(entry.sequence)))


@app.command()
def export(
    where: WhereArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write: .jsonl or .csv.")],
    as_json: JsonOption = False,
) -> None:
    """Write all entries to a file; JSON lines can be verified from the file alone."""
    ledger = _open(where)
    head = ledger.export(output)
    if as_json:
        answer({"ledger": ledger.where, "head": head, "output": str(output)})
    else:
        say(f"{output}: every entry up to {head}.")


@app.command()
def verify(
    where: WhereArgument,
    head: Annotated[
        str | None,
        typer.Option(help="A head that you noted earlier; the ledger must still contain it."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check every entry, its hash and its arithmetic. Exit code 1: something was altered."""
    try:
        found = nw.Ledger.open(where).verify(head=head)
    except AlteredLedgerError as problem:
        if as_json:
            answer({"holds": False, "entry": problem.entry, "message": str(problem)})
        else:
            say(str(problem), style="bold red")
        raise typer.Exit(1) from None
    if as_json:
        answer({"holds": True, "head": found})
    else:
        say(f"{where}: every entry is as it was written. Head: {found}", style="bold green")


@app.command()
def waste(
    where: WhereArgument,
    entry: Annotated[int, typer.Argument(help="The number of a reserved spend.")],
    why: Annotated[str, typer.Option(help="What happened.")] = "",
    who: WhoOption = None,
    as_json: JsonOption = False,
) -> None:
    """Mark a reserved spend as wasted, after a crash. It is not refunded."""
    ledger = _open(where, who=who)
    written = ledger.finish(entry, "wasted", why=why)
    if as_json:
        answer({"ledger": ledger.where, "head": ledger.head, "entry": written.as_row()})
    else:
        say(f"Entry {entry} is wasted. It remains spent: nobody can tell what got out before.")


def _rho_rows(dataset: str, budget: RhoBudget, delta: str) -> list[tuple[str, ...]]:
    """Return granted, spent and left in ρ, and the ε that each implies."""
    from noisewright.ledger import rounded_down

    rows: list[tuple[str, ...]] = []
    for what in ("granted", "spent", "left"):
        amount = getattr(budget, what)
        rho = rounded_down(amount.rho) if what == "left" else exact.show(amount.rho)
        name = "" if rows else dataset
        rows.append((name, what, f"rho {rho}", f"epsilon {_epsilon_at(amount, delta)} at {delta}"))
    return rows


def _epsilon_at(amount: ZeroConcentrated, delta: str) -> exact.Epsilon:
    """Return the ε that a ρ implies at δ; its text is rounded up."""
    return exact.Epsilon.of(amount.epsilon(delta))


def _sentence(entry: LedgerEntry, state: str | None) -> str:
    amount = _amount(entry)
    about = f" entry {entry.about}" if entry.about is not None else ""
    # What a checkpoint says is for machines: --json has it.
    said = f": {entry.what}" if entry.what and entry.kind != "checkpoint" else ""
    proof = f" [certificate {entry.certificate[:12]}…]" if entry.certificate else ""
    shown = f" ({state})" if state else ""
    when = entry.at[:19].replace("T", " ")
    return (
        f"{entry.sequence}. {when} UTC {entry.who}: {entry.kind} {entry.dataset}"
        f"{about}{amount}{shown}{said}{proof}"
    )


def _amount(entry: LedgerEntry) -> str:
    """Return what was granted or spent, what a person is, and what was promised if converted."""
    from noisewright.ledger import AccountUnit, Claim

    if entry.epsilon is None and entry.rho is None:
        return ""
    claim = None if entry.claim is None else Claim.read(entry.claim)
    part = "" if claim is None or claim.part is None else f" in {claim.part}"
    if entry.unit is None:
        return f" {entry.amount_text}{part}"
    unit = AccountUnit.read(entry.unit)
    converted = "" if claim is None else claim.conversion(unit, in_rho=entry.rho is not None)
    return f" {entry.amount_text}{part}, {unit}{converted and f': {converted}'}"
