"""The quick version of the categorical paper's page: numbers, verdicts, pictures, data, verb."""

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from noisewright.errors import InputError
from papers import data_files
from papers.categorical.adult import EDUCATION, INCOME
from papers.categorical.run import PAPER
from papers.claims import Claim, Verdict
from tests.cli.conftest import Program, noisewright, shell
from tests.papers.reading import assert_pages_hold_everything, assert_verdicts

__all__ = ["noisewright", "shell"]

CORRECTED = {"example-2", "proposition-1", "theorem-5", "proof-of-theorem-10"}
MORE = {"theorem-3", "corollary-1", "theorem-6", "theorem-10"}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("categorical")


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A made-up file in the form of adult.data; nobody in it exists."""
    generator = np.random.default_rng(1)
    rows: list[str] = []
    for school, rich in zip(generator.integers(0, 16, 4000), generator.random(4000), strict=True):
        cells = ["x"] * 15
        cells[3], cells[14] = EDUCATION[school], INCOME[int(rich < 0.02 * school)]
        rows.append(", ".join(cells))
    path = tmp_path_factory.mktemp("data") / "adult.data"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def claims(out: Path, people: Path) -> Mapping[str, Claim]:
    return PAPER.reproduce(out, data=people, quick=True)


def test_every_result_of_the_paper_is_there(claims: Mapping[str, Claim]) -> None:
    places = " ".join(claim.place for claim in claims.values())
    wanted = [f"Definition {k}" for k in range(1, 7)] + [f"Theorem {k}" for k in range(1, 11)]
    wanted += [f"Corollary {k}" for k in range(1, 4)] + [f"Example {k}" for k in range(1, 4)]
    assert [place for place in (*wanted, "Proposition 1") if place not in places] == []


def test_verdicts(claims: Mapping[str, Claim]) -> None:
    # On few made-up copies the share of intervals that cover is not settled; see below.
    settled = {name: c for name, c in claims.items() if name != "education-and-income"}
    assert_verdicts(settled, more=MORE, corrected=CORRECTED)


def test_example_2_in_numbers(claims: Mapping[str, Claim]) -> None:
    assert claims["example-2"].numbers == {"checks": 924, "in_doubles": 1092}


def test_corollary_1_is_judged_at_the_delta_it_names(claims: Mapping[str, Claim]) -> None:
    assert "δ = 0" in claims["corollary-1"].says
    numbers = claims["corollary-1"].numbers
    assert numbers["largest_cell"] == pytest.approx(0.50713, abs=5e-6)
    assert numbers["delta"] == pytest.approx(0.6225, abs=5e-5)


def test_optimal_errors(claims: Mapping[str, Claim]) -> None:
    numbers = claims["factor-of-two"].numbers
    assert numbers["changed"] == pytest.approx(4 / (math.exp(2) + 4), abs=1e-12)
    assert numbers["changed_by_general_rule"] == pytest.approx(4 / (math.e + 4), abs=1e-12)
    assert claims["theorem-10"].numbers["all_mechanisms_difference"] < 1e-9


def test_education_and_income(claims: Mapping[str, Claim]) -> None:
    numbers = claims["education-and-income"].numbers
    assert numbers["epsilon"] == pytest.approx(4, abs=1e-9)
    # 320 intervals of 95% and a fixed seed; fewer than 80% would be a broken interval.
    assert numbers["coverage"] > 0.8


def test_the_pages_hold_everything(out: Path, claims: Mapping[str, Claim]) -> None:
    assert_pages_hold_everything(out, claims)


def test_the_verb(noisewright: Program, tmp_path: Path) -> None:
    said = noisewright(
        "reproduce", "categorical", "--quick", "--only", "example-3", "--out", "page"
    )
    assert said.code == 0, said
    assert "holds" in said.out
    assert (tmp_path / "page" / "claims.html").exists()


@pytest.mark.parametrize("content", ["", "1, 2, 3\n"])
def test_a_file_that_is_not_adult_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "adult.data"
    path.write_text(content, encoding="utf-8")
    for given in (path, tmp_path):
        with pytest.raises(InputError, match=r"is not adult\.data"):
            PAPER.reproduce(tmp_path / "out", data=given, quick=True)
    with pytest.raises(InputError, match=r"has no adult\.data"):
        PAPER.reproduce(tmp_path / "out", data=_empty(tmp_path), quick=True)
    assert not (tmp_path / "out").exists()


def _empty(folder: Path) -> Path:
    (folder / "empty").mkdir()
    return folder / "empty"


def test_without_the_data_it_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_files, "BESIDE", tmp_path / "nowhere")
    claim = PAPER.reproduce(tmp_path, quick=True, only=["adult"])["education-and-income"]
    assert claim.verdict is Verdict.NOT_RUN
    assert "adult.data" in claim.finds
    assert "--data" in claim.finds
