"""Per-item mechanisms: privacy from every pair of sets, the best two coins, every form of sets."""

import math
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.mechanisms import PerItem
from noisewright.privacy.formulas.sets import sets_within

SHAPES = [(m, s) for m in range(1, 5) for s in [None, *range(1, m)]]
LABELS = ["tv", "cars", "books", "games", "food", "art"]


def space(items: int, largest: int | None = None) -> nw.Subsets:
    return nw.Subsets(LABELS[:items], largest=largest)


@pytest.mark.parametrize(("items", "largest"), SHAPES)
@pytest.mark.parametrize("epsilon", [0.1, "1/1", 4])
def test_the_formula_is_the_tight_epsilon_of_the_table(
    items: int, largest: int | None, epsilon: Any
) -> None:
    mechanism = nw.per_item(space(items, largest), epsilon=epsilon)
    table = mechanism.table()
    assert nw.tight_epsilon(mechanism) == nw.tight_epsilon(table)
    assert nw.tight_epsilon(mechanism) == pytest.approx(float(Fraction(epsilon)), rel=1e-14)
    assert nw.verify(mechanism, epsilon=epsilon)
    assert nw.verify(table, epsilon=epsilon)
    # The exact ratio, and slightly less.
    ratio = mechanism.tight_ratio()
    assert sets_within(mechanism, nw.accounting.Epsilon.log(ratio))
    assert not sets_within(mechanism, nw.accounting.Epsilon.log(ratio - Fraction(1, 10**30)))
    refuted = nw.verify(mechanism, epsilon=0.09)
    assert refuted.witness is not None
    assert refuted.witness.p / refuted.witness.q == ratio


@pytest.mark.parametrize(("items", "largest"), SHAPES)
def test_the_table_is_the_definition(items: int, largest: int | None) -> None:
    mechanism = nw.per_item(space(items, largest), epsilon=1)
    table = mechanism.table()
    labels = mechanism.space.items
    chances = {True: mechanism.present, False: mechanism.absent}
    for x, y in product(table.space.points, table.outputs.points):
        wanted = math.prod(
            (chances[item in x] if item in y else 1 - chances[item in x] for item in labels),
            start=Fraction(1),
        )
        assert table.probability(x, y) == wanted
        assert mechanism.probability(table.outputs.code(x), table.outputs.code(y)) == wanted


@pytest.mark.parametrize(("items", "largest"), SHAPES)
@pytest.mark.parametrize("frequency", [0, "3/10"])
def test_the_whole_privacy_curve_is_that_of_the_table(
    items: int, largest: int | None, frequency: Any
) -> None:
    mechanism = nw.per_item(space(items, largest), epsilon=2, frequency=frequency)
    table = mechanism.table()
    for epsilon in (0, 0.5, "19/10", nw.accounting.Epsilon.log(Fraction(3)), 2, 3):
        assert nw.tight_delta(mechanism, epsilon=epsilon) == nw.tight_delta(table, epsilon=epsilon)
    for delta in (0.01, "1/7", 0.9):
        assert nw.tight_epsilon(mechanism, delta=delta) == nw.tight_epsilon(table, delta=delta)
    # Where a rational δ is needed exactly, and slightly less of it.
    needed = mechanism.delta_bounds(nw.accounting.Epsilon.log(Fraction(3)), 4096)
    assert needed.low == needed.high
    if needed.low:
        assert nw.verify(mechanism, alpha="1/3", delta=needed.low)
        assert not nw.verify(mechanism, alpha="1/3", delta=needed.low - Fraction(1, 10**40))


