"""Products of mechanisms: over the rows of a database, and over the columns of a record.

Rows: (ε, δ) of the product over rows is that of one row (Holohan–Leith–Mason 2016, Theorem 6
and Corollary 3), because neighbors differ in one row. Columns: a person's whole record may
change, so the columns' guarantees add up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import prod
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import InputError, SpaceError
from noisewright.exact import Epsilon
from noisewright.mechanisms.categories.response import Response
from noisewright.mechanisms.counts.geometric import Geometric
from noisewright.mechanisms.guarantee import Guarantee
from noisewright.mechanisms.mechanism import Mechanism, Structured, require_tabulable
from noisewright.mechanisms.noise.additive import Additive
from noisewright.mechanisms.noise.curve_mechanism import CurveMechanism
from noisewright.mechanisms.table import Table
from noisewright.public import public
from noisewright.spaces import Lattice, Records, Rows


@dataclass(frozen=True)
class EachRow(Structured):
    """One mechanism applied to each of `count` rows, independently."""

    row: Mechanism
    count: int
    space: Rows = field(init=False, repr=False, compare=False)
    outputs: Rows = field(init=False, repr=False, compare=False)
    claim: Guarantee | None = field(init=False, repr=False, compare=False)
    _whose: ClassVar[str] = ""

    def draw(self, codes: NDArray[Any], source: sampling.Source | None = None) -> NDArray[Any]:
        """Draw released databases for databases of all `count` rows, given by their codes."""
        size = self.row.space.size
        rows = np.empty((self.count, len(codes)), dtype=object)
        rest = codes.astype(object)
        for place in reversed(range(self.count)):
            rows[place] = rest % size
            rest = rest // size
        flat = rows.reshape(-1)
        drawn = self.row.draw(flat if size >> 62 else flat.astype(np.intp), source)
        joined: NDArray[Any] = np.zeros(len(codes), dtype=object)
        for part in drawn.astype(object).reshape(rows.shape):
            joined = joined * self.row.outputs.size + part
        return joined

    def table(self) -> Table:
        """Return the whole as one table, for few rows of a small space."""
        require_tabulable(self.space, self.outputs, instead="Sample row by row instead.")
        row = self.row.table()
        name = f"{row.name} on {self.count} rows{self._whose}"
        return product_table(self, [row] * self.count, name)


@final
@dataclass(frozen=True)
class RowProduct(EachRow):
    """One mechanism applied to each row of a database: `mechanism ** count`."""

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        # Rows checks the count, so that a product over no rows is refused at once.
        set_field(self, "space", Rows(self.row.space, self.count))
        set_field(self, "outputs", Rows(self.row.outputs, self.count))
        set_field(self, "claim", self.row.claim)

    def sample(self, inputs: Any, *, source: sampling.Source | None = None) -> Any:
        """Sanitize one database of `count` rows, in the form in which it came."""
        rows = row_count(inputs)
        if rows != self.count:
            raise InputError(
                f"this product sanitizes databases of {self.count:,} rows; got "
                f"{'no sequence' if rows is None else f'{rows:,}'}."
            )
        if isinstance(self.row, RowProduct):
            return [self.row.sample(database, source=source) for database in inputs]
        return self.row.sample(inputs, source=source)

    def __repr__(self) -> str:
        return f"<{self.row!r} ** {self.count}>"

    def describe(self) -> dict[str, Any]:
        """Return the product as a certificate writes it."""
        parent = {
            "mechanism": self.row.describe(),
            "neighbors": self.row.space.describe_neighbors(),
        }
        return {"form": "rows", "count": self.count, "parent": parent}


def row_count(inputs: Any) -> int | None:
    """Return how many rows these inputs are; None for a single value."""
    if isinstance(inputs, Mapping):
        return next((row_count(column) for column in inputs.values()), 0)
    if isinstance(inputs, (str, bytes, set, frozenset)) or not hasattr(inputs, "__len__"):
        return None
    return None if getattr(inputs, "ndim", 1) == 0 else len(inputs)


@public
def product(columns: Mapping[str, Mechanism] | None = None, /, **named: Mechanism) -> ColumnProduct:
    """Return one mechanism per column of a record, drawn independently.

    Ensures: private for replacing the whole record: ε and δ are the sums over columns, each
    taken for the change of its value into any other.
    Source: basic composition, Dwork and Roth 2014, Theorem 3.16.
    """
    both = {**(columns or {}), **named}
    if not both:
        raise InputError("product() needs at least one column, as in product(job=…, age=…).")
    for name, mechanism in both.items():
        if not isinstance(mechanism, Mechanism):
            raise InputError(f"the column {name!r} is not a mechanism.")
    return ColumnProduct(tuple(both.items()))


@final
@dataclass(frozen=True)
class ColumnProduct(Structured):
    """Independent mechanisms for the columns of one record; see `product`."""

    columns: tuple[tuple[str, Mechanism], ...]
    space: Records = field(init=False, repr=False, compare=False)
    outputs: Records = field(init=False, repr=False, compare=False)
    claim: Guarantee | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        set_field(self, "space", Records({name: m.space for name, m in self.columns}))
        set_field(self, "outputs", Records({name: m.outputs for name, m in self.columns}))
        set_field(self, "claim", _add_claims([any_change(m) for _, m in self.columns]))

    def sample(self, inputs: Any, *, source: sampling.Source | None = None) -> Any:
        """Sanitize columns given by name (a mapping or an Arrow table), or records."""
        if hasattr(inputs, "column_names") and hasattr(inputs, "column"):
            drawn = self._by_name({n: inputs.column(n) for n in inputs.column_names}, source)
            return type(inputs).from_arrays(list(drawn.values()), names=list(drawn))
        if isinstance(inputs, Mapping):
            return self._by_name(inputs, source)
        if any(isinstance(mechanism, CurveMechanism) for _, mechanism in self.columns):
            return self._record_by_columns(inputs, source)
        if any(isinstance(mechanism.outputs, Lattice) for _, mechanism in self.columns):
            # Records whose columns have no last code have no code themselves.
            return self._by_record(inputs, source)
        return super().sample(inputs, source=source)

    def _by_record(self, inputs: Any, source: sampling.Source | None) -> Any:
        one = isinstance(inputs, tuple) and inputs in self.space
        records = [inputs] if one else list(inputs)
        codes = self.space.encode(_list_records(records))
        parts = np.array([self.space.split(int(code)) for code in codes], dtype=np.intp)
        drawn = [
            mechanism.outputs.decode(mechanism.draw(parts[:, place], source))
            for place, (_, mechanism) in enumerate(self.columns)
        ]
        released = list(zip(*(column.tolist() for column in drawn), strict=True))
        return released[0] if one else released

    def _record_by_columns(self, inputs: Any, source: sampling.Source | None) -> Any:
        """Sanitize records that hold curves, which are read as columns and have no codes."""
        one = isinstance(inputs, tuple)
        records = [inputs] if one else list(inputs)
        names = [name for name, _ in self.columns]
        listed = [[r[n] for n in names] if isinstance(r, Mapping) else list(r) for r in records]
        for row, record in enumerate(listed):
            if len(record) != len(names):
                raise self.space.outside(row=row, why=f"a record has {len(names)} columns")
        drawn = self._by_name(
            {name: [record[place] for record in listed] for place, name in enumerate(names)}, source
        )
        columns = [column.tolist() for column in drawn.values()]
        released = [
            tuple(tuple(cell) if isinstance(cell, list) else cell for cell in record)
            for record in zip(*columns, strict=True)
        ]
        return released[0] if one else released

    def _by_name(self, inputs: Mapping[str, Any], source: sampling.Source | None) -> dict[str, Any]:
        names = [name for name, _ in self.columns]
        if set(inputs) != set(names):
            raise InputError(
                f"the columns given are {sorted(inputs)}; this product takes {sorted(names)}. "
                "Drop or add columns so that they match."
            )
        lengths = {row_count(inputs[name]) for name in names}
        if len(lengths) > 1:
            shown = sorted("one value" if n is None else f"{n:,}" for n in lengths)
            raise InputError(f"the columns have different lengths: {', '.join(shown)}.")
        return {name: m.sample_column(inputs[name], source=source) for name, m in self.columns}

    def draw(self, codes: NDArray[Any], source: sampling.Source | None = None) -> NDArray[Any]:
        """Draw released records for records given by their codes."""
        drawn: NDArray[Any] = np.zeros(len(codes), dtype=object)
        rest = codes.astype(object)
        scale = 1
        for _, mechanism in reversed(self.columns):
            size = mechanism.space.size
            part = rest % size if size >> 62 else (rest % size).astype(np.intp)
            rest = rest // size
            drawn = drawn + scale * mechanism.draw(part, source).astype(object)
            scale *= mechanism.outputs.size
        return drawn

    def table(self) -> Table:
        """Return the whole product as one table, for few and small columns."""
        require_tabulable(self.space, self.outputs, instead="Sample column by column instead.")
        tables = [mechanism.table() for _, mechanism in self.columns]
        return product_table(self, tables, "product of columns")

    def __repr__(self) -> str:
        inner = ", ".join(f"{name}={mechanism!r}" for name, mechanism in self.columns)
        return f"<product of {inner}>"

    def describe(self) -> dict[str, Any]:
        """Return the product as a certificate writes it."""
        columns: list[dict[str, Any]] = []
        for name, mechanism in self.columns:
            claim = any_change(mechanism)
            if claim is None:
                raise SpaceError(f"the column {name!r} has no guarantee to certify.")
            columns.append(
                {
                    "name": name,
                    "mechanism": mechanism.describe(),
                    "neighbors": {"relation": "replace"},
                    "claims": claim.describe(),
                }
            )
        return {"form": "columns", "columns": columns}


def product_table(whole: Mechanism, parts: list[Table], name: str) -> Table:
    """Return the table of independent parts: the Kronecker product of theirs."""
    return Table(
        whole.space,
        reduce(np.kron, [part.weights for part in parts]),
        total=prod(part.total for part in parts),
        outputs=whole.outputs,
        claim=whole.claim,
        name=name,
    )


def _list_records(records: list[Any]) -> NDArray[Any]:
    values = np.empty(len(records), dtype=object)
    values[:] = records
    return values


def any_change(mechanism: Mechanism) -> Guarantee | None:
    """Return a guarantee that holds between any two inputs, not only between neighbors."""
    if mechanism.space.neighbors == "replace" and mechanism.claim is not None:
        return mechanism.claim
    if isinstance(mechanism, (ColumnProduct, Response)):
        return mechanism.claim
    if isinstance(mechanism, Geometric):
        return Guarantee(mechanism.epsilon.times(mechanism.space.n))
    if isinstance(mechanism, Additive):
        return Guarantee(mechanism.pure_epsilon(mechanism.space.size - 1))
    if isinstance(mechanism, Table):
        return _widest_ratio(mechanism)
    return None


def _widest_ratio(table: Table) -> Guarantee | None:
    """Return the tight ε between any two rows: the widest ratio within a column."""
    widest = Fraction(1)
    for column in table.weights.T.tolist():
        largest, smallest = max(column), min(column)
        if largest and not smallest:
            return None
        if largest:
            widest = max(widest, Fraction(largest, smallest))
    return Guarantee(Epsilon.log(widest).brief())


def _add_claims(claims: list[Guarantee | None]) -> Guarantee | None:
    known = [claim for claim in claims if claim is not None]
    if len(known) < len(claims):
        return None
    return Guarantee(
        epsilon_sum([claim.epsilon for claim in known]),
        min(Fraction(1), sum((claim.delta for claim in known), Fraction(0))),
    )


def epsilon_sum(parts: list[Epsilon]) -> Epsilon:
    """Return the sum of several ε, or a rational just above it when their kinds are mixed."""
    rational = sum((part.rational for part in parts), Fraction(0))
    ratio = Fraction(1)
    for part in parts:
        ratio *= part.ratio or 1
    if ratio == 1:
        return Epsilon(rational=rational)
    if rational == 0:
        return Epsilon.log(ratio).brief()
    _, high = Epsilon.log(ratio).bounds(128)
    return Epsilon(rational=rational + Fraction(high, 1 << 128))
