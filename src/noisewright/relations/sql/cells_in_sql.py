"""Cells of a table as whole numbers, in SQL: as `TotalCells` reads them, and without errors.

What is missing or beyond the bounds is settled by comparisons before anything is cast, so that no
cast can fail, whatever a cell holds. Numbers that are no integers are rounded to the grid in
doubles: within rounding error of the middle between two points, either of them may be taken.

Where cells are read strictly, those that `Cells` would refuse are NULL: what is beyond the bounds
or between two points and is not declared to be moved.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from noisewright.errors import InputError
from noisewright.on_use import pa
from noisewright.relations.kinds import FieldGrid, Truth, grid_of
from noisewright.relations.list_fields import ItemField, PlaceField
from noisewright.relations.nodes import LARGEST
from noisewright.relations.sql.dialects import Dialect
from noisewright.relations.sql.lists_in_sql import (
    item_in_sql,
    place_in_sql,
    require_lists,
    require_numbers,
)
from noisewright.relations.sql.terms import (
    Term,
    call,
    case,
    cast,
    clamp,
    double,
    expressions,
    is_null,
    join,
    negation,
    null,
    table_of,
    text,
    whole,
)
from noisewright.spaces import SNAP, Categories, Dates, Interval
from noisewright.tables import Field, TotalCells, is_text

_FEW = 24
"""So many labels are compared one by one; more are looked up in a table of labels."""

_COUNTS = Fraction(0), Fraction(1)
"""Where counts begin, and their step."""

_EXACT = 1 << 52
"""Doubles below this have room for halves."""

Joined = list[tuple[Term, Term]]
"""Tables of labels that are joined, with the condition."""


def require_type(field: Field, name: str, kind: Any) -> None:
    """Raise InputError unless cells of a column of a database can be read as the field says."""
    if isinstance(field, ItemField):
        return require_lists(field, name, kind)
    if isinstance(field, PlaceField):
        return require_numbers(field, name, kind)
    TotalCells(field, name=name).require_type(kind)
    labels = field.space.labels if isinstance(field.space, Categories) else ()
    values = kind.value_type if pa.types.is_dictionary(kind) else kind
    if is_text(values) != any(isinstance(label, str) for label in labels) or any(
        isinstance(label, bytes) for label in labels
    ):
        raise InputError(
            f"the column {name!r} has the type {kind}; in a database it must have the type of what "
            f"it holds: {field.cells.needs}. Make a view that converts the column."
        )
    if any(isinstance(label, str) and not _is_writable(label) for label in labels):
        raise InputError(
            f"a label of the column {name!r} has a character that SQL cannot write. Leave the "
            "label out, or let other=… count such cells."
        )


def text_in(cell: bytes) -> str | None:
    """Return the text of some bytes of UTF-8; None if it is none that SQL can write."""
    try:
        found = bytes(cell).decode()
    except UnicodeDecodeError:
        return None
    return found if _is_writable(found) else None


def _is_writable(label: str) -> bool:
    return "\0" not in label and not any("\ud800" <= mark <= "\udfff" for mark in label)


class CellWriter:
    """Writes the whole numbers of columns for a dialect; collects the tables that it joins."""

    def __init__(
        self, dialect: Dialect, make_name: Callable[[str], str], *, strict: bool = False
    ) -> None:
        self.dialect = dialect
        self._strict = strict
        self.joined: Joined = []
        self._make_name = make_name

    def number(self, field: Field, cell: Term, kind: Any) -> Term:
        """Return what a cell counts as."""
        if isinstance(field, ItemField):
            return item_in_sql(self.dialect, field, cell)
        if isinstance(field, PlaceField):
            element = self.dialect.element(cell, field.place)
            value = self.number(field.value, element, kind.value_type)
            return place_in_sql(self.dialect, field, cell.copy(), value)
        grid, space = grid_of(field), field.space
        if isinstance(space, Categories):
            return self._label(field, grid, cell, kind)
        code = None if field.null is None else space.code(field.null)
        missing = null() if code is None else whole(grid.first + grid.stride * code)
        clamps = not self._strict or field.outside == "clamp"
        if isinstance(space, Dates):
            steps = self._date(space, cell, kind, clamps=clamps)
            return case((is_null(cell), missing), otherwise=steps)
        is_grid = isinstance(space, Interval)
        rounds = not self._strict or (field.off_grid == "round" if is_grid else clamps)
        low, step = (space.low, space.step) if isinstance(space, Interval) else _COUNTS
        high = low + step * (space.size - 1)
        # As `Interval` has it: so close, in steps, numbers are points; counts are exact.
        snap = (SNAP, SNAP * max(1.0, (space.size - 1) * 1e-6)) if is_grid else (0.0, 0.0)
        # Between points so far apart, whole numbers too can be close to one.
        is_far = self._strict and snap[1] * step * math.lcm(low.denominator, step.denominator) >= 1
        found = None
        if pa.types.is_integer(kind) and not is_far:
            found = _in_integers(grid, cell, low, step, high)
        if found is not None:
            code = self.dialect.quotient(*found) if isinstance(found, tuple) else found
            if isinstance(found, tuple) and not rounds:
                dividend, by = found
                rest = join("Mod", dividend.copy(), whole(by))
                code = case((join("EQ", rest, whole(by // 2)), code))
            places = [whole(math.floor(low)), whole(math.ceil(high))]
            outer = [whole(math.ceil(low)), whole(math.floor(high))]
            gaps: Term = is_null(cell)
            value = cell.copy()
        else:
            decimal = not pa.types.is_floating(kind)
            value, kind_name = self.dialect.comparable(cell, decimal=decimal)
            near = [float(low) - snap[0] * float(step), float(high) + snap[1] * float(step)]
            outer = [cast(text(repr(end)), kind_name) for end in near]
            # Anything below half a step is the first point. The least doubles never get as far as
            # to be divided by a step: PostgreSQL raises an error if that underflows.
            least = low if low or step <= 1 else step / 4
            first = float(least) if rounds else float(low) + snap[0] * float(step)
            places = [cast(text(repr(end)), kind_name) for end in (first, float(high))]
            exact = self.dialect.as_double(cell.copy(), decimal=decimal)
            code = self._in_doubles(exact, low, step, high, snap=None if rounds else snap)
            nan = self.dialect.is_nan(cell.copy(), decimal=decimal)
            gaps = is_null(cell) if nan is None else join("Or", is_null(cell), nan)
        beyond = [
            (join("LT", value.copy(), outer[0]), null()),
            (join("GT", value.copy(), outer[1]), null()),
        ]
        return case(
            (gaps, missing),
            *([] if clamps else beyond),
            (join("LTE", value, places[0]), whole(grid.first)),
            (join("GTE", value.copy(), places[1]), whole(grid.last)),
            otherwise=_on_grid(grid, code),
        )

    def _in_doubles(
        self,
        value: Term,
        low: Fraction,
        step: Fraction,
        high: Fraction,
        *,
        snap: tuple[float, float] | None,
    ) -> Term:
        """Return the place on the grid of a double between the bounds.

        With `snap`, that of points alone: so close, in steps, at the lower end and at the upper.
        """
        exp = expressions()
        if low:
            value = join("Sub", value, double(float(low)))
        if step != 1:
            value = join("Div", value, double(float(step)))
        nearest = exp.Floor(this=join("Add", value, double(0.5)))
        if (high - low) / step >= _EXACT:
            is_whole = join("EQ", value.copy(), exp.Floor(this=value.copy()))
            nearest = case((is_whole, value.copy()), otherwise=nearest)
        place = cast(nearest, "BIGINT")
        if snap is None:
            return place
        room = double(snap[0])
        if snap[1] > snap[0]:
            # It grows with the place, which a double knows to so many digits.
            grown = join("Mul", value.copy(), double(snap[0] * 1e-6))
            room = call("GREATEST", room, grown)
        off = exp.Abs(this=join("Sub", value.copy(), nearest.copy()))
        return case((join("LTE", off, room), place))

    def _label(self, field: Field, grid: FieldGrid, cell: Term, kind: Any) -> Term:

        labels, space = field.space.labels, field.space  # pyright: ignore[reportAttributeAccessIssue]

        def place(label: Any) -> Term:
            return null() if label is None else whole(grid.first + grid.stride * space.code(label))

        missing, other = place(field.null), place(field.other)
        if isinstance(grid.kind, Truth) or pa.types.is_boolean(kind):
            found = {
                known: place(known if known in space else field.other) for known in (True, False)
            }
            return case(
                (cell, found[True]), (negation(cell.copy()), found[False]), otherwise=missing
            )
        gaps = is_null(cell)
        numbers = [
            one for one in labels if isinstance(one, int | float) and not isinstance(one, bool)
        ]
        if is_text(kind) or pa.types.is_dictionary(kind):
            exact = self.dialect.exact
            value = exact(cell.copy())
            known = [(exact(text(one)), place(one)) for one in labels if isinstance(one, str)]
        elif pa.types.is_integer(kind):
            value = cell.copy()
            known = [(whole(int(one)), place(one)) for one in numbers if one == int(one)]
        else:
            value = cell.copy()
            narrow = pa.types.is_float32(kind)
            name, rounded = ("REAL", np.float32) if narrow else ("DOUBLE", np.float64)
            # The first of labels that round to the same number: a row beside each would be several.
            first: dict[float, Any] = {}
            for one in numbers:
                first.setdefault(float(rounded(one)), one)
            known = [(cast(text(repr(cut)), name), place(one)) for cut, one in first.items()]
            nan = self.dialect.is_nan(cell.copy(), decimal=False)
            gaps = gaps if nan is None else join("Or", gaps, nan)
        if len(known) <= _FEW:
            branches = [(join("EQ", value.copy(), label), code) for label, code in known]
            return case((gaps, missing), *branches, otherwise=other)
        return self._looked_up(value, known, gaps, missing, other)

    def _looked_up(
        self, value: Term, known: list[tuple[Term, Term]], gaps: Term, missing: Term, other: Term
    ) -> Term:
        exp, name = expressions(), self._make_name("labels")
        table = table_of(name, ["label", "code"], known)
        code, label = exp.column("code", table=name), exp.column("label", table=name)
        self.joined.append((table, join("EQ", value, label)))
        return case(
            (gaps, missing), (negation(is_null(code)), cast(code.copy(), "BIGINT")), otherwise=other
        )

    def _date(self, space: Dates, cell: Term, kind: Any, *, clamps: bool) -> Term:
        """Return the steps since 1970 of a date or a time that is not NULL, within the bounds."""
        ends = int(space.low), int(space.low) + space.size - 1
        begin, end = space.dates_at(np.array(ends)).astype("datetime64[s]").tolist()
        if not clamps:
            # Times within the last step are inside.
            end = min(end, datetime.datetime.max - _LONGEST) + _LONGEST
        if pa.types.is_date(kind):
            type_name, time = "DATE", cell
            first, last = str(begin.date()), str(end.date())
        elif kind.tz is None:
            type_name, time = "TIMESTAMPNTZ", cast(cell, "TIMESTAMPNTZ")
            first, last = str(begin), str(end)
        else:
            type_name, time = self.dialect.moments, cell
            margin = datetime.timedelta(days=2)  # more than any zone is ahead or behind
            first = f"{max(begin, datetime.datetime.min + margin) - margin}+00:00"
            last = f"{min(end, datetime.datetime.max - margin) + margin}+00:00"
        local = time
        if type_name == self.dialect.moments:
            assert space.zone is not None
            local = self.dialect.in_zone(time, space.zone)
        steps = self._steps(space.every, local, type_name)
        inside = clamp(steps, *ends)
        below, above = whole(ends[0]), whole(ends[1])
        if not clamps:
            is_inside = expressions().Between(this=steps.copy(), low=below, high=above)
            inside, below, above = case((is_inside, steps)), null(), null()
        return case(
            (join("LT", time.copy(), cast(text(first), type_name)), below),
            (join("GT", time.copy(), cast(text(last), type_name)), above),
            otherwise=inside,
        )

    def _steps(self, every: str, time: Term, type_name: str) -> Term:
        dialect = self.dialect
        if every in ("year", "month"):
            years = join("Sub", dialect.part("year", time), whole(1970))
            if every == "year":
                return years
            months = join("Add", join("Mul", years, whole(12)), dialect.part("month", time.copy()))
            return join("Sub", months, whole(1))
        days = dialect.days(time if type_name == "DATE" else cast(time, "DATE"))
        if every == "day":
            return days
        if every == "week":
            # From a Monday in the year −767 on, so that what is divided is not negative.
            shifted = join("Add", days, whole(3 + 7 * _WEEKS))
            return join("Sub", dialect.quotient(shifted, 7), whole(_WEEKS))
        hours = join("Mul", days, whole(24))
        if type_name != "DATE":
            hours = join("Add", hours, dialect.part("hour", time.copy()))
        if every == "hour":
            return hours
        minutes = join("Mul", hours, whole(60))
        if type_name != "DATE":
            minutes = join("Add", minutes, dialect.part("minute", time.copy()))
        return minutes


_LONGEST = datetime.timedelta(days=366)
"""No step of dates is longer."""

_WEEKS = 142_857
"""More weeks than there are from any bound of dates to 1970."""


def _in_integers(
    grid: FieldGrid, cell: Term, low: Fraction, step: Fraction, high: Fraction
) -> Term | tuple[Term, int] | None:
    """Return the place on the grid of a whole number between the bounds, exactly.

    It is ⌊(2 d x − 2 d low + d step) / (2 d step)⌋ with a common denominator d: the dividend and
    the divisor, or the place itself; None if the numbers are too large.
    """
    below = math.lcm(low.denominator, step.denominator)
    by = int(2 * below * step)
    rest = int(below * step - 2 * below * low)
    if max(abs(low), abs(high)) * 4 * below + abs(rest) + by >= min(LARGEST, 1 << 55):
        return None
    value = cast(cell.copy(), "BIGINT")
    if below == 1 and step == 1:
        return join("Sub", value, whole(int(low))) if low else value
    return join("Add", join("Mul", value, whole(2 * below)), whole(rest)), by


def _on_grid(grid: FieldGrid, code: Term) -> Term:
    if grid.stride != 1:
        code = join("Mul", code, whole(grid.stride))
    return join("Add", code, whole(grid.first)) if grid.first else code
