"""Certificates of steps with normal noise against dp-accounting, and against the tight δ."""

import math
from fractions import Fraction
from typing import Any

import pytest
from dp_accounting import ComposedDpEvent, DpEvent, GaussianDpEvent, ZCDpEvent
from dp_accounting.rdp import RdpAccountant

import noisewright as nw
from noisewright.synthetic.by_mst.mst import Mst
from noisewright.synthetic.by_mwem.mwem import Mwem
from noisewright.synthetic.by_points.by_points import ByPoints
from noisewright.synthetic.steps.run_budget import RunBudget
from noisewright.synthetic.steps.schedule import Schedule, counting

DOMAIN = nw.Records(
    {name: nw.Counts(size) for name, size in zip("abcd", (1, 3, 2, 4), strict=True)}
)
PAIRS = nw.workloads.Workload.marginals(DOMAIN, ways=2)


def events(mechanism: dict[str, Any], k: int) -> list[DpEvent]:
    """A Gaussian for each count, by its deviation over its change in L2, and ρ of each choice."""
    found: list[DpEvent] = []
    for step in mechanism["steps"]:
        if step["kind"] == "choice":
            width = 2 * float(Fraction(step["factor"])) * step["change"] * k
            found.append(ZCDpEvent(width**2 / 8))
            continue
        least = min(
            float(Fraction(one["deviation"])) / (math.sqrt(2 if one["counts"] == "marginal" else 1))
            for one in step["noise"]
        )
        found.append(GaussianDpEvent(least / k))
    return found


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize(("epsilon", "delta"), [(1, 1e-9), (0.1, 1e-5), (6, 1e-3)])
@pytest.mark.parametrize("method", [Mst, Mwem, ByPoints])
def test_dp_accounting_finds_the_claimed_delta(
    method: type[Mst] | type[Mwem] | type[ByPoints], epsilon: float, delta: float, k: int
) -> None:
    workload = PAIRS + nw.workloads.Workload.prefixes(DOMAIN, "d")
    whole = RunBudget.of(epsilon, delta, rows_per_person=k)
    mechanism = method(DOMAIN, workload, whole).schedule.certificate.document["mechanism"]
    order = float(Fraction(mechanism["order"]))
    accountant = RdpAccountant(orders=[order])
    accountant.compose(ComposedDpEvent(events(mechanism, k)))
    assert accountant.get_delta(epsilon) == pytest.approx(delta, rel=1e-5)
    # Orders of its own are no better.
    usual = RdpAccountant()
    usual.compose(ComposedDpEvent(events(mechanism, k)))
    assert usual.get_delta(epsilon) >= delta * (1 - 1e-5)


def tight_delta(epsilon: float, shift: float) -> float:
    """δ of one normal number with deviation 1 that neighbors shift (Balle–Wang 2018, Thm 8)."""

    def below(x: float) -> float:
        return math.erfc(-x / math.sqrt(2)) / 2

    return below(shift / 2 - epsilon / shift) - math.exp(epsilon) * below(
        -shift / 2 - epsilon / shift
    )


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 1e-9), (0.1, 1e-5), (6, 1e-3)])
def test_the_claim_is_above_the_tight_delta_of_many_counts(epsilon: float, delta: float) -> None:
    """Independent normal noise is one normal number, whose squared shifts add up."""
    whole = RunBudget.of(epsilon, delta)
    steps = [counting(whole, "counts", part) for part in whole.divide((5, 1, 3, 2))]
    mechanism = Schedule(whole, tuple(steps)).certificate.document["mechanism"]
    squares = [2 / Fraction(step["noise"][0]["deviation"]) ** 2 for step in mechanism["steps"]]
    tight = tight_delta(epsilon, math.sqrt(sum(squares)))
    assert delta / 10 < tight < delta
