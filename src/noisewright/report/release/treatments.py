"""What was done to a column, in plain words."""

from __future__ import annotations

from noisewright.curves import CurveNoise
from noisewright.estimation import AFTER
from noisewright.given import amount
from noisewright.mechanisms import Additive, Mechanism, SetMechanism
from noisewright.plans import Part, column_readings
from noisewright.report.markup import Markup, label, text
from noisewright.report.numerals import percent
from noisewright.report.release.survival import survives, truth_shares
from noisewright.spaces import Categories, Counts, Curves, Dates, Interval, Records, Space, Subsets

_NAMES = {
    "response": "randomized response",
    "geometric": "geometric noise",
    "laplace": "Laplace noise",
    "staircase": "staircase noise",
    "per_item": "two coins for each item",
    "curve_noise": "noise on curves",
    "design": "a mechanism designed for it",
}


def mechanism_name(part: Part) -> str:
    """Return what the mechanism of a part is called."""
    if part.is_joint:
        return "randomized response, together"
    chosen = part.treatments[0].mechanism
    return "a mechanism of the publisher" if isinstance(chosen, Mechanism) else _NAMES[chosen]


def space_words(space: Space) -> str:
    """Say what the values of a column can be."""
    match space:
        case Categories():
            return f"{amount(space.size)} labels"
        case Counts():
            return f"whole numbers from 0 to {space.n:,}"
        case Dates():
            return f"{space.every}s from {space.show(space.low)} to {space.show(space.high)}"
        case Interval():
            low, high, step = (float(end) for end in (space.low, space.high, space.step))
            return f"numbers from {low:,g} to {high:,g} in steps of {step:g}"
        case Subsets():
            most = f", at most {space.most:,} in a set" if space.most < len(space.items) else ""
            return f"sets of {len(space.items):,} items{most}"
        case Curves():
            low, high = float(space.low), float(space.high)
            return f"curves at {len(space.grid):,} positions, from {low:,g} to {high:,g}"
        case Records():
            return f"{amount(space.size)} combinations"
        case _:
            return f"{amount(space.size)} values"


def unit_of(space: Space) -> str:
    """Return what one value is called on an axis."""
    return "count" if isinstance(space, Counts) else "value"


def survival_words(mechanism: Mechanism | CurveNoise) -> str:
    """Say in a few words how likely a true value comes through."""
    kept = survives(mechanism)
    if kept is None:
        return "never exactly" if isinstance(mechanism, CurveNoise) else "moved by noise"
    least, most = kept
    if percent(least) == percent(most):
        return percent(least)
    return f"{percent(least)} to {percent(most)}"


def what_happened(part: Part) -> Markup:
    """Say in two or three sentences what was done to the values of a part."""
    mechanism = part.mechanism
    if isinstance(mechanism, SetMechanism):
        return text(
            f"Each set was rebuilt item by item: an item in it was kept with probability "
            f"{percent(float(mechanism.present))}, one not in it was added with probability "
            f"{percent(float(mechanism.absent))}. Many such sets together say how common each item "
            "is."
        )
    if isinstance(mechanism, CurveNoise):
        return text(
            "Noise was added to every curve, drawn anew for each. In the mean of many curves most "
            "of it cancels."
        )
    alike = truth_shares(mechanism)
    if alike is not None:
        what = "combination of values" if part.is_joint else "value"
        return text(
            f"Each {what} was published as it is with probability {percent(alike.truth)}; "
            f"otherwise another of the {alike.points:,} was published, each with probability "
            f"{percent(alike.other)}. Nobody can tell for certain which of the two happened in a "
            "row."
        )
    if isinstance(mechanism, Additive):
        return text("Noise was added to every number, drawn anew for each row.")
    if part.treatments[0].mechanism == "geometric":
        return text("Whole-number noise was added to every count, and kept inside its range.")
    return text(
        "Each value was replaced by one drawn from the row of probabilities that belongs to it."
    )


def how_cells_were_read(part: Part) -> list[Markup]:
    """Say how empty, undeclared and outlying cells were counted, column by column."""
    found: list[Markup] = []
    for name, column in zip(part.columns, part.treatments, strict=True):
        of = Markup(f"{label(name)}: ") if part.is_joint else Markup("")
        found += [Markup(f"{of}{text(words)}") for words in column_readings(column)]
    return [*found, text(AFTER)] if found else []
