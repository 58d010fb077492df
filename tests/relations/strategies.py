"""Random tables with nasty cells, and random tallies of them.

Cells lie on grids that doubles hold exactly, or away from the middle between two grid points: a
number within rounding error of such a tie may be read as either point, by engines that compute in
doubles.
"""

import datetime
import math
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import hypothesis.strategies as st
import pyarrow as pa

from noisewright.errors import ParameterError
from noisewright.relations import (
    Filter,
    KeyRequest,
    Limit,
    Node,
    Paired,
    Repeated,
    SourceRows,
    TallyRequest,
    add,
    bins,
    both,
    choose,
    clip,
    column,
    compare,
    divide,
    either,
    fill,
    is_in,
    is_null,
    literal,
    look_up,
    modulo,
    multiply,
    negate,
    subtract,
)
from noisewright.spaces import Categories, Counts, Dates, Interval
from noisewright.tables import Field

TEXTS = ["a", "b", "", "it's", "ü\\n", "A", " a", '"', "a;--", "{x}", "%s", "?", "\n", "\U0001f60e"]
FLOATS = [math.nan, math.inf, -math.inf, -0.0, 0.25, 1e300, -1e300, 5e-324, 2.0**63, 1.5, 3.0, -7.0]
WHOLE = [0, 1, 2, 3, 5, -1, -7, 2**31, 2**53 + 1, 2**63 - 1, -(2**63)]
ZONES = ["Europe/Vienna", "America/St_Johns", "Asia/Kathmandu", "UTC"]


@dataclass(frozen=True)
class Kind:
    """A type of column, fields that it may have, and cells that it may hold."""

    type: pa.DataType
    fields: st.SearchStrategy[Field]
    cells: st.SearchStrategy[Any]


def _labels(labels: list[Any], *, texts: bool = False) -> st.SearchStrategy[Field]:
    """With and without a label for empty cells and for undeclared ones."""
    extra = st.sampled_from([None, labels[0], *(["else"] if texts else [])])
    return st.builds(
        lambda null, other: Field(Categories(labels), null=null, other=other), extra, extra
    )


def _numbers(*spaces: tuple[Any, Any]) -> st.SearchStrategy[Field]:
    """Spaces with and without a number that empty cells count as."""
    return st.sampled_from(
        [Field(space, null=null) for space, point in spaces for null in (None, point)]
    )


def _among(values: list[Any], more: st.SearchStrategy[Any] | None = None) -> Any:
    cells = st.sampled_from(values)
    return st.none() | (cells if more is None else cells | more)


_NUMBERS = _numbers(
    (Counts(9), 4),
    (Counts(2**40), 0),
    (Interval(-8, 8, step="1/4"), 0),
    (Interval(-3, 9, step=3), 6),
    (Interval(0, 2**40, step=2**20), 0),
    (Interval("1/2", "129/2", step=2), 0.5),
)
_EIGHTHS = st.integers(-100, 100).map(lambda k: k / 8)


def _dates(*, zone: bool) -> st.SearchStrategy[Field]:
    def make(every: str, zone: str | None, has_null: bool) -> Field:
        space = Dates("1969-11-03", "2031-02-01", step=every, zone=zone)
        return Field(space, null=space.point(5) if has_null else None)

    zones = st.sampled_from(ZONES) if zone else st.none()
    steps = st.sampled_from(["year", "month", "week", "day", "hour", "minute"])
    return st.builds(make, steps, zones, st.booleans())


_DAYS = st.dates(datetime.date(1960, 1, 1), datetime.date(2036, 1, 1)) | st.sampled_from(
    [datetime.date(1, 1, 1), datetime.date(9999, 12, 31), datetime.date(1969, 12, 31)]
)
_MOMENTS = st.datetimes(datetime.datetime(1972, 1, 1), datetime.datetime(2036, 1, 1)) | (
    st.sampled_from(
        [
            datetime.datetime(2026, 10, 25, 0, 59, 59, 999999),
            datetime.datetime(2026, 10, 25, 1, 0),
            datetime.datetime(2026, 3, 29, 1, 0),
        ]
    )
)
_TIMES = _MOMENTS | st.sampled_from(
    [
        datetime.datetime(1969, 12, 31, 23, 59, 59, 999999),
        datetime.datetime(1, 1, 1),
        datetime.datetime(9999, 12, 31, 23),
    ]
)
_DECIMALS = _among(
    [Decimal("0.25"), Decimal("-99999.75"), Decimal(3), Decimal("12345678901234.5")],
    st.integers(-400, 400).map(lambda k: Decimal(k) / 4),
)

