"""A certificate says what its ε is counted for, and no claim in one unit passes in another."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import noisewright as nw
from noisewright.mechanisms import Mechanism
from tests.certificates.handmade import (
    certificate,
    columns_of,
    counting_step as counts,
    geometric,
    groups_of,
    keys_of,
    load_checker,
    one_person,
    one_value,
    person_of,
    person_with,
    rappor_of,
    rappor_part,
    response,
    rows_of,
    steps_of,
    table,
)

checker = load_checker()

STEPS = [["0", "1", "2"], ["1", "0", "1"], ["2", "1", "0"]]
FAR = {"relation": "metric", "distances": STEPS}
ENDS = {"relation": "pairs", "pairs": [[0, 1]]}
#: One step costs ln 2, any change ln 4.
STAIRS = table([[8, 4, 4], [4, 8, 4], [2, 6, 8]], 4)
LN2, LN4 = {"ln": "2"}, {"ln": "4"}


def promise(document: Any) -> str:
    report = checker.check(document)
    assert report.holds, report.failures
    return report.proved[-1]


@pytest.mark.parametrize(
    ("mechanism", "neighbors", "words"),
    [
        (STAIRS, "replace", "for replacing the input by any other."),
        (STAIRS, "adjacent", "for moving the input by one step to the next value (other"),
        (STAIRS, ENDS, "for replacing the input by a neighbor, in one of 1 listed pairs (other"),
        (STAIRS, FAR, "per unit of distance, for replacing the input by any other, at a distance "),
        (rows_of(3, STAIRS, "replace"), "one row", "for replacing one row by any other."),
        (
            rows_of(3, STAIRS, "adjacent"),
            {"relation": "one row", "row": "adjacent"},
            "for moving one row by one step to the next value (other changes may cost more).",
        ),
        (
            rows_of(3, STAIRS, FAR),
            {"relation": "one row", "row": "metric"},
            "per unit of distance, for replacing one row by any other, at a distance of up to 2.",
        ),
        (
            rows_of(2, rows_of(3, STAIRS, ENDS), {"relation": "one row", "row": "pairs"}),
            {"relation": "one row", "row": "pairs"},
            "for replacing one row by a neighbor, in one of 1 listed pairs (other changes",
        ),
        (
            columns_of(("a", STAIRS, LN4, "0")),
            "replace",
            "for replacing the whole record by any other.",
        ),
        (
            person_of(1, STAIRS, LN4),
            "replace",
            "for replacing the row of one person by any other.",
        ),
        (
            rows_of(9, person_of(2, response(3, 1, 4), {"ln": "5/4"}), "replace"),
            "one row",
            "for replacing all rows of one person, up to 2, by any others.",
        ),
        (
            steps_of("1", counts("1", marginal="1/4")),
            one_person(2),
            "for replacing all rows of one person, up to 2, by any others.",
        ),
        (
            groups_of((5, STAIRS), (2, geometric(7, LN2))),
            "one answer",
            "for changing the answer of one person, whose group and its size are public.",
        ),
    ],
)
def test_the_last_sentence_names_the_change_that_epsilon_is_counted_for(
    mechanism: Any, neighbors: Any, words: str
) -> None:
    said = promise(certificate(mechanism, neighbors, LN4))
    assert said.startswith("What the certificate promises: epsilon 1.386")
    assert f", delta 0, {words}" in said


def test_rappor_says_how_many_reports_of_an_unchanged_value_it_is_about() -> None:
    coins = rappor_of(rappor_part(128, 2, (1, 4), (2, 3, 4)))
    words = " for replacing the value of one person, who never changes it, by any other, in "
    for reports, needed, said in (
        (1, "10743/10000", "one report."),
        (30, "43945/10000", "all of 30 reports."),
        ("forever", "43945/10000", "any number of reports."),
    ):
        assert promise(certificate(coins, one_value(reports), needed)).endswith(words + said)
    assert not checker.check(certificate(coins, one_value(1), "10742/10000"))
    assert not checker.check(certificate(coins, one_value(30), "43944/10000"))
    assert not checker.check(certificate(coins, one_value("forever"), "43944/10000"))
    assert not checker.check(certificate(coins, "replace", "5"))


def test_keys_say_whether_people_are_replaced() -> None:
    keys, added, replaced = keys_of([0, 1, 2, 3, 4], 2, "1/2", "1/4"), "add or remove", "replace"
    one = certificate(keys, person_with(added), "1/2", "1/4")
    assert promise(one).endswith(" for adding or removing all rows of one person.")
    assert not checker.check(certificate(keys, person_with(replaced), "1/2", "1/4"))
    two = certificate(keys, person_with(replaced), "1", "1/2")
    assert promise(two).endswith(" for replacing all rows of one person by any others.")


def test_epsilon_per_unit_of_distance_is_not_epsilon_of_a_row() -> None:
    """The truth is kept but for 2^-40, and a forger's distances make that ε = 1e-6."""
    keep = (1 << 40) - 1
    nearly = table([[keep, 1], [1, keep]], 40)
    far = {"relation": "metric", "distances": [["0", "1000000000"], ["1000000000", "0"]]}
    document = certificate(rows_of(3, nearly, far), "one row", "1/1000000")
    assert not checker.check(document)
    honest = certificate(
        rows_of(3, nearly, far), {"relation": "one row", "row": "metric"}, "1/1000000"
    )
    assert "per unit of distance" in promise(honest)
    assert "up to 1000000000." in promise(honest)


