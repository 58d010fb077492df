"""What each step of a synthesizer took of the whole: a bar by kinds of steps, and every step."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from noisewright.report.budget import BarPart, lay_out_bar
from noisewright.report.characters import shorten
from noisewright.report.synthesis.facts import SynthesisFacts

_MOST_STEPS = 200
_KINDS = {
    "choices": "choosing what to count",
    "columns": "counting single columns",
    "together": "counting columns together",
}


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
