"""What somebody is told to type where there is no budget yet."""

from fractions import Fraction

import pytest

from noisewright.exact import exactly
from noisewright.mechanisms import Guarantee
from noisewright.transaction.payer import Subject, _Advice


@pytest.mark.parametrize(
    ("delta", "written"), [("1e-9", "1e-9"), ("1/3", "1/3"), ("0.05", "0.05"), ("1e-400", "1/1")]
)
def test_a_delta_is_exact_and_written_as_people_do(delta: str, written: str) -> None:
    said = _Advice(Guarantee(1, delta), Subject(None)).grant("budget.db")
    _, _, word = said.partition("--delta ")
    assert word.startswith(written)
    assert exactly(word) == Fraction(delta)
