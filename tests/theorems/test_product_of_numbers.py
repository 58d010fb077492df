"""Holohan–Leith–Mason 2015, Theorem 5 and Lemma 3: a product over rows is (ε, δ)-private exactly
when one row is; here for numbers with Laplace noise, by brute force over databases and events.
"""

from fractions import Fraction
from typing import Any

import pytest

import noisewright as nw

FORMS: dict[str, Any] = {
    "truncated": nw.laplace(nw.Interval(0, 1, step="1/2"), epsilon=1, delta="1/20", table=True,
                            form="truncated"),
    "bounded": nw.laplace(nw.Interval(0, 1, step="1/2"), epsilon=1, form="bounded"),
    "adjacent": nw.laplace(nw.Interval(0, 1, step="1/2"), alpha="1/3", sensitivity="1/2",
                           form="truncated", table=True),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("rows", [2, 3])
def test_a_database_is_as_private_as_a_row(name: str, rows: int) -> None:
    row = FORMS[name]
    database = (row**rows).table()
    for ratio in (Fraction(1), Fraction(3, 2), Fraction(5, 2), Fraction(3), Fraction(10)):
        worst = Fraction(0)
        for a, b in database.space.neighbor_codes().tolist():
            for x, y in ((a, b), (b, a)):
                pairs = zip(database.weights[x], database.weights[y], strict=True)
                excess = sum((max(Fraction(0), p - ratio * q) for p, q in pairs), Fraction(0))
                worst = max(worst, excess / database.total)
        epsilon = nw.accounting.Epsilon.log(ratio)
        assert nw.tight_delta(row, epsilon=epsilon) == pytest.approx(float(worst), abs=1e-15)
        assert nw.verify(row**rows, epsilon=epsilon, delta=worst)
        if worst:
            assert not nw.verify(row**rows, epsilon=epsilon, delta=worst * Fraction(999, 1000))
