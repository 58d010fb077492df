"""The quick version of the metric paper's page: numbers, verdicts, pictures, the verb."""

import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest

from papers.claims import Claim
from papers.metric.queries import laplace_delta, repeated_delta
from papers.metric.run import PAPER
from tests.cli.conftest import Program, noisewright, shell
from tests.papers.reading import assert_pages_hold_everything, assert_verdicts

__all__ = ["noisewright", "shell"]

MORE = {"theorem-6"}
CORRECTED = {"number-of-sets", "example-5", "lemma-4", "theorem-7"}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("metric")


@pytest.fixture(scope="module")
def claims(out: Path) -> Mapping[str, Claim]:
    return PAPER.reproduce(out, quick=True)


def test_every_result_of_the_paper_is_there(claims: Mapping[str, Claim]) -> None:
    places = " ".join(claim.place for claim in claims.values())
    wanted = [f"Theorem {k}" for k in range(1, 8)] + [f"Example {k}" for k in range(1, 8)]
    wanted += ["Definitions 1 and 2", "Lemmas 1 and 2", "Lemma 3", "Lemma 4", "Corollary 1"]
    wanted.remove("Example 4")
    assert [place for place in (*wanted, "Proposition 1") if place not in places] == []


def test_verdicts(claims: Mapping[str, Claim]) -> None:
    assert_verdicts(claims, more=MORE, corrected=CORRECTED)


def test_the_repeated_query(claims: Mapping[str, Claim]) -> None:
    numbers = claims["repeated-query"].numbers
    assert numbers["threshold"] == pytest.approx(0.285012, abs=5e-7)
    assert numbers["right_side"] == pytest.approx(0.490399, abs=5e-7)
    assert numbers["twice"] == pytest.approx(0.41940, abs=5e-6)


def test_the_scale_of_laplace_noise(claims: Mapping[str, Claim]) -> None:
    numbers = claims["example-5"].numbers
    assert numbers["printed_gives"] == pytest.approx(1 - math.sqrt(0.9), abs=1e-12)
    assert laplace_delta(1.0, numbers["exact_scale"], 1.0) == pytest.approx(0.1, abs=1e-12)


def test_bounds_on_the_error(claims: Mapping[str, Claim]) -> None:
    assert claims["theorem-6"].numbers["closest"] >= 2 - 1e-9
    hub = claims["theorem-7"].numbers
    assert hub["hub"] < hub["bound"] == pytest.approx(0.5246, abs=5e-5)
    sets = claims["three-items"].numbers
    assert sets["whole_sets"] == pytest.approx(1.2348, abs=5e-5)
    assert sets["item_by_item"] == pytest.approx(1.2523, abs=5e-5)
    assert sets["optimum"] == pytest.approx(1.153412, abs=5e-7)


def test_the_pages_hold_everything(out: Path, claims: Mapping[str, Claim]) -> None:
    assert_pages_hold_everything(out, claims)


def test_delta_of_answers_by_hand() -> None:
    # Two answers of a bit that flips with 1/4, at ε = 0: right twice 9/16 − 1/16.
    assert repeated_delta(Fraction(1, 4), 0.0, 2) == pytest.approx(0.5)
    assert laplace_delta(1.0, 1.0, 1.0) == 0


def test_the_verb(noisewright: Program, tmp_path: Path) -> None:
    said = noisewright("reproduce", "metric", "--quick", "--only", "theorem-7", "--out", "page")
    assert said.code == 0, said
    assert "holds with a correction" in said.out
    assert (tmp_path / "page" / "claims.html").exists()
