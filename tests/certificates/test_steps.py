"""Certificates of private steps: what a step costs, what all add up to, what that implies."""

import copy
import json
import shutil
import subprocess
import sys
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from runpy import run_path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import noisewright as nw
from noisewright.errors import CertificateError
from noisewright.privacy import certify_steps
from noisewright.synthetic.allowance import Allowance
from noisewright.synthetic.by_blr import ByBlr
from noisewright.synthetic.mst import Mst
from noisewright.synthetic.mwem import Mwem
from tests.certificates.handmade import (
    LN2,
    SCHEMA,
    SOURCE,
    certificate,
    choice_step,
    counting_step,
    load_checker,
    one_person,
    parts,
    rows_of,
    sealed,
    steps_of,
)

checker = load_checker()
validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
log_below: Any = run_path(str(SOURCE / "steps_checker.py"))["log_below"]

DOMAIN = nw.Records(a=nw.Categories(["x", "y"]), b=nw.Counts(2), c=nw.Counts(1))
PAIRS = nw.Workload.marginals(DOMAIN, ways=2)
MIXED = PAIRS + nw.Workload.ranges(DOMAIN, "b")
RANGES = nw.Workload.ranges(DOMAIN, "b")


def fitted(model: Any, **options: Any) -> nw.Certificate:
    rng = np.random.default_rng(3)
    table = {"a": ["x", "y"] * 20, "b": rng.integers(0, 3, 40), "c": rng.integers(0, 2, 40)}
    return model(DOMAIN, **options).fit(table).certificate_


MADE: dict[str, Any] = {
    "mst": lambda: Mst(DOMAIN, PAIRS, Allowance.of(1)).schedule.certificate,
    "mst, delta": lambda: Mst(DOMAIN, PAIRS, Allowance.of(1, 1e-9)).schedule.certificate,
    "mst, rows": lambda: (
        Mst(DOMAIN, PAIRS, Allowance.of("1/3", 1e-6, rows_per_person=7)).schedule.certificate
    ),
    "mst, rows, epsilon": lambda: (
        Mst(DOMAIN, PAIRS, Allowance.of(1, rows_per_person=3)).schedule.certificate
    ),
    "mwem": lambda: Mwem(DOMAIN, MIXED, Allowance.of("1/10"), 5).schedule.certificate,
    "mwem, delta": lambda: (
        Mwem(DOMAIN, MIXED, Allowance.of(4, "1e-12", rows_per_person=2), 3).schedule.certificate
    ),
    "mwem, queries": lambda: Mwem(DOMAIN, RANGES, Allowance.of(1)).schedule.certificate,
    "blr": lambda: (
        ByBlr(DOMAIN, PAIRS, Allowance.of(2, rows_per_person=3), 4, 50).schedule.certificate
    ),
    "naive Bayes": lambda: fitted(nw.PrivateNaiveBayes, label="a", epsilon=1),
    "naive Bayes, delta": lambda: fitted(nw.PrivateNaiveBayes, label="a", epsilon=1, delta=0.4),
    "tree": lambda: fitted(nw.PrivateTree, epsilon=1, delta=1e-6),
}


@pytest.mark.parametrize("name", MADE)
def test_what_the_library_writes_is_proven_fits_the_schema_and_cannot_be_loaded(
    name: str, tmp_path: Path
) -> None:
    made = MADE[name]()
    document = json.loads(made.to_json())
    assert checker.check(document)
    assert nw.check(made)
    validator.validate(document)
    path = made.save(tmp_path / "steps.certificate.json")
    assert nw.check(path)
    with pytest.raises(CertificateError, match=r"nothing to load\. nw\.check proves it"):
        nw.load(path)


def unit_of(document: Any) -> str:
    return document["mechanism"]["unit"]


def scaled(step: Any, field: str, factor: Fraction) -> None:
    step[field] = str(Fraction(step[field]) * factor)


HAIR = 1 + Fraction(1, 10**12)


