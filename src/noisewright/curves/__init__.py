"""Functional data: noise in values, in bases and as paths of Gaussian processes."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
