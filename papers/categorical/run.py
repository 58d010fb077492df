"""Compute every claim of the categorical paper again: `python papers/categorical/run.py`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from papers.categorical import adult, hamming, preliminaries, products, sufficient
from papers.data_files import ADULT
from papers.paper import Paper

PAPER = Paper(
    name="categorical",
    title="Differentially private response mechanisms on categorical data, computed again",
    introduction=(
        "Naoise Holohan, Douglas Leith and Oliver Mason, “Differentially private response "
        "mechanisms on categorical data”, Discrete Applied Mathematics, 2016. Each claim below is "
        "in our words, followed by what we find and a verdict. Verdicts are computed, not "
        "typed: a “holds” is the outcome of the checks described there.",
        "A data set has m + 1 values and a database n rows; two databases are neighbors when they "
        "differ in one row. Small cases are enumerated in fractions, without any of our own code: "
        "e^ε and e^k are rational there, so that nothing is rounded. `nw.` functions are a second "
        "opinion.",
    ),
    groups={
        "preliminaries": preliminaries.CLAIMS,
        "sufficient-sets": sufficient.CLAIMS,
        "hamming": hamming.CLAIMS,
        "products": products.CLAIMS,
        "adult": adult.CLAIMS,
    },
    data=(ADULT,),
)

if __name__ == "__main__":
    raise SystemExit(PAPER.main())
