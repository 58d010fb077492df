"""Rows in random order: bounds that every histogram confirms, and published numbers.

Balle, Bell, Gascón and Nissim 2019, Lemma 5.3; Feldman, McMillan and Talwar 2023; Wang et al. 2023.
"""

from fractions import Fraction
from random import Random
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import InputError, NotPrivateError, ParameterError
from noisewright.exact import Epsilon
from noisewright.mechanisms import Guarantee, Table
from noisewright.privacy import RowLaw, shuffled_rows
from noisewright.privacy.shuffling.laws import gains
from noisewright.privacy.shuffling.lower import SumsBelow, mean_gain_below
from noisewright.privacy.shuffling.sums import mean_gain, natural_step
from tests.oracles.shuffles import exact_delta, kronecker

AIM = Fraction(1, 10**6)


def bound(law: RowLaw, rows: int, power: Fraction) -> Fraction:
    laws = [gains(atoms, power) for atoms in law.atoms]
    return mean_gain(laws, rows, AIM, natural_step(laws, rows, AIM))


def response(p: Fraction, labels: int) -> list[list[Fraction]]:
    whole = p + labels - 1
    return [[(p if x == y else 1) / whole for y in range(labels)] for x in range(labels)]


def powers(p: Fraction) -> list[Fraction]:
    return [1 + (p - 1) * Fraction(part, 20) for part in (0, 1, 5, 10, 19)]


@pytest.mark.parametrize(
    ("p", "labels", "rows"),
    [("3", 2, 5), ("9", 2, 8), ("3/2", 2, 6), ("3", 3, 4), ("5", 4, 3), ("2", 3, 5)],
)
def test_a_response_gives_away_no_more_than_the_bounds(p: str, labels: int, rows: int) -> None:
    ratio = Fraction(p)
    for power in powers(ratio):
        exact = exact_delta(response(ratio, labels), rows, power)
        known = bound(RowLaw(responses=((ratio, labels),)), rows, power)
        general = bound(RowLaw(rest=Epsilon.log(ratio)), rows, power)
        assert exact <= known <= general * (1 + AIM)
        # Three labels and more: all other rows with a third one are nearly the worst.
        assert labels == 2 or known <= exact * Fraction(10, 9)


@pytest.mark.parametrize(
    ("first", "second", "rows"),
    [(("3", 2), ("2", 2), 4), (("3", 3), ("2", 2), 3), (("9", 2), ("11/10", 2), 4)],
)
def test_two_columns_give_away_no_more_than_the_bounds(
    first: tuple[str, int], second: tuple[str, int], rows: int
) -> None:
    """The records may agree in a column: all pairs of records are looked at."""
    (p, k), (q, m) = ((Fraction(ratio), labels) for ratio, labels in (first, second))
    matrix = kronecker(response(p, k), response(q, m))
    for power in powers(p * q):
        exact = exact_delta(matrix, rows, power)
        laws = [
            RowLaw(responses=((p, k), (q, m))),
            RowLaw(responses=((p, k),), rest=Epsilon.log(q)),
            RowLaw(responses=((q, m),), rest=Epsilon.log(p)),
            RowLaw(rest=Epsilon.log(p * q)),
        ]
        found = [bound(law, rows, power) for law in laws]
        assert all(exact <= one for one in found)
        assert found[0] == min(found)


@pytest.mark.parametrize("seed", range(8))
def test_random_tables_give_away_no_more_than_the_bounds(seed: int) -> None:
    draw = Random(seed)
    inputs, outputs, rows = draw.randint(2, 4), draw.randint(2, 4), draw.randint(2, 4)
    weights = [[draw.randint(1, 9) for _ in range(outputs)] for _ in range(inputs)]
    matrix = [[Fraction(w, sum(row)) for w in row] for row in weights]
    mechanism = nw.from_matrix(
        nw.Categories([f"x{i}" for i in range(inputs)]),
        matrix,
        outputs=nw.Categories([f"y{i}" for i in range(outputs)]),
    )
    law = nw.shuffled(mechanism=mechanism, rows=2, delta="1/10").law
    p = law.epsilon.power
    assert p is not None
    beside = kronecker(matrix, response(Fraction(2), 2))
    for power in powers(p):
        exact = exact_delta(matrix, rows, power)
        assert exact <= bound(law, rows, power)
        assert exact <= bound(RowLaw(rest=law.epsilon), rows, power)
        if inputs * outputs <= 9:
            both = RowLaw(responses=((Fraction(2), 2),), rest=law.epsilon)
            assert exact_delta(beside, 3, power) <= bound(both, 3, power)


