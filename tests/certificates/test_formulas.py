"""Noise and sets by formula: the checker decides them as sums and tables do."""

import itertools
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.errors import ParameterError
from tests.certificates.handmade import SCHEMA, certificate, load_checker, parts, sealed
from tests.certificates.test_checker import power_of

checker = load_checker()
validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))


def noise(steps: int, decay: str, *, clamped: bool = False) -> Any:
    grid = {"kind": "grid", "low": "-1", "high": str(steps - 1), "step": "1"}
    lattice = {"kind": "lattice", "origin": "-1", "step": "1"}
    outputs = grid if clamped else lattice
    return {"form": "noise", "inputs": grid, "outputs": outputs, "decay": {"value": decay}}


def least_delta(steps: int, decay: Fraction, epsilon: Fraction) -> Fraction:
    """Sum max(0, p − e^ε q) over the lattice; far out the ratio is constant."""
    alpha, power = 1 / power_of(decay), power_of(epsilon)
    inside = sum(
        max(Fraction(0), alpha**y - power * alpha ** (steps - y)) for y in range(1, steps + 1)
    )
    # Outputs below 0: all have the ratio of output 0, and the mass 1 + α + α² + … in all.
    below = max(Fraction(0), 1 - power * alpha**steps) / (1 - alpha)
    return (inside + below) * (1 - alpha) / (1 + alpha)


@settings(max_examples=100, deadline=None)
@given(
    steps=st.integers(1, 12),
    decay=st.fractions(Fraction(1, 50), 2, max_denominator=50),
    epsilon=st.fractions(0, 3, max_denominator=20),
    relation=st.sampled_from(["replace", "adjacent"]),
    clamped=st.booleans(),
)
def test_noise_is_decided_as_its_sum_is(
    steps: int, decay: Fraction, epsilon: Fraction, relation: str, clamped: bool
) -> None:
    given_form = noise(steps, str(decay), clamped=clamped)
    reach = 1 if relation == "adjacent" else steps
    truth = least_delta(reach, decay, epsilon)
    slack = Fraction(1, 10**40)
    for delta in (truth + slack, truth - slack, Fraction(0)):
        if not 0 <= delta <= 1 or 0 < abs(delta - truth) < slack / 10:
            continue
        document = certificate(given_form, relation, epsilon, str(delta))
        report = checker.check(document)
        assert report.holds == (truth <= delta or epsilon >= decay * reach), report.failures
        validator.validate(document)


@settings(max_examples=60, deadline=None)
@given(
    items=st.integers(1, 4),
    largest=st.integers(1, 4),
    coins=st.lists(st.integers(1, 62), min_size=2, max_size=2, unique=True),
)
def test_sets_are_decided_as_their_table_is(items: int, largest: int, coins: list[int]) -> None:
    q, p = sorted(coins)
    largest = min(largest, items)
    form = {
        "form": "items",
        "items": [f"item {i}" for i in range(items)],
        "largest": largest,
        "log2_total": 6,
        "present": f"{p:x}",
        "absent": f"{q:x}",
    }
    every = list(itertools.product((0, 1), repeat=items))
    sets = [s for s in every if sum(s) <= largest]

    def chance(output: tuple[int, ...], given_set: tuple[int, ...]) -> Fraction:
        product = Fraction(1)
        for o, x in zip(output, given_set, strict=True):
            coin = Fraction(p if x else q, 64)
            product *= coin if o else 1 - coin
        return product

    ratio = max(chance(y, a) / chance(y, b) for a in sets for b in sets for y in every)
    exact = certificate(form, "replace", {"ln": str(ratio)}, "0")
    assert checker.check(exact)
    validator.validate(exact)
    less = ratio * (1 - Fraction(1, 10**30))
    if less > 1:
        assert parts(checker.check(certificate(form, "replace", {"ln": str(less)}, "0"))) == {
            "epsilon"
        }


