"""Certificates of private choices: what they say, what they leave out, and what a step may cost."""

import json
import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.errors import CertificateError
from noisewright.selection.choice_job import LARGEST, MOST_ALIKE
from tests.certificates.handmade import (
    SCHEMA,
    certificate,
    law_step,
    load_checker,
    one_person,
    parts,
    steps_of,
)
from tests.exact.decimals import as_decimal, precise
from tests.selection.all_choices import ALL, FIRST, OTHER
from tests.selection.exactly_by_hand import by_coins, by_powers

checker = load_checker()
validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
CONTEXT = precise(60)
POWERS, COINS, NOISE = "exponential mechanism", "permute and flip", "noisy max"


def mechanism_of(choice: Any) -> Any:
    return json.loads(choice.certificate.to_json())["mechanism"]


@pytest.mark.parametrize("name", ALL)
def test_it_is_proven_fits_the_schema_and_cannot_be_loaded(name: str, tmp_path: Path) -> None:
    choice = ALL[name](FIRST)
    made = choice.certificate
    assert made.guarantee == choice.claim
    document = json.loads(made.to_json())
    assert checker.check(document)
    validator.validate(document)
    path = made.save(tmp_path / "choice.certificate.json")
    assert nw.check(path)
    with pytest.raises(CertificateError, match="nothing to load"):
        nw.load(path)


@pytest.mark.parametrize("name", ALL)
def test_other_data_makes_the_same_file(name: str) -> None:
    first = ALL[name](FIRST).certificate.to_json()
    assert first == ALL[name](OTHER).certificate.to_json()
    assert first == ALL[name](FIRST).certificate.to_json()


def test_neither_rows_nor_candidates_nor_records_are_in_it() -> None:
    """Also what is public is left out where no proof needs it."""
    few = ALL["BLR"](FIRST).certificate.to_json()
    assert few == ALL["BLR"](FIRST * 7).certificate.to_json()
    assert ALL["median"](FIRST).certificate == ALL["median"](FIRST * 7).certificate
    for name in ("exponential", "permute and flip", "noisy max"):
        said = {"kind", "what", "amount", "by", "moves", "factor", "change"}
        (step,) = mechanism_of(ALL[name](FIRST))["steps"]
        assert set(step) - {"step"} == said
        assert step["what"] == f"a choice by {step['by']}"


SAID: dict[str, dict[str, Any]] = {
    "exponential": {"by": POWERS, "moves": "both ways", "factor": "5/32", "change": "16/5"},
    "a range": {"by": POWERS, "moves": "both ways", "change": "1", "candidates": 3, "width": "4"},
    "a range, monotonic": {"moves": "one way", "change": "3/2", "candidates": 3, "width": "6"},
    "permute and flip": {"by": COINS, "moves": "both ways", "factor": "1/2", "change": "1"},
    "permute and flip, monotonic": {"moves": "one way", "factor": "6", "change": "1/3"},
    "noisy max": {"by": NOISE, "factor": "1/2", "change": "1", "step": "1/2"},
    "top k": {"by": COINS, "amount": "1/2", "factor": "1/4", "change": "1"},
    "median": {"by": POWERS, "moves": "both ways", "factor": "1/2", "change": "1"},
    "minimum": {"by": POWERS, "moves": "one way", "factor": "1/2", "change": "1"},
    "BLR": {"by": POWERS, "moves": "both ways", "factor": "1/2", "change": "1"},
}


@pytest.mark.parametrize("name", SAID)
def test_what_it_says(name: str) -> None:
    step = mechanism_of(ALL[name](FIRST))["steps"][0]
    assert {field: step[field] for field in SAID[name]} == SAID[name]


@pytest.mark.parametrize(
    ("name", "rounds", "unit", "words"),
    [
        ("top k", 2, "epsilon", "add up to 1 epsilon"),
        ("top k, delta", 2, "epsilon", "Equal parts compose"),
        ("top k, delta, coins", 2, "epsilon", "Equal parts compose"),
        ("top k, many rounds", 50, "rho", "This rho implies"),
    ],
)
def test_rounds_are_steps(name: str, rounds: int, unit: str, words: str) -> None:
    made = ALL[name](FIRST)
    mechanism = mechanism_of(made)
    assert (len(mechanism["steps"]), mechanism["unit"]) == (rounds, unit)
    assert any(words in sentence for sentence in nw.check(made.certificate).proved)


