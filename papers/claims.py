"""What a claim of a paper is, and how it fared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any


class Verdict(Enum):
    """How a claim fared; a page shows the words."""

    HOLDS = "holds"
    MORE = "holds, and more is true"
    CORRECTED = "holds with a correction"
    PART = "holds in part"
    TIES = "depends on the tie-break"
    FAILS = "does not hold"
    NOT_RUN = "not run"


def judge(printed: bool, *, corrected: bool = False, more: bool = False) -> Verdict:
    """Return the verdict: on the printed statement, and on its corrected form if it fails.

    `more` says that a stronger statement was checked too, and holds.
    """
    if printed:
        return Verdict.MORE if more else Verdict.HOLDS
    return Verdict.CORRECTED if corrected else Verdict.FAILS


@dataclass(frozen=True)
class Sentence:
    """One sentence of a claim, read in a way that can be checked; what we find; its verdict.

    `instead` is the true statement, made of the numbers found; a page shows it unless the
    sentence holds.
    """

    says: str
    finds: str
    verdict: Verdict
    instead: str = ""


_FINE = {Verdict.HOLDS, Verdict.MORE}


def every(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on `in all cases`: one that fails for every optimum refutes it."""
    found = set(verdicts)
    return next((v for v in (Verdict.FAILS, Verdict.TIES) if v in found), Verdict.HOLDS)


def some(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on `in some case`."""
    found = set(verdicts)
    return next((v for v in (Verdict.HOLDS, Verdict.TIES) if v in found), Verdict.FAILS)


def most(verdicts: Iterable[Verdict], share: float = 0.5) -> Verdict:
    """Return the verdict on `in more than this share of the cases`."""
    found = list(verdicts)
    surely = sum(v is Verdict.HOLDS for v in found)
    perhaps = surely + sum(v is Verdict.TIES for v in found)
    if surely > share * len(found):
        return Verdict.HOLDS
    return Verdict.TIES if perhaps > share * len(found) else Verdict.FAILS


def number(verdicts: Iterable[Verdict]) -> str:
    """Return in how many cases a statement holds: a number, or two if ties decide."""
    found = list(verdicts)
    surely = sum(v is Verdict.HOLDS for v in found)
    perhaps = surely + sum(v is Verdict.TIES for v in found)
    return f"{surely if surely == perhaps else f'{surely} to {perhaps}'} of {len(found)}"


def overall(sentences: Iterable[Sentence]) -> Verdict:
    """Return the verdict on a claim of several sentences."""
    found = {sentence.verdict for sentence in sentences}
    if found <= _FINE:
        return Verdict.HOLDS
    if found <= {*_FINE, Verdict.CORRECTED}:
        return Verdict.CORRECTED
    if Verdict.FAILS not in found:
        return Verdict.TIES
    return Verdict.FAILS if found == {Verdict.FAILS} else Verdict.PART


def instead_of(sentences: Iterable[Sentence]) -> str:
    """Return what is true where a sentence does not simply hold."""
    return " ".join(s.instead for s in sentences if s.verdict not in _FINE and s.instead)


def stated(sentence: str, holds: bool) -> str:
    """Return a sentence that was checked; the page never says what is not so."""
    if not holds:
        raise ArithmeticError(f"this is no longer true: {sentence}")
    return sentence


def listed(values: Iterable[object]) -> str:
    """Return values as a reader writes them: 2, 3 and 5."""
    words = [str(value) for value in values]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words) or "none"


def tiny(value: float) -> str:
    """Return a small difference with one digit that counts; none is 0."""
    return f"{value:.1e}" if value else "0"


@dataclass(frozen=True)
class Grid:
    """A small table: a header and rows of cells, with a sentence above."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Picture:
    """A picture in the output folder, with what it shows in words."""

    file: str
    caption: str


@dataclass(frozen=True)
class Claim:
    """One claim: what the paper says, what we find, the verdict and the correct statement.

    `sentences` are the parts of a claim that has several, each with a verdict of its own.
    `numbers` are the key values, for programs that read them. `files` are tables of all values.
    """

    place: str
    title: str
    says: str
    finds: str
    verdict: Verdict
    instead: str = ""
    sentences: Sequence[Sentence] = ()
    pictures: Sequence[Picture] = ()
    grids: Sequence[Grid] = ()
    files: Sequence[str] = ()
    numbers: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True)
class Setting:
    """Where a run writes, what data it has, and how much work it may do."""

    out: Path
    quick: bool = False
    data: Mapping[str, Path] = field(default_factory=dict[str, Path])

    def pick(self, full: Any, quick: Any) -> Any:
        """Return the full amount of work, or the quick one."""
        return quick if self.quick else full


Check = Callable[[Setting], Claim]
"""The computation behind one claim."""
