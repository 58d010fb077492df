"""Rational and interval arithmetic; e^ε and ln bounded from below and above."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