def less_noise(document: Any) -> None:
    for step in document["mechanism"]["steps"]:
        for noise in step.get("noise", [])[-1:]:
            if unit_of(document) == "epsilon":
                scaled(noise, "decay", HAIR)
            else:
                scaled(noise, "deviation", 1 / HAIR)


def steeper_choice(document: Any) -> None:
    for step in document["mechanism"]["steps"]:
        if step["kind"] == "choice":
            scaled(step, "factor", HAIR)


def one_more_row(document: Any) -> None:
    document["neighbors"]["rows_per_person"] += 1


def first_missing(document: Any) -> None:
    del document["mechanism"]["steps"][0]


def one_twice(document: Any) -> None:
    document["mechanism"]["steps"].append(document["mechanism"]["steps"][-1])


def part_moved(document: Any) -> None:
    """From the first step to the last, with the noise of both as it was."""
    steps = document["mechanism"]["steps"]
    spare = Fraction(steps[0]["amount"]) / 10**9
    steps[0]["amount"] = str(Fraction(steps[0]["amount"]) - spare)
    steps[-1]["amount"] = str(Fraction(steps[-1]["amount"]) + spare)


def larger_total(document: Any) -> None:
    scaled(document["mechanism"], "total", HAIR)


def everything_larger(document: Any) -> None:
    """More of the budget than is claimed, with all sums right."""
    scaled(document["mechanism"], "total", 1 + Fraction(1, 10**6))
    for step in document["mechanism"]["steps"]:
        scaled(step, "amount", 1 + Fraction(1, 10**6))


def smaller_epsilon(document: Any) -> None:
    scaled(document["claims"]["epsilon"], "value", 1 - Fraction(1, 10**6))


