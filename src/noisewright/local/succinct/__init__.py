"""Succinct histograms: one bit of a random projection, and codes in channels."""
