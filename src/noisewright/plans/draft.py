"""A first plan for a table from the names and types of its columns, and from a codebook.

Nothing here looks at values. What a column can hold is declared by a codebook or by somebody who
is asked; what is known of neither stays open, marked TODO, and no plan is read from it.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, final

from noisewright.errors import InputError
from noisewright.exact import Number
from noisewright.given import brief, of_kind, one_of, several
from noisewright.mechanisms import read_delta
from noisewright.plans.codebook import CodebookEntry, read_codebook
from noisewright.plans.column import DROP, PUBLIC, Column, Treatment
from noisewright.plans.domains import domain_of
from noisewright.plans.fields import NamedType, fields_of, read_fields
from noisewright.plans.name_hints import hint_of
from noisewright.plans.plan import ORDERS, Plan
from noisewright.plans.settings import read_epsilon
from noisewright.plans.wanted import Wanted
from noisewright.public import public, public_methods
from noisewright.spaces import Categories, Subsets
from noisewright.tables import Person

_USUAL_DELTA = Fraction(1, 10**9)


@final
@dataclass(frozen=True)
class Proposal:
    """What a draft proposes for one column, and why; without a treatment it is still open."""

    field: NamedType
    treatment: Treatment | None
    why: str = ""


@public_methods
@final
@dataclass(frozen=True)
class Draft:
    """A plan in the making: a proposal for each column, and the settings of the plan."""

    proposals: tuple[Proposal, ...]
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    source: str = ""
    unused: tuple[str, ...] = ()
    """Columns that the codebook describes and the table does not have."""
    said_order: tuple[str | None, Fraction | None] = (None, None)
    """The order and the delta that were asked for; see `order` for those of the plan."""

    @property
    def missing(self) -> tuple[str, ...]:
        """The columns that somebody must still declare."""
        return tuple(p.field.name for p in self.proposals if p.treatment is None)

    @property
    def persons(self) -> tuple[str, ...]:
        """Columns whose names look like the number of a person, while no person is named."""
        if self.settings.get("person") is not None:
            return ()
        hints = [(p.field.name, hint_of(p.field.name)) for p in self.proposals]
        return tuple(name for name, hint in hints if hint and hint.suggestion == "person")

    def declare(self, name: str, treatment: Treatment, why: str = "") -> Draft:
        """Return the draft with one column declared."""
        proposals = tuple(
            replace(p, treatment=treatment, why=why) if p.field.name == name else p
            for p in self.proposals
        )
        return replace(self, proposals=proposals)

    def with_epsilon(self, epsilon: Number) -> Draft:
        """Return the draft with a budget."""
        return replace(self, settings={**self.settings, "epsilon": read_epsilon(epsilon)})

    @property
    def order(self) -> dict[str, Any]:
        """The order of the released rows and delta, as they were said, or as they are usual.

        Rows are shuffled, to hide among each other, if each is a person and nothing is public.
        """
        order, delta = self.said_order
        split = any(p.treatment == PUBLIC for p in self.proposals)
        several = self.settings.get("person") is not None
        if order is None:
            own = any(isinstance(p.treatment, Column) and p.treatment.delta for p in self.proposals)
            apart = several or split or own or bool(self.persons) or delta == 0
            order = "kept" if apart else "shuffled"
        hides = order == "shuffled" and not (split and several)
        return {"order": order, "delta": _USUAL_DELTA if delta is None and hides else delta or 0}

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to declare."""
        return not self.missing and self.settings.get("epsilon") is not None

    def plan(self) -> Plan:
        """Return the plan, or say what is still to be declared."""
        if not self.is_finished:
            missing = [*self.missing, *(["epsilon"] * (self.settings.get("epsilon") is None))]
            raise InputError(
                f"the draft is not finished; still to be declared: {', '.join(missing)}."
            )
        treatments: dict[str, Treatment] = {
            p.field.name: p.treatment for p in self.proposals if p.treatment is not None
        }
        return Plan(treatments, **self.settings, **self.order)

    def to_toml(self) -> str:
        """Return the draft as TOML with remarks; what is open says TODO."""
        from noisewright.plans.draft_text import draft_text

        return draft_text(self, self.plan() if self.is_finished else None)


