"""Compute every claim of the metric paper again: `python papers/metric/run.py`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from papers.data_files import RETAIL, WEATHER
from papers.metric import accuracy, baskets, functions, measures, products, queries, weather
from papers.paper import Paper

PAPER = Paper(
    name="metric",
    title="Differential privacy in metric spaces, computed again",
    introduction=(
        "Naoise Holohan, Douglas Leith and Oliver Mason, “Differential privacy in metric spaces: "
        "numerical, categorical and functional data under the one roof”, Information Sciences, "
        "2015. Each claim below is in our words, followed by what we find and a verdict. "
        "Verdicts are computed, not typed: a “holds” is the outcome of the checks described there.",
        "Records lie in D, a part of a metric space U with metric ρ; two databases are neighbors "
        "when they differ in one record. What can be enumerated is enumerated in fractions, "
        "without any of our own code; optima are those of `nw.design`, whose lower bounds are "
        "proven.",
    ),
    groups={
        "measures": measures.CLAIMS,
        "functions": functions.CLAIMS,
        "queries": queries.CLAIMS,
        "products": products.CLAIMS,
        "accuracy": accuracy.CLAIMS,
        "baskets": baskets.CLAIMS,
        "weather": weather.CLAIMS,
    },
    data=(RETAIL, WEATHER),
)

if __name__ == "__main__":
    raise SystemExit(PAPER.main())
