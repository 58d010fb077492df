from .balanced import balanced_geometric as balanced_geometric
from .bernoulli import bernoulli as bernoulli
from .entropy import (
    SeededSource as SeededSource,
    Source as Source,
    SystemSource as SystemSource,
    default_source as default_source,
    redone_after_fork as redone_after_fork,
    require_private as require_private,
    simulation as simulation,
    source_or_default as source_or_default,
)
from .gaussian import discrete_gaussian as discrete_gaussian
from .geometric import (
    clamped_geometric as clamped_geometric,
    discrete_laplace as discrete_laplace,
    two_sided_geometric as two_sided_geometric,
)
from .normal import rounded_normal as rounded_normal, rounded_normals as rounded_normals
from .one_of_several import (
    EnclosedSampler as EnclosedSampler,
    GroupSampler as GroupSampler,
    first_heads as first_heads,
    geometric_argmax as geometric_argmax,
)
from .packed_coins import PackedCoins as PackedCoins
from .response import KeepOrUniform as KeepOrUniform
from .sets import (
    FlippedSets as FlippedSets,
    ItemCoins as ItemCoins,
    SetSampler as SetSampler,
    choose_sets as choose_sets,
)
from .staircase import staircase_noise as staircase_noise
from .table_sampler import TableSampler as TableSampler
from .uniform import (
    permutation as permutation,
    uniform_below as uniform_below,
    uniform_below_each as uniform_below_each,
)
