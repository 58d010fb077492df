"""Random pairs of distributions over a total of 64, so that tables keep them exactly."""

from fractions import Fraction
from itertools import pairwise

from hypothesis import strategies as st

TOTAL = 64
RATIOS = st.fractions(1, 6, max_denominator=12)
DELTAS = st.fractions(0, 1, max_denominator=20)


@st.composite
def distributions(draw: st.DrawFn, size: int = 6) -> list[Fraction]:
    cuts = sorted(draw(st.lists(st.integers(0, TOTAL), min_size=size - 1, max_size=size - 1)))
    edges = [0, *cuts, TOTAL]
    return [Fraction(b - a, TOTAL) for a, b in pairwise(edges)]
