"""The best mechanism for a loss, with a proof that nothing beats it."""

from noisewright.designs.compare import Comparison, compare
from noisewright.designs.derivable import Derivability, is_derivable
from noisewright.designs.design import Design, design
from noisewright.designs.distributions import binomial, empirical
from noisewright.designs.epsilon_for import SmallestEpsilon, epsilon_for
from noisewright.designs.error_bound import Bound, ErrorBound, error_bound
from noisewright.designs.error_report import ErrorReport, error_report
from noisewright.designs.errors_made import (
    bias,
    bias_by_input,
    error_histogram,
    error_profile,
    exact_bias_by_input,
    exact_error_histogram,
    rmse,
)
from noisewright.designs.loss import exact_loss, loss
from noisewright.designs.losses import Loss
from noisewright.designs.names import WORDS
from noisewright.designs.prices import Prices, price_of_properties

__all__ = [
    "WORDS",
    "Bound",
    "Comparison",
    "Derivability",
    "Design",
    "ErrorBound",
    "ErrorReport",
    "Loss",
    "Prices",
    "SmallestEpsilon",
    "bias",
    "bias_by_input",
    "binomial",
    "compare",
    "design",
    "empirical",
    "epsilon_for",
    "error_bound",
    "error_histogram",
    "error_profile",
    "error_report",
    "exact_bias_by_input",
    "exact_error_histogram",
    "exact_loss",
    "is_derivable",
    "loss",
    "price_of_properties",
    "rmse",
]
