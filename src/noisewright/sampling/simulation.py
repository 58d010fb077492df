"""Random numbers for simulations: what a release might have looked like, drawn again and again.

A simulation starts from what was released already, so nothing depends on who can repeat it. It
needs counts of millions of draws rather than the draws, which `numpy` makes in doubles: good
enough to show an error to two digits, and never good enough for a release.
"""

from __future__ import annotations

import numpy as np

from noisewright.sampling.entropy import SeededSource


def simulation(seed: int | str | bytes) -> np.random.Generator:
    """Return a generator of binomial and multinomial counts; the same one for the same seed.

    Ensures: not private, and not taken by any mechanism, whose bits come from a `Source`.
    """
    return np.random.Generator(np.random.PCG64DXSM(SeededSource(seed).integer(128)))
