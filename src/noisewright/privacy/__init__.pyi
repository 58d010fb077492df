from .certificates import Certificate as Certificate, certify as certify, check as check
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
from .loading import load as load, point_label as point_label
from .profile import Profile as Profile, profile as profile, profile_of_masses as profile_of_masses
from .queries import (
    OutputPerturbation as OutputPerturbation,
    Sanitized as Sanitized,
    SanitizedResponse as SanitizedResponse,
)
from .steps import certify_steps as certify_steps
from .sufficient import (
    Cell as Cell,
    SufficientSets as SufficientSets,
    sufficient_sets as sufficient_sets,
)
from .tight import (
    tight_delta as tight_delta,
    tight_epsilon as tight_epsilon,
    tight_ratio as tight_ratio,
)
from .verification import Verdict as Verdict, Witness as Witness, verify as verify
