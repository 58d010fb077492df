"""What an estimate is: values with standard errors and intervals, and whom they speak about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError

About = Literal["people", "population"]
Array = NDArray[np.float64]

_MOST_SHOWN = 12


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


@final
@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """One answer, or a table of answers, each with its error.

    `what` names the answers: a share, a count, a mean … `values`, `standard_errors`, `lows` and
    `highs` are arrays of the shape of the `axes`, of no dimension for a single answer; `value`,
    `standard_error` and `interval` are for that case. `about` says whom they speak about: the
    `people` whose data were released, so that only the noise counts as error, or the population
    that these people were sampled from. Each interval covers with probability `confidence`; if
    `together`, all of them do at once. Answers about public groups speak about the people of their
    group: `sizes` says how many these are, answer by answer; otherwise it is None, and all people
    stand behind each answer. `notes` are sentences that belong to the answers.
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

    def __post_init__(self) -> None:
        shape = tuple(len(axis.labels) for axis in self.axes)
        for name in ("values", "standard_errors", "lows", "highs"):
            array = np.asarray(getattr(self, name), dtype=np.float64)
            if array.shape != shape:
                raise InputError(f"{name} has the shape {array.shape}; its axes have {shape}.")
            array = array.view()
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        if self.sizes is not None:
            object.__setattr__(self, "sizes", np.broadcast_to(self.sizes, shape))

    @property
    def value(self) -> float:
        """The answer, when there is one."""
        return self._single(self.values)

    @property
    def standard_error(self) -> float:
        """Its standard error, when there is one answer."""
        return self._single(self.standard_errors)

    @property
    def interval(self) -> tuple[float, float]:
        """Its interval, when there is one answer."""
        return self._single(self.lows), self._single(self.highs)

    @property
    def intervals(self) -> Array:
        """All intervals: the last dimension holds the low and the high end."""
        return np.stack([self.lows, self.highs], axis=-1)

    def _single(self, array: Array) -> float:
        if array.ndim:
            raise InputError(
                f"there are {array.size:,} answers; take .values, .standard_errors and "
                ".intervals, or one answer by its label, as in estimate['red'].value."
            )
        return float(array)

    @property
    def counts(self) -> Estimate:
        """The same answers as numbers of people: shares times the people behind them."""
        if self.what != "share":
            raise InputError(f"only shares can be counted; this is a {self.what}.")
        scaled = {
            name: self.behind * getattr(self, name)
            for name in ("values", "standard_errors", "lows", "highs")
        }
        return replace(self, what="count", **scaled)

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
        return replace(
            self,
            axes=(),
            values=self.values[place],
            standard_errors=self.standard_errors[place],
            lows=self.lows[place],
            highs=self.highs[place],
            people=self.people if self.sizes is None else int(self.sizes[place]),
            sizes=None,
        )

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
        return replace(
            self,
            axes=(Axis(self.axes[0].name, labels),),
            values=self.values[order],
            standard_errors=self.standard_errors[order],
            lows=self.lows[order],
            highs=self.highs[order],
            sizes=None if self.sizes is None else self.sizes[order],
        )

    def labels(self) -> list[list[Any]]:
        """Return the labels of all answers in their order, a list for each axis."""
        places = np.unravel_index(np.arange(self.values.size), self.values.shape or (1,))
        return [
            [axis.labels[i] for i in place.tolist()]
            for axis, place in zip(self.axes, places, strict=False)
        ]

    def columns(self) -> dict[str, list[Any]]:
        """Return the answers as columns, one row per answer; shares come with their counts."""
        taken = (self.what, "standard_error", "low", "high", "count")
        found: dict[str, list[Any]] = {}
        for axis, labels in zip(self.axes, self.labels(), strict=True):
            found[f"{axis.name} (label)" if axis.name in taken else axis.name] = labels
        found[self.what] = self.values.reshape(-1).tolist()
        found["standard_error"] = self.standard_errors.reshape(-1).tolist()
        found["low"] = self.lows.reshape(-1).tolist()
        found["high"] = self.highs.reshape(-1).tolist()
        if self.what == "share":
            found["count"] = (self.behind * self.values).reshape(-1).tolist()
        return found

    def table(self) -> Any:
        """Return the answers as an Arrow table, one row per answer."""
        import pyarrow as pa

        return pa.table(self.columns())

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
        # Beside a share, its count says nothing new.
        names = [name for name in columns if name != "count" or self.what == "count"]
        rows = list(zip(*(columns[name][:_MOST_SHOWN] for name in names), strict=True))
        texts = [names, *([_shown(cell) for cell in row] for row in rows)]
        widths = [max(len(row[i]) for row in texts) for i in range(len(names))]
        lines = ["  ".join(cell.rjust(w) for cell, w in zip(r, widths, strict=True)) for r in texts]
        rest = self.values.size - len(rows)
        more = [f"… {rest:,} more"] if rest > 0 else []
        return "\n".join([head, *lines, *more, *self.notes])


def _shown(cell: Any) -> str:
    return f"{cell:.5g}" if isinstance(cell, float) else str(cell)
