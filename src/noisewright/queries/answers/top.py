"""The most frequent of declared labels, by noisy counts.

Labels are listed by noisy count; those with the same one in the order in which they were declared.
Who is listed was chosen by noise as well: the largest of many noisy counts is too large on average.
So intervals go further down than up. Where all labels are alike, k of K are listed for their noise
alone, and of all intervals listed a share of K/k times P(z > a) misses, if intervals reach a down;
where k − 1 are far ahead, those miss on both sides, and the last one is chosen among K − k + 1.
With P(z > a) = (1 − c) / (K − k + 1), and the rest of 1 − c for the other side, both shares are
1 − c, which is also what misses where all k are far ahead: so a share of 1 − c at most is expected
to miss (the false coverage rate of Benjamini and Yekutieli 2005, for each side).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.given import quantity
from noisewright.queries.answers.answered import Answered
from noisewright.queries.answers.counts import answer_counts
from noisewright.queries.answers.weighted_sums import quantile_of_sum
from noisewright.queries.noise import CellNoise


@final
@dataclass(frozen=True, eq=False)
class Top:
    """The first k labels of each group: their `places` among the declared ones, and their counts.

    `in_doubt` says for each group how many labels that are not listed may well belong there: their
    count is not significantly smaller than that of the last one listed.
    """

    places: NDArray[np.int64]
    counts: Answered
    in_doubt: NDArray[np.int64]


def tails_of_choice(k: int, labels: int, confidence: float) -> tuple[float, float]:
    """Return how likely noise may exceed what intervals reach down, and what they reach up."""
    down = (1 - confidence) / max(2, labels - k + 1)
    return down, 1 - confidence - down


def answer_top(counts: Any, noise: CellNoise, *, k: int, confidence: float = 0.95) -> Top:
    """Return the k most frequent labels of each group from noisy counts, (groups, labels)."""
    table = np.asarray(counts)
    labels = table.shape[-1]
    if not 1 <= k <= labels:
        raise ParameterError(
            f"the top {k} of {quantity(labels, 'label')} were asked for; give k from 1 to {labels}."
        )
    places = np.argsort(-table, axis=-1, kind="stable")[:, :k]
    listed = np.take_along_axis(table, places, axis=-1)
    # Noise that adds up to 0 has smaller differences than independent noise of its decay.
    apart = quantile_of_sum(
        replace(noise, balanced_cells=None), np.array([1.0, -1.0]), 1 - confidence
    )
    near = (listed[:, -1:] - table).astype(np.float64) <= float(apart)
    below = noise.half_width(1 - 2 * tails_of_choice(k, labels, confidence)[0])
    rest = 1 - confidence - (1 - noise.chance_within(below)) / 2
    run = (below, noise.half_width(1 - 2 * rest))
    found = answer_counts(listed, noise, confidence=confidence, run=run)
    notes = (
        "Labels with the same noisy count are listed in the order in which they were declared.",
        f"Intervals allow for the choice of {k} among {quantity(labels, 'label')}.",
    )
    return Top(
        places,
        replace(found, what="top", notes=notes),
        near.sum(axis=-1) - near[np.arange(len(near))[:, None], places].sum(axis=-1),
    )
