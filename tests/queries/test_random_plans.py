"""No random question moves further than claimed; a claim of half as much would be found out."""

from __future__ import annotations

from typing import Any

import pytest

from noisewright.queries.measurements import QueryMeasurement
from tests.queries.random_plans import search


@pytest.mark.parametrize("seed", range(4))
def test_nobody_changes_more_than_was_certified(seed: int) -> None:
    assert search(40, seed) == 40


def test_nor_where_few_rows_are_paired(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiny tables have no 256 rows of a person."""
    monkeypatch.setattr("noisewright.queries.asked._MOST_PAIRED", 1)
    assert search(40, 4) == 40


def test_a_smaller_claim_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    real = QueryMeasurement.person_change
    monkeypatch.setattr(
        QueryMeasurement, "person_change", lambda *given: tuple(d - 1 for d in real(*given))
    )
    monkeypatch.setattr("noisewright.queries.question.Question.certify", _nothing)
    with pytest.raises(AssertionError, match="changed by"):
        search(40, 0)


def _nothing(*_: Any, **__: Any) -> None:
    """Certify nothing: the checker would refuse such a claim."""
