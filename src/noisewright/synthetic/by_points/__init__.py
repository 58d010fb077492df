"""Cliques of columns chosen in private round by round, counted, and fitted by weights of points."""
