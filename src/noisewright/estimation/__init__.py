"""From released data back to answers, each with its error."""

from noisewright.estimation.estimate import estimate
from noisewright.estimation.result import Estimate

__all__ = ["Estimate", "estimate"]
