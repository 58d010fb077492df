"""The plan of a release: what happens to each column, under one budget for each person."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, final

from noisewright.certificates import Certificate, certify
from noisewright.errors import InputError, NotPrivateError, ParameterError
from noisewright.exact import Epsilon, Number, exactly, show
from noisewright.files import save_whole
from noisewright.given import brief, one_of
from noisewright.mechanisms import ColumnProduct, Guarantee, per_person, product, read_delta
from noisewright.plans.budget import SHARES
from noisewright.plans.column import DROP, PUBLIC, Column, Treatment
from noisewright.plans.parts import Part, build_parts, read_together, requests_of
from noisewright.plans.wanted import Wanted, read_wanted
from noisewright.public import public_methods
from noisewright.tables import Person, Schema, read_person

if TYPE_CHECKING:
    from noisewright.estimation import Estimates

_ORDERS = ("kept", "shuffled")
_OTHERS = ("error", "drop")


@public_methods
@final
@dataclass(frozen=True, init=False, repr=False)
class Plan:
    """What happens to each column of a table, and what each person gives away at most.

    `columns` names a `Column` for each column that is randomized, "drop" for what does not leave
    and "public" for what everybody knows already. `others` says what happens to columns that the
    plan does not name: "error" or "drop". `epsilon` and `delta` are what each person gives away
    with all columns of all their rows. `together` names groups of columns that are randomized as
    one. `person` is for tables with several rows a person.

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
        others: str = "error",
        title: str = "",
        estimates: Iterable[str | Iterable[str] | Wanted] = (),
    ) -> None:
        set_field = object.__setattr__
        set_field(self, "columns", read_columns(columns))
        set_field(self, "epsilon", read_epsilon(epsilon))
        set_field(self, "delta", read_delta(delta))
        set_field(self, "estimates", read_wanted(estimates, self._randomized))
        set_field(self, "shares", self._read_shares(shares))
        set_field(self, "together", read_together(together, dict(self.columns)))
        set_field(self, "person", read_person(person, (*self.private, *self.public)))
        set_field(self, "order", one_of(order, _ORDERS, name="order"))
        set_field(self, "others", one_of(others, _OTHERS, name="others"))
        set_field(self, "title", _read_title(title))
        if self.shares == "best":
            set_field(self, "columns", tuple((dict(self.columns) | self._best_columns()).items()))
        # A plan that cannot be carried out is refused at once.
        given = self.guarantee.epsilon if self.epsilon is None else Epsilon(rational=self.epsilon)
        if not (self.guarantee.epsilon <= given and self.guarantee.delta <= self.delta):
            raise NotPrivateError(
                f"the columns together spend {self.guarantee}, more than the plan has. Please "
                "report this: the budget was divided wrongly."
            )

    def _read_shares(self, shares: str | None) -> str:
        if shares is None and self.estimates:
            return "best"
        if self.estimates and shares != "best":
            raise ParameterError(
                f"estimates are what shares='best' divides the budget for; shares is {shares!r}."
            )
        if shares is None:
            said = any(c.epsilon or c.share for c in self._randomized.values())
            return "given" if said else "equal"
        return one_of(shares, SHARES, name="shares")

    def _best_columns(self) -> dict[str, Column]:
        from noisewright.plans.best import with_best_shares

        rows = self.rows_per_person
        return with_best_shares(
            self._randomized,
            requests_of(self._randomized, self.together, rows),
            self.estimates,
            epsilon=None if self.epsilon is None else self.epsilon / rows,
            delta=self.delta / rows,
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

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The mechanisms, each with the columns that it takes and its part of the budget."""
        return build_parts(
            self._randomized,
            self.together,
            self.epsilon,
            self.delta,
            self.shares,
            self.rows_per_person,
        )

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
        return Plan(
            dict(self.columns) | fixed,
            epsilon=self.epsilon,
            delta=self.delta,
            shares="given",
            together=self.together,
            person=self.person,
            order=self.order,
            others=self.others,
            title=self.title,
        )

    @cached_property
    def mechanism(self) -> ColumnProduct:
        """What happens to one row: the parts, drawn independently."""
        return product({part.name: part.mechanism for part in self.parts})

    @property
    def row_guarantee(self) -> Guarantee:
        """What one row gives away at most: the sum over its parts."""
        claim = self.mechanism.claim
        assert claim is not None
        return claim

    @property
    def guarantee(self) -> Guarantee:
        """What one person gives away at most: the sum over all their rows."""
        row, rows = self.row_guarantee, self.rows_per_person
        return Guarantee(row.epsilon.times(rows), min(Fraction(1), row.delta * rows))

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

        return predictions(self, people, shares, about, confidence)

    def cautions(self, *, rows: int | None = None) -> tuple[str, ...]:
        """Return cautions about the plan, as sentences; none for most plans.

        An epsilon above 10, a public column whose name looks like that of a person, and, with the
        number of `rows`, columns whose estimates will say little or nothing.
        """
        from noisewright.plans.cautions import plan_cautions

        return plan_cautions(self, rows=rows)

    def certify(self) -> Certificate:
        """Prove the guarantee; the certificate speaks of one person's rows."""
        rows = self.rows_per_person
        return certify(self.mechanism if rows == 1 else per_person(self.mechanism, rows=rows))

    def words(self, *, rows: int | None = None) -> tuple[str, ...]:
        """Return in plain sentences what will happen, one paragraph after the other.

        With `rows`, the standard errors that estimates from so many rows will have, too.
        """
        from noisewright.plans.words import plan_words

        return plan_words(self, rows=rows)

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
        from noisewright.plans.toml_reading import settings_at

        return cls(**settings_at(path))

    @property
    def digest(self) -> str:
        """The SHA-256 of the plan's TOML text."""
        return hashlib.sha256(self.to_toml().encode()).hexdigest()

    def __repr__(self) -> str:
        return (
            f"<plan for {len(self.private)} private, {len(self.public)} public and "
            f"{len(self.dropped)} dropped columns, {self.guarantee} for each person>"
        )


def read_columns(columns: Any) -> tuple[tuple[str, Treatment], ...]:
    """Read what happens to each column, by name."""
    if not isinstance(columns, Mapping):
        raise InputError(
            f"a plan takes columns by name, as in Plan({{'job': Column([...])}}); got a "
            f"{type(columns).__name__}."
        )
    for name, treatment in columns.items():
        if not isinstance(name, str) or not name:
            raise InputError(f"a column is called {name!r}; names are texts that are not empty.")
        if not isinstance(treatment, Column) and treatment not in (DROP, PUBLIC):
            raise InputError(
                f"the column {name!r} is {treatment!r}; it must be a Column, 'drop' or 'public'."
            )
    if not any(isinstance(treatment, Column) for treatment in columns.values()):
        raise InputError("the plan randomizes no column; declare at least one Column.")
    return tuple(columns.items())


def _read_title(title: Any) -> str:
    if not isinstance(title, str):
        raise ParameterError(f"title is {brief(title)}; it must be a text.")
    return title


def read_epsilon(epsilon: Number | None) -> Fraction | None:
    """Read what each person gives away; nothing stays nothing."""
    if epsilon is None:
        return None
    value = exactly(epsilon, name="epsilon")
    if value <= 0:
        raise ParameterError(
            f"epsilon is {show(value)}; it must be above 0. It is what each person gives away "
            "with all columns together; 1 to 10 is common for whole rows."
        )
    return value
