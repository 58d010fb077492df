"""Laplace on a grid: forms, sensitivity, reading of values, products, errors."""

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.mechanisms import Laplace, Table
from noisewright.spaces import Lattice, Within

GRID = nw.Interval(0, 1, step="1/8")
SEED = nw.randomness.SeededSource(7)
RELATIONS: dict[str, Any] = {
    "replace": "replace",
    "adjacent": "adjacent",
    "a quarter": 0.25,
    "some pairs": [(0, 0.5), (0.25, 1)],
}


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("delta", [0, 0.05])
@pytest.mark.parametrize("form", ["truncated", "bounded"])
def test_tables_have_the_claim_and_spend_it(relation: str, delta: float, form: Any) -> None:
    space = nw.Interval(0, 1, step="1/8", neighbors=RELATIONS[relation])
    table = nw.laplace(space, epsilon=0.7, delta=delta, form=form, table=True)
    assert isinstance(table, Table)
    assert nw.verify(table, epsilon=0.7, delta=delta)
    assert nw.tight_epsilon(table, delta=delta) == pytest.approx(0.7, rel=1e-11)
    assert nw.check(nw.certify(table))


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("delta", [0, 0.05])
def test_the_formula_is_as_private_as_its_table(relation: str, delta: float) -> None:
    space = nw.Interval(0, 1, step="1/8", neighbors=RELATIONS[relation])
    formula = nw.laplace(space, epsilon=0.7, delta=delta, form="truncated")
    table = formula.table()
    for epsilon in (0, 0.1, 0.35, 0.69, 0.8):
        assert nw.tight_delta(formula, epsilon=epsilon) == pytest.approx(
            nw.tight_delta(table, epsilon=epsilon), abs=1e-14
        )
    for spare in (0.001, 0.1, 0.3):
        assert nw.tight_epsilon(formula, delta=spare) == pytest.approx(
            nw.tight_epsilon(table, delta=spare), abs=1e-13
        )


def test_bounded_noise_is_the_noise_given_that_it_stays_inside() -> None:
    table = nw.laplace(GRID, epsilon=2, form="bounded")
    alpha = np.exp(-2 / 8)
    powers = alpha ** np.abs(np.subtract.outer(np.arange(9), np.arange(9)))
    expected = powers / powers.sum(axis=1, keepdims=True)
    assert np.abs(table.matrix - expected).max() < 1e-12


def test_the_truncated_formula_errs_as_its_table_does() -> None:
    formula = nw.laplace(GRID, epsilon=1, form="truncated")
    assert isinstance(formula, Laplace)
    for power, name in ((1, "L1"), (2, "L2")):
        for code in range(9):
            chosen = [int(code == j) for j in range(9)]
            steps = formula.error_enclosure(code, power, 128)
            expected = nw.loss(formula.table(), name, prior=chosen)
            assert float(steps.high / 8**power) == pytest.approx(expected, rel=1e-12)


def test_a_sensitivity_declares_the_neighbors() -> None:
    mechanism = nw.laplace(nw.Interval(0, 100, step=0.5), epsilon=1, sensitivity=2)
    assert mechanism.space.neighbors == Within(4)
    assert isinstance(mechanism, Laplace)
    assert mechanism.scale == 2
    # Rounding may move numbers 2.1 apart to 5 steps apart.
    rough = nw.laplace(nw.Interval(0, 100, step=0.5), epsilon=1, sensitivity=2.1)
    assert rough.space.reach == 5
    assert nw.laplace(GRID, epsilon=1, sensitivity=1).space.neighbors == "replace"
    assert nw.laplace(GRID, epsilon=1, sensitivity="1/100").space.neighbors == "adjacent"
    with pytest.raises(nw.errors.SpaceError, match="must be positive"):
        nw.laplace(GRID, epsilon=1, sensitivity=0)


def test_neighbors_within_a_distance_are_those_pairs() -> None:
    space = nw.Interval(0, 1, step="1/8", neighbors=Fraction(1, 4))
    pairs = [[a, b] for a in range(9) for b in range(a + 1, 9) if b - a <= 2]
    assert space.neighbor_codes().tolist() == pairs
    assert space.pair_count == len(pairs)
    assert space.are_neighbors(0, 0.25)
    assert not space.are_neighbors(0, 0.375)
    assert not space.are_neighbors(0, 0)
    table = nw.randomized_response(space, epsilon=1, table=True)
    assert nw.check(nw.certify(table))


