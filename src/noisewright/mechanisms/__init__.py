"""Mechanisms: one probability distribution for each input."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
