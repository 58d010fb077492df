"""Weights that are worked out on demand: doubles decide only what exact sums would decide."""

from bisect import bisect_right
from itertools import accumulate

import numpy as np
import pytest

from noisewright.sampling import EnclosedSampler
from tests.sampling.scripted import Scripted, word

WEIGHTS = [10**40, 3, 1, 10**40 + 7, 5 * 10**39, 1, 10**30]
ENDS = list(accumulate(WEIGHTS))
ERROR = 2.0**-44


def shares(off: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Running sums that are wrong by as much as they may be."""
    right = np.array([end / ENDS[-1] for end in ENDS])
    return np.clip(right + off, 0, 1)


def never() -> list[int]:
    raise AssertionError("the weights were not needed")


@pytest.mark.parametrize("off", [0, ERROR, -ERROR], ids=["right", "above", "below"])
def test_what_doubles_are_certain_of_is_right(off: float) -> None:
    sampler = EnclosedSampler(shares(off), ERROR, never)
    near = [end * 2**53 // ENDS[-1] + step for end in ENDS for step in range(-3000, 3000, 7)]
    units = [unit for unit in near if 0 <= unit < 2**53]
    units += np.random.default_rng(3).integers(0, 2**53, 5000).tolist()
    unsure = 0
    for unit in units:
        place = sampler.certain(unit)
        least, most = unit * ENDS[-1] >> 53, ((unit + 1) * ENDS[-1] - 1) >> 53
        if place is None:
            unsure += 1
        else:
            assert bisect_right(ENDS, least) == place == bisect_right(ENDS, most)
    assert 0 < unsure < len(units)


def test_far_from_the_ends_no_weights_are_needed() -> None:
    # 53 bits of a word of 64, from the top.
    source = Scripted([word(1 << 62)])
    assert EnclosedSampler(shares(0), ERROR, never).draw(source) == 0
    source.assert_used_up()


@pytest.mark.parametrize("place", range(len(WEIGHTS)))
@pytest.mark.parametrize("at", ["first", "last"])
def test_at_the_ends_exact_sums_decide(place: int, at: str) -> None:
    """Bits of u that lie a part in 2^300 inside of a place: nearer than doubles can tell."""
    known = 53 + 64 * 4
    start = ENDS[place] - WEIGHTS[place]
    if at == "first":
        # The least u with that many bits that is not below the start of the place.
        u = -((-start << known) // ENDS[-1])
    else:
        u = (ENDS[place] << known) // ENDS[-1] - 1
    first, rest = u >> 256, [u >> shift & (2**64 - 1) for shift in (192, 128, 64, 0)]
    for off in (ERROR, -ERROR):
        sampler = EnclosedSampler(shares(off), ERROR, lambda: WEIGHTS)
        source = Scripted([word(first << 11), *map(word, rest)])
        assert sampler.draw(source) == place
