"""The durable budget: who was granted what, what was spent on which release, and what is left."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
