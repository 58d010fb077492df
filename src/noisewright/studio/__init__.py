"""The same functions as the command line, in a browser on this machine."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
