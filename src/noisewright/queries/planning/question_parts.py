"""Questions that are tables of counts, and how the error of each part of them adds to their errors.

An answer is a product of weights v_i of the cells of each attribute: one cell, or a range. With the
precision p_B of part B (`contrast_cost.py`) its least-squares estimate has the variance

    Σ_B (1 / p_B) ∏_i |Q_l v_i|² / s_l,

where attributes that a table leaves out are summed up, so that only their level 0 counts, by 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.given import amount, brief, one_of
from noisewright.queries.planning.attribute import MOST_CELLS, Attribute, Floats, Kind
from noisewright.queries.planning.contrast_cost import Levels

KINDS: tuple[Kind, ...] = ("cells", "prefixes", "ranges")


@final
@dataclass(frozen=True)
class TableQuestion:
    """Counts by some attributes: of each cell, or along an ordered one of prefixes or ranges.

    The variance of each answer counts `weight` times. Answers by "ranges" are counts of cells,
    planned so that the sums over all ranges are good. `kinds` has one for each attribute.
    """

    attributes: tuple[str, ...]
    weight: float = 1.0
    kinds: tuple[Kind, ...] = ()

    def __post_init__(self) -> None:
        kinds = self.kinds or ("cells",) * len(self.attributes)
        for kind in kinds:
            one_of(kind, KINDS, name="a kind of question")
        if len(set(self.attributes)) != len(self.attributes) or len(kinds) != len(self.attributes):
            raise ParameterError(
                f"the question is by {brief(self.attributes)} and of the kinds {brief(kinds)}; it "
                "takes different attributes, and one kind for each."
            )
        if not 0 < self.weight < math.inf:
            raise ParameterError(f"the weight is {self.weight}; it must be positive and finite.")
        object.__setattr__(self, "kinds", kinds)


@final
@dataclass(frozen=True, eq=False)
class QuestionParts:
    """Questions about the same rows; `axes` are all attributes, in the order of levels in parts."""

    axes: tuple[Attribute, ...]
    questions: tuple[TableQuestion, ...]

    def __post_init__(self) -> None:
        known = {axis.name for axis in self.axes}
        if not self.questions:
            raise ParameterError("there are no questions; at least one is needed.")
        for question in self.questions:
            if unknown := [name for name in question.attributes if name not in known]:
                raise ParameterError(
                    f"the question by {brief(question.attributes)} has {brief(unknown[0])}, which "
                    f"is none of the attributes {brief(sorted(known))}."
                )
            cells = math.prod(axis.widths[-1] for axis in self.axes_of(question.attributes))
            if cells > MOST_CELLS:
                raise ParameterError(
                    f"the table by {brief(question.attributes)} has {amount(cells)} cells; at most "
                    f"{MOST_CELLS:,} are possible. Ask by fewer attributes, or use wider bins."
                )

    @cached_property
    def place(self) -> Mapping[str, int]:
        """Where each attribute is among the axes."""
        return {axis.name: place for place, axis in enumerate(self.axes)}

    def axes_of(self, names: Sequence[str]) -> tuple[Attribute, ...]:
        """Return the attributes of these names."""
        found = {axis.name: axis for axis in self.axes}
        return tuple(found[name] for name in names)

    def parts_of(self, names: Sequence[str]) -> list[tuple[Levels, Levels]]:
        """Return the parts of a table: levels of its attributes, and of all attributes."""
        found: list[tuple[Levels, Levels]] = []
        for levels in product(*(range(axis.height + 1) for axis in self.axes_of(names))):
            whole = [0] * len(self.axes)
            for name, level in zip(names, levels, strict=True):
                whole[self.place[name]] = level
            found.append((levels, tuple(whole)))
        return found

    @cached_property
    def answers(self) -> NDArray[np.int64]:
        """How many answers each question has."""
        counts: list[int] = []
        for question in self.questions:
            steps = zip(self.axes_of(question.attributes), question.kinds, strict=True)
            counts.append(math.prod(axis.answers(kind) for axis, kind in steps))
        return np.array(counts, dtype=np.int64)

    @cached_property
    def weights(self) -> Floats:
        """The weight of each question's answers."""
        return np.array([question.weight for question in self.questions])

    @cached_property
    def _entries(self) -> list[tuple[int, Levels, float]]:
        found: list[tuple[int, Levels, float]] = []
        for number, question in enumerate(self.questions):
            axes = self.axes_of(question.attributes)
            spreads = [
                axis.total_spread(kind) for axis, kind in zip(axes, question.kinds, strict=True)
            ]
            for levels, part in self.parts_of(question.attributes):
                loss = math.prod(float(s[lv]) for s, lv in zip(spreads, levels, strict=True))
                found.append((number, part, loss))
        return found

    @cached_property
    def parts(self) -> tuple[Levels, ...]:
        """All parts of all questions; the first one is the total."""
        return tuple(sorted({part for _, part, _ in self._entries}))

    @cached_property
    def losses(self) -> Floats:
        """By question and part: what 1 / p_B adds to the sum of its answers' variances."""
        column = {part: place for place, part in enumerate(self.parts)}
        out = np.zeros((len(self.questions), len(self.parts)))
        for number, part, loss in self._entries:
            out[number, column[part]] += loss
        return out
