"""What is certified is what is drawn: runs follow their schedule, and cost what it says."""

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import ParameterError
from noisewright.estimation.intervals.spread import project_to_simplex
from noisewright.sampling import (
    SeededSource,
    Source,
    balanced_geometric,
    rounded_normal,
    two_sided_geometric,
)
from noisewright.selection import exponential
from noisewright.synthetic.by_blr.blr_synthesizer import ByBlr
from noisewright.synthetic.by_mst.choose_pairs import independence_score
from noisewright.synthetic.by_mst.mst import Mst
from noisewright.synthetic.by_mwem.mwem import Mwem
from noisewright.synthetic.steps.noise import MARGINAL, QUERY
from noisewright.synthetic.steps.noisy_steps import NoisySteps
from noisewright.synthetic.steps.run_budget import RunBudget
from noisewright.synthetic.steps.schedule import Schedule, choosing, counting
from noisewright.synthetic.tallies import Tallies

BITS = nw.Records(a=nw.Counts(1), b=nw.Counts(1), c=nw.Counts(1))
NAMES: tuple[str, ...] = ("a", "b", "c")
PAIRS: tuple[tuple[str, str], ...] = (("a", "b"), ("a", "c"), ("b", "c"))
POINTS = list(product(range(2), repeat=3))
TWO_WAY = nw.workloads.Workload.marginals(BITS, ways=2)

Rows = tuple[tuple[int, ...], ...]


@cache
def tallies_of(rows: Rows) -> Tallies:
    codes = {name: np.array([row[place] for row in rows]) for place, name in enumerate(NAMES)}
    groupings = (*((name,) for name in NAMES), *PAIRS, NAMES)
    return Tallies.of([codes], BITS, groupings)


TINY = tallies_of(((0, 1, 0), (1, 1, 0)))


class Counted(Source):
    """Bits that are counted."""

    def __init__(self) -> None:
        self._bits, self.fills = SeededSource("counted"), 0

    def fill(self, buffer: Any) -> None:
        self.fills += 1
        self._bits.fill(buffer)


WHOLE = RunBudget.of(1)
ORDER = Schedule(
    WHOLE,
    (
        counting(WHOLE, "counts of a", Fraction(1, 4)),
        choosing(WHOLE, "choice 1 of 1", Fraction(1, 4)),
        counting(WHOLE, "counts of what was chosen", Fraction(1, 2), (QUERY,)),
    ),
)


def test_what_is_not_next_is_refused_before_anything_is_drawn() -> None:
    source = Counted()
    steps = NoisySteps(TINY, ORDER, source)

    def refused(what: str, do: Any) -> None:
        before = source.fills
        with pytest.raises(ParameterError, match=what):
            do()
        assert source.fills == before

    refused(r"step 1, which is counting \(counts of a\)", lambda: steps.choice([1, 2], [0, 1]))
    refused("0 of 3 steps", steps.require_done)
    steps.count(("a",), TINY.counts["a",])
    assert source.fills
    refused("step 2, which is choosing", lambda: steps.count(("a",), TINY.counts["a",]))
    steps.choice([1, 2], [0, 1])
    refused("counts of a marginal are not", lambda: steps.count(("b",), TINY.counts["b",]))
    refused("2 of 3 steps", steps.require_done)
    steps.count(("b",), np.array([1]), query="b = 1", cells=np.array([False, True]))
    steps.require_done()
    refused("step 4, which is nothing", lambda: steps.count(("a",), TINY.counts["a",]))
    assert [spend.amount for spend in steps.spends] == [step.amount for step in ORDER.steps]


def test_steps_that_do_not_add_up_are_no_schedule() -> None:
    with pytest.raises(ParameterError, match="the steps spend 1/2 of 1"):
        Schedule(WHOLE, ORDER.steps[:2])


def scales(certificate: nw.results.Certificate) -> list[dict[str, Fraction]]:
    """The noise of each step that counts, as the file has it."""
    document = json.loads(certificate.to_json())
    assert nw.check(document)
    return [
        {one["counts"]: Fraction(one.get("decay", one.get("deviation"))) for one in step["noise"]}
        for step in document["mechanism"]["steps"]
        if step["kind"] != "choice"
    ]