# What every engine can hold.
KINDS = {
    "texts": Kind(pa.string(), _labels(["a", "b", "", "it's", "ü\\n"], texts=True), _among(TEXTS)),
    "many texts": Kind(
        pa.string(), _labels([f"l{i}" for i in range(70)]), _among([f"l{i}" for i in range(80)])
    ),
    "whole labels": Kind(pa.int64(), _labels([1, -7, 2**53 + 1, 0]), _among(WHOLE)),
    "number labels": Kind(pa.float64(), _labels([0.25, 3, -1.5, 0]), _among(FLOATS)),
    "truth": Kind(
        pa.bool_(), _labels([True, False]) | _labels([False, True]), _among([True, False])
    ),
    "whole numbers": Kind(pa.int64(), _NUMBERS, _among(WHOLE, st.integers(-20, 20))),
    "short numbers": Kind(pa.int16(), _NUMBERS, _among([32767, -32768, 0, 1, 2, 3, 6])),
    "doubles": Kind(pa.float64(), _NUMBERS, _among(FLOATS, _EIGHTHS)),
    "singles": Kind(pa.float32(), _NUMBERS, _among([math.nan, math.inf, -0.0], _EIGHTHS)),
    "decimals": Kind(pa.decimal128(20, 3), _NUMBERS, _DECIMALS),
    "dates": Kind(pa.date32(), _dates(zone=False) | _dates(zone=True), st.none() | _DAYS),
    "times": Kind(pa.timestamp("us"), _dates(zone=False) | _dates(zone=True), st.none() | _TIMES),
    "moments": Kind(
        pa.timestamp("us", "UTC"),
        _dates(zone=True),
        st.none() | _MOMENTS.map(lambda one: one.replace(tzinfo=datetime.UTC)),
    ),
}

# Texts that state numbers, truth values and dates, which files have and databases need not.
STATED = ["1", " 3 ", "-7", "1e3", "0.25", "nan", "inf", "-Infinity", "x", "", "1_0", "٣", "true"]
IN_FILES = {
    "stated labels": Kind(pa.string(), _labels([1, -7, 0.25, 0]), _among(STATED)),
    "stated truth": Kind(
        pa.string(), _labels([True, False]), _among(["true", "FALSE", " True", "1", "yes", ""])
    ),
    "stated numbers": Kind(pa.string(), _NUMBERS, _among(STATED)),
    "stated dates": Kind(
        pa.string(),
        _dates(zone=False),
        _among(["2020-02-30", "x", "", "1999-12-31T23:59", " 2001-09-09 "], _DAYS.map(str)),
    ),
}


# Expressions

_SMALL = st.integers(-9, 9)
_LITERALS = _SMALL | st.sampled_from([2**40, -(2**61)])
_DIVISORS = st.integers(1, 9) | st.sampled_from([2**33, 2**61 + 1, 2**62 - 1])
_ENDS = st.tuples(_SMALL, _SMALL).map(sorted)
_EDGES = st.lists(st.integers(-30, 30), max_size=7, unique=True).map(sorted)
_VALUES = st.lists(_SMALL | st.none(), min_size=1, max_size=9).filter(
    lambda found: any(one is not None for one in found)
)
_IN = st.lists(st.integers(-3, 9), max_size=5)


