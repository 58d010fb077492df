"""`noisewright ask`, as a user types it."""

import csv
import json
from pathlib import Path

import pytest

import noisewright as nw
from tests.certificates.documents import resealed
from tests.cli.conftest import Program
from tests.releases.survey import JOBS, SECRET, Survey, make_survey

ASK = ("ask", "survey.csv", "--plan", "plan.toml")
ALONE = ("--without-ledger", "--epsilon", "1")
COUNTS = ("--count", "--by", "job")
KEYS = [*JOBS, "not said"]


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    return make_survey(tmp_path)


def test_it_says_the_answer_its_errors_and_what_it_cost(
    survey: Survey, noisewright: Program
) -> None:
    said = noisewright(
        *ASK, *COUNTS, "--epsilon", "0.5", "--ledger", "budget.db", "-o", "counts.csv"
    )
    assert said.code == 0, said
    assert said.err == ""
    assert said.out.splitlines()[0].split() == ["job", "count", "count_low", "count_high"]
    assert (
        "at most epsilon=0.5, for replacing the row of one person by any other. This is proven."
    ) in said.out
    assert "Left: epsilon=9.5 of epsilon=10 (each row is a person)." in said.out
    assert survey.states() == ["released"]
    jobs = survey.table().column("job").to_pylist()
    with open(survey.folder / "counts.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["job"] for row in rows] == KEYS
    for row in rows:
        assert int(row["count_low"]) <= int(row["count"]) <= int(row["count_high"])
        # False alarms: a difference of 150 at ε = 0.5 has probability below 1e-15.
        assert abs(int(row["count"]) - jobs.count(row["job"])) < 150
    for path in (survey.folder / "counts.csv", survey.folder / "counts.certificate.json"):
        assert SECRET.encode() not in path.read_bytes()


def test_the_certificate_is_proven_and_not_when_it_is_forged(
    survey: Survey, noisewright: Program
) -> None:
    made = noisewright(*ASK, *COUNTS, *ALONE, "-o", "counts.parquet", "--json")
    assert made.code == 0, made
    path = survey.folder / "counts.certificate.json"
    said = noisewright("check", path.name, "--digest", made.json["certificate"])
    assert said.code == 0, said
    assert "epsilon 1, delta 0, for replacing the row of one person by any other" in said.out
    document = json.loads(path.read_text(encoding="utf-8"))
    document["mechanism"]["measurements"][0]["noise"]["decay"] = "3"
    path.write_text(json.dumps(resealed(document)), encoding="utf-8")
    assert noisewright("check", path.name).code == 1


def test_sql_and_options_ask_the_same(survey: Survey, noisewright: Program) -> None:
    by_options = noisewright(
        *ASK, "--count", "--mean", "visits", "--sum", "visits", "--median", "visits",
        "--quantiles", "visits:0.25,3/4", "--histogram", "visits:0,3,6,9", "--top", "job:2",
        "--distinct", "job", "--where", "visits >= 2 AND job <> 'clerk'", "--by", "job",
        "--explain", "--epsilon", "1",
    )  # fmt: skip
    assert by_options.code == 0, by_options
    by_sql = noisewright(
        *ASK, "--explain", "--epsilon", "1",
        """SELECT job, COUNT(*) AS count, SUM(visits) AS sum_visits, AVG(visits) AS mean_visits,
        MEDIAN(visits) AS median_visits, COUNT(DISTINCT job) AS distinct_job,
        QUANTILE(visits, [0.25, 0.75]) AS quantiles_visits,
        HISTOGRAM(visits, [0, 3, 6, 9]) AS histogram_visits, APPROX_TOP_K(job, 2) AS top_job
        FROM people WHERE visits >= 2 AND job <> 'clerk' GROUP BY job""",
    )  # fmt: skip
    assert by_sql.code == 0, by_sql
    assert by_sql.out == by_options.out
    assert "Nothing was drawn, written or spent." in by_sql.out
    assert survey.states() == []


def test_json_for_machines(survey: Survey, noisewright: Program) -> None:
    said = noisewright(
        *ASK, "SELECT COUNT(*) AS n, AVG(visits) AS m FROM survey", "--change", "add or remove",
        "--epsilon", "1/4", "--ledger", "budget.db", "--what", "for the board", "--json",
    )  # fmt: skip
    assert said.code == 0, said
    made = said.json
    (row,) = made["answer"]
    assert list(row) == ["n", "n_low", "n_high", "m", "m_low", "m_high"]
    assert made["change"] == "add or remove"
    assert made["unit"].startswith("for adding or removing")
    assert made["guarantee"]["exact"]["epsilon"] == "1/4"
    # The account is about replacing people, which is removing one and adding another.
    assert made["charged"]["exact"]["epsilon"] == "1/2"
    assert made["balance"]["left"]["exact"]["epsilon"] == "19/2"
    assert made["files"] == {}
    book = nw.Ledger.open(survey.ledger)
    assert [one.what for one in book.history() if one.kind == "spend"] == ["for the board"]


def test_errors_are_predicted_and_nothing_is_spent(survey: Survey, noisewright: Program) -> None:
    arguments = (*ASK, "--mean", "visits", "--by", "job", "--epsilon", "1", "--predict")
    said = noisewright(*arguments, "--people", "500")
    assert said.code == 0, said
    assert "mean_visits  ± " in said.out
    assert "epsilon 1 would be for replacing one row" in said.out
    assert "Nothing was drawn, written or spent." in said.out
    (row,) = noisewright(*arguments, "--people", "500", "--json").json["prediction"]
    assert row["column"] == "mean_visits"
    assert 0 < row["standard_error"] < row["half_width"] < 1
    assert noisewright(*arguments).code == 2
    assert survey.states() == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (ALONE, "nothing was asked. Give a question such as"),
        ((*COUNTS, "--without-ledger"), "--epsilon is missing"),
        ((*COUNTS, "--epsilon", "1"), "no budget to debit"),
        (("SELECT COUNT(*) FROM t", "--count", *ALONE), "--count cannot be combined with SQL"),
        (("SELECT COUNT(*) FROM t", "--where", "visits > 1", *ALONE), "--where cannot be combined"),
        ((*COUNTS, "--where", "visits > ", *ALONE), "something is missing after '>'"),
        ((*COUNTS, "--where", "visit > 1", *ALONE), "line 1, column 1: there is no column 'visit'"),
        (("SELECT region, COUNT(*) FROM t GROUP BY 1", *ALONE), "no column 'region'"),
        (("--mean", "job", *ALONE), "holds labels"),
        (("--mean", "name", *ALONE), "no column 'name'"),
        (("--quantiles", "visits", *ALONE), "write a column and numbers: age:0.25,0.5"),
        (("--quantiles", "visits:x", *ALONE), "--quantiles is 'x'"),
        (("--quantiles", "visits:2", *ALONE), "from 0 to 1"),
        (("--top", "job:many", *ALONE), "as in job:5"),
        ((*COUNTS, *ALONE, "-o", "counts.xyz"), "does not say which format"),
        ((*COUNTS, *ALONE, "-o", "survey.csv"), "is the input and would be overwritten"),
        ((*COUNTS, *ALONE, "-o", "none/counts.csv"), "none"),
        ((*COUNTS, *ALONE, "--predict", "--explain"), "leave one out"),
        ((*COUNTS, "--epsilon", "much", "--without-ledger"), "--epsilon is 'much'"),
        ((*COUNTS, "--epsilon", "11", "--ledger", "budget.db"), "epsilon=10"),
    ],
)
def test_what_cannot_be_asked_is_refused_and_costs_nothing(
    survey: Survey, noisewright: Program, arguments: tuple[str, ...], words: str
) -> None:
    before = survey.names()
    said = noisewright(*ASK, *arguments)
    assert said.code == 2, said
    assert words in said.err
    assert SECRET not in said.err
    assert survey.names() == before
    assert survey.states() == []


