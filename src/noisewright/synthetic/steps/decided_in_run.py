"""Steps whose columns are decided in the run: by a private choice, or by noisy numbers.

The list of steps is certified before anything is drawn. Of such a step it says by what its columns
will be decided, in the words that are written here, and nowhere else. All other steps that count
name what they count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from noisewright.synthetic.steps.run_budget import Spend
from noisewright.synthetic.steps.schedule import DISTANCE

Decider = Literal["list", "choice", "distances"]
"""What decides which columns a step counts: the list of steps, or what was drawn before."""

_OF_CHOICE = re.compile("counts of what choice [0-9]+ chose")
_OF_PAIR = re.compile("counts of the pair of choice [0-9]+")
_BY_DISTANCES = re.compile("counts of pair [0-9]+ of [0-9]+ by distances [12]")


def counts_of_choice(number: int) -> str:
    """Return what a step says that counts what the choice before it chose."""
    return f"counts of what choice {number} chose"


def counts_of_chosen_pair(number: int) -> str:
    """Return what a step says that counts a pair, after all pairs were chosen."""
    return f"counts of the pair of choice {number}"


def counts_by_distances(number: int, counts: int, time: int) -> str:
    """Return what a step says that counts a pair which noisy distances select."""
    return f"counts of pair {number} of {counts} by distances {time}"


def counts_with_most_linked(name: str) -> str:
    """Return what a step says that counts a column once more, with one that noisy counts select."""
    return f"counts of {name} × the column most linked to it"


def is_decided_so(what: str, decider: Decider, *, method: str, inference: str) -> bool:
    """Tell whether a step says that its columns are decided by this, in runs of such a method."""
    is_mst, by_points = method == "mst", inference == "points"
    if decider == "distances":
        return is_mst and by_points and _BY_DISTANCES.fullmatch(what) is not None
    known = _OF_PAIR if is_mst and not by_points else _OF_CHOICE
    return decider == "choice" and known.fullmatch(what) is not None


def deciders(spends: Sequence[Spend]) -> list[Decider]:
    """Return for each count what decided its columns: the last step before it that is no count."""
    found: list[Decider] = []
    last: Decider = "list"
    for spend in spends:
        if spend.is_count:
            found.append(last)
        else:
            last = "distances" if spend.what.startswith(DISTANCE) else "choice"
    return found
