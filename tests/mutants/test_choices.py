"""Tampered certificates of private choices, and choices that are not what was certified.

Each is caught, and what is wrong is named; nothing is drawn for it.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

import noisewright as nw
from noisewright import checker
from noisewright.errors import CertificateError
from noisewright.selection import QualitySensitivity
from tests.certificates.documents import resealed
from tests.selection.all_choices import ALL, FIRST, NoBits

SLIGHTLY = 1 + Fraction(1, 10**12)


def scaled(part: Any, field: str, factor: Fraction) -> None:
    part[field] = str(Fraction(part[field]) * factor)


def each_step(change: Callable[[Any], None]) -> Callable[[Any], None]:
    def changed(document: Any) -> None:
        for step in document["mechanism"]["steps"]:
            change(step)

    return changed


def larger_claim(document: Any) -> None:
    """A budget that was not asked for, divided rightly."""
    scaled(document["mechanism"], "total", 1 + Fraction(1, 10**6))
    each_step(lambda step: scaled(step, "amount", 1 + Fraction(1, 10**6)))(document)


def smaller_epsilon(document: Any) -> None:
    epsilon = document["claims"]["epsilon"]
    if "value" in epsilon:
        scaled(epsilon, "value", 1 - Fraction(1, 10**6))
    else:
        epsilon["ln"] = str(1 + (Fraction(epsilon["ln"]) - 1) * Fraction(999999, 10**6))


def once_more(document: Any) -> None:
    steps = document["mechanism"]["steps"]
    steps.append(steps[-1])


def more_rows(document: Any) -> None:
    document["neighbors"]["rows_per_person"] += 1


FORGERIES: dict[str, tuple[Callable[[Any], None], str]] = {
    "a larger factor": (each_step(lambda step: scaled(step, "factor", SLIGHTLY)), "step 1"),
    "a larger change": (each_step(lambda step: scaled(step, "change", SLIGHTLY)), "step 1"),
    "a smaller part": (each_step(lambda step: scaled(step, "amount", 1 / SLIGHTLY)), "step 1"),
    "more rows": (more_rows, "step 1"),
    "another law": (each_step(lambda step: step.update(by="report the best")), "step 1"),
    "once more": (once_more, "total"),
    "a larger total": (lambda document: scaled(document["mechanism"], "total", SLIGHTLY), "total"),
    "a larger claim": (larger_claim, "claim"),
    "a smaller epsilon": (smaller_epsilon, "claim"),
}

# No change is larger than the range.
HARMLESS = {("a range, narrow", "a larger change"), ("a range, narrow", "more rows")}


@pytest.mark.parametrize("forgery", FORGERIES)
@pytest.mark.parametrize("name", ALL)
def test_a_forged_certificate_is_refused_and_told_what_is_wrong(name: str, forgery: str) -> None:
    document = json.loads(ALL[name](FIRST).certificate.to_json())
    change, wrong = FORGERIES[forgery]
    change(document)
    assert {failure.part for failure in checker.check(document).failures} >= {"digest"}
    named = {failure.part for failure in checker.check(resealed(document)).failures}
    if (name, forgery) in HARMLESS:
        assert not named
        return
    if wrong == "claim":
        wrong = "delta" if document["claims"]["delta"] != "0" else "epsilon"
    assert named == {wrong}


def test_one_way_where_it_was_both_is_a_smaller_factor_than_needed_and_not_the_reverse() -> None:
    """To say "one way" is to promise more; taking the promise back is refused."""
    document = json.loads(ALL["minimum"](FIRST).certificate.to_json())
    document["mechanism"]["steps"][0]["moves"] = "both ways"
    (failure,) = checker.check(resealed(document)).failures
    assert failure.part == "step 1"
    assert "costs 1; its part is less" in failure.message


@pytest.mark.parametrize("field", ["candidates", "width"])
def test_another_range_is_refused(field: str) -> None:
    for name in ("a range", "a range, monotonic"):
        document = json.loads(ALL[name](FIRST).certificate.to_json())
        step = document["mechanism"]["steps"][0]
        if field == "candidates":
            step["candidates"] += 1
        else:
            scaled(step, "width", SLIGHTLY)
        (failure,) = checker.check(resealed(document)).failures
        assert failure.part == "step 1"
        assert "costs more than its part, with scores in a range of" in failure.message


def steeper(made: Any) -> Any:
    return replace(made, factor=made.factor * (1 + Fraction(1, 1 << 40)))


def for_less(made: Any) -> Any:
    return replace(made, claim=nw.accounting.Guarantee(Fraction(made.claim.epsilon.floor()) / 2))


def more_sensitive(made: Any) -> Any:
    known = made.sensitivity
    return replace(made, sensitivity=QualitySensitivity(known.change * 2, known.one_way))


# BLR has no factor of its own, and what one person changes is known for quantiles and BLR.
OWN_FACTOR = [name for name in ALL if "BLR" not in name]
PROMISED = [name for name in OWN_FACTOR if name not in {"median", "quantile", "minimum"}]
TAMPERED = [
    *((name, steeper) for name in OWN_FACTOR),
    *((name, for_less) for name in OWN_FACTOR),
    *((name, more_sensitive) for name in PROMISED),
]


@pytest.mark.parametrize(("name", "tamper"), TAMPERED)
def test_a_choice_that_is_not_proven_is_not_drawn(name: str, tamper: Callable[[Any], Any]) -> None:
    made = tamper(ALL[name](FIRST))
    with pytest.raises(CertificateError, match=r"is not proven.*Nothing was spent or drawn\."):
        made.sample(source=NoBits())
