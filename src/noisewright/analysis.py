"""What a mechanism does to answers, and how near it is to the least error there is."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
