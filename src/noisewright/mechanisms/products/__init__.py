"""Products of mechanisms: over rows, over columns, over the rows of a person."""
