"""Categories: one label out of a list that the caller declares."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import SpaceError
from noisewright.given import brief
from noisewright.spaces.metric import Distance, Metric
from noisewright.spaces.neighbors import Neighbors
from noisewright.spaces.space import Space
from noisewright.spaces.temporal import ADVICE, is_date

Label = str | int | float | bool | bytes

_Path = tuple[int, ...]
"""Which branch to take at each level, from the top."""

_DEEPEST = 64


@dataclass(frozen=True)
class Categories(Space):
    """A finite list of labels; neighbors are all pairs by default (replace one record).

    The list comes from the caller, never from the data: which labels occur is private too.
    """

    labels: tuple[Label, ...]
    neighbors: Neighbors = field(default="replace", kw_only=True)
    metric: Metric = field(default="discrete", kw_only=True)

    def __init__(
        self, labels: Iterable[Label], *, neighbors: Any = "replace", metric: Any = "discrete"
    ) -> None:
        set_field = object.__setattr__
        set_field(self, "labels", read_labels(labels, space="Categories", one="label"))
        self._read_relations(neighbors, metric, metrics=("discrete",))

    @classmethod
    def hierarchy(cls, tree: Any, *, neighbors: Any = "replace") -> Categories:
        """Return the labels of a tree; their distance is how many levels up they meet.

        Requires: nested mappings and lists, such as {"fruit": ["apple", "pear"], "roots":
        ["carrot", "beet"]}. Keys name groups and are not labels.
        Ensures: labels of one group of the lowest level are at distance 1, labels that meet one
        level higher at distance 2, and so on. Use it with `design(…, loss="distance")`.
        """
        if isinstance(tree, (str, bytes)) or not isinstance(tree, (Mapping, list, tuple)):
            raise SpaceError(
                f"the hierarchy is of type {type(tree).__name__}; it must be a mapping from groups "
                "to lists of labels, or to further groups."
            )
        found = _leaves(tree)
        paths = [path for _, path in found]
        distances = [[_levels_apart(a, b) for b in paths] for a in paths]
        return cls([label for label, _ in found], neighbors=neighbors, metric=distances)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.labels[:4])) + (", …" if self.size > 4 else "")
        count = f" ({self.size} labels)" if self.size > 4 else ""
        relation = "" if self.neighbors == "replace" else f", neighbors={self.neighbors!r}"
        return f"Categories([{shown}]{count}{relation})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Categories):
            return NotImplemented
        # Python says that True == 1, but they are different labels.
        same_labels = list(map(label_key, self.labels)) == list(map(label_key, other.labels))
        return same_labels and (self.neighbors, self.metric) == (other.neighbors, other.metric)

    @property
    def size(self) -> int:
        """How many labels there are."""
        return len(self.labels)

    @property
    def of_numbers(self) -> bool:
        """Whether some label is a number."""
        return any(type(label) in (int, float) for label in self.labels)

    @property
    def points(self) -> Sequence[Label]:
        """Return the labels."""
        return self.labels

    @cached_property
    def _codes(self) -> dict[Any, int]:
        return {label_key(label): code for code, label in enumerate(self.labels)}

    def point(self, code: int) -> Label:
        """Return the label with this code."""
        if not 0 <= code < self.size:
            raise self.outside()
        return self.labels[code]

    def code(self, point: Any) -> int:
        """Return the code of a label."""
        # Raised outside of the handler here and elsewhere: its error holds the value.
        try:
            return self._codes[label_key(point)]
        except (KeyError, TypeError):
            pass
        raise self.outside()

    def decode(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Return the labels with these codes."""
        return self._label_array[codes]

    @cached_property
    def _label_array(self) -> NDArray[Any]:
        if len({type(label) for label in self.labels}) == 1:
            plain = np.array(self.labels)
            # numpy rounds whole numbers of 64 bits and more and drops zeros at the end of a text.
            if plain.tolist() == list(self.labels):
                return plain
        mixed = np.empty(self.size, dtype=object)
        mixed[:] = self.labels
        return mixed

    def _advice(self) -> str:
        return (
            "Labels must be declared by the caller: add it to the list, map it to a declared "
            "label such as 'other', or declare a label for missing values."
        )

    def _named_distance(self, a: int, b: int) -> Distance:
        return int(a != b)

    def _named_diameter(self) -> Distance:
        return int(self.size > 1)

    def _named_separation(self) -> Distance:
        return int(self.size > 1)

    def describe(self) -> dict[str, Any]:
        """Return the points as a certificate writes them."""
        labels = [label.hex() if isinstance(label, bytes) else label for label in self.labels]
        return {"kind": "labels", "labels": labels}


def label_key(label: Any) -> Any:
    """Return a key that keeps True, 1 and "1" apart but lets numpy scalars match."""
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, float) and label.is_integer():
        label = int(label)
    return (isinstance(label, bool), label)


def _is_endless(label: Any) -> bool:
    return isinstance(label, float) and not math.isfinite(label)


def read_labels(labels: Iterable[Label], *, space: str, one: str) -> tuple[Label, ...]:
    """Read the labels or items of a space; each must be a value that can be told apart."""
    if isinstance(labels, (str, bytes)):
        raise SpaceError(
            f"{space} takes a list of {one}s; got the text {brief(labels)}. Write "
            f"{space}([{brief(labels)}, …])."
        )
    try:
        given = list(labels)
    except TypeError as problem:
        raise SpaceError(
            f"{space} takes a list of {one}s; got {type(labels).__name__}."
        ) from problem
    dated = next((place for place, label in enumerate(given) if is_date(label)), None)
    if dated is not None:
        raise SpaceError(f"{one}s[{dated}] is a {type(given[dated]).__name__}. {ADVICE}")
    listed = [label.item() if isinstance(label, np.generic) else label for label in given]
    if not listed:
        raise SpaceError(f"{space} needs at least one {one}; got none.")
    seen: set[Any] = set()
    for position, label in enumerate(listed):
        if not isinstance(label, (str, int, float, bytes)) or _is_endless(label):
            raise SpaceError(
                f"{one}s[{position}] is {brief(label)}; each {one} is a text, a finite number or a "
                f"bool. For missing values declare one such as 'missing'."
            )
        key = label_key(label)
        if key in seen:
            raise SpaceError(f"the {one} {brief(label)} is given twice; {one}s must differ.")
        seen.add(key)
    return tuple(listed)


def _leaves(tree: Any, *, at: _Path = ()) -> list[tuple[Any, _Path]]:
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
    found = [leaf for branch, part in enumerate(parts) for leaf in _leaves(part, at=(*at, branch))]
    if not found:
        raise SpaceError("a group of the hierarchy has no labels; leave it out or fill it.")
    return found


def _levels_apart(a: _Path, b: _Path) -> int:
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
