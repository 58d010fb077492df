"""Choosing in private: one among candidates by quality, the top k, quantiles."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
