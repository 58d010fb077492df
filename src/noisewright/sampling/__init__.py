"""Entropy and exact draws: the only room with randomness. It knows integers, not privacy."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
