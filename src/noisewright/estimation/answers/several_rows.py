"""Answers about a table in which one person may have several rows.

About the people in the file nothing changes: each row has noise of its own. About a population
rows are no longer independent samples: a person's rows may all say the same. With at most k rows a
person, the variance of an average of n rows from sampling is then at most k times what it would be,
since Σ m² ≤ k Σ m over the rows m of each person, and the variance from noise is what it was:

    v = v(noise) + k · v(sampling)

Intervals take k into account where they are made; see `intervals.py`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from noisewright.errors import ParameterError
from noisewright.estimation.answers.table_answers import TableAnswer
from noisewright.estimation.decoding import Decoder
from noisewright.estimation.result import Estimate


def answer_about_rows(one: TableAnswer, decoder: Decoder, rows: int) -> Estimate:
    """Return the answer to a question when a person has up to so many rows."""
    if rows == 1:
        return one.answer(decoder)
    asked, said = one.asked, f"Rows are counted, of which up to {rows:,} are of one person."
    if asked.about == "people":
        found = one.answer(decoder)
        return replace(found, notes=(*found.notes, said))
    if one.question.word == "quantiles":
        raise ParameterError(
            f"quantiles of a population are not estimated from up to {rows:,} rows of one person, "
            "which are no independent samples. Ask about='people': the rows that were released."
        )
    one.asked = replace(asked, rows=rows)
    found = one.answer(decoder)
    one.asked = asked
    allowed = "Intervals about the population allow for rows of one person that are all alike."
    return replace(found, notes=(*found.notes, said, allowed))


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
