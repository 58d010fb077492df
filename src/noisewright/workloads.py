"""Workloads of counting queries, and BLR, which answers one from a single draw."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
