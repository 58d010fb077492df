"""What is said of groups, against all small tables of answers and their neighbors."""

import itertools
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from tests.mutants.unit_truth import NOISE, Law, Masses, UnjudgedError, UntrueError, excess, law_of

WORDS = "for changing the answer of one person, whose group and its size are public"
STEP = "for moving the input by one step to the next value (other changes may cost more)"
MOST_OUTPUTS, MOST_GROUPS = 5_000, 3


def each_size(document: Any, proved: tuple[str, ...]) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """Each mechanism as if it were a certificate of its own, with the sentences about it."""
    if document["mechanism"]["form"] != "groups":
        yield document, proved
        return
    last = proved[-1].replace(WORDS, STEP)
    for part in document["mechanism"]["parts"]:
        size = part["mechanism"]["inputs"]["n"]
        prefix = f"Groups of {size}: "
        lines = [line.removeprefix(prefix) for line in proved if line.startswith(prefix)]
        claims = {name: part[name] for name in ("optimality",) if name in part}
        inner = {"mechanism": part["mechanism"], "claims": claims}
        yield {**inner, "neighbors": {"relation": "adjacent"}}, (*lines, last)


def require_groups(mechanism: Any, epsilon: Decimal, delta: Decimal) -> None:
    """Change one answer in each small set of groups; all their counts are released."""
    parts = mechanism["parts"]
    sizes = [part["mechanism"]["inputs"]["n"] for part in parts]
    if len({*sizes}) < len(sizes):
        raise UntrueError("a size has two mechanisms, and nobody knows which one is meant")
    groups: list[Law] = []
    for part, size in zip(parts, sizes, strict=True):
        law = law_of(part["mechanism"])
        if law.size != size + 1:
            raise UntrueError(f"a group of {size} people has {law.size} counts")
        groups += [law] * min(part["groups"], 2)
    if not groups:
        raise UntrueError("there are no groups")
    chosen = groups[:MOST_GROUPS]
    for place in range(len(groups)):
        beside = [law for n, law in enumerate(chosen) if n != place]
        _require_one(groups[place], beside, epsilon, delta)


def _require_one(law: Law, beside: list[Law], epsilon: Decimal, delta: Decimal) -> None:
    """One answer in a group of this law changes, beside groups of which the counts stay."""
    power = epsilon.exp()
    for counts in itertools.product(*(sorted({0, other.size - 1}) for other in beside)):
        for low in range(law.size - 1):
            for x, z in ((low, low + 1), (low + 1, low)):
                joint: Masses = law.masses(x, z)
                for other, count in zip(beside, counts, strict=True):
                    same = other.masses(count, count)
                    joint = [(a * p, b * q) for a, b in joint for p, q in same]
                    if len(joint) > MOST_OUTPUTS:
                        raise UnjudgedError
                if excess(joint, power) > delta + NOISE:
                    raise UntrueError(f"counts {x}, {z} need more than delta {delta}")
