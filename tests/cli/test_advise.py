"""`noisewright advise`, and what `plan` and `release` say of other tools."""

import json
from pathlib import Path

import pytest

import noisewright as nw
from tests.cli.conftest import Program

LABELS = [f"label{k}" for k in range(8)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    names = [f"c{k}" for k in range(6)]
    lines = [
        ",".join(names),
        *[",".join(LABELS[(r * k) % 8] for k in range(6)) for r in range(3000)],
    ]
    (tmp_path / "data.csv").write_text("\n".join(lines) + "\n")
    nw.Plan({name: nw.Column(LABELS) for name in names}, epsilon=4).save(tmp_path / "plan.toml")
    return tmp_path


def test_it_prints_a_table_and_a_recommendation(folder: Path, noisewright: Program) -> None:
    said = noisewright("advise", "data.csv", "--plan", "plan.toml", "--epsilon", "1")
    assert said.code == 0, said
    assert "The number of rows, 3,000, is public" in said.out
    assert "synthetic table" in said.out
    assert "Recommended: " in said.out
    assert noisewright("advise", "-p", "plan.toml", "--rows", "3000").out == said.out
    assert sorted(path.name for path in folder.iterdir()) == ["data.csv", "plan.toml"]


def test_machines_get_the_same_numbers(folder: Path, noisewright: Program) -> None:
    arguments = ("--rows", "3000", "-q", "shares:c1", "-q", "pairs:c1,c2", "--json")
    said = json.loads(noisewright("advise", "-p", "plan.toml", *arguments).out)
    advice = nw.advise(folder / "plan.toml", rows=3000, questions=["shares:c1", "pairs:c1,c2"])
    assert said["errors"] == advice.table.to_pylist()
    assert said["recommended"] == advice.recommended
    assert said["guarantee"] == {
        "epsilon": 1.0,
        "delta": 1e-9,
        "exact": {"epsilon": "1", "delta": "1/1000000000"},
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--rows"),
        (("data.csv", "--rows", "9"), "leave out --rows"),
        (("data.csv", "--epsilon", "0"), "above 0"),
        (("data.csv", "-q", "shares:none"), "the declared columns are"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_wrong_arguments_are_explained(
    arguments: tuple[str, ...], message: str, noisewright: Program
) -> None:
    said = noisewright("advise", "-p", "plan.toml", *arguments)
    assert said.code == 2
    assert message in said.err


@pytest.mark.usefixtures("folder")
def test_plan_and_release_say_that_another_tool_is_far_better(noisewright: Program) -> None:
    planned = noisewright("plan", "plan.toml", "--people", "3000").out.splitlines()[-2:]
    assert planned[0].startswith("A synthetic table would be about ")
    assert planned[1] == "Compare all tools: noisewright advise --plan plan.toml --rows 3000"
    release = ("release", "data.csv", "-p", "plan.toml", "--without-ledger", "--no-report", "-o")
    assert noisewright(*release, "a.csv").out.splitlines()[-2:] == planned
    assert json.loads(noisewright(*release, "b.csv", "--json").out)["better_tool"] == planned[0]
    facts = json.loads(noisewright("plan", "plan.toml", "--people", "3000", "--json").out)
    assert facts["better_tool"] == planned[0]