@public
def draft_plan(
    data: str | os.PathLike[str] | Any,
    *,
    codebook: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    drop: Iterable[str] = (),
    public: Iterable[str] = (),
    person: Person | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    shares: str | None = None,
    estimates: Sequence[str | Sequence[str] | Wanted] = (),
    together: Sequence[Sequence[str]] = (),
    order: str | None = None,
    others: str = "error",
) -> Draft:
    """Draft a plan for a table from the names and types of its columns.

    Requires: the path of a Parquet, Feather or CSV file or of a folder of Parquet files, or an
    Arrow schema. `codebook` is the path of a codebook, or what each column can hold by name:
    columns, "drop" or "public". A CSV file whose first line looks like a record is refused;
    `nw.CSV(path, header=True)` says that it holds names. If `order` is left out, each row is a
    person and no column is public, rows are shuffled, with a delta of 1e-9: they then hide among
    each other, and need much less noise. The text of the draft says so.
    Ensures: no value of the table is read, nor anything that was made from its values.
    """
    known: Mapping[str, Any] = {}
    if codebook is not None:
        of_kind(
            codebook,
            (str, os.PathLike, Mapping),
            name="codebook",
            such_as="a path, or a mapping from columns",
        )
        known = codebook if isinstance(codebook, Mapping) else read_codebook(codebook)
    fields, source = _fields(data, frozenset(_labels(known)))
    names = [one.name for one in fields]
    said = dict[str, str].fromkeys(_require_columns(drop, fields, "drop"), DROP)
    for name in _require_columns(public, fields, "public"):
        if name in said:
            raise InputError(f"the column {name!r} is both dropped and public; choose one.")
        said[name] = PUBLIC
    if person is not None:
        _require_columns([person.column], fields, "person")
        said[person.column] = "person"
    for group in together:
        _require_columns(group, fields, "together")
    proposals = tuple(_proposal(one, said.get(one.name), known.get(one.name)) for one in fields)
    settings = {
        "epsilon": read_epsilon(epsilon),
        "shares": shares,
        "estimates": tuple(several(estimates, name="estimates", of="columns")),
        "together": tuple(tuple(group) for group in together),
        "person": person,
        "others": others,
    }
    unused = tuple(name for name in known if name not in names)
    wanted = (
        None if order is None else one_of(order, ORDERS, name="order"),
        None if delta is None else read_delta(delta),
    )
    return Draft(proposals, settings, source, unused, wanted)


def _labels(known: Mapping[str, Any]) -> Iterator[str]:
    """Yield the labels and items that a codebook declares, as texts."""
    for entry in known.values():
        space = entry.space if isinstance(entry, Column) else None
        listed = entry.labels if isinstance(entry, CodebookEntry) else ()
        if isinstance(space, (Categories, Subsets)):
            listed = space.labels if isinstance(space, Categories) else space.items
        yield from map(str, listed)


def _fields(data: Any, labels: frozenset[str]) -> tuple[tuple[NamedType, ...], str]:
    if isinstance(data, (str, os.PathLike)):
        return read_fields(data, labels=labels), Path(os.fspath(data)).name
    if hasattr(data, "field") and hasattr(data, "names"):
        return fields_of(data), ""
    raise InputError(
        f"a plan is drafted from a path or from an Arrow schema; got a {type(data).__name__}. For "
        "a table in memory give its schema."
    )


def _require_columns(names: Iterable[str], fields: Sequence[NamedType], option: str) -> list[str]:
    given = [names] if isinstance(names, str) else several(names, name=option, of="columns")
    columns = [field.name for field in fields]
    for name in given:
        if not isinstance(name, str):
            raise InputError(f"{option} is a list of columns, by name; got {brief(name)}.")
        if name not in columns:
            near = difflib.get_close_matches(name, columns, n=1)
            # Those of a CSV file are not listed: without a header they would be a record.
            has_types = any(field.type for field in fields)
            listed = f" It has {', '.join(columns)}." if has_types else ""
            hint = f" Did you mean {near[0]!r}?" if near else listed
            raise InputError(f"{option} names {name!r}, which the table does not have.{hint}")
    return given


def _proposal(one: NamedType, said: Any, known: Any) -> Proposal:
    if said == "person":
        return Proposal(one, DROP, "it identifies people, and is not released")
    if said is not None:
        return Proposal(one, said, "as you said")
    if isinstance(known, Column) or known in (DROP, PUBLIC):
        return Proposal(one, known, "from the codebook")
    entry = known if isinstance(known, CodebookEntry) else None
    if entry is not None and entry.kind in ("drop", "public", "text"):
        why = "free text, the codebook says" if entry.kind == "text" else "from the codebook"
        return Proposal(one, PUBLIC if entry.kind == "public" else DROP, why)
    domain = None if entry is None else domain_of(entry, one)
    if domain is not None and entry is not None:
        column = Column(
            domain.space, null=domain.null, other=domain.other, off_grid=domain.off_grid
        )
        empty = "empty cells are errors unless null = declares what they count as"
        remarks = [domain.remark] * bool(domain.remark)
        remarks += [empty] * (entry.nullable and domain.null is None)
        return Proposal(one, column, "; ".join(["from the codebook", *remarks]))
    return _from_name(one)


def _from_name(one: NamedType) -> Proposal:
    hint = hint_of(one.name)
    suggestion = None if hint is None else hint.suggestion
    texts = one.type in ("text", "")
    if suggestion in ("identifier", "person"):
        assert hint is not None
        return Proposal(one, DROP, f"its name looks like {hint.why}")
    if one.type == "date" or (suggestion == "date" and texts):
        why = "few people share a date; declare a coarse step such as month, or drop it"
        return Proposal(replace(one, type="date"), None, why)
    if suggestion == "text" and texts:
        return Proposal(one, DROP, "it looks like free text, which cannot be randomized")
    if one.type == "boolean":
        return Proposal(one, Column([False, True]), "booleans need no declaration")
    if one.type == "other":
        return Proposal(one, DROP, f"its type ({one.written}) cannot be randomized")
    if suggestion == "place":
        return Proposal(one, None, "few people share a place; declare larger regions, or drop it")
    return Proposal(one, None)
