"""Guarantees as values, and what several of them add up to by published formulas."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
