"""A choice as a table over all possible inputs, for `verify` and other proofs.

It holds the qualities of all possible inputs, and what follows from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import NoisewrightError, NotPrivateError, ParameterError
from noisewright.exact import Epsilon, Number
from noisewright.given import flag, one_of
from noisewright.mechanisms import (
    SHRINK,
    Guarantee,
    Quality,
    Table,
    change_of,
    positive_epsilon,
    read_candidates,
    read_qualities,
    read_sensitivity,
    require_ratios,
    require_tabulable,
    rounded_rows,
)
from noisewright.public import public
from noisewright.selection.calibration import Costs, proven_factor
from noisewright.selection.choice_job import rational_below
from noisewright.selection.exponential import read_law
from noisewright.selection.noisy_max import noisy_max_law
from noisewright.selection.one_dataset import Law, Values, below_best
from noisewright.selection.permute_and_flip import PermuteAndFlipLaw
from noisewright.selection.top_k import read_rounds
from noisewright.spaces import Categories, Rows, Space

_METHODS = ("exponential", "permute_and_flip", "noisy_max")


@public
def choice_table(
    space: Space,
    quality: Quality,
    *,
    candidates: Space | Sequence[Any] | Any = None,
    method: Literal["exponential", "permute_and_flip", "noisy_max"] = "exponential",
    k: int | None = None,
    epsilon: Number | Epsilon | None = None,
    delta: Number = 0,
    alpha: Number | None = None,
    sensitivity: Number | None = None,
    monotonic: bool | None = None,
    calibrated: bool = False,
    base: Values | NDArray[Any] | None = None,
    step: Number = 1,
) -> Table:
    """Return the table of a private choice: a row of probabilities for each input of `space`.

    Requires: epsilon > 0; `quality`, a function of (input, candidate) or a matrix with one row per
    input; `candidates`, by default the points of the space. Few enough of both for a table. `base`
    is a base measure of "exponential", `step` what qualities of "noisy_max" are whole numbers of.
    Ensures: ε-private, as `verify` proves from the table, per unit of distance if the neighbors are
    "metric". The sensitivity is computed from the neighbors, and checked when given; monotonic
    qualities are recognized, unless monotonic=False. The factor is ε/(2Δ), or ε/Δ; with
    `calibrated=True` the largest at which ε could still be proven on the table. With `k` the
    outputs are all sequences of k candidates, each the product of its rounds, as by `top_k`, and
    there may be a `delta`.
    """
    one_of(method, _METHODS, name="method")
    flag(calibrated, name="calibrated")
    if monotonic is not None:
        flag(monotonic, name="monotonic")
    chosen = space if candidates is None else candidates
    listed = chosen if isinstance(chosen, Space) else read_candidates(chosen, quality)
    places = None
    law: Law = PermuteAndFlipLaw()
    if method == "exponential":
        law, places = read_law(chosen, quality, base)
    elif base is not None:
        raise ParameterError("base= is a base measure of method='exponential'. Leave it out.")
    if method == "noisy_max":
        law = noisy_max_law(step)
    outputs = listed if isinstance(listed, Space) else Categories(listed)

    def read() -> AllInputs:
        return AllInputs.read(
            law,
            outputs,
            quality,
            space=space,
            sensitivity=sensitivity,
            monotonic=monotonic,
            places=places,
        )

    claim = Guarantee(epsilon, delta, alpha=alpha)
    if k is None and not claim.delta:
        positive_epsilon(epsilon, alpha, instead="Use nw.uniform(space) for that.")
        return read().calibrate(claim) if calibrated else read().table(claim)
    if calibrated or base is not None or method == "noisy_max":
        raise ParameterError(
            "several rounds, and a delta, are for the usual factor of 'exponential' and "
            "'permute_and_flip' without a base measure. Leave calibrated= and base= out."
        )
    rounds, each = read_rounds(1 if k is None else k, outputs.size, claim, method)
    return _tabulate_rounds(read(), rounds, Guarantee(each), claim)


def _tabulate_rounds(known: AllInputs, rounds: int, each: Guarantee, claim: Guarantee) -> Table:
    """Return the table of all sequences; a sequence with a candidate twice has probability 0.

    A round chooses among the candidates that are left. Its rows are integers with a sum of 2^b,
    proven private by themselves; the probability of a sequence is the product of its rounds, so the
    rows of the whole add up to a power of two again and nothing more is rounded. Between neighbors
    a product changes by at most the product of what its factors change by.
    """
    if known.inputs.by_distance and claim.delta:
        raise ParameterError(
            "delta= is for neighbors that are all alike; with 'metric' ones use delta=0."
        )
    outputs = Rows(known.outputs, rounds)
    require_tabulable(known.inputs, outputs, instead="Use fewer inputs, candidates or rounds.")
    epsilon = rational_below(each)
    size, factor = known.outputs.size, epsilon / known.spread
    # For each set of candidates that are gone: the column of each that is left, and log2 of a row.
    made: dict[frozenset[int], tuple[dict[int, Any], int]] = {}
    for gone in (some for step in range(rounds) for some in combinations(range(size), step)):
        left = [place for place in range(size) if place not in gone]
        weights, bits = known.round_rows(factor, epsilon, left)
        require_ratios(weights, known.inputs, each.epsilon)
        made[frozenset(gone)] = dict(zip(left, weights.T, strict=True)), bits
    # Rounds of one step get one total, whoever is gone.
    longest = [
        max(bits for gone, (_, bits) in made.items() if len(gone) == step) for step in range(rounds)
    ]
    table = np.zeros((known.inputs.size, outputs.size), dtype=object)
    for sequence in permutations(range(size), rounds):
        code, chances = 0, np.ones(known.inputs.size, dtype=object)
        for step, place in enumerate(sequence):
            columns, bits = made[frozenset(sequence[:step])]
            chances = chances * columns[place] << (longest[step] - bits)
            code = code * size + place
        table[:, code] = chances
    return Table(
        known.inputs,
        table,
        total=1 << sum(longest),
        outputs=outputs,
        claim=claim,
        name=f"top {rounds} by {known.law.name}",
    )


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
