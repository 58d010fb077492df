"""tight_epsilon, tight_delta, profile and verify against every event of small tables."""

import math
from fractions import Fraction
from itertools import pairwise

from hypothesis import example, given, settings, strategies as st

import noisewright as nw
from noisewright.exact import Epsilon, ceiling_float
from noisewright.mechanisms import Table
from noisewright.privacy import Witness, profile_of_masses, tight_ratio
from tests.oracles import brute_force
from tests.oracles.tables import Case, cases, deltas, epsilons

# A tie of a rational δ that is itself a double once went on forever.
TIE = Case([[13, 3], [3, 13]], 16, "replace", [(0, 1)])
# 4/5 of e^500 against 3/5, in units of the least positive double: rounded, the ratio looks lower.
UNIT = 1 << (1200 - 1074)
LIKELY = 4 * int(brute_force.e_to_the(Fraction(500), 300)[0]) * UNIT // 5
RARE = 3 * UNIT // 5
SUBNORMAL = Case(
    [[LIKELY, (1 << 1200) - LIKELY], [RARE, (1 << 1200) - RARE]], 1 << 1200, "replace", [(0, 1)]
)


def recheck(witness: Witness | None, table: Table, epsilon: Fraction, delta: Fraction) -> None:
    """The witness names neighbors and an event whose probabilities, recounted, break the claim."""
    assert witness is not None
    assert table.space.are_neighbors(witness.input, witness.neighbor)
    p = sum((table.probability(witness.input, y) for y in witness.event), Fraction(0))
    q = sum((table.probability(witness.neighbor, y) for y in witness.event), Fraction(0))
    assert (p, q) == (witness.p, witness.q)
    assert len(set(witness.event)) == len(witness.event)
    assert brute_force.sign_of(p, q, epsilon, delta) > 0


@given(cases(), epsilons, deltas)
@example(SUBNORMAL, Fraction(500), Fraction(0))
@settings(max_examples=250)
def test_verify_is_the_truth_about_all_events(
    case: Case, epsilon: Fraction, delta: Fraction
) -> None:
    verdict = nw.verify(case.table(), epsilon=epsilon, delta=delta)
    assert verdict.holds == brute_force.holds(case.lines(), case.total, epsilon, delta)
    if not verdict:
        recheck(verdict.witness, case.table(), epsilon, delta)


@given(cases(), deltas)
@settings(max_examples=250)
def test_tight_epsilon_is_the_least_that_no_event_breaks(case: Case, delta: Fraction) -> None:
    table, truth = case.table(), brute_force.tight_ratio(case.lines(), case.total, delta)
    assert tight_ratio(table, delta=delta) == truth
    assert nw.profile(table).ratio(delta) == truth
    value = nw.tight_epsilon(table, delta=delta)
    assert value == nw.profile(table).epsilon(delta)
    if truth is None:
        assert value == math.inf
        return
    assert nw.verify(table, epsilon=Epsilon.log(truth), delta=delta)
    assert nw.verify(table, epsilon=value, delta=delta)
    # The next double below the value is below the truth: e^below < truth.
    if value > 0:
        below = Fraction(math.nextafter(value, 0))
        assert brute_force.sign_of(truth, Fraction(1), below) > 0
        assert not nw.verify(table, epsilon=below, delta=delta)


@given(cases(), epsilons)
@settings(max_examples=250)
def test_tight_delta_is_the_least_that_no_event_breaks(case: Case, epsilon: Fraction) -> None:
    table, lines = case.table(), case.lines()
    value = nw.tight_delta(table, epsilon=epsilon)
    assert nw.profile(table).delta(epsilon) == value
    assert brute_force.holds(lines, case.total, epsilon, Fraction(value))
    if value > 0:
        below = Fraction(math.nextafter(value, 0))
        assert not brute_force.holds(lines, case.total, epsilon, below)


@given(cases(), st.fractions(1, 40, max_denominator=30))
@example(TIE, Fraction(4, 3))
@settings(max_examples=250)
def test_at_the_log_of_a_rational_delta_is_rational_and_exact(case: Case, ratio: Fraction) -> None:
    table, truth = case.table(), brute_force.delta_at_ratio(case.lines(), case.total, ratio)
    epsilon = Epsilon.log(ratio)
    assert nw.tight_delta(table, epsilon=epsilon) == ceiling_float(truth)
    curve = nw.profile(table)
    assert curve.delta(epsilon) == ceiling_float(truth)
    enclosure = curve.delta_enclosure(epsilon)
    assert enclosure.low == enclosure.high == truth
    assert nw.verify(table, epsilon=epsilon, delta=truth)
    if truth > 0:
        assert not nw.verify(table, epsilon=epsilon, delta=truth * (1 - Fraction(1, 10**30)))


