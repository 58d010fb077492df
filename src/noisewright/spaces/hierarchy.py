"""Groups within groups: how far two labels are apart in a tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from noisewright.errors import SpaceError

Path = tuple[int, ...]
"""Which branch to take at each level, from the top."""

_DEEPEST = 64


def leaves(tree: Any, *, at: Path = ()) -> list[tuple[Any, Path]]:
    """List the labels of nested mappings and lists with the branches that lead to them.

    Keys of a mapping name groups; they are not labels. What is neither a mapping nor a list is
    a label.
    """
    if len(at) > _DEEPEST:
        raise SpaceError(f"the hierarchy is nested more than {_DEEPEST} levels deep.")
    if isinstance(tree, Mapping):
        parts: Iterable[Any] = tree.values()
    elif isinstance(tree, (list, tuple)):
        parts = tree
    else:
        return [(tree, at)]
    found = [leaf for branch, part in enumerate(parts) for leaf in leaves(part, at=(*at, branch))]
    if not found:
        raise SpaceError("a group of the hierarchy has no labels; leave it out or fill it.")
    return found


def levels_apart(a: Path, b: Path) -> int:
    """Return how many levels one has to go up from the deeper label to a group that holds both.

    A metric: going from a to c by way of b never meets a group above the one that holds both
    a and b, or both b and c.
    """
    shared = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        shared += 1
    return max(len(a), len(b)) - shared
