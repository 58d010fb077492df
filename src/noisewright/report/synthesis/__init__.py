"""The page of a synthetic table: how it was made, how good it is, what it cannot tell."""
