"""Odd arguments end in a result or in an error of ours; `make explore` tries all of them."""

import os
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pytest

import noisewright as nw
from noisewright.public import _is, public
from tests.faults.odd_calls import LEFT_OUT, PUBLIC, Case, outcome
from tests.faults.odd_subjects import CALLS, RESULTS, result
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

    first = next(iter(inspect.signature(PUBLIC[name]).parameters), None)
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
        (lambda: nw.analysis.rmse(None), "mechanism is of type NoneType; it must be a mechanism"),  # type: ignore[arg-type]
        (lambda: nw.uniform("abc"), "space is of type str; it must be a space"),  # type: ignore[arg-type]
        (lambda: nw.accounting.basic_composition([1]), "it must be a guarantee"),  # type: ignore[list-item]
        (lambda: nw.priors.binomial(10**9, 0.5), "n is 1000000000; it must be at most 10,000"),
        (
            lambda: nw.compose(nw.uniform(nw.Counts(1)), times=10**9),
            "times is 1000000000; it must be at most",
        ),
        (lambda: nw.planning.epsilon_for(nw.Counts(2), target=0.5, tolerance=0), "tolerance"),
        (lambda: nw.per_item(nw.Subsets(["a"]), epsilon=5e-324), "epsilon"),
        (lambda: nw.design(nw.Counts(2), epsilon=1, goal=[]), "goal is"),  # type: ignore[arg-type]
        (lambda: list(nw.Counts(10**12)), "too many to list"),
        (lambda: nw.synthesize("a.csv", {}, epsilon=1), "ledger=None, which debits no budget"),  # type: ignore[call-arg]
        (lambda: nw.release("a.csv", "p.toml"), "ledger= is missing"),  # type: ignore[call-arg]
        (lambda: nw.Private("a.csv", columns={}), "ledger= is missing"),  # type: ignore[call-arg]
        (
            lambda: nw.models.PrivateNaiveBayes({"a": ["x", "y"]}, label="a", epsilon=1),  # type: ignore[call-arg]
            "ledger= is missing",
        ),
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

    functions = {name for name, value in PUBLIC.items() if inspect.isfunction(value)}
    # The one takes what `load` has read; the other what a plan has read.
    functions -= {"certified_noise", "in_basis"}
    assert functions <= set(CALLS)
    assert all(hasattr(PUBLIC[name], "__wrapped__") for name in functions), "not @public"
    assert len(ODD) > 80


def test_every_public_method_is_tried_and_names_its_arguments() -> None:
    import inspect
    import types

    assert not LEFT_OUT
    classes = {type(result(name)) for name in RESULTS}
    for cls in (one for kind in classes for one in kind.__mro__):
        for name, member in vars(cls).items():
            method = getattr(member, "__func__", member)
            ours = cls.__module__.startswith("noisewright.") and not name.startswith("_")
            if ours and isinstance(method, types.FunctionType):
                named = len(inspect.signature(method).parameters) > isinstance(
                    member, types.FunctionType | classmethod
                )
                assert not named or hasattr(method, "__wrapped__"), f"{cls.__name__}.{name}"


CODED = [
    lambda: nw.geometric(nw.Counts(3), epsilon=1),
    lambda: nw.geometric(nw.Counts(3), epsilon=1, table=False),
    lambda: nw.laplace(nw.Interval(0, 1, step="1/4"), epsilon=1),
    lambda: nw.staircase(nw.Interval(0, 1, step="1/4"), epsilon=1),
    lambda: nw.geometric(nw.Counts(3), epsilon=1) ** 2,
    lambda: nw.combine.product(a=nw.geometric(nw.Counts(3), epsilon=1)),
    lambda: nw.combine.per_person(nw.geometric(nw.Counts(3), epsilon=1), rows=2),
    lambda: nw.per_item(nw.Subsets(["a", "b"]), epsilon=1),
]


@pytest.mark.parametrize("made", CODED)
def test_noise_is_drawn_for_codes_of_the_space_only(made: Any) -> None:
    """What is proven is about its points: a code beyond them would leave the noise recognizable."""
    mechanism = made()
    size = mechanism.space.size
    assert len(mechanism.draw([0, size - 1])) == 2
    assert len(mechanism.draw([])) == 0
    for codes in ([0, size], [0, -1], np.array([0, 10**12])):
        with pytest.raises(nw.errors.OutsideSpaceError, match="the code at row 2 is outside"):
            mechanism.draw(codes)
        with pytest.raises(nw.errors.OutsideSpaceError, match="the code at row 2 is outside"):
            mechanism.space.decode(codes)
    for wrong in ([0.5], [[0]], ["a"], [None], np.array(1), [[1], [2, 3]]):
        with pytest.raises(nw.errors.ParameterError, match="one-dimensional array of integers"):
            mechanism.draw(wrong)


def test_random_bytes_are_never_written_over_objects() -> None:
    """They would be followed as pointers, and end the process."""
    source = nw.randomness.SeededSource(1)
    for buffer in (np.array([None]), np.zeros((4, 4)).T, np.broadcast_to(np.zeros(1), 3)):
        with pytest.raises(nw.errors.ParameterError, match="writable, contiguous"):
            source.fill(buffer)


@pytest.mark.parametrize(("epsilon", "scale"), [("1/3", 3.0), ("0.1", 10.0), ("1/7", 7.0)])
def test_a_scale_that_is_a_double_is_found(epsilon: str, scale: float) -> None:
    """Bounds from both sides never agree on it; it is divided exactly."""
    assert nw.analysis.laplace_scale(1, epsilon=epsilon) == scale


def test_a_precision_that_never_ends_is_refused() -> None:
    noise = nw.laplace(nw.Interval(0, 1, step="1/4"), epsilon=1)
    calls: list[Any] = [
        nw.accounting.Epsilon.of(1).alpha_bounds,
        lambda bits: noise.cumulative(1, bits),
    ]
    for call in calls:
        for bits in (10**9, -1, 0.5, "x"):
            with pytest.raises(nw.errors.ParameterError, match="bits is"):
                call(bits)


def test_what_fits_is_never_blamed() -> None:
    """A path holds no elements to look at, and a protocol cannot be asked about."""

    class Pays(Protocol):
        def spend(self) -> None: ...

    def works(path: os.PathLike[str], ledger: Pays) -> None:
        raise ValueError("something else")

    # As in our files, where annotations are texts.
    works.__annotations__ = {"path": "os.PathLike[str]", "ledger": "Any"}
    with pytest.raises(ValueError, match="something else"):
        public(works)(Path("x"), object())  # pyright: ignore[reportArgumentType]
    assert _is(object(), Pays)
