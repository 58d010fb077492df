"""Noisewright designs, proves and releases differentially private data.

    import noisewright as nw

Names load on first use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from noisewright.version import __version__

if TYPE_CHECKING:
    from noisewright import errors as errors
    from noisewright.curves import CurveNoise as CurveNoise
    from noisewright.curves import CurveRelease as CurveRelease
    from noisewright.curves import DensityNoise as DensityNoise
    from noisewright.curves import Projection as Projection
    from noisewright.curves import curve_noise as curve_noise
    from noisewright.curves import gaussian_process as gaussian_process
    from noisewright.curves import kernel_density as kernel_density
    from noisewright.curves import load as load
    from noisewright.curves import verify_projections as verify_projections
    from noisewright.designs import Comparison as Comparison
    from noisewright.designs import Derivability as Derivability
    from noisewright.designs import Design as Design
    from noisewright.designs import ErrorBound as ErrorBound
    from noisewright.designs import ErrorReport as ErrorReport
    from noisewright.designs import Prices as Prices
    from noisewright.designs import SmallestEpsilon as SmallestEpsilon
    from noisewright.designs import bias as bias
    from noisewright.designs import bias_by_input as bias_by_input
    from noisewright.designs import binomial as binomial
    from noisewright.designs import compare as compare
    from noisewright.designs import design as design
    from noisewright.designs import empirical as empirical
    from noisewright.designs import error_bound as error_bound
    from noisewright.designs import error_histogram as error_histogram
    from noisewright.designs import error_profile as error_profile
    from noisewright.designs import error_report as error_report
    from noisewright.designs import is_derivable as is_derivable
    from noisewright.designs import loss as loss
    from noisewright.designs import price_of_properties as price_of_properties
    from noisewright.designs import rmse as rmse
    from noisewright.estimation import Estimate as Estimate
    from noisewright.estimation import Estimates as Estimates
    from noisewright.estimation import estimate as estimate
    from noisewright.estimation import expected_error as expected_error
    from noisewright.exact import Epsilon as Epsilon
    from noisewright.ledger import Balance as Balance
    from noisewright.ledger import Fingerprint as Fingerprint
    from noisewright.ledger import Ledger as Ledger
    from noisewright.ledger import LedgerEntry as LedgerEntry
    from noisewright.ledger import Reservation as Reservation
    from noisewright.mechanisms import Guarantee as Guarantee
    from noisewright.mechanisms import Mechanism as Mechanism
    from noisewright.mechanisms import ResponseBounds as ResponseBounds
    from noisewright.mechanisms import discrete_exponential as discrete_exponential
    from noisewright.mechanisms import explicit_fair as explicit_fair
    from noisewright.mechanisms import from_matrix as from_matrix
    from noisewright.mechanisms import geometric as geometric
    from noisewright.mechanisms import laplace as laplace
    from noisewright.mechanisms import laplace_scale as laplace_scale
    from noisewright.mechanisms import marginal as marginal
    from noisewright.mechanisms import mixture as mixture
    from noisewright.mechanisms import per_item as per_item
    from noisewright.mechanisms import per_person as per_person
    from noisewright.mechanisms import product as product
    from noisewright.mechanisms import properties as properties
    from noisewright.mechanisms import randomized_response as randomized_response
    from noisewright.mechanisms import response_bounds as response_bounds
    from noisewright.mechanisms import staircase as staircase
    from noisewright.mechanisms import uniform as uniform
    from noisewright.models import PrivateNaiveBayes as PrivateNaiveBayes
    from noisewright.models import PrivateTree as PrivateTree
    from noisewright.plans import Column as Column
    from noisewright.plans import Draft as Draft
    from noisewright.plans import Person as Person
    from noisewright.plans import Plan as Plan
    from noisewright.plans import PlannedEpsilon as PlannedEpsilon
    from noisewright.plans import Wanted as Wanted
    from noisewright.plans import draft_plan as draft_plan
    from noisewright.plans import epsilon_for as epsilon_for
    from noisewright.privacy import Certificate as Certificate
    from noisewright.privacy import Composition as Composition
    from noisewright.privacy import OutputPerturbation as OutputPerturbation
    from noisewright.privacy import Profile as Profile
    from noisewright.privacy import SanitizedResponse as SanitizedResponse
    from noisewright.privacy import Verdict as Verdict
    from noisewright.privacy import ZeroConcentrated as ZeroConcentrated
    from noisewright.privacy import advanced_composition as advanced_composition
    from noisewright.privacy import basic_composition as basic_composition
    from noisewright.privacy import certify as certify
    from noisewright.privacy import check as check
    from noisewright.privacy import compose as compose
    from noisewright.privacy import gaussian_rho as gaussian_rho
    from noisewright.privacy import optimal_composition as optimal_composition
    from noisewright.privacy import profile as profile
    from noisewright.privacy import sufficient_sets as sufficient_sets
    from noisewright.privacy import tight_delta as tight_delta
    from noisewright.privacy import tight_epsilon as tight_epsilon
    from noisewright.privacy import verify as verify
    from noisewright.releases import Evaluation as Evaluation
    from noisewright.releases import Release as Release
    from noisewright.releases import Synthesis as Synthesis
    from noisewright.releases import predict_synthesis as predict_synthesis
    from noisewright.releases import release as release
    from noisewright.releases import synthesize as synthesize
    from noisewright.sampling import SeededSource as SeededSource
    from noisewright.sampling import SystemSource as SystemSource
    from noisewright.selection import PrivateQuantile as PrivateQuantile
    from noisewright.selection import Selection as Selection
    from noisewright.selection import TopK as TopK
    from noisewright.selection import epsilon_for_utility as epsilon_for_utility
    from noisewright.selection import exponential as exponential
    from noisewright.selection import noisy_max as noisy_max
    from noisewright.selection import permute_and_flip as permute_and_flip
    from noisewright.selection import private_median as private_median
    from noisewright.selection import private_quantile as private_quantile
    from noisewright.selection import top_k as top_k
    from noisewright.selection import utility_bound as utility_bound
    from noisewright.spaces import Categories as Categories
    from noisewright.spaces import Counts as Counts
    from noisewright.spaces import Curves as Curves
    from noisewright.spaces import Interval as Interval
    from noisewright.spaces import Records as Records
    from noisewright.spaces import Subsets as Subsets
    from noisewright.synthetic import Answers as Answers
    from noisewright.synthetic import Blr as Blr
    from noisewright.synthetic import Measurement as Measurement
    from noisewright.synthetic import PartError as PartError
    from noisewright.synthetic import Spend as Spend
    from noisewright.synthetic import SyntheticRecords as SyntheticRecords
    from noisewright.synthetic import Workload as Workload
    from noisewright.synthetic import WorkloadDistance as WorkloadDistance
    from noisewright.synthetic import WorkloadErrors as WorkloadErrors
    from noisewright.synthetic import blr as blr
    from noisewright.synthetic import blr_accuracy as blr_accuracy
    from noisewright.synthetic import blr_size as blr_size

_ROOM_OF = {
    name: room
    for room, names in {
        "exact": ("Epsilon",),
        "spaces": ("Categories", "Counts", "Curves", "Interval", "Records", "Subsets"),
        "sampling": ("SeededSource", "SystemSource"),
        "mechanisms": (
            "Guarantee",
            "Mechanism",
            "ResponseBounds",
            "discrete_exponential",
            "explicit_fair",
            "from_matrix",
            "geometric",
            "laplace",
            "laplace_scale",
            "marginal",
            "mixture",
            "per_item",
            "per_person",
            "product",
            "properties",
            "randomized_response",
            "response_bounds",
            "staircase",
            "uniform",
        ),
        "curves": (
            "CurveNoise",
            "CurveRelease",
            "DensityNoise",
            "Projection",
            "curve_noise",
            "gaussian_process",
            "kernel_density",
            "load",
            "verify_projections",
        ),
        "designs": (
            "Comparison",
            "Derivability",
            "Design",
            "ErrorBound",
            "ErrorReport",
            "Prices",
            "SmallestEpsilon",
            "bias",
            "bias_by_input",
            "binomial",
            "compare",
            "design",
            "empirical",
            "error_bound",
            "error_histogram",
            "error_profile",
            "error_report",
            "is_derivable",
            "loss",
            "price_of_properties",
            "rmse",
        ),
        "estimation": (
            "Estimate",
            "Estimates",
            "estimate",
            "expected_error",
        ),
        "plans": (
            "Column",
            "Draft",
            "Person",
            "Plan",
            "PlannedEpsilon",
            "Wanted",
            "draft_plan",
            "epsilon_for",
        ),
        "ledger": ("Balance", "Fingerprint", "Ledger", "LedgerEntry", "Reservation"),
        "releases": (
            "Evaluation",
            "Release",
            "Synthesis",
            "predict_synthesis",
            "release",
            "synthesize",
        ),
        "models": ("PrivateNaiveBayes", "PrivateTree"),
        "synthetic": (
            "Answers",
            "Blr",
            "Measurement",
            "PartError",
            "Spend",
            "SyntheticRecords",
            "Workload",
            "WorkloadDistance",
            "WorkloadErrors",
            "blr",
            "blr_accuracy",
            "blr_size",
        ),
        "selection": (
            "PrivateQuantile",
            "Selection",
            "TopK",
            "epsilon_for_utility",
            "exponential",
            "noisy_max",
            "permute_and_flip",
            "private_median",
            "private_quantile",
            "top_k",
            "utility_bound",
        ),
        "privacy": (
            "Certificate",
            "Composition",
            "OutputPerturbation",
            "Profile",
            "SanitizedResponse",
            "Verdict",
            "ZeroConcentrated",
            "advanced_composition",
            "basic_composition",
            "certify",
            "check",
            "compose",
            "gaussian_rho",
            "optimal_composition",
            "profile",
            "sufficient_sets",
            "tight_delta",
            "tight_epsilon",
            "verify",
        ),
    }.items()
    for name in names
}

__all__ = ["__version__", "errors", *sorted(_ROOM_OF)]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name == "errors":
        return importlib.import_module("noisewright.errors")
    room = _ROOM_OF.get(name)
    if room is None:
        raise AttributeError(f"module 'noisewright' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"noisewright.{room}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