FORGERIES: dict[str, tuple[Any, str]] = {
    "less noise": (less_noise, "step"),
    "steeper choices": (steeper_choice, "step"),
    "one more row": (one_more_row, "step"),
    "a step missing": (first_missing, "total"),
    "a step twice": (one_twice, "total"),
    "parts moved": (part_moved, "step"),
    "a larger total": (larger_total, "total"),
    "a larger budget": (everything_larger, "claim"),
    "a smaller epsilon": (smaller_epsilon, "claim"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
@pytest.mark.parametrize("name", ["mst", "mst, rows", "mwem", "mwem, delta"])
def test_a_forged_certificate_is_refused_and_told_what_is_wrong(name: str, forgery: str) -> None:
    document = json.loads(MADE[name]().to_json())
    change, wrong = FORGERIES[forgery]
    change(document)
    assert not checker.check(document)
    named = parts(checker.check(sealed(document)))
    claim = {"epsilon"} if unit_of(document) == "epsilon" else {"delta"}
    if wrong == "step":
        assert len(named) == 1
        assert named.pop().startswith("step ")
    else:
        assert named == (claim if wrong == "claim" else {wrong})


def test_noise_that_adds_up_to_0_is_refused_where_the_total_is_not_public() -> None:
    """Noise for two rows of a person, at its price; but a person may have one of them only."""
    honest = json.loads(MADE["mst"]().to_json())
    noises = [noise for step in honest["mechanism"]["steps"] for noise in step.get("noise", [])]
    assert {noise["balanced_cells"] for noise in noises} == {256}
    for step in honest["mechanism"]["steps"]:
        if step["kind"] == "choice":
            scaled(step, "factor", Fraction(1, 2))
    for noise in noises:
        scaled(noise, "decay", Fraction(1, 2))
    assert checker.check(sealed(honest))
    one_more_row(honest)
    report = checker.check(sealed(honest))
    assert parts(report) == {"step 1"}
    assert "needs a public total; a person has up to 2 rows" in report.failures[0].message
    for noise in noises:
        del noise["balanced_cells"]
    assert checker.check(sealed(honest))


@pytest.mark.parametrize("name", MADE)
def test_only_what_may_add_up_to_0_does(name: str) -> None:
    """Marginals with geometric noise, and one row for each person."""
    document = json.loads(MADE[name]().to_json())
    alone = document["neighbors"]["rows_per_person"] == 1
    for step in document["mechanism"]["steps"]:
        for noise in step.get("noise", []):
            may = alone and step["kind"] == "geometric" and noise["counts"] == "marginal"
            assert ("balanced_cells" in noise) == may
            noise.pop("balanced_cells", None)
    # Certificates from before, whose noise is independent, are as good.
    assert checker.check(sealed(document))
    validator.validate(sealed(document))


@pytest.mark.parametrize("name", ["mst, delta", "mst, rows", "mwem, delta"])
def test_a_smaller_delta_and_another_order_are_refused(name: str) -> None:
    honest = json.loads(MADE[name]().to_json())
    order = Fraction(honest["mechanism"]["order"])
    delta = Fraction(honest["claims"]["delta"])
    for field, value, part in (
        ("delta", str(delta * (1 - Fraction(1, 10**5))), "delta"),
        ("delta", "0", "delta"),
        ("order", "1", "order"),
        ("order", "1/2", "order"),
        ("order", str(order * Fraction(9, 10)), "delta"),
        ("order", str(order * Fraction(11, 10)), "delta"),
        ("order", "9" * 1000, "delta"),
        ("order", "1" + "0" * 999 + "1/1" + "0" * 999, "order"),
    ):
        forged = copy.deepcopy(honest)
        forged["claims" if field == "delta" else "mechanism"][field] = value
        assert parts(checker.check(sealed(forged))) == {part}


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
    rows = rows_of(3, PURE, one_person())
    assert checker.check(certificate(rows, "one row", "1"))


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
    """Scales at what the definitions allow, or a hair beyond it.

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
    hair = Fraction(1, 10**50)
    for share, holds in ((1 + hair, True), (1 - hair, False)):
        delta = Fraction(wanted) * share
        if delta > 1:
            continue
        report = checker.check(certificate(form, one_person(), epsilon, str(delta)))
        assert report.holds == holds
        assert holds or parts(report) == {"delta"}


def test_the_library_refuses_to_write_what_is_not_true() -> None:
    step = counting_step("1", marginal="2/3")
    with pytest.raises(CertificateError, match=r"step 1: costs 1\.33.*Nothing was spent"):
        certify_steps([step], unit="epsilon", total=Fraction(1), guarantee=nw.Guarantee(1))
    normal = counting_step("1/8", marginal=("3",))
    made = certify_steps(
        [normal], unit="rho", total=Fraction(1, 8), guarantee=nw.Guarantee(3, 1e-8)
    )
    assert nw.check(made)
    with pytest.raises(CertificateError, match="delta"):
        certify_steps([normal], unit="rho", total=Fraction(1, 8), guarantee=nw.Guarantee(3, 1e-9))


@pytest.mark.parametrize("name", ["mst", "mwem, delta"])
def test_three_files_and_python_are_all_it_takes(name: str, tmp_path: Path) -> None:
    path = MADE[name]().save(tmp_path / "steps.certificate.json")
    shutil.copy(SOURCE / "checker.py", tmp_path)
    run = [sys.executable, "-I", "-S", str(tmp_path / "checker.py"), str(path)]
    files = ["formula_checker.py", "steps_checker.py"]
    while files:
        alone = subprocess.run(run, capture_output=True, text=True, check=False)
        assert alone.returncode == 2
        assert f"needs {' and '.join(files)} beside this one" in alone.stdout
        shutil.copy(SOURCE / files.pop(0), tmp_path)
    together = subprocess.run(run, capture_output=True, text=True, check=False)
    assert together.returncode == 0, together.stdout + together.stderr
    assert "the parts add up to" in together.stdout


PUBLIC = "Assuming: the number of rows is public (noise on small marginals adds up to 0)."


@pytest.mark.parametrize(
    ("name", "rows", "public"),
    [("mst", "one row", True), ("mst, delta", "one row", False), ("mst, rows", "up to 7", False)],
)
def test_what_is_taken_on_trust_is_said(name: str, rows: str, public: bool) -> None:
    said = nw.check(MADE[name]()).proved
    assert any(line.startswith(f"Assuming: one person has {rows}") for line in said)
    assert (PUBLIC in said) == public
    assert len({*said}) == len(said)
