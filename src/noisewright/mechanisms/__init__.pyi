from .categories.randomized_response import (
    randomized_response as randomized_response,
    uniform as uniform,
)
from .categories.response import Response as Response
from .categories.response_bounds import (
    ResponseBounds as ResponseBounds,
    response_bounds as response_bounds,
)
from .counts.explicit_fair import explicit_fair as explicit_fair
from .counts.geometric import Geometric as Geometric, geometric as geometric
from .decay import (
    bits_below_one as bits_below_one,
    least as least,
    positive_epsilon as positive_epsilon,
    require_ratios as require_ratios,
)
from .from_matrix import from_matrix as from_matrix
from .guarantee import (
    Guarantee as Guarantee,
    describe_number as describe_number,
    read_delta as read_delta,
    require_dependence as require_dependence,
    require_guarantee as require_guarantee,
)
from .matrix_text import read_matrix as read_matrix
from .mechanism import (
    Mechanism as Mechanism,
    require_mechanism as require_mechanism,
    require_tabulable as require_tabulable,
)
from .noise.additive import Additive as Additive
from .noise.curve_mechanism import CurveMechanism as CurveMechanism
from .noise.laplace import Laplace as Laplace, laplace as laplace
from .noise.laplace_curve import laplace_scale as laplace_scale
from .noise.staircase import Staircase as Staircase, staircase as staircase
from .postprocess import mixture as mixture
from .products.marginals import marginal as marginal
from .products.per_person import PersonMechanism as PersonMechanism, per_person as per_person
from .products.products import (
    ColumnProduct as ColumnProduct,
    RowProduct as RowProduct,
    any_change as any_change,
    epsilon_sum as epsilon_sum,
    product as product,
)
from .properties import CODES as CODES, PAPER as PAPER, properties as properties
from .quality.discrete_exponential import discrete_exponential as discrete_exponential
from .quality.powers import (
    SHRINK as SHRINK,
    Masses as Masses,
    enclosed_shares as enclosed_shares,
    mixed_weights as mixed_weights,
    powers as powers,
    rounded_rows as rounded_rows,
)
from .quality.qualities import (
    Quality as Quality,
    by_level as by_level,
    change_of as change_of,
    is_one_row as is_one_row,
    read_candidates as read_candidates,
    read_qualities as read_qualities,
    read_sensitivity as read_sensitivity,
    read_values as read_values,
)
from .sets.per_item import PerItem as PerItem, per_item as per_item
from .sets.set_flips import SetFlips as SetFlips, two_levels as two_levels
from .sets.set_mechanism import SetMechanism as SetMechanism
from .table import Table as Table, read_outputs as read_outputs
