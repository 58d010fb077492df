"""Distributions of inputs, for designs and losses that expect one."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
