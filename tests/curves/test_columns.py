"""Curves as columns of a table, beside other columns."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.curves import CurveNoise
from noisewright.errors import InputError, OutsideSpaceError, TooLargeError

DAY = nw.Curves(range(4), low=0, high=10)
LOAD = nw.curves.curve_noise(DAY, epsilon=10**9)
JOBS = nw.Categories(["a", "b"])
KEEP = nw.from_matrix(JOBS, np.eye(2))
BOTH = nw.combine.product(job=KEEP, load=LOAD)
CURVES = np.array([[1.0, 2, 3, 4], [5, 6, 7, 8], [10, 0, 10, 0]])
JOB = ["a", "b", "b"]


@pytest.mark.parametrize("form", ["array", "lists", "tuples"])
def test_columns_by_name_come_back_as_rows_of_values(form: str) -> None:
    given: Any = CURVES
    if form != "array":
        given = [list(row) if form == "lists" else tuple(row) for row in CURVES.tolist()]
    released = BOTH.sample({"job": JOB, "load": given})
    assert list(released["job"]) == JOB
    assert isinstance(released["load"], np.ndarray)
    assert released["load"] == pytest.approx(CURVES, abs=0.01)


TYPES = {
    "list": pa.list_(pa.float64()),
    "large list": pa.large_list(pa.float64()),
    "fixed size": pa.list_(pa.float64(), 4),
    "floats": pa.list_(pa.float32()),
}


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("chunked", [False, True], ids=["whole", "chunked"])
def test_arrow_columns_of_lists_come_back_as_such(name: str, chunked: bool) -> None:
    column = pa.array(CURVES.tolist(), TYPES[name])
    given = pa.chunked_array([column[:1], column[1:]]) if chunked else column
    released = LOAD.sample_column(given)
    assert type(released) is type(given)
    expected = pa.list_(pa.float64()) if name == "floats" else TYPES[name]
    assert released.type == expected
    assert np.array(released.to_pylist()) == pytest.approx(CURVES, abs=0.01)
    table = pa.table({"load": given, "job": JOB})
    drawn = BOTH.sample(table)
    assert isinstance(drawn, pa.Table)
    assert drawn.column("load").type == expected
    assert drawn.column("job").to_pylist() == JOB


def test_records_with_curves_are_released_as_records() -> None:
    records = list(zip(JOB, map(tuple, CURVES.tolist()), strict=True))
    released = BOTH.sample(records)
    assert [job for job, _ in released] == JOB
    assert [list(curve) for _, curve in released] == [
        pytest.approx(row, abs=0.01) for row in CURVES
    ]
    job, curve = BOTH.sample(records[0])
    assert (job, len(curve)) == ("a", 4)
    mapped = BOTH.sample([{"load": CURVES[0], "job": "a"}])
    assert mapped[0][0] == "a"
    with pytest.raises(OutsideSpaceError, match=r"row 2 .*a record has 2 columns"):
        BOTH.sample([records[0], ("a",)])


def test_it_is_a_mechanism_without_codes_or_a_table() -> None:
    assert isinstance(LOAD, nw.Mechanism)
    assert BOTH.space == nw.Records(job=JOBS, load=DAY)
    assert nw.combine.product(
        load=nw.curves.curve_noise(DAY, epsilon=2)
    ).claim == nw.accounting.Guarantee(2)
    assert repr(LOAD.outputs) == "AnyCurves(4 positions)"
    for refused in (LOAD.table, lambda: LOAD.matrix, lambda: LOAD.then(lambda y: y)):
        with pytest.raises(InputError, match="has no table"):
            refused()
    with pytest.raises(InputError, match="no codes"):
        LOAD.draw(np.array([0]))
    outputs: Any = LOAD.outputs
    for endless in (
        lambda: outputs.size,
        lambda: outputs.point(0),
        lambda: outputs.code((0, 0, 0, 0)),
        lambda: outputs.distance(0, 0),
        lambda: outputs.diameter,
        lambda: outputs.separation,
        outputs.describe,
    ):
        with pytest.raises(TooLargeError, match="infinitely many"):
            endless()


def test_its_least_epsilon_is_known_where_its_sensitivity_is() -> None:
    exact = nw.curves.curve_noise(DAY, epsilon="1/2")
    assert exact.is_tight
    assert nw.tight_epsilon(exact) == 0.5
    assert not nw.verify(exact, epsilon="0.4999")
    both = nw.combine.product(a=exact, b=nw.randomized_response(JOBS, epsilon=1))
    assert nw.tight_epsilon(both) == pytest.approx(1.5)
    waves = nw.curves.curve_noise(DAY, epsilon="1/2", basis="fourier", coefficients=3)
    assert not waves.is_tight
    with pytest.raises(InputError, match="is not known"):
        nw.tight_epsilon(waves)
    with pytest.raises(InputError, match="cannot be decided"):
        nw.verify(waves, epsilon="0.4999")
    normal = nw.curves.curve_noise(DAY, epsilon=1, delta="1e-6")
    assert normal.pure_epsilon() is None
    assert nw.verify(normal, epsilon="1.000001", delta="1e-6")
    assert nw.combine.product(load=normal).claim == nw.accounting.Guarantee(1, "1e-6")


def test_curves_compose_by_their_claim() -> None:
    noise = nw.curves.curve_noise(DAY, epsilon="1/2", basis="fourier", coefficients=3)
    assert nw.compose([noise, noise]).epsilon(delta=0) == pytest.approx(1)
    assert nw.compose([nw.combine.product(load=noise, job=KEEP.then(lambda _: "x"))]).epsilon(
        delta=0
    ) == pytest.approx(0.5)


@pytest.mark.parametrize("basis", ["fourier", "bspline", "bernstein"])
def test_another_machine_finds_the_same_whole_numbers(
    basis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other processors round the last bits otherwise, and other libraries choose other signs."""
    space = nw.Curves(range(48), low=0, high=10)
    here = nw.curves.curve_noise(space, epsilon=1, basis=basis, coefficients=7)
    plain = np.linalg.qr
    bits = np.random.default_rng(5).integers(-2, 3, (48, 7))
    flips = np.array([1, -1, 1, 1, -1, -1, 1])

    def elsewhere(matrix: Any) -> Any:
        q, r = plain(matrix * (1 + bits * 2.0**-53))
        return q * flips, flips[:, None] * r

    monkeypatch.setattr(np.linalg, "qr", elsewhere)
    there = nw.curves.curve_noise(space, epsilon=1, basis=basis, coefficients=7)
    assert there == here
    assert there.describe() == here.describe()


def test_equal_noises_are_equal() -> None:
    def make(**options: Any) -> CurveNoise:
        return nw.curves.curve_noise(DAY, epsilon=1, **options)

    assert make() == make()
    assert hash(make(basis="fourier")) == hash(make(basis="fourier"))
    assert make() != make(basis="fourier")
    assert make() != make(bound=100)
    assert make() != nw.curves.curve_noise(DAY, epsilon=2)
    assert make() != 1
