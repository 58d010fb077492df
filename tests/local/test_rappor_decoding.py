"""From counts of RAPPOR back to shares: unbiased bits, intervals that cover, few false finds.

Draws are not seeded. Each test bounds a binomial count by at least 6.5 of its deviations, so that
all of them together raise a false alarm less often than once in 10^9 runs.
"""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.errors import InputError, ParameterError, UnidentifiableError
from noisewright.local import Rappor, RapporCounts
from noisewright.local.rappor.sparse import lasso

MADE = nw.local.rappor(bits=32, hashes=2, cohorts=8, f="1/4", p="1/4", q="3/4")
SHARES = np.array([0.4, 0.2, 0.1, 0.1, 0.08, 0.06, 0.04, 0.02])
LABELS = [f"v{i}" for i in range(8)]
NOBODY = [f"x{i}" for i in range(20)]


def collect(made: Rappor, people: int) -> RapporCounts:
    values = np.array(LABELS)[np.random.default_rng().choice(8, people, p=SHARES)]
    return made.count(made.reports(values))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(2, 30))
def test_the_lasso_meets_the_conditions_of_its_minimum(seed: int, columns: int, rows: int) -> None:
    """β ≥ 0, slope ≤ λ everywhere, and slope = λ where β > 0 (Karush, Kuhn and Tucker)."""
    chance = np.random.default_rng(seed)
    x, y = chance.normal(size=(rows, columns)), chance.normal(size=rows)
    x[:, 0] *= chance.integers(0, 2)
    penalties = chance.uniform(0.1, 2, columns)
    found = lasso(x.T @ x, x.T @ y, penalties)
    slope = x.T @ (y - x @ found)
    assert (found >= 0).all()
    assert (slope <= penalties + 1e-6).all()
    assert np.abs((slope - penalties)[found > 0]).max(initial=0.0) < 1e-5


def test_shares_of_bits_are_unbiased_with_the_error_that_they_state() -> None:
    """The mean of z² over 256 bits of 20 collections is 1, with a deviation of 0.02."""
    design = np.zeros((8, 32))
    for cohort in range(8):
        for share, label in zip(SHARES, LABELS, strict=True):
            design[cohort, list(set(MADE.positions(label, cohort=cohort)))] += share
    squares = []
    for _ in range(20):
        codes = np.repeat(np.arange(8), (SHARES * 4000).round().astype(int))
        reports = [
            MADE.reports(
                [LABELS[c] for c in codes], cohorts=np.full(codes.size, cohort, dtype=np.uint16)
            )
            for cohort in range(8)
        ]
        counts = sum((MADE.count(one) for one in reports[1:]), MADE.count(reports[0]))
        found = MADE.estimate_bits(counts)
        squares.append(((found.values - design) / found.standard_errors) ** 2)
    assert abs(np.mean(squares) - 1) < 0.15


@pytest.mark.parametrize(("basic", "sparse"), [(False, False), (False, True), (True, False)])
def test_intervals_cover(basic: bool, sparse: bool) -> None:
    """300 collections at 95%: a candidate is missed 15 times, with a deviation of 3.8."""
    made = nw.local.rappor(candidates=LABELS, f="1/4", p="1/4", q="3/4") if basic else MADE
    candidates = LABELS if basic else LABELS + NOBODY[:4]
    truth = np.array([*SHARES, *[0] * (len(candidates) - 8)])
    missed = np.zeros(len(candidates))
    for _ in range(300):
        found = made.decode(collect(made, 6000), candidates, sparse=sparse).estimate
        missed += (truth < found.lows) | (truth > found.highs)
    # Selection shifts small shares a little; 45 is eight deviations, and 0 is four below.
    assert missed.max() < (60 if sparse else 45)
    assert 0.02 < missed.mean() / 300 < 0.09


def test_bonferroni_and_fdr_control_what_they_say() -> None:
    """In 120 collections at level 0.05: 6 with a false find at most, with a deviation of 2.4."""
    any_false, part_false, found = 0, 0.0, [0, 0]
    false = np.array([label in NOBODY for label in LABELS + NOBODY])
    for _ in range(120):
        counts = collect(MADE, 6000)
        one = MADE.decode(counts, LABELS + NOBODY).detected
        two = MADE.decode(counts, LABELS + NOBODY, control="fdr").detected
        any_false += bool((one & false).any())
        part_false += float((two & false).sum() / max(1, two.sum()))
        found = [found[0] + int(one.sum()), found[1] + int(two.sum())]
    assert any_false < 24
    assert part_false / 120 < 0.12
    assert found[1] > found[0] > 120 * 4


def test_common_values_are_found_among_more_candidates_than_bits() -> None:
    many = LABELS + [f"y{i}" for i in range(600)]
    found = MADE.decode(collect(MADE, 100_000), many)
    assert not found.selected.all()
    assert set(LABELS[:4]) <= set(found.found)
    assert found.found[0] == "v0"
    assert "not selected" in found.estimate.notes[0]
    # Errors are some 0.005: ten of them.
    assert abs(found.estimate["v0"].value - 0.4) < 0.05


def test_missing_candidates_are_noticed() -> None:
    counts = collect(MADE, 200_000)
    complete, partial = MADE.decode(counts, LABELS), MADE.decode(counts, LABELS[1:])
    assert complete.misfit < 1.5 < partial.misfit
    assert abs(complete.rest) < 0.15
    assert partial.rest > 0.2
    assert "missing among the candidates" in " ".join(partial.estimate.notes)


def test_an_empty_cohort_is_left_out() -> None:
    values = [LABELS[i % 2] for i in range(20_000)]
    cohorts = np.arange(20_000, dtype=np.uint16) // 2 % 7
    found = MADE.decode(MADE.count(MADE.reports(values, cohorts=cohorts)), LABELS)
    assert set(found.found) >= {"v0", "v1"}


def test_what_cannot_be_decoded() -> None:
    counts = collect(MADE, 100)
    with pytest.raises(ParameterError, match="candidates is missing"):
        MADE.decode(counts)
    with pytest.raises(ParameterError, match="no two of them the same"):
        MADE.decode(counts, ["a", "a"])
    with pytest.raises(ParameterError, match="control is"):
        MADE.decode(counts, ["a"], control="none")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no reports"):
        MADE.decode(MADE.count(MADE.reports([])), ["a"])
    with pytest.raises(InputError, match="the collection has"):
        nw.local.rappor(bits=16, f="1/2").decode(counts, ["a"])
    blind = nw.local.rappor(bits=32, hashes=2, cohorts=8, f=1)
    with pytest.raises(UnidentifiableError, match="f is 1"):
        blind.decode(counts, ["a"])
