"""Several rows of one person: what they cost when all of them may change.

A person has up to k rows, and each is treated by one mechanism, independently of the others.
Who replaces the person replaces all of these rows, each by any other. With (ε, δ) for any change
of one row that costs (k·ε, k·δ): the guarantees of independent parts add up. How many rows there
are is taken as known. Fewer rows cost no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

from noisewright import sampling
from noisewright.errors import InputError, SpaceError
from noisewright.exact import Epsilon
from noisewright.mechanisms.guarantee import Guarantee
from noisewright.mechanisms.mechanism import Mechanism
from noisewright.mechanisms.products.products import EachRow, any_change, row_count
from noisewright.public import public
from noisewright.spaces import Rows


@public
def per_person(mechanism: Mechanism, *, rows: int) -> PersonMechanism:
    """Return a mechanism for all rows of one person: each row by itself, up to `rows` of them.

    Requires: at least one row.
    Ensures: private for replacing every row of the person by any other: ε and δ are `rows` times
    those of one row, taken for the change of its value into any other. How many rows a person
    has is public.
    Source: basic composition, Dwork and Roth 2014, Theorem 3.16.
    """
    if not isinstance(mechanism, Mechanism):
        raise InputError(
            f"per_person() takes the mechanism of one row; got {type(mechanism).__name__}."
        )
    return PersonMechanism(mechanism, rows)


@final
@dataclass(frozen=True)
class PersonMechanism(EachRow):
    """One mechanism for each of up to `count` rows of a person; see `per_person`.

    Points are databases of exactly `count` rows; `sample` also takes fewer.
    """

    _whose = " of one person"

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        set_field(self, "space", Rows(self.row.space, self.count, neighbors="replace"))
        set_field(self, "outputs", Rows(self.row.outputs, self.count, neighbors="replace"))
        set_field(self, "count", self.space.count)
        one = self.row_claim
        claim = None
        if one is not None:
            delta = min(Fraction(1), one.delta * self.count)
            claim = Guarantee(one.epsilon.times(self.count), delta)
        set_field(self, "claim", claim)

    @property
    def row_claim(self) -> Guarantee | None:
        """What is promised for any change of one row, so that `count` times it can be written."""
        one = any_change(self.row)
        if one is None or one.epsilon.ratio is None:
            return one
        together = one.epsilon.times(self.count)
        if together.ratio is not None:
            return one
        # ln(r) of a long r: a rational just above it, whose multiple is the claim exactly.
        return Guarantee(Epsilon(rational=together.rational / self.count), one.delta)

    def sample(self, inputs: Any, *, source: sampling.Source | None = None) -> Any:
        """Sanitize the rows of one person, at most `count`, in the form in which they came."""
        rows = row_count(inputs)
        if rows is None or rows > self.count:
            raise InputError(
                f"a person has at most {self.count:,} rows here; got "
                f"{'no sequence of rows' if rows is None else f'{rows:,}'}. Keep fewer rows, or "
                "promise less with more rows=."
            )
        return self.row.sample(inputs, source=source)

    def __repr__(self) -> str:
        return f"<{self.row!r} for up to {self.count:,} rows of a person>"

    def describe(self) -> dict[str, Any]:
        """Return the whole as a certificate writes it: one row, and how many there are."""
        one = self.row_claim
        if one is None:
            raise SpaceError(
                f"{self.row!r} has no guarantee for any change of a row, so the rows of a person "
                "have none to certify."
            )
        parent = {
            "mechanism": self.row.describe(),
            "neighbors": {"relation": "replace"},
            "claims": one.describe(),
        }
        return {"form": "person", "rows": self.count, "parent": parent}
