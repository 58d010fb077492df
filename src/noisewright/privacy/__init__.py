"""What a mechanism guarantees: profile, verification, sufficient sets, certificates."""

from noisewright.privacy.certificates import Certificate, certify, check
from noisewright.privacy.closed_forms import (
    advanced_composition,
    basic_composition,
    optimal_composition,
)
from noisewright.privacy.composition import Composition, compose
from noisewright.privacy.concentrated import ZeroConcentrated, gaussian_rho
from noisewright.privacy.loading import load
from noisewright.privacy.profile import Profile, profile, profile_of_masses
from noisewright.privacy.queries import OutputPerturbation, Sanitized, SanitizedResponse
from noisewright.privacy.steps import certify_steps
from noisewright.privacy.sufficient import Cell, SufficientSets, sufficient_sets
from noisewright.privacy.tight import tight_delta, tight_epsilon, tight_ratio
from noisewright.privacy.verification import Verdict, Witness, verify

__all__ = [
    "Cell",
    "Certificate",
    "Composition",
    "OutputPerturbation",
    "Profile",
    "Sanitized",
    "SanitizedResponse",
    "SufficientSets",
    "Verdict",
    "Witness",
    "ZeroConcentrated",
    "advanced_composition",
    "basic_composition",
    "certify",
    "certify_steps",
    "check",
    "compose",
    "gaussian_rho",
    "load",
    "optimal_composition",
    "profile",
    "profile_of_masses",
    "sufficient_sets",
    "tight_delta",
    "tight_epsilon",
    "tight_ratio",
    "verify",
]