def test_the_largest_of_two_laws_is_above_both() -> None:
    """A law between them, linear in its parameter, stays below as well."""
    rows, power = 7, Fraction(3, 2)
    together = RowLaw(responses=((Fraction(2), 3),), rest=Epsilon.log(Fraction(3)))
    laws = [gains(atoms, power) for atoms in together.atoms]
    most = mean_gain(laws, rows, AIM, natural_step(laws, rows, AIM))
    for part in (Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)):
        mixed = [
            (value, mass * share)
            for law, share in zip(laws, (part, 1 - part), strict=True)
            for value, mass in law
        ]
        assert mean_gain([mixed], rows, AIM, Fraction(1, 256)) <= most * (1 + AIM)


@pytest.mark.parametrize(("labels", "rows"), [(2, 6), (3, 4), (4, 4), (3, 7)])
def test_the_lower_bound_is_not_above_the_exact_loss(labels: int, rows: int) -> None:
    p, one, unit = Fraction(4), Fraction(1), 1 / Fraction(3 + labels)
    rest = [(one, one, (labels - 3) * unit)] if labels > 3 else []
    atoms = [(p, one, unit), (one, p, unit), (1 / p, 1 / p, p * unit), *rest]
    if labels == 2:
        atoms = [(p, one, unit), (1 / p, one, p * unit)]
    for power in powers(p)[:4]:
        exact = exact_delta(response(p, labels), rows, power)
        below = mean_gain_below(gains(atoms, power), rows, AIM)
        assert 0 < below <= exact
        assert labels == 2 or below >= exact * Fraction(4, 5)


def test_no_mass_is_made_where_there_is_too_little_to_fuse_with() -> None:
    """Many atoms, none likelier than the others by much."""
    law = [(Fraction(value, 7), Fraction(1, 40)) for value in range(-20, 20)]
    for bits in (40, 80):
        assert sum(SumsBelow.of(law, bits).masses) <= 1 << bits
    exact = sum((value * mass for value, mass in law if value > 0), Fraction(0))
    assert SumsBelow.of(law, 80).mean_below() <= exact


def test_coarser_grids_bound_from_below_as_well() -> None:
    law = [
        (Fraction(2), Fraction(1, 8)),
        (Fraction(-3), Fraction(1, 8)),
        (Fraction(0), Fraction(3, 4)),
    ]
    fine = SumsBelow.of(law, 80)
    sums = fine.times(fine, 0)
    coarse = sums.coarsen().coarsen()
    assert 0 < coarse.mean_below() <= sums.mean_below()
    assert sum(coarse.masses) <= sum(sums.masses)


@pytest.mark.parametrize(
    ("epsilon", "rows", "delta", "least", "most"),
    [
        (4, 32_561, "1e-9", 0.2960, 0.298),
        (5, 32_561, "1e-9", 0.5165, 0.519),
        (6, 32_561, "1e-9", 0.9250, 0.928),
        (2, 5_000, "1e-9", 0.2290, 0.2305),
    ],
)
def test_published_numbers_of_clones(
    epsilon: int, rows: int, delta: str, least: float, most: float
) -> None:
    found = nw.shuffled(epsilon=epsilon, rows=rows, delta=delta)
    assert least <= found.upper <= most
    assert found.upper * 0.9 <= found.lower <= found.upper
    assert found.reduction == "clones"


def test_published_number_of_a_response_with_a_thousand_labels() -> None:
    space = nw.Categories([f"l{n}" for n in range(1000)])
    response = nw.randomized_response(space, epsilon=4)
    found = nw.shuffled(mechanism=response, rows=100_000, delta="1e-6")
    assert 0.0235 <= found.lower <= found.upper <= 0.0246
    assert found.reduction == "responses"


def test_many_columns_hide_far_better_than_their_epsilon_says() -> None:
    columns = {
        f"c{n}": nw.randomized_response(
            nw.Categories([str(i) for i in range(3 + n)]), epsilon="1/2"
        )
        for n in range(8)
    }
    whole = nw.shuffled(mechanism=nw.combine.product(columns), rows=32_561, delta="1e-9")
    assert whole.row_epsilon == Epsilon.of(4)
    assert whole.upper < 0.1 < nw.shuffled(epsilon=4, rows=32_561, delta="1e-9").upper


def test_a_billion_rows_and_a_hundred() -> None:
    many = nw.shuffled(epsilon=2, rows=10**9, delta="1e-12")
    few = nw.shuffled(epsilon=2, rows=100, delta="1e-6")
    assert 0 < many.lower <= many.upper < 0.001
    assert 1 < few.lower <= few.upper < 2


