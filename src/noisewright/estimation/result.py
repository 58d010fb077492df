"""What an estimate is: values with standard errors and intervals, and whom they speak about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError
from noisewright.on_use import pa
from noisewright.public import public_methods
from noisewright.spaces import Dates

About = Literal["people", "population"]
Array = NDArray[np.float64]
ARRAYS = ("values", "standard_errors", "lows", "highs")
"""What an estimate holds one number of for each answer."""

_MOST_SHOWN = 12
_EVERYBODY = 8e9


@dataclass(frozen=True)
class Axis:
    """One direction of a table of answers: its name and the label of each place."""

    name: str
    labels: Sequence[Any]

    def place(self, label: Any) -> int:
        """Return where a label is."""
        for place, known in enumerate(self.labels):
            if known == label and type(known) is type(label):
                return place
        for place, known in enumerate(self.labels):
            if known == label:
                return place
        raise InputError(f"{label!r} is not one of the {len(self.labels):,} labels of {self.name}.")


@public_methods
@final
@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """One answer, or a table of answers, each with its error.

    `what` names the answers: a share, a count, a mean … `values`, `standard_errors`, `lows` and
    `highs` are arrays of the shape of the `axes`, of no dimension without axes; `value`,
    `standard_error` and `interval` are for a single answer. `about` says whom they speak about: the
    `people` whose data were released, so that noise is error and sampling is not, or the population
    that these people were sampled from. Each interval covers with probability `confidence`; if
    `together`, all of them do at once. Answers about public groups speak about the people of their
    group: `sizes` says how many these are, answer by answer; otherwise it is None, and all people
    stand behind each answer. `notes` are sentences that belong to the answers.

    `possible` is what answers can lie between, as far as it is known. An answer whose standard
    error is larger than half of that says nothing: it is `withheld` from what is printed, drawn and
    saved, unless `shows_all`. The arrays hold it all the same, for sums of many answers.

    Where answers are `dates`, the arrays hold steps since 1970 (days, months …, as the column was
    declared), and standard errors count steps; `value`, `interval` and what is shown are dates.
    """

    what: str
    axes: tuple[Axis, ...]
    values: Array
    standard_errors: Array
    lows: Array
    highs: Array
    people: int
    about: About
    method: str
    confidence: float
    together: bool = False
    sizes: NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()
    possible: tuple[float, float] | None = None
    shows_all: bool = False
    dates: Dates | None = None

    def __post_init__(self) -> None:
        shape = tuple(len(axis.labels) for axis in self.axes)
        for name in ARRAYS:
            array = np.asarray(getattr(self, name), dtype=np.float64)
            if array.shape != shape:
                raise InputError(f"{name} has the shape {array.shape}; its axes have {shape}.")
            array = array.view()
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        if self.sizes is not None:
            object.__setattr__(self, "sizes", np.broadcast_to(self.sizes, shape))
        if self.possible is None and self.what == "share":
            object.__setattr__(self, "possible", (0.0, 1.0))

    @property
    def value(self) -> Any:
        """The answer, when there is one: a number, or a date. Several dates are an array."""
        return self._single_or_dates(self.values)

    @property
    def standard_error(self) -> float:
        """Its standard error, when there is one answer."""
        return self._single(self.standard_errors)

    @property
    def interval(self) -> tuple[Any, Any]:
        """Its interval, when there is one answer; those of several dates are two arrays."""
        return self._single_or_dates(self.lows), self._single_or_dates(self.highs)

    def _single_or_dates(self, array: Array) -> Any:
        known = np.isfinite(array)
        if self.dates is None or (array.size == 1 and not known.all()):
            return self._single(array)
        dates = self.dates.dates_at(np.floor(np.where(known, array, 0)))
        if array.size == 1:
            return dates.item()
        return np.where(known, dates, np.datetime64("NaT"))

    @property
    def intervals(self) -> Array:
        """All intervals: the last dimension holds the low and the high end."""
        return np.stack([self.lows, self.highs], axis=-1)

    def _single(self, array: Array) -> float:
        if array.size != 1:
            raise InputError(
                f"there are {array.size:,} answers; take .values, .standard_errors and "
                ".intervals, or one answer by its label, as in estimate['red'].value."
            )
        return float(array.item())

    @property
    def counts(self) -> Estimate:
        """The same answers as numbers of people: shares times the people behind them."""
        if self.what != "share":
            raise InputError(f"only shares can be counted; this is a {self.what}.")
        return map_arrays(self, lambda array: self.behind * array, what="count")

    @property
    def withheld(self) -> NDArray[np.bool_]:
        """Which answers say nothing, and are shown only on request."""
        if self.shows_all or self.possible is None or self.method == "planned":
            return np.zeros(self.values.shape, dtype=bool)
        low, high = self.possible
        scale = self.behind if self.what == "count" else 1
        return np.asarray(self.standard_errors > scale * (high - low) / 2)

    @property
    def shown_intervals(self) -> tuple[Array, Array]:
        """The ends of the intervals as they are printed: without what is not possible.

        An interval beyond the possible would leave nothing; it gets what an estimate at the end
        would have.
        """
        if self.possible is None:
            return self.lows, self.highs
        scale = self.behind if self.what == "count" else 1
        low, high = (scale * end for end in self.possible)
        reach = NormalDist().inv_cdf((1 + self.confidence) / 2) * self.standard_errors
        lows = np.where(self.values > high, np.minimum(self.lows, high - reach), self.lows)
        highs = np.where(self.values < low, np.maximum(self.highs, low + reach), self.highs)
        return np.clip(lows, low, high), np.clip(highs, low, high)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The notes, and what would help where answers are withheld."""
        withheld = self.withheld
        hidden = int(withheld.sum())
        if not hidden or self.possible is None:
            return self.notes
        of = f"{hidden:,} of these {withheld.size:,} answers" if hidden < withheld.size else ""
        if not of:
            of = f"the {self.what}" if withheld.size == 1 else f"these {hidden:,} {self.what}s"
        helps = self._what_would_help(withheld, self.possible)
        return (
            *self.notes,
            f"This release says nothing about {of}: the standard error is larger than half of the "
            "possible range. What would help: "
            f"{'; '.join(helps[:-1])}{'; or ' * (len(helps) > 1)}{helps[-1]}. To see the numbers "
            "anyway: show='all' (--show all).",
        )

    def _what_would_help(
        self, withheld: NDArray[np.bool_], possible: tuple[float, float]
    ) -> list[str]:
        scale = self.behind if self.what == "count" else 1
        width = scale * (possible[1] - possible[0])
        ratio = float(np.median((self.standard_errors / width)[withheld]))
        if not np.isfinite(ratio):
            return ["a mechanism that tells these values apart; this one does not"]
        behind = int(np.median(np.broadcast_to(self.behind, withheld.shape)[withheld]))
        wanted = float(f"{behind * (10 * ratio) ** 2:.1e}")
        people = f"{wanted:,.0f} people instead of {behind:,}"
        if wanted > _EVERYBODY:
            people = f"more people than live on earth, instead of {behind:,}"
        helps = [f"{people} (for an error of a tenth of the possible range)"]
        helps.append("a larger epsilon for these columns")
        several = sum(len(axis.labels) > 1 for axis in self.axes) > 1
        if several:
            helps.append("tables of fewer columns at a time")
        if self.axes and self.axes[-1].name != "position":
            helps.append("fewer, wider categories or bins")
        if several:
            helps.append(
                "a synthetic table from the publisher (`synthesize`), which counts columns together"
            )
        return helps

    @property
    def behind(self) -> NDArray[np.int64]:
        """How many people stand behind each answer: all of them, or those of its public group."""
        return np.asarray(self.people if self.sizes is None else self.sizes)

    def __getitem__(self, label: Any) -> Estimate:
        """Return one answer by its label, or by one label per axis."""
        given = label if len(self.axes) > 1 and isinstance(label, tuple) else (label,)
        if len(given) != len(self.axes):
            names = ", ".join(axis.name for axis in self.axes) or "nothing"
            raise InputError(f"give one label for each of: {names}; got {len(given)}.")
        place = tuple(axis.place(one) for axis, one in zip(self.axes, given, strict=True))
        people = self.people if self.sizes is None else int(self.sizes[place])
        return map_arrays(self, lambda array: array[place], axes=(), people=people, sizes=None)

    # Answers are found by label: going through them is for `columns` and `table`.
    __iter__ = None

    def top(self, count: int) -> Estimate:
        """Return the largest answers of a table with one axis, the largest first.

        The places are chosen by noisy values: who came out on top by luck is overestimated, and
        the intervals are those of single answers.
        """
        if len(self.axes) != 1:
            raise InputError(f"top() is for tables with one axis; this one has {len(self.axes)}.")
        order = np.argsort(-self.values, kind="stable")[:count]
        labels = [self.axes[0].labels[place] for place in order.tolist()]
        axes = (Axis(self.axes[0].name, labels),)
        sizes = None if self.sizes is None else self.sizes[order]
        return map_arrays(self, lambda array: array[order], axes=axes, sizes=sizes)

    def labels(self) -> list[list[Any]]:
        """Return the labels of all answers in their order, a list for each axis."""
        places = np.unravel_index(np.arange(self.values.size), self.values.shape or (1,))
        return [
            [axis.labels[i] for i in place.tolist()]
            for axis, place in zip(self.axes, places, strict=False)
        ]

    def columns(self) -> dict[str, list[Any]]:
        """Return the answers as columns, one row per answer; shares come with their counts.

        What is withheld is None, but for the standard error, which says why.
        """
        taken = (self.what, "standard_error", "low", "high", "count")
        found: dict[str, list[Any]] = {}
        for axis, labels in zip(self.axes, self.labels(), strict=True):
            found[f"{axis.name} (label)" if axis.name in taken else axis.name] = labels
        found[self.what] = self._without_withheld(self.values)
        found["standard_error"] = self.standard_errors.reshape(-1).tolist()
        found["low"], found["high"] = (
            self._without_withheld(self.lows),
            self._without_withheld(self.highs),
        )
        if self.what == "share":
            found["count"] = self._without_withheld(self.behind * self.values)
        return found

    def _without_withheld(self, array: Array) -> list[Any]:
        """Return numbers, or the texts of dates, in order, without those that are withheld."""
        hidden = self.withheld.reshape(-1).tolist()
        numbers = array.reshape(-1).tolist()
        if self.dates is not None:
            numbers = [self.dates.show(one) if np.isfinite(one) else one for one in numbers]
        return [None if hide else one for one, hide in zip(numbers, hidden, strict=True)]

    def table(self) -> Any:
        """Return the answers as an Arrow table, one row per answer."""
        numbers = (self.what, "standard_error", "low", "high", "count")
        if self.dates is not None:
            numbers = ("standard_error",)
        return arrow_table(self.columns(), numbers)

    def to_pandas(self) -> Any:
        """Return the answers as a pandas data frame, if pandas is installed."""
        return self.table().to_pandas()

    def __repr__(self) -> str:
        whom = f"{self.people:,} {'people' if self.people != 1 else 'person'}"
        if self.about == "population":
            whom = f"the population of {whom}"
        head = f"{self.what} about {whom}, {self.method}, {self.confidence:.4g} intervals"
        if self.together:
            head += ", all together"
        columns = self.columns()
        columns["low"], columns["high"] = map(self._without_withheld, self.shown_intervals)
        if self.withheld.all():
            return "\n".join([head, *self.sentences])
        # Beside a share, its count says nothing new.
        names = [name for name in columns if name != "count" or self.what == "count"]
        rows = list(zip(*(columns[name][:_MOST_SHOWN] for name in names), strict=True))
        texts = [names, *([_cell_text(cell) for cell in row] for row in rows)]
        widths = [max(len(row[i]) for row in texts) for i in range(len(names))]
        lines = ["  ".join(cell.rjust(w) for cell, w in zip(r, widths, strict=True)) for r in texts]
        rest = self.values.size - len(rows)
        more = [f"… {rest:,} more"] if rest > 0 else []
        return "\n".join([head, *lines, *more, *self.sentences])


def map_arrays(found: Estimate, change: Callable[[Array], Array], **others: Any) -> Estimate:
    """Return answers whose values, errors and intervals are all changed alike."""
    return replace(found, **{name: change(getattr(found, name)) for name in ARRAYS}, **others)


def arrow_table(columns: Mapping[str, list[Any]], numbers: Sequence[str]) -> Any:
    """Return an Arrow table in which these columns are numbers, also if all are missing."""
    return pa.table(
        {
            name: pa.array(column, pa.float64()) if name in numbers else column
            for name, column in columns.items()
        }
    )


def _cell_text(cell: Any) -> str:
    if cell is None:
        return "withheld"
    return f"{cell:.5g}" if isinstance(cell, float) else str(cell)
