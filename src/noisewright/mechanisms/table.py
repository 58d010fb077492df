"""The finite mechanism: a table of integers whose rows all have the same sum.

The table that is proven private is the table that is sampled. Rows are inputs, columns are
outputs: `weights[x, y] / total` is the probability of output y on input x. The total is a power of
two where probabilities are irrational and had to be rounded; rational ones keep a total of their
own, so that a table can be exactly what it is called.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from math import gcd
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import InputError, TableError
from noisewright.exact import show, show_total
from noisewright.given import amount
from noisewright.mechanisms.guarantee import Guarantee
from noisewright.mechanisms.mechanism import Mechanism
from noisewright.spaces import Categories, Space


@final
@dataclass(frozen=True, eq=False, repr=False)
class Table(Mechanism):
    """A finite mechanism as a frozen value.

    Requires: non-negative Python integers, one row per point of `space`, one column per point
    of `outputs`, each row summing to exactly `total`, an integer of at least 1.
    """

    space: Space
    outputs: Space
    weights: NDArray[Any]
    total: int
    claim: Guarantee | None
    name: str

    def __init__(
        self,
        space: Space,
        weights: NDArray[Any],
        *,
        total: int,
        outputs: Space | None = None,
        claim: Guarantee | None = None,
        name: str = "table",
    ) -> None:
        set_field = object.__setattr__
        set_field(self, "space", space)
        set_field(self, "outputs", space if outputs is None else outputs)
        set_field(self, "total", total)
        set_field(self, "claim", claim)
        set_field(self, "name", name)
        set_field(self, "weights", _check_weights(weights, space, self.outputs, total))

    def table(self) -> Table:
        """Return the table itself."""
        return self

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """The probabilities as doubles, for looking at; nothing is decided by them."""
        total = self.total
        view = np.array([[w / total for w in row] for row in self.weights.tolist()])
        view.setflags(write=False)
        return view

    def probability(self, point: Any, output: Any) -> Fraction:
        """Return P(output | point) exactly."""
        return Fraction(self.weights[self.space.code(point), self.outputs.code(output)], self.total)

    @cached_property
    def _sampler(self) -> sampling.TableSampler:
        return sampling.TableSampler(self.weights, self.total)

    def draw(self, codes: NDArray[Any], source: sampling.Source | None = None) -> NDArray[Any]:
        """Draw one output code for each input code, exactly from the integer table."""
        return self._sampler.draw(codes, source)

    def on(self, space: Space) -> Table:
        """Return the same table for inputs with other neighbors; nothing is claimed for those."""
        outputs = space if self.outputs == self.space else self.outputs
        return Table(space, self.weights, total=self.total, outputs=outputs)

    def rename(self, name: str, claim: Guarantee | None) -> Table:
        """Return the same table under another name and claim."""
        outputs, total = self.outputs, self.total
        return Table(self.space, self.weights, total=total, outputs=outputs, claim=claim, name=name)

    @cached_property
    def _reduced(self) -> tuple[int, tuple[tuple[int, ...], ...]]:
        """The table in lowest terms: equal distributions have equal reduced tables."""
        common = self.total
        for weight in self.weights.flat:
            if common == 1:
                break
            common = gcd(common, weight)
        return self.total // common, tuple(
            tuple(weight // common for weight in row) for row in self.weights.tolist()
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # numpy forgets on the way that an array is read-only; the constructor checks it anew.
        options = {name: getattr(self, name) for name in ("total", "outputs", "claim", "name")}
        return partial(Table, **options), (self.space, self.weights)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        same_spaces = self.space == other.space and self.outputs == other.outputs
        return same_spaces and self._reduced == other._reduced

    def __hash__(self) -> int:
        return hash((self.space, self.outputs, self._reduced))

    def __repr__(self) -> str:
        arrow = "" if self.outputs == self.space else f" → {self.outputs!r}"
        claim = f", {self.claim}" if self.claim is not None else ""
        return f"<{self.name} on {self.space!r}{arrow}{claim}, total={show_total(self.total)}>"

    def describe(self) -> dict[str, Any]:
        """Return the table as a certificate writes it."""
        return {
            "form": "table",
            "inputs": self.space.describe(),
            "outputs": self.outputs.describe(),
            **described_total(self.total),
            "weights": [[f"{weight:x}" for weight in row] for row in self.weights.tolist()],
        }


def described_total(total: int) -> dict[str, Any]:
    """Return the field of a certificate that says what weights sum to."""
    if total & (total - 1) == 0:
        return {"log2_total": total.bit_length() - 1}
    return {"total": f"{total:x}"}


def _check_weights(weights: NDArray[Any], space: Space, outputs: Space, total: int) -> NDArray[Any]:
    if weights.shape != (space.size, outputs.size):
        raise TableError(
            f"the table has shape {weights.shape}; {amount(space.size)} inputs and "
            f"{amount(outputs.size)} outputs "
            "need one row per input and one column per output."
        )
    if type(total) is not int or total < 1:
        raise TableError(f"the total is {total!r}; it must be an integer of at least 1.")
    for x, row in enumerate(weights.tolist()):
        if set(map(type, row)) != {int} or min(row) < 0:
            y, weight = next((y, w) for y, w in enumerate(row) if type(w) is not int or w < 0)
            raise TableError(
                f"the weight at row {x}, column {y} is {weight!r}; it must be an integer of at "
                "least 0."
            )
        found = sum(row)
        if found != total:
            raise TableError(
                f"row {x} sums to {show_total(total)} {'+' if found > total else '−'} "
                f"{show(Fraction(abs(found - total)))}; each row must sum to exactly "
                f"{show_total(total)}, the total."
            )
    if weights.flags.writeable or weights.dtype != object:
        weights = weights.astype(object)
        weights.setflags(write=False)
    return weights


def read_outputs(outputs: Any, *, columns: int, space: Space) -> Space:
    """Read the output points: a space, a list of labels, or nothing."""
    if outputs is None:
        return space if columns == space.size else Categories(range(columns))
    read = outputs if isinstance(outputs, Space) else Categories(outputs)
    if read.size != columns:
        raise InputError(f"there are {amount(read.size)} outputs but {columns} columns.")
    return read
