"""Pairs of columns that close no cycle."""

from __future__ import annotations

from collections.abc import Iterable

Names = tuple[str, ...]


def spanning_forest(pairs: Iterable[Names]) -> list[Names]:
    """Return the first pairs that join columns without closing a cycle, in their order.

    Ensures: as many as there are columns less the parts that all pairs together connect.
    """
    group: dict[str, str] = {}
    found: list[Names] = []
    for pair in pairs:
        first, second = (group.setdefault(name, name) for name in pair)
        if first != second:
            found.append(pair)
            group = {name: second if own == first else own for name, own in group.items()}
    return found
