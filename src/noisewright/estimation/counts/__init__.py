"""One pass over a released table: counts and sums, and nothing of a row."""
