"""From released data back to answers, each with its error."""

from noisewright.estimation.collection import Estimates
from noisewright.estimation.estimate import estimate
from noisewright.estimation.layout import Layout
from noisewright.estimation.planning import expected_error
from noisewright.estimation.result import Estimate

__all__ = [
    "Estimate",
    "Estimates",
    "Layout",
    "estimate",
    "expected_error",
]
