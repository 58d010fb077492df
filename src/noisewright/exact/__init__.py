"""Rational and interval arithmetic; e^ε and ln bounded from below and above."""

from typing import TYPE_CHECKING

from noisewright.on_use import names_on_use

if TYPE_CHECKING:
    from noisewright.exact.bounds import Bounds, exp_bounds, fixed, log_bounds
    from noisewright.exact.computable import Computable, Exp, Known, Logistic
    from noisewright.exact.documents import parse_json, parse_toml
    from noisewright.exact.doubles import Doubles
    from noisewright.exact.enclosure import Enclosure
    from noisewright.exact.epsilon import NOTHING_PROMISED, Epsilon
    from noisewright.exact.many_powers import even_powers, many_powers
    from noisewright.exact.rationals import (
        Number,
        as_text,
        ceiling_float,
        exactly,
        floor_float,
        shown,
        shown_total,
    )
    from noisewright.exact.roots import sqrt_bounds
    from noisewright.exact.scaled import ScaledEpsilon, scaled

names_on_use(
    __name__,
    {
        "bounds": ("Bounds", "exp_bounds", "fixed", "log_bounds"),
        "computable": ("Computable", "Exp", "Known", "Logistic"),
        "documents": ("parse_json", "parse_toml"),
        "doubles": ("Doubles",),
        "enclosure": ("Enclosure",),
        "epsilon": ("NOTHING_PROMISED", "Epsilon"),
        "many_powers": ("even_powers", "many_powers"),
        "rationals": (
            "Number",
            "as_text",
            "ceiling_float",
            "exactly",
            "floor_float",
            "shown",
            "shown_total",
        ),
        "roots": ("sqrt_bounds",),
        "scaled": ("ScaledEpsilon", "scaled"),
    },
)

__all__ = [
    "NOTHING_PROMISED",
    "Bounds",
    "Computable",
    "Doubles",
    "Enclosure",
    "Epsilon",
    "Exp",
    "Known",
    "Logistic",
    "Number",
    "ScaledEpsilon",
    "as_text",
    "ceiling_float",
    "even_powers",
    "exactly",
    "exp_bounds",
    "fixed",
    "floor_float",
    "log_bounds",
    "many_powers",
    "parse_json",
    "parse_toml",
    "scaled",
    "shown",
    "shown_total",
    "sqrt_bounds",
]
