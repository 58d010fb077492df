"""The plan of a release: what happens to each column, under one budget for each person."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, final

from noisewright.certificates import Certificate, certify
from noisewright.errors import InputError, NotPrivateError
from noisewright.exact import Epsilon, Number
from noisewright.files import save_whole
from noisewright.given import one_of
from noisewright.mechanisms import ColumnProduct, Guarantee, per_person, product, read_delta
from noisewright.plans.central import (
    central_guarantee,
    certify_central,
    largest_row_epsilon,
    require_shufflable,
)
from noisewright.plans.column import DROP, PUBLIC, Column, Treatment
from noisewright.plans.parts import Part, build_parts, joint_space, read_together, requests_of
from noisewright.plans.settings import (
    read_columns,
    read_epsilon,
    read_shares,
    read_shuffled,
    read_title,
)
from noisewright.plans.wanted import Wanted, read_wanted
from noisewright.public import public_methods
from noisewright.spaces import Space
from noisewright.tables import Person, Schema, read_person

if TYPE_CHECKING:
    from noisewright.estimation import Estimates

ORDERS = ("kept", "shuffled")
_OTHERS = ("error", "drop")


@public_methods
@final
@dataclass(frozen=True, init=False, repr=False)
class Plan:
    """What happens to each column of a table, and the privacy budget of each person.

    `columns` names a `Column` for each column that is randomized, "drop" for what does not leave
    and "public" for what everybody knows already. `others` says what happens to columns that the
    plan does not name: "error" or "drop". `epsilon` and `delta` are the budget of each person for
    all columns of all their rows, against whoever sees the released table. `together` names groups
    of columns that are randomized as one. `person` is for tables with several rows a person.

    `order` is "kept", so that each row is protected by its own noise alone, or "shuffled". Then
    with a `delta` above 0 rows also hide among each other: they get the largest `row_epsilon` with
    which (epsilon, delta) is proven for `rows` rows in random order, or the one that is given, and
    epsilon follows if it is left out. Whoever sees the order learns up to `row_epsilon`
    about each row. `rows` is how many rows there are at least that share their public
    values; left out, a release counts them. Without a delta shuffling promises nothing more.

    `shares` says how the budget is divided: "equal", "given" by the columns' own epsilons and
    shares, or "best" for the `estimates` that are wanted: columns, groups of columns for their
    joint tables, or `Wanted` values. Without estimates each column's own counts. What was found is
    kept as the columns' shares.

    A person's whole row is one record: neighbors differ in all that is randomized about one
    person. How many rows there are, and all public columns, count as known.
    """

    columns: tuple[tuple[str, Treatment], ...]
    epsilon: Fraction | None
    delta: Fraction
    shares: str
    together: tuple[tuple[str, ...], ...]
    person: Person | None
    order: Literal["kept", "shuffled"]
    rows: int | None
    row_epsilon: Fraction | None
    others: Literal["error", "drop"]
    title: str
    estimates: tuple[Wanted, ...]

    def __init__(
        self,
        columns: Mapping[str, Treatment],
        *,
        epsilon: Number | None = None,
        delta: Number = 0,
        shares: str | None = None,
        together: Iterable[Iterable[str]] = (),
        person: Person | None = None,
        order: str = "kept",
        rows: int | None = None,
        row_epsilon: Number | None = None,
        others: str = "error",
        title: str = "",
        estimates: Iterable[str | Iterable[str] | Wanted] = (),
    ) -> None:
        set_field = object.__setattr__
        set_field(self, "columns", read_columns(columns))
        set_field(self, "epsilon", read_epsilon(epsilon))
        set_field(self, "delta", read_delta(delta))
        set_field(self, "estimates", read_wanted(estimates, self._randomized))
        set_field(self, "shares", read_shares(shares, self._randomized, self.estimates))
        set_field(self, "together", read_together(together, dict(self.columns)))
        set_field(self, "person", read_person(person, (*self.private, *self.public)))
        set_field(self, "order", one_of(order, ORDERS, name="order"))
        count, of_row = read_shuffled(rows, row_epsilon, order=self.order)
        set_field(self, "rows", count)
        set_field(self, "row_epsilon", of_row)
        set_field(self, "others", one_of(others, _OTHERS, name="others"))
        set_field(self, "title", read_title(title))
        requests = requests_of(self._randomized, self.together, self.rows_per_person)
        if self.is_central:
            require_shufflable(requests, is_limited=self.is_split and self.person is not None)
        if not self.has_mechanisms:
            return
        if self.shares == "best":
            set_field(self, "columns", tuple((dict(self.columns) | self._best_columns()).items()))
        if self.is_central:
            self._settle(sum((request.epsilon or Fraction(0) for request in requests), Fraction(0)))
            return
        # A plan that cannot be carried out is refused at once.
        given = self.guarantee.epsilon if self.epsilon is None else Epsilon(rational=self.epsilon)
        if not (self.guarantee.epsilon <= given and self.guarantee.delta <= self.delta):
            raise NotPrivateError(
                f"the columns together spend {self.guarantee}, more than the plan has. Please "
                "report this: the budget was divided wrongly."
            )

    def _settle(self, given: Fraction) -> None:
        """Find what each row may give away, where the plan says what the shuffled table may."""
        if self.row_epsilon is None and self.epsilon is not None:
            assert self.rows is not None
            found = largest_row_epsilon(
                lambda epsilon: self._row_mechanism(self._parts_with(epsilon)),
                given=given,
                epsilon=self.epsilon,
                delta=self.delta,
                rows=self.rows,
                rows_per_person=self.rows_per_person,
            )
            object.__setattr__(self, "row_epsilon", found)
        assert self.parts

    def _best_columns(self) -> dict[str, Column]:
        from noisewright.plans.best import with_best_shares

        rows, total = self.rows_per_person, self.epsilon
        one = self.row_epsilon or (None if total is None else total / rows)
        return with_best_shares(
            self._randomized,
            requests_of(self._randomized, self.together, rows),
            self.estimates,
            epsilon=one,
            delta=self._row_delta,
        )

    @property
    def _randomized(self) -> dict[str, Column]:
        return {name: column for name, column in self.columns if isinstance(column, Column)}

    @property
    def private(self) -> tuple[str, ...]:
        """The columns that are randomized, in the order of the plan."""
        return tuple(self._randomized)

    @property
    def public(self) -> tuple[str, ...]:
        """The columns that are released as they are."""
        return tuple(name for name, treatment in self.columns if treatment == PUBLIC)

    @property
    def dropped(self) -> tuple[str, ...]:
        """The columns that are named and do not leave, the person's column among them."""
        named = [name for name, treatment in self.columns if treatment == DROP]
        if self.person is not None and self.person.column not in named:
            named.append(self.person.column)
        return tuple(named)

    @cached_property
    def schema(self) -> Schema:
        """How a table is read by this plan."""
        names = tuple(name for name, _ in self.columns)
        return Schema(self._randomized, self.person, self.public, self.dropped, self.others, names)

    @property
    def rows_per_person(self) -> int:
        """How many rows of one person may be released."""
        return 1 if self.person is None else self.person.rows

    @property
    def is_central(self) -> bool:
        """Whether rows hide among each other: (ε, δ) is for whoever sees only the shuffled rows."""
        return self.order == "shuffled" and self.delta > 0

    @property
    def has_mechanisms(self) -> bool:
        """Whether the mechanisms are known, without knowing how many rows there will be."""
        known = self.rows or self.row_epsilon or self.epsilon is None
        return not self.is_central or bool(known)

    @property
    def is_split(self) -> bool:
        """Whether rows hide only among those with the same public values."""
        return self.is_central and bool(self.public)

    def for_rows(self, rows: int) -> Plan:
        """Return the plan for a table with so many rows that share their public values.

        It is the same plan, unless its rows are to hide among each other and `rows` is left out.
        """
        return self if not self.is_central or self.rows is not None else self._with(rows=rows)

    def _with(self, **changes: Any) -> Plan:
        names = (field.name for field in fields(self))
        settings = {name: getattr(self, name) for name in names} | changes
        return Plan(dict(settings.pop("columns")), **settings)

    @property
    def _row_delta(self) -> Fraction:
        return Fraction(0) if self.is_central else self.delta / self.rows_per_person

    def _parts_with(self, row_epsilon: Fraction | None) -> tuple[Part, ...]:
        rows = self.rows_per_person
        return build_parts(
            self._randomized, self.together, row_epsilon, self._row_delta, self.shares, rows
        )

    @staticmethod
    def _row_mechanism(parts: tuple[Part, ...]) -> ColumnProduct:
        return product({part.name: part.mechanism for part in parts})

    @cached_property
    def groups(self) -> tuple[tuple[tuple[str, ...], Space], ...]:
        """The columns that are randomized as one, and what they hold together, part by part."""
        requests = requests_of(self._randomized, self.together, self.rows_per_person)
        columns = self._randomized
        return tuple(
            (r.names, joint_space([columns[n] for n in r.names], r.names)) for r in requests
        )

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The mechanisms, each with the columns that it takes and its part of the budget."""
        if not self.has_mechanisms:
            raise InputError(
                "how much noise this plan needs depends on how many rows are shuffled: say "
                "plan.for_rows(n), or rows = n in the plan. A release counts them by itself."
            )
        total = None if self.epsilon is None else self.epsilon / self.rows_per_person
        return self._parts_with(self.row_epsilon or total)

    @property
    def resolved(self) -> Plan:
        """The plan with the designed mechanisms themselves in place of the wish for a design.

        Another version of the solver may find another of several best mechanisms. Whoever reads
        released data needs the one that was used.
        """
        fixed = {
            part.name: part.treatments[0].with_mechanism(part.mechanism)
            for part in self.parts
            if not part.is_joint and part.treatments[0].mechanism == "design"
        }
        if not fixed:
            return self
        columns = tuple((dict(self.columns) | fixed).items())
        return self._with(columns=columns, shares="given", estimates=())

    @cached_property
    def mechanism(self) -> ColumnProduct:
        """What happens to one row: the parts, drawn independently."""
        return self._row_mechanism(self.parts)

    @property
    def row_guarantee(self) -> Guarantee:
        """The privacy loss of one row at most: the sum over its parts."""
        claim = self.mechanism.claim
        assert claim is not None
        return claim

    @property
    def guarantee_in_order(self) -> Guarantee:
        """The privacy loss of one person if the order is known: the sum over all their rows.

        So it holds against whoever learns the order, and against everybody if the order is kept.
        """
        row, rows = self.row_guarantee, self.rows_per_person
        return Guarantee(row.epsilon.times(rows), min(Fraction(1), row.delta * rows))

    @cached_property
    def guarantee(self) -> Guarantee:
        """The privacy loss of one person, at most, to whoever sees only the released table."""
        if not self.is_central:
            return self.guarantee_in_order
        wanted = None if self.epsilon is None else Guarantee(self.epsilon, self.delta)
        if self.rows is None:
            if wanted is None:
                raise InputError(
                    "what the shuffled rows give away depends on how many there are: say "
                    "plan.for_rows(n), or rows = n in the plan. A release counts them by itself."
                )
            return wanted
        found = wanted or central_guarantee(
            self.mechanism,
            rows=self.rows,
            delta=self.delta,
            rows_per_person=self.rows_per_person,
        )
        alone = self.guarantee_in_order
        return alone if alone.epsilon <= found.epsilon else found

    def predict(
        self,
        *,
        people: int,
        shares: Mapping[str, Any] | Literal["worst"] | None = None,
        about: str = "population",
        confidence: float = 0.95,
    ) -> Estimates:
        """Return the standard errors that estimates from a release will have, before there is one.

        `people` are the rows that will be released. `shares` is a guess of each column's shares,
        by column; without one they are even (items of sets: rare), and "worst" gives the largest
        errors that any shares could have. `about` is as for estimates.
        Ensures: a planned estimate for each private column, and the mean of each that has numbers.
        """
        from noisewright.plans.predictions import predictions

        return predictions(self.for_rows(people), people, shares, about, confidence)

    def cautions(self, *, rows: int | None = None) -> tuple[str, ...]:
        """Return cautions about the plan, as sentences; none for most plans.

        An epsilon above 10, a public column whose name looks like that of a person, and, with the
        number of `rows`, columns whose estimates will say little or nothing.
        """
        from noisewright.plans.cautions import plan_cautions

        return plan_cautions(self if rows is None else self.for_rows(rows), rows=rows)

    def certify(self) -> Certificate:
        """Prove the guarantee; the certificate speaks of one person's rows."""
        rows = self.rows_per_person
        if self.is_central and self.guarantee.delta:
            return certify_central(self)
        return certify(self.mechanism if rows == 1 else per_person(self.mechanism, rows=rows))

    def words(self, *, rows: int | None = None) -> tuple[str, ...]:
        """Return in plain sentences what will happen, one paragraph after the other.

        With `rows`, the standard errors that estimates from so many rows will have, too.
        """
        from noisewright.plans.words import plan_words

        return plan_words(self if rows is None else self.for_rows(rows), rows=rows)

    def to_toml(self) -> str:
        """Return the plan as the text of a TOML file."""
        from noisewright.plans.toml_writing import plan_text

        return plan_text(self)

    @classmethod
    def from_toml(cls, text: str, *, folder: str | os.PathLike[str] | None = None) -> Plan:
        """Read a plan from TOML; paths in it are relative to `folder`."""
        from noisewright.plans.toml_reading import read_plan

        return read_plan(text, None if folder is None else Path(folder))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the plan to a TOML file, whole or not at all."""
        return save_whole(path, self.to_toml().encode(), what="the plan")

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Plan:
        """Read a plan from a TOML file."""
        from noisewright.plans.toml_reading import text_at

        return cls.from_toml(text_at(path), folder=Path(path).parent)

    @property
    def digest(self) -> str:
        """The SHA-256 of the plan's TOML text."""
        return hashlib.sha256(self.to_toml().encode()).hexdigest()

    def __repr__(self) -> str:
        known = not self.is_central or self.epsilon is not None or self.rows is not None
        whole = f"{self.guarantee} for each person" if known else "rows still to be counted"
        return (
            f"<plan for {len(self.private)} private, {len(self.public)} public and "
            f"{len(self.dropped)} dropped columns, {whole}>"
        )
