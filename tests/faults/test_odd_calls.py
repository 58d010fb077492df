"""Odd arguments end in a result or in an error of ours; `make explore` tries all of them."""

from typing import Any

import pytest

import noisewright as nw
from tests.faults.odd_calls import Case, outcome
from tests.faults.odd_subjects import CALLS
from tests.faults.odd_values import ODD

QUICK = ["None", "object", "text", "10**5000", "nan", "np 1d", "no text", "class", "huge space"]
SLOW = {"release", "synthesize", "predict_synthesis", "blr", "draft_plan", "error_report"}


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    nw.certify(nw.geometric(nw.Counts(3), epsilon=1)).save("m.json")


@pytest.mark.parametrize("name", sorted(set(CALLS) - SLOW))
def test_an_odd_first_argument_is_named(name: str) -> None:
    import inspect

    first = next(iter(inspect.signature(getattr(nw, name)).parameters), None)
    found = {
        odd: problem
        for odd in QUICK
        if first is not None and (problem := outcome(Case(name, first, odd)))
    }
    assert not found


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: nw.tight_epsilon(3), "mechanism is of type int; it must be a mechanism"),  # type: ignore[arg-type]
        (lambda: nw.rmse(None), "mechanism is of type NoneType; it must be a mechanism"),  # type: ignore[arg-type]
        (lambda: nw.uniform("abc"), "space is of type str; it must be a space"),  # type: ignore[arg-type]
        (lambda: nw.basic_composition([1]), "it must be a guarantee"),  # type: ignore[list-item]
        (lambda: nw.binomial(10**9, 0.5), "n is 1000000000; it must be at most 10,000"),
        (
            lambda: nw.compose(nw.uniform(nw.Counts(1)), times=10**9),
            "times is 1000000000; it must be at most",
        ),
        (lambda: nw.epsilon_for(nw.Counts(2), target=0.5, tolerance=0), "tolerance"),
        (lambda: nw.per_item(nw.Subsets(["a"]), epsilon=5e-324), "epsilon"),
        (lambda: nw.design(nw.Counts(2), epsilon=1, goal=[]), "goal is"),  # type: ignore[arg-type]
        (lambda: list(nw.Counts(10**12)), "too many to list"),
    ],
)
def test_what_is_needed_is_said(call: Any, words: str) -> None:
    with pytest.raises(nw.errors.NoisewrightError, match=words):
        call()


def test_an_error_of_the_callers_own_passes() -> None:
    """What a function of the caller raises is the caller's to see, where all arguments fit."""

    def wrong(x: int, y: int) -> float:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        nw.loss(nw.uniform(nw.Counts(2)), wrong)


def test_every_public_function_is_tried() -> None:
    import inspect

    functions = {name for name in nw.__all__ if inspect.isfunction(getattr(nw, name))}
    assert functions <= set(CALLS)
    assert all(hasattr(getattr(nw, name), "__wrapped__") for name in functions), "not @public"
    assert len(ODD) > 80
