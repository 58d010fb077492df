"""The best mechanism for a loss, with a proof that nothing beats it."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
