"""What the numbers of a guarantee mean: the one home of these sentences, which others quote."""

DELTA = (
    "By how much the probability of an event may exceed e^epsilon times its probability for a "
    "neighbor."
)
"""P(A | x) ≤ e^ε P(A | x') + δ, for every event A."""

DELTA_IS_NOT = (
    "It is not the probability that the privacy loss exceeds epsilon, which can be much larger."
)
"""P = (.6, .4), Q = (.4, .6), e^ε = 1.25: the least δ is .6 − 1.25 · .4 = .1, and the loss,
ln(.6/.4), exceeds ε with probability .6. In general δ is the mean of 1 − e^(ε − loss) where the
loss exceeds ε, and so at most the probability of that."""
