"""Releases whose rows hide among each other: what is charged, proven and written."""

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import InputError
from tests.releases.survey import Survey

COLUMNS: dict[str, Any] = {"job": nw.Column(["a", "b"]), "region": "drop"}
WANTED: dict[str, Any] = {"epsilon": 1, "delta": "1e-6", "order": "shuffled"}
ROWS = 3_000


def people(regions: int = 2, rows: int = ROWS) -> pa.Table:
    return pa.table(
        {
            "job": ["ab"[n % 3 == 0] for n in range(rows)],
            "region": [f"region {n % regions}" for n in range(rows)],
        }
    )


def test_the_central_price_is_charged_and_entries_say_which(survey: Survey) -> None:
    ledger = nw.Ledger.open(survey.ledger)
    ledger.grant("people", epsilon=4, delta="1e-5")
    out = nw.planning.Output(survey.out, report=False)
    made = nw.release(
        people(), nw.Plan(COLUMNS, **WANTED), out=out, ledger=ledger, dataset="people"
    )
    assert made.guarantee == nw.accounting.Guarantee(1, "1e-6")
    assert made.plan.rows == ROWS
    assert made.guarantee_in_order == nw.accounting.Guarantee(made.plan.row_epsilon, 0)
    assert made.guarantee_in_order.epsilon > made.guarantee.epsilon.times(4)
    kept = nw.Plan(COLUMNS, epsilon=1)
    nw.release(people(), kept, ledger=ledger, dataset="people")
    spends = [entry for entry in ledger.history() if entry.kind == "spend"]
    assert [entry.guarantee for entry in spends] == [made.guarantee, kept.guarantee]
    assert "rows shuffled, for whoever sees only the file" in spends[0].what
    assert "order kept, row by row" in spends[1].what
    # What holds for all rows together does not add up row by row, if a person has several.
    assert '"independent":false' in str(spends[0].claim)
    assert '"independent":true' in str(spends[1].claim)

    again = nw.results.Release.open(survey.out)
    assert (again.plan, again.guarantee) == (made.plan, made.guarantee)
    assert nw.check(made.files["certificate"])
    known = people()["job"].to_pylist().count("a") / ROWS
    share = again.estimate("job", about="people")
    assert abs(share.values[0] - known) < 8 * share.standard_errors[0]


def test_what_follows_from_the_number_of_rows_is_charged(survey: Survey) -> None:
    ledger = nw.Ledger.open(survey.ledger)
    ledger.grant("people", epsilon="0.3", delta="1e-5")
    plan = nw.Plan(COLUMNS, row_epsilon=2, delta="1e-6", order="shuffled")
    made = nw.release(people(), plan, ledger=ledger, dataset="people")
    proven = nw.shuffled(mechanism=made.plan.mechanism, rows=ROWS, delta="1e-6")
    assert made.guarantee.epsilon.rational == Fraction(repr(proven.upper)) < Fraction("0.3")
    assert made.charged == made.guarantee


def test_public_columns_leave_the_smallest_group_to_hide_in(survey: Survey) -> None:
    split = nw.Plan({**COLUMNS, "region": "public"}, **WANTED)
    table = people(regions=3).slice(0, ROWS - 1)
    made = nw.release(table, split, ledger=None)
    assert made.plan.rows == ROWS // 3 - 1
    alone = nw.Plan(COLUMNS, **WANTED).for_rows(ROWS).row_epsilon
    assert made.plan.row_epsilon is not None
    assert alone is not None
    assert made.plan.row_epsilon < alone
    proven = nw.check(made.certificate)
    assert any(f"the {made.plan.rows} rows of the smallest group" in text for text in proven.proved)
    assert made.table["region"].to_pylist() != table["region"].to_pylist()
    with pytest.raises(InputError, match=r"a row shares with no other its.*too few to hide among"):
        nw.release(people(regions=ROWS), split, ledger=None)


def test_fewer_rows_than_the_plan_counts_on_are_refused(survey: Survey) -> None:
    plan = nw.Plan(COLUMNS, **WANTED, rows=ROWS)
    nw.Ledger.open(survey.ledger).grant("survey", delta="1e-5")
    with pytest.raises(InputError, match=r"counts on 3,000 rows.*there are only 2,999"):
        nw.release(people(rows=ROWS - 1), plan, ledger=survey.ledger, dataset="survey")
    assert survey.states() == []
    # With more rows than that the promise holds all the more.
    made = nw.release(people(rows=ROWS + 1), plan, ledger=None)
    assert made.plan == plan


def test_the_page_says_against_whom(survey: Survey) -> None:
    made = nw.release(people(), nw.Plan(COLUMNS, **WANTED), out=survey.out, ledger=None)
    page = made.files["report"].read_text(encoding="utf-8")
    assert "anyone who sees only the released rows: 3,000 in a random order" in page
    assert "before rows were shuffled" in page
    assert "Rows were shuffled" in page


def test_the_page_compares_shares_with_kept_order_and_synthesis(tmp_path: Path) -> None:
    plan = nw.Plan(COLUMNS, **WANTED)
    made = nw.release(people(regions=3), plan, ledger=None)
    page = made.report(tmp_path / "page.html").read_text(encoding="utf-8")
    tools = ("this private copy, in random order", "rows in their order", "a synthetic table")
    errors = [float(re.findall(rf"{one}</th><td[^>]*>([0-9.]+)", page)[0]) for one in tools]
    assert errors[0] < errors[1]
    assert errors[2] < errors[0]
    kept = nw.release(people(regions=3), nw.Plan(COLUMNS, epsilon=1), ledger=None)
    assert tools[0] not in kept.report(tmp_path / "kept.html").read_text(encoding="utf-8")