@pytest.mark.parametrize(("items", "largest"), [*SHAPES, (5, 3), (5, 4)])
@pytest.mark.parametrize(("epsilon", "delta"), [(1, "1/20"), ("1/3", 0.001), (2, 0.2)])
def test_a_delta_buys_a_larger_epsilon(
    items: int, largest: int | None, epsilon: Any, delta: Any
) -> None:
    mechanism = nw.per_item(space(items, largest), epsilon=epsilon, delta=delta)
    assert nw.verify(mechanism.table(), epsilon=epsilon, delta=delta)
    assert nw.verify(mechanism, epsilon=epsilon, delta=delta)
    plain = nw.per_item(space(items, largest), epsilon=epsilon)
    assert mechanism.present - mechanism.absent > plain.present - plain.absent
    assert nw.tight_delta(mechanism, epsilon=epsilon) > float(Fraction(delta)) * 0.999


def test_a_delta_that_allows_nearly_everything() -> None:
    mechanism = nw.per_item(space(4, 1), epsilon=2, delta=0.5)
    assert nw.verify(mechanism.table(), epsilon=2, delta=0.5)
    assert mechanism.present - mechanism.absent > Fraction(49, 100)


@pytest.mark.parametrize(("items", "largest"), [(1000, None), (5000, 40)])
def test_a_delta_for_thousands_of_items(items: int, largest: int | None) -> None:
    many = nw.Subsets(range(items), largest=largest)
    mechanism = nw.per_item(many, epsilon=1, delta="1/1000000")
    plain = nw.per_item(many, epsilon=1)
    assert mechanism.present - mechanism.absent > 2 * (plain.present - plain.absent)
    assert nw.tight_delta(mechanism, epsilon=1) == pytest.approx(1e-6, rel=1e-3)
    assert nw.tight_epsilon(mechanism, delta="1/1000000") == pytest.approx(1, rel=1e-4)
    refuted = nw.verify(mechanism, epsilon=1, delta="1/1100000")
    assert not refuted
    assert "too many outputs to list" in str(refuted)


def variance(p: Any, q: Any, frequency: float) -> Any:
    return (frequency * p * (1 - p) + (1 - frequency) * q * (1 - q)) / (p - q) ** 2


@pytest.mark.parametrize(("items", "largest"), [(3, None), (6, 1), (6, 2), (6, 3), (6, 4), (6, 5)])
@pytest.mark.parametrize("frequency", [0, 0.2, 0.5, 1])
@pytest.mark.parametrize("epsilon", [0.5, 3])
def test_no_two_coins_with_that_epsilon_have_a_smaller_variance(
    items: int, largest: int | None, frequency: float, epsilon: float
) -> None:
    mechanism = nw.per_item(space(items, largest), epsilon=epsilon, frequency=frequency)
    reached = variance(float(mechanism.present), float(mechanism.absent), frequency)
    most = items if largest is None else largest
    p, q = np.meshgrid(np.linspace(0.002, 0.998, 499), np.linspace(0.001, 0.997, 499))
    removed, added = np.log(p / q), np.log((1 - q) / (1 - p))
    # Every number of removed and added items that two such sets may differ in.
    pairs = [(a, b) for a in range(most + 1) for b in range(most + 1) if a + b <= items]
    spent = np.max([a * removed + b * added for a, b in pairs], axis=0)
    allowed = (p > q + 1e-9) & (spent <= epsilon)
    others = np.where(allowed, variance(p, np.minimum(q, p - 1e-12), frequency), np.inf)
    assert reached <= others.min() * (1 + 1e-9)
    assert others.min() <= reached * 1.05


def test_rare_items_and_a_bound_give_the_optimized_unary_encoding() -> None:
    mechanism = nw.per_item(nw.Subsets(range(1000), largest=2), epsilon=2)
    assert mechanism.present == Fraction(1, 2)
    assert float(mechanism.absent) == pytest.approx(1 / (math.e + 1), rel=1e-12)
    without = nw.per_item(nw.Subsets(range(1000)), epsilon=2)
    assert without.present + without.absent == 1
    assert float(without.present / without.absent) == pytest.approx(math.exp(2 / 1000), rel=1e-12)