def test_values_outside_are_errors_or_clamped_as_the_caller_says() -> None:
    strict = nw.laplace(GRID, epsilon=1)
    with pytest.raises(nw.errors.OutsideSpaceError, match="row 2") as caught:
        strict.sample([0.5, 77.25])
    assert "77" not in str(caught.value)
    with pytest.raises(nw.errors.OutsideSpaceError, match=r"row 3.*not a multiple of the step"):
        strict.sample([0, 1, 0.3])
    sure = nw.laplace(GRID, epsilon=10**5, outside="clamp", off_grid="round", form="truncated")
    given = [-3, 0.0625, 0.06, 0.3, 99, 1]
    assert sure.sample(given).tolist() == [0, 0.125, 0, 0.25, 1, 1]
    assert [sure.sample(value) for value in given] == [0, 0.125, 0, 0.25, 1, 1]
    assert sure.sample(pa.array([0.3, 5.0])).to_pylist() == [0.25, 1]
    assert sure.sample([float("-inf"), float("inf")]).tolist() == [0, 1]
    for wrong in (float("nan"), None, "0.5"):
        with pytest.raises(nw.errors.InputError):
            sure.sample([wrong])
    with pytest.raises(nw.errors.OutsideSpaceError, match="null"):
        sure.sample(pa.array([0.5, None]))
    with pytest.raises(nw.errors.ParameterError, match="outside is 'wrap'"):
        GRID.reading(outside="wrap")  # pyright: ignore[reportArgumentType]


def test_clamping_alone_does_not_round() -> None:
    space = GRID.reading(outside="clamp")
    assert space.encode(np.array([-5.0, 0.25, 7.3])).tolist() == [0, 2, 8]
    assert [space.code(x) for x in (-5.0, 0.25, 7.3)] == [0, 2, 8]
    with pytest.raises(nw.errors.OutsideSpaceError, match="not on the grid"):
        space.encode(np.array([0.3]))
    assert space == GRID


def test_rounding_keeps_whole_distances() -> None:
    """With ties to even, 0.5 and 1.5 would become 0 and 2: two steps apart, not one."""
    space = nw.Interval(0, 100, step=1).reading(off_grid="round")
    values = np.arange(0, 99, 0.5)
    codes = space.encode(values)
    assert (space.encode(values + 1) - codes == 1).all()
    assert [space.code(x) for x in values.tolist()] == codes.tolist()
    tenths = nw.Interval(0, 10, step="1/5").reading(off_grid="round")
    # The double 0.3 is just below three halves of a step.
    assert tenths.encode(np.array([0.3, 0.1, 0.5])).tolist() == [1, 1, 3]
    assert [tenths.code(x) for x in (0.3, 0.1, 0.5)] == [1, 1, 3]


def test_outputs_lie_on_the_lattice_and_beyond_the_bounds() -> None:
    mechanism = nw.laplace(nw.Interval(-1, 1, step="1/4"), epsilon=0.1)
    drawn = mechanism.sample(np.zeros(2000), source=SEED)
    assert isinstance(mechanism.outputs, Lattice)
    assert mechanism.outputs == Lattice("1/4", -1)
    assert np.all(drawn * 4 == np.rint(drawn * 4))
    assert drawn.min() < -1 < 1 < drawn.max()
    codes = mechanism.outputs.encode(drawn)
    assert mechanism.outputs.decode(codes).tolist() == drawn.tolist()
    inside = nw.laplace(nw.Interval(-1, 1, step="1/4"), epsilon=0.1, form="truncated")
    assert set(np.abs(inside.sample(np.zeros(500), source=SEED))) <= {0, 0.25, 0.5, 0.75, 1}


