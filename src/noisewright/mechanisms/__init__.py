"""Mechanisms: one probability distribution for each input."""

from noisewright.mechanisms.additive import Additive
from noisewright.mechanisms.curve_mechanism import CurveMechanism
from noisewright.mechanisms.discrete_exponential import discrete_exponential
from noisewright.mechanisms.explicit_fair import explicit_fair
from noisewright.mechanisms.from_matrix import from_matrix
from noisewright.mechanisms.geometric import Geometric, geometric
from noisewright.mechanisms.guarantee import Guarantee, read_delta
from noisewright.mechanisms.laplace import Laplace, laplace
from noisewright.mechanisms.laplace_curve import laplace_scale
from noisewright.mechanisms.marginals import marginal
from noisewright.mechanisms.mechanism import Mechanism
from noisewright.mechanisms.per_item import PerItem, per_item
from noisewright.mechanisms.persons import PersonRows, per_person
from noisewright.mechanisms.postprocess import mixture
from noisewright.mechanisms.products import (
    ColumnProduct,
    RowProduct,
    any_change,
    epsilon_sum,
    product,
)
from noisewright.mechanisms.properties import properties
from noisewright.mechanisms.randomized_response import randomized_response
from noisewright.mechanisms.response import Response
from noisewright.mechanisms.response_bounds import ResponseBounds, response_bounds
from noisewright.mechanisms.set_flips import SetFlips, two_levels
from noisewright.mechanisms.set_mechanism import SetMechanism
from noisewright.mechanisms.staircase import Staircase, staircase
from noisewright.mechanisms.table import Table
from noisewright.mechanisms.uniform import uniform
from noisewright.mechanisms.wording import number

__all__ = [
    "Additive",
    "ColumnProduct",
    "CurveMechanism",
    "Geometric",
    "Guarantee",
    "Laplace",
    "Mechanism",
    "PerItem",
    "PersonRows",
    "Response",
    "ResponseBounds",
    "RowProduct",
    "SetFlips",
    "SetMechanism",
    "Staircase",
    "Table",
    "any_change",
    "discrete_exponential",
    "epsilon_sum",
    "explicit_fair",
    "from_matrix",
    "geometric",
    "laplace",
    "laplace_scale",
    "marginal",
    "mixture",
    "number",
    "per_item",
    "per_person",
    "product",
    "properties",
    "randomized_response",
    "read_delta",
    "response_bounds",
    "staircase",
    "two_levels",
    "uniform",
]
