"""What happens to each column of a table, under one budget: the plan of a release."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
