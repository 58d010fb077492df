"""The entrance: from released data and the mechanism that released it to answers with errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from noisewright.curves import CurveNoise, CurveRelease
from noisewright.errors import InputError, OutsideSpaceError
from noisewright.estimation.answers.answer_questions import answer_questions
from noisewright.estimation.channels.channel import channel_of
from noisewright.estimation.counts.released_columns import BATCH, released_codes, released_numbers
from noisewright.estimation.intervals.intervals import Sample
from noisewright.estimation.numbers.mean_curves import mean_of_release
from noisewright.estimation.numbers.number_estimates import (
    QUESTIONS,
    answer_about_numbers,
    answers_asked_for,
    are_numbers,
    mean_with_noise,
)
from noisewright.estimation.questions.asked import Asked, Key, axis_of, names_of, read_tables
from noisewright.estimation.questions.questions import ReleasedQuestion, usual_word
from noisewright.estimation.questions.readings import readings_of, readings_of_curves, with_readings
from noisewright.estimation.questions.table_layout import LayoutPart, TableLayout
from noisewright.estimation.result import Estimate
from noisewright.estimation.sets.item_shares import answer_about_sets
from noisewright.estimation.shares.share_estimates import shares_from_counts
from noisewright.given import brief
from noisewright.mechanisms import (
    Additive,
    ColumnProduct,
    Mechanism,
    PersonMechanism,
    RowProduct,
    SetMechanism,
)
from noisewright.public import public
from noisewright.spaces import MOST_POINTS, Interval, Space, whole_number


@overload
def estimate(  # pyright: ignore[reportOverlappingOverload]
    released: Any,
    mechanism: ColumnProduct,
    *,
    of: list[Any] | Literal["columns", "pairs"],
    about: str = ...,
    method: str = ...,
    confidence: float = ...,
    together: bool = ...,
    show: str = ...,
) -> dict[Key, Estimate]: ...


@overload
def estimate(
    released: Any,
    mechanism: Mechanism | CurveNoise | None = ...,
    *,
    of: Any = ...,
    at: Any = ...,
    about: str = ...,
    method: str = ...,
    confidence: float = ...,
    together: bool = ...,
    show: str = ...,
) -> Estimate: ...


@public
def estimate(
    released: Any,
    mechanism: Mechanism | CurveNoise | None = None,
    *,
    of: Any = None,
    at: Any = None,
    about: str = "population",
    method: str = "unbiased",
    confidence: float = 0.95,
    together: bool = False,
    show: str = "useful",
) -> Estimate | dict[Key, Estimate]:
    """Estimate from released data what the data before the release were like.

    `mechanism` is the one that released the data. For one column, `released` is its values, or a
    mapping from values to how often each occurs. For a product of columns it is a table (Arrow,
    a stream of batches, the path of a file, a mapping of columns), and `of` says which tables of
    it: a column, a tuple of columns, a list of those, "columns" for each column, "pairs" for each
    column and each pair, nothing for all columns jointly.

    For one column `of` is "shares", and for numbers also "mean" (the default on an Interval),
    "variance", "quantiles" (with their levels `at`, quartiles by default) or "histogram" (with the
    edges of its bins `at`). For sets it is "items" (the default), or "pairs" or a list of items for
    the shares of people who have two of them; `released` is sets in any form that `sample` gives
    back, or the bits of `sample_bits`. Released curves know their own noise; their mean is
    estimated at the positions `at`.

    `about="people"` counts only noise as error: the answer is about the people whose data were
    released, after numbers were clamped, sets cut or cells replaced, if the mechanism does such
    things; the answer says so. `about="population"` adds the error of having sampled these people.
    An answer whose standard error is larger than half of the possible range is withheld from what
    is printed and saved, with a note on what would help; `show="all"` shows it.
    `method="unbiased"` may leave [0, 1]; "likelihood" gives the most likely shares, "projected"
    the shares nearest to the unbiased ones. `together=True` widens the intervals of one table or
    curve so that all of them hold at once with the confidence.

    Ensures: unbiased values, and intervals that cover with about the stated confidence or more,
    also for rare categories, few people and when noise dominates (benchmarks/coverage.py); those of
    the other methods cover as often or more. Intervals about a population are never narrower than
    those about the people, and have a width unless the answer is exact. Intervals of quantiles are
    wider than they would have to be on coarse grids: they hold whatever lies between points; one
    point is left only where all others are rejected. Intervals of shares turn a score test around
    (Wilson 1927, with Yates' correction of 1934 where rows are few); the most likely shares are
    found by expectation maximization (Varadhan–Roland 2008) and Newton steps (Wang 2007).
    """
    asked = Asked.reading(about, method, confidence, together, show)
    while isinstance(mechanism, PersonMechanism | RowProduct):
        mechanism = mechanism.row
    if isinstance(released, CurveRelease):
        if of not in (None, "mean") or asked.method != "unbiased":
            raise InputError("only the mean of released curves is estimated, by method='unbiased'.")
        sample = Sample(len(released), asked.about, asked.confidence)
        found = mean_of_release(released, at, sample, together=asked.together)
        return with_readings(asked.state(found), readings_of_curves(released, mechanism))
    if isinstance(mechanism, ColumnProduct):
        if at is not None:
            raise InputError("at goes with the quantiles or the histogram of one column.")
        return _tables(released, mechanism, of, asked)
    if isinstance(mechanism, SetMechanism):
        if at is not None or asked.method != "unbiased":
            raise InputError("sets are estimated by method='unbiased', without at.")
        found = answer_about_sets(released, mechanism, of, asked)
    else:
        found = _one_column(released, mechanism, of, at, asked)
    return with_readings(asked.state(found), readings_of(mechanism))


def _one_column(released: Any, mechanism: Any, of: Any, at: Any, asked: Asked) -> Estimate:
    if isinstance(mechanism, Additive) and mechanism.space.size > MOST_POINTS:
        return _on_a_fine_grid(released, mechanism, of, at, asked)
    channel = channel_of(mechanism)
    question = read_question(of, mechanism.space)
    counts = _counts(released, mechanism, channel.outputs)
    if question != "shares":
        sample = asked.sample(int(counts.sum()), answers_asked_for(question, mechanism.space, at))
        return answer_about_numbers(
            counts, channel, mechanism.space, sample, of=question, at=at, method=asked.method
        )
    if at is not None:
        raise InputError("at goes with quantiles and histograms; shares need none.")
    sample = asked.sample(int(counts.sum()), channel.inputs)
    axes = (axis_of(mechanism.space),)
    return shares_from_counts(counts, [channel], axes, sample, method=asked.method)


def _on_a_fine_grid(released: Any, mechanism: Additive, of: Any, at: Any, asked: Asked) -> Estimate:
    """Answer what needs no shares of single points: the mean of numbers with unbounded noise."""
    if of not in (None, "mean") or at is not None:
        mechanism.space.require_enumerable("the shares of its points")
    if asked.method != "unbiased":
        raise InputError("a mean is estimated by method='unbiased'.")
    numbers = released_numbers(released, mechanism)
    sample = asked.sample(len(numbers), 1)
    spread = float(numbers.var(ddof=1)) if len(numbers) > 1 else None
    return mean_with_noise(float(numbers.mean()), spread, mechanism, sample)


def read_question(of: Any, space: Space) -> str:
    """Read what is asked about one column."""
    if of is None:
        return "mean" if isinstance(space, Interval) else "shares"
    allowed = ("shares", *QUESTIONS) if are_numbers(space) else ("shares",)
    if not isinstance(of, str) or of not in allowed:
        raise InputError(
            f"of is {brief(of)}; for one column of {space!r} it must be one of "
            f"{', '.join(map(repr, allowed))}."
        )
    return str(of)


def _counts(released: Any, mechanism: Mechanism, size: int) -> NDArray[Any]:
    """Count how often each output was released."""
    counts = np.zeros(size, dtype=np.int64)
    if isinstance(released, Mapping):
        for label, count in released.items():
            try:
                (place,) = released_codes([label], mechanism.space, mechanism.outputs).tolist()
            except OutsideSpaceError as problem:
                raise InputError(
                    f"{label!r} is counted, but it is not an output of the mechanism, whose "
                    f"outputs are {mechanism.outputs!r}."
                ) from problem
            counts[place] += whole_number(count, name=f"the count of {label!r}", least=0)
        return counts
    codes = released_codes(released, mechanism.space, mechanism.outputs)
    for start in range(0, len(codes), BATCH):
        counts += np.bincount(codes[start : start + BATCH], minlength=size)
    return counts


def _tables(
    released: Any, mechanism: ColumnProduct, of: Any, asked: Asked
) -> Estimate | dict[Key, Estimate]:
    layout = TableLayout(
        tuple(LayoutPart((name,), one) for name, one in mechanism.columns),
        readings={name: readings_of(one) for name, one in mechanism.columns},
    )
    keys, single = read_tables(of, layout.names)
    questions = [ReleasedQuestion(key, names_of(key), _word(key, layout)) for key in keys]
    found = answer_questions(released, layout, questions, asked)
    return found[keys[0]] if single else found


def _word(key: Key, layout: TableLayout) -> str:
    """Return what is asked about a table of a product: shares, where there are some."""
    word = usual_word(names_of(key), layout)
    return "shares" if "coded" in {layout.kind(name) for name in names_of(key)} else word
