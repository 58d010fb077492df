"""From released data back to answers, each with its error."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
