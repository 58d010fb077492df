"""Reports of devices in random order: bounds by blocks of outputs, against every histogram.

The bounds are those of `privacy/shuffling/laws`; the checker states them once more.
"""

import math
from fractions import Fraction
from typing import Any

import pytest

import noisewright as nw
from noisewright.checker.block_laws import laws_of_reports
from noisewright.exact import Epsilon
from noisewright.local.families.family import BlockFamily
from noisewright.local.families.hashed import Hashed
from noisewright.local.families.points import PointBlocks
from noisewright.local.families.projective import Projective
from noisewright.local.families.windows import Windows
from noisewright.local.one_of_several import OneOfSeveral
from noisewright.local.padded import amplified_sample, plain_sample
from noisewright.local.randomizer import ReportRandomizer, block_response
from noisewright.local.shuffled_reports import blocks_of
from noisewright.local.unary import unary_encoding
from noisewright.privacy import RowLaw
from noisewright.privacy.shuffling.laws import gains
from noisewright.privacy.shuffling.lower import lower_epsilon
from noisewright.privacy.shuffling.sums import mean_gain, natural_step
from tests.oracles.report_tables import Matrix, report_matrix
from tests.oracles.shuffles import exact_delta

AIM = Fraction(1, 10**6)
THREE = Epsilon.log(Fraction(3))


def bound(law: RowLaw, rows: int, power: Fraction) -> Fraction:
    laws = [gains(atoms, power) for atoms in law.atoms]
    return mean_gain(laws, rows, AIM, natural_step(laws, rows, AIM))


def compare(
    randomizer: ReportRandomizer, matrix: Matrix, rows: int, ratio: Fraction
) -> list[float]:
    """Check the bounds at several ε, and return how far above the exact δ they are."""
    law = RowLaw(blocks=tuple(blocks_of(randomizer)))
    checked = [[atom for atom in one if atom[2]] for one in laws_of_reports(randomizer.describe())]
    assert sorted(map(sorted, checked)) == sorted(map(sorted, law.atoms))
    assert all(sum(u * mass for u, _, mass in atoms) == 1 for atoms in law.atoms)
    found: list[float] = []
    for part in (0, 1, 5, 10, 19):
        power = 1 + (ratio - 1) * Fraction(part, 20)
        exact = exact_delta(matrix, rows, power)
        known = bound(law, rows, power)
        general = bound(RowLaw(rest=Epsilon.log(ratio)), rows, power)
        assert exact <= known <= general * (1 + AIM)
        found.append(float(known / exact) if exact else 0.0)
    return found


FAMILIES: list[tuple[BlockFamily, int]] = [
    (PointBlocks(3), 4),
    (PointBlocks(2), 6),
    (Projective(3, 2, 2), 5),
    (Projective(4, 2, 3), 3),
    (Projective(4, 3, 2), 4),
    (Windows(3, 2, 1), 4),
    (Windows(2, 3, 1), 5),
    (Windows(3, 1, 2), 3),
]


@pytest.mark.parametrize(("family", "rows"), FAMILIES)
def test_blocks_give_away_no_more_than_the_bound(family: BlockFamily, rows: int) -> None:
    response = block_response(family, THREE)
    matrix = report_matrix(response.describe())
    table = response.table()
    assert [[Fraction(int(w), table.total) for w in row] for row in table.weights] == matrix
    above = compare(response, matrix, rows, response.ratio)
    assert above[0] < 1.25


@pytest.mark.parametrize("family", [PointBlocks(3), Projective(4, 2, 3), Windows(3, 2, 1)])
def test_lower_bounds_are_not_above_the_truth(family: BlockFamily) -> None:
    response = block_response(family, THREE)
    rows, power = 3, Fraction(6, 5)
    exact = exact_delta(report_matrix(response.describe()), rows, power)
    law = RowLaw(blocks=tuple(blocks_of(response)))
    found = lower_epsilon(law, rows, exact, math.log(3), known=True)
    assert 0 < found <= math.log(power)
    assert lower_epsilon(law, rows, exact, math.log(3), known=False) == 0


def test_sets_and_hashes_give_away_no_more_than_the_bound() -> None:
    from noisewright.local.families.chosen import ChosenSets

    for size, rows in ((1, 4), (2, 3)):
        chosen = block_response(ChosenSets(3 + (size > 1), size), THREE)
        compare(chosen, report_matrix(chosen.describe()), rows, chosen.ratio)
    hashing = block_response(Hashed(2, 1), THREE)
    compare(hashing, report_matrix(hashing.describe()), 3, hashing.ratio)


