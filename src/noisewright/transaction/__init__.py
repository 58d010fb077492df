"""The order of everything that is released: check, prove, debit, draw, publish, page."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
