"""A plan says in words what it does, and the numbers in the words are the right ones."""

import math
import re
from typing import Any, cast

import numpy as np
import pytest

import noisewright as nw
from noisewright.plans import plan_rows
from noisewright.plans.outlook import outlook_of, planned_error
from noisewright.plans.words import about, amounts, factor_text


def plan(**settings: Any) -> nw.Plan:
    columns: dict[str, Any] = {
        "id": "drop",
        "region": "public",
        "job": nw.Column(["nurse", "baker", "clerk", "judge"], null="none", other="other"),
        "income": nw.Column(nw.Interval(0, 250_000, step=1000), outside="clamp", off_grid="round"),
        "children": nw.Column(nw.Counts(12)),
        "steps": nw.Column(nw.Counts(100)),
        "likes": nw.Column(nw.Subsets(["tv", "cars", "sport"], largest=2), outside="sample"),
        "sex": nw.Column(["f", "m"]),
        "smokes": nw.Column([False, True]),
    }
    everything: dict[str, Any] = {"epsilon": 8, "together": [("sex", "smokes")], **settings}
    return nw.Plan(columns, **everything)


def test_every_column_is_spoken_of() -> None:
    whole = "\n".join(plan().words(rows=10_000))
    for name, _ in plan().columns:
        assert name in whole
    for words in (
        "is at most epsilon=8, for all columns together",
        "released unchanged and not protected: region",
        "Not released: id.",
        "Empty cells count as 'none' (job).",
        "Undeclared labels count as 'other' (job).",
        "Values out of bounds move to the nearest bound (income).",
        "Values between two steps are rounded.",
        "Sets that are too large are cut at random.",
        "randomized together as one of 4 combinations",
        "Each row counts as a different person",
        "Rows keep their order",
        "number of rows counts as public",
    ):
        assert words in whole


def test_rules_for_empty_cells_name_their_columns() -> None:
    made = nw.Plan(
        {"sex": nw.Column(["f", "m"]), "likes": nw.Column(nw.Subsets(["tv"]), null=[])}, epsilon=1
    )
    said = "\n".join(made.words(rows=100))
    assert "Empty cells are errors (sex)." in said
    assert "Empty cells and cells of another kind count as the empty set (likes)." in said


def test_several_rows_a_person_and_shuffling() -> None:
    whole = "\n".join(plan(person=nw.Person("who", rows=4, keep="first"), order="shuffled").words())
    assert "of all their released rows (at most 4)" in whole
    assert "Each row costs epsilon=2" in whole
    assert "At most 4 rows of each person are released, the first ones" in whole
    assert "Rows are shuffled" in whole
    assert "Not released: id and who." in whole
    assert "standard error" not in whole


@pytest.mark.parametrize("delta", ["0", "1e-6", "0.1"])
@pytest.mark.parametrize("epsilon", ["0.01", "0.5", "1", "3", "8", "12"])
def test_the_promise_is_rounded_towards_less_privacy(epsilon: str, delta: str) -> None:
    made = nw.Plan({"a": nw.Column(["x", "y"])}, epsilon=epsilon, delta=delta)
    words = made.words()[0]
    ratio = math.exp(float(epsilon))
    (factor,) = re.findall(r"at most ([\d,.]+) times as likely", words)
    assert ratio <= float(factor.replace(",", "")) <= 1.02 * ratio
    assert factor == factor_text(made.guarantee), "as on the page of the release"
    (guess,) = re.findall(r"probability of at most ([\d.]+);", words)
    best = (ratio + float(delta)) / (1 + ratio)
    assert best <= float(guess) <= best + 0.011
    assert ("plus a probability of" in words) == (delta != "0")


def test_the_guess_is_reached_by_randomized_response() -> None:
    """The bound in words is sharp: two equally likely inputs, and the better of two guesses."""
    mechanism = nw.randomized_response(nw.Categories(["x", "y"]), epsilon=1, delta="0.1")
    right = float(np.maximum(mechanism.matrix[0], mechanism.matrix[1]).sum()) / 2
    words = nw.Plan({"a": nw.Column(["x", "y"])}, epsilon=1, delta="0.1").words()[0]
    (guess,) = re.findall(r"probability of at most ([\d.]+);", words)
    assert right <= float(guess) < right + 0.01


def test_what_answers_look_like_is_what_the_mechanism_does() -> None:
    made = plan()
    parts = {part.name: part for part in made.parts}
    job = outlook_of(parts["job"])
    table: Any = parts["job"].mechanism
    assert job.truth == pytest.approx((table.matrix[0, 0],) * 2)
    likes: Any = parts["likes"].mechanism
    assert outlook_of(parts["likes"]).kept == float(likes.present)
    assert outlook_of(parts["likes"]).added == float(likes.absent)
    steps: Any = parts["steps"].mechanism
    points = np.arange(101)
    off = (steps.matrix * abs(points[:, None] - points)).sum(axis=1).mean()
    assert outlook_of(parts["steps"]).off == pytest.approx(off)