@pytest.mark.parametrize("symmetric", [False, True])
def test_bits_give_away_no_more_than_the_bound(symmetric: bool) -> None:
    """The empty set is among the inputs, too."""
    coins = unary_encoding(2, THREE, symmetric=symmetric)
    ratio = coins.own * (1 - coins.other) / (coins.other * (1 - coins.own))
    compare(coins, report_matrix(coins.describe()), 4, ratio)


@pytest.mark.parametrize(("items", "largest", "rows"), [(2, 1, 4), (2, 2, 3), (1, 3, 4), (3, 1, 2)])
def test_padded_sets_give_away_no_more_than_the_bound(items: int, largest: int, rows: int) -> None:
    sample = amplified_sample(items, largest, THREE)
    matrix = report_matrix(sample.describe())
    ratio = max(max(column) / min(column) for column in zip(*matrix, strict=True))
    compare(sample, matrix, rows, ratio)


def test_an_item_sent_by_blocks_gives_away_no_more_than_a_value() -> None:
    sample = plain_sample(2, 2, THREE)
    values = report_matrix(sample.describe())
    sets = [[2, 3], [0, 3], [1, 3], [0, 1]]
    matrix = [
        [sum((values[x][y] for x in one), Fraction(0)) / 2 for y in range(len(values[0]))]
        for one in sets
    ]
    compare(sample, matrix, 3, sample.response.ratio)


@pytest.mark.parametrize("weights", [(1, 1), (1, 5)])
def test_one_of_several_parts_gives_away_no_more_than_the_worst(weights: tuple[int, int]) -> None:
    """Records may agree in a part: all pairs of pairs of values are looked at."""
    parts = (
        block_response(PointBlocks(2), THREE),
        block_response(PointBlocks(3), Epsilon.log(Fraction(2))),
    )
    several = OneOfSeveral(parts, weights)
    first, second = (report_matrix(part.describe()) for part in parts)
    whole = sum(weights)
    matrix = [
        [p * weights[0] / whole for p in a] + [p * weights[1] / whole for p in b]
        for a in first
        for b in second
    ]
    compare(several, matrix, 2, parts[0].ratio)


@pytest.mark.parametrize("method", ["projective", "unary", "hashing"])
def test_shuffled_collections_are_certified_and_tighter_than_clones(method: str) -> None:
    collection = nw.local.frequencies(nw.Counts(49), epsilon=2, method=method)
    found = collection.shuffled(people=5_000, delta="1e-6")
    general = nw.shuffled(epsilon=2, rows=5_000, delta="1e-6")
    assert found.lower <= found.upper < 0.9 * general.upper
    assert found.guarantee.reduction == "blocks"
    assert found.lower > 0 or method == "hashing"
    assert nw.check(found.certificate())
    assert found.guarantee.row_epsilon == Epsilon.of(2)


def test_a_shuffled_collection_of_k_ary_response_is_the_shuffled_mechanism() -> None:
    space = nw.Counts(9)
    found = nw.local.frequencies(space, epsilon=1, method="response")
    plain = nw.shuffled(
        mechanism=nw.randomized_response(space, epsilon=1), rows=2_000, delta="1e-6"
    )
    assert found.shuffled(people=2_000, delta="1e-6").upper == pytest.approx(plain.upper, rel=1e-3)


def test_sets_in_random_order() -> None:
    for largest in (1, 3):
        collection = nw.local.items(range(30), largest=largest, epsilon=2)
        found = collection.shuffled(people=5_000, delta="1e-6")
        assert found.upper < 0.9 * nw.shuffled(epsilon=2, rows=5_000, delta="1e-6").upper
        assert nw.check(found.certificate())


def test_reports_of_an_unknown_kind_fall_back_to_their_epsilon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    collection = nw.local.frequencies(nw.Counts(9), epsilon=1)
    monkeypatch.setattr(type(collection), "parts", lambda self: iter(_twice(self)))
    found = collection.shuffled(people=1_000, delta="1e-6")
    assert found.guarantee.reduction == "clones"


def _twice(collection: Any) -> list[Any]:
    return [(collection.randomizer.describe(), collection.guarantee)] * 2


@pytest.mark.parametrize(("people", "delta"), [(0, "1e-6"), (100, 0), (100, 1)])
def test_bad_numbers_are_refused(people: int, delta: Any) -> None:
    collection = nw.local.frequencies(nw.Counts(9), epsilon=1)
    with pytest.raises(nw.errors.ParameterError):
        collection.shuffled(people=people, delta=delta)
