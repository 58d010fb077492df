"""Proof for counts of public groups, of which one person's answer changes.

**Statement.** People are in groups that are public, each person in one, and so is how many people
a group has. Of each person one answer, yes or no, is private. The number of yes in a group of n
people is released by a mechanism on 0..n, the same one for all groups of that size, each group
independently. If the mechanism of every size is (ε, δ)-private for counts one step apart, then all
released counts together are (ε, δ)-private for changing the answer of one person. There may be any
number of groups.

**Why.** One answer moves the count of one group by at most one, also after it was moved to the
nearest end of 0..n. All other groups have the same counts on both sides, are independent of that
one, and can be drawn without knowing on which side one is (post-processing). So what is left is
the mechanism of one group, for two counts that are the same or one step apart.

**Each size once.** A part of the list is a mechanism, and how many groups have it. Two parts for
the same size would leave open which of them is meant, and are refused.

**Properties** that are claimed are proven for every part: only tables can have them. A part may
bring the proof that no mechanism for its size is better, as a table may.

**On trust.** That a person is in one group, that groups and their sizes do not depend on the
answers, and that each group was randomized independently.
"""

from collections.abc import Callable
from typing import Any

from .claim import PrivacyClaim
from .document import read_fields
from .report import Failure, Findings, need

_SHAPE = "form: groups, parts: list"
_PARTS = (
    "groups: whole, mechanism: object",
    "groups: whole, mechanism: object, optimality: object",
)
_FORMS = ("table", "geometric")


def prove_groups(claim: PrivacyClaim, prove: Callable[[PrivacyClaim], Findings]) -> Findings:
    """Prove the claim, with its properties, for the mechanism of each size."""
    _, parts = read_fields(claim.mechanism, "mechanism", _SHAPE)
    read_fields(claim.neighbors, "neighbors", "relation: one answer")
    need(parts, "mechanism", "no groups")
    need(claim.optimality is None, "claims", "only the parts of groups can claim optimality")
    sizes, often = list[int](), 0
    for part in parts:
        groups, mechanism, *optimality = read_fields(part, "mechanism", *_PARTS)
        size = _size_of(mechanism)
        need(groups > 0, "mechanism", f"no groups of {size} people")
        inner = PrivacyClaim(
            mechanism,
            {"relation": "adjacent"},
            claim.epsilon,
            claim.delta,
            claim.properties,
            optimality[0] if optimality else None,
        )
        for item in prove(inner):
            yield _name_size(size, item)
        sizes, often = [*sizes, size], often + groups
    need(len({*sizes}) == len(sizes), "mechanism", "found the same size of a group twice")
    yield "Assuming: a person is in one group; groups and their sizes do not depend on the answers."
    yield (
        f"An answer moves the count of one of the {often} groups by at most one step, and the "
        "others are independent of it."
    )


def _size_of(mechanism: dict[str, Any]) -> int:
    """Return the size of the groups: the mechanism takes and gives the counts up to it."""
    need(mechanism.get("form") in _FORMS, "mechanism", f"a group needs one of {', '.join(_FORMS)}")
    inputs = mechanism.get("inputs")
    _, size = read_fields(inputs, "mechanism", "kind: counts, n: whole")
    same = size > 0 and mechanism.get("outputs") == inputs
    need(same, "mechanism", "a group of n > 0 people needs counts 0..n, and outputs like them")
    return size


def _name_size(size: int, item: str | Failure) -> str | Failure:
    """Say of which size something was found."""
    if isinstance(item, Failure):
        return Failure(f"groups of {size}: {item.part}", item.message)
    return f"Groups of {size}: {item}"