def test_how_far_off_noisy_numbers_are_against_draws() -> None:
    """Simulated from the mechanism with a fixed source; 1% of the mean at 200,000 draws."""
    part = nw.Plan({"x": nw.Column(nw.Interval(0, 100, step=1))}, epsilon=3).parts[0]
    inputs = np.tile(np.linspace(0, 100, 17).round(), 12_000)
    drawn = np.asarray(part.mechanism.sample(inputs, source=nw.randomness.SeededSource(5)))
    off = outlook_of(part).off
    assert off == pytest.approx(float(np.abs(drawn - inputs).mean()), rel=0.02)


def test_planned_errors_are_those_of_estimation() -> None:
    made = plan()
    parts = {part.name: part for part in made.parts}
    job = planned_error(parts["job"], "job", rows=1000)
    expected = nw.planning.expected_error(parts["job"].mechanism, people=1000, about="people")
    assert job is not None
    assert job.question == "shares"
    assert job.error == pytest.approx(float(np.sqrt((expected.standard_errors**2).mean())))
    sex = planned_error(parts["sex × smokes"], "sex", rows=1000)
    assert sex is not None
    assert 0 < sex.error < 0.1
    income = planned_error(parts["income"], "income", rows=1000)
    assert income is not None
    assert income.question == "mean"


def test_a_hopeless_plan_says_so() -> None:
    made = nw.Plan({"a": nw.Column(range(50))}, epsilon="0.01")
    assert "says little or nothing" in made.words(rows=100)[1]
    assert "no protection" in nw.Plan({"a": nw.Column(["x", "y"])}, epsilon=60).words()[0]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.012345, "0.0123"), (999, "999"), (104_321, "104,000"), (1e15, "1e15")],
)
def test_numbers_as_people_write_them(value: float, text: str) -> None:
    assert about(value) == text


def test_budgets_are_rounded_up() -> None:
    assert amounts(nw.accounting.Guarantee("1/3")) == "epsilon=0.3334"
    assert amounts(nw.accounting.Guarantee("0.25", "1e-7")) == "epsilon=0.25, delta=1e-7"
    assert amounts(nw.accounting.Guarantee(alpha="0.3")) == "epsilon=1.204"


def test_curves() -> None:
    made = nw.Plan({"day": nw.Column(nw.Curves(range(24), low=0, high=5))}, epsilon=2)
    words = made.words(rows=10_000)[1]
    mechanism: Any = made.parts[0].mechanism
    error = float(np.sqrt((mechanism.standard_error() ** 2).mean()))
    assert f"standard deviation of {about(error)} is added at each position" in words
    assert f"standard error of about {about(error / 100)} at each position" in words


def test_counts_by_formula_are_described_like_those_by_table() -> None:
    """Beyond 2,047 the geometric mechanism has no table; below, both descriptions must agree."""
    from noisewright.plans.outlook import _of_geometric

    formula = nw.geometric(nw.Counts(160), epsilon="1/80", table=False)
    table = nw.geometric(nw.Counts(160), epsilon="1/80", table=True)
    found = _of_geometric(cast(Any, formula))
    diagonal = np.diagonal(table.matrix)
    assert found.truth == pytest.approx((diagonal[1], diagonal[0]))
    points, codes = np.arange(161), np.arange(0, 161, 10)
    off = (table.matrix[codes] * abs(points[codes][:, None] - points)).sum(axis=1).mean()
    assert found.off == pytest.approx(off)
    many = nw.Plan({"n": nw.Column(nw.Counts(100_000))}, epsilon=2).words(rows=1000)[1]
    assert "depending on what it is; a released number is off by" in many
    assert "the mean can be estimated" in many


def test_the_table_has_a_row_for_each_column_and_the_numbers_of_the_words() -> None:
    made = plan()
    rows = plan_rows(made, rows=10_000)
    assert rows[0][-1] == "standard error, 10,000 rows"
    assert {len(row) for row in rows} == {5}
    names = [name for row in rows[1:] for name in row[0].split(" × ")]
    assert sorted(names) == sorted(name for name, _ in made.columns)
    by_name = {row[0]: row for row in rows}
    words = {
        part.name: text for part, text in zip(made.parts, made.words(rows=10_000)[1:], strict=False)
    }
    for part in made.parts:
        epsilon, released, error = by_name[part.name][2:]
        assert f"epsilon={epsilon}." in words[part.name]
        for number in re.findall(r"\d[\d.,]*\d|\d", f"{released} {error}"):
            assert number in words[part.name]
    assert by_name["region"][3] == "unchanged, not protected"
    assert by_name["id"][3] == "not released"
    hopeless = nw.Plan({"a": nw.Column(range(50))}, epsilon="0.01")
    assert "says little" in plan_rows(hopeless, rows=100)[1][-1]
