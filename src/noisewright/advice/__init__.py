"""Which tool fits a table: predicted errors of all of them, side by side, before any is used."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
