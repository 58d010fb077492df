"""What several mechanisms on the same data promise together.

compose          the question, and the answer as a lower and an upper curve
by_guarantee     published formulas for mechanisms of which only (ε, δ) is known
concentrated     zero-concentrated privacy; rho_bounds joins it with curves
sources          what `compose` accepts, read as pairs of distributions (pairs)
worst_pairs      which two neighbors are the worst; screening guesses them in doubles
brackets         bounds on the worst product: exact_products where it is small enough, and
                 grid_products on a loss_grid where it is not
"""
