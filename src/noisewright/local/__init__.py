"""The local model: people's devices randomize what they send, and nobody else need be trusted."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
