"""Functional data: noise in values, in bases and as paths of Gaussian processes."""

from noisewright.curves.calibration import curve_noise, gaussian_process
from noisewright.curves.density import DensityNoise, kernel_density
from noisewright.curves.loading import load
from noisewright.curves.noise import CurveNoise
from noisewright.curves.projections import Projection, verify_projections
from noisewright.curves.release import Band, CurveRelease

__all__ = [
    "Band",
    "CurveNoise",
    "CurveRelease",
    "DensityNoise",
    "Projection",
    "curve_noise",
    "gaussian_process",
    "kernel_density",
    "load",
    "verify_projections",
]