def by_noise(qualities: Sequence[Fraction], factor: Fraction) -> list[Fraction]:
    """Noisy max in steps of 1, noise after noise, until what is left is below 10^-40."""
    with localcontext(CONTEXT):
        a = as_decimal(-factor, CONTEXT).exp()
        terms = math.ceil(95 / factor)
        powers = [Decimal(1)]
        for _ in range(terms + 20):
            powers.append(powers[-1] * a)
        found: list[Fraction] = []
        for y, own in enumerate(qualities):
            total = Decimal(0)
            for noise in range(terms):
                chance = (1 - a) * powers[noise]
                for z, other in enumerate(qualities):
                    if z != y:
                        # The noise of z is below this; of equal sums the first one wins.
                        end = int(own + noise - other) + (z > y)
                        chance *= 1 - powers[max(0, end)]
                total += chance
            found.append(Fraction(total))
        return found


LAWS: dict[str, Callable[[Sequence[Fraction], Fraction], list[Fraction]]] = {
    POWERS: by_powers,
    COINS: by_coins,
    NOISE: by_noise,
}


def largest_loss(law: str, factor: Fraction, scores: Any, moves: Any) -> Decimal:
    """Of all scores and all moves that are listed, the largest ln P(y|x) / P(y|x')."""
    worst = Decimal(0)
    for before in scores:
        here = LAWS[law](before, factor)
        for move in moves:
            there = LAWS[law]([q + d for q, d in zip(before, move, strict=True)], factor)
            for p, q in zip(here, there, strict=True):
                worst = max(worst, abs(CONTEXT.ln(as_decimal(p / q, CONTEXT))))
    return worst


@pytest.mark.parametrize("moves", ["both ways", "one way"])
@pytest.mark.parametrize("law", LAWS)
def test_what_the_checker_says_a_choice_costs_is_needed_and_enough(law: str, moves: str) -> None:
    """Over all scores of a small grid and all that one person can do to them.

    The exponential mechanism among few candidates costs a little less than what is proven.
    """
    change = [-1, 0, 1] if moves == "both ways" else [0, 1]
    scores = [[Fraction(q) for q in each] for each in product([0, 4], repeat=3)]
    listed = list(product(change, repeat=3))
    factor = Fraction(1)
    found = Fraction(largest_loss(law, factor, scores, listed))
    step = {"step": "1"} if law == NOISE else {}
    slack = Fraction(1, 10**25)

    def proven(amount: Fraction) -> bool:
        only = law_step(amount, factor, 1, by=law, moves=moves, **step)
        return bool(checker.check(certificate(steps_of(amount, only), one_person(), amount)))

    claimed = factor * (2 if moves == "both ways" else 1)
    assert proven(claimed)
    assert not proven(claimed - slack)
    assert found <= claimed + slack
    assert found > claimed * Fraction(9, 10)


