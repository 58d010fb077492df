"""Numbers as people write them, and the same ones everywhere: plans, releases, pages, ledgers."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import noisewright as nw
from tests.cli.conftest import Program

ODD = re.compile(r"\de[+-]0\d|\de\+\d|\d\.\d{13,}")
"""1e-08, 1e+15, 0.33333333333333337: what computers write where people write 1e-8 and 1/3."""


def odd_numbers(text: str) -> list[str]:
    return [text[max(m.start() - 30, 0) : m.end() + 10] for m in ODD.finditer(text)]


def test_odd_numbers_are_recognized() -> None:
    for text in ("delta=1e-08", "about 1e+15", "epsilon=0.33333333333333337"):
        assert odd_numbers(text), text
    assert not odd_numbers("epsilon=0.3334, delta=1e-8, rho=0.166666666666, 2,981 times")


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    rows = ["nurse,1", "baker,0", "clerk,8"] * 200
    (tmp_path / "survey.csv").write_text("\n".join(["job,visits", *rows, ""]), encoding="utf-8")
    columns = {"job": nw.Column(["nurse", "baker", "clerk"]), "visits": nw.Column(nw.Counts(8))}
    nw.Plan(columns, epsilon="4/3", delta="1e-8").save(tmp_path / "plan.toml")
    thirds = {**columns, "job": nw.Column(["nurse", "baker", "clerk"], share=2)}
    nw.Plan(thirds, epsilon=8).save(tmp_path / "eight.toml")
    return tmp_path


def said(noisewright: Program) -> Iterator[str]:
    paid = ("--ledger", "b.db", "--dataset", "survey")
    asked = ("ask", "survey.csv", "-p", "plan.toml", "--mean", "visits", "--by", "job")
    made = ("synthesize", "survey.csv", "-p", "plan.toml", "-o", "made.parquet")
    for line in (
        ("ledger", "create", "b.db"),
        ("ledger", "grant", "b.db", "survey", "--epsilon", "13/3", "--delta", "3e-8"),
        ("plan", "plan.toml", "--people", "3000"),
        ("plan", "eight.toml", "--people", "3000"),
        ("release", "survey.csv", "-p", "plan.toml", "-o", "private.parquet", *paid),
        ("estimate", "private.parquet"),
        ("check", "private.certificate.json"),
        (*asked, "--epsilon", "1/3", "--delta", "1e-8", *paid),
        (*asked, "--epsilon", "1/3", "--delta", "1e-8", "--explain"),
        (*asked, "--epsilon", "1/3", "--predict", "--people", "600"),
        (*made, "--epsilon", "1/3", "--delta", "1e-8", *paid),
        ("check", "made.certificate.json"),
        ("ledger", "show", "b.db"),
        ("ledger", "history", "b.db"),
    ):
        found = noisewright(*line)
        assert found.code == 0, found
        yield f"{' '.join(line[:2])}: {found.out}{found.err}"


def test_no_command_and_no_page_shows_an_odd_number(noisewright: Program, survey: Path) -> None:
    texts = list(said(noisewright))
    for page in ("private.report.html", "made.report.html"):
        html = (survey / page).read_text(encoding="utf-8")
        texts.append(re.sub(r"<svg.*?</svg>|<[^>]*>", " ", html, flags=re.DOTALL))
    release = nw.results.Release.open(survey / "private.parquet")
    made = nw.results.Synthesis.open(survey / "made.parquet")
    ledger = nw.Ledger.open(survey / "b.db")
    texts += map(repr, (release, release.plan, release.guarantee, made, *made.measurements))
    texts += map(str, (ledger.balance("survey"), *made.spends))
    assert [odd for text in texts for odd in odd_numbers(text)] == []


def test_the_plan_and_the_page_state_the_same_numbers(noisewright: Program, survey: Path) -> None:
    """e^8 was 2,990 in the plan and 2,981 on the page; parts were rounded in two ways."""
    out = ("-o", "8.parquet", "--without-ledger")
    assert noisewright("release", "survey.csv", "-p", "eight.toml", *out).code == 0
    html = (survey / "8.report.html").read_text(encoding="utf-8")
    page = " ".join(re.sub(r"<[^>]*>", " ", html).split())
    plan = noisewright("plan", "eight.toml").out
    (factor,) = re.findall(r"at most ([\d,.]+) times as likely", plan)
    assert f"more than {factor} times as likely" in page
    for column, share in (("job", "66.7%"), ("visits", "33.3%")):
        (epsilon,) = re.findall(rf"^  {column} .*?(\d[\d.]*) +(?:true|off)", plan, re.MULTILINE)
        assert re.search(rf"{column} randomized .{{0,90}} {re.escape(epsilon)} {share}", page)
