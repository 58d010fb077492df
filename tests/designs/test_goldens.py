"""Optimal losses known to all digits, from exact rational pairs of primal and dual solutions."""

import math
from fractions import Fraction

import pytest

import noisewright as nw

CLOSE = 1e-9

# id: n, alpha, properties, loss, goal, prior, value
COUNTS = {
    "P1": (4, "0.9", "WH", "L0", "expected", None, Fraction(781, 810) * Fraction(4, 5)),
    "P3": (5, "2/3", "CH", "L0", "expected", None, Fraction(41, 50) * Fraction(5, 6)),
    "P5": (7, "0.62", "", "L1", "expected", None, Fraction(129353576281, 101250000000)),
    "P7": (4, "0.62", "RM,CM,F,WH,S", "L2", "expected", None, Fraction(47581951, 23506250)),
    "P16": (8, "3/4", "", "L2", "expected", range(1, 10), Fraction(209731, 53760)),
    "P18": (4, "0.62", "", "L1", "expected", range(1, 6), Fraction(131917171, 151875000)),
    "P19": (4, "0.62", "S", "L1", "expected", range(1, 6), Fraction(483391, 506250)),
    "M1": (5, "0.62", "", "L1", "worst", None, Fraction(85289125100, 73867528719)),
    "M3": (6, "0.9", "", "L0", "worst", None, Fraction(2439, 2939)),
}


def _check(found: nw.results.Design, value: Fraction | float) -> None:
    assert found.loss == pytest.approx(float(value), abs=CLOSE)
    assert found.exact_bound <= found.exact_loss
    assert found.gap <= CLOSE
    if isinstance(value, Fraction):
        assert found.exact_bound <= value <= found.exact_loss


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name: str) -> None:
    """P1 and P3 are printed rescaled by (n+1)/n, which is undone here."""
    n, alpha, properties, loss, goal, weights, value = COUNTS[name]
    prior = None if weights is None else [Fraction(w, sum(weights)) for w in weights]
    found = nw.design(
        nw.Counts(n), alpha=alpha, properties=properties, loss=loss, goal=goal, prior=prior
    )
    _check(found, value)


def test_x3_five_categories_with_delta() -> None:
    categories = nw.Categories(["a", "b", "c", "d", "e"])
    found = nw.design(categories, epsilon=1, delta="0.1", goal="worst")
    _check(found, 4 * 0.9 / (4 + math.e))
    assert found.loss == pytest.approx(0.5358512923274793, abs=CLOSE)


def test_x4_subsets_of_three_items() -> None:
    found = nw.design(nw.Subsets(["a", "b", "c"]), epsilon=1, loss="distance", goal="worst")
    _check(found, 1.1534121320549926)


def test_x5_numbers_on_a_grid_with_delta() -> None:
    grid = nw.Interval(0, 1, step="1/4")
    found = nw.design(grid, epsilon=1, delta="1/5", loss="distance", goal="worst")
    _check(found, 0.25094874718268284)


def test_the_four_optima_of_the_count_paper_at_n_20() -> None:
    """n = 20, α = 10/11: GM = WH = 0.952381, WH+RM+CM = 0.964137, EM = 0.970988 (rescaled)."""
    printed = {"": 0.952381, "WH": 0.952381, "WH,RM,CM": 0.964137, "F": 0.970988}
    for properties, value in printed.items():
        found = nw.design(nw.Counts(20), alpha="10/11", properties=properties)
        assert found.loss * 21 / 20 == pytest.approx(value, abs=5e-7)
        assert found.gap <= CLOSE
