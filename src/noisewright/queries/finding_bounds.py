"""Bounds that nobody knows, found as an explicit step that has its price.

Rows are counted in bins whose edges are 0 and ± powers of two of the step, with noise. The bounds
are the outer edges of those bins whose counts noise alone would hardly reach. They depend on noisy
counts only; what lies beyond them is clamped later, as with any bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, final

import numpy as np

from noisewright.errors import InputError, ParameterError
from noisewright.exact import Number
from noisewright.public import public_methods
from noisewright.queries.answer import Answer
from noisewright.queries.expressions import col
from noisewright.relations import sources
from noisewright.spaces import Interval, as_written
from noisewright.tables import Field

if TYPE_CHECKING:
    from noisewright.queries.private import Private
    from noisewright.sampling import Source
    from noisewright.transaction import Progress

_LARGEST = 40
"""Bounds are at most 2^40 steps from 0."""

_SURE = 1 - 1e-6
"""How surely no bin counts as filled that is empty: a wrong one would stretch the bounds far."""


@public_methods
@final
@dataclass(frozen=True, eq=False)
class FoundBounds:
    """Bounds of a column, and the noisy counts that they were found by."""

    name: str
    low: Fraction
    high: Fraction
    step: Fraction
    answer: Answer

    @property
    def space(self) -> Interval:
        """The numbers between the bounds, to declare the column with."""
        return Interval(self.low, self.high, step=self.step)

    def __repr__(self) -> str:
        return (
            f"<{self.name!r} from {float(self.low):g} to {float(self.high):g}, found with "
            f"{self.answer.guarantee}, {self.answer.certificate.unit}>"
        )


def find_bounds(
    table: Private,
    name: str,
    *,
    epsilon: Number,
    delta: Number = 0,
    step: Number = 1,
    progress: Progress | None = None,
    source: Source | None = None,
) -> FoundBounds:
    """Count rows in bins of powers of two with noise, and return the bounds of the filled ones."""
    if name in table.columns:
        raise ParameterError(f"the bounds of {name!r} are declared already.")
    _require_numbers(table, name)
    unit = as_written(step, name="step")
    if unit <= 0:
        raise ParameterError(f"step is {step}; it must be positive.")
    powers = [unit * 2**k for k in range(_LARGEST)]
    edges = [-one for one in reversed(powers)] + [Fraction(0), *powers]
    widest = unit * 2**_LARGEST
    space = Interval(-widest, widest, step=unit)
    asked = table.with_field(name, Field(space, outside="clamp", off_grid="round"))
    question = asked.group_by(bin=col(name).cut(edges)).count()
    answer = question.release(
        epsilon=epsilon,
        delta=delta,
        progress=progress,
        source=source,
        what=f"bounds of {name}",
    )
    counts = np.array(answer.unbiased["count"].to_pylist())
    (noise,) = question.price(epsilon, delta).noises
    enough = noise.half_width(1 - (1 - _SURE) / len(counts))
    filled = np.flatnonzero(counts > enough)
    if not filled.size:
        raise InputError(
            f"no bin of {name!r} has clearly more than {enough:,} rows, so no bounds were found. "
            "The search was paid for. Use a larger epsilon, or declare bounds."
        )
    ends = [-widest, *edges, widest]
    return FoundBounds(name, ends[filled[0]], ends[filled[-1] + 1], unit, answer)


def _require_numbers(table: Private, name: str) -> None:
    from noisewright.on_use import pa

    reader: Any = sources(table.rows)[0].table
    if name not in reader.schema.names:
        raise InputError(f"the table has no column {name!r}.")
    kind = reader.schema.field(name).type
    kinds = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_string)
    if not any(is_kind(kind) for is_kind in kinds):
        raise InputError(f"the column {name!r} has the type {kind}; only numbers have bounds.")
