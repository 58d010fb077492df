"""What is certified is what is drawn: the same bits and the file's numbers give the same draw."""

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.exact import Epsilon, Exp
from noisewright.mechanisms.quality.powers import mixed_weights
from noisewright.mechanisms.quality.qualities import by_level
from noisewright.sampling import GroupSampler, Source, first_heads, geometric_argmax
from tests.selection.all_choices import ALL, FIRST

SEEDS = range(30)


def drawn(step: Any, qualities: Any, amount: Fraction, source: Source) -> int:
    """The position that a step of a certificate draws, from the samplers alone."""
    factor = Fraction(step["factor"])
    best = max(qualities)
    if step["by"] == "permute and flip":
        exponents = [(best - quality) * factor for quality in qualities]
        depths = np.array([int(exponent) for exponent in exponents], dtype=np.int64)
        return first_heads(depths, lambda place: Exp(-(exponents[place] % 1)), source)
    if step["by"] == "noisy max":
        size = Fraction(step["step"])
        steps = [int(quality / size) for quality in qualities]
        return geometric_argmax(steps, Epsilon(rational=factor * size), source)
    levels, which = by_level(qualities)
    sizes = np.bincount(which).tolist()
    weights = mixed_weights(levels, sizes, factor=factor, epsilon=amount)
    ((level, member),) = GroupSampler(weights, sizes).draw(1, source)
    return int(np.flatnonzero(which == level)[member])


QUANTILES = {"median": Fraction(1, 2), "quantile": Fraction(1, 4), "minimum": Fraction(0)}
DRAWN = [name for name in ALL if name not in QUANTILES and "BLR" not in name]


@pytest.mark.parametrize("name", DRAWN)
def test_a_draw_from_the_file(name: str) -> None:
    made = ALL[name](FIRST)
    mechanism = made.certificate.document["mechanism"]
    for seed in SEEDS:
        source = nw.randomness.SeededSource(seed)
        left, found = list(range(len(made.candidates))), []
        for step in mechanism["steps"]:
            amount = Fraction(step["amount"])
            if mechanism["unit"] == "rho":
                # ρ = ε²/8, of ε = 2 · factor · change
                amount = 2 * Fraction(step["factor"]) * Fraction(step["change"])
            qualities = [made.qualities[place] for place in left]
            found.append(made.candidates[left.pop(drawn(step, qualities, amount, source))])
        again = made.sample(source=nw.randomness.SeededSource(seed))
        assert again == (tuple(found) if isinstance(made, nw.results.TopK) else found[0])


def chances(certificate: nw.results.Certificate, qualities: list[Fraction]) -> list[Fraction]:
    """The exact probabilities of an exponential mechanism with what its certificate says."""
    (step,) = certificate.document["mechanism"]["steps"]
    assert step["by"] == "exponential mechanism"
    levels, which = by_level(qualities)
    sizes = np.bincount(which).tolist()
    factor, amount = Fraction(step["factor"]), Fraction(step["amount"])
    weights = mixed_weights(levels, sizes, factor=factor, epsilon=amount)
    total = sum(weight * size for weight, size in zip(weights, sizes, strict=True))
    return [Fraction(weights[level], total) for level in which.tolist()]


@pytest.mark.parametrize("name", QUANTILES)
def test_a_quantile_from_the_file(name: str) -> None:
    made = ALL[name](FIRST)
    rank = QUANTILES[name] * len(FIRST)
    qualities: list[Fraction] = []
    for y in range(10):
        below, upto = (sum(x < y for x in FIRST), sum(x <= y for x in FIRST))
        qualities.append(-max(Fraction(0), below - rank, rank - upto))
    assert chances(made.certificate, qualities) == [made.probability(y) for y in range(10)]


def test_blr_from_the_file() -> None:
    """Of n = 3 rows two are odd; the quality is the largest error of a query, in rows."""
    made = ALL["BLR"](FIRST)
    listed = [(3 - odd, odd) for odd in range(4)]
    qualities = [-abs(Fraction(2) - Fraction(3 * odd, 3)) for _, odd in listed]
    assert chances(made.certificate, qualities) == [made.probability(counts) for counts in listed]


@pytest.mark.parametrize("name", ["exponential", "a range", "noisy max"])
def test_a_pickled_choice_has_the_same_certificate(name: str) -> None:
    made = ALL[name](FIRST)
    again = pickle.loads(pickle.dumps(made))
    assert again.certificate == made.certificate
    assert again.sample(source=nw.randomness.SeededSource(5)) == made.sample(
        source=nw.randomness.SeededSource(5)
    )


@pytest.mark.parametrize("name", ALL)
def test_a_choice_is_proven_once(name: str) -> None:
    """Its fields are frozen, and with others it is another choice, which is proven anew."""
    made: Any = ALL[name](FIRST)
    assert made.certificate is made.certificate
    again: Any = pickle.loads(pickle.dumps(made))
    assert again.certificate is not made.certificate
