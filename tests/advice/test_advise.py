"""`advise`: what it reads, what it compares, what it recommends, and what it says of odd tables."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from noisewright.advice import TOOLS, better_tool
from noisewright.advice.questions import AdvisedQuestion
from noisewright.advice.result import decide
from noisewright.errors import DataError, InputError, ParameterError

COLUMNS = {
    "job": nw.Column(list("abcde")),
    "sex": nw.Column(["f", "m"]),
    "age": nw.Column(nw.Interval(0, 100, step=1)),
}
MANY = {f"c{k}": nw.Column([f"{k}{n}" for n in range(6)]) for k in range(14)}


def write_rows(path: Path, rows: int, cell: str) -> Path:
    lines = ["job,sex,age", *[f'"{cell}\n{cell}",{cell},{cell}' for _ in range(rows)]]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_no_value_is_read(tmp_path: Path) -> None:
    """Cells that no release would accept, quoted line breaks among them, change nothing."""
    asked = ["shares", "mean"]
    odd = write_rows(tmp_path / "odd.csv", 700, "SECRET")
    advice = nw.advise(odd, COLUMNS, questions=asked)
    assert repr(advice) == repr(nw.advise(COLUMNS, rows=700, questions=asked))
    assert "SECRET" not in repr(advice)
    table = pa.table({"job": ["?"] * 700, "sex": ["?"] * 700, "age": [-1] * 700})
    pq.write_table(table, tmp_path / "odd.parquet")
    for data in (table, tmp_path / "odd.parquet"):
        assert repr(nw.advise(data, COLUMNS, questions=asked)) == repr(advice)


def test_a_table_other_than_declared_is_refused() -> None:
    with pytest.raises(InputError, match="does not have"):
        nw.advise(pa.table({"job": ["a"]}), COLUMNS)
    with pytest.raises(DataError, match="no rows"):
        nw.advise({"job": [], "sex": [], "age": []}, COLUMNS)


def test_all_is_under_one_stated_guarantee() -> None:
    advice = nw.advise(COLUMNS, rows=9000, epsilon="1/2", delta="1e-7")
    assert advice.promise == (
        "Each tool on its own at epsilon=0.5, delta=1e-7, for replacing the row of one person, "
        "against whoever sees only what is published. The number of rows, 9,000, is public."
    )
    plan = nw.Plan(COLUMNS, epsilon=8, person=nw.Person("id", rows=3))
    several = nw.advise(plan, rows=9000, epsilon="1/2", delta="1e-7")
    assert "all rows (at most 3) of one person" in several.promise
    assert any("at most 3 rows count" in note for note in several.notes)
    # The plan's own ε is not what is compared; three rows of a person need thrice the noise.
    for one, other in zip(advice.table.to_pylist(), several.table.to_pylist(), strict=True):
        assert all(one[tool] < other[tool] for tool in advice.errors)


def test_the_table_has_all_questions_in_plain_units() -> None:
    advice = nw.advise(COLUMNS, rows=9000)
    assert advice.table.column_names == ["question", "unit", *TOOLS]
    rows = advice.table.to_pylist()
    assert [(row["question"], row["unit"]) for row in rows] == [
        ("shares of job", "points"),
        ("shares of sex", "points"),
        ("pairs of job × sex", "points"),
        ("mean of age", ""),
        ("median of age", ""),
    ]
    # What estimates state after a release is what is planned.
    planned = nw.Plan(COLUMNS, epsilon=1).predict(people=9000, about="people")
    assert rows[0]["kept"] == pytest.approx(100 * float(planned["job"].standard_errors[0]))
    assert rows[3]["kept"] == pytest.approx(float(planned["age"].standard_errors))


def test_it_is_shown_in_notebooks_and_terminals() -> None:
    advice = nw.advise({"<b>": ["x", "y"]}, rows=50)
    assert "<td>shares of &lt;b&gt;, in points</td>" in advice._repr_html_()
    assert advice.verdict in repr(advice)
    assert advice.verdict.startswith("Recommended: ")


def test_questions_are_kinds_or_name_columns() -> None:
    def asked(questions: Any) -> list[str]:
        return [str(q) for q in nw.advise(COLUMNS, rows=99, questions=questions).questions]

    assert asked("shares") == ["shares of job", "shares of sex"]
    assert asked(["means", "median:age"]) == ["mean of age", "median of age"]
    assert asked(["pairs: sex, job"]) == ["pairs of sex × job"]
    assert asked([("pairs", "sex", "job"), "pairs:sex,job"]) == ["pairs of sex × job"]


@pytest.mark.parametrize(
    ("questions", "message"),
    [
        ("share", "write shares, pairs"),
        ([3], "write shares, pairs"),
        ([], "no questions"),
        ("shares:pay", "the declared columns are 'job', 'sex', 'age'"),
        ("shares:age", "it has mean, median"),
        ("pairs:job", "two different columns"),
        ("pairs:job,job", "two different columns"),
        ("items", "unless you name columns"),
    ],
)
def test_questions_that_make_no_sense_are_refused(questions: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        nw.advise(COLUMNS, rows=99, questions=questions)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"epsilon": 0}, "above 0"),
        ({"epsilon": -1}, "above 0"),
        ({"rows": 0}, "rows"),
        ({"rows": None}, "how many rows"),
        ({"delta": 2}, "delta"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        nw.advise(COLUMNS, **dict[str, Any]({"rows": 99} | given))


@pytest.mark.parametrize(("rows", "epsilon"), [(3, 1), (1000, "1e-12"), (1, "1/100")])
def test_where_noise_drowns_everything_nothing_is_recommended(rows: int, epsilon: Any) -> None:
    advice = nw.advise(COLUMNS, rows=rows, epsilon=epsilon)
    assert advice.recommended is None
    assert "noise drowns all" in advice.why
    assert advice.verdict.startswith("None of them: ")


def test_a_huge_epsilon_leaves_hardly_any_error() -> None:
    advice = nw.advise(COLUMNS, rows=1000, epsilon=50)
    assert all(row["synthetic"] < 0.1 for row in advice.table.to_pylist())


def test_only_copies_are_predicted_for_curves() -> None:
    sets = {
        "likes": nw.Subsets(list("abcdef")),
        "day": nw.Curves([0, 1, 2], low=0, high=40),
        "job": COLUMNS["job"],
    }
    advice = nw.advise(sets, rows=50_000, epsilon=4)
    assert [q.kind for q in advice.questions] == ["shares", "items", "curve"]
    assert advice.errors["asked"][1:] == (None, None)
    assert advice.errors["synthetic"][1] is not None
    assert advice.errors["synthetic"][2] is None
    assert advice.recommended == "shuffled"
    assert advice.why.startswith("It answers all these questions; errors are about ")
    assert "a synthetic table would make errors about " in advice.why
    assert advice.why.endswith("all but curve of day, to which no answer of it is predicted.")
    assert "no answer" in repr(advice)
    assert any("Curves (day) are predicted for private copies alone" in one for one in advice.notes)


def test_items_of_sets_are_predicted_for_synthetic_tables() -> None:
    sets = {"likes": nw.Subsets(list("abcdef"))}
    alone = nw.advise(sets, rows=50_000)
    assert list(alone.errors) == ["shuffled", "kept", "synthetic"]
    assert alone.recommended == "synthetic"
    # An item is a column of truth values: it is predicted as one.
    truths = nw.advise({name: [False, True] for name in "abcdef"}, rows=50_000, questions="shares")
    (found,) = alone.errors["synthetic"]
    assert found == pytest.approx(truths.errors["synthetic"][0])


def test_sets_too_large_for_a_synthetic_table_are_named() -> None:
    sets = {"likes": nw.Subsets([f"i{k}" for k in range(300)], largest=5), "job": COLUMNS["job"]}
    advice = nw.advise(sets, rows=50_000)
    assert advice.errors["synthetic"][-1] is None
    assert "more than 256 items (likes)" in advice.notes[-1]


def test_public_columns_are_noted_and_not_asked_about() -> None:
    plan = nw.Plan({**COLUMNS, "region": "public", "name": "drop"}, epsilon=1)
    advice = nw.advise(plan, rows=5000)
    assert not any("region" in q.columns for q in advice.questions)
    assert any("region" in note for note in advice.notes)


def test_rows_hide_only_among_those_with_their_public_values() -> None:
    """How many these are at least is for the plan to say: no value is read."""
    unknown = nw.advise(nw.Plan({**COLUMNS, "region": "public"}, epsilon=1), rows=5000)
    assert "shuffled" not in unknown.errors
    assert any("shuffled private copy: rows hide" in note for note in unknown.notes)
    few, many = (
        nw.advise(
            nw.Plan(
                {**COLUMNS, "region": "public"},
                epsilon=1,
                delta="1e-9",
                order="shuffled",
                rows=rows,
            ),
            rows=5000,
            questions="shares",
        ).table.to_pylist()[0]
        for rows in (200, 5000)
    )
    assert many["shuffled"] < few["shuffled"] <= few["kept"] == many["kept"]


def test_without_delta_shuffling_is_worth_nothing() -> None:
    advice = nw.advise(COLUMNS, rows=5000, delta=0)
    assert "shuffled" not in advice.errors
    assert any("shuffling promises no more" in note for note in advice.notes)


def test_shuffling_is_never_worse_than_keeping_the_order() -> None:
    for row in nw.advise(COLUMNS, rows=5000, questions=["shares", "pairs"]).table.to_pylist():
        assert row["shuffled"] < row["kept"]


def test_a_copy_divides_the_budget_as_its_plan_does() -> None:
    given = nw.Plan(
        {"job": nw.Column(list("ab"), epsilon=1), "sex": nw.Column(["f", "m"], epsilon=3)}
    )
    same = nw.Plan({"job": nw.Column(list("ab")), "sex": nw.Column(["f", "m"])}, epsilon=4)
    one, two = (
        nw.advise(plan, rows=5000, epsilon=4).table["kept"].to_pylist() for plan in (given, same)
    )
    assert one[0] > two[0]
    assert one[1] < two[1]


def test_a_tool_that_is_not_possible_is_left_out_with_its_reason() -> None:
    own = nw.randomized_response(nw.Categories(list("ab")), epsilon=2)
    advice = nw.advise(nw.Plan({"job": nw.Column(list("ab"), mechanism=own)}), rows=5000, epsilon=1)
    assert "kept" not in advice.errors
    assert any("a private copy in kept order: the columns ask for" in note for note in advice.notes)


def test_dates_and_numbers_alone() -> None:
    advice = nw.advise(
        {
            "born": nw.Dates("1920-01-01", "2020-12-31"),
            "income": nw.Interval(0, 10**9, step=1),
            "children": nw.Counts(12),
        },
        rows=50_000,
        questions=["mean", "median:income"],
    )
    assert [q.unit for q in advice.questions] == ["days", "", "", ""]
    # On so fine a grid no median is estimated from a private copy.
    missing = [row["question"] for row in advice.table.to_pylist() if row["kept"] is None]
    assert missing == ["median of income"]
    # Asked means are better, and the median of a synthetic table is.
    assert advice.recommended == "synthetic"


SHARES = (AdvisedQuestion("shares", ("a",), 1.0, "points"),)


@pytest.mark.parametrize(
    ("errors", "best", "why"),
    [
        ({"kept": 0.05, "synthetic": 0.001, "asked": 0.0008}, "synthetic", "50 times smaller"),
        ({"kept": 0.05, "synthetic": 0.004, "asked": 0.001}, "asked", "only questions you ask"),
        ({"kept": 0.0011, "synthetic": 0.001, "asked": 0.0012}, "kept", "hardly be better"),
        ({"kept": 0.4, "synthetic": 0.3, "asked": 0.3}, None, "drowns"),
        ({"kept": 0.1, "synthetic": None, "asked": None}, "kept", "only one"),
        ({"kept": 1e-9, "synthetic": 1e-7, "asked": 1e-12}, "kept", "hardly be better"),
    ],
)
def test_of_about_equal_tools_the_one_that_serves_more_is_recommended(
    errors: Any, best: str | None, why: str
) -> None:
    found, said = decide(SHARES, {tool: (error,) for tool, error in errors.items()})
    assert found == best
    assert why in said


def test_a_plan_that_is_the_wrong_tool_is_told_so() -> None:
    text = better_tool(nw.Plan(MANY, epsilon=4), rows=30_000)
    assert text is not None
    assert text.startswith("A synthetic table would be about ")
    assert "at epsilon=1, delta=1e-9, shares would be off by about 0." in text
    assert text.endswith(" points here at epsilon=4.")


def test_a_plan_that_is_as_good_as_any_hears_nothing() -> None:
    assert better_tool(nw.Plan({"a": nw.Column(["x", "y"])}, epsilon=6), rows=100) is None
    sets = {"likes": nw.Column(nw.Subsets(list("abc")))}
    assert better_tool(nw.Plan(sets, epsilon=1), rows=1000) is None


def test_sets_are_said_to_be_left_out_of_asked_counts() -> None:
    columns = {"sex": nw.Column(["f", "m"]), "hobbies": nw.Column(nw.Subsets(["tv", "cars"]))}
    advice = nw.advise(columns, epsilon=1, rows=1000)
    assert advice.notes[-1] == "Asked counts do not cover sets and curves (hobbies)."
    # That nothing was predicted is not that no difference shows.
    for lines in (advice.lines(), advice.difference_lines()):
        items = dict(zip(lines[0], lines[-1], strict=True))
        assert items["asked counts"] == "no answer" != items["synthetic table"]
