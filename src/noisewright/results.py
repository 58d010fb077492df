"""What functions return, for annotations and `isinstance`."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
