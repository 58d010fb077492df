"""Answers for each public group, put side by side as one table of answers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.estimation.intervals.intervals import require_people
from noisewright.estimation.result import ARRAYS, Axis, Estimate, map_arrays

Place = tuple[int, ...]


def for_each_group(
    axes: tuple[Axis, ...],
    sizes: NDArray[np.int64],
    answer: Callable[[Place], Estimate],
    *,
    least: int = 1,
) -> Estimate:
    """Return the answers of all groups, the groups as the first axes.

    `sizes` are the people of each group. A group of fewer people than `least` has no answer: its
    values are not numbers. Without axes there is one group, all people.
    """
    require_people(int(sizes.sum()))
    if not axes:
        return answer(())
    places = [place for place in np.ndindex(sizes.shape) if sizes[place] >= least]
    answers = {place: answer(place) for place in places}
    some = next(iter(answers.values()), None)
    if some is None:
        # Every group is too small; the answer about the largest says what would be needed.
        largest = int(np.argmax(sizes))
        return answer(tuple(int(i) for i in np.unravel_index(largest, sizes.shape)))
    filled: dict[str, Any] = {}
    for name in ARRAYS:
        array = np.full((*sizes.shape, *some.values.shape), np.nan)
        for place, found in answers.items():
            array[place] = getattr(found, name)
        filled[name] = array
    behind = sizes.reshape(sizes.shape + (1,) * some.values.ndim)
    notes = list(some.notes)
    if len(answers) < sizes.size:
        why = "" if least == 1 else f" of fewer than {least} people"
        notes.append(f"Groups{why or ' without people'} have no answer.")
    return replace(
        some,
        axes=(*axes, *some.axes),
        people=int(sizes.sum()),
        sizes=np.broadcast_to(behind, filled["values"].shape),
        notes=tuple(notes),
        **filled,
    )


def reorder_axes(found: Estimate, order: tuple[int, ...]) -> Estimate:
    """Return the same answers with their axes in another order."""
    axes = tuple(found.axes[i] for i in order)
    sizes = None if found.sizes is None else found.sizes.transpose(order)
    return map_arrays(found, lambda array: array.transpose(order), axes=axes, sizes=sizes)


def with_sorted_groups(found: Estimate, groups: int) -> Estimate:
    """Return answers whose first axes, public groups, are sorted by their values."""
    for place, axis in enumerate(found.axes[:groups]):
        order = sorted(range(len(axis.labels)), key=lambda i: _rank(axis.labels[i]))
        sizes = None if found.sizes is None else found.sizes.take(order, axis=place)
        labels = Axis(axis.name, [axis.labels[i] for i in order])
        axes = (*found.axes[:place], labels, *found.axes[place + 1 :])
        found = map_arrays(
            found, partial(np.take, indices=order, axis=place), axes=axes, sizes=sizes
        )
    return found


def _rank(value: Any) -> tuple[int, Any]:
    """Sort values of one column: as they are, then what is not a number, then empty cells."""
    if value is None:
        return 2, 0
    return (1, 0) if isinstance(value, float) and math.isnan(value) else (0, value)
