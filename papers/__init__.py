"""One folder per paper: each claim, the computation, and the number or picture beside it."""
