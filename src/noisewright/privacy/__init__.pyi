from .audits.audit import audit as audit
from .audits.result import Audit as Audit, AuditWitness as AuditWitness
from .composition.by_guarantee import (
    advanced_composition as advanced_composition,
    basic_composition as basic_composition,
    optimal_composition as optimal_composition,
)
from .composition.compose import Composition as Composition, compose as compose
from .composition.concentrated import (
    ZeroConcentrated as ZeroConcentrated,
    gaussian_rho as gaussian_rho,
)
from .formulas.gaussian import gaussian_delta as gaussian_delta, gaussian_ratio as gaussian_ratio
from .formulas.sets import sets_within as sets_within
from .profile import Profile as Profile, profile as profile, profile_of_masses as profile_of_masses
from .queries import (
    OutputPerturbation as OutputPerturbation,
    Sanitized as Sanitized,
    SanitizedResponse as SanitizedResponse,
)
from .shuffling.laws import (
    RowLaw as RowLaw,
    bit_masses as bit_masses,
    block_masses as block_masses,
    row_law as row_law,
)
from .shuffling.shuffled import (
    ShuffledGuarantee as ShuffledGuarantee,
    epsilon_before_shuffling as epsilon_before_shuffling,
    grid_step as grid_step,
    holds_shuffled as holds_shuffled,
    roughly_shuffled_epsilon as roughly_shuffled_epsilon,
    shuffled as shuffled,
    shuffled_rows as shuffled_rows,
)
from .subject import essential as essential, parts_to_prove as parts_to_prove
from .sufficient import (
    Cell as Cell,
    SufficientSets as SufficientSets,
    sufficient_sets as sufficient_sets,
)
from .tight import (
    tight_claim as tight_claim,
    tight_delta as tight_delta,
    tight_epsilon as tight_epsilon,
    tight_ratio as tight_ratio,
)
from .verification import (
    Verdict as Verdict,
    Witness as Witness,
    prove as prove,
    verify as verify,
)
