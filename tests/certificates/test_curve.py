"""Noise for curves in certificates: the checker proves it from the whole numbers alone."""

import copy
import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.curves import CurveNoise
from noisewright.curves.coordinates import Coordinates
from noisewright.errors import CertificateError, InputError, NotPrivateError
from tests.certificates.handmade import (
    SCHEMA,
    certificate,
    curve_of,
    load_checker,
    parts,
    sealed,
    text,
)

checker = load_checker()
validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))
DAY = nw.Curves(range(24), low=0, high=10)
UNEVEN = nw.Curves([0, 1, 1.5, 1.75, 4, 9, *range(10, 30)], low=-1, high=3, step="1/100")

NOISES: dict[str, CurveNoise] = {
    "values": nw.curves.curve_noise(DAY, epsilon=1),
    "one position": nw.curves.curve_noise(nw.Curves([5], low=0, high=1), epsilon=1),
    "fourier": nw.curves.curve_noise(DAY, epsilon="1/3", basis="fourier"),
    "one coefficient": nw.curves.curve_noise(DAY, epsilon=2, basis="fourier", coefficients=1),
    "bspline": nw.curves.curve_noise(UNEVEN, alpha="1/7", basis="bspline", coefficients=9),
    "bernstein": nw.curves.curve_noise(UNEVEN, epsilon=1, basis="bernstein", coefficients=12),
    "all entries": nw.curves.curve_noise(UNEVEN, epsilon=1, basis="bspline", coefficients=26),
    "Gershgorin": nw.curves.curve_noise(DAY, epsilon=1, basis="fourier", coefficients=17),
    "Gershgorin, uneven": nw.curves.curve_noise(
        UNEVEN, epsilon=1, basis="bspline", coefficients=18
    ),
    "many steps": nw.curves.curve_noise(
        nw.Curves(range(30), low=0, high=1, step=Fraction(1, 2**38)), epsilon=1, basis="fourier"
    ),
}


