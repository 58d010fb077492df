"""One answer from the answers of several tables that differ as noise, or what is missing, allows.

    m tables   q_i the answer of one   u_i its variance, as if the table were the real sample

    B = Σ (q_i − q̄)² / (m − 1)          what noise leaves open
    about the people       variance (1 + 1/m) B         with Student's t for m − 1
    about a population     variance ū + (1 + 1/m) B     with (m − 1) (1 + ū / ((1 + 1/m) B))²

These are the rules for multiple imputation (Rubin 1987, chapter 3): each table stands for the one
that was counted, and has its size and no sampling of its own. Rules for tables that are sampled
from a model instead, (1 + 1/m) B − ū (Raghunathan, Reiter and Rubin 2003), would subtract a
variance that is not in B.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.estimation.intervals.intervals import (
    read_confidence,
    require_people,
    student_quantile,
)
from noisewright.estimation.result import Axis, Estimate
from noisewright.given import whole_number
from noisewright.public import public

_MOST_FREEDOM = 1 << 30


@public
def pool_estimates(
    values: Sequence[Any] | NDArray[Any],
    variances: Sequence[Any] | NDArray[Any] | None = None,
    *,
    people: int,
    confidence: float = 0.95,
) -> Estimate:
    """Return one estimate from those of several tables, such as `Synthesis.tables` gives.

    `values` has an answer for each table, or several, always in the same order. `variances` are
    their squared standard errors as the usual formulas give them for a table of `people` rows;
    with them the estimate is about the population that these people are a sample of, without about
    the people themselves.
    Requires: two tables or more; ten are better, since few say little about their own spread.
    Ensures: the rules at the top of `pooling.py`. That intervals cover is not proven: what a model
    does not express is an error that all tables share.
    Source: Rubin 1987, chapter 3.
    """
    level = read_confidence(confidence)
    behind = whole_number(people, name="people", least=1)
    require_people(behind)
    answers = _read(values, "values")
    tables = answers.shape[0]
    if tables < 2:
        raise ParameterError(
            "the answer of one table does not say how much noise moves it. Give those of two "
            "tables or more; made.tables(10) makes ten."
        )
    between = answers.var(axis=0, ddof=1) * (1 + 1 / tables)
    freedom = np.full(between.shape, float(tables - 1))
    whole = between
    if variances is not None:
        within = _read(variances, "variances")
        if within.shape != answers.shape or (within < 0).any():
            raise ParameterError(
                f"variances has the shape {within.shape} and values {answers.shape}; give a "
                "variance that is not negative for each value."
            )
        within = within.mean(axis=0)
        whole = within + between
        with np.errstate(divide="ignore", invalid="ignore"):
            freedom = freedom * (1 + within / between) ** 2
        freedom = np.where(np.isfinite(freedom), np.minimum(freedom, _MOST_FREEDOM), _MOST_FREEDOM)
    errors = np.sqrt(whole)
    flat = freedom.astype(np.int64).reshape(-1).tolist()
    quantiles = np.array([student_quantile(level, each) for each in flat])
    reach = errors * quantiles.reshape(errors.shape)
    middle = answers.mean(axis=0)
    axes = () if middle.ndim == 0 else (Axis("answer", range(1, middle.size + 1)),)
    return Estimate(
        what="value",
        axes=axes,
        values=middle,
        standard_errors=errors,
        lows=middle - reach,
        highs=middle + reach,
        people=behind,
        about="people" if variances is None else "population",
        method=f"pooled over {tables} tables",
        confidence=level,
    )


def _read(given: Sequence[Any] | NDArray[Any], name: str) -> Any:
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.full(1, np.nan)
    if found.ndim not in (1, 2) or not found.size or not np.isfinite(found).all():
        raise ParameterError(
            f"{name} must have a finite number for each table, or as many numbers for each as for "
            "every other."
        )
    return found