def test_random_order_does_no_harm() -> None:
    alone = nw.shuffled(epsilon=3, rows=1, delta="1e-9")
    assert alone.upper == 3
    assert alone.delta_at(3) == 0
    assert nw.shuffled(epsilon=0, rows=10, delta="1e-9").upper == 0
    assert nw.shuffled(epsilon=60, rows=10**6, delta="1e-9").upper == 60
    assert nw.shuffled(epsilon=1, rows=1_000, delta="1/2").upper == 0


def test_a_delta_too_small_for_doubles_leaves_the_rows_as_they_are() -> None:
    options: dict[str, Any] = {"rows": 1_000, "delta": "1e-1000"}
    assert nw.shuffled(epsilon=1, **options).upper == 1
    assert nw.epsilon_before_shuffling(epsilon=1, **options) == 1
    plan = nw.Plan({"a": nw.Column([*"ab"])}, epsilon=1, order="shuffled", **options)
    assert plan.row_epsilon == 1
    assert nw.check(plan.certify())


def test_delta_falls_with_epsilon_and_meets_the_claim() -> None:
    found = nw.shuffled(epsilon=3, rows=2_000, delta="1e-6")
    assert found.delta_at(found.upper) <= 1e-6 < found.delta_at(found.lower)
    assert found.delta_at(found.upper * 2) < found.delta_at(found.upper)


@pytest.mark.parametrize("several", [2, 3])
def test_several_rows_of_a_person(several: int) -> None:
    """The bound for several records is above what every two tables show."""
    p, rows = Fraction(2), 5
    law = RowLaw(responses=((p, 2),))
    found = shuffled_rows(law, rows=rows, delta="1/4", rows_per_person=several)
    power = Fraction(Epsilon.of(found.upper).ratio_bounds(64)[0], 1 << 64)
    assert exact_delta(response(p, 2), rows, power, several=several) <= Fraction(1, 4)


@pytest.mark.parametrize(
    ("epsilon", "rows", "several"), [("1", 32_561, 1), ("1/10", 1_000, 1), ("1/2", 10_000, 2)]
)
def test_the_epsilon_before_shuffling_leads_back(epsilon: str, rows: int, several: int) -> None:
    before = nw.epsilon_before_shuffling(
        epsilon=epsilon, rows=rows, delta="1e-9", rows_per_person=several
    )
    back = nw.shuffled(epsilon=before, rows=rows, delta="1e-9", rows_per_person=several)
    assert Fraction(epsilon) * Fraction(99, 100) <= back.upper <= Fraction(epsilon)
    assert nw.epsilon_before_shuffling(epsilon="1/2", rows=1, delta="1e-9") == Fraction(1, 2)


def test_mechanisms_count_with_their_epsilon_for_any_change() -> None:
    """Neighboring counts may be close, but a record can become any other."""
    counts = nw.geometric(nw.Counts(8), epsilon="1/2")
    found = nw.shuffled(mechanism=counts, rows=1_000, delta="1e-6")
    assert found.row_epsilon.compare(Epsilon.of(4)) <= 0
    assert found.row_epsilon.floor() > 3.9


def test_what_cannot_be_shuffled_is_refused() -> None:
    yes_no = nw.randomized_response(nw.Categories(["no", "yes"]), epsilon=1)
    with pytest.raises(InputError, match="several rows"):
        nw.shuffled(mechanism=yes_no**3, rows=3, delta="1e-6")
    plain = nw.from_matrix(nw.Categories([*"ab"]), [["3/4", "1/4"], ["1/2", "1/2"]])
    loose = Table(plain.space, plain.weights, total=plain.total, claim=Guarantee(0, "1/4"))
    with pytest.raises(InputError, match="delta=0"):
        nw.shuffled(mechanism=nw.combine.product(a=loose, b=yes_no), rows=3, delta="1e-6")
    sure = nw.from_matrix(nw.Categories([*"ab"]), [["1", "0"], ["1/2", "1/2"]])
    with pytest.raises(NotPrivateError, match="any other"):
        nw.shuffled(mechanism=sure, rows=3, delta="1e-6")
    for delta in (0, 1):
        with pytest.raises(ParameterError, match="above 0 and below 1"):
            nw.shuffled(epsilon=1, rows=10, delta=delta)
    with pytest.raises(ParameterError, match="epsilon= or mechanism="):
        nw.shuffled(rows=10, delta="1e-6")


def test_a_guarantee_says_who_is_protected_from_whom() -> None:
    said = str(nw.shuffled(epsilon=1, rows=1_000, delta="1e-6"))
    for words in ("replacing one record", "sees only the 1,000 rows", "sees the order: epsilon=1"):
        assert words in said