@pytest.mark.parametrize("parent", ["adjacent", ENDS, FAR])
def test_one_row_without_more_is_any_change_whatever_the_parent_says(parent: Any) -> None:
    """So old certificates hold where they were true: here at ln 4, and not at ln 2."""
    assert "for replacing one row by any other." in promise(
        certificate(rows_of(3, STAIRS, parent), "one row", LN4)
    )
    assert not checker.check(certificate(rows_of(3, STAIRS, parent), "one row", LN2))
    nested = rows_of(2, rows_of(3, STAIRS, parent), {"relation": "one row", "row": "adjacent"})
    assert not checker.check(certificate(nested, "one row", LN2))
    assert checker.check(certificate(nested, "one row", LN4))


@pytest.mark.parametrize(
    "said", ["replace", "metric", "pairs", "one row", "", "Adjacent", "adjacent "]
)
def test_the_change_of_a_row_is_the_relation_of_its_parent(said: str) -> None:
    document = certificate(
        rows_of(3, STAIRS, "adjacent"), {"relation": "one row", "row": said}, LN4
    )
    assert {failure.part for failure in checker.check(document).failures} == {"neighbors"}


def test_what_is_promised_is_rounded_up() -> None:
    just_above = "1000000000000000000000001/1000000000000000000000000"
    said = promise(certificate(geometric(3, "1"), "adjacent", just_above, f"1/{3**40}"))
    assert "epsilon 1.0000000000000000001, delta 8.2252633399" in said
    assert "epsilon 1.0," not in said


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1 - Fraction(1, 10**30), "1"),
        (100 - Fraction(1, 10**30), "100"),
        (Fraction(1, 10**9) - Fraction(1, 10**40), "1e-9"),
        (Fraction(5, 4), "1.25"),
        (Fraction(100), "100"),
        (Fraction(0), "0"),
    ],
)
def test_numbers_are_shown_without_needless_digits(value: Fraction, shown: str) -> None:
    assert checker.numbers.Number(value).to_decimal() == shown


@pytest.mark.parametrize(
    "space",
    [
        nw.Counts(2, neighbors="metric"),
        nw.Categories(["a", "b"], neighbors="metric"),
        nw.Interval(0, 2, step=1, neighbors="metric"),
        nw.Subsets(["a"], neighbors="metric"),
        nw.Records(a=nw.Categories(["a", "b"]), neighbors="metric"),
    ],
)
def test_a_space_shows_its_neighbors(space: Any) -> None:
    assert "metric" in repr(space)
    assert "metric" in repr(nw.uniform(space))


MADE: dict[str, Callable[[], Mechanism]] = {
    "metric": lambda: nw.geometric(nw.Counts(5, neighbors="metric"), epsilon=1),
    "adjacent": lambda: nw.geometric(nw.Counts(5), epsilon=1),
    "formula": lambda: nw.geometric(nw.Counts(5), epsilon=1, table=False),
    "replace": lambda: nw.randomized_response(nw.Categories(["a", "b", "c"]), epsilon=1),
    "record": lambda: nw.combine.product(a=nw.geometric(nw.Counts(5), epsilon=1)),
    "person": lambda: nw.combine.per_person(
        nw.randomized_response(nw.Categories(["a", "b", "c"]), epsilon=1), rows=3
    ),
}


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("rows", [None, 3])
def test_library_and_checker_have_the_same_unit_in_the_same_words(
    name: str, rows: int | None
) -> None:
    mechanism = MADE[name]() if rows is None else MADE[name]() ** rows
    made = nw.certify(mechanism)
    assert made.unit == mechanism.space.unit
    assert str(made.unit) in repr(made)
    assert nw.check(made).proved[-1].endswith(f", {made.unit}.")
    verdict = nw.verify(mechanism, epsilon=made.guarantee.epsilon, delta=made.guarantee.delta)
    assert str(verdict) == f"Proven for all events: {made.guarantee} {made.unit}."
    assert str(made.unit) in str(nw.verify(mechanism, epsilon="1e-9"))
