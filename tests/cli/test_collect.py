"""`noisewright collect`: a specification, reports, and what a server makes of them."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Program

PLAN = ("collect", "plan", "--labels", "red,green,blue", "--epsilon", "4")


@pytest.fixture
def colors(tmp_path: Path, noisewright: Program) -> Path:
    path = tmp_path / "colors.json"
    said = noisewright(*PLAN, "--people", "10000", "-o", str(path), "--name", "colors")
    assert said.code == 0
    assert "for replacing the value of one person" in said.out
    assert "standard error of a rare value" in said.out
    return path


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text("color\n" + "red\n" * 600 + "green\n" * 300 + "blue\n" * 100)
    return path


def test_from_a_table_to_shares(
    colors: Path, people: Path, tmp_path: Path, noisewright: Program
) -> None:
    reports = tmp_path / "reports.parquet"
    asked = ("collect", "simulate", str(colors), str(people), "--column", "color")
    assert "1,000 reports" in noisewright(*asked, "-o", str(reports)).out
    again = noisewright(*asked, "-o", str(reports))
    assert again.code == 2
    assert "--overwrite" in again.err
    found = json.loads(noisewright("collect", "estimate", str(colors), str(reports), "--json").out)
    assert found["arrivals"]["counted"] == 1_000
    shares = dict(
        zip(*(found["tables"][0]["columns"][c] for c in ("category", "share")), strict=True)
    )
    # Standard errors are about 0.6 points at epsilon 4: seven of them.
    assert abs(shares["red"] - 0.6) < 0.05
    told = noisewright("collect", "estimate", str(colors), str(reports)).out
    assert "1,000 reports; epsilon=4 for each person's report" in told
    assert "red" in told
    table = tmp_path / "shares.csv"
    noisewright("collect", "estimate", str(colors), str(reports), "-o", str(table))
    assert "red" in table.read_text()


def test_a_state_goes_on_and_nothing_counts_twice(
    colors: Path, tmp_path: Path, noisewright: Program
) -> None:
    memo = tmp_path / "mine.memo"
    sent = [
        noisewright("collect", "report", str(colors), "red", "--memo", str(memo)).out.strip()
        for _ in range(3)
    ]
    payloads = {bytes.fromhex(one)[19:-4] for one in sent}
    assert len(payloads) == 1
    assert len(set(sent)) == 3
    lines = tmp_path / "reports.txt"
    lines.write_text("\n".join([*sent, sent[0], "zz", "00ff"]) + "\n")
    state = tmp_path / "state"
    asked = ("collect", "estimate", str(colors), str(lines), "--state", str(state), "--json")
    first = json.loads(noisewright(*asked).out)["arrivals"]
    assert first["counted"] == 3
    assert first["repeated"] == 1
    assert first["damaged"] == 2
    second = json.loads(noisewright(*asked).out)["arrivals"]
    assert second["counted"] == 3
    assert second["repeated"] == 5


def test_fakes_widen_intervals(
    colors: Path, people: Path, tmp_path: Path, noisewright: Program
) -> None:
    reports = tmp_path / "reports.parquet"
    noisewright(
        *("collect", "simulate", str(colors), str(people), "--column", "color", "-o", str(reports))
    )
    asked = ("collect", "estimate", str(colors), str(reports), "--json")
    plain = json.loads(noisewright(*asked).out)["tables"][0]["columns"]
    wide = json.loads(noisewright(*asked, "--fakes", "0.05").out)["tables"][0]["columns"]
    # If all 50 fakes said red, 550 of 950 honest people did; if none did, 600 of 950.
    assert wide["low"][0] < plain["low"][0] - 0.015
    assert wide["high"][0] > plain["high"][0] + 0.015


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--epsilon", "1"), "give the possible values"),
        (("--labels", "a,b"), "give --epsilon"),
        (("--labels", "a,b", "--epsilon", "0"), "epsilon"),
        (("--labels", "a,b", "--epsilon", "x"), "write a number"),
        (("--labels", "a", "--epsilon", "1"), "2 to"),
        (("--low", "1", "--epsilon", "1"), "both --low and --high"),
        (("--labels", "a,b", "--epsilon", "1", "--method", "magic"), "method"),
    ],
)
def test_what_is_missing_is_said(
    arguments: tuple[str, ...], words: str, noisewright: Program
) -> None:
    said = noisewright("collect", "plan", *arguments)
    assert said.code == 2
    assert words in said.err


def test_a_value_that_was_not_declared_is_refused_without_repeating_it(
    colors: Path, noisewright: Program
) -> None:
    said = noisewright("collect", "report", str(colors), "chartreuse")
    assert said.code == 2
    assert "chartreuse" not in said.err


def test_a_changed_specification_is_refused(colors: Path, noisewright: Program) -> None:
    document = json.loads(colors.read_text())
    document["randomizer"]["keep"] = "ffffffffffffff00"
    colors.write_text(json.dumps(document))
    said = noisewright("collect", "report", str(colors), "red")
    assert said.code == 2
    assert "was changed" in said.err
    colors.write_text("{}")
    assert noisewright("collect", "report", str(colors), "red").code == 2


KINDS = {
    "mean": ("hours", "--low", "0", "--high", "24"),
    "distribution": ("hours", "--low", "0", "--high", "24"),
    "items": ("basket", "--labels", "tv,car,milk", "--largest", "2"),
    "words": ("word", "--bits", "40"),
}


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    path = tmp_path / "survey.csv"
    rows = [
        f"{i % 25},{('tv;car', '', 'milk')[i % 3]},{('yes', 'no', 'maybe', 'yes')[i % 4]}"
        for i in range(4_000)
    ]
    path.write_text("hours,basket,word\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_goes_from_a_plan_to_answers(
    kind: str, survey: Path, tmp_path: Path, noisewright: Program
) -> None:
    column, *options = KINDS[kind]
    made, reports = tmp_path / "made.json", tmp_path / "reports.parquet"
    planned = noisewright(
        *("collect", "plan", "--kind", kind, *options, "--epsilon", "4", "--people", "4000"),
        *("-o", made, "--certificate", tmp_path / "c.json"),
    )
    assert planned.code == 0, planned.err
    assert noisewright("check", tmp_path / "c.json").code == 0
    asked = ("collect", "simulate", made, survey, "--column", column, "-o", reports)
    assert noisewright(*asked).code == 0
    told = noisewright("collect", "estimate", made, reports)
    assert told.code == 0, told.err
    assert "4,000 reports" in told.out
    wanted = {"mean": "mean", "distribution": "quantile", "items": "milk", "words": "yes"}[kind]
    assert wanted in told.out


def test_rappor_states_its_own_epsilon_and_needs_candidates(
    survey: Path, tmp_path: Path, noisewright: Program
) -> None:
    made, reports = tmp_path / "made.json", tmp_path / "reports.parquet"
    assert "--f" in noisewright("collect", "plan", "--kind", "rappor", "--epsilon", "1").err
    said = noisewright("collect", "plan", "--kind", "rappor", "--bits", "32", "-o", made)
    assert "who never changes it" in said.out
    noisewright("collect", "simulate", made, survey, "--column", "word", "-o", reports)
    missing = noisewright("collect", "estimate", made, reports)
    assert missing.code == 2
    assert "--candidates" in missing.err
    (tmp_path / "words.txt").write_text("yes\nno\nmaybe\nnever\n")
    found = noisewright(
        "collect", "estimate", made, reports, "--candidates", tmp_path / "words.txt"
    )
    assert found.code == 0, found.err
    assert "yes" in found.out


@pytest.mark.parametrize(
    ("kind", "value", "odd"),
    [
        ("mean", "5", "many"),
        ("distribution", "5", "5.5"),
        ("items", "tv;milk", "tv;boat"),
        ("words", "yes", "far too long a word"),
    ],
)
def test_one_report_of_a_typed_value(
    kind: str, value: str, odd: str, tmp_path: Path, noisewright: Program
) -> None:
    _, *options = KINDS[kind]
    made = tmp_path / "made.json"
    noisewright("collect", "plan", "--kind", kind, *options, "--epsilon", "1", "-o", made)
    assert bytes.fromhex(noisewright("collect", "report", made, value).out)
    said = noisewright("collect", "report", made, odd)
    assert said.code == 2
    assert odd not in said.err


def test_numbers_that_nobody_listed(survey: Path, tmp_path: Path, noisewright: Program) -> None:
    made, reports = tmp_path / "made.json", tmp_path / "reports.parquet"
    asked = ("collect", "plan", "--kind", "numbers", "--bits", "8", "--epsilon", "6", "-o", made)
    assert noisewright(*asked).code == 0
    asked = ("collect", "simulate", made, survey, "--column", "hours", "-o", reports)
    assert noisewright(*asked).code == 0
    assert "24" in noisewright("collect", "estimate", made, reports).out
    assert noisewright("collect", "report", made, "x").code == 2


def test_nothing_is_overwritten_and_wrong_names_are_said(
    colors: Path, people: Path, tmp_path: Path, noisewright: Program
) -> None:
    reports = tmp_path / "reports.parquet"
    asked = ("collect", "simulate", colors, people)
    assert "no column 'hue'" in noisewright(*asked, "--column", "hue", "-o", reports).err
    text = tmp_path / "reports.csv"
    assert "must end in .parquet" in noisewright(*asked, "--column", "color", "-o", text).err
    noisewright(*asked, "--column", "color", "-o", reports)
    said = noisewright("collect", "estimate", colors, reports, "-o", colors)
    assert said.code == 2
    assert "--overwrite" in said.err
    words = tmp_path / "words.txt"
    words.write_text("red\n")
    said = noisewright("collect", "estimate", colors, reports, "--candidates", words)
    assert said.code == 2
    assert "RAPPOR" in said.err
