"""How good each candidate is: read exactly, and how much one person can change it."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, NotPrivateError, ParameterError, TooLargeError
from noisewright.exact import Doubles, Number, exactly
from noisewright.given import amount, several
from noisewright.spaces import Space

_MOST_CANDIDATES = 10**7
"""A longer list of points is not made: it would not fit into memory."""

_MANY = 256
"""From this many on, exact fractions of all qualities are made only if they are needed."""

Quality = Callable[[Any, Any], Number] | Any
"""A function of (input, candidate), a matrix with one row per input, or the values of one input:
a list, an array, a mapping, a pandas Series by its index, or a function of the candidate alone."""


def read_qualities(quality: Quality, inputs: Space, outputs: Space) -> list[list[Fraction]]:
    """Read a quality or utility as exact numbers: a function of two points, or a matrix."""
    if callable(quality):
        if is_of_candidate(quality):
            raise InputError(
                "quality is a function of one argument; for all possible inputs it takes two, "
                "(input, candidate). For one dataset leave space= out and give sensitivity=."
            )
        rows: Any = [[quality(x, y) for y in outputs.points] for x in inputs.points]
    else:
        rows = quality.tolist() if isinstance(quality, np.ndarray) else quality
    shape_error = InputError(
        f"quality must be a function of (input, candidate) or a matrix of {inputs.size} rows and "
        f"{outputs.size} columns."
    )
    try:
        exact = [[exactly(q, name="a quality") for q in row] for row in rows]
    except TypeError as problem:
        raise shape_error from problem
    if len(exact) != inputs.size or any(len(row) != outputs.size for row in exact):
        raise shape_error
    return exact


def is_one_row(quality: Any) -> bool:
    """Tell whether a quality holds one value per candidate, so is about one dataset."""
    if isinstance(quality, Mapping) or is_of_candidate(quality):
        return True
    if isinstance(quality, np.ndarray) or hasattr(quality, "to_numpy"):
        return np.ndim(quality) == 1
    if not isinstance(quality, Sequence) or isinstance(quality, (str, bytes)) or not quality:
        return False
    kinds = set(map(type, quality))
    return kinds <= {int, float} or all(
        isinstance(entry, str) or not np.iterable(entry) for entry in quality
    )


def is_of_candidate(quality: Any) -> bool:
    """Tell whether a quality is a function that takes a candidate, and cannot take an input too."""
    if not callable(quality):
        return False
    try:
        signature = inspect.signature(quality)
        signature.bind(None)
    except (TypeError, ValueError):
        return False
    try:
        signature.bind(None, None)
    except TypeError:
        return True
    return False


def read_values(
    quality: Any, candidates: Sequence[Any], *, what: str = "quality"
) -> Sequence[Fraction]:
    """Read the quality of each candidate for one dataset; see `Quality`. Errors call it `what`.

    Ensures: exact numbers; many that came as doubles stay so until somebody looks at them.
    """
    if is_of_candidate(quality):
        quality = [quality(candidate) for candidate in candidates]
    if isinstance(quality, Mapping):
        quality = _looked_up(quality, candidates, what)
    elif (index := _index(quality)) is not None:
        quality = _align(quality, index, candidates, what)
    if hasattr(quality, "to_numpy"):
        quality = np.asarray(quality)
    if not np.iterable(quality) or isinstance(quality, (str, bytes)):
        raise InputError(
            f"{what} is of type {type(quality).__name__}; for one dataset give one number per "
            "candidate, such as [f(candidate) for candidate in candidates]."
        )
    values: Any = quality if isinstance(quality, np.ndarray) else list(quality)
    if len(values) != len(candidates):
        raise InputError(
            f"{what} has {len(values)} values; there are {len(candidates)} candidates, and each "
            "needs one."
        )
    doubles = Doubles.read(values) if len(values) >= _MANY else None
    if doubles is not None:
        return doubles
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    return tuple(_read_one(value, place, what) for place, value in enumerate(listed))


def _looked_up(quality: Mapping[Any, Any], candidates: Sequence[Any], what: str) -> list[Any]:
    try:
        missing = sum(candidate not in quality for candidate in candidates)
        known = set(candidates)
    except TypeError:
        raise InputError(
            f"these candidates cannot be keys of a mapping; give {what} as a list, in the order of "
            "the candidates."
        ) from None
    if missing:
        raise InputError(f"{what} says nothing about {missing} of the candidates.")
    strange = sum(key not in known for key in quality)
    if strange:
        raise InputError(
            f"{what} has {strange} {'key' if strange == 1 else 'keys'} that are not candidates. "
            "Leave them out, or list them as candidates."
        )
    return [quality[candidate] for candidate in candidates]


def _index(quality: Any) -> Any:
    """Return the labels of a pandas Series, or None; lists and Arrow have a method of that name."""
    index = getattr(quality, "index", None)
    if index is None or callable(index) or np.ndim(quality) != 1:
        return None
    return index


def _align(quality: Any, index: Any, candidates: Sequence[Any], what: str) -> Any:
    """Read a Series by its labels; one without labels of its own by position."""
    labels: list[Any] = index.tolist()
    try:
        are_candidates = len(set(labels)) == len(labels) and set(labels) == set(candidates)
    except TypeError:
        are_candidates = False
    if _is_numbered(index):
        # The labels are positions, unless they are the candidates: then nobody can tell.
        if are_candidates and labels != list(candidates):
            raise InputError(
                f"{what} is a Series numbered 0, 1, 2, …, and so are the candidates, in another "
                "order. Give a mapping from each candidate to its value, or a list."
            )
        return quality
    if not are_candidates:
        raise InputError(
            f"{what} is a Series whose index does not hold exactly the candidates, each once. "
            f"Make them its index, or give its values in their order: {what}.to_numpy()."
        )
    return _looked_up(dict(zip(labels, quality.tolist(), strict=True)), candidates, what)


def _is_numbered(index: Any) -> bool:
    return type(index).__name__ == "RangeIndex" and index.tolist() == list(range(len(index)))


def _read_one(value: Any, place: int, what: str) -> Fraction:
    with contextlib.suppress(ParameterError):
        return exactly(value)
    # Qualities of one dataset are private: the value is not shown, nor kept in the error.
    raise InputError(
        f"the {what} of candidate {place + 1:,} is not a finite number. Give a float, an "
        "integer, a Fraction, a Decimal or a text such as '0.1' or '1/3'."
    )


def by_level(values: Sequence[Fraction]) -> tuple[list[Fraction], NDArray[np.intp]]:
    """Return the distinct values, and which of them each one is."""
    known: dict[Fraction, int] = {}
    held = tuple(values)
    # The same object is the same value: looking that up costs far less than comparing fractions.
    level = {
        key: known.setdefault(value, len(known))
        for key, value in {id(value): value for value in held}.items()
    }
    which = [level[id(value)] for value in held]
    return list(known), np.array(which, dtype=np.intp)


@dataclass(frozen=True)
class QualityChange:
    """How much a quality changes between neighbors, per unit of distance if they are "metric".

    `clash` is a pair of neighboring codes between which some qualities rise and others fall;
    None when all move in one direction between any two neighbors: a monotonic quality.
    """

    largest: Fraction
    clash: tuple[int, int] | None


def change_of(qualities: list[list[Fraction]], space: Space) -> QualityChange:
    """Look through all neighbors."""
    largest, clash = Fraction(0), None
    for a, b in space.neighbor_codes().tolist():
        changes = [p - q for p, q in zip(qualities[a], qualities[b], strict=True)]
        most, least = max(changes), min(changes)
        if clash is None and least < 0 < most:
            clash = (a, b)
        largest = max(largest, max(most, -least) / space.neighbor_distance(a, b))
    return QualityChange(Fraction(largest), clash)


def read_sensitivity(stated: Number | None, change: QualityChange, space: Space) -> Fraction:
    """Return the stated sensitivity, which must not be below what was found, or that."""
    if stated is None:
        return change.largest
    value = exactly(stated, name="sensitivity")
    if value < change.largest:
        per_unit = " per unit of distance" if space.by_distance else ""
        raise NotPrivateError(
            f"sensitivity is given as {stated}, but between two neighbors the quality "
            f"changes by {float(change.largest):g}{per_unit}. Give at least that, or leave it out."
        )
    return value


def read_candidates(candidates: Space | Iterable[Any], quality: Quality) -> tuple[Any, ...]:
    """Read what is to be chosen from: a space, or any Python values.

    A set has no order of its own, so its qualities must be given by candidate.
    """
    if isinstance(candidates, (str, bytes)):
        raise InputError("candidates is a text; give a list of candidates.")
    if isinstance(candidates, (set, frozenset)) and not _is_by_candidate(quality):
        raise InputError(
            "candidates is a set, whose order changes from run to run, and quality has an order. "
            "Give the candidates as a list, or quality as a mapping or a function."
        )
    if isinstance(candidates, Space) and candidates.size > _MOST_CANDIDATES:
        raise TooLargeError(
            f"{candidates!r} has {amount(candidates.size)} points; one is chosen among at most "
            f"{_MOST_CANDIDATES:,}. Use a coarser grid, or "
            "nw.select.private_quantile for a quantile.",
            size=candidates.size,
        )
    listed = tuple(
        candidates.points
        if isinstance(candidates, Space)
        else several(candidates, name="candidates", of="candidates")
    )
    if not listed:
        raise InputError("there are no candidates to choose from.")
    return listed


def _is_by_candidate(quality: Any) -> bool:
    if isinstance(quality, Mapping) or callable(quality):
        return True
    index = _index(quality)
    return index is not None and not _is_numbered(index)
