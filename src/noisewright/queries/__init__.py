"""Questions about a private table: noise, and answers with their errors."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
