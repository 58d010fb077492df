"""What a person changes in questions that are asked together, and forged certificates of them."""

from __future__ import annotations

import copy
import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.certificates import certify_query
from noisewright.errors import CertificateError, ParameterError
from noisewright.queries import JointPlan, Question
from noisewright.queries.noise import CellNoise
from noisewright.queries.planning.contrasts import part_places, to_contrasts
from noisewright.queries.planning.measurements import ContrastMeasurement, CountMeasurement
from noisewright.queries.private import CHANGES, derive
from noisewright.sampling import SeededSource
from tests.queries.joint_plans import ROWS, UNITS, answers_of, plan, private, some
from tests.queries.random_plans import (
    Row,
    neighbors,
    numbers_of,
    on_table,
    random_aggregate,
    random_key,
    random_question,
    random_row,
    table_of,
)


def cost_of_change(planned: JointPlan, one: list[Row], other: list[Row]) -> float:
    """What it costs that all numbers with noise change, by the law of the noise of each."""
    cost = 0.0
    for own in planned.own.values():
        gap = numbers_of(own.measurement, one) - numbers_of(own.measurement, other)
        cost += _cost(gap.astype(float), own.noise.unit, float(own.noise.scale), own.noise)
    shared = planned.shared
    if shared is None:
        return cost
    tables = [replace(shared, rows=on_table(shared.rows, table_of(rows))) for rows in (one, other)]
    for m in shared.strategy.measurements:
        numbers = []
        for each in tables:
            by = each._by(m.attributes)
            counts = m.count(by.compute().reshape(by.tally().sizes))
            if isinstance(m, ContrastMeasurement):
                counts = to_contrasts(counts, m.cut_axes)[part_places(m.cut_axes, m.levels)]
            numbers.append(counts.astype(float))
        scale = float(m.noise.scale) if isinstance(m, CountMeasurement) else m.deviations
        noise = m.noise if isinstance(m, CountMeasurement) else None
        cost += _cost(numbers[0] - numbers[1], planned.budget.unit, scale, noise)
    return cost


def _cost(gap: Any, unit: str, scale: Any, noise: CellNoise | None) -> float:
    if unit == "epsilon":
        # With noise that adds up to 0, rows in no cell are one more number.
        rest = abs(gap.sum()) if noise is not None and noise.balanced_cells else 0
        return float((np.abs(gap).sum() + rest) * scale)
    return float((gap**2 / (2 * scale**2)).sum())


@pytest.mark.parametrize("rows", [None, 2])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("unit", UNITS)
def test_nobody_changes_more_than_is_paid_for(unit: str, change: Any, rows: int | None) -> None:
    people = private(person=None if rows is None else "person", change=change)
    people = people if rows is None else people.limit(rows=rows)
    planned = plan(some(people.filter(nw.col("x") < 3)), unit)
    worst, draw = 0.0, random.Random(5)
    for _ in range(6):
        one = [random_row(draw, draw.choice("pq")) for _ in range(5)]
        for other in neighbors(draw, one, planned.questions[0]):
            worst = max(worst, cost_of_change(planned, one, other))
    total = float(planned.budget.total)
    assert total / 10 < worst <= total * (1 + 1e-9)


def random_questions(draw: random.Random) -> list[Question]:
    """Questions about one random table: its rows are filtered, limited and joined at random."""
    first = None
    while first is None:
        first = random_question(draw)
    table = derive(first.table, on_table(first.table.rows, table_of(ROWS)))
    found = [Question.of(table, first.keys, first.aggregates)]
    while len(found) < 4:
        keys: dict[str, Any] = {f"k{k}": random_key(draw) for k in range(draw.randrange(3))}
        aggregates = {"a": draw.choice([nw.count(), random_aggregate(draw)])}
        try:
            found.append(
                table.group_by(**keys).agg(**aggregates) if keys else table.agg(**aggregates)
            )
        except ParameterError:
            continue
    return found


@pytest.mark.parametrize("seed", range(4))
def test_random_questions_together(seed: int) -> None:
    """They say without noise what they say alone, and cost no more than is certified."""
    draw = random.Random(seed)
    for unit in UNITS:
        questions = random_questions(draw)
        planned = plan(questions, unit)
        planned.certify()
        for _ in range(3):
            one = [random_row(draw, draw.choice("pq")) for _ in range(draw.randrange(6))]
            for other in neighbors(draw, one, questions[0]):
                cost = cost_of_change(planned, one, other)
                assert cost <= float(planned.budget.total) * (1 + 1e-9), questions
        if questions[0].table.budget.person is not None:
            continue  # Which rows count of a person depends on what is read of them.
        exact = plan(questions, unit, 10**9)
        for place, answer in enumerate(answers_of(exact)):
            if any(at[0] == place for at in exact.own):
                continue
            alone = questions[place].release(epsilon=10**9, source=SeededSource(0))
            for name in alone.unbiased.column_names:
                found, expected = (each.unbiased[name].to_pylist() for each in (answer, alone))
                exactly = (
                    found if isinstance(found[0], str | bool) else pytest.approx(found, abs=1e-6)
                )
                assert exactly == expected, (str(questions[place]), name)


@pytest.mark.parametrize("unit", UNITS)
def test_a_forged_certificate_is_refused(unit: str) -> None:
    planned = plan(some(private(person="person").limit(rows=2)), unit)
    certificate = planned.certify()
    assert certificate.guarantee == planned.budget.guarantee
    assert "Assuming" in str(nw.check(certificate))
    shared = planned.shared
    assert shared is not None
    honest = shared.describe()
    honest += [one.measurement.describe(one.noise, one.amount) for one in planned.own.values()]
    amounts = sum(Fraction(one["amount"]) for one in honest)
    assert amounts == planned.budget.total

    def certify(measurements: Any) -> Any:
        return certify_query(
            measurements,
            columns=certificate.document["mechanism"]["columns"],
            unit=planned.budget.unit,
            total=planned.budget.total,
            guarantee=planned.budget.guarantee,
            change="replace",
        )

    certify(honest)
    for place in range(len(honest)):
        for forge in (_take_amount, _more_rows, _less_noise, _no_limit):
            forged = copy.deepcopy(honest)
            forge(forged[place])
            with pytest.raises(CertificateError):
                certify(forged)
    with pytest.raises(CertificateError, match="add up"):
        certify(honest[1:])


def _take_amount(one: Any) -> None:
    one["amount"] = str(Fraction(one["amount"]) * Fraction(99, 100))


def _more_rows(one: Any) -> None:
    rows = one["rows"]
    while rows["rows"] != "limit":
        rows = rows["of"]
    rows["rows_each"] += 1


def _less_noise(one: Any) -> None:
    noise = one["noise"]
    if noise["kind"] == "contrasts":
        for part in noise["parts"]:
            part["precision"] = str(Fraction(part["precision"]) * Fraction(3, 2))
    elif noise["kind"] == "normal":
        noise["deviation"] = str(Fraction(noise["deviation"]) * Fraction(9, 10))
    else:
        noise["decay"] = str(Fraction(noise["decay"]) * Fraction(11, 10))


def _no_limit(one: Any) -> None:
    rows = one["rows"]
    while "of" in rows:
        rows = rows["of"]
    one["rows"] = rows
