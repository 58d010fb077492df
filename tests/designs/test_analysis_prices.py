"""What a property costs: the least loss with it and without it."""

import itertools

import pytest

import noisewright as nw
from noisewright.designs.analysis.property_prices import closure


@pytest.mark.parametrize(("loss", "alpha"), [("L0", "9/10"), ("L1", "0.62"), ("L2", "0.62")])
def test_prices_are_differences_of_optima(loss: str, alpha: str) -> None:
    space, codes = nw.Counts(5), ["RM", "CM", "F", "WH"]
    prices = nw.analysis.price_of_properties(space, properties=codes, alpha=alpha, loss=loss)

    def least(asked: list[str]) -> float:
        return nw.design(space, alpha=alpha, loss=loss, properties=asked).loss

    assert prices.none.loss == pytest.approx(least([]), rel=1e-9)
    assert prices.full.loss == pytest.approx(least(codes), rel=1e-9)
    for price in prices.prices:
        others = [code for code in codes if code != price.property]
        assert price.alone.loss == pytest.approx(least([price.property]), rel=1e-9)
        assert price.without.loss == pytest.approx(least(others), rel=1e-9)
        assert 0 <= price.added_for_sure <= price.added
        assert 0 <= price.saved_for_sure <= price.saved
        assert price.added == pytest.approx(price.alone.loss - prices.none.loss, abs=1e-9)
        assert price.saved == pytest.approx(prices.full.loss - price.without.loss, abs=1e-9)


def test_row_properties_and_symmetry_are_free_for_wrong_answers() -> None:
    """RM, RH and S cost nothing under L0 and a uniform prior."""
    rows = nw.analysis.price_of_properties(nw.Counts(6), alpha="9/10").rows()
    assert [row["property"] for row in rows] == ["RH", "RM", "CH", "CM", "F", "WH", "S"]
    free = {row["property"] for row in rows if row["added"] == 0}
    assert free == {"RH", "RM", "S"}
    # The explicit fair mechanism is the best of all that are fair, whatever else is asked.
    assert {row["property"] for row in rows if row["saved"] > 0} == {"F"}


def test_symmetry_costs_under_a_skewed_prior() -> None:
    """The count paper's Theorem 1 needs a symmetric prior."""
    prior = nw.priors.binomial(4, "1/10")
    asked = {"properties": "S", "alpha": "0.7", "loss": "L2"}
    assert nw.analysis.price_of_properties(nw.Counts(4), **asked)["S"].added_for_sure == 0
    assert (
        nw.analysis.price_of_properties(nw.Counts(4), prior=prior, **asked)["S"].added_for_sure
        > 0.1
    )


def test_what_is_implied_is_not_charged_twice() -> None:
    prices = nw.analysis.price_of_properties(
        nw.Counts(4), properties="RM, RH", alpha="0.62", loss="L2"
    )
    assert prices["RH"].without is prices.full
    assert prices["RH"].saved == 0
    assert prices["RM"].saved > 0


def test_implications_hold_for_every_mechanism_tried() -> None:
    for codes in itertools.combinations(["RH", "RM", "CH", "CM", "F", "WH", "S"], 2):
        best = nw.design(nw.Counts(3), alpha="0.8", loss="L2", properties=codes).mechanism
        assert closure(frozenset(codes)) <= nw.properties(best)


def test_the_text_is_a_table() -> None:
    text = str(nw.analysis.price_of_properties(nw.Counts(3), properties="WH", alpha="9/10"))
    head, names, rule, line = text.splitlines()
    assert head.startswith("expected L0 on Counts(3), epsilon=ln(10/9): ")
    assert names.split() == ["property", "meaning", "alone", "added", "without", "saved"]
    assert set(rule) == {"-", " "}
    assert line.split()[:3] == ["WH", "weak", "honesty"]
    assert "with nothing" in str(
        nw.analysis.price_of_properties(nw.Counts(2), properties=(), epsilon=1)
    )
