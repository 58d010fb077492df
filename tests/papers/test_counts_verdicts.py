"""Verdicts of the count paper's figures listen to their numbers, and so do their sentences.

The numbers of the quick page are given to the functions that judge them, then mutated: mechanisms
exchanged, α exchanged, sizes reversed, values scaled, shifted or made uncertain. A sentence whose
verdict never changes would be a sentence that was typed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from papers.claims import Sentence, Setting, Verdict, every, most, number, overall, some
from papers.counts import plain_program
from papers.counts.adult import figure_10, patterns
from papers.counts.binomial import ALPHAS, STRONG, WEAK, Ranges, over_d, over_p
from papers.counts.choices import figure_7
from papers.counts.error_spread import figure_13, figure_14
from papers.counts.experiment import beyond, binomial_weights, rmse
from papers.counts.near_answers import figure_11, figure_12
from papers.counts.optima import WM, away, best, costs
from papers.counts.optimal_face import Range, at_most, below, fixed, optimal_face
from papers.counts.other_losses import root_mean_squares, tails

QUICK = Setting(Path(), quick=True)
HOLDS, TIES, FAILS = Verdict.HOLDS, Verdict.TIES, Verdict.FAILS


def _stretched(ranges: Any, low: float, high: float) -> Any:
    return {
        k: {m: Range(low * r.low, high * r.high) for m, r in v.items()} for k, v in ranges.items()
    }


def _shifted(ranges: Any, by: float) -> Any:
    return {k: {m: Range(r.low + by, r.high + by) for m, r in v.items()} for k, v in ranges.items()}


def _exchanged(ranges: Any) -> Iterator[Any]:
    names = list(next(iter(ranges.values())))
    for one, other in combinations(names, 2):
        swap = {one: other, other: one}
        yield {k: {m: v[swap.get(m, m)] for m in v} for k, v in ranges.items()}


def _mutants(ranges: Ranges) -> Iterator[Ranges]:
    yield ranges
    yield from _exchanged(ranges)
    sizes = sorted({k for _, k, _ in ranges})
    mirror = dict(zip(sizes, reversed(sizes), strict=True))
    shares = sorted({p for _, _, p in ranges})
    turned = dict(zip(shares, shares[1:] + shares[:1], strict=True))
    weak = {STRONG: WEAK, WEAK: STRONG}
    yield {(a, k, p): ranges[weak[a], k, p] for a, k, p in ranges}
    yield {(a, k, p): ranges[a, mirror[k], p] for a, k, p in ranges}
    yield {(a, k, p): ranges[a, k, turned[p]] for a, k, p in ranges}
    yield _stretched(ranges, 1e-3, 1e-3)
    yield _stretched(ranges, 1e3, 1e3)
    yield _stretched(ranges, 0.2, 5)
    yield _shifted(ranges, 100)
    for name in next(iter(ranges.values())):
        for grow in (lambda k: 0.01, lambda k: 2.0**k, lambda k: 0.3**k):
            yield {
                (a, k, p): {**v, name: Range(grow(k) * v[name].low, grow(k) * v[name].high)}
                for (a, k, p), v in ranges.items()
            }


def _assert_each_listens(found: Sequence[list[Sentence]]) -> None:
    """Each sentence has several verdicts over the mutants, and its words are never left out."""
    for versions in zip(*found, strict=True):
        assert len({s.verdict for s in versions}) > 1, versions[0].says
        assert all(s.finds for s in versions)
        assert all(s.instead for s in versions if s.verdict is not HOLDS), versions[0].says


def test_figure_7() -> None:
    truth = {
        "9/10": {"EM": 0.226, "WM": 0.2277, "WH": 0.2286, "GM": 0.242},
        "10/11": {"EM": 0.224, "WM": 0.2248, "WH": 0.2256, "GM": 0.238},
    }
    ends = {m: [fixed(v)] * 5 for m, v in (("GM", 0.87), ("WM", 0.4), ("WH", 0.43))}
    average = {m: v[0] for m, v in ends.items()}
    right = figure_7(truth, ends, average, uniform=True)
    assert [s.verdict for s in right].count(FAILS) == 1
    assert overall(right) is Verdict.PART
    swapped = {a: {"EM": t["GM"], "GM": t["EM"], "WM": 1.0, "WH": 0.0} for a, t in truth.items()}
    low = {m: [fixed(0.1)] * 5 for m in ends}
    high = {m: [fixed(0.9)] * 5 for m in ends}
    wrong = figure_7(swapped, low, {m: v[0] for m, v in low.items()}, uniform=False)
    _assert_each_listens([right, wrong, figure_7(truth, high, average, uniform=True)])


def _over_p(judged: Callable[[Ranges], list[Sentence]], family: str, score: Any) -> None:
    _assert_each_listens([judged(m) for m in _mutants(over_p(family, score, QUICK).ranges)])


def test_figure_11() -> None:
    ranges = over_p("L0", beyond(1), QUICK).ranges
    found = [figure_11(mutant, 0.01) for mutant in _mutants(ranges)]
    _assert_each_listens([*found, figure_11(ranges, 0.5)])


def test_figure_12() -> None:
    ranges = over_d("L0", (0.5, 0.1), 8, QUICK).ranges
    _assert_each_listens([figure_12(mutant) for mutant in _mutants(ranges)])


def test_figure_13() -> None:
    def judged(ranges: Ranges) -> list[Sentence]:
        easier = {
            (a, n, m): every(
                at_most(ranges[a, n, 0.5][m], v[m])
                for (b, k, _), v in ranges.items()
                if (b, k) == (a, n)
            )
            for a, n, _ in ranges
            for m in ranges[a, n, 0.5]
        }
        return figure_13(ranges, easier)

    _over_p(judged, "L0", rmse)


def test_figure_14() -> None:
    def bars(*values: float) -> list[Range]:
        return [fixed(v) for v in values]

    smooth = bars(0, 0, 0, 0, 0.01, 0.02, 0.03, 0.1, 0.3, 0.2, 0.1, 0.09, 0.08, 0.03, 0.02, 0.01, 0)
    first = bars(0, 0, 0, 0, 0, 0.01, 0.02, 0.1, 0.3, 0.1, 0.05, 0.05, 0.05, 0.1, 0.12, 0.1, 0)
    two = bars(0, 0.1, 0.2, 0.1, 0.05, 0.03, 0.02, 0.02, 0.01, 0.05, 0.12, 0.1, 0.1, 0.05, 0, 0, 0)
    keys = [(a, p, m) for a in ALPHAS for p in (0.1, 0.7) for m in ("GM", "WH", "WM", "EM")]
    bins = dict.fromkeys(keys, smooth)
    bins |= {(STRONG, 0.1, "GM"): first, (STRONG, 0.7, "GM"): two}
    yes, no = dict.fromkeys(keys, HOLDS), dict.fromkeys(keys, FAILS)
    right = figure_14(bins, yes, yes)
    assert overall(right) is HOLDS
    back = {k: bins[WEAK if k[0] == STRONG else STRONG, k[1], k[2]] for k in keys}
    early = {k: v[3:] + v[:3] for k, v in bins.items()}
    _assert_each_listens([right, figure_14(back, no, no), figure_14(early, no, no)])


@pytest.mark.parametrize("family", ["L1", "L2"])
def test_figures_15_and_16(family: str) -> None:
    def judged(ranges: Ranges) -> list[Sentence]:
        skew = {
            (a, n): every(below(ranges[a, n, 0.5]["AM"], ranges[a, n, p]["AM"]) for p in (0.1, 0.9))
            for a, n, _ in ranges
        }
        return root_mean_squares(ranges, skew)

    _over_p(judged, family, rmse)


def test_fm_catches_up_with_ucm_where_the_numbers_say_so() -> None:
    keys = [(a, n, p) for a in ALPHAS for n in (4, 8, 12) for p in (0.1, 0.5, 0.9)]
    skew = {(a, n): HOLDS for a, n, _ in keys}

    def last(ratios: dict[int, float]) -> Sentence:
        one = fixed(1.0)
        ranges = {
            k: {"UCM": one, "WH": one, "FM": fixed(ratios[k[1]]), "AM": one, "UM": one}
            for k in keys
        }
        return root_mean_squares(ranges, skew)[-1]

    falling = last({4: 1.64, 8: 1.5, 12: 1.2})
    assert "relative to UCM" in falling.says
    assert falling.verdict is HOLDS
    assert "1.64, 1.50, 1.20" in falling.finds
    assert last({4: 1.29, 8: 1.31, 12: 1.15}).verdict is FAILS
    assert "0 of 3 values of p" in last({4: 1.29, 8: 1.31, 12: 1.15}).instead


def test_figures_17_and_18() -> None:
    ranges = over_d("L1", (0.1, 0.6), 8, QUICK).ranges
    found = [tails(mutant, "Share:", fixed(0.9)) for mutant in _mutants(ranges)]
    _assert_each_listens([*found, tails(ranges, "Share:", fixed(0.1))])


def test_figure_10_and_its_companion() -> None:
    sizes = (2, 4, 8)
    right = {
        ("female", n): {
            "GM": fixed(n / (n + 1) + 0.05),
            "WH": Range(n / (n + 1) - 0.01, n / (n + 1)),
            "WM": fixed(n / (n + 1) - 0.001),
            "EM": fixed(n / (n + 1) - 0.05),
            "UM": fixed(n / (n + 1)),
        }
        for n in sizes
    }
    later = {"0.99": {k: {**v, "EM": v["UM"], "WM": v["UM"]} for k, v in right.items()}}
    weights = {("female", n): binomial_weights(n, 0.5) for n in sizes}
    skewed = {("female", n): binomial_weights(n, 0.05) for n in sizes}
    holds = figure_10(right, later, weights)
    assert {s.verdict for s in holds} == {HOLDS, Verdict.CORRECTED}
    found = [figure_10(mutant, {"0.99": right}, skewed) for mutant in _exchanged(right)]
    _assert_each_listens([holds, *found, figure_10(_shifted(right, 0.1), later, skewed)])
    assert {s.verdict for s in patterns(right, right)} <= {HOLDS, TIES}
    _assert_each_listens([patterns(mutant, right) for mutant in _exchanged(right)])


def test_all_optimal_mechanisms_at_10_11_and_n_8() -> None:
    wm, wh = (optimal_face(8, STRONG, "L0", codes) for codes in (WM, ("WH",)))

    def root(face: Any, p: float) -> Range:
        return face.range(rmse.weighted(binomial_weights(8, p))).map(np.sqrt)

    assert root(wm, 0.3).words() == "3.058–3.145"
    assert root(wh, 0.1).words() == "3.586–4.457"
    for face, codes in ((wm, WM), (wh, ("WH",))):
        chosen = best(8, STRONG, "L0", codes)
        assert face.optimum == pytest.approx(chosen.loss, abs=1e-9)
        ours = nw.analysis.rmse(chosen.mechanism, binomial_weights(8, 0.1))
        assert root(face, 0.1).low - 1e-6 <= ours <= root(face, 0.1).high + 1e-6


def test_ranges_against_the_plain_program() -> None:
    n, alpha, codes = 4, "3/4", ("WH", "CM")
    unequal, _ = plain_program.property_rows(codes, n)
    face = optimal_face(n, alpha, "L0", codes)
    weights = binomial_weights(n, 0.2)[:, None] * away(n) ** 2
    ends = [
        sign
        * plain_program.solve(
            n,
            0.75,
            sign * weights,
            rows=unequal,
            diagonal=1 / (n + 1),
            at_most=(costs(n, "L0"), face.optimum + 1e-9),
        ).value
        for sign in (1.0, -1.0)
    ]
    found = face.range(weights)
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-6)
    # GM is the only optimum for L0, Theorem 5.
    assert not optimal_face(n, alpha, "L0", ()).range(weights).wide


def test_words_for_ranges_and_verdicts() -> None:
    assert Range(1.0, 1.0 + 1e-9).words() == "1.000"
    assert Range(1.0, 2.0).words(1) == "1.0–2.0"
    assert below(fixed(1), fixed(2)) is HOLDS
    assert below(fixed(2), fixed(2)) is FAILS
    assert at_most(fixed(2), fixed(2)) is HOLDS
    assert below(Range(1, 3), fixed(2)) is at_most(Range(1, 3), fixed(2)) is TIES
    assert every([HOLDS, TIES]) is some([FAILS, TIES]) is TIES
    assert every([HOLDS, TIES, FAILS]) is FAILS
    assert some([HOLDS, FAILS]) is HOLDS
    assert most([HOLDS, HOLDS, FAILS]) is HOLDS
    assert most([HOLDS, TIES, FAILS]) is TIES
    assert most([HOLDS, FAILS]) is FAILS
    assert number([HOLDS, TIES, FAILS]) == "1 to 2 of 3"
    sentence = Sentence("a", "b", HOLDS)
    for verdicts, expected in (
        ((HOLDS, Verdict.MORE), HOLDS),
        ((HOLDS, Verdict.CORRECTED), Verdict.CORRECTED),
        ((HOLDS, TIES), TIES),
        ((TIES, FAILS), Verdict.PART),
        ((FAILS, FAILS), FAILS),
    ):
        assert overall(replace(sentence, verdict=v) for v in verdicts) is expected
