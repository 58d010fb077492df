"""Verdicts and words of Figures 1, 2, 8 and 9, of the price of fairness and of forbidden zeros.

Each is computed from true numbers and from false ones: a word that stays would be a typed one.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from papers.claims import Sentence, Verdict, overall
from papers.counts.combinations import figure_8, figure_9
from papers.counts.gaps_and_spikes import (
    SPIKES,
    figure_1,
    figure_2,
    filled,
    intervals,
    least_mass,
    shares,
    unique,
)
from papers.counts.optima import WM, away, costs, value
from papers.counts.optimal_face import SEVEN, OptimalFace, Range, fixed, optimal_face
from papers.counts.pathologies import factor

HOLDS, TIES, FAILS, CORRECTED = Verdict.HOLDS, Verdict.TIES, Verdict.FAILS, Verdict.CORRECTED
GAP, FLAT, PEAK = fixed(0.0), fixed(1.0), fixed(2.0)


def _verdicts(sentences: list[Sentence]) -> list[Verdict]:
    return [sentence.verdict for sentence in sentences]


def test_figure_1_listens_to_its_numbers() -> None:
    right = [fixed(1.0), fixed(0.75), fixed(0.95)]
    wrong = [fixed(0.3), fixed(0.1), fixed(0.62)]
    peaked = {"L2": [GAP, PEAK, FLAT], "L1": [PEAK, FLAT, GAP]}
    assert _verdicts(figure_1(right, {0.5: wrong}, peaked)) == [HOLDS] * 5
    sometimes = figure_1(wrong, {0.5: wrong, 0.6: right, 0.7: right, 0.8: wrong}, peaked)
    assert _verdicts(sometimes) == [CORRECTED] * 3 + [HOLDS] * 2
    assert all("0.6 to 0.7" in sentence.instead for sentence in sometimes[:3])
    assert _verdicts(figure_1(wrong, {0.5: wrong}, peaked))[:3] == [FAILS] * 3
    unsure = [Range(0.3, 1.0), Range(0.1, 0.8), Range(0.6, 0.95)]
    ties = figure_1(unsure, {0.5: unsure}, {"L2": [Range(0.0, 1.0), PEAK], "L1": [FLAT, FLAT]})
    assert _verdicts(ties) == [TIES, TIES, TIES, FAILS, FAILS]
    assert all("some optima only" in sentence.instead for sentence in ties[:3])
    assert _verdicts(figure_1(wrong, {0.5: wrong}, {"L2": [Range(0.0, 1.0), PEAK]}))[3] is TIES
    assert intervals([0.1, 0.2, 0.3, 0.4], [True, False, True, True]) == "0.1 and 0.3 to 0.4"


def test_figure_2_listens_to_its_numbers() -> None:
    assert overall(figure_2(0.01, True, fixed(0.67), 0.62)) is HOLDS
    assert overall(figure_2(0.01, True, fixed(0.6647), 0.618)) is CORRECTED
    assert _verdicts(figure_2(0.0, False, Range(0.5, 0.7), 0.5)) == [FAILS] * 3


def test_ranges_over_optima_agree_with_closed_forms() -> None:
    # Above 0.7733 the only L2 optimum for n = 4 is the constant answer 2; below, it is not.
    constant = optimal_face(4, "0.78", "L2", ())
    assert unique(constant, 4)
    two = np.tile(np.arange(5) == 2, (5, 1))
    assert least_mass(constant, two).low == pytest.approx(1, abs=1e-7)
    assert [s.high > 0.5 for s in shares(constant, 4)] == [False, False, True, False, False]
    assert least_mass(optimal_face(4, "0.77", "L2", ()), two).high < 0.5
    # EM is one of several fair optima, so the probability of near answers is a range.
    fair = optimal_face(4, "0.62", "L0", SEVEN)
    assert not unique(fair, 4)
    near = away(4) <= 1
    matrix = nw.explicit_fair(nw.Counts(4), alpha="0.62").matrix
    assert least_mass(fair, near).low - 1e-7 <= float((matrix * near).sum(axis=1).min())
    assert least_mass(fair, near).wide
    assert SPIKES[2].mass("0.91").low == pytest.approx(0.91, abs=1e-6)
    floor = OptimalFace(4, Fraction("0.78"), costs(4, "L2"), (), floor=0.01)
    assert all(share.low >= 0.05 - 1e-7 for share in shares(floor, 4))


def test_forbidden_zeros_are_judged_by_the_entries() -> None:
    def judged(row: list[Range]) -> tuple[Verdict, str, str]:
        return filled(0.01, {("L1", 2, "0.5"): {0: row}})

    flat = [fixed(0.01)] * 3
    verdict, finds, _ = judged(flat)
    assert verdict is HOLDS
    assert "3 of 3 entries" in finds
    verdict, finds, instead = judged([fixed(0.04), fixed(0.02), fixed(0.01)])
    assert verdict is CORRECTED
    assert "1 of 3 entries" in finds
    assert "most where they are the truth" in finds
    assert "7%" in instead
    assert judged([fixed(0.01), fixed(0.02), fixed(0.04)])[0] is FAILS
    assert judged([fixed(0.9), fixed(0.8), fixed(0.01)])[0] is FAILS


def test_the_price_of_fairness_is_judged_by_the_factors() -> None:
    def judged(excess: str, far: float = 1.0) -> list[Verdict]:
        return _verdicts(factor({(20, Fraction(1, 2)): Fraction(excess)}, far))

    assert judged("9/10") == [HOLDS, HOLDS]
    assert judged("11/10") == [FAILS, HOLDS]
    assert judged("1/10") == [HOLDS, FAILS]
    early = {(2, Fraction(9, 10)): Fraction(1, 10), (20, Fraction(1, 2)): Fraction(9, 10)}
    assert _verdicts(factor(early, 1.0)) == [HOLDS, CORRECTED]
    assert _verdicts(factor(early, 0.5)) == [HOLDS, FAILS]


def test_figures_8_and_9_listen_to_the_designs() -> None:
    def designs(n: int, alpha: str) -> dict[str, Any]:
        sets = {"GM": (), "WH": ("WH",), "WM": WM, "EM": ("all",)}
        return {name: value(n, alpha, "L0", codes) for name, codes in sets.items()}

    large = designs(4, "0.99")
    found = figure_8(0.0, 1, [True], large, 4)
    assert _verdicts(found) == [HOLDS, HOLDS, CORRECTED]
    assert "GM < WH < WM < EM" in found[2].instead
    assert figure_8(0.0, 1, [True], {**large, "WH": large["EM"], "WM": large["EM"]}, 4)[
        2
    ].verdict is (HOLDS)
    assert _verdicts(figure_8(0.1, 1, [True, False], designs(4, "0.6"), 4)) == [FAILS] * 3
    panels = {
        "2/3": {n: designs(n, "2/3") for n in (2, 4)},
        "10/11": {2: designs(2, "10/11"), 20: {**designs(4, "1/2"), "EM": large["EM"]}},
        "99/100": {4: large},
    }
    # At α = 1/2 GM, WH and WM are one mechanism, so there WM meets GM "at n = 20".
    assert _verdicts(figure_9(panels)) == [CORRECTED, HOLDS, CORRECTED]
    panels["2/3"] = {4: designs(4, "0.9")}
    panels["10/11"] = {20: designs(4, "0.9")}
    panels["99/100"] = {4: designs(4, "0.7")}
    assert _verdicts(figure_9(panels)) == [FAILS] * 3
