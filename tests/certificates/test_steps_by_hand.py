"""Steps written by hand: what is not of the form is refused, the rest decided to the last bit."""

import copy
import json
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings, strategies as st

from tests.certificates.handmade import (
    LN2,
    SCHEMA,
    certificate,
    choice_step,
    counting_step,
    load_checker,
    one_person,
    parts,
    rows_of,
    steps_of,
)

checker = load_checker()
validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
log_below: Any = checker.numbers.log_below

PURE = steps_of("1", counting_step("1/2", marginal="1/4", query="1/2"), choice_step("1/2", "1/8"))
NORMAL = steps_of("1/8", counting_step("1/8", marginal=("3",)), order="13")


def with_step(form: Any, **fields: Any) -> Any:
    form = copy.deepcopy(form)
    form["steps"][0].update(fields)
    return form


ABSURD: dict[str, tuple[Any, Any]] = {
    "no steps": ({**PURE, "steps": []}, one_person()),
    "no list": ({**PURE, "steps": {}}, one_person()),
    "a step that is none": ({**PURE, "steps": ["x"]}, one_person()),
    "a kind that is none": (with_step(PURE, kind="magic"), one_person()),
    "a kind of another unit": (with_step(PURE, kind="normal"), one_person()),
    "normal noise and epsilon": ({**PURE, "steps": NORMAL["steps"]}, one_person()),
    "geometric noise and rho": ({**NORMAL, "steps": PURE["steps"]}, one_person()),
    "a kind that is a list": (with_step(PURE, kind=["choice"]), one_person()),
    "a unit that is none": ({**PURE, "unit": "delta"}, one_person()),
    "no order": ({**NORMAL, "unit": "rho"} | {"order": None}, one_person()),
    "an order of epsilon": ({**PURE, "order": "2"}, one_person()),
    "what is no text": (with_step(PURE, what=1), one_person()),
    "a float as text": (with_step(PURE, amount="0.5"), one_person()),
    "a float": (with_step(PURE, amount=0.5), one_person()),
    "scientific": (with_step(PURE, amount="5e-1"), one_person()),
    "a negative part": (with_step(PURE, amount="-1/2"), one_person()),
    "no part": (with_step(PURE, amount="0"), one_person()),
    "a part over zero": (with_step(PURE, amount="1/0"), one_person()),
    "a huge part": (with_step(PURE, amount="9" * 1001), one_person()),
    "no noise": (with_step(PURE, noise=[]), one_person()),
    "noise for everything": (with_step(PURE, noise=PURE["steps"][0]["noise"] * 2), one_person()),
    "noise for sums": (with_step(PURE, noise=[{"counts": "sum", "decay": "1/9"}]), one_person()),
    "negative noise": (with_step(PURE, noise=[{"counts": "query", "decay": "-1"}]), one_person()),
    "endless noise": (with_step(PURE, noise=[{"counts": "query", "decay": "0"}]), one_person()),
    "a negative deviation": (
        with_step(NORMAL, noise=[{"counts": "query", "deviation": "-9"}]),
        one_person(),
    ),
    "a deviation of nothing": (
        with_step(NORMAL, noise=[{"counts": "query", "deviation": "0"}]),
        one_person(),
    ),
    "a query whose noise adds up to 0": (
        with_step(PURE, noise=[{"counts": "query", "decay": "1/9", "balanced_cells": 9}]),
        one_person(),
    ),
    "normal noise that adds up to 0": (
        with_step(NORMAL, noise=[{"counts": "marginal", "deviation": "9", "balanced_cells": 9}]),
        one_person(),
    ),
    "half a cell": (
        with_step(PURE, noise=[{"counts": "marginal", "decay": "1/9", "balanced_cells": "1/2"}]),
        one_person(),
    ),
    "cells below none": (
        with_step(PURE, noise=[{"counts": "marginal", "decay": "1/9", "balanced_cells": -1}]),
        one_person(),
    ),
    "a change of nothing": (steps_of("1", choice_step("1", "1/4", 0)), one_person()),
    "a negative change": (steps_of("1", choice_step("1", "1/4", -2)), one_person()),
    "a negative factor": (steps_of("1", choice_step("1", "-1/4")), one_person()),
    "a total of nothing": (steps_of("0", choice_step("0", "1/4")), one_person()),
    "no rows": (PURE, one_person(0)),
    "rows below none": (PURE, one_person(-1)),
    "half a row": (PURE, one_person("1/2")),
}


@pytest.mark.parametrize("name", ABSURD)
def test_what_is_not_of_the_form_is_refused(name: str) -> None:
    form, neighbors = ABSURD[name]
    document = certificate(form, neighbors, "9", "1/2")
    report = checker.check(document)
    assert not report
    assert "format" not in parts(report)
    assert not validator.is_valid(document)


@pytest.mark.parametrize("neighbors", ["replace", "one row", "adjacent"])
def test_other_neighbors_are_refused(neighbors: str) -> None:
    assert parts(checker.check(certificate(PURE, neighbors, "9"))) == {"neighbors"}


def test_too_many_steps_are_refused() -> None:
    many = [choice_step(Fraction(1, 2**17), Fraction(1, 2**20))] * (2**16 + 1)
    report = checker.check(certificate(steps_of("1", *many), one_person(), "9"))
    assert parts(report) == {"steps"}


def test_parts_with_unrelated_denominators_are_refused_before_they_take_long() -> None:
    steps = [choice_step(Fraction(1, 10**900 + place), "1/" + "9" * 999) for place in range(200)]
    report = checker.check(certificate(steps_of("1", *steps), one_person(), "9"))
    assert parts(report) == {"total"}
    assert "denominators" in report.failures[0].message


