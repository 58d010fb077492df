"""Compute the claims of the survey again: `python papers/survey/run.py`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from papers.data_files import GROCERIES, RETAIL
from papers.paper import Paper
from papers.survey import (
    accuracy,
    definitions,
    existence,
    exponential,
    histograms,
    itemsets,
    laplace,
    neighbors,
    rappor,
    synthetic,
    utility,
)

PAPER = Paper(
    name="survey",
    title="Differential privacy: a survey, computed again",
    introduction=(
        "Jiajun Hu and Lei Zhou, “Differential Privacy: A Survey”, Hong Kong University of Science "
        "and Technology, 2017. Each claim below is in our words, followed by what we find and "
        "a verdict. Verdicts are computed, not typed: a “holds” is the outcome of the checks "
        "described there.",
        "The survey's abstract, introduction, conclusion and section on the Laplace mechanism are "
        "empty; for the last one, the standard statement is checked. What it only cites is left "
        "out, but for experiments on collecting from people who do not trust the collector. "
        "Logarithms are natural. Neighbors replace one row unless something else is said.",
    ),
    groups={
        "definitions": {
            "table-1": definitions.CLAIMS["table-1"],
            **neighbors.CLAIMS,
            "definitions-2-2-2-3": laplace.CLAIMS["definitions-2-2-2-3"],
            "definition-2-4": definitions.CLAIMS["definition-2-4"],
        },
        "laplace": {"section-2-3": laplace.CLAIMS["section-2-3"]},
        "exponential": exponential.CLAIMS,
        "utility": utility.CLAIMS,
        "synthetic": {**existence.CLAIMS, **synthetic.CLAIMS, **accuracy.CLAIMS},
        "rappor": rappor.CLAIMS,
        "local": {**histograms.CLAIMS, **itemsets.CLAIMS},
    },
    data=(GROCERIES, RETAIL),
)

if __name__ == "__main__":
    raise SystemExit(PAPER.main())
