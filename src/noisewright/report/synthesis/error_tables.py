"""How far a synthetic table is off: what was expected before, beside what is found after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from noisewright.given import quantity
from noisewright.report.drawings.strips import Strip, StripScale
from noisewright.report.numerals import readable
from noisewright.report.synthesis.facts import SynthesisFacts
from noisewright.synthetic import PartError

_MOST_SHOWN, _MOST_FOLDED = 15, 300


@dataclass(frozen=True)
class ErrorTable:
    """Parts of a workload with their errors: names, strips, and the error expected and found."""

    caption: str
    count: int
    scale: StripScale
    rows: tuple[tuple[str, Strip, str, str, str], ...]


@dataclass(frozen=True)
class ErrorView:
    """What a page says of errors: on average (`over` what), and part by part."""

    expected: str
    expected_of_counted: str
    found: str
    over: str
    asked: ErrorTable | None
    folded: tuple[tuple[str, ErrorTable], ...]
    has_uncounted: bool


def view_errors(facts: SynthesisFacts) -> ErrorView:
    """Return how far the table is off, on average and part by part."""
    errors = facts.errors
    largest = sorted(errors.parts, key=lambda part: -part.expected)
    asked = [part for part in largest if part.in_workload and part.counted]
    besides = [part for part in largest if not part.in_workload]
    others = [part for part in largest if part.in_workload and not part.counted]
    more = {
        "More parts that were counted": asked[_MOST_SHOWN:],
        "Counts that the method makes besides": besides,
        "Parts of the workload that were not counted by themselves": others,
    }
    counted_besides = sum(bool(part.counted) for part in besides)
    over = f"{quantity(len(asked), 'part')} of the workload"
    if counted_besides:
        over += f" and {quantity(counted_besides, 'count')} that the method makes besides"
    noise = errors.expected_of_counted
    title = "Parts of the workload that were counted by themselves"
    return ErrorView(
        readable(errors.expected),
        "unknown" if noise is None else readable(noise),
        "unknown" if errors.found is None else readable(errors.found),
        over,
        _tabulate(asked[:_MOST_SHOWN], title) if asked else None,
        tuple((words, _tabulate(parts, words)) for words, parts in more.items() if parts),
        bool(others),
    )


def _tabulate(parts: Sequence[PartError], words: str) -> ErrorTable:
    shown = parts[:_MOST_FOLDED]
    left = len(parts) - len(shown)
    both = [number for part in shown for number in (part.expected, part.found or 0.0)]
    scale = StripScale.over(both)
    return ErrorTable(
        words + (f"; {left:,} of them are not listed" if left else ""),
        len(parts),
        scale,
        tuple(
            (
                part.name,
                scale.strip(part.expected, ring=part.found),
                readable(part.expected),
                "" if part.found is None else readable(part.found),
                f"{part.queries:,}",
            )
            for part in shown
        ),
    )
