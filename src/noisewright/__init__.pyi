from . import (
    accounting as accounting,
    analysis as analysis,
    combine as combine,
    curves as curves,
    errors as errors,
    local as local,
    models as models,
    planning as planning,
    priors as priors,
    randomness as randomness,
    results as results,
    select as select,
    workloads as workloads,
)
from .advice import advise as advise
from .certificates import certify as certify, check as check, load as load
from .curves import gaussian_process as gaussian_process
from .designs import design as design, loss as loss
from .estimation import estimate as estimate
from .ledger import Ledger as Ledger
from .mechanisms import (
    Mechanism as Mechanism,
    discrete_exponential as discrete_exponential,
    explicit_fair as explicit_fair,
    from_matrix as from_matrix,
    geometric as geometric,
    laplace as laplace,
    per_item as per_item,
    properties as properties,
    randomized_response as randomized_response,
    staircase as staircase,
    uniform as uniform,
)
from .plans import Column as Column, Plan as Plan
from .privacy import (
    audit as audit,
    compose as compose,
    epsilon_before_shuffling as epsilon_before_shuffling,
    profile as profile,
    shuffled as shuffled,
    sufficient_sets as sufficient_sets,
    tight_delta as tight_delta,
    tight_epsilon as tight_epsilon,
    verify as verify,
)
from .queries import (
    ContinualCount as ContinualCount,
    Private as Private,
    Public as Public,
    ask as ask,
    col as col,
    count as count,
    count_people as count_people,
    keys as keys,
    when as when,
)
from .relations import DuckDB as DuckDB, PostgreSQL as PostgreSQL
from .releases import (
    release as release,
    synthesize as synthesize,
    synthesize_linked as synthesize_linked,
)
from .selection import exponential as exponential
from .spaces import (
    Categories as Categories,
    Counts as Counts,
    Curves as Curves,
    Dates as Dates,
    Interval as Interval,
    Records as Records,
    Subsets as Subsets,
)
from .tables import CSV as CSV, Excel as Excel, Person as Person
from .version import __version__ as __version__