@settings(max_examples=40, deadline=None)
@given(
    candidates=st.integers(2, 3),
    width=st.fractions(Fraction(1, 4), 6, max_denominator=8),
    change=st.fractions(Fraction(1, 4), 8, max_denominator=8),
    factor=st.fractions(Fraction(1, 20), 2, max_denominator=20),
    one_way=st.booleans(),
    rows=st.integers(1, 2),
)
def test_a_range_is_decided_by_its_worst_tables(
    candidates: int, width: Fraction, change: Fraction, factor: Fraction, one_way: bool, rows: int
) -> None:
    """Scores at the ends of the range, moved as far as they may be: the largest loss is needed."""
    far = min(change * rows, width)
    worst = Decimal(0)
    for before in product([Fraction(0), width], repeat=candidates):
        here = by_powers(before, factor)
        inwards = [far if score == 0 else -far for score in before]
        for kept in product([0, 1], repeat=candidates):
            move = [d * k for d, k in zip(inwards, kept, strict=True)]
            if one_way and min(move) < 0 < max(move):
                continue
            there = by_powers([q + d for q, d in zip(before, move, strict=True)], factor)
            for p, q in zip(here, there, strict=True):
                worst = max(worst, abs(CONTEXT.ln(as_decimal(p / q, CONTEXT))))
    moves = "one way" if one_way else "both ways"
    spare = 1 + Fraction(1, 2**55)
    for amount, holds in ((Fraction(worst) * spare, True), (Fraction(worst) / spare, False)):
        only = law_step(
            amount,
            factor,
            change,
            by=POWERS,
            moves=moves,
            candidates=candidates,
            width=str(width),
        )
        report = checker.check(certificate(steps_of(amount, only), one_person(rows), amount))
        assert report.holds == holds
        assert holds or parts(report) == {"step 1"}


@settings(max_examples=60, deadline=None)
@given(
    rounds=st.integers(2, 7),
    each=st.fractions(Fraction(1, 50), 2, max_denominator=50),
    share=st.fractions(0, Fraction(99, 100), max_denominator=100),
)
def test_rounds_that_are_alike_are_decided_by_coins(
    rounds: int, each: Fraction, share: Fraction
) -> None:
    """δ of so many answers by randomized response, outcome by outcome, decides."""
    epsilon = rounds * each * share
    odds = Fraction(CONTEXT.exp(as_decimal(each, CONTEXT)))
    power = Fraction(CONTEXT.exp(as_decimal(epsilon, CONTEXT)))
    lost = Fraction(0)
    for outcome in product([True, False], repeat=rounds):
        p = math.prod((odds if kept else 1) / (1 + odds) for kept in outcome)
        q = math.prod((1 if kept else odds) / (1 + odds) for kept in outcome)
        lost += max(Fraction(0), p - power * q)
    steps = [law_step(each, each / 2, 1, by=COINS)] * rounds
    form = steps_of(rounds * each, *steps)
    slack = Fraction(1, 10**40)
    assert checker.check(certificate(form, one_person(), epsilon, str(lost * (1 + slack))))
    report = checker.check(certificate(form, one_person(), epsilon, str(lost * (1 - slack))))
    assert parts(report) == {"delta"}


def test_rounds_that_are_not_alike_only_add_up() -> None:
    steps = [law_step(amount, Fraction(amount) / 2, 1, by=COINS) for amount in ("1/2", "1/3")]
    form = steps_of("5/6", *steps)
    assert checker.check(certificate(form, one_person(), "5/6"))
    assert parts(checker.check(certificate(form, one_person(), "4/5", "1/2"))) == {"epsilon"}


RANGED: dict[str, Any] = {"candidates": 2, "width": "2"}
ABSURD: dict[str, Any] = {
    "a law that is none": {"by": "magic"},
    "a law that is a list": {"by": [POWERS]},
    "a way that is none": {"moves": "sideways"},
    "no way": {"moves": None},
    "a change of nothing": {"change": "0"},
    "a negative change": {"change": "-1"},
    "a whole change": {"change": 1},
    "a negative factor": {"factor": "-1/2"},
    "steps of powers": {"step": "1"},
    "no step of noise": {"by": NOISE},
    "steps of nothing": {"by": NOISE, "step": "0"},
    "a range without candidates": {"width": "2"},
    "candidates without a range": {"candidates": 2},
    "one candidate": RANGED | {"candidates": 1},
    "a range of nothing": RANGED | {"width": "0"},
    "a range of coins": RANGED | {"by": COINS},
    "a step and a range": RANGED | {"by": NOISE, "step": "1"},
}


@pytest.mark.parametrize("name", ABSURD)
def test_what_is_not_of_the_form_is_refused(name: str) -> None:
    step = law_step("1", "1/2", "1", by=POWERS) | ABSURD[name]
    document = certificate(steps_of("1", step), one_person(), "9", "1/2")
    assert parts(checker.check(document)) == {"step 1"}
    assert not validator.is_valid(document)


