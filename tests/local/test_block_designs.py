"""Families of blocks: sizes, shared outputs, exact privacy, and counts inside of all blocks."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

import noisewright as nw
from noisewright.errors import ParameterError, TooLargeError
from noisewright.exact import Epsilon
from noisewright.local.choosing import METHODS, choose_randomizer, make_randomizer
from noisewright.local.families.chosen import ChosenSets
from noisewright.local.families.family import BlockFamily
from noisewright.local.families.fields import FiniteField
from noisewright.local.families.hashed import Hashed
from noisewright.local.families.points import PointBlocks
from noisewright.local.families.projective import Projective, points_in
from noisewright.local.families.windows import Windows
from noisewright.local.randomizer import BlockResponse, block_response
from noisewright.local.unary import UnaryEncoding

SHAPES = [
    *((2, t) for t in range(2, 8)),
    *((3, 2), (3, 3), (3, 4), (3, 5), (4, 2), (4, 3), (4, 4), (5, 2), (5, 3), (7, 2), (7, 3)),
    *((8, 2), (8, 3), (11, 2), (13, 2), (16, 2), (32, 2), (31, 2)),
]
FAMILIES: list[BlockFamily] = [
    *(Projective(points_in(q, t), q, t) for q, t in SHAPES if points_in(q, t) < 200),
    *(Projective(5, q, t) for q, t in SHAPES if points_in(q, t) > 4),
    *(PointBlocks(2), PointBlocks(9), ChosenSets(2, 1), ChosenSets(7, 3), ChosenSets(6, 5)),
    *(Windows(2, 1, 1), Windows(9, 4, 3), Windows(7, 9, 2)),
]


def incidence(family: BlockFamily) -> NDArray[np.bool_]:
    return np.array(
        [
            [family.contains(x, y) for y in range(family.outputs)]
            for x in range(min(family.values, 60))
        ]
    )


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_all_blocks_have_one_size_and_share_as_much(family: BlockFamily) -> None:
    blocks = incidence(family)
    assert blocks.shape[1] == family.outputs
    assert (blocks.sum(axis=1) == family.inside).all()
    assert 0 < family.inside < family.outputs
    shared = (blocks.astype(int) @ blocks.T.astype(int))[np.triu_indices(len(blocks), 1)]
    if family.shared is not None:
        assert (shared == family.shared).all()


@pytest.mark.parametrize("family", [one for one in FAMILIES if one.values < 25], ids=str)
@pytest.mark.parametrize("epsilon", ["1/1000", "1", "ln(3)", "9"])
def test_the_least_epsilon_is_the_one_that_was_asked_for(family: BlockFamily, epsilon: str) -> None:
    asked = Epsilon.log(Fraction(3)) if epsilon.startswith("ln") else Epsilon.of(epsilon)
    made = block_response(family, asked)
    table = made.table()
    assert table.space.unit.change == "any"
    assert nw.verify(table, epsilon=asked).holds
    found = nw.tight_epsilon(table)
    assert asked.floor() * (1 - 1e-6) < found <= asked.floor() * (1 + 1e-15)
    assert made.ratio > 1
    more = BlockResponse(family, made.keep + 1, made.guarantee)
    assert asked.sign(more.ratio.numerator, more.ratio.denominator) > 0


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_counts_inside_all_blocks_against_every_output(family: BlockFamily) -> None:
    if isinstance(family, ChosenSets):
        return
    draw = np.random.default_rng()
    blocks = incidence(family).astype(object)
    for most in (1, 1000, 10**12, 10**17 // family.outputs):
        tally = draw.integers(0, most, family.outputs, endpoint=True)
        expected = (blocks @ tally.astype(object)).tolist()
        assert family.supports(tally)[: len(blocks)].tolist() == expected
        alone = np.zeros(family.outputs, dtype=np.int64)
        alone[draw.integers(family.outputs)] = most * family.outputs
        expected = (blocks @ alone.astype(object)).tolist()
        assert family.supports(alone)[: len(blocks)].tolist() == expected


@pytest.mark.parametrize(
    ("q", "t"), [(3, 9), (5, 6), (101, 3), (4, 7), (2, 14), (1021, 2), (128, 3), (1024, 3)]
)
def test_large_transforms_of_large_counts(q: int, t: int) -> None:
    """10^12 reports, on blocks that are looked at one by one."""
    family = Projective(min(points_in(q, t), 300_000 // points_in(q, t - 1) + 9), q, t)
    draw = np.random.default_rng()
    tally = draw.multinomial(10**12, draw.dirichlet(np.full(family.outputs, 0.05)))
    found = family.supports(tally)
    vectors = family._vectors(np.arange(family.outputs))
    for code in draw.integers(0, family.values, 20).tolist():
        products = family._dot(np.full_like(vectors, vectors[code]), vectors)
        assert found[code] == tally[products == 0].sum()


@pytest.mark.parametrize("q", [2, 4, 8, 16, 32, 64, 1024, 3, 5, 7, 101])
def test_fields_are_fields(q: int) -> None:
    field = FiniteField(q)
    some = np.random.default_rng().integers(0, q, (200, 3)).tolist()
    for a, b, c in some:
        assert field.times(a, b) == field.times(b, a) == int(field.products[a, b])
        assert field.times(field.times(a, b), c) == field.times(a, field.times(b, c))
        assert field.times(a, field.plus(b, c)) == field.plus(field.times(a, b), field.times(a, c))
        assert field.minus(field.plus(a, b), b) == a
        if a:
            assert field.times(a, field.inverse(a)) == 1
    assert all(sorted(field.products[a].tolist()) == list(range(q)) for a in range(1, min(q, 40)))


@pytest.mark.parametrize(("q", "t"), [(6, 3), (9, 2), (1, 2), (0, 2), (2048, 2), (2, 1), (2, 27)])
def test_no_space_over_what_is_no_field(q: int, t: int) -> None:
    with pytest.raises(ParameterError):
        Projective(2, q, t)


@pytest.mark.parametrize(
    "make",
    [
        lambda: PointBlocks(1),
        lambda: Projective(8, 2, 3),
        lambda: Projective(1, 2, 3),
        lambda: ChosenSets(4, 4),
        lambda: ChosenSets(4, 0),
        lambda: ChosenSets(1 << 20, 9),
        lambda: Hashed(1, 2),
        lambda: Hashed(4, 0),
        lambda: Hashed(4, 13),
        lambda: Windows(1, 1, 1),
        lambda: Windows(4, 0, 1),
        lambda: nw.local.frequencies(nw.Counts(1 << 20), epsilon=1),
        lambda: nw.local.frequencies(nw.Counts(1 << 16), epsilon=1, method="unary"),
        lambda: nw.local.frequencies(nw.Counts(1 << 14), epsilon=1, method="subset"),
    ],
)
def test_sizes_that_are_refused_at_once(make: Any) -> None:
    with pytest.raises((ParameterError, TooLargeError)):
        make()


@pytest.mark.parametrize(("values", "bits"), [(8, 2), (5, 1), (64, 3)])
def test_hash_functions_are_pairwise_independent(values: int, bits: int) -> None:
    """Over all functions of 16 bits: each pair of hashes equally often, exactly."""
    family = Hashed(values, bits)
    a = np.arange(1 << 16, dtype=np.uint64)
    for x, z in [(0, 1), (1, values - 1), (values // 2, values - 1)]:
        both = np.zeros((1 << bits, 1 << bits), dtype=np.int64)
        for b in range(0, 1 << 16, 1 << 10):
            hashes = [((a * value + b) & 0xFFFF) >> (family.width - bits) for value in (x, z)]
            np.add.at(both, (hashes[0].astype(int), hashes[1].astype(int)), 1)
        assert family.width == 16
        assert both.max() == both.min()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("values", [2, 3, 10, 1000])
@pytest.mark.parametrize("epsilon", [1e-12, 1e-3, 1, 50])
def test_extreme_epsilons_are_proven_and_answered(method: str, values: int, epsilon: float) -> None:
    collected = nw.local.frequencies(nw.Counts(values - 1), epsilon=epsilon, method=method)
    assert nw.check(collected.certificate())
    server = collected.server().add(collected.reports(np.zeros(200, dtype=int)))
    answer = server.estimate()
    assert np.isfinite(answer.values).all()
    assert (answer.lows <= answer.values).all()
    assert (answer.values <= answer.highs).all()
    server.detect()
    server.robust(fakes=0.1)
    support = collected.support
    exact = collected.randomizer.own - collected.randomizer.other
    assert support.gap == pytest.approx(float(exact), rel=1e-15)
    assert exact > 0
    if epsilon == 50 and method == "response":
        assert answer.values[0] == pytest.approx(1)
        assert server.detect().labels == [0]


@given(
    st.sampled_from(["response", "projective", "hadamard", "subset", "hashing"]),
    st.integers(2, 3000),
    st.floats(0.01, 8),
)
def test_own_and_other_follow_from_the_integers(method: str, values: int, epsilon: float) -> None:
    """p* and q* against sums over outputs by their definition."""
    made = make_randomizer(values, Epsilon.of(epsilon), method)
    assert isinstance(made, BlockResponse)
    family, keep = made.family, made.own
    if isinstance(family, Hashed):
        assert made.other == Fraction(1, family.outputs)
        return
    inside, outside = keep / family.inside, (1 - keep) / (family.outputs - family.inside)
    assert family.shared is not None
    other = family.shared * inside + (family.inside - family.shared) * outside
    assert made.other == other
    assert 0 < made.other < made.own < 1
    e = math.exp(epsilon)
    assert float(inside / outside) == pytest.approx(e, rel=1e-9)


def best(epsilon: float) -> float:
    return 4 * math.exp(epsilon) / math.expm1(epsilon) ** 2


@pytest.mark.parametrize("values", [5, 10, 31, 100, 500, 1000, 3000, 10_000])
def test_projective_response_is_never_more_than_8_percent_above_the_best(values: int) -> None:
    """4 e / (e − 1)², for every ε of a fine grid from 0.05 to 7."""
    for epsilon in np.linspace(0.05, 7, 71).tolist():
        made = make_randomizer(values, Epsilon.of(epsilon), "projective")
        chosen = choose_randomizer(values, Epsilon.of(epsilon), None).randomizer
        assert made.variance <= 1.08 * best(epsilon), epsilon
        assert chosen.variance <= 1.08 * best(epsilon), epsilon


def test_every_method_has_the_variance_of_its_formula() -> None:
    for values, epsilon in itertools.product((10, 100, 1000), (0.5, 1.0, 2.0, 4.0)):
        e, given_ = math.exp(epsilon), Epsilon.of(epsilon)

        def variance(method: str, values: int = values, given_: Epsilon = given_) -> float:
            return make_randomizer(values, given_, method).variance

        assert variance("response") == pytest.approx((e + values - 2) / (e - 1) ** 2)
        assert variance("unary") == pytest.approx(best(epsilon))
        root = math.sqrt(e)
        assert variance("symmetric unary") == pytest.approx(root / (root - 1) ** 2)
        assert variance("subset") <= best(epsilon) * 1.05
        for method in ("hashing", "projective", "hadamard"):
            made = make_randomizer(values, given_, method)
            assert isinstance(made, BlockResponse)
            family = made.family
            g = family.q if isinstance(family, Projective) else family.outputs
            limit = (e + g - 1) ** 2 / ((g - 1) * (e - 1) ** 2)  # of many coordinates
            if isinstance(family, Projective):
                points, s, shared = (points_in(g, family.t - less) for less in range(3))
                whole = s * e + points - s
                p, q = s * e / whole, (shared * e + s - shared) / whole
                assert made.variance == pytest.approx(q * (1 - q) / (p - q) ** 2)
            else:
                assert made.variance == pytest.approx(limit)
            assert made.variance <= limit * (1 + 1e-9)


def test_unary_coins_are_the_least_that_epsilon_allows() -> None:
    for epsilon, symmetric in itertools.product(("1/10", "1", "5"), (False, True)):
        word = "symmetric unary" if symmetric else "unary"
        asked = Epsilon.of(epsilon)
        made = make_randomizer(7, asked, word)
        assert isinstance(made, UnaryEncoding)
        total, p, q = 1 << 64, made.present, made.absent
        assert asked.sign(p * (total - q), q * (total - p)) <= 0
        q -= 1
        p = total - q if symmetric else p
        assert asked.sign(p * (total - q), q * (total - p)) > 0
