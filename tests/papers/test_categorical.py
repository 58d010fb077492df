"""The quick version of the categorical paper's page: numbers, verdicts, pictures, the verb."""

import math
from collections.abc import Mapping
from pathlib import Path

import pytest

from papers.categorical.run import PAPER
from papers.claims import Claim
from tests.cli.conftest import Program, noisewright, shell
from tests.papers.reading import assert_pages_hold_everything, assert_verdicts

__all__ = ["noisewright", "shell"]

CORRECTED = {"example-2", "proposition-1", "theorem-5", "proof-of-theorem-10"}
MORE = {"theorem-3", "corollary-1", "theorem-10"}
FAIL = {"corollary-1-with-delta"}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("categorical")


@pytest.fixture(scope="module")
def claims(out: Path) -> Mapping[str, Claim]:
    return PAPER.reproduce(out, quick=True)


def test_every_result_of_the_paper_is_there(claims: Mapping[str, Claim]) -> None:
    places = " ".join(claim.place for claim in claims.values())
    wanted = [f"Definition {k}" for k in range(1, 7)] + [f"Theorem {k}" for k in range(1, 11)]
    wanted += [f"Corollary {k}" for k in range(1, 4)] + [f"Example {k}" for k in range(1, 4)]
    assert [place for place in (*wanted, "Proposition 1") if place not in places] == []


def test_verdicts(claims: Mapping[str, Claim]) -> None:
    assert_verdicts(claims, more=MORE, corrected=CORRECTED, fail=FAIL)


def test_example_2_in_numbers(claims: Mapping[str, Claim]) -> None:
    assert claims["example-2"].numbers == {"checks": 924, "in_doubles": 1092}


def test_corollary_1_with_a_delta_in_numbers(claims: Mapping[str, Claim]) -> None:
    numbers = claims["corollary-1-with-delta"].numbers
    assert numbers["largest_cell"] == pytest.approx(0.50713, abs=5e-6)
    assert numbers["delta"] == pytest.approx(0.6225, abs=5e-5)


def test_optimal_errors(claims: Mapping[str, Claim]) -> None:
    numbers = claims["factor-of-two"].numbers
    assert numbers["changed"] == pytest.approx(4 / (math.exp(2) + 4), abs=1e-12)
    assert numbers["changed_by_general_rule"] == pytest.approx(4 / (math.e + 4), abs=1e-12)
    assert claims["theorem-10"].numbers["all_mechanisms_difference"] < 1e-9


def test_the_pages_hold_everything(out: Path, claims: Mapping[str, Claim]) -> None:
    assert_pages_hold_everything(out, claims)


def test_the_verb(noisewright: Program, tmp_path: Path) -> None:
    said = noisewright(
        "reproduce", "categorical", "--quick", "--only", "example-3", "--out", "page"
    )
    assert said.code == 0, said
    assert "holds" in said.out
    assert (tmp_path / "page" / "claims.html").exists()
