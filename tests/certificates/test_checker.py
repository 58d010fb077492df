"""The stand-alone checker decides (epsilon, delta) as brute force over every event does."""

import itertools
import json
import re
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st

from tests.certificates.handmade import (
    HALVES,
    LN2,
    certificate,
    least_delta,
    least_delta_one_way,
    load_checker,
    parts,
    table,
    tables,
)

checker = load_checker()

TINY = Fraction(1, 10**15)
WITNESS = (
    r"outputs (?P<event>.*) have probability (?P<here>.*) on input (?P<x>.*), but (?P<there>.*) on "
    r"its neighbor (?P<z>.*); with delta .* they need epsilon (?P<epsilon>.*), with epsilon .* "
    r"they need delta (?P<delta>.*)"
)


def power_of(epsilon: Fraction) -> Fraction:
    with localcontext() as context:
        context.prec = 80
        return Fraction((Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp())


def relations(size: int) -> st.SearchStrategy[tuple[Any, list[tuple[int, int]]]]:
    every = list(itertools.combinations(range(size), 2))
    some = st.lists(st.sampled_from(every), min_size=1, unique=True)
    return st.one_of(
        st.just(("adjacent", [(i, i + 1) for i in range(size - 1)])),
        st.just(("replace", every)),
        some.map(lambda pairs: ({"relation": "pairs", "pairs": [[j, i] for i, j in pairs]}, pairs)),
    )


@settings(max_examples=400, deadline=None)
@given(made=tables(), data=st.data())
def test_epsilon_and_delta_are_decided_as_brute_force_does(made: Any, data: st.DataObject) -> None:
    rows, k = made
    relation, pairs = data.draw(relations(len(rows)))
    epsilon = data.draw(st.fractions(0, 3, max_denominator=50))
    truth = least_delta(rows, 2**k, pairs, power_of(epsilon))
    for delta in (truth + Fraction(1, 10**40), truth - Fraction(1, 10**40), Fraction(0)):
        if not 0 <= delta <= 1 or 0 < abs(delta - truth) < Fraction(1, 10**50):
            continue
        report = checker.check(certificate(table(rows, k), relation, epsilon, str(delta)))
        assert report.holds == (truth <= delta)
        assert parts(report) == (set() if truth <= delta else {"delta" if delta else "epsilon"})


@settings(max_examples=300, deadline=None)
@given(made=tables(), data=st.data())
def test_logarithms_of_fractions_are_decided_at_the_boundary(
    made: Any, data: st.DataObject
) -> None:
    rows, k = made
    relation, pairs = data.draw(relations(len(rows)))
    ratio = data.draw(st.fractions(1, 20, max_denominator=30))
    truth = least_delta(rows, 2**k, pairs, ratio)
    claim = {"ln": str(ratio)}
    assert checker.check(certificate(table(rows, k), relation, claim, str(truth)))
    if truth:
        less = truth - Fraction(1, 10**60)
        assert not checker.check(certificate(table(rows, k), relation, claim, str(less)))


@settings(max_examples=300, deadline=None)
@given(made=tables(), delta=st.sampled_from([Fraction(0), Fraction(1, 9), Fraction(2, 5)]))
def test_a_witness_names_what_the_pair_needs(made: Any, delta: Fraction) -> None:
    rows, k = made
    report = checker.check(certificate(table(rows, k), "replace", "1/100", str(delta)))
    if report:
        return
    said = re.fullmatch(WITNESS, report.failures[0].message)
    assert said is not None
    p, q = rows[int(said["x"])], rows[int(said["z"])]
    event = [int(y) for y in said["event"].split(", ")]
    truth = least_delta_one_way(p, q, 2**k, power_of(Fraction(1, 100)))
    assert Fraction(sum(p[y] for y in event), 2**k) == pytest.approx(Fraction(said["here"]))
    assert Fraction(sum(q[y] for y in event), 2**k) == pytest.approx(Fraction(said["there"]))
    assert abs(truth - Fraction(said["delta"])) < Fraction(1, 10**18)
    if said["epsilon"] == "infinity":
        assert sum(a for a, b in zip(p, q, strict=True) if b == 0) > delta * 2**k
        return
    near = Fraction(said["epsilon"])
    for epsilon, enough in ((near * (1 + TINY), True), (near * (1 - TINY), False)):
        lost = least_delta_one_way(p, q, 2**k, power_of(epsilon))
        assert (lost <= delta) == enough


def test_the_claim_may_equal_the_ratio_and_not_be_below() -> None:
    assert checker.check(certificate(table(HALVES, 4), "replace", LN2))
    below = {"ln": str(2 - Fraction(1, 10**300))}
    assert parts(checker.check(certificate(table(HALVES, 4), "replace", below))) == {"epsilon"}


@pytest.mark.parametrize("relation", ["adjacent", "replace"])
def test_a_change_of_epsilon_by_1e_15_decides(relation: str) -> None:
    with localcontext() as context:
        context.prec = 60
        tight = Fraction(Decimal(2).ln())
    more, less = tight + Fraction(1, 10**15), tight - Fraction(1, 10**15)
    assert checker.check(certificate(table(HALVES, 4), relation, more))
    assert not checker.check(certificate(table(HALVES, 4), relation, less))


@pytest.mark.parametrize("bits", [*range(150, 260, 10), 700, 3000])
def test_near_ties_are_decided_beyond_the_first_precision(bits: int) -> None:
    """e^(1/3) lies between p / q and (p + 1) / q for weights of so many bits; only p is private."""
    with localcontext() as context:
        context.prec = 2000
        power = (Decimal(1) / 3).exp()
        q = 2**bits
        p = int(power * q)
    k = bits + 2
    for weight, private in ((p, True), (p + 1, False)):
        rows = [[weight, 2**k - weight], [q, 2**k - q]]
        for relation in ("adjacent", "replace"):
            assert checker.check(certificate(table(rows, k), relation, "1/3")).holds == private
        rows = [[weight, q, 2 * q - weight + q], [q, 0, 3 * q]]
        claim = certificate(table(rows, k), "adjacent", "1/3", "1/4")
        assert checker.check(claim).holds == private


@pytest.mark.parametrize("relation", ["adjacent", "replace"])
def test_one_unit_in_one_weight_decides(relation: str) -> None:
    big = [[weight << 200 for weight in row] for row in HALVES]
    assert checker.check(certificate(table(big, 204), relation, LN2))
    big[1][1] += 1
    big[1][2] -= 1
    report = checker.check(certificate(table(big, 204), relation, LN2))
    assert parts(report) == {"epsilon"}


def test_equality_with_zeros_and_delta_is_decided() -> None:
    """Where the worst set is impossible for the neighbor, the sum is rational: a tie can occur."""
    rows = [[4, 12, 0], [0, 12, 4]]
    for epsilon in ("0", "1/3", LN2):
        assert checker.check(certificate(table(rows, 4), "replace", epsilon, "1/4"))
        just_less = str(Fraction(1, 4) - Fraction(1, 10**80))
        assert not checker.check(certificate(table(rows, 4), "replace", epsilon, just_less))


@pytest.mark.parametrize("epsilon", ["1" + "0" * 3000, "1" + "0" * 30])
def test_a_huge_epsilon_is_decided_at_once(epsilon: str) -> None:
    assert checker.check(certificate(table(HALVES, 4), "replace", epsilon))
    zeros = table([[16, 0], [0, 16]], 4)
    report = checker.check(certificate(zeros, "replace", epsilon))
    assert "infinity" in report.failures[0].message


def test_weights_of_thousands_of_bits() -> None:
    rows = [[weight << 20_000 for weight in row] for row in HALVES]
    assert checker.check(certificate(table(rows, 20_004), "adjacent", LN2))
    rows[0][0] += 1
    assert parts(checker.check(certificate(table(rows, 20_004), "adjacent", LN2))) == {"row sums"}


@settings(max_examples=300, deadline=None)
@given(x=st.fractions(0, 500), bits=st.integers(192, 500))
def test_exp_bounds_enclose_e_to_the_x(x: Fraction, bits: int) -> None:
    low, high = checker.numbers.exp_bounds(x, bits)
    with localcontext() as context:
        context.prec = 600
        truth = (Decimal(x.numerator) / Decimal(x.denominator)).exp()
        assert Decimal(low) <= truth * 2**bits <= Decimal(high)
    assert high - low <= low >> 150
    assert (low == high) == (x == 0)


@settings(max_examples=300, deadline=None)
@given(
    a=st.fractions(-5, 5),
    b=st.fractions(-5, 5),
    r=st.fractions("1/50", 50),
    s=st.fractions("1/50", 50),
)
@example(a=Fraction(0), b=Fraction(0), r=Fraction(2), s=Fraction(2))
@example(a=Fraction(1), b=Fraction(1), r=Fraction(3), s=Fraction(2))
def test_mixed_numbers_are_compared_exactly(
    a: Fraction, b: Fraction, r: Fraction, s: Fraction
) -> None:
    with localcontext() as context:
        context.prec = 80

        def value(x: Fraction, ratio: Fraction) -> Decimal:
            part = Decimal(x.numerator) / Decimal(x.denominator)
            return part + (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()

        expected = a == b and r > s if a == b else value(a, r) > value(b, s)
    number = checker.numbers.Number
    assert (number(a, r) > number(b, s)) == expected


def test_a_table_of_a_million_weights(tmp_path: Path) -> None:
    """Reading, digests and proof of a 1000 x 1000 table of 200 bits."""
    size, k = 1000, 200
    rows = [[(2**k // size) + ((x * y) % 7 << 150) for y in range(size)] for x in range(size)]
    for row in rows:
        row[0] += 2**k - sum(row)
    path = tmp_path / "large.json"
    path.write_text(json.dumps(certificate(table(rows, k), "replace", "1/10")))
    assert checker.check_file(path)


@settings(max_examples=200, deadline=None)
@given(made=tables(), data=st.data())
def test_distances_multiply_epsilon(made: Any, data: st.DataObject) -> None:
    rows, k = made
    size = len(rows)
    far = [[Fraction(0)] * size for _ in range(size)]
    for i, j in itertools.combinations(range(size), 2):
        far[i][j] = far[j][i] = data.draw(st.fractions(Fraction(1, 9), 4, max_denominator=9))
    metric = {"relation": "metric", "distances": [[str(d) for d in row] for row in far]}
    epsilon = data.draw(st.fractions(0, 2, max_denominator=20))
    truth = max(
        (
            least_delta(rows, 2**k, [(i, j)], power_of(epsilon * far[i][j]))
            for i, j in itertools.combinations(range(size), 2)
        ),
        default=Fraction(0),
    )
    for delta in (truth + Fraction(1, 10**40), truth - Fraction(1, 10**40), Fraction(0)):
        if not 0 <= delta <= 1 or 0 < abs(delta - truth) < Fraction(1, 10**50):
            continue
        report = checker.check(certificate(table(rows, k), metric, epsilon, str(delta)))
        assert report.holds == (truth <= delta)
        assert "per unit of distance" in report.proved[-1] or delta == 1


@pytest.mark.parametrize(
    "distances",
    [
        [],
        [["0"]],
        [["0", "1"], ["2", "0"]],
        [["0", "0"], ["0", "0"]],
        [["1", "1"], ["1", "1"]],
        [["0", "-1"], ["-1", "0"]],
        [["0", "1"], ["1"]],
        [["0", 1], [1, "0"]],
        ["01", "10"],
        [["0", "1", "1"], ["1", "0", "1"]],
    ],
)
def test_distances_are_alike_both_ways_and_zero_to_itself_only(distances: Any) -> None:
    metric = {"relation": "metric", "distances": distances}
    report = checker.check(certificate(table([[1, 1], [1, 1]], 1), metric, "1", "0"))
    assert not report
    assert parts(report) <= {"neighbors", "format"}


def test_a_logarithm_is_multiplied_by_whole_distances_only() -> None:
    rows = [[12, 4], [4, 12]]
    twice = {"relation": "metric", "distances": [["0", "2"], ["2", "0"]]}
    half = {"relation": "metric", "distances": [["0", "1/2"], ["1/2", "0"]]}
    assert checker.check(certificate(table(rows, 4), twice, {"ln": "2"}, "0"))
    assert not checker.check(certificate(table(rows, 4), twice, {"ln": "17/10"}, "0"))
    assert parts(checker.check(certificate(table(rows, 4), half, {"ln": "9"}, "0"))) == {"epsilon"}