@st.composite
def numbers(draw: Any, columns: list[Node], depth: int = 3) -> Node:
    """A whole number made of some columns."""
    operator = draw(st.integers(-2, 10)) if depth else 0
    if operator <= 0:
        return draw(st.sampled_from(columns) | _LITERALS.map(literal))
    a = draw(numbers(columns, depth - 1))
    try:
        match operator:
            case 1:
                return add(a, draw(numbers(columns, depth - 1)))
            case 2:
                return subtract(a, draw(numbers(columns, depth - 1)))
            case 3:
                return multiply(a, draw(numbers(columns, depth - 1)))
            case 4:
                return divide(a, draw(_DIVISORS))
            case 5:
                return modulo(a, draw(_DIVISORS))
            case 6:
                return clip(a, *draw(_ENDS))
            case 7:
                return fill(a, draw(_SMALL))
            case 8:
                return bins(a, draw(_EDGES))
            case 9:
                return look_up(a, draw(_VALUES), draw(_SMALL))
            case _:
                condition = draw(conditions(columns, depth - 1))
                return choose(condition, a, draw(numbers(columns, depth - 1)))
    except ParameterError:  # it would need too many bits
        return a


@st.composite
def conditions(draw: Any, columns: list[Node], depth: int = 3) -> Node:
    """A truth value."""
    operator = draw(st.integers(0, 5 if depth else 2))
    if operator <= 2:
        a = draw(numbers(columns, max(depth - 1, 0)))
        if operator == 0:
            words = st.sampled_from(["less", "at most", "equal"])
            return compare(draw(words), a, draw(numbers(columns, max(depth - 1, 0))))
        return is_null(a) if operator == 1 else is_in(a, draw(_IN))
    one = draw(conditions(columns, depth - 1))
    if operator == 3:
        return negate(one)
    return (both if operator == 4 else either)(one, draw(conditions(columns, depth - 1)))


@st.composite
def groups(draw: Any, columns: list[Node], most: int = 3) -> tuple[Node, ...]:
    """Nodes that say which cell a row is in: few values each."""
    found: list[Node] = []
    for _ in range(draw(st.integers(0, most))):
        node = draw(numbers(columns) | conditions(columns))
        if node.high - node.low > 4:
            node = modulo(node, draw(st.integers(1, 5)))
        found.append(node)
    return tuple(found)


# Tables


@dataclass(frozen=True)
class Table:
    """Columns with a type each, and rows."""

    types: dict[str, pa.DataType]
    rows: list[dict[str, Any]]

    @property
    def arrow(self) -> pa.Table:
        arrays = {
            name: pa.array([row[name] for row in self.rows], kind)
            for name, kind in self.types.items()
        }
        return pa.table(arrays)

    @property
    def stored(self) -> list[dict[str, Any]]:
        """The rows as plain Python, with the precision that the types have."""
        return self.arrow.to_pylist()


@st.composite
def sources(draw: Any, *, files: bool, person: bool | None = None, prefix: str = "") -> SourceRows:
    """A source of a random `Table`."""
    kinds = {**KINDS, **IN_FILES} if files else KINDS
    chosen = draw(st.lists(st.sampled_from(sorted(kinds)), min_size=1, max_size=4))
    named = {f"{prefix}{kind} {place}": kinds[kind] for place, kind in enumerate(chosen)}
    fields = {name: draw(kind.fields) for name, kind in named.items()}
    stored = {name: f'{name} "stored"' for name in named if draw(st.booleans())}
    types = {stored.get(name, name): kind.type for name, kind in named.items()}
    cells: dict[str, Any] = {stored.get(n, n): kind.cells for n, kind in named.items()}
    who: str | None = None
    if person or (person is None and draw(st.booleans())):
        who = f"{prefix}who"
        numbered = draw(st.booleans())
        types[who] = pa.int64() if numbered else pa.string()
        cells[who] = _among(
            [1, 2, 3, -4, 2**62, -(2**63)] if numbered else ["1", "2", "", "ü", "-4"]
        )
    rows = draw(st.lists(st.fixed_dictionaries(cells), max_size=12))
    return SourceRows(Table(types, rows), fields, who, stored)


