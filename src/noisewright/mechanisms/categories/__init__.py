"""Randomized response: the optimal mechanism for labels, with δ and without a table."""