@settings(max_examples=60, deadline=None)
@given(
    pairs=st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=1, max_size=6),
    decay=st.fractions(Fraction(1, 50), 2, max_denominator=50),
)
def test_of_listed_neighbors_the_farthest_decide(
    pairs: set[tuple[int, int]], decay: Fraction
) -> None:
    listed = sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]})
    if not listed:
        return
    relation = {"relation": "pairs", "pairs": [list(pair) for pair in listed]}
    farthest = max(b - a for a, b in listed)
    form = noise(8, str(decay))
    enough, less = farthest * decay, farthest * decay - Fraction(1, 10**30)
    assert checker.check(certificate(form, relation, enough, "0"))
    assert parts(checker.check(certificate(form, relation, less, "0"))) == {"epsilon"}
    needed = least_delta(farthest, decay, enough / 2)
    slack = Fraction(1, 10**40)
    assert checker.check(certificate(form, relation, enough / 2, str(needed + slack)))
    assert not checker.check(certificate(form, relation, enough / 2, str(needed - slack)))


def stair_masses(parameter: Fraction, width: int, upper: int, reach: int) -> list[Fraction]:
    """Return e^(-parameter L) of the distances up to `reach`, as rationals near enough."""
    drop = 1 / power_of(parameter)
    return [drop ** ((m + width - upper) // width) for m in range(reach + 1)]


@settings(max_examples=60, deadline=None)
@given(
    steps=st.integers(1, 9),
    width=st.integers(1, 9),
    upper=st.integers(1, 9),
    parameter=st.fractions(Fraction(1, 20), 3, max_denominator=20),
    relation=st.sampled_from(["replace", "adjacent"]),
)
def test_a_staircase_is_decided_as_its_ratios_are(
    steps: int, width: int, upper: int, parameter: Fraction, relation: str
) -> None:
    width = min(width, steps)
    upper = min(upper, width)
    grid = {"kind": "grid", "low": "0", "high": str(steps), "step": "1"}
    form = {
        "form": "staircase",
        "inputs": grid,
        "outputs": {"kind": "lattice", "origin": "0", "step": "1"},
        "parameter": {"value": str(parameter)},
        "width": width,
        "upper": upper,
    }
    apart = 1 if relation == "adjacent" else steps
    masses = stair_masses(parameter, width, upper, 4 * (steps + width))
    outputs = range(-2 * (steps + width), 2 * (steps + width))
    ratio = max(
        masses[abs(y)] / masses[abs(y - t)] for y in outputs for t in range(-apart, apart + 1)
    )
    stairs = -(-apart // width)
    assert ratio == power_of(parameter) ** stairs
    enough = certificate(form, relation, stairs * parameter)
    assert checker.check(enough)
    validator.validate(enough)
    less = certificate(form, relation, stairs * parameter - Fraction(1, 10**30))
    assert parts(checker.check(less)) == {"epsilon"}


def test_a_staircase_does_not_trade_epsilon_for_delta_in_certificates() -> None:
    with pytest.raises(ParameterError, match="no smaller epsilon than its own"):
        nw.certify(MECHANISMS["staircase"], epsilon=1, delta="9/10")
    assert nw.check(nw.certify(MECHANISMS["staircase"], epsilon=3, delta="1/10"))


MECHANISMS = {
    "laplace": nw.laplace(nw.Interval(0, 100, step="1/2"), epsilon=1),
    "laplace, delta": nw.laplace(nw.Interval(0, 100, step="1/2"), epsilon=1, delta="1e-6"),
    "laplace, truncated": nw.laplace(
        nw.Interval(-3, 3, step="1/1000000"), epsilon="0.3", delta="0.01", form="truncated"
    ),
    "laplace, adjacent": nw.laplace(
        nw.Interval(0, 10, step=1, neighbors="adjacent"), alpha="1/2", delta="0.1"
    ),
    "staircase": nw.staircase(nw.Interval(0, 100, step="1/2"), epsilon=3),
    "staircase, truncated": nw.staircase(
        nw.Interval(-3, 3, step="1/1000000"), alpha="1/20", form="truncated"
    ),
    "staircase, adjacent": nw.staircase(
        nw.Interval(0, 30, step=1, neighbors="adjacent"), epsilon=2
    ),
    "sets": nw.per_item(nw.Subsets([f"{i}" for i in range(800)], largest=4), epsilon=2),
    "flips": nw.design(nw.Subsets(list(range(40))), epsilon=1, loss="distance").mechanism,
    "columns": nw.combine.product(
        age=nw.laplace(nw.Interval(0, 120, step=1), epsilon=1),
        job=nw.randomized_response(nw.Categories(["a", "b"]), epsilon=1),
        height=nw.staircase(nw.Interval(0, 2, step="1/100"), epsilon=1, form="truncated"),
        weight=nw.staircase(nw.Interval(0, 9, step="1/10"), epsilon=1),
    ),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_is_saved_is_proven_and_comes_back(name: str, tmp_path: Path) -> None:
    mechanism = MECHANISMS[name]
    path = nw.certify(mechanism).save(tmp_path / "m.json")
    assert nw.check(path).holds
    validator.validate(json.loads(path.read_text("utf-8")))
    again = nw.load(path)
    assert again == mechanism
    assert again.claim == mechanism.claim


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_smaller_epsilon_is_refuted(name: str) -> None:
    document = json.loads(nw.certify(MECHANISMS[name]).to_json())
    document["claims"]["epsilon"] = {"value": "1/100"}
    report = checker.check(sealed(document))
    assert not report.holds
    assert {part.split(": ")[-1] for part in parts(report)} <= {"epsilon", "delta"}


FORGERIES: list[tuple[str, str, Any]] = [
    ("laplace", "decay", {"value": "0"}),
    ("laplace", "decay", {"value": "-1"}),
    ("laplace", "decay", {"ln": "infinity"}),
    ("laplace", "decay", {"value": str(10**30)}),
    ("laplace", "decay", "1"),
    ("laplace", "outputs", {"kind": "lattice", "origin": "1", "step": "1/2"}),
    ("laplace", "outputs", {"kind": "lattice", "origin": "0", "step": "1"}),
    ("laplace", "outputs", {"kind": "counts", "n": 5}),
    ("laplace", "inputs", {"kind": "counts", "n": 5}),
    ("laplace", "inputs", {"kind": "grid", "low": "0", "high": "0", "step": "1/2"}),
    ("staircase", "parameter", {"value": "0"}),
    ("staircase", "parameter", {"ln": "infinity"}),
    ("staircase", "parameter", {"value": "31/10"}),
    ("staircase", "width", 199),
    ("staircase", "width", 0),
    ("staircase", "width", 201),
    ("staircase", "upper", 0),
    ("staircase", "upper", 201),
    ("staircase", "outputs", {"kind": "lattice", "origin": "1", "step": "1/2"}),
    ("sets", "items", []),
    ("sets", "items", ["a", "a"]),
    ("sets", "largest", 0),
    ("sets", "largest", 801),
    ("sets", "largest", 5),
    ("sets", "present", "1"),
    ("sets", "absent", "0"),
    ("sets", "log2_total", 2**40),
    ("flips", "levels", []),
    ("flips", "levels", ["1"] * 41),
    ("flips", "levels", "1" * 41),
    ("flips", "items", ["a"]),
    ("flips", "log2_total", 2**40),
    ("sets", "form", "shelves"),
    ("sets", "form", None),
]


@pytest.mark.parametrize(("name", "field", "what"), FORGERIES)
def test_a_forged_formula_is_refused(name: str, field: str, what: Any) -> None:
    document = json.loads(nw.certify(MECHANISMS[name]).to_json())
    document["mechanism"][field] = what
    report = checker.check(sealed(document))
    assert not report.holds
    assert parts(report) <= {"mechanism", "epsilon", "format", "row sums"}
