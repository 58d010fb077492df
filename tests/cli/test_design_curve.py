"""`noisewright design curve`, as a user types it."""

from pathlib import Path

import pytest

import noisewright as nw
from tests.cli.conftest import Program


def test_it_says_what_the_noise_will_cost(noisewright: Program) -> None:
    said = noisewright(
        "design", "curve", "48", "--low", "500", "--high", "3500", "--epsilon", "1",
        "--basis", "fourier", "--rows", "3556",
    )  # fmt: skip
    assert said.code == 0
    assert "Exact Laplace noise in 9 numbers (fourier, 9 coefficients), epsilon=1." in said.out
    assert "proven, and some two curves reach it" in said.out
    assert "In the mean of 3,556 curves the noise has a deviation of" in said.out


def test_json_has_the_numbers_of_the_library(noisewright: Program, tmp_path: Path) -> None:
    said = noisewright(
        "design", "curve", "0,1,2.5,4", "--low", "0", "--high", "1", "--alpha", "1/2",
        "--delta", "1e-6", "--basis", "matern", "--length", "2", "--json", "--chart", "c.png",
    )  # fmt: skip
    assert said.code == 0
    space = nw.Curves([0, 1, 2.5, 4], low=0, high=1)
    wanted = nw.gaussian_process(space, alpha="1/2", delta="1e-6", kernel="matern", length=2)
    assert said.json["expected_error"] == pytest.approx(wanted.expected_error())
    assert said.json["sensitivity"] == pytest.approx(float(wanted.sensitivity))
    assert said.json["positions"] == [0, 1, 2.5, 4]
    assert said.json["bound"] == pytest.approx(float(wanted.bound or 0))
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")


def test_people_are_told_of_bounds_and_charts(noisewright: Program) -> None:
    said = noisewright(
        "design", "curve", "6", "--low", "0", "--high", "1", "--epsilon", "1", "--delta", "0.01",
        "--bound", "0.25", "--chart", "c.svg",
    )  # fmt: skip
    assert "longer than 0.25 are scaled down to it" in said.out
    assert "normal noise" in said.out
    assert "The chart is in c.svg" in said.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("4", "--low", "0", "--high", "1"), "epsilon= or alpha="),
        (("4", "--low", "0", "--high", "1", "--epsilon", "-1"), "at least 0"),
        (("4", "--low", "1", "--high", "0", "--epsilon", "1"), "below high"),
        (("3,2", "--low", "0", "--high", "1", "--epsilon", "1"), "positions must rise"),
        (("2000000", "--low", "0", "--high", "1", "--epsilon", "1"), "too many"),
        (("4", "--low", "0", "--high", "1", "--epsilon", "1", "--basis", "x"), "'bspline'"),
        (("4", "--low", "0", "--high", "1", "--epsilon", "1", "--length", "1"), "for a kernel"),
        (("4", "--low", "0", "--high", "1", "--epsilon", "1", "--rows", "0"), "at least one"),
        (("4", "--low", "0", "--high", "1", "--epsilon", "1", "--chart", "c.bmp"), ".png"),
    ],
)
def test_what_cannot_be_planned_is_said(
    arguments: tuple[str, ...], words: str, noisewright: Program, tmp_path: Path
) -> None:
    said = noisewright("design", "curve", *arguments, "--json")
    assert said.code == 2
    assert words in said.json["error"]
    assert list(tmp_path.iterdir()) == []
