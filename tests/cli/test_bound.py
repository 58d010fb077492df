"""`noisewright bound`, as a user types it."""

import pytest

from tests.cli.conftest import Program


@pytest.mark.parametrize(
    ("arguments", "bound", "best"),
    [
        (("categories", "a,b,c,d,e", "--delta", "0.1"), 0.5358512923274793, None),
        (("subsets", "a,b,c"), 1.1534121320549926, "optimum"),
        (("subsets", "a,b,c", "--anywhere"), 3 * 0.2689414213699951, "two points"),
        (("interval", "0", "1", "--step", "0.25", "--delta", "0.2"), 0.25094874718268284, None),
        (("interval", "0", "1", "--step", "0.001"), 0.2689414213699951, "two points"),
        (
            ("interval", "0", "9", "--step", "0.5", "--sensitivity", "2", "--anywhere"),
            # A linear program over outputs in steps of 0.25 has the same optimum.
            1.3695088959678936,
            "optimum",
        ),
        (("counts", "1"), 0.2689414213699951, None),
    ],
)
def test_every_kind_of_input(
    arguments: tuple[str, ...], bound: float, best: str | None, noisewright: Program
) -> None:
    said = noisewright("bound", *arguments, "--epsilon", "1", "--json")
    assert said.code == 0
    assert said.json["bound"] == pytest.approx(bound, rel=1e-9)
    assert said.json["bound"] <= bound * (1 + 1e-12)
    assert best is None or said.json["best"] == best
    assert said.json["bound"] == max(one["value"] for one in said.json["bounds"])


def test_in_words(noisewright: Program) -> None:
    said = noisewright("bound", "interval", "0", "1", "--step", "0.001", "--epsilon", "1")
    assert said.code == 0
    assert "expected distance is at least 0.268941421" in said.out
    assert "Theorem 6" in said.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("counts", "4"), "epsilon= or alpha="),
        (("interval", "1", "0", "--epsilon", "1"), "low must be below high"),
        (("interval", "0", "1", "--epsilon", "1", "--sensitivity", "0"), "must be positive"),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], words: str, noisewright: Program) -> None:
    said = noisewright("bound", *arguments)
    assert said.code == 2
    assert words in said.err
