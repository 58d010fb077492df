"""Public totals: whole numbers that meet them all, against lists of all tables; kept in rows."""

from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError, NoisewrightError, TooLargeError
from noisewright.sampling import SeededSource
from noisewright.synthetic.bins import Bins
from noisewright.synthetic.by_points.by_points import ByPoints
from noisewright.synthetic.by_points.points import WeightedPoints
from noisewright.synthetic.by_points.whole_rows import KeptCells, make_rows
from noisewright.synthetic.knowledge.knowledge import PublicKnowledge
from noisewright.synthetic.knowledge.prior import Prior
from noisewright.synthetic.knowledge.totals import Totals
from noisewright.synthetic.knowledge.zeros import Zeros
from noisewright.synthetic.steps.run_budget import RunBudget
from noisewright.synthetic.tallies import Tallies
from noisewright.synthetic.workloads.counting_queries import Conjunction

Workload = nw.workloads.Workload
SIZES = {"a": 2, "b": 3, "c": 2, "d": 4, "e": 1}
DOMAIN = nw.Records({name: nw.Categories(list(range(size))) for name, size in SIZES.items()})
GRID = Bins.of(DOMAIN, None)


def table_of(codes: dict[str, Any], names: tuple[str, ...]) -> Any:
    return Tallies.of([codes], DOMAIN, [names]).counts[names]


def random_rows(rng: np.random.Generator, rows: int) -> dict[str, Any]:
    """Columns that depend on each other, so that some cells are empty."""
    codes = {name: rng.integers(0, size, rows) for name, size in SIZES.items()}
    codes["d"] = np.where(rng.random(rows) < 0.7, codes["a"] + codes["b"], codes["d"]) % 4
    return codes


def random_zero(rng: np.random.Generator, codes: dict[str, Any]) -> Zeros | None:
    """Cells that these rows do not have."""
    names = tuple(str(name) for name in rng.permutation(["a", "b", "c", "d"])[:3])
    empty = np.argwhere(table_of(codes, names) == 0)[:5]
    listed = [Conjunction(names, tuple((int(code),) for code in cell)) for cell in empty]
    return Zeros(GRID, tuple(listed)) if listed else None


def test_totals_hold_exactly_together_with_zeros_and_a_prior() -> None:
    """Whatever the data and the noise: totals are those of other rows than the data has."""
    rng = np.random.default_rng()
    names = [*combinations(SIZES, 1), *combinations(SIZES, 2), ("c", "a", "d")]
    for seed in range(12):
        rows = int(rng.integers(1, 300))
        public = random_rows(rng, rows)
        zeros = random_zero(rng, public)
        chosen = [names[place] for place in rng.permutation(len(names))[: rng.integers(1, 4)]]
        totals = Totals(DOMAIN, tuple((one, table_of(public, one)) for one in chosen), zeros)
        totals.require_possible(rows, rows)
        prior = Prior.of([random_rows(rng, 50)], DOMAIN) if seed % 2 else None
        made = ByPoints(
            DOMAIN,
            Workload.marginals(DOMAIN, ways=2),
            RunBudget.of(1, 1e-9 if seed % 3 else 0),
            (),
            rows,
            PublicKnowledge(zeros, prior, totals),
        )
        private = {name: rng.integers(0, size, rows) for name, size in SIZES.items()}
        tallies = Tallies.of([private], DOMAIN, made.groupings)
        drawn = made.draw(tallies, rows, source=SeededSource(seed))
        for one in chosen:
            assert (table_of(dict(drawn.codes), one) == table_of(public, one)).all()
        if zeros is not None:
            assert not zeros.are_met(drawn.codes, rows)[0].any()
        plain = ByPoints(DOMAIN, made.workload, made.budget, (), rows)
        assert made.schedule.certificate.digest == plain.schedule.certificate.digest


