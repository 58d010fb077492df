"""The privacy of mechanisms that are formulas: noise on numbers and counts, sets, normal noise."""
