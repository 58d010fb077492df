"""Certificates of rows in random order: proven again by the checker, and refused when too small."""

import copy
import importlib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.certificates import Certificate, certify_shuffled
from noisewright.errors import CertificateError
from tests.certificates.handmade import (
    certificate,
    columns_of,
    load_checker,
    person_of,
    response,
    rows_of,
    sealed,
    shuffled_of,
)
from tests.oracles.shuffles import exact_delta

checker = load_checker()
COLUMNS = nw.combine.product(
    color=nw.randomized_response(nw.Categories([*"rgb"]), epsilon=1),
    job=nw.randomized_response(nw.Categories([*"abcdefgh"]), epsilon="3/2"),
    visits=nw.geometric(nw.Counts(4), epsilon="1/4"),
    age=nw.laplace(nw.Interval(0, 90, step=1), epsilon="1/2"),
)


def made(mechanism: Any, rows: int, **more: Any) -> Certificate:
    several = more.pop("rows_per_person", 1)
    found = nw.shuffled(mechanism=mechanism, rows=rows, delta="1e-9", rows_per_person=several)
    return certify_shuffled(mechanism, guarantee=found, **more)


def test_columns_in_random_order_are_proven_and_said_in_words(tmp_path: Path) -> None:
    sealed_one = made(COLUMNS, 20_000, public=["state"])
    report = nw.check(sealed_one)
    assert report
    assert float(sealed_one.guarantee.epsilon) < 0.3
    said = " ".join(report.proved)
    assert 'smallest group with equal "state"' in said
    assert "Whoever sees the order: epsilon 3.999" in said
    assert "for replacing one row by any other, against whoever sees only the published" in said
    with pytest.raises(CertificateError, match="in random order"):
        nw.load(sealed_one.save(tmp_path / "shuffled.json"))


@pytest.mark.parametrize(("rows", "several"), [(10**9, 1), (5_000, 3), (2, 1)])
def test_many_rows_several_of_a_person_and_hardly_any(rows: int, several: int) -> None:
    table = nw.from_matrix(nw.Categories([*"ab"]), [["3/5", "2/5"], ["1/5", "4/5"]])
    one = made(table, rows, rows_per_person=several)
    assert nw.check(one)
    assert one.unit.rows == several
    assert one.guarantee.epsilon <= nw.accounting.Epsilon.log(Fraction(3)).times(several)


def test_a_wanted_epsilon_may_be_larger_and_not_smaller() -> None:
    yes_no = nw.randomized_response(nw.Categories([*"yn"]), epsilon=3)
    found = nw.shuffled(mechanism=yes_no, rows=3_000, delta="1e-9")
    assert certify_shuffled(yes_no, guarantee=found, epsilon=1).guarantee.epsilon.rational == 1
    with pytest.raises(CertificateError, match="not proven"):
        certify_shuffled(yes_no, guarantee=found, epsilon=found.upper * 0.97)


@pytest.mark.parametrize(
    ("path", "new"),
    [
        (("mechanism", "rows"), 2_500),
        (("mechanism", "rows_per_person"), 2),
        (("mechanism", "rows_per_person"), 0),
        (("mechanism", "step"), "0"),
        (("mechanism", "step"), "1/100000000"),
        (("mechanism", "step"), "40"),
        (("mechanism", "public"), ["a", "a"]),
        (("mechanism", "parent", "claims", "delta"), "1/1000000"),
        (("mechanism", "parent", "neighbors", "relation"), "adjacent"),
        (("claims", "delta"), "1/2000000000"),
        (("claims", "delta"), "0"),
        (("claims", "epsilon"), {"value": "1/10"}),
        (("claims", "epsilon"), {"ln": "11/10"}),
    ],
)
def test_every_number_matters(path: tuple[str, ...], new: Any) -> None:
    yes_no = nw.randomized_response(nw.Categories([*"yn"]), epsilon=3)
    document = copy.deepcopy(made(yes_no, 3_000).document)
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = new
    assert not checker.check(sealed(document))


@pytest.mark.parametrize(("size", "rows"), [(2, 5), (3, 4), (4, 3)])
def test_the_checker_proves_what_is_true_and_no_less_than_that(size: int, rows: int) -> None:
    """At e^ε = 3/2 exactly, with the exact δ of every histogram."""
    mechanism = response(size, 1, None, 2)  # p = 1 + size
    p = Fraction(1 + size)
    matrix = [[(p if x == y else 1) / (p + size - 1) for y in range(size)] for x in range(size)]
    exact = exact_delta(matrix, rows, Fraction(3, 2))
    # ε just above ln(3/2), so that the least δ is just below the exact one.
    epsilon = "405466/1000000"
    for factor, proven in (("4/3", True), ("999/1000", False)):
        delta = str((exact * Fraction(factor)).limit_denominator(10**9))
        made_by_hand = shuffled_of(rows, mechanism, {"ln": str(p)}, "1/64")
        assert bool(checker.check(certificate(made_by_hand, "replace", epsilon, delta))) is proven


def test_rows_with_a_delta_have_no_certificate() -> None:
    loose = nw.randomized_response(nw.Categories([*"abc"]), epsilon=1, delta="1/100")
    found = nw.shuffled(mechanism=loose, rows=100, delta="1e-3")
    with pytest.raises(CertificateError, match="delta=0"):
        certify_shuffled(loose, guarantee=found)


def test_a_loss_whose_chance_was_rounded_up_does_not_lower_the_bound() -> None:
    """Gains of 1, −1 and 0 with the chances 1/4, 1/2 and 1/4, of which four are added up."""
    mean_of_sum = importlib.import_module(f"{checker.__name__}.sums").mean_of_sum
    sums = {0: Fraction(1)}
    for _ in range(4):
        moved = [
            (at + gain, mass * Fraction(part, 4))
            for at, mass in sums.items()
            for gain, part in ((1, 1), (-1, 2), (0, 1))
        ]
        sums = {at: sum(mass for place, mass in moved if place == at) for at, _ in moved}
    exact = sum(at * mass for at, mass in sums.items() if at > 0) / 4
    for rounded in (Fraction(0), Fraction(1, 2**100)):
        law = [(Fraction(1), Fraction(1, 4)), (Fraction(-1), Fraction(1, 2) + rounded)]
        found = mean_of_sum([law], 4, Fraction(1, 4), Fraction(1, 2**200))
        assert exact <= found < exact * (1 + Fraction(1, 2**80))


def test_a_shuffled_file_is_no_part_of_anything_else() -> None:
    """Of its rows one changes: neither "the whole record", nor all rows of a person at δ for each.

    The sentence about the whole would not say either from whom the order must be hidden.
    """
    yes_no = nw.randomized_response(nw.Categories([*"yn"]), epsilon=1)
    file = made(yes_no, 1_000).document
    inner, epsilon, delta = file["mechanism"], file["claims"]["epsilon"], file["claims"]["delta"]
    assert checker.check(certificate(inner, "replace", epsilon, delta))
    for whole, neighbors in (
        (person_of(1, inner, epsilon, delta), "replace"),
        (columns_of(("a", inner, epsilon, delta)), "replace"),
        (rows_of(3, inner, "replace"), "one row"),
        (shuffled_of(1_000, shuffled_of(10, response(2, 1, None, 3), "1"), "1"), "replace"),
    ):
        report = checker.check(certificate(whole, neighbors, "5", delta))
        assert [failure.part for failure in report.failures] == ["mechanism"]