def farthest(matrix: list[list[int]], steps: int, shift: int) -> int:
    """How far two curves move the released numbers, over all pairs of curves."""
    values = np.array(list(product(range(steps + 1), repeat=len(matrix[0]))))
    numbers = (values - steps // 2) @ np.array(matrix).T
    if shift:
        numbers = (numbers + 2 ** (shift - 1)) >> shift
    return int(np.abs(numbers[:, None, :] - numbers[None, :, :]).sum(axis=2).max())


small = st.integers(1, 3).flatmap(
    lambda wide: st.lists(
        st.lists(st.integers(-9, 9), min_size=wide, max_size=wide), min_size=1, max_size=3
    )
)


@settings(max_examples=60, deadline=None)
@given(
    matrix=small,
    steps=st.integers(1, 3),
    shift=st.integers(0, 4),
    decay=st.fractions(Fraction(1, 50), 2, max_denominator=50),
)
def test_it_is_sound_and_without_rounding_exact(
    matrix: list[list[int]], steps: int, shift: int, decay: Fraction
) -> None:
    """Against every two curves: e^(decay · distance) is the largest ratio of probabilities."""
    needed = farthest(matrix, steps, shift) * decay
    form = curve_of(matrix, steps=steps, shift=shift, decay=decay)
    if needed:
        less = certificate(form, "replace", needed - Fraction(1, 10**30))
        assert parts(checker.check(less)) == {"epsilon"}
    spare = 0 if shift == 0 else len(matrix)
    unrounded = Fraction(farthest(matrix, steps, 0), 2**shift)
    enough = certificate(form, "replace", (unrounded + spare) * decay)
    assert (unrounded + spare) * decay >= needed
    assert checker.check(enough)
    validator.validate(enough)
    if unrounded + spare:
        below = (unrounded + spare) * decay - Fraction(1, 10**30)
        assert parts(checker.check(certificate(form, "replace", below))) == {"epsilon"}


@settings(max_examples=15, deadline=None)
@given(data=st.data(), steps=st.integers(1, 3))
def test_the_bound_by_weights_is_sound(data: st.DataObject, steps: int) -> None:
    """For as many numbers as positions, more than signs are tried for, against a search."""
    size = data.draw(st.integers(16, 20))
    seed = data.draw(st.integers(0, 10**6))
    matrix = np.random.default_rng(seed).integers(-99, 99, (size, size))
    weights = data.draw(st.lists(st.integers(1, 2**30), min_size=size, max_size=size))
    rows = matrix.tolist()
    bounds: list[Fraction] = []
    for z in ([], weights, [1] * size):
        form = curve_of(rows, steps=steps, shift=0, decay=1, weights=z)
        refused = text(checker.check(certificate(form, "replace", "0")))
        bounds.append(Fraction(refused.split("needs ")[1].split(";")[0]))
    assert bounds[0] == steps * np.abs(matrix).sum()
    assert max(bounds[1:]) <= bounds[0]
    signs = np.sign(np.random.default_rng(seed).standard_normal((4000, size)))
    reached = steps * np.abs(signs @ matrix.T).sum(axis=1).max()
    assert reached <= float(min(bounds)) * (1 + 1e-12)


@pytest.mark.parametrize("name", NOISES)
def test_library_and_checker_agree_and_it_comes_back(name: str, tmp_path: Path) -> None:
    noise = NOISES[name]
    made = nw.certify(noise)
    assert made.guarantee == noise.claim
    path = made.save(tmp_path / "m.json")
    report = nw.check(path)
    assert report, report.failures
    document = json.loads(path.read_text("utf-8"))
    validator.validate(document)
    again = nw.load(path)
    assert isinstance(again, CurveNoise)
    assert again == noise
    assert hash(again) == hash(noise)
    assert again.claim == noise.claim
    assert again.sensitivity == noise.sensitivity
    assert again.sensitivity_is_exact == noise.sensitivity_is_exact
    assert nw.certify(again).digest == made.digest
    curves = noise.space.values(np.full((2, len(noise.space.grid)), noise.space.steps // 3))
    first = noise.sample(curves, source=nw.randomness.SeededSource(4))
    second = again.sample(curves, source=nw.randomness.SeededSource(4))
    assert (first.numbers == second.numbers).all()
    assert first.values == pytest.approx(second.values, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("name", NOISES)
def test_slightly_less_epsilon_is_refused_by_both(name: str) -> None:
    noise = NOISES[name]
    pure = noise.pure_epsilon()
    assert pure is not None
    less = pure.rational * (1 - Fraction(1, 10**15))
    document = json.loads(nw.certify(noise).to_json())
    document["claims"]["epsilon"] = {"value": str(less)}
    assert parts(checker.check(sealed(document))) == {"epsilon"}
    with pytest.raises((NotPrivateError, InputError), match=r"fails|cannot be decided"):
        nw.certify(noise, epsilon=less)
    assert nw.verify(noise, epsilon=pure)
    assert nw.certify(noise, epsilon=9).guarantee == nw.accounting.Guarantee(9)


def one_bit(document: Any, row: int, place: int) -> None:
    entry = int(document["mechanism"]["matrix"][row][place])
    document["mechanism"]["matrix"][row][place] = str(entry + (1 if entry >= 0 else -1) * 2**30)


TAMPERING: dict[str, Any] = {
    "a bit of the matrix": lambda d: one_bit(d, 3, 7),
    "a wider range": lambda d: d["mechanism"]["inputs"].update(high="20"),
    "a finer step": lambda d: d["mechanism"]["inputs"].update(step="1/512"),
    "less rounding": lambda d: d["mechanism"].update(shift=d["mechanism"]["shift"] - 1),
    "less noise": lambda d: d["mechanism"]["decay"].update(value="1/1000000"),
    "a smaller epsilon": lambda d: d["claims"].update(epsilon={"value": "333/1000"}),
    "a row too many": lambda d: d["mechanism"]["matrix"].append(["1"] * 24),
}


@pytest.mark.parametrize("name", TAMPERING)
def test_a_forged_certificate_of_curves_is_refused(name: str) -> None:
    document = json.loads(nw.certify(NOISES["fourier"]).to_json())
    TAMPERING[name](document)
    assert not checker.check(document)
    assert parts(checker.check(sealed(document))) == {"epsilon"}


def test_smaller_weights_do_not_prove_more() -> None:
    document = json.loads(nw.certify(NOISES["Gershgorin, uneven"]).to_json())
    for weights in ([], ["1"] * 26, document["mechanism"]["weights"][::-1]):
        forged = copy.deepcopy(document)
        forged["mechanism"]["weights"] = weights
        assert parts(checker.check(sealed(forged))) == {"epsilon"}


@pytest.mark.parametrize(
    ("field", "what"),
    [
        ("matrix", []),
        ("matrix", [["1"]]),
        ("matrix", [["1", "2"], ["1"]]),
        ("matrix", [["1", "1/2"]]),
        ("matrix", [["1", 2]]),
        ("matrix", [["1", "9" * 99]]),
        ("matrix", "unit"),
        ("weights", ["1"]),
        ("weights", ["1", "0"]),
        ("weights", ["1", "x"]),
        ("shift", -1),
        ("shift", 2**20),
        ("decay", {"value": "0"}),
        ("decay", {"value": "-1"}),
        ("decay", {"ln": "2"}),
        ("decay", {"ln": "infinity"}),
        ("basis", 3),
        ("log2_scale", "0"),
        ("inputs", {"kind": "curves", "grid": [], "low": "0", "high": "1", "step": "1"}),
        ("inputs", {"kind": "curves", "grid": ["0", "0"], "low": "0", "high": "1", "step": "1"}),
        ("inputs", {"kind": "curves", "grid": ["0", "x"], "low": "0", "high": "1", "step": "1"}),
        ("inputs", {"kind": "curves", "grid": ["0", "1"], "low": "0", "high": "0", "step": "1"}),
        ("inputs", {"kind": "counts", "n": 1}),
    ],
)
def test_what_is_not_of_the_form_is_refused(field: str, what: Any) -> None:
    form = curve_of([[1, 2]], steps=2, shift=1, decay=1)
    assert checker.check(certificate(form, "replace", "9"))
    report = checker.check(certificate({**form, field: what}, "replace", "9"))
    assert parts(report) == {"mechanism"}
    assert parts(checker.check(certificate(form, "adjacent", "9"))) == {"neighbors"}


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"delta": "1e-6"}, "normal noise"),
        ({"delta": "1e-6", "basis": "fourier"}, "normal noise"),
        ({"bound": 20}, "pulled to a bound"),
        ({"bound": 20, "basis": "fourier"}, "pulled to a bound"),
    ],
)
def test_what_has_no_form_is_refused_with_its_reason(options: dict[str, Any], why: str) -> None:
    noise = nw.curves.curve_noise(DAY, epsilon=1, **options)
    with pytest.raises(CertificateError, match=why):
        nw.certify(noise)
    with pytest.raises(CertificateError, match=why):
        noise.describe()
    job = nw.randomized_response(nw.Categories(["a", "b"]), epsilon=1)
    with pytest.raises(CertificateError, match=f"the column 'load': .*{why}"):
        nw.certify(nw.combine.product(load=noise, job=job))
    assert nw.verify(noise, epsilon="1.0000001", delta=noise.claim.delta)


