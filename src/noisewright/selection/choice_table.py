"""A choice as a table over all possible inputs, for `verify` and other proofs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon, Number
from noisewright.given import flag, one_of
from noisewright.mechanisms import (
    Guarantee,
    Quality,
    Table,
    positive_epsilon,
    read_candidates,
    require_ratios,
    require_tabulable,
)
from noisewright.public import public
from noisewright.selection.all_inputs import AllInputs
from noisewright.selection.certificate import rational_below
from noisewright.selection.exponential import read_law
from noisewright.selection.noisy_max import noisy_max_law
from noisewright.selection.one_dataset import Law, Values
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
