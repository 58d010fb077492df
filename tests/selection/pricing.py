"""The survey's Example 2.1: three people bid 1.0 for a chocolate and one bids 3.1.

Which price brings the most? At 1.0 all four buy: a revenue of 4.0 (the survey prints 3.0).
"""

from fractions import Fraction

import noisewright as nw

PRICES = ["1.0", "3.0", "3.1", "3.2"]
BIDS = ("1.0", "1.0", "1.0", "3.1")
DATABASES = nw.Categories(["0.0", *PRICES]) ** 4


def revenue(bids: tuple[str, ...], price: str) -> Fraction:
    return Fraction(price) * sum(Fraction(bid) >= Fraction(price) for bid in bids)


REVENUES = [revenue(BIDS, price) for price in PRICES]
