"""Workloads of counting queries, and synthetic tables that answer them."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