def test_the_honest_ones_hold_at_the_boundary_and_promise_nothing_for_nothing() -> None:
    assert checker.check(certificate(PURE, one_person(), "1"))
    assert checker.check(certificate(NORMAL, one_person(), "3", "1/100000000"))
    below = Fraction(10**30 - 1, 10**30)
    assert parts(checker.check(certificate(PURE, one_person(), below))) == {"epsilon"}
    tiny = certificate(PURE, one_person(), below, f"1/{10**40}")
    assert parts(checker.check(tiny)) == {"delta"}
    assert not checker.check(certificate(PURE, one_person(), LN2))
    assert checker.check(certificate(PURE, one_person(), {"ln": "3"}))
    assert checker.check(certificate(NORMAL, one_person(), {"ln": "21"}, "1/100000000"))
    assert not checker.check(certificate(NORMAL, one_person(), {"ln": "3"}, "1/100000000"))
    assert checker.check(certificate(NORMAL, one_person(), {"ln": "infinity"}))
    assert checker.check(certificate(NORMAL, one_person(), "0", "1"))
    # A row that is a whole table may become any other: steps say nothing about that.
    rows = rows_of(3, PURE, one_person())
    assert not checker.check(certificate(rows, "one row", "1"))


AMOUNT = st.fractions(Fraction(1, 1000), 2, max_denominator=1000)
BIT = Fraction(1, 1 << 40)


@settings(max_examples=150, deadline=None)
@given(
    data=st.data(),
    rows=st.integers(1, 4),
    pure=st.booleans(),
    spoiled=st.sampled_from([None, "noise", "choice"]),
)
def test_a_step_is_decided_by_its_definition(
    data: st.DataObject, rows: int, pure: bool, spoiled: str | None
) -> None:
    """Scales at what the definitions allow, or slightly beyond it.

    A histogram with all rows of a person moved from one cell to another is listed here, cell by
    cell; a choice is two scores that move in opposite directions.
    """
    counted, chosen = data.draw(AMOUNT), data.draw(AMOUNT)
    change = data.draw(st.integers(1, 3))
    before, after = [rows, 0, 5], [0, rows, 5]
    gaps = [a - b for a, b in zip(before, after, strict=True)]
    width = chosen if pure else root_below(8 * chosen)
    factor = width / (2 * change * rows)
    if pure:
        marginal = counted / sum(map(abs, gaps))
        query = counted / rows
        noise: dict[str, Any] = {"marginal": marginal, "query": query}
    else:
        marginal = 1 / root_below(2 * counted / sum(gap * gap for gap in gaps))
        query = 1 / root_below(2 * counted / rows**2)
        noise = {"marginal": (marginal,), "query": (query,)}
    if spoiled == "noise":
        which = data.draw(st.sampled_from(["marginal", "query"]))
        old = noise[which]
        noise[which] = old * (1 + BIT) if pure else (old[0] * (1 - BIT),)
    if spoiled == "choice":
        factor *= 1 + BIT
    form = steps_of(
        counted + chosen,
        counting_step(counted, **noise),
        choice_step(chosen, factor, change),
        order=None if pure else "2",
    )
    report = checker.check(certificate(form, one_person(rows), "99", "1/9"))
    assert report.holds == (spoiled is None)
    expected = {"noise": {"step 1"}, "choice": {"step 2"}, None: set[str]()}
    assert parts(report) == expected[spoiled]


def root_below(square: Fraction) -> Fraction:
    """A fraction just below the root, by a decimal that is rounded down."""
    context = Context(prec=60, rounding="ROUND_DOWN")
    found = context.sqrt(context.divide(Decimal(square.numerator), Decimal(square.denominator)))
    return Fraction(found) * (1 - Fraction(1, 10**55))


EXACT = Context(prec=400)


def decimal(value: Fraction) -> Decimal:
    return EXACT.divide(Decimal(value.numerator), Decimal(value.denominator))


@settings(max_examples=150, deadline=None)
@given(x=st.fractions(1, 10**30) | st.fractions(1, 2) | st.integers(0, 300).map(lambda k: 2**k))
def test_logarithms_are_below_and_near(x: Fraction) -> None:
    with localcontext(EXACT):
        found, truth = decimal(log_below(Fraction(x))), decimal(Fraction(x)).ln()
        assert found <= truth
        assert truth - found < Decimal(2) ** -230


def enough(rho: Fraction, epsilon: Fraction, a: Fraction) -> Decimal:
    """Canonne–Kamath–Steinke 2020, Prop 12, in 400 digits."""
    r, e, order = decimal(rho), decimal(epsilon), decimal(a)
    with localcontext(EXACT):
        return ((order - 1) * (order * r - e)).exp() * (1 - 1 / order) ** (order - 1) / order


@settings(max_examples=150, deadline=None)
@given(
    rho=st.fractions(Fraction(1, 10**5), 3, max_denominator=10**6),
    epsilon=st.fractions(0, 20, max_denominator=1000),
    order=st.fractions(Fraction(1001, 1000), 200, max_denominator=1000),
)
def test_delta_is_decided_to_fifty_digits(
    rho: Fraction, epsilon: Fraction, order: Fraction
) -> None:
    deviation = Fraction(1) / root_below(rho)
    form = steps_of(rho, counting_step(rho, marginal=(deviation,)), order=order)
    wanted = enough(rho, epsilon, order)
    if wanted >= 1:
        assert parts(checker.check(certificate(form, one_person(), epsilon, "99/100"))) == {"delta"}
        return
    slack = Fraction(1, 10**50)
    for share, holds in ((1 + slack, True), (1 - slack, False)):
        delta = Fraction(wanted) * share
        if delta > 1:
            continue
        report = checker.check(certificate(form, one_person(), epsilon, str(delta)))
        assert report.holds == holds
        assert holds or parts(report) == {"delta"}