def columns_of(source: SourceRows) -> list[Node]:
    """The columns of a source as nodes."""
    found: list[Node] = []
    for name in source.fields:
        grid = source.grid(name)
        ends = sorted([grid.first, grid.last])
        found.append(column(name, ends[0], ends[1], nullable=grid.nullable))
    return found


@st.composite
def tallies(draw: Any, *, files: bool = False) -> TallyRequest:
    """A tally of rows that are filtered, limited and paired in a random order.

    `files` says whether columns of texts may state numbers and dates.
    """
    if draw(st.integers(0, 3)) == 0:
        left = draw(sources(files=files, person=True, prefix="l "))
        right = draw(sources(files=files, person=True, prefix="r "))
        columns = columns_of(left) + columns_of(right)
        rows: Any = Paired(
            draw(narrower(left, columns_of(left))), draw(narrower(right, columns_of(right)))
        )
    else:
        left = rows = draw(sources(files=files))
        columns = columns_of(rows)
    rows = draw(narrower(rows, columns))
    if draw(st.integers(0, 2)) == 0:
        rows = Repeated(rows, draw(st.integers(1, 3)), "match")
        columns = [*columns, column("match", 0, rows.times - 1, nullable=False)]
        # Several rows of a person can be limited only where a column names people.
        rows = rows if left.person is None else draw(narrower(rows, columns))
    by = draw(groups(columns))
    sums = [draw(numbers(columns)) for _ in range(draw(st.integers(0, 2)))]
    return TallyRequest(rows, by, tuple(sums))


@st.composite
def wide_tallies(draw: Any) -> TallyRequest:
    """A tally of a table with a column of each kind, and of many expressions at once."""
    named = {f"Column of {name}": kind for name, kind in KINDS.items()}
    fields = {name: draw(kind.fields) for name, kind in named.items()}
    types = {**{name: kind.type for name, kind in named.items()}, "who": pa.string()}
    cells = {**{name: kind.cells for name, kind in named.items()}, "who": _among(["1", "", "ü"])}
    rows = [draw(st.fixed_dictionaries(cells)) for _ in range(20)]
    source = SourceRows(Table(types, rows), fields, "who")
    columns = columns_of(source)
    sums = [*columns, *(draw(numbers(columns)) for _ in range(16))]
    return TallyRequest(draw(narrower(source, columns)), draw(groups(columns)), tuple(sums))


@st.composite
def narrower(draw: Any, rows: Any, columns: list[Node]) -> Any:
    """Some of the rows."""
    for _ in range(draw(st.integers(0, 2))):
        if draw(st.booleans()):
            rows = Filter(rows, draw(conditions(columns)))
            continue
        # What tells rows apart must be all that is looked at afterwards.
        reads = draw(st.permutations(columns))
        each = draw(st.integers(1, 3) | st.just(10**12))
        salt = draw(st.sampled_from(["salt", "'", "ü"]))
        if draw(st.booleans()):
            count = draw(st.integers(1, 3) | st.just(10**12))
            rows = Limit(rows, each, salt, count, draw(groups(columns)), tuple(reads))
        else:
            rows = Limit(rows, each, salt, reads=tuple(reads))
    return rows


# Keys that nobody declared

KEYS = [
    *TEXTS,
    "a ",
    "e\u0301",
    "\u00e9",
    "\u00df",
    "ss",
    "\u0131",
    "i",
    "I",
    "\ufb01",
    "fi",
    "\u200ba",
    "x" * 5_000,
    "x" * 4_999 + "y",
    "NULL",
]


@st.composite
def key_requests(draw: Any) -> KeyRequest:
    """How many people have each key, of rows that are filtered."""
    source = draw(sources(files=False))
    texts = draw(st.booleans())
    cells = _among(KEYS if texts else WHOLE)
    rows = [{**row, "key": draw(cells)} for row in source.table.rows]
    types = {**source.table.types, "key": pa.string() if texts else pa.int64()}
    found: Any = replace(source, table=Table(types, rows))
    if draw(st.booleans()):
        found = Filter(found, draw(conditions(columns_of(source))))
    return KeyRequest(found, "key", draw(st.integers(1, 3)), draw(st.sampled_from("ab")))
