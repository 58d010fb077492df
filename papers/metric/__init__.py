"""Holohan, Leith and Mason, "Differential privacy in metric spaces".

Every definition, example and theorem is computed again, and the paper's claim is put beside what
comes out. `noisewright reproduce metric` or `python papers/metric/run.py` writes the page.

Letters as in the paper: records in D, a subset of a metric space U with metric ρ; databases of n
records; 𝓔 the largest expected distance between a record and its sanitized version; κ the least
distance between two different records.
"""