def test_whether_totals_can_be_met_is_what_a_list_of_all_tables_says() -> None:
    """All tables of 3 rows over 2 × 3 points, some of them impossible; totals by each column."""
    rng = np.random.default_rng()
    domain = nw.Records(a=nw.Counts(1), b=nw.Counts(2))
    cells = [(a, b) for a in range(2) for b in range(3)]
    tables = list(combinations_with_replacement(cells, 3))
    outcomes: list[bool] = []
    for _ in range(60):
        banned = [cells[place] for place in rng.permutation(6)[: rng.integers(1, 4)]]
        listed = [Conjunction(("a", "b"), ((a,), (b,))) for a, b in banned]
        zeros = Zeros(Bins.of(domain, None), tuple(listed))
        of_a = np.bincount(rng.integers(0, 2, 3), minlength=2)
        of_b = np.bincount(rng.integers(0, 3, 3), minlength=3)
        fit = [
            table
            for table in tables
            if not set(table) & set(banned)
            and np.bincount([a for a, _ in table], minlength=2).tolist() == of_a.tolist()
            and np.bincount([b for _, b in table], minlength=3).tolist() == of_b.tolist()
        ]
        totals = Totals(domain, ((("a",), of_a), (("b",), of_b)), zeros)
        outcomes.append(bool(fit))
        if not fit:
            with pytest.raises(InputError, match="contradict each other, or the zeros"):
                totals.require_possible(3, 3)
            continue
        wanted = rng.random((2, 3)) * 2
        found = totals.nearest(wanted, 3, 3)
        listed_tables = [
            np.bincount([3 * a + b for a, b in table], minlength=6).reshape(2, 3) for table in fit
        ]
        best = min(float(np.abs(table - wanted).sum()) for table in listed_tables)
        assert any((found == table).all() for table in listed_tables)
        if any(of_a[a] and of_b[b] for a, b in banned):
            # Else tables are merged, which need not be the nearest.
            assert float(np.abs(found - wanted).sum()) == pytest.approx(best, abs=1e-6)
    # Each has a chance of about a half: one of them is missing in fewer than 1 run of 10^17.
    assert set(outcomes) == {True, False}


@pytest.mark.parametrize("rows", [1, 7, 90, 1_000])
def test_scaled_totals_are_rounded_down_or_up(rows: int) -> None:
    rng = np.random.default_rng()
    public = random_rows(rng, 300)
    names = [("a", "b"), ("b", "d")]
    totals = Totals(DOMAIN, tuple((one, table_of(public, one)) for one in names))
    totals.require_possible(300, rows)
    cells = totals.nearest(rng.random(totals.shape), 300, rows)
    assert cells.sum() == rows
    for columns, away in zip(names, [(2,), (0,)], strict=True):
        exact = table_of(public, columns) * rows
        sums = cells.sum(axis=away)
        assert (sums >= exact // 300).all()
        assert (sums <= -(-exact // 300)).all()


def test_rounding_keeps_cells_and_still_helps_other_tables() -> None:
    rng = np.random.default_rng(7)
    sizes = {"a": 5, "b": 30, "c": 30}
    codes = {name: rng.integers(0, size, 4_000) for name, size in sizes.items()}
    codes["a"] = np.sort(codes["a"])
    logs = np.log(rng.dirichlet(np.full(4_000, 0.5)) + 1e-12)
    points = WeightedPoints(sizes, codes, logs).reweigh(logs)
    wanted = np.array([100, 900, 0, 1_500, 500])
    kept = KeptCells(codes["a"], wanted)
    weights = kept.scale(points.logs)
    gaps: list[float] = []
    for tables in ([], [("b", "c")]):
        made = make_rows(points, 3_000, tables, SeededSource(3), kept)
        assert np.bincount(made["a"], minlength=5).tolist() == wanted.tolist()
        pairs = np.zeros((30, 30))
        np.add.at(pairs, (made["b"], made["c"]), 1)
        np.add.at(pairs, (codes["b"], codes["c"]), -weights)
        gaps.append(float((pairs**2).sum()))
    assert gaps[1] < gaps[0] / 2


def test_what_cannot_be_kept_is_refused() -> None:
    totals = Totals(DOMAIN, ((("a",), np.array([3, 4])),))
    with pytest.raises(InputError, match="add up to 7, but 8 rows are counted"):
        totals.require_possible(8, 8)
    zeros = Zeros(GRID, (Conjunction(("a",), ((1,),)),))
    with pytest.raises(InputError, match="have rows with a=1, which the zeros exclude"):
        Totals(DOMAIN, totals.tables, zeros).require_possible(7, 7)
    pairs = ((("a", "b"), np.eye(2, 3, dtype=int)), (("c", "b"), np.eye(2, 3, 1, dtype=int)))
    with pytest.raises(InputError, match="by a × b and by c × b disagree about b"):
        Totals(DOMAIN, pairs).require_possible(2, 2)
    wide = nw.Records({name: nw.Counts(99) for name in "abc"})
    tables = tuple(((name,), np.full(100, 1)) for name in "abc")
    with pytest.raises(TooLargeError, match="cells together"):
        Totals(wide, tables)


def test_what_was_paid_for_is_not_lost_if_the_solver_fails(monkeypatch: Any) -> None:
    public = random_rows(np.random.default_rng(), 40)
    totals = Totals(DOMAIN, tuple(((n,), table_of(public, (n,))) for n in "ab"))
    nearest, calls = Totals.nearest, [0]

    def fail_once(self: Totals, *given: Any) -> Any:
        calls[0] += 1
        if calls[0] == 1:
            raise NoisewrightError("no time")
        return nearest(self, *given)

    monkeypatch.setattr(Totals, "nearest", fail_once)
    found = totals.nearest_or_any(np.ones(totals.shape), 40, 40)
    assert (found.sum(axis=1) == totals.tables[0][1]).all()
