"""What the count page says beside its figures: golden values, and mutants that change a verdict."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from papers.claims import Claim, Setting, Verdict
from papers.counts import (
    definitions,
    existing_mechanisms,
    fair_mechanism,
    geometric_mechanism,
    one_bit,
    open_ends,
    plain_program,
    rationals,
    worst_case,
)
from papers.counts.existing_mechanisms import by_quality, clamped, low_utility, n_ary
from papers.counts.open_ends import judged_ranges, one_by_one, private_along_outputs, range_loss
from papers.counts.optima import away
from papers.counts.whole_tables import tables

FINE = (Verdict.HOLDS, Verdict.MORE, Verdict.CORRECTED)


def test_the_worst_case_in_golden_numbers() -> None:
    l0 = plain_program.worst(6, 0.9, (away(6) > 0).astype(float))
    assert l0 == pytest.approx(float(Fraction(2439, 2939)), abs=1e-9)
    assert 1 - rationals.diagonal(6, Fraction(9, 10)) == Fraction(2439, 2939)
    l1 = plain_program.worst(5, 0.62, away(5).astype(float))
    assert l1 == pytest.approx(float(Fraction(85289125100, 73867528719)), abs=1e-9)


def _off(make: Callable[..., Any], by: str = "1/2") -> Callable[..., Any]:
    """A mechanism that is right for another α."""
    return lambda space, *, alpha=None, **rest: make(
        space, alpha=None if alpha is None else Fraction(alpha) * Fraction(by), **rest
    )


def _shifted(made: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: made(*given) * Fraction(101, 100)


MUTANTS: dict[str, tuple[Callable[[Setting], Claim], Any, str, Any]] = {
    "Definition 1": (definitions.definition_1, nw, "from_matrix", lambda *_: None),
    "Definition 2": (definitions.definition_2, nw, "geometric", _off(nw.geometric)),
    "Equation (2)": (existing_mechanisms.equation_2, rationals, "is_private", lambda *_: True),
    "Equation (3)": (existing_mechanisms.equation_3, rationals, "is_private", lambda *_: False),
    "n-ary": (existing_mechanisms.n_ary_response, rationals, "is_private", lambda *_: False),
    "Section 6.2": (existing_mechanisms.exponential_em, nw, "tight_epsilon", lambda *_: 1.0),
    "staircase": (existing_mechanisms.staircase, rationals, "geometric", lambda *_: []),
    "worst case": (worst_case.worst_case, plain_program, "worst", lambda *_, **__: 0.5),
    "Section 8": (open_ends.column_privacy, rationals, "fair", rationals.geometric),
    "Fig. 3": (geometric_mechanism.fig_3, nw, "geometric", _off(nw.geometric)),
    "Fig. 4": (fair_mechanism.fig_4, nw, "explicit_fair", _off(nw.explicit_fair)),
    "Theorem 6": (fair_mechanism.theorem_6, rationals, "diagonal", _shifted(rationals.diagonal)),
    "Lemma 2": (one_bit.lemma_2, nw, "geometric", _off(nw.geometric)),
    "Example 1": (definitions.example_1, nw, "geometric", _off(nw.geometric)),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_verdict_changes_with_what_it_is_about(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check, place, attribute, mutant = MUTANTS[name]
    setting = Setting(tmp_path, quick=True)
    monkeypatch.setattr(place, attribute, mutant)
    assert check(setting).verdict not in FINE


def test_low_utility_is_read_off_the_numbers() -> None:
    bad = [[8.0, 0.4, 0.7, 0.5, 2.5, 0.7, 0.7, 2.9]]
    assert [s.verdict for s in low_utility(bad)] == [Verdict.HOLDS] * 3
    good = [[8.0, 0.4, 0.4, 0.5, 0.7, 0.8, 0.7, 2.9]]
    assert [s.verdict for s in low_utility(good)] == [Verdict.FAILS] * 3


def test_small_mechanisms_by_hand() -> None:
    assert n_ary(1, Fraction(1, 2)) == rationals.geometric(1, Fraction(1, 2))
    P, s = by_quality([[1, 0], [-1, 1]], Fraction(2))
    assert s == 2
    assert [list(map(float, row)) for row in P] == [
        pytest.approx([2 / 3, 1 / 5]),
        pytest.approx([1 / 3, 4 / 5]),
    ]
    # Noise of −1, 0, 1 with weights 1/2, 1, 1/2 and tails of half of that each step.
    noise = clamped(2, 1, 1, Fraction(1, 2))
    assert noise == rationals.geometric(2, Fraction(1, 2))
    assert private_along_outputs(rationals.fair(3, Fraction(1, 2)), Fraction(1, 2))
    assert not private_along_outputs(rationals.geometric(3, Fraction(1, 2)), Fraction(1, 2))


def test_ranges_by_hand() -> None:
    # One person in one of three cells; ranges are the cells and two pairs of neighboring cells.
    loss = range_loss(tables(1, 3))
    order = tables(1, 3)
    first, last = order.index((1, 0, 0)), order.index((0, 0, 1))
    # From the first cell to the last: both cells and both pairs are off by one, the middle is not.
    assert loss[first, last] == pytest.approx(4 / 5)
    assert loss[first, order.index((0, 1, 0))] == pytest.approx(3 / 5)
    # With next to no noise there is next to no error.
    assert one_by_one(2, Fraction(1, 10**12), prefixes=False) < 1e-5
    assert one_by_one(2, Fraction(1, 10**12), prefixes=True) < 1e-5
    assert judged_ranges([[1.0, 0.9, 0.6, 0.5]]) is Verdict.HOLDS
    assert judged_ranges([[1.0, 0.9, 0.6, 0.5], [1.0, 0.4, 0.6, 0.5]]) is Verdict.FAILS
    assert judged_ranges([[1.0, 0.9, 0.4, 0.5]]) is Verdict.FAILS


def test_costs_of_moves_are_private() -> None:
    design = open_ends.on_tables(2, 3, "1/4", range_loss(tables(2, 3)))
    assert nw.tight_epsilon(design.mechanism) == pytest.approx(np.log(4), abs=1e-9)
