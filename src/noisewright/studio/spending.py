"""What will be spent, in words, before anything is; and the confirmation that starts a job."""

from __future__ import annotations

import secrets
import threading
from typing import Any, final

from noisewright import plans, queries, releases
from noisewright.errors import NoisewrightError, UnknownDatasetError
from noisewright.exact import exactly
from noisewright.ledger import Balance, plain_balance
from noisewright.mechanisms import Guarantee, read_delta
from noisewright.studio.budgets import open_ledger
from noisewright.studio.declaring import count_people
from noisewright.studio.failures import RefusalError
from noisewright.studio.folder import StudioFolder
from noisewright.studio.work_requests import WorkRequest, python_code, shell_code
from noisewright.tables import require_format

_MOST_WAITING = 100
"""For each user."""

FOREVER = (
    "This cannot be undone: what is published cannot be called back, and what is spent of a budget "
    "is never refunded."
)
UNLIMITED = (
    "No ledger is used: nothing is debited, and nothing limits what further releases add up to. "
    "That is for trying things, not for what you publish."
)


@final
class Confirmations:
    """Requests that were explained and wait for a yes; each becomes one job at most."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, tuple[WorkRequest, str | None]] = {}

    def add(self, request: WorkRequest, user: str | None = None) -> str:
        """Return the name under which a user can confirm a request."""
        name = secrets.token_hex(16)
        with self._lock:
            self._waiting[name] = (request, user)
            # Nobody can push out what was explained to another.
            theirs = [one for one, (_, asker) in self._waiting.items() if asker == user]
            for one in theirs[:-_MOST_WAITING]:
                del self._waiting[one]
        return name

    def take(self, name: str, user: str | None = None) -> WorkRequest | None:
        """Return what is confirmed; None if it is not known here, or was explained to another."""
        with self._lock:
            request, asker = self._waiting.get(name, (None, None))
        return request if asker == user else None


def explain(
    request: WorkRequest, folder: StudioFolder, *, ledger: str, shown: str
) -> dict[str, Any]:
    """Say what a request will spend and what it promises; nothing is drawn, written or spent."""
    target = folder.target(request.output)
    require_format(target.name)
    files = releases.TargetFiles.at(target)
    files.require_apart([*request.table.paths(folder), folder.existing(request.plan)])
    files.require_free(overwrite=False)
    rows = count_people(request.table, request.plan, folder)
    price, words, errors = _price(request, folder, rows)
    balance, budget_words = _budget(request, folder, ledger, price)
    return {
        "kind": request.kind,
        "rows": rows,
        "price": plans.amounts(price),
        "words": words,
        "errors": errors,
        "balance": None if balance is None else plain_balance(balance),
        "budget": budget_words,
        "forever": FOREVER,
        "shell": shell_code(request, ledger=shown),
        "python": python_code(request, ledger=shown),
    }


def _price(
    request: WorkRequest, folder: StudioFolder, rows: int
) -> tuple[Guarantee, list[str], list[dict[str, Any]]]:
    if request.kind == "release" and request.table.is_in_database:
        raise RefusalError(
            "a private copy randomizes rows of a file. Export the table to Parquet first, or make "
            "a synthetic table, which a database can count for."
        )
    if request.kind == "release":
        plan = plans.Plan.read(folder.existing(request.plan)).for_rows(rows)
        return plan.guarantee, [plans.promise_words(plan), *plan.cautions(rows=rows)], []
    if not request.epsilon:
        raise RefusalError("epsilon is missing: how much may this cost each person?")
    epsilon = plans.read_epsilon(exactly(request.epsilon, name="epsilon"))
    assert epsilon is not None
    price = Guarantee(epsilon, read_delta(exactly(request.delta or "0", name="delta")))
    if request.kind == "synthesize":
        words = (
            f"The privacy loss of each person is at most {plans.amounts(price)}, for the whole "
            "synthetic table and everything that is computed from it."
        )
        return price, [words], []
    people = queries.Private(
        request.table.open(folder), columns=folder.existing(request.plan), ledger=None
    )
    question = people.sql(request.sql)
    said = question.explain(epsilon=request.epsilon, delta=request.delta or "0")
    found = question.predict(
        epsilon=request.epsilon, delta=request.delta or "0", people=rows
    ).table.to_pylist()
    return price, [said], found


def _budget(
    request: WorkRequest, folder: StudioFolder, ledger: str, price: Guarantee
) -> tuple[Balance | None, list[str]]:
    """Return the budget that pays, and what the debit means for it, in words."""
    if request.without_ledger:
        return None, [UNLIMITED]
    book = open_ledger(ledger)
    name = request.dataset
    if name is None and request.table.is_in_database:
        raise RefusalError("a table of a database has no fingerprint: name the budget that pays.")
    if name is None:
        try:
            name = book.find(request.table.open(folder))
        except UnknownDatasetError:
            raise RefusalError(
                "the ledger has no budget for this table yet. Grant one in the room Ledger.",
                status=409,
            ) from None
    balance = book.balance(name)
    try:
        book.require_room(name, price)
    except NoisewrightError as problem:
        raise RefusalError(str(problem), status=409) from problem
    words = (
        f"At most {plans.amounts(price)} will be debited from the budget of {name!r}, of which "
        f"{balance.left_text} is left ({balance.unit_text})."
    )
    if price.delta and request.kind != "release":
        words += " Delta is debited only if the noise that is chosen needs it."
    return balance, [words]