@pytest.mark.parametrize("items", [3000, 20_000])
@pytest.mark.parametrize("largest", [None, 7])
def test_thousands_of_items(items: int, largest: int | None) -> None:
    mechanism = nw.per_item(nw.Subsets(range(items), largest=largest), epsilon=1)
    assert nw.tight_epsilon(mechanism) == pytest.approx(1, rel=1e-12)
    assert nw.tight_epsilon(mechanism) <= 1
    assert nw.verify(mechanism, epsilon=1)
    assert not nw.verify(mechanism, epsilon="0.999999999")


SETS = [{"tv"}, set(), {"books", "cars"}, {"art", "tv"}]
INDICES = np.array([0, 2, 1, 5, 0])
OFFSETS = np.array([0, 1, 1, 3, 5])
SURE: Any = {"epsilon": 400}


def sure(largest: int | None = 2, **keywords: Any) -> PerItem:
    """A mechanism that changes nothing in practice: odds of about e^-100."""
    return nw.per_item(space(6, largest), **SURE, frequency="1/2", **keywords)


def test_sets_come_back_in_the_form_in_which_they_came() -> None:
    mechanism = sure()
    assert mechanism.sample(SETS) == SETS
    assert mechanism.sample([list(one) for one in SETS]) == SETS
    assert mechanism.sample({"tv", "art"}) == {"tv", "art"}
    assert mechanism.sample(["tv", "art"][:0]) == []
    lists = [["tv"], [], ["cars", "books"], ["tv", "art"]]
    for kind in (pa.list_(pa.string()), pa.large_list(pa.string())):
        array = pa.array(lists, type=kind)
        drawn = mechanism.sample(array)
        assert drawn.type == kind
        assert drawn.to_pylist() == lists
        assert mechanism.sample(array[1:3]).to_pylist() == lists[1:3]
    encoded = pa.array(lists, type=pa.list_(pa.dictionary(pa.int32(), pa.string())))
    drawn = mechanism.sample(encoded)
    assert drawn.type == encoded.type
    assert drawn.to_pylist() == lists
    chunked = pa.chunked_array([lists[:1], lists[1:]])
    assert mechanism.sample(chunked).to_pylist() == lists
    indices, offsets = mechanism.sample((INDICES, OFFSETS))
    assert indices.tolist() == [0, 1, 2, 0, 5]
    assert offsets.tolist() == OFFSETS.tolist()
    matrix = np.array([[item in one for item in LABELS] for one in SETS])
    assert np.array_equal(mechanism.sample(matrix), matrix)
    bits = mechanism.sample_bits(SETS)
    assert np.array_equal(np.unpackbits(bits, axis=1, bitorder="little")[:, :6], matrix)


def test_repeated_items_count_once() -> None:
    assert sure().sample([["tv", "tv", "tv"]]) == [{"tv"}]
    assert sure().sample(pa.array([["tv", "tv", "art"]])).to_pylist() == [["tv", "art"]]


def test_whole_numbers_are_items_if_they_were_declared() -> None:
    mechanism = nw.per_item(nw.Subsets([10, 20, 30], largest=1), **SURE)
    assert all(mechanism.sample([[10], [30]])[row] <= {10, 20, 30} for row in range(2))
    drawn = mechanism.sample(pa.array([[10], [30]]))
    assert drawn.type == pa.list_(pa.int64())


def test_codes_are_drawn_like_sets() -> None:
    mechanism = sure()
    codes = np.array([mechanism.space.code(one) for one in SETS])
    assert mechanism.outputs.decode(mechanism.draw(codes)).tolist() == SETS


def test_bits_and_lists_are_the_same_draws() -> None:
    mechanism = nw.per_item(nw.Subsets(range(100), largest=3), epsilon=3)
    sets = [{1, 2}, {99}, set(), {5, 50, 60}] * 50
    drawn = mechanism.sample(sets, source=nw.randomness.SeededSource("both"))
    bits = mechanism.sample_bits(sets, source=nw.randomness.SeededSource("both"))
    unpacked = np.unpackbits(bits, axis=1, bitorder="little")[:, :100]
    assert [set(np.flatnonzero(row).tolist()) for row in unpacked] == [set(one) for one in drawn]


