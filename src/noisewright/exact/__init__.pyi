from .binomial import share_ceiling as share_ceiling, share_floor as share_floor
from .bounds import (
    Bounds as Bounds,
    exp_bounds as exp_bounds,
    fixed_floor as fixed_floor,
    fixed_point as fixed_point,
    fixed_powers as fixed_powers,
    log_bounds as log_bounds,
    sqrt_bounds as sqrt_bounds,
)
from .documents import parse_json as parse_json, parse_toml as parse_toml
from .doubles import Doubles as Doubles, falling_powers as falling_powers
from .enclosure import (
    Computable as Computable,
    Enclosure as Enclosure,
    Exp as Exp,
    Known as Known,
    Logistic as Logistic,
    halve as halve,
    refine as refine,
    refined_ceiling as refined_ceiling,
    refined_excess as refined_excess,
)
from .epsilon import Epsilon as Epsilon
from .many_powers import even_powers as even_powers, many_powers as many_powers
from .normal import (
    mills_bounds as mills_bounds,
    normal_bounds as normal_bounds,
    normal_density_bounds as normal_density_bounds,
)
from .rationals import (
    Number as Number,
    as_text as as_text,
    ceiling_float as ceiling_float,
    exactly as exactly,
    floor_float as floor_float,
    plain_power as plain_power,
    show as show,
    show_total as show_total,
    shown_up as shown_up,
)
from .scaled import ScaledEpsilon as ScaledEpsilon, scale_epsilon as scale_epsilon