def test_what_takes_the_checker_too_long_is_refused_before() -> None:
    short = NOISES["fourier"]
    for count, positions, why in (
        (15, 4097, "so many coefficients for so many positions"),
        (64, 2**16 + 1, "so many positions"),
    ):
        empty = np.zeros((count, positions), dtype=np.int64)
        long = Coordinates("fourier", empty, 0, short.coordinates.functions)
        with pytest.raises(CertificateError, match=why):
            replace(short, coordinates=long).describe()


def whole() -> nw.Mechanism:
    return nw.combine.product(
        job=nw.randomized_response(nw.Categories(["a", "b"]), epsilon=1),
        load=NOISES["fourier"],
        values=NOISES["values"],
    )


def test_curves_are_columns_of_a_person_s_rows(tmp_path: Path) -> None:
    person = nw.combine.per_person(whole(), rows=3)
    assert person.claim == nw.accounting.Guarantee("7")
    made = nw.certify(person)
    assert nw.check(made)
    validator.validate(json.loads(made.to_json()))
    path = made.save(tmp_path / "m.json")
    assert nw.load(path) == person
    assert nw.verify(person, epsilon=7)
    document = json.loads(made.to_json())
    columns = document["mechanism"]["parent"]["mechanism"]["columns"]
    columns[1]["claims"]["epsilon"] = {"value": "33/100"}
    assert parts(checker.check(sealed(document))) == {"epsilon"}


def test_the_file_is_checked_without_this_package(archive: Path, tmp_path: Path) -> None:
    path = nw.certify(whole()).save(tmp_path / "m.json")
    run = [sys.executable, "-I", "-S", str(archive), str(path)]
    alone = subprocess.run(run, capture_output=True, text=True, check=False)
    assert alone.returncode == 0, alone.stdout + alone.stderr
    assert '"load": Two curves differ by at most' in alone.stdout