def test_sets_that_are_too_large() -> None:
    large = [{"tv"}, {"tv", "cars", "books"}]
    with pytest.raises(nw.errors.OutsideSpaceError, match=r"row 2 .*more than 2 items") as caught:
        sure().sample(large)
    assert caught.value.row == 1
    assert "{" not in str(caught.value)
    cut = sure(outside="sample").sample(large * 40)
    assert all(one == {"tv"} for one in cut[::2])
    assert all(len(one) == 2 for one in cut[1::2])
    assert len(set(cut[1::2])) == 3


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        (None, "no input"),
        ("tv", "not a set of items"),
        (["tv"], "row 1 .*lists of items"),
        ([{"tv"}, {"boat"}], "row 2 .*not declared"),
        ([{"tv"}, [["tv"]]], "row 2 .*not declared"),
        (pa.array([["tv"], None]), "row 2 .*null"),
        (pa.array([["tv"], ["art", None]]), "row 2 .*not declared"),
        (pa.array([["tv"], [], ["boat"]]), "row 3 .*not declared"),
        (pa.array(["tv"]), "column of lists"),
        ((np.array([0, 6]), np.array([0, 1, 2])), "row 2 .*not declared"),
        ((np.array([0, -1]), np.array([0, 0, 2])), "row 2 .*not declared"),
        ((np.array([0]), np.array([0, 2])), "offsets must rise"),
        ((np.array([0]), np.array([], dtype=int)), "offsets must rise"),
        (np.zeros((2, 5), dtype=bool), "5 columns"),
        (np.zeros((2, 6)), "must hold booleans"),
    ],
)
def test_sets_that_cannot_be_read(inputs: Any, says: str) -> None:
    with pytest.raises(nw.errors.InputError, match=says):
        sure().sample(inputs)


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: nw.per_item(nw.Categories(["a", "b"]), epsilon=1), "takes Subsets"),  # pyright: ignore[reportArgumentType]
        (lambda: nw.per_item(space(2), epsilon=0), "epsilon is 0"),
        (lambda: nw.per_item(space(2), epsilon=1, frequency=2), "between 0 and 1"),
        (lambda: nw.per_item(space(2), epsilon=1, delta=1), "promises nothing"),
        (lambda: nw.per_item(space(2), epsilon=1, outside="clip"), "'error' or 'sample'"),
        (
            lambda: nw.per_item(nw.Subsets(["a"], neighbors=[([], ["a"])]), epsilon=1),
            "other neighbors",
        ),
        (lambda: nw.Subsets(["a", "b"], largest=0), "largest is 0"),
        (lambda: nw.Subsets(["a", "b"], largest=True), "largest is True"),
        (lambda: nw.per_item(space(6), epsilon=1).table().space.point(64), "not a point"),
        (lambda: nw.per_item(nw.Subsets(range(99)), epsilon=1).table(), "at most"),
    ],
)
def test_what_cannot_be_built(build: Any, says: str) -> None:
    with pytest.raises(nw.errors.NoisewrightError, match=says):
        build()


@pytest.mark.parametrize("largest", [None, 4])
def test_certificates_of_many_items(tmp_path: Path, largest: int | None) -> None:
    mechanism = nw.per_item(nw.Subsets(range(300), largest=largest), epsilon="1/2")
    certificate = nw.certify(mechanism)
    assert nw.check(certificate).holds
    assert certificate.guarantee == nw.accounting.Guarantee("1/2")
    assert nw.load(certificate.save(tmp_path / "m.json")) == mechanism
    # A delta is proven from the formula, but not yet by the checker.
    with_delta = nw.per_item(space(4, 2), epsilon=1, delta=0.1)
    with pytest.raises(nw.errors.CertificateError, match="without a delta"):
        nw.certify(with_delta)
    assert nw.check(nw.certify(with_delta.table())).holds
