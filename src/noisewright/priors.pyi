from .designs import binomial as binomial, empirical as empirical
