"""The page of a synthetic table: what it is, what it promises, how good it is, what it cannot tell.

It loads nothing, runs nothing and is made of released facts only (see `facts.py`). It shows
what each step of the synthesizer took of the whole, and how far the table is off: what was expected
before, beside what is found after.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from noisewright.given import quantity
from noisewright.report.budget import BarPart, lay_out_bar, view_budget
from noisewright.report.drawings.strips import Strip, StripScale
from noisewright.report.guarantee import Promise
from noisewright.report.release.facts import certificate_name
from noisewright.report.rendering import Advance, render_page
from noisewright.report.synthesis.counts import MOST_SECTIONS, view_counts
from noisewright.report.synthesis.facts import SynthesisFacts
from noisewright.report.synthesis.links import picture_pairs, view_rounds, view_tree
from noisewright.report.synthesis.misfits import view_misfits
from noisewright.report.texts import percent, readable, shorten
from noisewright.synthetic import PartError

_SECTIONS = {
    "guarantee": "The guarantee",
    "method": "How it was made",
    "errors": "How good it is",
    "known": "What it can tell, and what it cannot",
    "counts": "What was counted",
    "budget": "The budget",
    "use": "Use the table properly",
    "check": "Check it",
    "files": "Files",
    "glossary": "Words used here",
}

_MOST_STEPS = 200
_KINDS = {
    "choices": "selecting what to count",
    "columns": "counting single columns",
    "together": "counting columns together",
}

_MOST_SHOWN, _MOST_FOLDED = 15, 300


def synthesis_page(facts: SynthesisFacts, *, progress: Advance | None = None) -> str:
    """Return the page of a synthetic table as HTML: one file, no network, no scripts.

    `progress` is told how many of its parts are done.
    Ensures: everything that came from outside is escaped.
    """
    bound = facts.errors.bound
    views = {
        "steps": view_steps,
        "tree": view_tree,
        "rounds": view_rounds,
        "pairs": picture_pairs,
        "errors": view_errors,
        "misfits": view_misfits,
        "counts": view_counts,
    }
    seen: dict[str, object] = {}
    for name, view in views.items():
        seen[name] = view(facts)
        if progress is not None:
            progress(len(seen), len(views) + 1)
    pairs = sum(pair <= set(facts.varying) for pair in facts.linked)
    page = render_page(
        "synthesis.html.jinja",
        made=facts.made,
        facts=facts,
        title=f"Synthetic table {facts.data or 'in memory'}",
        sections={
            name: words for name, words in _SECTIONS.items() if name != "counts" or facts.counted
        },
        promise=Promise(facts.guarantee),
        bound="" if bound is None else percent(min(bound, 1.0)),
        error=_error(facts),
        linked=pairs,
        possible=len(facts.varying) * (len(facts.varying) - 1) // 2,
        uncounted=_names_and_times(facts),
        budget=view_budget(facts.balance, facts.charged or facts.guarantee, what="table"),
        certificate=certificate_name(facts.files),
        **seen,
    )
    if progress is not None:
        progress(len(views) + 1, len(views) + 1)
    return page


def _names_and_times(facts: SynthesisFacts) -> list[str]:
    """Return what was counted and has no section, each once with how often it was counted."""
    times = Counter(one.name for one in facts.counted[MOST_SECTIONS:])
    return [f"{name} ({many:,} times)" if many > 1 else name for name, many in times.items()]


def _error(facts: SynthesisFacts) -> tuple[str, str]:
    """Return the error for the head of the page, and what it is."""
    if facts.errors.bound is not None:
        return percent(min(facts.errors.bound, 1.0)), "at most, with probability 95%"
    expected, which = (
        facts.errors.expected_in_workload,
        "the parts of the workload that were counted",
    )
    if expected is None:
        expected, which = facts.errors.expected_of_counted, "all that was counted"
    error = "unknown" if expected is None else readable(expected)
    return error, f"expected by noise, of 2 at most, on average over {which}"


@dataclass(frozen=True)
class StepView:
    """How the whole was divided: what each step took, in its unit and as a share."""

    unit: str
    total: str
    bar: tuple[BarPart, ...]
    steps: tuple[tuple[str, tuple[str, str]], ...]
    more: int


def view_steps(facts: SynthesisFacts) -> StepView:
    """Return how the whole was divided between steps."""
    whole = sum((spend.amount for spend in facts.spends), Fraction(0))
    columns = {one.name: len(one.columns) for one in facts.counted}
    sums = dict.fromkeys(_KINDS, Fraction(0))
    for spend in facts.spends:
        sums[_kind(spend.what, columns)] += spend.amount
    shares = {kind: float(part / whole) for kind, part in sums.items() if part}
    bar = [(kind, _KINDS[kind], share, f"{100 * share:.3g}%") for kind, share in shares.items()]
    return StepView(
        "ε" if facts.spends[0].unit == "epsilon" else "ρ",
        f"{float(whole):.6g}",
        tuple(lay_out_bar(bar, 1)),
        tuple(
            (
                shorten(spend.what, longest=120),
                (f"{float(spend.amount):.6g}", f"{100 * float(spend.amount / whole):.3g}%"),
            )
            for spend in facts.spends[:_MOST_STEPS]
        ),
        max(len(facts.spends) - _MOST_STEPS, 0),
    )


def _kind(what: str, columns: dict[str, int]) -> str:
    name = what.removeprefix("counts of ")
    if name == what:
        return "choices"
    return "columns" if columns.get(name, 1) == 1 else "together"


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
    expected_in_workload: str
    expected_of_counted: str
    found: str
    over: str
    asked: ErrorTable | None
    folded: tuple[tuple[str, ErrorTable], ...]
    has_uncounted: bool
    is_joined: bool


def view_errors(facts: SynthesisFacts) -> ErrorView:
    """Return how far the table is off, on average and part by part."""
    errors = facts.errors
    largest = sorted(errors.parts, key=lambda part: -part.expected)
    asked = [part for part in largest if part.in_workload and part.counted]
    besides = [part for part in largest if not part.in_workload]
    others = [part for part in largest if part.in_workload and not part.counted]
    more = {
        "More parts that were counted": asked[_MOST_SHOWN:],
        "Other counts that the method makes": besides,
        "Parts of the workload that were not counted by themselves": others,
    }
    counted_besides = sum(bool(part.counted) for part in besides)
    over = f"{quantity(len(asked), 'part')} of the workload"
    if counted_besides:
        over += f" and {quantity(counted_besides, 'other count')} that the method makes"
    noise, own = errors.expected_of_counted, errors.expected_in_workload
    own = own if counted_besides or others else None
    title = "Parts of the workload that were counted by themselves"
    return ErrorView(
        readable(errors.expected),
        "" if own is None else readable(own),
        "unknown" if noise is None else readable(noise),
        "unknown" if errors.found is None else readable(errors.found),
        over,
        _tabulate(asked[:_MOST_SHOWN], title) if asked else None,
        tuple((words, _tabulate(parts, words)) for words, parts in more.items() if parts),
        bool(others),
        any(part.before is not None for part in errors.parts),
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
                _readable_error(part, part.expected),
                "" if part.found is None else _readable_error(part, part.found),
                f"{part.queries:,}",
            )
            for part in shown
        ),
    )


def _readable_error(part: PartError, error: float) -> str:
    """Return an error; that of a marginal that is as large as possible says nothing else."""
    is_marginal = part.name == " × ".join(part.columns)
    return f"{readable(error)}: lost in noise" if is_marginal and error >= 2 else readable(error)