@given(cases())
@settings(max_examples=150)
def test_the_profile_is_a_concave_hull_with_the_curve_as_its_shadow(case: Case) -> None:
    curve, lines = nw.profile(case.table()), case.lines()
    assert curve.points[0][0] == 0
    assert curve.points[-1] == (case.total, case.total)
    assert all(a > b for a, b in pairwise(curve.ratios))
    assert all(q2 > q1 and p2 >= p1 for (q1, p1), (q2, p2) in pairwise(curve.points))
    # Each vertex is an event, and no event lies above the hull.
    assert {(p, q) for q, p in curve.points} <= lines
    for ratio in [*curve.ratios, Fraction(0), Fraction(1, 2), Fraction(3)]:
        best = max(p - ratio * q for q, p in curve.points)
        assert best == max(p - ratio * q for p, q in lines)


@given(cases())
@settings(max_examples=100)
def test_the_masses_of_a_profile_have_its_curve_in_both_directions(case: Case) -> None:
    curve = nw.profile(case.table())
    masses = curve.masses()
    assert [sum(side) for side in zip(*masses, strict=True)] == [case.total, case.total]
    assert all(p >= 0 and q >= 0 for p, q in masses)
    assert profile_of_masses([masses], case.total) == curve


@given(cases(), st.lists(st.fractions(1, 20, max_denominator=12), min_size=3, max_size=3))
@settings(max_examples=100)
def test_delta_falls_and_is_convex_in_e_to_the_epsilon(case: Case, ratios: list[Fraction]) -> None:
    curve = nw.profile(case.table())
    a, b, c = sorted(ratios)
    low, middle, high = (curve.delta_enclosure(Epsilon.log(r)).low for r in (a, b, c))
    assert low >= middle >= high >= 0
    if a < c:
        share = (b - a) / (c - a)
        assert middle <= (1 - share) * low + share * high


@given(cases(), st.integers(0, 12))
@settings(max_examples=150)
def test_epsilon_undoes_delta(case: Case, step: int) -> None:
    """At a knot and between knots, ratio(δ(E)) is the least E with that δ."""
    curve = nw.profile(case.table())
    slopes = [slope for slope in curve.ratios if slope >= 1] or [Fraction(1)]
    at = slopes[step % len(slopes)]
    for ratio in (at, (at + slopes[0]) / 2, at + Fraction(1, 7)):
        delta = curve.delta_enclosure(Epsilon.log(ratio)).low
        least = curve.ratio(delta)
        assert least is not None
        assert least <= ratio
        assert curve.delta_enclosure(Epsilon.log(least)).low == delta
        if least > 1:
            before = (least + 1) / 2
            assert curve.delta_enclosure(Epsilon.log(before)).low > delta


@given(cases())
@settings(max_examples=60)
def test_the_knots_are_where_the_curve_bends(case: Case) -> None:
    curve = nw.profile(case.table())
    assert list(curve.knots) == sorted(set(curve.knots))
    assert curve.knots == tuple(
        sorted({Epsilon.log(slope).ceiling() for slope in curve.ratios if slope >= 1})
    )
    if curve.knots:
        beyond = curve.knots[-1] + 1
        assert curve.delta(beyond) == curve.delta(beyond + 1)
    assert repr(curve).startswith("<privacy profile")


@given(cases(most_inputs=3, most_outputs=3), deltas)
@settings(max_examples=60)
def test_a_product_over_rows_is_as_private_as_one_row(case: Case, delta: Fraction) -> None:
    """The whole table of two rows, with neighbors that differ in one row, agrees with one row."""
    table = case.table()
    pair = table**2
    whole = pair.table()
    assert tight_ratio(pair, delta=delta) == tight_ratio(table, delta=delta)
    assert tight_ratio(whole, delta=delta) == tight_ratio(table, delta=delta)
    assert nw.profile(whole).ratios == nw.profile(table).ratios


@given(cases(most_inputs=3, most_outputs=2), cases(most_inputs=2, most_outputs=2), deltas)
@settings(max_examples=80)
def test_a_product_over_columns_is_judged_for_every_change(
    first: Case, second: Case, delta: Fraction
) -> None:
    columns = nw.combine.product(a=first.table(), b=second.table())
    rows = [[p * q for p in one for q in other] for one in first.rows for other in second.rows]
    total = first.total * second.total
    lines = brute_force.lines(rows, brute_force.relation("replace", len(rows)))
    truth = brute_force.tight_ratio(lines, total, delta)
    assert tight_ratio(columns, delta=delta) == truth
    if truth is not None and delta == 0:
        assert nw.tight_epsilon(columns) == Epsilon.log(truth).ceiling()
        assert nw.verify(columns, epsilon=Epsilon.log(truth))
    assert nw.verify(columns, epsilon=1, delta=delta).holds == brute_force.holds(
        lines, total, Fraction(1), delta
    )
