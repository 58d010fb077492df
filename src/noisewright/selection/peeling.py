"""The k best as a table: every sequence of k candidates, for every input.

A round chooses among the candidates that are left. Its rows are integers with a sum of 2^b, proven
private by themselves; the probability of a sequence is the product of its rounds, so the rows of
the whole add up to a power of two again and nothing more is rounded. Between neighbors a product
changes by at most the product of what its factors change by.
"""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any

import numpy as np

from noisewright.errors import ParameterError
from noisewright.mechanisms import Guarantee, Table, require_ratios, require_tabulable
from noisewright.selection.all_inputs import AllInputs
from noisewright.selection.chosen import rational_below
from noisewright.spaces import Rows


def peeled_table(known: AllInputs, rounds: int, each: Guarantee, claim: Guarantee) -> Table:
    """Return the table of all sequences; a sequence with a candidate twice has probability 0."""
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
        weights, bits = known.rounded(factor, epsilon, left)
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
