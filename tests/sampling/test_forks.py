"""Two processes never share a stream, wherever the fork happens."""

import itertools
import os
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from noisewright.exact import Epsilon
from noisewright.sampling import (
    KeepOrUniform,
    Source,
    SystemSource,
    TableSampler,
    balanced_geometric,
    bernoulli,
    clamped_geometric,
    discrete_gaussian,
    entropy,
    two_sided_geometric,
    uniform_below,
)
from tests.sampling.scripted import Shadowed

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs: os.fork")


@pytest.fixture(autouse=True)
def same_counters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let parent and child count alike: what differs here are keys, and not only fresh counters."""
    places = itertools.count()
    monkeypatch.setattr(entropy, "_fresh_counter", lambda: (next(places) << 64).to_bytes(16))


class Family:
    """Forks on demand; the child sends home what it found and ends."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        self._child: int | None = None

    @property
    def is_child(self) -> bool:
        return self._child == 0

    def fork(self) -> None:
        self._child = os.fork()

    def both(self, find: Callable[[], Any]) -> tuple[Any, Any]:
        """Return what the parent found and what the child found; the fork is here or in `find`."""
        try:
            mine = find()
            assert self._child is not None, "no fork happened"
            if self.is_child:
                with os.fdopen(self._write, "wb") as pipe:
                    pickle.dump(mine, pipe)
        finally:
            # Whatever happened, the child must not go on with the parent's tests.
            if self.is_child:
                os._exit(0)
        os.close(self._write)
        with os.fdopen(self._read, "rb") as pipe:
            theirs = pickle.load(pipe)
        assert os.waitpid(self._child or 0, 0)[1] == 0
        return mine, theirs


def shared(first: Any, second: Any) -> int:
    return np.intersect1d(first, second).size


def after_a_fork(source: Source, prepare: Callable[[], object] = lambda: None) -> int:
    family = Family()

    def find() -> Any:
        family.fork()
        if family.is_child:
            prepare()
        return source.words(1000)

    return shared(*family.both(find))


def test_parent_and_child_differ() -> None:
    source = SystemSource()
    source.words(3)
    assert after_a_fork(source) == 0


def test_two_children_differ() -> None:
    source = SystemSource()
    source.words(3)
    drawn: list[Any] = []
    for _ in range(2):
        family = Family()

        def find(family: Family = family) -> Any:
            family.fork()
            return source.words(1000) if family.is_child else None

        drawn.append(family.both(find)[1])
    assert shared(*drawn) == 0


def test_the_fork_hook_is_enough_when_a_process_number_returns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    number = os.getpid()
    monkeypatch.setattr(entropy.os, "getpid", lambda: number)
    source = SystemSource()
    source.words(3)
    assert after_a_fork(source) == 0


def test_the_process_number_is_enough_when_no_hook_runs() -> None:
    source = SystemSource()
    source.words(3)
    before = entropy._forks
    assert after_a_fork(source, lambda: setattr(entropy, "_forks", before)) == 0


def test_these_tests_can_fail() -> None:
    """Without either mark the streams are the same: the tests above see what they should."""
    source = SystemSource()
    source.words(3)
    number, before = os.getpid(), entropy._forks

    def forget() -> None:
        entropy._forks = before
        entropy.os.getpid = lambda: number

    assert after_a_fork(source, forget) == 1000


def test_a_fork_inside_of_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first half of a long request is served; then a signal handler forks."""
    family, source = Family(), SystemSource()
    take = entropy._Stream.take
    calls = 0

    def forking(self: Any, view: memoryview) -> None:
        nonlocal calls
        take(self, view)
        calls += 1
        if calls == 1:
            family.fork()

    monkeypatch.setattr(entropy._Stream, "take", forking)
    assert shared(*family.both(lambda: source.words(1 << 17))) == 0


SAMPLER = TableSampler([[1] * 16] * 16, 16)
SHARING = TableSampler([[(1 << 97) - 1, 1 << 97, (1 << 97) + 1, 1 << 97]] * 4, 1 << 99, bits=1)
CODES = np.zeros(2000, dtype=np.uint8)
SMALL = Epsilon.of("1e-3")

# The kind of number that each draw asks for last: by then, all is decided.
DRAWS: dict[str, tuple[Callable[[Source], Any], str]] = {
    "uniform": (lambda source: uniform_below(10**6, 1000, source), "u4"),
    "long uniform": (lambda source: uniform_below(10**30, 1000, source), "u1"),
    "coins": (lambda source: bernoulli(Fraction(1, 3), 1000, source), "u2"),
    "geometric": (lambda source: two_sided_geometric(Epsilon.of("1e-3"), 1000, source), "u1"),
    "geometric by look-up": (lambda source: two_sided_geometric(SMALL, 5000, source), "u8"),
    "clamped geometric": (lambda source: clamped_geometric(SMALL, 4000, 5000, source), "u8"),
    "balanced": (lambda source: balanced_geometric(Epsilon.of("1e-3"), 4, 100, source), "u1"),
    "gaussian": (lambda source: discrete_gaussian(10**6, 1000, source), "u4"),
    "table": (lambda source: SAMPLER.draw(CODES, source), "u2"),
    "shared cells": (lambda source: SHARING.draw(CODES, source), "u8"),
    "row": (lambda source: SAMPLER.draw_row(3, 2000, source), "u2"),
    "keep or uniform": (lambda source: KeepOrUniform(9, 1, 16).draw(CODES, source), "u2"),
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_fork_in_the_middle_of_a_draw(name: str) -> None:
    """Bits taken before the fork decide nothing in the child."""
    draw, kind = DRAWS[name]
    family = Family()
    source = Shadowed(family.fork, kind)
    mine, theirs = family.both(lambda: draw(source))
    assert len(mine) == len(theirs)
    assert (mine == theirs).mean() < 0.8


def test_these_draws_can_fail() -> None:
    """A draw that is not started over gives parent and child the same."""
    family = Family()
    source = Shadowed(family.fork, "u4")
    careless: Any = uniform_below.__wrapped__  # pyright: ignore[reportFunctionMemberAccess]
    mine, theirs = family.both(lambda: careless(10**6, 1000, source))
    # One value in 4,300 is rejected, and drawn again after the fork.
    assert (mine == theirs).mean() > 0.9
