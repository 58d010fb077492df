"""Sources of random bits: the system's, and a seeded one for tests that must repeat."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
