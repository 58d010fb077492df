"""Which declared columns are split into several, and codes of rows from one form to the other.

A synthesizer works on columns with one value in a cell. A set of items becomes a column for each
item, a curve one for each coefficient; all else stays as it is. A row of the table is one row of
the split table, so what one person can change in any table of counts stays the same: one row out,
one in, whatever the basket holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, final

from numpy.typing import NDArray

from noisewright.curves import in_basis
from noisewright.errors import InputError, ParameterError, TooLargeError
from noisewright.plans import Column
from noisewright.relations import ItemField, PlaceField, sql_table, value_field
from noisewright.sampling import Source
from noisewright.spaces import Curves, Records, Space, Subsets
from noisewright.synthetic.split.coefficient_columns import CoefficientColumns
from noisewright.synthetic.split.item_columns import ItemColumns
from noisewright.synthetic.split.split_column import SplitColumn
from noisewright.synthetic.tables_in_databases import TableInDatabase, WeightedCode
from noisewright.tables import Codes, Field, Person

MOST_ITEMS = 256
"""Items of a set that are synthesized: each pair of them may be counted."""


@final
@dataclass(frozen=True, eq=False)
class SplitColumns:
    """The fields of a table, and what they are split into."""

    fields: Mapping[str, Field]

    @cached_property
    def parts(self) -> dict[str, SplitColumn]:
        """The declared columns that are split."""
        taken = set(self.fields)
        found: dict[str, SplitColumn] = {}
        for name, field in self.fields.items():
            space = field.space
            if isinstance(space, Subsets):
                _require_few(name, space)
                items = {_free(f"{name}: {item}", taken): item for item in space.items}
                found[name] = ItemColumns(space, items)
            elif isinstance(space, Curves):
                found[name] = _coefficients(name, space, field, taken)
        return found

    @cached_property
    def domain(self) -> Records:
        """The columns with one value in a cell, in the order of what they come from."""
        spaces: dict[str, Space] = {}
        for name, field in self.fields.items():
            part = self.parts.get(name)
            spaces |= {name: field.space} if part is None else part.columns
        return Records(spaces)

    def open(self, data: Any, person: Person | None) -> TableInDatabase | None:
        """Return the table if a database has it, with the columns of the domain."""
        if sql_table(data) is None:
            return None
        fields: dict[str, Field] = {}
        stored: dict[str, str] = {}
        weighted: dict[str, WeightedCode] = {}
        joined = {name: one.columns for name, one in self.fields.items() if one.columns}
        taken = {*self.fields, *(name for name, _ in self.domain.columns)}
        for name, field in self.fields.items():
            part = self.parts.get(name)
            if isinstance(part, ItemColumns):
                for place, (own, item) in enumerate(part.items.items()):
                    fields[own] = ItemField(field, item, checks=not place)
                    stored[own] = name
            elif isinstance(part, CoefficientColumns):
                own = _positions(name, field, part.space, taken)
                fields |= own
                stored |= dict(zip(own, field.columns or [name] * len(own), strict=True))
                weighted |= part.sums(list(own))
            else:
                fields[name] = field
        return TableInDatabase.of(
            data, fields, person, stored=stored, weighted=weighted, joined=joined
        )

    def codes(self, cells: Mapping[str, Any], source: Source | None) -> Codes:
        """Return the codes of cells in the columns of the domain."""
        made: dict[str, NDArray[Any]] = {}
        for name, found in cells.items():
            part = self.parts.get(name)
            made |= {name: found} if part is None else part.split(found, source)
        return made

    def cells(self, codes: Codes, source: Source | None) -> dict[str, Any]:
        """Return the cells of the declared columns for codes of the domain."""
        return {
            name: self.parts[name].join(codes, source) if name in self.parts else codes[name]
            for name in self.fields
        }

    def words(self) -> list[str]:
        """Return what is lost by splitting, a sentence for each such column."""
        said = {name: part.words() for name, part in self.parts.items()}
        return [f"Column {name!r}: {words}." for name, words in said.items() if words]

    def describe(self) -> dict[str, Any]:
        """Return what the split columns are, as plain values."""
        return {name: part.describe() for name, part in self.parts.items()}


def fields_of(domain: Records, described: Mapping[str, Any]) -> dict[str, Column]:
    """Return the fields of a table whose domain, and what it was split from, is known."""
    owners = {part: name for name, one in described.items() for part in one["columns"]}
    found: dict[str, Column] = {}
    for name, space in domain.columns:
        owner = owners.get(name)
        if owner is None:
            found[name] = Column(space)
        elif owner not in found:
            found[owner] = _read(described[owner])
    return found


def _read(one: Mapping[str, Any]) -> Column:
    if one["kind"] == "sets":
        items = [item.encode("latin-1") if one["bytes"] else item for item in one["items"]]
        return Column(Subsets(items, largest=one["largest"]))
    bounds = {name: Fraction(one[name]) for name in ("low", "high", "step")}
    space = Curves([Fraction(place) for place in one["grid"]], **bounds)
    if one["coefficients"] is None:
        return Column(space, basis=one["basis"])
    return Column(space, basis=one["basis"], coefficients=one["coefficients"])


def _positions(name: str, field: Field, space: Curves, taken: set[str]) -> dict[str, Field]:
    """Return a field for the value of a curve at each position."""
    if field.null is not None:
        raise InputError(
            f"null=… of the column {name!r} is for curves in files; of a table in a database, fill "
            "gaps in a view, or leave such rows out there."
        )
    return {
        _free(f"{name}[{place}]", taken): value_field(field)
        if field.columns
        else PlaceField(field, place)
        for place in range(len(space.grid))
    }


def _coefficients(name: str, space: Curves, field: Field, taken: set[str]) -> CoefficientColumns:
    options = dict(field.options) if isinstance(field, Column) else {}
    if "basis" not in options:
        raise ParameterError(
            f"the column {name!r} holds curves, which are synthesized by their coefficients, and "
            "no basis is declared. Give one and how many coefficients, as in Column(Curves(…), "
            "basis='bspline', coefficients=6), or basis='fourier' for what repeats, such as days; "
            'in a plan\'s file, basis = "bspline" and coefficients = 6. Do not choose them by '
            "looking at the data."
        )
    made = in_basis(space, options["basis"], options.get("coefficients"))
    if made.count > _MOST_COEFFICIENTS:
        raise TooLargeError(
            f"the column {name!r} has {made.count:,} coefficients (at most {_MOST_COEFFICIENTS} "
            "are synthesized). Use a basis with fewer coefficients.",
            size=made.count,
        )
    words = (
        [f"{name} at {float(place):.6g}" for place in space.grid]
        if made.is_identity
        else [f"{name}: coefficient {number}" for number in range(1, made.count + 1)]
    )
    return CoefficientColumns(space, [_free(word, taken) for word in words], made)


_MOST_COEFFICIENTS = 32


def _require_few(name: str, space: Subsets) -> None:
    if len(space.items) > MOST_ITEMS:
        raise TooLargeError(
            f"the column {name!r} has {len(space.items):,} items (at most {MOST_ITEMS} are "
            "synthesized). Declare those that matter, and other=… for the rest; which ones they "
            "are must not come from the data.",
            size=len(space.items),
        )


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "'"
    taken.add(name)
    return name
