"""Compute every claim of the count paper again: `python papers/counts/run.py`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from papers.counts import (
    adult,
    choices,
    chow_liu,
    combinations,
    composition,
    definitions,
    derivability,
    error_spread,
    existing_mechanisms,
    fair_mechanism,
    geometric_mechanism,
    naive_bayes,
    near_answers,
    one_bit,
    open_ends,
    other_losses,
    pathologies,
    symmetry,
    whole_tables,
    worst_case,
)
from papers.data_files import ADULT
from papers.paper import Paper

PAPER = Paper(
    name="counts",
    title="Constrained private mechanisms for count data, computed again",
    introduction=(
        "Graham Cormode, Tejas Kulkarni and Divesh Srivastava, “Constrained Private Mechanisms "
        "for Count Data”. Each claim below is in our words, followed by what we find and a "
        "verdict. Verdicts are computed, not typed: a “holds” is the outcome of the checks "
        "described there.",
        "Losses are those of `nw.design`: the mechanism is a table of integers that is exactly "
        "private and has every property exactly, and its loss is proven optimal to about twelve "
        "digits. Lemmas about GM and EM are checked in fractions, without any of our own code "
        "for them; where the paper's program is needed with other constraints, SciPy solves it.",
        "α = e^-ε; P(i|j) is the probability of output i on input j. Our pictures have one row "
        "per input; the paper prints one column per input. `L0` is the probability of a wrong "
        "answer rescaled by (n+1)/n where a figure of the paper does so, and `L0,d` counts "
        "answers more than d away. `WH` is the optimum under weak honesty alone, `WM` the one "
        "under weak honesty, row and column monotonicity: the paper calls both WM. Optima are "
        "often not unique, and the paper does not say how its solver broke ties; `nw.design` "
        "takes EM where it is optimal, and otherwise the optimum with the least L1 loss. Figures "
        "1, 2, 7 and 10 to 18 therefore give the range of each number over all optimal mechanisms "
        "(two more linear programs), and “depends on the tie-break” is the verdict on what is "
        "true of some of them only. Simulations have the paper's repetitions unless this is a "
        "quick run.",
    ),
    groups={
        "introduction": pathologies.CLAIMS,
        "definitions": {
            **definitions.CLAIMS,
            **worst_case.CLAIMS,
            **existing_mechanisms.CLAIMS,
        },
        "properties": symmetry.CLAIMS,
        "one-bit": one_bit.CLAIMS,
        "geometric": geometric_mechanism.CLAIMS,
        "fair": fair_mechanism.CLAIMS,
        "choices": choices.CLAIMS,
        "derivability": derivability.CLAIMS,
        "combinations": combinations.CLAIMS,
        "adult": adult.CLAIMS,
        "binomial": {**near_answers.CLAIMS, **error_spread.CLAIMS},
        "other-losses": other_losses.CLAIMS,
        "models": {
            **composition.CLAIMS,
            **naive_bayes.CLAIMS,
            **chow_liu.CLAIMS,
            **whole_tables.CLAIMS,
        },
        "open-ends": open_ends.CLAIMS,
    },
    data=(ADULT,),
)

if __name__ == "__main__":
    raise SystemExit(PAPER.main())
