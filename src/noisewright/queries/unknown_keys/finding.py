"""Groups whose keys nobody declared: they are found first, which has its price, and then asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, final

from noisewright.certificates import Certificate
from noisewright.errors import InputError, ParameterError
from noisewright.exact import Number, exactly
from noisewright.mechanisms import Guarantee, read_delta
from noisewright.public import public_methods
from noisewright.queries.asked import settle_limits
from noisewright.queries.measurements import most_groups
from noisewright.queries.unknown_keys.key_selection import KeySelection, UnknownKeys
from noisewright.relations import (
    KeyRequest,
    Limit,
    Paired,
    Repeated,
    Rows,
    SourceRows,
    SqlTable,
    column,
    people_by_key,
)
from noisewright.spaces import Categories
from noisewright.tables import Field, is_text
from noisewright.transaction import Job, Progress, Subject, find_payer, transact

if TYPE_CHECKING:
    from noisewright.queries.answer import Answer
    from noisewright.queries.expressions import Aggregate
    from noisewright.queries.private import Private
    from noisewright.queries.question import Question
    from noisewright.sampling import Source as Bits


@public_methods
@final
@dataclass(frozen=True, eq=False)
class UnknownGroups:
    """Groups by a column of which nobody declared the values."""

    table: Private
    name: str
    unknown: UnknownKeys

    def agg(self, **aggregates: Aggregate) -> UnknownQuestion:
        """Ask something about each group that is found."""
        return UnknownQuestion(self, aggregates)

    def count(self) -> UnknownQuestion:
        """Ask how many rows each group has that is found."""
        from noisewright.queries.expressions import count

        return self.agg(count=count())


@public_methods
@final
@dataclass(frozen=True, eq=False)
class UnknownQuestion:
    """A question about groups that are found on the way."""

    groups: UnknownGroups
    aggregates: Mapping[str, Aggregate]

    def release(
        self,
        *,
        epsilon: Number,
        delta: Number = 0,
        progress: Progress | None = None,
        source: Bits | None = None,
    ) -> Answer:
        """Find the groups, and answer the question about those that are found.

        A share of ε, and the δ of `keys`, go into finding groups; the rest of ε, and `delta`, into
        what is asked of them. The ledger is debited for both, one after the other.
        Ensures: rows of groups that are not found have no influence on what is shown. What cannot
        be asked of groups, whatever their keys, is refused before the first debit.
        """
        table, unknown = self.groups.table, self.groups.unknown
        whole = exactly(epsilon, name="epsilon")
        first = whole * unknown.share
        _require_unknown(table, self.groups.name)
        self._ask(table.with_field(self.groups.name, Field(Categories(["any"])))).certify(
            epsilon=whole - first, delta=delta
        )
        _require_room(table, Guarantee(whole, read_delta(delta) + unknown.delta), source)
        found, certificate = find_keys(
            table, self.groups.name, first, unknown.delta, progress=progress, source=source
        )
        answer = self._ask(found).release(
            epsilon=whole - first, delta=delta, progress=progress, source=source
        )
        return replace(answer, keys_certificate=certificate)

    def _ask(self, table: Private) -> Question:
        return table.group_by(self.groups.name).agg(**self.aggregates)


def find_keys(
    table: Private,
    name: str,
    epsilon: Fraction,
    delta: Fraction,
    *,
    progress: Progress | None = None,
    source: Bits | None = None,
) -> tuple[Private, Certificate]:
    """Return the table with a column whose labels are those keys that were found, and the proof."""
    groups = _most_keys(table, name)
    each_row = table.budget.person is None
    selection = KeySelection(epsilon, delta, groups, table.budget.change, each_row)
    job = KeyJob(table, name, selection, source)
    budget = table.budget
    kept = transact(
        job, ledger=budget.ledger, dataset=budget.dataset, source=source, progress=progress
    )
    if not kept:
        raise InputError(
            f"no value of {name!r} is shared by enough people to be shown at this price. The "
            "search was paid for. Use a larger epsilon or delta, or coarser groups."
        )
    return table.with_field(name, Field(Categories(kept))), selection.certificate


@final
@dataclass
class KeyJob(Job[list[Any]]):
    """The job of finding keys: how many people have each is counted, and coins decide."""

    table: Private
    name: str
    selection: KeySelection
    source: Bits | None

    @property
    def what(self) -> str:
        """What the ledger says of it."""
        return f"which values of {self.name} occur"

    @property
    def price(self) -> Guarantee:
        """The privacy loss of each person."""
        return self.selection.guarantee

    @property
    def subject(self) -> Subject:
        """Whose privacy is spent."""
        return self.table.budget.subject

    def prove(self) -> Certificate:
        """Prove the coins."""
        return self.selection.certificate

    def draw(self, progress: Progress | None) -> list[Any]:
        """Count people by key, and draw which keys are shown."""
        rows = _without_limits(self.table.rows)
        people = people_by_key(KeyRequest(rows, self.name, self.selection.groups))
        return self.selection.keep(people, self.source)


def _most_keys(table: Private, name: str) -> int:
    """Return for how many keys a person counts."""
    key = column(name, 0, 1, nullable=True)
    found = most_groups(settle_limits(table.rows, (key,), ()), (key,))
    if found is None:
        raise ParameterError(
            "nothing limits how many groups a person counts in. Add .limit(rows=…), or "
            ".limit(groups=…)."
        )
    return found


def _without_limits(rows: Rows) -> Rows:
    """Return rows without the limits that a question would settle.

    Those could not tell rows apart by a key that has no number yet; that a person counts for few
    keys is seen to where these are counted. A limit that is settled divides people into parts.
    """
    if isinstance(rows, SourceRows | Paired):
        return rows
    inner = _without_limits(rows.rows)
    return inner if isinstance(rows, Limit) and not rows.reads else replace(rows, rows=inner)


def _source(rows: Rows) -> SourceRows:
    while not isinstance(rows, SourceRows):
        if isinstance(rows, Paired | Repeated):
            raise ParameterError("unknown keys are found in one table, before it is joined.")
        rows = rows.rows
    return rows


def _is_divided(rows: Rows) -> bool:
    if isinstance(rows, SourceRows | Paired):
        return False
    return (isinstance(rows, Limit) and bool(rows.reads)) or _is_divided(rows.rows)


def _require_unknown(table: Private, name: str) -> None:
    """Refuse a column that is declared or not there, or that holds no texts or whole numbers."""
    import pyarrow as pa

    if name in table.columns:
        raise ParameterError(
            f"the values of {name!r} are declared already: leave unknown= out of group_by."
        )
    source = _source(table.rows)
    if isinstance(source.table, SqlTable) and _is_divided(table.rows):
        # Which of two rows that differ in the key only were kept would be up to the database.
        raise ParameterError(
            "the rows of each person were limited before the table was divided into parts, without "
            "knowing the key. Ask for unknown keys of the whole table, or declare the key."
        )
    if name not in source.table.schema.names:
        raise InputError(f"the table has no column {name!r}.")
    kind = source.table.schema.field(name).type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not (is_text(kind) or pa.types.is_integer(kind)):
        raise InputError(f"the column {name!r} has the type {kind}; keys are texts or integers.")


def _require_room(table: Private, price: Guarantee, source: Bits | None) -> None:
    """Refuse before anything is spent what the budget has no room for."""
    budget = table.budget
    if budget.ledger is not None or budget.dataset is not None:
        find_payer(
            budget.ledger, budget.dataset, subject=budget.subject, price=price, source=source
        )
