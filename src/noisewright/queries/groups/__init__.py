"""Counts of small public groups, each by a mechanism for its size (the count paper's scenario)."""
