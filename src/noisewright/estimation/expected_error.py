"""Errors before any release: what an estimate from so many people would be worth.

The same exact formulas as after the release, at shares that are guessed instead of estimated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.curves import CurveNoise
from noisewright.errors import InputError, ParameterError
from noisewright.estimation.channels.channel import Channel, channel_of, joint_second_moments
from noisewright.estimation.estimate import read_question
from noisewright.estimation.intervals.intervals import (
    Sample,
    normal_quantile,
    read_about,
    read_confidence,
)
from noisewright.estimation.intervals.spread import spread
from noisewright.estimation.numbers.averages import planned_variances, worst_variances
from noisewright.estimation.numbers.number_estimates import bins, numbers_of
from noisewright.estimation.questions.asked import axis_of, names_of, read_tables
from noisewright.estimation.result import About, Axis, Estimate
from noisewright.estimation.sets.item_shares import coins_of, item_variances
from noisewright.exact import exactly
from noisewright.mechanisms import Additive, ColumnProduct, Mechanism, SetMechanism
from noisewright.public import public
from noisewright.spaces import MOST_POINTS, Space, whole_number

Array = NDArray[np.float64]


@public
def expected_error(
    mechanism: Mechanism | CurveNoise,
    *,
    people: int,
    of: Any = None,
    at: Any = None,
    shares: Any = None,
    about: str = "population",
    confidence: float = 0.95,
) -> Any:
    """Return what `estimate` would give from `people` released rows, before there are any.

    Values are what `shares` says: the shares of the inputs as an array or by label, even shares by
    default, or "worst" for the largest error that any shares could give (the values are then even
    shares all the same). For sets they are shares of items, none by default: most are rare. `of`
    and `at` are as for `estimate`, except that quantiles, variances and pairs of items cannot be
    planned, and of curves only the noise.
    Ensures: standard errors that are exact for these shares, or upper bounds for "worst": the
    multinomial formulas of randomized response (Warner 1965), for any mechanism.
    """
    count = whole_number(people, name="people", least=1)
    sample = Sample(count, read_about(about), read_confidence(confidence))
    if isinstance(mechanism, CurveNoise):
        if of not in (None, "mean") or shares is not None or sample.about == "population":
            raise InputError(
                "for curves only the error of the mean about='people' can be planned, which is "
                "the noise; how much curves differ is not known in advance."
            )
        space = mechanism.space
        positions = space.positions if at is None else np.atleast_1d(np.asarray(at, float))
        values = np.full(len(positions), float(space.low + space.high) / 2)
        axes = (Axis("position", positions.tolist()),)
        return _plan("mean", axes, values, mechanism.standard_error(positions) ** 2, sample)
    if isinstance(mechanism, SetMechanism):
        if of not in (None, "items") or at is not None:
            raise InputError("for sets the error of of='items' can be planned.")
        return _plan_items(mechanism, shares, sample)
    if isinstance(mechanism, Additive) and mechanism.space.size > MOST_POINTS:
        if of not in (None, "mean") or at is not None or shares not in (None, "worst"):
            mechanism.space.require_enumerable("the shares of its points")
        return _plan_on_a_fine_grid(mechanism, shares, sample)
    if not isinstance(mechanism, ColumnProduct):
        question = read_question(of, mechanism.space)
        if question == "shares":
            return _plan_shares([mechanism], (axis_of(mechanism.space),), shares, sample)
        return _plan_number(mechanism, question, at, shares, sample)
    columns = dict(mechanism.columns)
    keys, single = read_tables(of, list(columns))
    if shares is not None and not isinstance(shares, str) and not single:
        raise InputError("shares are those of one table; ask for one table at a time, with of=.")
    found = {
        key: _plan_shares(
            [columns[name] for name in names_of(key)],
            tuple(axis_of(columns[name].space, name) for name in names_of(key)),
            shares,
            sample,
        )
        for key in keys
    }
    return found[keys[0]] if single else found


def _plan_shares(
    mechanisms: list[Mechanism], axes: tuple[Axis, ...], shares: Any, sample: Sample
) -> Estimate:
    channels = [channel_of(mechanism) for mechanism in mechanisms]
    spaces = [mechanism.space for mechanism in mechanisms]
    guess = read_shares(shares, spaces)
    if isinstance(shares, str):
        variances = _worst_shares(channels, sample.about)
    else:
        variances = spread(guess, channels).variances(sample.about)
    return _plan("share", axes, guess, variances, sample)


def _worst_shares(channels: list[Channel], about: About) -> Array:
    """Bound the variance that one row gives each share, over all shares θ of its own cell."""
    own, _, most = joint_second_moments(channels)
    if about == "people":
        return np.maximum(own - 1, most)
    theta = np.clip((own - most) / 2, 0.0, 1.0)
    return own * theta + most * (1 - theta) - theta**2


def _plan_items(mechanism: SetMechanism, shares: Any, sample: Sample) -> Estimate:
    """Plan shares of items; without a guess they are rare, as most items are."""
    coins, items, about = coins_of(mechanism), mechanism.space.items, sample.about
    guess = np.zeros(len(items))
    if isinstance(shares, str):
        _require_worst(shares)
        # The variance is concave in the share; its peak may lie inside.
        tilt = coins.inside - coins.outside - (1 if about == "people" else 0)
        peak = np.clip(tilt / 2, 0, 1) if about == "population" else float(tilt > 0)
        guess = np.full(len(items), peak)
    elif isinstance(shares, Mapping):
        for item, share in shares.items():
            if item not in items:
                raise InputError(f"shares name {item!r}, which is not an item.")
            guess[items.index(item)] = share
    elif shares is not None:
        guess = np.broadcast_to(np.asarray(shares, dtype=np.float64), guess.shape)
    if not ((guess >= 0) & (guess <= 1)).all():
        raise ParameterError("the share of an item lies between 0 and 1.")
    variances = item_variances(guess, coins, about)
    return _plan("share", (Axis("item", items),), guess, variances, sample)


def _plan_number(
    mechanism: Mechanism, question: str, at: Any, shares: Any, sample: Sample
) -> Estimate:
    if question not in ("mean", "histogram"):
        raise InputError(
            f"the error of {question} cannot be planned; ask for 'mean' or 'histogram'."
        )
    points = numbers_of(mechanism.space)
    answers, axes = points[:, None], ()
    if question == "histogram":
        answers, axis = bins(mechanism.space, at)
        axes = (axis,)
    channel, guess = channel_of(mechanism), read_shares(shares, [mechanism.space])
    if isinstance(shares, str):
        variances = worst_variances(channel, answers, sample.about)
    else:
        variances = planned_variances(guess, channel, answers, sample.about)
    values = guess @ answers
    if question == "mean":
        values, variances = values[0], variances[0]
    what = "mean" if question == "mean" else "share"
    return _plan(what, axes, values, variances, sample)


def _plan_on_a_fine_grid(mechanism: Additive, shares: Any, sample: Sample) -> Estimate:
    """Plan the mean of numbers that are spread evenly, or half on each end, from variances."""
    space = mechanism.space
    variance = mechanism.variance
    if sample.about == "population":
        parts = 12 if shares is None else 4
        variance += float(space.high - space.low) ** 2 / parts
    value = float(space.low + space.high) / 2
    return _plan("mean", (), value, variance, sample)


def _plan(
    what: str, axes: tuple[Axis, ...], values: Any, variances: Any, sample: Sample
) -> Estimate:
    errors = np.sqrt(np.maximum(variances, 0.0) / sample.people)
    reach = normal_quantile(sample.confidence) * errors
    arrays = np.asarray(values), errors, values - reach, values + reach
    return sample.estimate(what, axes, *arrays, method="planned")


def _require_worst(shares: str) -> None:
    if shares != "worst":
        raise ParameterError(
            f"shares is {shares!r}; give the expected shares or 'worst', or leave it out for even "
            "shares."
        )


def read_shares(shares: Any, spaces: list[Space]) -> Array:
    """Read shares of a table's cells: by label, as an array, or even ones, also for 'worst'."""
    shape = tuple(space.size for space in spaces)
    if isinstance(shares, str):
        _require_worst(shares)
        shares = None
    if shares is None:
        return np.full(shape, 1.0 / float(np.prod(shape)))
    if isinstance(shares, Mapping):
        read = np.zeros(shape)
        for label, share in shares.items():
            share = float(exactly(share, name="a share"))
            labels = label if len(spaces) > 1 else (label,)
            if not isinstance(labels, tuple) or len(labels) != len(spaces):
                raise InputError(f"the share of {label!r} needs one label for each column.")
            place = tuple(space.code(one) for space, one in zip(spaces, labels, strict=True))
            read[place] = share
    else:
        try:
            read = np.asarray(shares, dtype=np.float64)
        except (TypeError, ValueError, ArithmeticError):
            raise InputError(
                f"shares is of type {type(shares).__name__}; give one number for each cell, as a "
                "list, an array or a mapping from labels."
            ) from None
    if read.shape != shape:
        raise InputError(f"shares have the shape {read.shape}; the table has {shape}.")
    if not np.isfinite(read).all() or read.min() < 0 or abs(float(read.sum()) - 1) > 1e-6:
        raise ParameterError(
            f"shares must be at least 0 and sum to 1; these sum to {float(read.sum()):.6g}."
        )
    return read / read.sum()


def widen_for_rows(found: Estimate, noise: Estimate, rows: int) -> Estimate:
    """Return planned answers about a population, given those about people, with rows that agree."""
    with np.errstate(invalid="ignore", divide="ignore"):
        sampling = np.maximum(found.standard_errors**2 - noise.standard_errors**2, 0.0)
        errors = np.sqrt(noise.standard_errors**2 + rows * sampling)
        wider = np.where(found.standard_errors > 0, errors / found.standard_errors, np.sqrt(rows))
    wider = np.where(np.isfinite(wider), np.maximum(wider, 1.0), np.sqrt(rows))
    values = found.values
    return replace(
        found,
        standard_errors=np.where(np.isfinite(errors), errors, found.standard_errors),
        lows=values - wider * (values - found.lows),
        highs=values + wider * (found.highs - values),
    )
