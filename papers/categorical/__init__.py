"""Holohan, Leith and Mason, "Differentially private response mechanisms on categorical data".

Every definition, example and theorem is computed again, and the paper's claim is put beside what
comes out. `noisewright reproduce categorical` or `python papers/categorical/run.py` writes the
page.

Letters as in the paper: a data set D of m + 1 values, databases of n rows, k the decay of the
discrete exponential mechanism, p the probability of each other value, 𝓔 the largest mean number of
rows that change.
"""
