"""What the checker answers: sentences that are proven, and failures.

A proof is a generator. It yields a sentence for each thing that it has proven, and a `Failure`
where something is wrong but the rest can still be judged. Where nothing more can be judged it
raises `NotProvenError`. A certificate holds only if there is no failure at all.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn


@dataclass(frozen=True)
class Failure:
    """Something that is not proven."""

    part: str
    """The part of the certificate; "format" if it cannot be read as a certificate."""
    message: str
    """What was found, and what is required."""


Findings = Iterator[str | Failure]
"""What a proof yields: sentences about what holds, and failures."""


class NotProvenError(Exception):
    """A failure that ends a proof."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


@dataclass(frozen=True)
class Report:
    """The answer about one certificate; it is true in an `if` when all of it is proven."""

    holds: bool
    proved: tuple[str, ...]
    failures: tuple[Failure, ...]

    def __bool__(self) -> bool:
        return self.holds


def report_of(findings: list[str | Failure]) -> Report:
    """Return the report of all that was found."""
    proved = tuple(item for item in findings if isinstance(item, str))
    failures = tuple(item for item in findings if isinstance(item, Failure))
    return Report(bool(proved) and not failures, proved, failures)


def fail(part: str, message: str) -> NoReturn:
    """End the proof."""
    raise NotProvenError(Failure(part, message))


def need(holds: Any, part: str, message: str) -> None:
    """End the proof unless something holds."""
    if not holds:
        fail(part, message)
