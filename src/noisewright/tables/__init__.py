"""What columns hold, and the one place where a cell becomes a code and a code a cell."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
