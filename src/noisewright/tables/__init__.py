"""Tables: what a cell can be and counts as, and readers and writers of files and frames."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
