"""Mechanisms made of mechanisms: for columns, by a coin, for all rows of a person."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
