"""What is added to each count, so that nothing is impossible."""

from __future__ import annotations

from noisewright.errors import ParameterError
from noisewright.exact import Number, exactly


def read_smoothing(smoothing: Number) -> float:
    """Return a number above 0."""
    value = exactly(smoothing, name="smoothing")
    if value <= 0:
        raise ParameterError(
            f"smoothing is {smoothing}; it must be above 0, or a value that was never seen "
            "would be impossible."
        )
    return float(value)
