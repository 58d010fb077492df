"""What a record can be: points, metrics and neighbors."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
