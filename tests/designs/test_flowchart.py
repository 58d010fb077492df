"""The flowchart of the count paper ends at the optimum, and turns where it should."""

import math

import pytest

import noisewright as nw
from noisewright.designs import ENDS, flowchart_path
from noisewright.errors import NoisewrightError

SETS = ((), ("S",), ("RM",), ("WH",), ("CH",), ("CM", "RM"), ("F",), ("F", "CM"))


def least(n: int, epsilon: str, codes: object) -> float:
    return nw.design(nw.Counts(n), epsilon=epsilon, loss="L0", properties=codes).loss


@pytest.mark.parametrize(("n", "epsilon"), [(2, "0.2"), (5, "0.2"), (5, "1")])
def test_the_loss_at_the_end_is_the_optimum(n: int, epsilon: str) -> None:
    ends = {end: least(n, epsilon, codes) for end, codes in ENDS.items()}
    for codes in SETS:
        path = flowchart_path(n, epsilon=epsilon, properties=codes)
        assert ends[path.end] == pytest.approx(least(n, epsilon, codes), rel=1e-9), codes
        assert path.answers[0] == ("fair", "F" in codes)


def test_the_turns_are_exact() -> None:
    """At n = 8 weak honesty is free from ln(10/8) on, and columns from ln 2 on."""
    for bound, codes, before, after in (
        (math.log(2), {"CM"}, "WM", "GM"),
        (math.log(10 / 8), {"WH"}, "WH", "GM"),
    ):
        below, above = math.nextafter(bound, 0), math.nextafter(bound, 1)
        assert flowchart_path(8, epsilon=below - 1e-15, properties=codes).end == before
        assert flowchart_path(8, epsilon=above + 1e-15, properties=codes).end == after
    path = flowchart_path(8, epsilon="1", properties="WH, CM")
    assert path.answers == (("fair", False), ("column", False), ("honest", False))
    assert flowchart_path(8, epsilon="0.1", properties="all").end == "EM"


@pytest.mark.parametrize(
    "wrong",
    [{"n": 1}, {"n": 2.5}, {"epsilon": "-1"}, {"properties": ["OD"]}, {"properties": ["XX"]}],
)
def test_what_the_flowchart_does_not_know_is_refused(wrong: dict[str, object]) -> None:
    given = {"n": 4, "epsilon": "1", "properties": []} | wrong
    with pytest.raises(NoisewrightError):
        flowchart_path(**given)  # pyright: ignore[reportArgumentType]
