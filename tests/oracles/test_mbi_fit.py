"""The fit that ours is compared with, against least squares and proportional fitting."""

from fractions import Fraction

import numpy as np
import pytest

from benchmarks.mbi_fit import fit_by_mbi
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.steps.noise import MARGINAL, Noise
from tests.synthetic.three_columns import (
    DOMAIN,
    GROUPS,
    ROWS,
    SIZES,
    counted,
    joint_of,
    marginal_of,
    most_even,
    nearest,
    people,
)

pytest.importorskip("mbi", reason="needs: mbi, of the extra dev")


def test_what_mbi_finds_is_the_nearest_and_then_the_most_even() -> None:
    """Least squares decide the pairs; the entropy decides what no pair tells."""
    seen = counted(people(), Noise(Fraction(1, 5), "epsilon", MARGINAL), spread=25)
    # Not all counts are alike: one of the columns is known much better.
    seen[1] = Measurement(DOMAIN, ("b",), seen[1].counts, Noise(Fraction(2), "epsilon", 2), ROWS)
    found = joint_of(fit_by_mbi(SIZES, seen))
    best = nearest(seen)
    for names in GROUPS:
        assert marginal_of(found, names) == pytest.approx(marginal_of(best, names), abs=1e-3)
    assert found == pytest.approx(most_even(best), abs=1e-3)
    # The right answer is not the noisy one, nor the same without weights.
    assert np.abs(marginal_of(best, ("a", "b")) - seen[3].counts / ROWS).max() > 5e-3
    assert (
        np.abs(marginal_of(best, ("b",)) - marginal_of(nearest(seen[:1] + seen[2:]), ("b",))).max()
        > 2e-3
    )