@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.parametrize("k", [1, 3])
def test_a_run_can_be_replayed_from_its_certificate(delta: float, k: int) -> None:
    """Noise and choices by the numbers in the file, from the same bits: the same counts."""
    mst = Mst(BITS, TWO_WAY, RunBudget.of(1, delta, rows_per_person=k))
    tallies = tallies_of(((0, 1, 0), (1, 1, 0), (1, 1, 1)) * 20)
    drawn = mst.draw(tallies, 5, source=SeededSource("again"))
    bits, found = SeededSource("again"), list[Any]()
    steps = json.loads(mst.schedule.certificate.to_json())["mechanism"]["steps"]
    left, chosen = list(PAIRS), list[tuple[str, str]]()
    for place, step in enumerate(steps):
        if step["kind"] == "choice":
            shares = [project_to_simplex(one / tallies.rows) for one in found]
            by_name = dict(zip(NAMES, shares, strict=True))
            scores = [independence_score(tallies, p, by_name[p[0]], by_name[p[1]]) for p in left]
            width = 2 * Fraction(step["factor"]) * step["change"] * k
            made = exponential(left, scores, epsilon=width, sensitivity=step["change"] * k)
            assert made.factor == Fraction(step["factor"])
            chosen.append(made.sample(source=bits))
            left.remove(chosen[-1])
            continue
        names = (NAMES[place],) if place < 3 else chosen[place - 5]
        ((_, scale),) = [(one["counts"], one) for one in step["noise"]]
        counts = tallies.counts[names]
        if delta:
            noise = rounded_normal(Fraction(scale["deviation"]), counts.size, bits)
        else:
            decay = nw.accounting.Epsilon(rational=Fraction(scale["decay"]))
            # One row for each person: their number is public, and these tables are small.
            assert scale.get("balanced_cells", 0) == (256 if k == 1 else 0)
            if counts.size <= scale.get("balanced_cells", 0):
                (noise,) = balanced_geometric(decay, counts.size, 1, bits)
                assert noise.sum() == 0
            else:
                noise = two_sided_geometric(decay, counts.size, bits)
        found.append(counts + noise.reshape(counts.shape))
        if len(found) == 3:
            assert chosen == []
    assert [one.columns for one in drawn.measurements] == [*((n,) for n in NAMES), *chosen]
    for one, again in zip(drawn.measurements, found, strict=True):
        assert (one.counts == again).all()


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_mwem_draws_the_noise_of_what_it_chose(delta: float) -> None:
    """Marginals and queries have different noise; both are in the file."""
    workload = TWO_WAY + nw.workloads.Workload.ranges(BITS, "a")
    mwem = Mwem(BITS, workload, RunBudget.of(1, delta), 5)
    drawn = mwem.draw(tallies_of(tuple(POINTS)), 5, source=SeededSource(8))
    seen = {("query" if one.query else "marginal", one.noise.scale) for one in drawn.measurements}
    assert {kind for kind, _ in seen} == {"marginal", "query"}
    listed = scales(mwem.schedule.certificate)
    assert len(listed) == 5
    for step in listed:
        assert seen == set(step.items())
    alone = Mwem(BITS, TWO_WAY, RunBudget.of(1, delta))
    assert {kind for step in scales(alone.schedule.certificate) for kind in step} == {"marginal"}


def test_blr_draws_with_the_factor_of_its_certificate() -> None:
    by_blr = ByBlr(BITS, TWO_WAY, RunBudget.of(3, rows_per_person=2), 2, 9)
    (step,) = by_blr.schedule.certificate.document["mechanism"]["steps"]
    assert (Fraction(step["factor"]), step["change"]) == (Fraction(3, 4), 1)
    rows = nw.workloads.blr(tallied_columns(9), TWO_WAY, epsilon=by_blr.row_epsilon, m=2)
    assert rows.claim.epsilon.rational / 2 == Fraction(step["factor"])


def tallied_columns(rows: int) -> dict[str, Any]:
    return {name: [POINTS[n % 8][place] for n in range(rows)] for place, name in enumerate(NAMES)}


