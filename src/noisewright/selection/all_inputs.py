"""A choice as a table: the qualities of all possible inputs, and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np

from noisewright.errors import NoisewrightError, NotPrivateError, ParameterError
from noisewright.exact import Epsilon, Number
from noisewright.mechanisms import (
    SHRINK,
    Guarantee,
    Quality,
    Table,
    change_of,
    read_qualities,
    read_sensitivity,
    require_ratios,
    require_tabulable,
    rounded_rows,
)
from noisewright.selection.certificate import rational_below
from noisewright.selection.largest_factor import Costs, proven_factor
from noisewright.selection.one_dataset import Law, below_best
from noisewright.spaces import Space


@final
@dataclass(frozen=True, eq=False)
class AllInputs:
    """The quality of each candidate for each input: `qualities[input][candidate]`.

    `spread` is how far the qualities of two candidates can move apart between neighbors: twice the
    sensitivity, or once if they are monotonic; per unit of distance if neighbors are "metric".
    `places` are the outputs that candidates have, if not all outputs are candidates.
    """

    law: Law
    inputs: Space
    outputs: Space
    qualities: list[list[Fraction]]
    spread: Fraction
    places: tuple[int, ...] | None = None

    @staticmethod
    def read(
        law: Law,
        outputs: Space,
        quality: Quality,
        *,
        space: Space,
        sensitivity: Number | None,
        monotonic: bool | None,
        places: tuple[int, ...] | None = None,
    ) -> AllInputs:
        """Read qualities, and look through all neighbors for the largest change."""
        require_tabulable(space, outputs, instead="Use fewer inputs or candidates.")
        qualities = read_qualities(quality, space, outputs)
        if places is not None:
            qualities = [[row[place] for place in places] for row in qualities]
        law.check(qualities)
        change = change_of(qualities, space)
        if monotonic and change.clash is not None:
            a, b = change.clash
            raise NotPrivateError(
                f"monotonic=True, but between the neighboring inputs with codes {a} and {b} some "
                "qualities rise and others fall. Leave monotonic out."
            )
        most = read_sensitivity(sensitivity, change, space)
        if most == 0:
            raise ParameterError(
                "the quality is the same for all neighbors, so there is nothing to protect: pick "
                "the best candidate directly, or give sensitivity= if the quality is scaled "
                "elsewhere."
            )
        one_way = change.clash is None if monotonic is None else monotonic
        return AllInputs(law, space, outputs, qualities, most if one_way else 2 * most, places)

    def round_rows(
        self, factor: Fraction, epsilon: Fraction, places: Sequence[int] | None = None
    ) -> tuple[Any, int]:
        """Return integer rows at a factor, among all candidates or these, and log2 of their sum.

        Rounding costs much less than ε between neighbors. They are not proven yet.
        """
        kept = range(len(self.qualities[0])) if places is None else places
        # The whole law at a smaller factor, so that room for rounding is left.
        shrunk = factor * SHRINK
        exponents = [[row[place] * shrunk for place in kept] for row in self.qualities]
        nearest = epsilon * min(Fraction(1), _nearest(self.inputs))
        masses, more = self.law.masses(shrunk), shrunk * self.law.last_of_ties
        return rounded_rows(exponents, nearest, masses, more=more, copies=self.law.copies)

    def table(self, claim: Guarantee) -> Table:
        """Return the table at the usual factor ε / spread, proven."""
        table = self._at(rational_below(claim) / self.spread, claim)
        require_ratios(table.weights, self.inputs, claim.epsilon)
        return table

    def calibrate(self, claim: Guarantee) -> Table:
        """Return the table at the largest factor at which it could be proven."""
        rows = [tuple(quality - max(row) for quality in row) for row in self.qualities]
        if all(rows[a] == rows[b] for a, b in self.inputs.neighbor_codes().tolist()):
            raise ParameterError(
                "every factor is private, so there is no largest one: neighbors choose alike. "
                "Leave calibrated out."
            )
        doubles = np.maximum([below_best(row) for row in self.qualities], -1e300)
        distinct, place = np.unique(doubles, axis=0, return_inverse=True)
        costs = Costs.between(
            self.inputs,
            claim.epsilon.floor(),
            place=place.reshape(-1),
            logs=lambda factor: self.law.logs(distinct, factor),
            depths=self.law.depths(distinct),
            candidates=self.law.least_share(distinct.shape[1]),
        )
        return proven_factor(
            costs,
            usual=rational_below(claim) / self.spread,
            table_at=lambda factor: self._at(factor, claim),
            holds=lambda table: _holds(table, claim.epsilon),
        )

    def _at(self, factor: Fraction, claim: Guarantee) -> Table:
        weights, bits = self.round_rows(factor, rational_below(claim))
        if self.places is not None:
            weights, few = np.full((self.inputs.size, self.outputs.size), 0, object), weights
            weights[:, self.places] = few
        return Table(
            self.inputs,
            weights,
            total=1 << bits,
            outputs=self.outputs,
            claim=claim,
            name=self.law.name,
        )


def _holds(table: Table, epsilon: Epsilon) -> bool:
    try:
        require_ratios(table.weights, table.space, epsilon)
    except NoisewrightError:
        return False
    return True


def _nearest(space: Space) -> Fraction:
    """Return how near the nearest neighbors are, in units of which each allows one ε."""
    if not space.by_distance:
        return Fraction(1)
    pairs = space.neighbor_codes().tolist()
    return Fraction(min((space.neighbor_distance(a, b) for a, b in pairs), default=1))
