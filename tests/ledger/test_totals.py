"""Sums are compared exactly: the largest of several, against decimals of 90 digits."""

from decimal import Decimal, localcontext
from fractions import Fraction

from hypothesis import example, given, strategies as st

import noisewright as nw
from noisewright.ledger.parts import Parts
from noisewright.ledger.totals import Total

TOTALS = st.builds(
    Total,
    st.fractions(0, 5, max_denominator=30),
    st.fractions(1, 40, max_denominator=12),
    st.fractions(0, 1, max_denominator=50),
    st.fractions(0, 3, max_denominator=50),
)


def epsilon(total: Total) -> Decimal:
    with localcontext(prec=90):
        rational = Decimal(total.rational.numerator) / Decimal(total.rational.denominator)
        return rational + (Decimal(total.ratio.numerator) / Decimal(total.ratio.denominator)).ln()


def near_e(digits: int, *, above: bool) -> Total:
    """ln of a fraction that is next to e: compared with 1, the difference is 10^-digits or so."""
    low, high = nw.accounting.Epsilon.of(1).ratio_bounds(digits * 4)
    return Total(ratio=Fraction(high if above else low, 1 << (digits * 4)))


@given(TOTALS, TOTALS)
@example(Total(Fraction(1)), near_e(60, above=True))
@example(Total(Fraction(1)), near_e(60, above=False))
@example(Total(Fraction(10**9)), Total(ratio=Fraction(2)))
def test_two_sums_are_compared_exactly(one: Total, two: Total) -> None:
    difference = epsilon(one) - epsilon(two)
    same = (one.rational, one.ratio) == (two.rational, two.ratio)
    expected = 0 if same else (1 if difference > 0 else -1)
    assert one.compare(two) == expected == -two.compare(one)
    most = one.largest(two)
    assert epsilon(most) == max(epsilon(one), epsilon(two))
    assert (most.delta, most.rho) == (max(one.delta, two.delta), max(one.rho, two.rho))


@given(st.dictionaries(st.sampled_from("abcdef"), TOTALS, min_size=1), st.integers(1, 4))
def test_the_largest_parts_are_found_for_each_number_by_itself(
    spent: dict[str, Total], most: int
) -> None:
    parts = Parts(most)
    for key, total in spent.items():
        parts = parts.with_spend(key, total)
    assert parts.charge == Parts.of(most, spent).charge

    def largest(values: list[Fraction]) -> Fraction:
        return sum(sorted(values)[-most:], Fraction(0))

    charge = parts.charge
    assert charge.delta == largest([total.delta for total in spent.values()])
    assert charge.rho == largest([total.rho for total in spent.values()])
    with localcontext(prec=90):
        exact = sum(sorted(map(epsilon, spent.values()))[-most:], Decimal(0))
        assert abs(epsilon(charge) - exact) < Decimal("1e-80")
