"""Likelier answers are better ones: the discrete exponential mechanism and its weights."""