def test_a_certificate_says_nothing_about_the_data() -> None:
    """It is the same for all tables, and made before any of them is counted."""
    mst = Mst(BITS, TWO_WAY, RunBudget.of(1))
    before = mst.schedule.certificate.to_json()
    for rows in (((0, 0, 0),) * 30, ((1, 0, 1), (0, 1, 0)) * 40):
        mst.draw(tallies_of(rows), 5, source=SeededSource(3))
        assert mst.schedule.certificate.to_json() == before
    assert "a × b" not in before


def neighbors() -> Iterator[tuple[Rows, Rows]]:
    """Two rows, of which one is replaced; up to flipping columns, which changes nothing."""
    for other, kept in product(POINTS[1:], POINTS):
        yield ((0, 0, 0), kept), (other, kept)


@cache
def weights_of(scores: tuple[int, ...], width: Fraction) -> tuple[float, ...]:
    found = exponential(
        list(range(len(scores))), list(scores), epsilon=width, sensitivity=MARGINAL
    ).weights
    assert found is not None
    return tuple(float(Fraction(weight, sum(found))) for weight in found)


@cache
def score_of(rows: Rows, pair: tuple[str, str], first: Any, second: Any) -> int:
    shares = [project_to_simplex(np.array(noisy) / 2) for noisy in (first, second)]
    return independence_score(tallies_of(rows), pair, shares[0], shares[1])


def test_the_worst_loss_of_a_whole_run_is_what_is_certified() -> None:
    """Every neighbor, every way the choices can go, all noise that matters: at most ε, and near it.

    The numbers are those of the file. Noise of a count beyond those of both neighbors has the loss
    of the nearest one, so that noisy counts from 0 to 2, which add up to 2 as the noise does to 0,
    show the largest loss. Counting spends 9/10
    of ε and a replaced row can cost all of that; what the choices add is found by listing.
    """
    epsilon = Fraction(2)
    certificate = Mst(BITS, TWO_WAY, RunBudget.of(epsilon)).schedule.certificate
    *singles, first_pair, second_pair = [one["marginal"] for one in scales(certificate)]
    (factor,) = {
        Fraction(step["factor"])
        for step in certificate.document["mechanism"]["steps"]
        if step["kind"] == "choice"
    }
    assert len(singles) == 3
    assert first_pair == second_pair
    cells = [(0, 2), (1, 1), (2, 0)]
    worst = 0.0
    for one, other in neighbors():
        x, z = tallies_of(one), tallies_of(other)
        moved = {pair: int(np.abs(x.counts[pair] - z.counts[pair]).sum()) for pair in PAIRS}
        by_cells = [
            {
                noisy: float(decay) * sum(loss(noisy, x.counts[name,], z.counts[name,]))
                for noisy in cells
            }
            for name, decay in zip(NAMES, singles, strict=True)
        ]
        for noisy in product(cells, repeat=3):
            seen = dict(zip(NAMES, noisy, strict=True))
            spent = sum(by[one] for by, one in zip(by_cells, noisy, strict=True))
            scores = [
                tuple(score_of(rows, pair, seen[pair[0]], seen[pair[1]]) for pair in PAIRS)
                for rows in (one, other)
            ]
            for gain, chosen in choices(scores[0], scores[1], 4 * factor):
                counted = float(first_pair) * sum(moved[PAIRS[place]] for place in chosen)
                worst = max(worst, spent + gain + counted)
    assert 0.915 * epsilon < worst <= float(epsilon) * (1 + 1e-12)


def loss(noisy: Any, counts: Any, others: Any) -> list[int]:
    """What one more unit of decay tells, cell by cell."""
    return [
        abs(seen - int(b)) - abs(seen - int(a))
        for seen, a, b in zip(noisy, counts, others, strict=True)
    ]


@cache
def choices(
    scores: tuple[int, ...], others: tuple[int, ...], width: Fraction
) -> list[tuple[float, tuple[int, int]]]:
    """Both choices of a tree of three columns, with the logarithm of the ratio of their chances."""
    found: list[tuple[float, tuple[int, int]]] = []
    for first, second in product(range(3), repeat=2):
        if first == second:
            continue
        rest = [place for place in range(3) if place != first]
        chances: list[float] = []
        for given in (scores, others):
            after = weights_of(tuple(given[place] for place in rest), width)
            chances.append(weights_of(given, width)[first] * after[rest.index(second)])
        found.append((math.log(chances[0] / chances[1]), (first, second)))
    return found
