"""Reports in random order: what is left to see of each person, if nobody knows who sent which.

Where reports are handed on or published in a uniformly random order, without the random numbers of
their frames or with fresh ones, each hides among the others. How well follows from the blocks of
outputs that reports are made of, which is more than their ε says (see `privacy/shuffling/laws`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from noisewright.certificates import Certificate, certify_shuffled_rows
from noisewright.errors import InputError
from noisewright.exact import Number
from noisewright.local.families.hashed import Hashed
from noisewright.local.one_of_several import OneOfSeveral
from noisewright.local.padded import PaddedSample
from noisewright.local.randomizer import BlockResponse, ReportRandomizer
from noisewright.local.unary import UnaryEncoding
from noisewright.privacy import (
    RowLaw,
    ShuffledGuarantee,
    bit_masses,
    block_masses,
    shuffled_rows,
)

if TYPE_CHECKING:
    from noisewright.local.collection import Collection

BlockMasses = tuple[Fraction, Fraction, Fraction, Fraction]


@dataclass(frozen=True)
class ShuffledReports:
    """What whoever sees only reports in random order learns about one person.

    (`upper`, `delta`) holds for replacing the value of one of so many people by any other.
    """

    collection: Collection
    guarantee: ShuffledGuarantee

    @property
    def people(self) -> int:
        """How many reports there are."""
        return self.guarantee.rows

    @property
    def upper(self) -> float:
        """The ε that is proven."""
        return self.guarantee.upper

    @property
    def lower(self) -> float:
        """No smaller ε than this holds; 0 if nothing is known."""
        return self.guarantee.lower

    @property
    def delta(self) -> Fraction:
        """The δ that it is proven with."""
        return self.guarantee.delta

    def certificate(self) -> Certificate:
        """Return the proof, proven again by the stand-alone checker."""
        collection = self.collection
        return certify_shuffled_rows(
            _describe(collection), collection.guarantee, guarantee=self.guarantee
        )

    def __str__(self) -> str:
        return str(self.guarantee)


def shuffle_reports(collection: Collection, *, people: int, delta: Number) -> ShuffledReports:
    """Return what holds for reports of so many people in random order.

    Requires: one report of each person; δ of the reports 0; 0 < delta < 1.
    Ensures: (upper, delta) is proven, by the blocks of the reports where these are known, else
    by their ε alone.
    """
    claim = collection.guarantee
    if claim.delta:
        raise InputError(
            f"{collection!r} has {claim}; random order needs reports with delta=0, because delta "
            "would count once for each of them."
        )
    blocks: Sequence[BlockMasses] = ()
    if len(list(collection.parts())) == 1:
        blocks = blocks_of(collection.randomizer)
    if blocks:
        law = RowLaw(blocks=tuple(dict.fromkeys(blocks)), claimed=claim.epsilon)
    else:
        law = RowLaw(rest=claim.epsilon)
    # By its ε alone nothing is known from below: other reports with this ε may hide worse.
    known = not blocks or (len(blocks) == 1 and _is_attained(collection.randomizer))
    found = shuffled_rows(law, rows=people, delta=delta, known=known)
    return ShuffledReports(collection, found)


def _describe(collection: Collection) -> dict[str, Any]:
    parts = list(collection.parts())
    if len(parts) == 1:
        return parts[0][0]
    named = [{"mechanism": inner, "claims": own.describe()} for inner, own in parts]
    return {"form": "collection", "sends": collection.sends, "parts": named}


def blocks_of(randomizer: ReportRandomizer) -> list[BlockMasses]:
    """Return the law of each part of a report; nothing if one of them is not known."""
    if isinstance(randomizer, OneOfSeveral):
        parts = [blocks_of(part) for part in randomizer.parts]
        return [one for part in parts for one in part] if all(parts) else []
    if isinstance(randomizer, UnaryEncoding):
        return [bit_masses(randomizer.own, randomizer.other)]
    if isinstance(randomizer, PaddedSample):
        response, size = randomizer.response, randomizer.largest
        if not randomizer.amplified:
            return blocks_of(response)
        ratio = (response.ratio + size - 1) / size
        outputs = response.family.outputs
        return [block_masses(ratio, outputs, size, max(2 * size - outputs, 0))]
    if isinstance(randomizer, BlockResponse) and randomizer.ratio >= 1:
        family = randomizer.family
        shared = family.shared
        if shared is None:
            shared = max(2 * family.inside - family.outputs, 0)
        return [block_masses(randomizer.ratio, family.outputs, family.inside, shared)]
    return []


def _is_attained(randomizer: ReportRandomizer) -> bool:
    """Tell whether two values have exactly this law: then it bounds from below, too."""
    if isinstance(randomizer, PaddedSample):
        return randomizer.amplified or randomizer.largest == 1
    if isinstance(randomizer, BlockResponse):
        return not isinstance(randomizer.family, Hashed)
    return isinstance(randomizer, UnaryEncoding)
