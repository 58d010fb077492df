"""Long lines of counts, where only the ends need a program, against the program of everything."""

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.designs.proofs.proof import Proof, entries
from tests.designs import definitions

ENDS = "for each end of the line"


def total_of_duals(proof: Proof, ratio: Fraction) -> Fraction:
    """The bound of a proof once more, in fractions, with e^ε known exactly."""
    problem, size = proof.problem, proof.problem.space.size
    charged = [
        [weight * cost for cost in row]
        for weight, row in zip(proof.weights, problem.loss.costs, strict=True)
    ]
    unit = Fraction(1, 1 << proof.duals.scale)
    free = Fraction(0)
    for (x, z), line in proof.duals.privacy.items():
        assert abs(x - z) == 1
        for y, dual in enumerate(line):
            assert dual >= 0
            charged[x][y] += dual * unit
            charged[z][y] -= ratio * dual * unit
    for (code, a, b), dual in proof.duals.properties.items():
        assert dual >= 0
        assert code in problem.properties
        (x, y), (z, w) = entries(code, a, b, size - 1)
        charged[x][y] -= dual * unit
        if code == "WH":
            free += dual * unit / size
        else:
            charged[z][w] += dual * unit
    return sum((min(row) for row in charged), free)


CASES = [
    *(
        (codes, loss)
        for codes in ("WH,RM,CM", "CH", "RM,CH")
        for loss in ("L0", "L1", "L2", "L0,1")
    ),
    ("RH,S", "L1"),
    ("RM,WH", "L2"),
]


@pytest.mark.parametrize(("codes", "loss"), CASES)
@pytest.mark.parametrize(("n", "alpha"), [(24, "0.6"), (25, "0.55"), (26, "0.65")])
def test_the_whole_program_finds_nothing_better(n: int, alpha: str, codes: str, loss: str) -> None:
    found = nw.design(nw.Counts(n), alpha=alpha, loss=loss, properties=codes)
    assert ENDS in found.route
    optimum = definitions.optimum(
        found.problem.loss.costs,
        definitions.path(n + 1),
        ratio=1 / float(alpha),
        properties=found.problem.properties,
    )
    assert found.loss == pytest.approx(optimum, rel=1e-9)
    assert found.gap <= 1e-20
    assert all(definitions.has(code, found.mechanism) for code in found.properties)
    assert nw.verify(found.mechanism, epsilon=-math.log(float(alpha)) * (1 + 1e-15)).holds


@pytest.mark.parametrize(
    ("n", "alpha", "codes", "loss"),
    [
        (31, "0.8", "WH,RM,CM", "L0"),
        (40, "0.9", "CH", "L0"),
        (40, "0.8", "CH,RH", "L1"),
        (50, "0.7", "CM", "L2"),
    ],
)
def test_the_dual_values_add_up_to_the_bound(n: int, alpha: str, codes: str, loss: str) -> None:
    found = nw.design(nw.Counts(n), alpha=alpha, loss=loss, properties=codes)
    assert ENDS in found.route
    assert found.proof is not None
    assert found.proof.bound == found.exact_bound
    by_hand = total_of_duals(found.proof, 1 / Fraction(alpha))
    assert found.exact_bound <= by_hand <= found.exact_loss
    assert by_hand - found.exact_bound < Fraction(1, 10**30)


@pytest.mark.parametrize(("n", "alpha"), [(9, "0.95"), (10, "0.95"), (30, "0.6")])
@pytest.mark.parametrize("codes", ["WH,CH", "CM"])
def test_the_checker_proves_it_again(n: int, alpha: str, codes: str, tmp_path: Path) -> None:
    found = nw.design(nw.Counts(n), alpha=alpha, properties=codes)
    assert ENDS in found.route or "diagonal" in found.route
    nw.certify(found).save(tmp_path / "m.json")
    report = nw.check(tmp_path / "m.json")
    assert report, report.failures
    assert any("has one below" in sentence for sentence in report.proved)


def test_ties_are_broken_as_in_the_whole_program() -> None:
    n, alpha, little = 30, 0.7, 1e-4
    mixed = [[(i != j) + little * abs(i - j) for i in range(n + 1)] for j in range(n + 1)]
    optimum = definitions.optimum(
        mixed, definitions.path(n + 1), ratio=1 / alpha, properties={"RM", "CM"}
    )
    found = nw.design(nw.Counts(n), alpha="0.7", properties="RM,CM")
    assert ENDS in found.route
    assert nw.loss(found.mechanism, mixed) == pytest.approx(optimum, abs=1e-9)
    untied = nw.design(nw.Counts(n), alpha="0.7", properties="RM,CM", tie_break=None)
    assert nw.loss(untied.mechanism, "L1") >= nw.loss(found.mechanism, "L1")
    assert untied.loss == pytest.approx(found.loss, rel=1e-15)


UNEVEN = [2 / 32] + [1 / 32] * 30


@pytest.mark.parametrize(
    "keywords",
    [
        {"properties": "CM,F", "loss": "L1"},
        {"properties": "CM", "prior": UNEVEN},
        {"properties": "CM", "loss": "L1", "goal": "worst"},
        {"properties": "CM", "alpha": "0.93"},
        {
            "properties": "CM",
            "loss": [[abs(i - j) + (i > j) for i in range(31)] for j in range(31)],
        },
    ],
    ids=["fair", "prior", "worst", "short", "lopsided"],
)
def test_other_problems_are_left_to_the_whole_program(keywords: dict[str, Any]) -> None:
    found = nw.design(nw.Counts(30), tie_break=None, **{"alpha": "0.7", **keywords})
    assert found.route.startswith("linear program")
    assert ENDS not in found.route


def test_an_end_does_not_grow_with_the_line() -> None:
    sizes = {
        nw.design(nw.Counts(n), alpha="0.9", properties="WH,RM,CM").route.split(" for ")[0]
        for n in (60, 100, 200)
    }
    assert sizes == {"linear program of 256 variables"}


def test_two_hundred_counts_to_thirty_digits() -> None:
    found = nw.design(nw.Counts(200), alpha="0.9", properties="WH,RM,CM")
    assert found.gap <= 1e-25
    assert found.properties <= nw.properties(found.mechanism)
    assert nw.verify(found.mechanism, epsilon=found.problem.guarantee.epsilon).holds
    # Beyond the reach of the ends a line of any length gains the same from one count more.
    losses = {n: nw.design(nw.Counts(n), alpha="0.9", properties="CM").exact_loss for n in (60, 90)}
    right = {n: (n + 1) * (1 - loss) for n, loss in [*losses.items(), (200, found.exact_loss)]}
    assert float(right[90] - right[60]) == pytest.approx(30 / 19, rel=1e-12)
    assert float(right[200] - right[90]) == pytest.approx(110 / 19, rel=1e-12)
