"""The quick version of the metric paper's page: numbers, verdicts, pictures, data, verb."""

import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from noisewright.errors import InputError
from papers import data_files
from papers.claims import Claim, Setting, Verdict
from papers.metric import accuracy
from papers.metric.queries import laplace_delta, repeated_delta
from papers.metric.run import PAPER
from tests.cli.conftest import Program, noisewright, shell
from tests.papers.reading import assert_pages_hold_everything, assert_verdicts

__all__ = ["noisewright", "shell"]

MORE = {"theorem-5", "theorem-6"}
DATA = ("top-articles", "temperature-curves")
CORRECTED = {"number-of-sets", "example-5", "lemma-4", "theorem-7"}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("metric")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made-up files in the form of the published ones."""
    folder = tmp_path_factory.mktemp("data")
    day = np.arange(1, 366)
    lines = [",".join(["place", "region", *map(str, day)])]
    for number in range(9):
        wave = -5 - number % 4 - 15 * np.cos((day - 20) / 365 * 2 * np.pi)
        region = ("North", "South", "West")[number % 3]
        lines.append(",".join([f"station {number}", region, *(f"{v:.1f}" for v in wave)]))
    path = folder / data_files.WEATHER.name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    generator = np.random.default_rng(2)
    baskets = [
        " ".join(map(str, sorted({int(i) for i in generator.geometric(0.3, size) - 1})))
        for size in generator.integers(1, 9, 400)
    ]
    path = folder / data_files.RETAIL.name
    path.write_text("\n".join(baskets) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def claims(out: Path, data: Path) -> Mapping[str, Claim]:
    return PAPER.reproduce(out, data=data, quick=True)


def test_every_result_of_the_paper_is_there(claims: Mapping[str, Claim]) -> None:
    places = " ".join(claim.place for claim in claims.values())
    wanted = [f"Theorem {k}" for k in range(1, 8)] + [f"Example {k}" for k in range(1, 8)]
    wanted += ["Definitions 1 and 2", "Lemmas 1 and 2", "Lemma 3", "Lemma 4", "Corollary 1"]
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
    assert hub["anywhere"] == pytest.approx(0.5, abs=1e-9)
    sets = claims["three-items"].numbers
    assert sets["whole_sets"] == pytest.approx(1.2348, abs=5e-5)
    assert sets["item_by_item"] == pytest.approx(1.2523, abs=5e-5)
    assert sets["optimum"] == pytest.approx(1.153412, abs=5e-7)


def test_theorem_7_listens_to_its_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def verdict() -> Verdict:
        return accuracy.theorem_7(Setting(tmp_path, quick=True)).verdict

    with monkeypatch.context() as patch:
        patch.setattr(accuracy, "least_with_hub", lambda m, epsilon, delta=0.0: 0.3)
        assert verdict() is Verdict.FAILS
    with monkeypatch.context() as patch:
        patch.setattr(accuracy, "separated_bound", lambda *_: 0.1)
        assert verdict() is Verdict.HOLDS


def test_the_pages_hold_everything(out: Path, claims: Mapping[str, Claim]) -> None:
    assert_pages_hold_everything(out, claims)


def test_delta_of_answers_by_hand() -> None:
    # Two answers of a bit that flips with 1/4, at ε = 0: right twice 9/16 − 1/16.
    assert repeated_delta(Fraction(1, 4), 0.0, 2) == pytest.approx(0.5)
    assert laplace_delta(1.0, 1.0, 1.0) == 0


def test_functions_and_curves(claims: Mapping[str, Claim]) -> None:
    seen = claims["example-4"].numbers
    assert 0 <= seen["limit"] - seen["finest"] < 1e-3
    # The made-up curves are one wave, which three Fourier coefficients hold.
    assert claims["temperature-curves"].numbers["bent"] < 0.2


def test_baskets(claims: Mapping[str, Claim]) -> None:
    # 16,471 intervals, nearly all of them of articles that nobody has.
    assert 0.93 <= claims["top-articles"].numbers["coverage"] <= 0.97


def test_without_the_data_it_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_files, "BESIDE", tmp_path / "nowhere")
    for claim in PAPER.reproduce(tmp_path, quick=True, only=DATA).values():
        assert claim.verdict is Verdict.NOT_RUN
        assert "--data" in claim.finds


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / data_files.WEATHER.name
    path.write_text("place,region,1\nhere,there,3.5\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 2 must have 365 temperatures"):
        PAPER.reproduce(tmp_path / "out", data=path, quick=True)
    for line, why in (("3 x", "line 1 must be item numbers"), ("16471", "16,471 or more")):
        baskets = tmp_path / data_files.RETAIL.name
        baskets.write_text(line + "\n", encoding="utf-8")
        with pytest.raises(InputError, match=why):
            PAPER.reproduce(tmp_path / "out", data=baskets, quick=True)
    with pytest.raises(InputError, match="has neither name"):
        PAPER.reproduce(tmp_path / "out", data=tmp_path / "other.csv", quick=True)
    assert not (tmp_path / "out").exists()


def test_the_verb(noisewright: Program, tmp_path: Path) -> None:
    said = noisewright("reproduce", "metric", "--quick", "--only", "theorem-7", "--out", "page")
    assert said.code == 0, said
    assert "holds with a correction" in said.out
    assert (tmp_path / "page" / "claims.html").exists()
