"""What is computed of a table, in whole numbers: expressions, selections of rows, and tallies."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
