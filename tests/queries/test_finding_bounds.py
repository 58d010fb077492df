"""Bounds that are found with noise: they hold nearly all rows, cost what they say, and no more."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import InputError, ParameterError

WAGES = np.random.default_rng(5).lognormal(10, 0.5, 3_000)


def table(values: object = WAGES, **options: object) -> nw.Private:
    data = pa.table({"wage": pa.array(values), "sex": ["F", "M"] * 1_500})
    given = {"columns": {"sex": ["F", "M"]}, "ledger": None, **options}
    return nw.Private(data, **given)  # pyright: ignore[reportArgumentType]


def test_bounds_hold_nearly_all_rows_and_are_not_much_wider() -> None:
    found = table().find_bounds("wage", epsilon=1)
    low, high = float(found.low), float(found.high)
    assert np.mean((low <= WAGES) & (high >= WAGES)) > 0.97
    assert high <= 4 * WAGES.max()
    assert found.space == nw.Interval(found.low, found.high, step=1)
    assert nw.check(found.answer.certificate)
    assert "epsilon=1" in repr(found)


def test_numbers_below_zero_and_small_steps() -> None:
    values = np.where(np.arange(3_000) % 2, -0.3, 0.6)
    found = table(values).find_bounds("wage", epsilon=2, step="1/100")
    assert (found.low, found.high) == (Fraction(-32, 100), Fraction(64, 100))


def test_one_far_row_does_not_move_the_bounds() -> None:
    """A false alarm has a chance of 1 in 100,000."""
    values = np.where(np.arange(3_000) == 7, 1e11, 50.0)
    for _ in range(10):
        assert table(values).find_bounds("wage", epsilon=1).high == 64


def test_the_ledger_pays(tmp_path: Path) -> None:
    ledger = nw.Ledger.create(tmp_path / "budget.db")
    ledger.grant("people", epsilon=2, rows=1)
    table(ledger=ledger, dataset="people").find_bounds("wage", epsilon="1/2")
    assert ledger.balance("people").left.epsilon.rational == Fraction(3, 2)


def test_odd_requests_are_refused() -> None:
    people = table()
    with pytest.raises(ParameterError, match="declared already"):
        people.find_bounds("sex", epsilon=1)
    with pytest.raises(InputError, match="no column 'pay'"):
        people.find_bounds("pay", epsilon=1)
    with pytest.raises(ParameterError, match="positive"):
        people.find_bounds("wage", epsilon=1, step=0)
    with pytest.raises(InputError, match="no bounds were found"):
        people.find_bounds("wage", epsilon="1/100000")
