"""Tables read, randomized and written in streams: on one machine, or on Spark."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