def test_an_answer_is_not_overwritten_unasked(survey: Survey, noisewright: Program) -> None:
    arguments = (*ASK, *COUNTS, *ALONE, "-o", "counts.csv")
    assert noisewright(*arguments).code == 0
    said = noisewright(*arguments)
    assert said.code == 2
    assert "exists already" in said.err
    assert noisewright(*arguments, "--overwrite").code == 0
    assert survey.names() == [
        "budget.db", "counts.certificate.json", "counts.csv", "plan.toml", "survey.csv",
    ]  # fmt: skip


def test_an_answer_that_cannot_be_written_is_printed(
    survey: Survey, noisewright: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("noisewright.queries.Answer.save", fail)
    said = noisewright(*ASK, *COUNTS, "--epsilon", "1", "--ledger", "budget.db", "-o", "a.csv")
    assert said.code == 2, said
    assert "its cost remains spent" in said.err
    lines = [line.strip() for line in said.out.splitlines()]
    assert all(line.startswith(key) for line, key in zip(lines, ["job", *KEYS], strict=True))
    assert survey.states() == ["released"]
    assert "a.csv" not in survey.names()


def test_sets_of_a_plan_are_left_out(noisewright: Program, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,tags\n1,a\n2,b\n", encoding="utf-8")
    plan = nw.Plan({"x": nw.Column(nw.Counts(3)), "tags": nw.Column(nw.Subsets(["a"]))}, epsilon=1)
    plan.save(tmp_path / "p.toml")
    said = noisewright("ask", "a.csv", "-p", "p.toml", "--mean", "x", *ALONE)
    assert said.code == 0, said
    assert set(nw.Private(tmp_path / "a.csv", columns=plan, ledger=None).columns) == {"x"}


def test_a_drafted_plan_says_what_can_be_asked(noisewright: Program, tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text(
        "who,job,hours\na,nurse,3\na,baker,4\nb,nurse,5\n", encoding="utf-8"
    )
    (tmp_path / "codes.csv").write_text(
        "column,label,low,high\njob,nurse\njob,baker\nhours,,0,9\n",
        encoding="utf-8",
    )
    said = noisewright(
        "plan", "visits.csv", "-c", "codes.csv", "--epsilon", "1", "--person", "who",
        "--rows-per-person", "2", "--drop", "who", "-o", "plan.toml",
    )  # fmt: skip
    assert said.code == 0, said
    said = noisewright(
        "ask", "visits.csv", "-p", "plan.toml", *ALONE,
        "SELECT job, AVG(hours), COUNT(DISTINCT who) FROM visits GROUP BY job",
    )  # fmt: skip
    assert said.code == 0, said
    assert "for replacing all rows of one person" in said.out
