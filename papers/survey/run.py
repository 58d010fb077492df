"""Compute the claims of the survey again: `python papers/survey/run.py`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from papers.paper import Paper
from papers.survey import definitions, exponential, synthetic

PAPER = Paper(
    name="survey",
    title="Differential privacy: a survey, computed again",
    introduction=(
        "Jiajun Hu and Lei Zhou, `Differential Privacy: A Survey`, Hong Kong University of Science "
        "and Technology, 2017. Each claim below is in our words; beside it stands what we find and "
        "a verdict. Verdicts are computed, not typed: a `holds` is the outcome of the checks "
        "described there.",
        "The survey leaves its section on the Laplace mechanism empty; how-to pages of this "
        "project have it. Logarithms are natural.",
    ),
    groups={
        "definitions": definitions.CLAIMS,
        "exponential": exponential.CLAIMS,
        "synthetic": synthetic.CLAIMS,
    },
)

if __name__ == "__main__":
    raise SystemExit(PAPER.main())