@pytest.mark.parametrize(
    "step",
    [
        law_step("1/8", "1/2", "1", by=COINS),
        law_step("1/8", "1/2", "1", by=NOISE, step="1"),
        law_step("1/8", "1/2", "1", by=POWERS, **RANGED),
    ],
    ids=["coins", "noise", "a range"],
)
def test_only_powers_have_a_bounded_range(step: Any) -> None:
    """ρ = ε²/8 would be too little for the others."""
    document = certificate(steps_of("1/8", step, order="9"), one_person(), "9", "1/2")
    assert parts(checker.check(document)) == {"step 1"}
    assert not validator.is_valid(document)


def test_what_would_take_forever_is_refused() -> None:
    steep = law_step("4000", "3000", "1", by=POWERS, **RANGED)
    report = checker.check(certificate(steps_of("4000", steep), one_person(), "4000"))
    assert parts(report) == {"step 1"}
    many = [law_step("1/100", "1/200", "1", by=COINS)] * 4097
    report = checker.check(certificate(steps_of("4097/100", *many), one_person(), "9", "1/2"))
    assert parts(report) == {"steps"}
    large = [law_step("2049", "2049/2", "1", by=COINS)] * 2
    report = checker.check(certificate(steps_of("4098", *large), one_person(), "9", "1/2"))
    assert parts(report) == {"steps"}


def test_the_library_goes_as_far_as_the_checker() -> None:
    assert checker.numbers.LARGEST_EXPONENT == LARGEST
    assert checker.composition.MOST_EQUAL == MOST_ALIKE


@pytest.mark.parametrize("rounds", [2, 40])
def test_a_large_claim_and_many_rounds_are_proven_too(rounds: int) -> None:
    values = [0] * rounds
    for epsilon in (5000, 30, "1/1000"):
        made = nw.select.top_k(
            range(rounds), values, k=rounds, sensitivity=1, epsilon=epsilon, delta=0.01
        )
        assert nw.check(made.certificate)


@pytest.mark.parametrize("epsilon", ["1e-9", "1e-40", 1, 300, 5000])
@pytest.mark.parametrize("ends", [(0, 1), (0, 40), (0, 10**9)])
def test_every_range_that_can_be_calibrated_is_proven(ends: Any, epsilon: Any) -> None:
    made = nw.exponential(["l", "r"], [0, 1], sensitivity=2, epsilon=epsilon, quality_range=ends)
    assert nw.check(made.certificate)


@pytest.mark.parametrize(
    ("name", "assumed"),
    [
        ("exponential", ["one person changes a quality by at most 16/5, both ways"]),
        ("permute and flip, monotonic", ["one person changes a quality by at most 1/3, one way"]),
        (
            "noisy max",
            [
                "one person changes a quality by at most 1, both ways",
                "qualities are whole multiples of 1/2",
            ],
        ),
        ("top k, many rounds", ["one person changes a quality by at most 1, both ways"]),
    ],
)
def test_what_is_taken_on_trust_is_said_once(name: str, assumed: list[str]) -> None:
    said = checker.check(json.loads(ALL[name](FIRST).certificate.to_json())).proved
    assert [line for line in said if line.startswith("Assuming")] == [
        f"Assuming: {words}." for words in assumed
    ]


def test_a_range_is_taken_on_trust() -> None:
    said = nw.check(ALL["a range"](FIRST).certificate).proved
    width = mechanism_of(ALL["a range"](FIRST))["steps"][0]["width"]
    assert f"Assuming: qualities lie in a range of width {width}." in said


def test_rows_of_a_person_and_long_numbers_are_said() -> None:
    step = law_step("1", "1", f"1/{10**200}", by=POWERS)
    report = checker.check(certificate(steps_of("1", step), one_person(3), "1"))
    assert report
    change = "each row of a person changes a quality by at most about 1e-200, both ways"
    assert f"Assuming: {change}." in report.proved
    assert "Assuming: one person has up to 3 rows." in report.proved
