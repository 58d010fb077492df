"""Families of blocks: a set of outputs for each value, all of one size."""
