"""Fits and the ledger: debited before they draw, named, and never seeded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import OutsideSpaceError, OverBudgetError, ParameterError
from noisewright.sampling import Source
from tests.models.people import DOMAIN, halves


def model(**options: Any) -> nw.models.PrivateNaiveBayes:
    given: dict[str, Any] = {"label": "sick", "epsilon": 1, "ledger": None, **options}
    return nw.models.PrivateNaiveBayes(DOMAIN, **given)


class NoBits(Source):
    private = True

    def fill(self, buffer: Any) -> None:
        raise OSError("no bits")


def test_every_fit_is_debited_before_it_draws(tmp_path: Path) -> None:
    X, y, _, _ = halves(100)
    book = nw.Ledger.create(tmp_path / "book.db")
    book.grant("clinic", epsilon=1, why="consent of 2026")
    private = model(epsilon="0.75", ledger=book, dataset="clinic")
    private.fit(X, y)
    assert book.remaining("clinic") == nw.accounting.Guarantee(0.25)
    entry = book.history("clinic")[1]
    assert entry.what == "naive Bayes of sick from 3 columns"
    with pytest.raises(OverBudgetError):
        private.fit(X, y)
    assert book.remaining("clinic") == nw.accounting.Guarantee(0.25)


def test_what_fails_while_it_draws_is_wasted(tmp_path: Path) -> None:
    X, y, _, _ = halves(100)
    book = nw.Ledger.create(tmp_path / "book.db")
    book.grant("clinic", epsilon=1, why="consent of 2026")
    with pytest.raises(OSError, match="no bits"):
        model(epsilon=1, ledger=book, dataset="clinic", source=NoBits()).fit(X, y)
    assert book.remaining("clinic") == nw.accounting.Guarantee(0)
    assert book.state(book.history("clinic")[1].sequence) == "wasted"


def test_a_budget_must_be_named(tmp_path: Path) -> None:
    X, y, _, _ = halves(100)
    book = nw.Ledger.create(tmp_path / "book.db")
    with pytest.raises(ParameterError, match="with dataset="):
        model(ledger=book).fit(X, y)


def test_bad_rows_cost_nothing(tmp_path: Path) -> None:
    X, y, _, _ = halves(100)
    book = nw.Ledger.create(tmp_path / "book.db")
    book.grant("clinic", epsilon=1, why="consent of 2026")
    X["smokes"] = X["smokes"].astype(object)
    X["smokes"][0] = "often"
    with pytest.raises(OutsideSpaceError):
        model(epsilon=1, ledger=tmp_path / "book.db", dataset="clinic").fit(X, y)
    assert book.remaining("clinic") == nw.accounting.Guarantee(1)
