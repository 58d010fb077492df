"""What the model gets wrong: where rows are further from noisy counts than noise explains.

If the rows were the truth, they would be off from the noisy counts by the noise alone, whose size
is known: |noise|, added up over the cells of a table. Where they are off by more, what is beyond is
their own error, at least. Where they are not, they may still be wrong: they were fitted to counts
with that noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from noisewright.report.drawings.grid import draw_pairs
from noisewright.report.release.pictures import Picture, try_to_draw
from noisewright.report.synthesis.counts import name_cell
from noisewright.report.synthesis.facts import NoisyCounts, SynthesisFacts
from noisewright.report.synthesis.links import MOST_DRAWN, short_names
from noisewright.report.texts import MINUS, readable

_MOST_LISTED = 12
_BEYOND = 2.5
"""Standard deviations above its mean that noise seldom exceeds: in one of 160 tables of many cells,
and in two or three of 100 with two cells."""


@dataclass(frozen=True)
class Misfit:
    """One counted table: by how much its rows are off, what noise explains, and where it is most.

    `beyond` is what noise does not explain, 0 or more; all of them in shares, added up over cells.
    """

    name: str
    columns: tuple[str, ...]
    found: float
    noise: float
    beyond: float
    cell: str
    apart: str

    @property
    def ratio(self) -> float:
        """What the rows are off by, as a multiple of what noise explains."""
        return self.found / self.noise if self.noise else 0.0


@dataclass(frozen=True)
class MisfitView:
    """What a page says of misfits: a sentence, a table of the largest, and a picture of pairs."""

    words: str
    rows: tuple[tuple[str, tuple[str, str, str], str], ...]
    picture: Picture | None


def measure_misfit(one: NoisyCounts) -> Misfit | None:
    """Return how far rows are from their noisy counts, beside what noise explains."""
    if one.found is None or one.is_query:
        return None
    seen = one.measurement
    noise, cells, people = seen.noise, seen.counts.size, max(seen.rows, 1)
    gaps = one.found - seen.counts
    expected = cells * noise.mean_size
    # The sizes of noises that add up to 0 are correlated: of two cells, both are the same.
    alike = cells / (cells - 1) if noise.balanced_cells is not None and cells > 1 else 1.0
    spread = math.sqrt(alike * cells * max(noise.deviation**2 - noise.mean_size**2, 0.0))
    found = float(np.abs(gaps).sum())
    place = int(np.abs(gaps).argmax())
    gap = float(gaps.reshape(-1)[place])
    more = f"{abs(gap):,.0f}"
    return Misfit(
        f"{one.name}, {one.which}" if one.which else one.name,
        one.columns,
        found / people,
        expected / people,
        max(found - expected - _BEYOND * spread, 0.0) / people,
        name_cell(seen.spaces, place),
        ("+" if gap > 0 else MINUS) + more if more != "0" else more,
    )


def view_misfits(facts: SynthesisFacts) -> MisfitView | None:
    """Return what the rows get wrong by more than noise explains; None where nothing is counted."""
    known = [each for one in facts.counted if (each := measure_misfit(one)) is not None]
    if not known:
        return None
    wrong = [one for one in known if one.beyond > 0]
    largest = sorted(known, key=lambda one: (-one.beyond, -one.ratio))
    return MisfitView(
        _words(known, wrong),
        tuple(
            (
                one.name,
                (
                    readable(one.found),
                    readable(one.noise),
                    readable(one.beyond) if one.beyond else "nothing",
                ),
                f"{one.cell}: {one.apart}",
            )
            for one in largest[:_MOST_LISTED]
        ),
        _picture(facts, known),
    )


def _words(known: Sequence[Misfit], wrong: Sequence[Misfit]) -> str:
    many = f"{len(known):,} counted marginals" if len(known) > 1 else "counted marginal"
    if not wrong:
        return (
            f"In none of the {many} do the synthetic rows differ from the noisy counts by more "
            "than noise explains."
            if len(known) > 1
            else "In the counted marginal the synthetic rows differ from the noisy counts by no "
            "more than noise explains."
        )
    if len(wrong) == len(known) == 1:
        which = "In the counted marginal"
    else:
        which = f"In {len(wrong):,} of the {many}"
    return (
        f"{which} the synthetic rows differ from the noisy counts by more than noise explains: the "
        "model cannot express what is there, or other counts contradict it. Take the noisy counts "
        "for these, not the rows."
    )


def _picture(facts: SynthesisFacts, known: Sequence[Misfit]) -> Picture | None:
    columns = facts.varying
    if len(columns) < 3 or len(facts.names) > MOST_DRAWN or not facts.linked:
        return None
    places = {name: place for place, name in enumerate(columns)}

    counted = {
        frozenset(places[name] for name in one.columns): one
        for one in known
        if len(one.columns) == 2 and set(one.columns) <= places.keys()
    }
    wrong = {pair for pair, one in counted.items() if one.beyond > 0}
    about = (
        f"{len(wrong)} of {len(counted)} counted pairs of columns are further from their noisy "
        "counts than noise explains"
    )
    possible = len(columns) * (len(columns) - 1) // 2
    blank = " Blank pairs were not counted by themselves: there is nothing to compare with."
    blank = blank if len(counted) < possible else ""
    texts = {pair: f"{one.ratio:.1f}" for pair, one in counted.items()}
    return try_to_draw(
        lambda: Picture(
            f"How far the rows are from the noisy counts, as a multiple of the noise: {about}"
            f"{' (marked with !)' if wrong else ''}.{blank}",
            about,
            draw_pairs(short_names(columns), counted.keys(), wrong, texts),
        )
    )
