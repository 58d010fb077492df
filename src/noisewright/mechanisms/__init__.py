"""Mechanisms: one probability distribution for each input."""

from typing import TYPE_CHECKING

from noisewright.on_use import names_on_use

if TYPE_CHECKING:
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

names_on_use(
    __name__,
    {
        "additive": ("Additive",),
        "curve_mechanism": ("CurveMechanism",),
        "discrete_exponential": ("discrete_exponential",),
        "explicit_fair": ("explicit_fair",),
        "from_matrix": ("from_matrix",),
        "geometric": ("Geometric", "geometric"),
        "guarantee": ("Guarantee", "read_delta"),
        "laplace": ("Laplace", "laplace"),
        "laplace_curve": ("laplace_scale",),
        "marginals": ("marginal",),
        "mechanism": ("Mechanism",),
        "per_item": ("PerItem", "per_item"),
        "persons": ("PersonRows", "per_person"),
        "postprocess": ("mixture",),
        "products": ("ColumnProduct", "RowProduct", "any_change", "epsilon_sum", "product"),
        "properties": ("properties",),
        "randomized_response": ("randomized_response",),
        "response": ("Response",),
        "response_bounds": ("ResponseBounds", "response_bounds"),
        "set_flips": ("SetFlips", "two_levels"),
        "set_mechanism": ("SetMechanism",),
        "staircase": ("Staircase", "staircase"),
        "table": ("Table",),
        "uniform": ("uniform",),
        "wording": ("number",),
    },
)

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
