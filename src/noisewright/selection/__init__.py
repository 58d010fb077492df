"""Choosing in private: one among candidates by quality, the top k, quantiles."""

from noisewright.selection.certified import Sensitivity
from noisewright.selection.chosen import Selection, rational_below
from noisewright.selection.debit import Account, debited
from noisewright.selection.exponential import exponential
from noisewright.selection.noisy_max import noisy_max
from noisewright.selection.permute_and_flip import permute_and_flip
from noisewright.selection.quantiles import PrivateQuantile, private_median, private_quantile
from noisewright.selection.top_k import TopK, top_k
from noisewright.selection.utility import epsilon_for_utility, utility_bound

__all__ = [
    "Account",
    "PrivateQuantile",
    "Selection",
    "Sensitivity",
    "TopK",
    "debited",
    "epsilon_for_utility",
    "exponential",
    "noisy_max",
    "permute_and_flip",
    "private_median",
    "private_quantile",
    "rational_below",
    "top_k",
    "utility_bound",
]
