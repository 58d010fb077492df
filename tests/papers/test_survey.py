"""The quick version of the survey's page: numbers, verdicts, pictures, verb."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from papers.claims import Claim
from papers.survey.run import PAPER
from tests.cli.conftest import Program, noisewright, shell
from tests.papers.reading import assert_pages_hold_everything, assert_verdicts

__all__ = ["noisewright", "shell"]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("survey")


@pytest.fixture(scope="module")
def claims(out: Path) -> Mapping[str, Claim]:
    return PAPER.reproduce(out, quick=True)


def test_verdicts(claims: Mapping[str, Claim]) -> None:
    assert_verdicts(
        claims,
        corrected={"definition-2-4", "example-2-1"},
        more={"theorem-1", "theorem-3", "blr"},
    )


def test_every_result_is_there(claims: Mapping[str, Claim]) -> None:
    places = " ".join(claim.place for claim in claims.values())
    wanted = ["Table 1", "Definition 2.4", "Definition 2.5", "Example 2.1", "Equation (1)"]
    wanted += ["Theorem 1", "Theorem 2", "Corollary 2.1", "Theorem 3", "Section 2.5"]
    assert [place for place in wanted if place not in places] == []


def test_numbers(claims: Mapping[str, Claim]) -> None:
    assert claims["table-1"].numbers["income"] == 1
    assert claims["example-2-1"].numbers["revenue_at_1"] == 4
    assert claims["definition-2-5"].numbers["best_price"] == pytest.approx(
        0.30680288028109204, abs=1e-12
    )
    prices = claims["theorem-1"].numbers
    assert prices["realized"] == pytest.approx(0.461, abs=5e-4)
    assert prices["earned_calibrated"] > prices["earned"] + 0.2
    tiny = claims["blr"].numbers
    assert tiny["sequences"] == pytest.approx(0.4277923801771656, abs=1e-12)
    assert tiny["multisets"] == pytest.approx(0.3702668347891155, abs=1e-12)


def test_the_pages_hold_everything(out: Path, claims: Mapping[str, Claim]) -> None:
    assert_pages_hold_everything(out, claims)


def test_the_verb(noisewright: Program, tmp_path: Path) -> None:
    said = noisewright("reproduce", "survey", "--quick", "--only", "example-2-1", "--out", "page")
    assert said.code == 0, said
    assert "holds with a correction" in said.out
    assert (tmp_path / "page" / "claims.html").exists()
