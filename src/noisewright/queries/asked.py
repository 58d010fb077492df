"""From what is asked about each group to the measurements that answer it, with no more than needed.

Aggregates of the same expression share one measurement: count, sum, mean, variance and share come
from moments of one degree, and all quantiles from one tree. A plain count comes along with moments
where there are any, so that it costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, final

from noisewright.errors import ParameterError
from noisewright.queries.answers.bin_tree import Binning, bins_for
from noisewright.queries.answers.tree_law import tree_for
from noisewright.queries.binding import BoundExpression, Columns, bind, cut_places
from noisewright.queries.expressions import Aggregate
from noisewright.queries.measurements import QueryMeasurement, bound_of, most_groups
from noisewright.relations import (
    Filter,
    Labels,
    Limit,
    Node,
    Numbers,
    Paired,
    Repeated,
    Rows,
    SourceRows,
    Truth,
    bins,
    both,
    columns_in,
    compare,
    divide,
    is_null,
    literal,
    negate,
    sources,
    subtract,
)

_MOMENTS = {"sum": 1, "mean": 1, "share": 1, "var": 2, "std": 2}
"""Of which degree moments have to be."""

_MOST_PAIRED = 256
"""So many rows of a person in each of two tables are paired, where a limit comes afterwards."""


@final
@dataclass(frozen=True)
class AggregateReading:
    """How one aggregate follows from a measurement, given by its place among all of them."""

    name: str
    aggregate: Aggregate
    place: int
    of: BoundExpression | None = None
    labels: tuple[Any, ...] = ()
    binning: Binning | None = None


@final
@dataclass(frozen=True)
class MeasurementPlan:
    """The measurements that answer some aggregates, and how each of these follows.

    `rows` are those that count; aggregates that skip some of them measure a filter of these.
    """

    rows: Rows
    measurements: tuple[QueryMeasurement, ...]
    readings: tuple[AggregateReading, ...]


def plan_measurements(
    rows: Rows,
    columns: Columns,
    keys: Mapping[str, BoundExpression],
    aggregates: Mapping[str, Aggregate],
) -> MeasurementPlan:
    """Return what has to be measured, and how the answers follow from it."""
    return _Planning(rows, columns, keys, aggregates).plan()


class _Planning:
    def __init__(
        self,
        rows: Rows,
        columns: Columns,
        keys: Mapping[str, BoundExpression],
        aggregates: Mapping[str, Aggregate],
    ) -> None:
        self.by = tuple(key.node for key in keys.values())
        self.bound = {
            name: None if one.of is None else bind(one.of, columns)
            for name, one in aggregates.items()
        }
        read = [one.node for one in self.bound.values() if one is not None]
        self.rows = settle_limits(rows, self.by, [*self.by, *read, *conditions_of(rows)])
        self.where = " by " + ", ".join(keys) if keys else ""
        self.aggregates = aggregates
        self.measurements: dict[Any, QueryMeasurement] = {}
        self.degrees: dict[Node, int] = {}
        for name, one in aggregates.items():
            of = self.bound[name]
            if of is not None and one.function in _MOMENTS:
                degree = _MOMENTS[one.function]
                self.degrees[of.node] = max(degree, self.degrees.get(of.node, 0))

    def plan(self) -> MeasurementPlan:
        found = [self._reading(name, one) for name, one in self.aggregates.items()]
        places = {key: place for place, key in enumerate(self.measurements)}
        readings = tuple(
            AggregateReading(name, one, places[key], of, labels, binning)
            for name, one, key, of, labels, binning in found
        )
        return MeasurementPlan(self.rows, tuple(self.measurements.values()), readings)

    def _reading(self, name: str, one: Aggregate) -> tuple[Any, ...]:
        of = self.bound[name]
        match one.function:
            case "count" | "count_people" if of is None:
                return name, one, self._count(one), None, (), None
            case _ if of is None:
                raise ParameterError(f"{one} needs an expression, as in nw.col('age').mean().")
            case "count":
                return name, one, self._count_known(one, of), of, (), None
            case "histogram":
                key, labels = self._histogram(one, of)
                return name, one, key, of, labels, None
            case "quantiles":
                _require_numbers(one, of)
                binning = bins_for(of.node.low, of.node.high)
                tree = tree_for(binning.bins)
                key = ("levels", of.node)
                self._add(key, one, adds="levels", of=_bin_node(of.node, binning), tree=tree)
                return name, one, key, of, (), binning
            case "count_distinct":
                key = ("distinct", of.node)
                self._add(key, one, adds="distinct", of=of.node)
                return name, one, key, of, (), None
            case "top":
                if not isinstance(of.kind, Labels | Truth):
                    raise ParameterError(f"{one} needs labels; numbers can be cut into bins first.")
                if one.parameters[0] > of.size:
                    raise ParameterError(f"{one}: there are only {of.size:,} labels.")
                key = ("top", of.node)
                self._add(key, one, by=(*self.by, of.node))
                return name, one, key, of, tuple(of.points), None
            case _:
                return name, one, self._moments(one, of), of, (), None

    def _add(self, key: Any, one: Aggregate, **options: Any) -> Any:
        if key not in self.measurements:
            rows, by = options.pop("rows", self.rows), options.pop("by", self.by)
            self.measurements[key] = QueryMeasurement(f"{one}{self.where}", rows, by, **options)
        return key

    def _count(self, one: Aggregate) -> Any:
        if one.function == "count_people":
            return self._add(("people",), one, rows=self._one_row_each())
        if self.degrees:
            # The number of rows is what moments and gaps add up to.
            node = min(self.degrees, key=lambda each: (self.degrees[each], each.nullable))
            return self._moments_of(node, one)
        return self._add(("count",), one)

    def _one_row_each(self) -> Rows:
        """Return rows of which each person has one in each group."""
        found = bound_of(self.rows, self.by)
        if found is None and self.by:
            raise ParameterError(
                "nothing limits how many groups a person counts in. Add .limit(groups=…)."
            )
        if found is not None and found.rows == 1:
            return self.rows
        if any(source.person is None for source in sources(self.rows)):
            raise ParameterError(
                "each row is a person, and several rows of a public table may stand beside it: "
                "count people before you join, or name the column that identifies them, person=."
            )
        groups = most_groups(self.rows, self.by) if self.by else None
        return Limit(self.rows, 1, "people", groups, self.by if groups else (), self.by)

    def _count_known(self, one: Aggregate, of: BoundExpression) -> Any:
        if of.node in self.degrees:
            return self._moments_of(of.node, one)
        rows = Filter(self.rows, negate(is_null(of.node))) if of.node.nullable else self.rows
        return self._add(("known", of.node), one, rows=rows)

    def _moments(self, one: Aggregate, of: BoundExpression) -> Any:
        if one.function == "share" and not isinstance(of.kind, Truth):
            raise ParameterError(f"{one} needs a condition, as in (nw.col('age') >= 60).share().")
        if isinstance(of.kind, Labels):
            raise ParameterError(f"{one} needs numbers; {one.of} holds labels.")
        if isinstance(of.kind, Numbers) and of.kind.dates is not None and one.function != "mean":
            raise ParameterError(f"{one} of dates is not defined; ask for the mean or quantiles.")
        if of.size == 1:
            raise ParameterError(f"{one.of} has only one value, so there is nothing to ask.")
        return self._moments_of(of.node, one)

    def _moments_of(self, node: Node, one: Aggregate) -> Any:
        gaps = node.nullable and any(
            each.function == "count" and each.of is None for each in self.aggregates.values()
        )
        return self._add(
            ("moments", node),
            one,
            adds="moments",
            of=node,
            degree=self.degrees[node],
            gaps=gaps,
        )

    def _histogram(self, one: Aggregate, of: BoundExpression) -> tuple[Any, tuple[str, ...]]:
        _require_numbers(one, of)
        edges = one.parameters
        places = cut_places(of, edges)
        # The last edge belongs to the last bin.
        last = literal(int(of.kind.integer(edges[-1]) // 1))
        inside = both(
            compare("at most", literal(places[0]), of.node), compare("at most", of.node, last)
        )
        node = bins(of.node, places[1:-1])
        key = ("histogram", of.node, edges)
        self._add(key, one, rows=Filter(self.rows, inside), by=(*self.by, node))
        labels = [f"[{x}, {y})" for x, y in pairwise(edges)]
        labels[-1] = labels[-1][:-1] + "]"
        return key, tuple(labels[node.low : node.high + 1])


def _bin_node(node: Node, binning: Binning) -> Node:
    if binning.width == 1:
        return node
    return divide(subtract(node, literal(binning.low)), binning.width)


def _require_numbers(one: Aggregate, of: BoundExpression) -> None:
    if not isinstance(of.kind, Numbers):
        raise ParameterError(f"{one} needs numbers or dates.")


def conditions_of(rows: Rows) -> list[Node]:
    """Return the conditions of all filters."""
    if isinstance(rows, SourceRows):
        return []
    if isinstance(rows, Paired):
        return conditions_of(rows.left) + conditions_of(rows.right)
    mine = [rows.condition] if isinstance(rows, Filter) else []
    return mine + conditions_of(rows.rows)


def settle_limits(
    rows: Rows, by: tuple[Node, ...], read: Sequence[Node], most: int | None = None
) -> Rows:
    """Return rows whose limits know the groups that are asked for, and what is read of a row.

    A limit that knows what is read is settled already, for all questions alike. Where `most` rows
    of a person are kept of pairs, and nothing limits how many there are, no more than _MOST_PAIRED
    rows of each table are paired, or `most` if that is more: else two tables of a hundred thousand
    rows of a person would make ten billion.
    """
    if isinstance(rows, SourceRows) or (isinstance(rows, Limit) and rows.reads):
        return rows
    if isinstance(rows, Filter):
        return Filter(settle_limits(rows.rows, by, read, most), rows.condition)
    if isinstance(rows, Repeated):
        return replace(rows, rows=settle_limits(rows.rows, (), read, most))
    if isinstance(rows, Paired):
        sides = [rows.left, rows.right]
        if most is not None and all(bound_of(side, ()) is None for side in sides):
            sides = [Limit(side, max(most, _MOST_PAIRED), "pairs") for side in sides]
        return Paired(*(settle_limits(side, (), read) for side in sides))
    groups = rows.groups if by else None
    each = rows.rows_each * (rows.groups or 1) if groups is None else rows.rows_each
    known = columns_in(rows)
    leaves = {leaf.name for node in read for leaf in node.leaves} & known.keys()
    reads = tuple(known[name] for name in sorted(leaves))
    inner = settle_limits(rows.rows, by, read, each * (groups or 1))
    return Limit(inner, each, rows.salt, groups, by if groups else (), reads)
