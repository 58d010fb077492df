"""Noise added to numbers: Laplace, staircase, and what is known of noise for curves."""