def test_products_and_records() -> None:
    number = nw.laplace(GRID, epsilon="1/2", off_grid="round")
    label = nw.randomized_response(nw.Categories(["a", "b"]), epsilon=1)
    both = nw.combine.product(x=number, c=label)
    assert both.claim == nw.accounting.Guarantee("3/2")
    assert nw.tight_epsilon(both) == 1.5
    assert nw.verify(both, epsilon="3/2")
    released = both.sample({"x": [0.3, 1.0], "c": ["a", "b"]}, source=SEED)
    assert len(released["x"]) == 2
    records = both.sample([(0.3, "a"), (1, "b"), (0.5, "b")], source=SEED)
    assert len(records) == 3
    assert all(record[1] in "ab" for record in records)
    assert isinstance(both.sample((0.5, "a"), source=SEED), tuple)
    table = both.sample(pa.table({"x": [0.5], "c": ["a"]}), source=SEED)
    assert table.column_names == ["x", "c"]
    assert len((number**3).sample([0, 0.5, 1], source=SEED)) == 3
    assert nw.tight_epsilon(number**3) == 0.5
    near = nw.laplace(GRID, epsilon="1/2", sensitivity="1/8")
    assert nw.combine.product(x=near).claim == nw.accounting.Guarantee(4)


def test_what_is_refused() -> None:
    mechanism = nw.laplace(GRID, epsilon=1)
    untyped: Any = nw
    for refused in (
        lambda: nw.profile(mechanism),
        lambda: mechanism.table(),
        lambda: mechanism.weights,
        lambda: untyped.laplace(GRID, epsilon=1, form="round"),
        lambda: untyped.laplace(nw.Counts(3), epsilon=1),
        lambda: nw.laplace(GRID, epsilon=0),
        lambda: nw.laplace(GRID, epsilon=1, delta=1),
        lambda: untyped.laplace(GRID, epsilon=1, scale="half"),
        lambda: nw.laplace(GRID, epsilon=1, scale="paper", form="bounded"),
        lambda: nw.analysis.laplace_scale(0, epsilon=1),
        lambda: untyped.analysis.laplace_scale(1, epsilon=1, rule="half"),
    ):
        with pytest.raises(nw.errors.InputError):
            refused()
    for absurd in (
        lambda: mechanism.outputs.size,
        lambda: mechanism.outputs.diameter,
        lambda: (mechanism**2).table(),
        lambda: nw.laplace(nw.Interval(0, 1, step="1e-4"), epsilon=1, form="bounded"),
        lambda: nw.laplace(nw.Interval(0, 1, step="1e-3"), epsilon=1, delta=0.1, form="bounded"),
        lambda: nw.laplace(nw.Interval(0, 1, step="1e-19"), epsilon=1),
    ):
        with pytest.raises(nw.errors.TooLargeError):
            absurd()


def test_a_witness_of_a_false_claim() -> None:
    mechanism = nw.laplace(GRID, epsilon=1, delta="1/20")
    verdict = nw.verify(mechanism, epsilon="9/10", delta="1/20")
    assert not verdict
    witness: Any = verdict.witness
    assert (witness.input, witness.neighbor) == (0, 1)
    assert float(witness.p) > np.exp(0.9) * float(witness.q) + 0.05
    assert 0.0 in witness.event[0]
    assert 0.9 not in witness.event[0]
    assert "everything up to" in str(verdict)


def test_a_certificate_of_noise_is_one_that_the_checker_reads() -> None:
    assert nw.check(nw.certify(nw.laplace(GRID, epsilon=1, delta="1/20")))
    assert nw.check(nw.certify(nw.laplace(GRID, epsilon=1, sensitivity="1/8") ** 3))
    assert nw.check(
        nw.certify(nw.laplace(GRID, epsilon=1, sensitivity="1/4", form="truncated", table=True))
    )
    assert nw.check(nw.certify(nw.laplace(GRID, epsilon=1, sensitivity="1/4")))
    assert nw.check(nw.certify(nw.laplace(GRID, epsilon=1, delta="1/20", sensitivity="1/4")))
    assert nw.check(nw.certify(nw.staircase(GRID, epsilon=1)))


def test_a_record_with_an_unbounded_number_composes_by_columns() -> None:
    label = nw.randomized_response(nw.Categories(["a", "b"]), epsilon=1)
    both = nw.combine.product(x=nw.laplace(GRID, epsilon="1/2"), c=label)
    inside = nw.combine.product(
        x=nw.laplace(GRID, epsilon="1/2", form="truncated", table=True), c=label
    )
    twice = nw.compose(both, times=2)
    assert twice.epsilon() == pytest.approx(3)
    assert twice.delta(1) == pytest.approx(nw.compose(inside, times=2).delta(1), abs=1e-6)
